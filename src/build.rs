//! Build script: which network is embedded. `EVALFILE` names it, else it is the one in the source.

use std::path::absolute;

const DEFAULT: &str = "src/eval/nnue/default.nnue";

fn main() {
    println!("cargo::rerun-if-env-changed=EVALFILE");
    let given = std::env::var("EVALFILE").unwrap_or_default();
    let path = if given.is_empty() { DEFAULT } else { &given };
    println!("cargo::rerun-if-changed={path}");
    // Whether it is sound is found out by every test; this catches the wrong file.
    let is_network = std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"SAAVEDRA"));
    if !is_network {
        println!("cargo::error=EVALFILE: {path} is no network of Saavedra");
        return;
    }
    match absolute(path) {
        Ok(path) => println!("cargo::rustc-env=EVALFILE={}", path.display()),
        Err(error) => println!("cargo::error=EVALFILE {path}: {error}"),
    }
}
