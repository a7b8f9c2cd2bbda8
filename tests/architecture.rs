//! The floors of the house: a file imports from lower floors, or from its own folder downward.

use std::fs;
use std::path::{Path, PathBuf};

/// Module and floor. A module not listed may be imported by nobody.
const FLOORS: [(&str, u32); 21] = [
    ("score", 0),
    ("window", 0),
    ("limits", 0),
    ("params", 0),
    ("board", 1),
    ("rules", 2),
    ("epd", 2),
    ("starts", 2),
    ("eval", 3),
    ("tt", 3),
    ("clock", 3),
    ("book", 3),
    ("tablebase", 3),
    ("search", 4),
    ("engine", 5),
    ("uci", 6),
    ("tools", 6),
    ("cli", 7),
    ("main", 7),
    ("lib", 8),
    ("build", 8),
];

/// A window is made of scores, and the arguments of the tools are defined where they are read.
const EXCEPTIONS: [(&str, &str); 2] = [("window", "score"), ("tools", "cli")];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn all_sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    assert!(found.len() > 20);
    found
}

/// The top module that a file belongs to.
fn module(path: &Path) -> String {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = path.strip_prefix(src).unwrap();
    let first = inside
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_str()
        .unwrap();
    first.trim_end_matches(".rs").to_string()
}

fn floor(module: &str) -> u32 {
    FLOORS
        .iter()
        .find(|(name, _)| *name == module)
        .unwrap_or_else(|| panic!("{module} has no floor"))
        .1
}

/// Top modules named after `crate::` or `saavedra::` anywhere in the text, also in braces.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for root in ["crate::", "saavedra::"] {
        for (at, _) in text.match_indices(root) {
            let rest = &text[at + root.len()..];
            let names: Vec<&str> = match rest.strip_prefix('{') {
                Some(group) => group.split('}').next().unwrap().split(',').collect(),
                None => vec![rest],
            };
            for name in names {
                let name = name.trim();
                let end = name
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(name.len());
                if !name[..end].is_empty() {
                    found.push(name[..end].to_string());
                }
            }
        }
    }
    found
}

#[test]
fn every_file_imports_from_lower_floors_only() {
    for path in all_sources() {
        let own = module(&path);
        let text = fs::read_to_string(&path).unwrap();
        for import in imports(&text) {
            let allowed = import == own
                || floor(&import) < floor(&own)
                || EXCEPTIONS.contains(&(own.as_str(), import.as_str()));
            assert!(allowed, "{} imports {import}", path.display());
        }
    }
}

#[test]
fn every_file_opens_with_what_it_answers() {
    for path in all_sources() {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//! "), "{}", path.display());
    }
}

#[test]
fn only_the_protocol_the_tools_and_main_write_to_the_terminal() {
    for path in all_sources() {
        let own = module(&path);
        let text = fs::read_to_string(&path).unwrap();
        if !["uci", "tools", "main", "build"].contains(&own.as_str()) {
            for word in ["println!", "print!", "eprintln!", "stdout()", "dbg!"] {
                assert!(!text.contains(word), "{} uses {word}", path.display());
            }
        }
    }
}

#[test]
fn the_top_level_holds_what_belongs_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(root).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let known = [
            "Cargo.toml",
            "Cargo.lock",
            "Makefile",
            "README.md",
            "LICENSE",
            "src",
            "tests",
            "book",
            "benches",
            "target",
            // What `make` leaves.
            "saavedra",
        ];
        assert!(
            name.starts_with('.') || known.contains(&name.as_str()),
            "{name} on the top level"
        );
    }
}
