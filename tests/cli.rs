//! The command line. Numbers in brackets are those of the project's list of behaviours.

mod common;

use std::process::Output;
use std::time::{Duration, Instant};

use common::binary;
use saavedra::board::Position;
use saavedra::uci::option::{Kind, OPTIONS};

fn run(args: &[&str]) -> Output {
    binary().args(args).output().expect("the engine runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn file(name: &str, content: &str) -> String {
    let path = std::env::temp_dir().join(format!("saavedra-{}-{name}", std::process::id()));
    std::fs::write(&path, content).expect("a writable folder");
    path.display().to_string()
}

/// [106] What OpenBench reads: the last line is `N nodes M nps`.
#[test]
fn bench_ends_with_nodes_and_speed_and_is_the_same_every_time() {
    let copies: Vec<_> = (0..2)
        .map(|_| {
            binary()
                .arg("bench")
                .stdout(std::process::Stdio::piped())
                .spawn()
        })
        .collect();
    let start = Instant::now();
    let mut totals = Vec::new();
    for child in copies {
        let output = child
            .expect("the engine starts")
            .wait_with_output()
            .expect("it ends");
        assert!(output.status.success());
        let stdout = text(&output.stdout);
        let last = stdout.lines().last().expect("a last line");
        let words: Vec<&str> = last.split(' ').collect();
        let [nodes, "nodes", nps, "nps"] = words[..] else {
            panic!("{last:?}")
        };
        assert!(nps.parse::<u64>().is_ok_and(|nps| nps > 0));
        totals.push(nodes.parse::<u64>().expect("a plain number"));
    }
    assert_eq!(totals[0], totals[1]);
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn speedtest_plays_through_games_with_the_threads_and_the_hash_asked_for() {
    let arguments = "speedtest --threads 3 --hash 24 --seconds 1";
    let start = Instant::now();
    let output = run(&arguments.split(' ').collect::<Vec<_>>());
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert!(output.status.success());
    let stdout = text(&output.stdout);
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines[0], "threads 3, hash 24 MiB, 1 seconds");
    let games = lines.len() - 2;
    assert!(lines[games].starts_with(&format!("game {games} of {games}: hash used ")));
    let words: Vec<&str> = lines[games + 1].split(' ').collect();
    let [nodes, "nodes", nps, "nps"] = words[..] else {
        panic!("{stdout}")
    };
    assert!(nodes.parse::<u64>().is_ok_and(|nodes| nodes > 1000));
    assert!(nps.parse::<u64>().is_ok_and(|nps| nps > 1000));
}

/// [107]
#[test]
fn uci_commands_as_arguments_run_to_the_end_of_the_search() {
    let output = run(&["position startpos moves e2e4", "go depth 10", "quit"]);
    assert!(output.status.success());
    let stdout = text(&output.stdout);
    assert!(stdout.contains("info depth 10 "), "{stdout}");
    assert!(
        stdout
            .lines()
            .last()
            .is_some_and(|line| line.starts_with("bestmove "))
    );
    let output = run(&["uci"]);
    assert!(output.status.success(), "with an empty input");
    let output = run(&["position startpos", "go infinite"]);
    assert!(text(&output.stdout).contains("bestmove "));
}

#[test]
fn go_thinks_about_a_position() {
    let output = run(&["go", "--depth", "6"]);
    assert!(output.status.success());
    assert!(text(&output.stdout).contains("bestmove "));
    let fen = "6k1/8/8/8/8/8/8/K6R w - - 0 1";
    let output = run(&[
        "go",
        "--fen",
        fen,
        "--moves",
        "h1h2",
        "g8g7",
        "--nodes",
        "2000",
        "--multipv",
        "2",
        "--threads",
        "2",
        "--hash",
        "8",
    ]);
    assert!(output.status.success());
    assert!(text(&output.stdout).contains(" multipv 2 "));
    let start = Instant::now();
    run(&["go", "--movetime", "300"]);
    assert!(start.elapsed() < Duration::from_millis(1500));
}

#[test]
fn errors_go_to_standard_error_with_a_cause_and_code_2() {
    for args in [
        &["nonsense"][..],
        &["go", "--depth", "x"],
        &["go", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1", "--depth", "2"],
        &["go", "--moves", "e2e5", "--depth", "2"],
        &["go", "--depth", "0"],
        &["go", "--threads", "9999"],
        &["position startpos moves e2e5", "go depth 2"],
        &["perft", "--fen", "nonsense"],
        &["perft", "--epd", "/no/such/file"],
        &["solve", "/no/such/file"],
        &["bench", "--nonsense"],
        &["bench", "0"],
        &["speedtest", "--threads", "0"],
        &["speedtest", "--hash", "33554432", "--seconds", "1"],
        &["solve", "/no/such/file", "--hash", "0"],
        &["solve", "/no/such/file", "--threads", "99999999999"],
        &["perft", "--threads", "200000", "--depth", "1"],
        &["position startpos e2e4 e7e5"],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
    assert!(text(&run(&["solve", "/no/such/file"]).stderr).contains("/no/such/file"));
    assert!(text(&run(&["go", "--moves", "e2e5"]).stderr).contains("e2e5"));
    assert!(text(&run(&["nonsense"]).stderr).contains("nonsense"));
}

/// [15]
#[cfg(unix)]
#[test]
fn tools_end_quietly_when_nobody_reads() {
    let suite = file("pipe.epd", "k7/8/1K6/8/8/8/8/7R w - - am Rh8;\n");
    let games = file("pipe.pgn", &"1. e4 e5 *\n\n".repeat(20));
    for tool in [
        "perft --depth 3".to_string(),
        format!("solve {suite} --nodes 100"),
        format!("solve {suite} --nodes 100 --json"),
        format!("analyse {games} --nodes 100"),
        format!("analyse {games} --nodes 100 --json"),
        "bench 1".to_string(),
        "go --depth 5".to_string(),
    ] {
        let output = std::process::Command::new("sh")
            .args([
                "-c",
                &format!("{} {tool} | true", env!("CARGO_BIN_EXE_saavedra")),
            ])
            .output()
            .expect("sh runs");
        assert_eq!(text(&output.stderr), "", "{tool}");
    }
}

#[test]
fn perft_counts_and_checks_files() {
    let output = run(&["perft", "--depth", "4"]);
    let stdout = text(&output.stdout);
    assert!(stdout.contains("e2e4: 13160"), "{stdout}");
    assert!(stdout.contains("197281 nodes "), "{stdout}");

    let good = file(
        "good.epd",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66 ;D3 1197\n",
    );
    let output = run(&["perft", "--epd", &good]);
    assert!(output.status.success());
    assert!(text(&output.stdout).contains("1 positions, 3 counts, all right"));

    let bad = file("bad.epd", "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 67\n");
    let output = run(&["perft", "--epd", &bad, "--threads", "2"]);
    assert_eq!(output.status.code(), Some(1));
    let stdout = text(&output.stdout);
    assert!(
        stdout.contains("depth 2: 66 leaves, expected 67"),
        "{stdout}"
    );
    assert!(
        stdout.contains("e1h1: 3") || stdout.contains("e1h1: "),
        "{stdout}"
    );

    let broken = file("broken.epd", "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 many\n");
    assert_eq!(run(&["perft", "--epd", &broken]).status.code(), Some(2));
}

#[test]
fn solve_counts_what_is_solved() {
    let suite = file(
        "suite.epd",
        "# a comment\n\
         k7/8/1K6/8/8/8/8/7R w - - bm Rh8#; id \"mate\";\n\
         k7/8/1K6/8/8/8/8/7R w - - am Rh8; id \"avoid\";\n\
         2N2B2/2N1r3/8/3nQ2R/1k6/8/2B5/R3K3 w Q - bm #2; id \"matetrack\";\n\
         3r4/8/3k4/8/8/8/8/3K4 w - - dm 1; id \"impossible\";\n",
    );
    let output = run(&["solve", &suite, "--nodes", "20000", "--json"]);
    assert!(output.status.success());
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["solved"], 2);
    assert_eq!(json["total"], 4);
    assert_eq!(json["positions"][0]["solved"], true);
    assert_eq!(json["positions"][0]["best_move"], "Rh8#");
    assert_eq!(json["positions"][2]["score"], "mate 2");
    let output = run(&["solve", &suite, "--depth", "3"]);
    let stdout = text(&output.stdout);
    assert!(stdout.contains("solved 2 of 4"), "{stdout}");
    assert!(
        stdout.contains("not solved: avoid: k7/8/1K6/8/8/8/8/7R w - -: am Rh8, found "),
        "{stdout}"
    );
    let broken = file("unsolvable.epd", "k7/8/1K6/8/8/8/8/7R w - - bm Rh9;\n");
    assert_eq!(run(&["solve", &broken]).status.code(), Some(2));
}

#[test]
fn help_names_every_tool() {
    let help = text(&run(&["--help"]).stdout);
    for tool in [
        "uci",
        "go",
        "bench",
        "speedtest",
        "perft",
        "solve",
        "analyse",
        "match",
        "man",
        "completions",
    ] {
        assert!(help.contains(&format!("\n  {tool} ")), "{tool}: {help}");
    }
    assert!(text(&run(&["--version"]).stdout).starts_with("saavedra "));
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let page = text(&run(&["man"]).stdout);
    assert!(page.contains(".TH saavedra 1"), "{page}");
    assert!(page.contains("saavedra\\-speedtest(1)"), "{page}");
    let folder = std::env::temp_dir().join(format!("saavedra-{}-man", std::process::id()));
    let path = folder.display().to_string();
    assert!(run(&["man", "--out", &path]).status.success());
    for name in ["saavedra", "saavedra-go", "saavedra-book-build"] {
        let page = std::fs::read_to_string(folder.join(format!("{name}.1"))).expect("a page");
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
    }
    let output = run(&["man", "--out", "/dev/null/man"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("/dev/null/man"));
}

#[cfg(unix)]
#[test]
fn a_shell_completes_commands_and_options() {
    let script = file(
        "completions.sh",
        &text(&run(&["completions", "bash"]).stdout),
    );
    let complete = |words: &str, number: usize| {
        let output = std::process::Command::new("bash")
            .arg("-c")
            .arg(format!(
                "source {script}; COMP_WORDS=({words}); COMP_CWORD={number}; \
                 _saavedra saavedra ${{COMP_WORDS[-1]}} ${{COMP_WORDS[-2]}}; echo ${{COMPREPLY[@]}}"
            ))
            .output()
            .expect("bash runs");
        text(&output.stdout).trim().to_string()
    };
    assert_eq!(complete("saavedra spe", 1), "speedtest");
    assert_eq!(complete("saavedra speedtest --sec", 2), "--seconds");
    for shell in ["zsh", "fish", "powershell", "elvish"] {
        let script = text(&run(&["completions", shell]).stdout);
        assert!(script.contains("speedtest"), "{shell}");
    }
    assert_eq!(run(&["completions", "cobol"]).status.code(), Some(2));
}

#[test]
fn logging_is_silent_unless_asked_for() {
    let output = run(&["isready"]);
    assert!(output.stderr.is_empty());
    let output = binary()
        .env("RUST_LOG", "debug")
        .arg("isready")
        .output()
        .expect("it runs");
    assert!(text(&output.stderr).contains("readyok"));
}

/// The table of options in the README is the table in the code.
#[test]
fn the_readme_lists_every_option() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"))
        .expect("a README");
    for spec in OPTIONS {
        let (kind, default) = match spec.kind {
            Kind::Spin { default, min, max } => (format!("{min} to {max}"), default.to_string()),
            Kind::Check { default } => ("true or false".to_string(), default.to_string()),
            Kind::Text { default: "" } => ("text".to_string(), String::new()),
            Kind::Text { default } => ("text".to_string(), format!("`{default}`")),
            Kind::Button => ("button".to_string(), String::new()),
        };
        let row = format!("| `{}` | {kind} | {default} | {} |", spec.name, spec.help);
        assert!(readme.contains(&row), "the README lacks\n{row}");
    }
}

#[test]
fn a_book_is_built_from_lines_and_from_games_shown_and_checked() {
    let lines = file(
        "lines.txt",
        "# two openings\nOne: e4 e5 Nf3\nTwo: e4 c5\n\nThree: d4\n",
    );
    let pgn = file(
        "lines.pgn",
        "[Event \"?\"]\n\n1. e4 e5 2. Ke2 *\n\n[Event \"?\"]\n\n1. e4 *\n",
    );
    let out = file("lines.bin", "");
    let built = run(&["book", "build", &lines, "--out", &out]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    assert!(text(&built.stdout).contains("5 moves of 3 lines"));
    let shown = text(&run(&["book", "show", "--book", &out]).stdout);
    let rows: Vec<Vec<&str>> = (shown.lines().skip(1))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows,
        [["e2e4", "e4", "2", "66.7%"], ["d2d4", "d4", "1", "33.3%"]]
    );
    let sound = run(&["book", "check", &out, "--nodes", "2000", "--margin", "150"]);
    assert!(sound.status.success(), "{}", text(&sound.stdout));

    assert!(
        run(&["book", "build", &pgn, "--out", &out])
            .status
            .success()
    );
    let doubtful = run(&["book", "check", &out, "--nodes", "2000", "--margin", "40"]);
    assert_eq!(doubtful.status.code(), Some(1));
    assert!(text(&doubtful.stdout).contains("Ke2 is worth"));

    let wrong = file("wrong.txt", "One: e4 e5 Ke3\n");
    let refused = run(&["book", "build", &wrong, "--out", &out]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("line 1: Ke3 is not legal"));
}

/// The file beside the lines is what they build.
#[test]
fn the_built_in_book_is_built_from_its_lines() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/book/openings.txt");
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/book/saavedra.bin");
    let out = file("again.bin", "");
    assert!(
        run(&["book", "build", source, "--out", &out])
            .status
            .success()
    );
    assert!(std::fs::read(out).expect("a book") == std::fs::read(built).expect("a book"));
}

/// [OpenBench] What its client reads: lines `info string genfens FEN`, of which the seed decides.
#[test]
fn genfens_finds_openings_that_the_seed_decides() {
    let openings = |command: &str| -> Vec<String> {
        let output = run(&[command, "quit"]);
        assert!(output.status.success(), "{}", text(&output.stdout));
        let stdout = text(&output.stdout);
        let fen = |line: &str| Some(line.strip_prefix("info string genfens ")?.to_string());
        stdout
            .lines()
            .map(|line| fen(line).unwrap_or_else(|| panic!("{line}")))
            .collect()
    };
    let found = openings("genfens 30 seed 7 book None ");
    assert_eq!(found.len(), 30);
    assert_eq!(found, openings("genfens 30 seed 7 book None"));
    assert_ne!(found, openings("genfens 30 seed 8 book None"));
    let different: std::collections::HashSet<&String> = found.iter().collect();
    assert!(different.len() > 28);
    for fen in &found {
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert!(position.has_legal_move() && position.move_number() == 5);
        assert_eq!(fen.split(' ').count(), 6);
    }

    let book = file(
        "genfens.epd",
        "rnbqkbnr/pppp2pp/4pp2/8/2P2P2/P7/1P1PP1PP/RNBQKBNR b KQkq - hmvc 0; fmvn 3;\n\
         4k3/8/8/8/8/8/8/4K2R w K - 0 1\n",
    );
    let mut found = openings(&format!("genfens 2 seed 1 book {book}"));
    found.sort();
    assert_eq!(found[0], "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert!(found[1].starts_with("rnbqkbnr/pppp2pp/4pp2/8/2P2P2/P7/1P1PP1PP/RNBQKBNR b KQkq -"));
    let found = openings("genfens 8 seed 1 book None frc 100 plies 0");
    for fen in &found {
        assert!(fen.contains("/pppppppp/8/8/8/8/PPPPPPPP/"), "{fen}");
    }
    assert!(found.iter().any(|fen| !fen.starts_with("rnbqkbnr")));

    let output = run(&["genfens 2 seed 1 book /no/such/file", "quit"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("/no/such/file"));
}
