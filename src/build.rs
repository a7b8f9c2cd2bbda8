//! Build script: which network is embedded. `EVALFILE` names it, else it is the one in the source.

use std::path::{Path, absolute};

const DEFAULT: &str = "src/eval/nnue/default.nnue";

fn main() {
    println!("cargo::rerun-if-env-changed=EVALFILE");
    let given = std::env::var("EVALFILE").unwrap_or_default();
    let path = if given.is_empty() { DEFAULT } else { &given };
    println!("cargo::rerun-if-changed={path}");
    if !Path::new(path).is_file() {
        println!("cargo::error=EVALFILE: there is no network {path}");
        return;
    }
    match absolute(path) {
        Ok(path) => println!("cargo::rustc-env=EVALFILE={}", path.display()),
        Err(error) => println!("cargo::error=EVALFILE {path}: {error}"),
    }
}
