//! What a GUI does, by way of python-chess, which reads what the engine says as strictly as any.
//!
//! `SAAVEDRA_PYTHON` names a Python that has it, else it is `python3`, and without python-chess
//! the tests are skipped. Where `CI` is set they are not.

use std::process::Command;

/// Does something with the engine and fails on whatever python-chess finds odd.
fn python_chess(what: &str) {
    let python = std::env::var("SAAVEDRA_PYTHON").unwrap_or("python3".into());
    let has_it = Command::new(&python)
        .args(["-c", "import chess.engine"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_it {
        assert!(std::env::var_os("CI").is_none(), "CI lacks python-chess");
        eprintln!("skipped: {python} has no python-chess (pip install chess)");
        return;
    }
    let output = Command::new(python)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/gui/python_chess.py"
        ))
        .args([env!("CARGO_BIN_EXE_saavedra"), what])
        .output()
        .expect("Python runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
}

#[test]
fn a_whole_game_is_played() {
    python_chess("game");
}

#[test]
fn a_whole_game_is_played_with_pondering() {
    python_chess("ponder");
}

#[test]
fn a_whole_game_of_chess960_is_played() {
    python_chess("chess960");
}

#[test]
fn a_position_is_analysed_with_several_lines() {
    python_chess("analysis");
}
