//! Start-up, handshake and streams. Numbers in brackets are those of the project's list of behaviours
//! that GUIs depend on.

mod common;

use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Engine, PATIENCE, binary};

/// [1]
#[test]
fn the_handshake_is_id_then_options_then_uciok() {
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.until(|line| line == "uciok");
    assert!(lines[0].starts_with("id name Saavedra"));
    assert!(lines[1].starts_with("id author "));
    for line in &lines[2..lines.len() - 1] {
        assert!(line.starts_with("option name "), "{line}");
    }
    assert!(lines.len() > 8);
    assert!(engine.during(Duration::from_millis(100)).is_empty());
}

/// [2]
#[test]
fn uciok_appears_within_a_second() {
    let start = Instant::now();
    let mut engine = Engine::start();
    engine.send("uci");
    engine.until(|line| line == "uciok");
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
}

/// [3]
#[test]
fn quit_after_uciok_ends_with_status_0_within_a_second() {
    let mut engine = Engine::start();
    engine.send("uci");
    engine.until(|line| line == "uciok");
    let start = Instant::now();
    assert!(engine.quit().success());
    assert!(start.elapsed() < Duration::from_secs(1));
}

/// [4]
#[test]
fn an_engine_that_never_receives_uci_still_obeys() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 1");
    engine.send("ucinewgame");
    assert_eq!(engine.is_ready(), ["readyok"]);
    engine.search("startpos moves e2e4", "go depth 4");
}

/// [5]
#[test]
fn nothing_is_printed_before_readyok() {
    let mut engine = Engine::start();
    assert_eq!(engine.is_ready(), ["readyok"]);
}

/// [6]
#[test]
fn during_a_search_every_line_is_info_or_bestmove_or_readyok() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go movetime 300");
    engine.send("isready");
    engine.send("setoption name Hash value 32");
    engine.send("isready");
    let search = engine.best_move();
    for line in &search.lines {
        let known = line.starts_with("info ") || line.starts_with("bestmove ");
        assert!(known || line == "readyok", "{line}");
    }
}

/// [7] [A34]
#[test]
fn lines_of_two_threads_never_mix() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go infinite");
    for _ in 0..10_000 {
        engine.send("isready");
    }
    let mut ready = 0;
    while ready < 10_000 {
        let line = engine.line_within(PATIENCE).expect("an answer");
        if line == "readyok" {
            ready += 1;
        } else {
            assert!(line.starts_with("info depth "), "{line:?}");
        }
    }
    engine.send("stop");
    engine.best_move().check("startpos");
}

/// [8]
#[test]
fn readyok_and_uciok_stand_alone_on_their_line() {
    let mut engine = Engine::start();
    engine.send("uci");
    engine.send("isready");
    let lines = engine.until(|line| line == "readyok");
    assert_eq!(
        lines.iter().filter(|line| line.contains("uciok")).count(),
        1
    );
    assert!(lines.iter().any(|line| line == "uciok"));
}

/// [9] is checked on every line by the reader; [10]
#[test]
fn carriage_returns_tabs_and_blanks_are_accepted() {
    let mut engine = Engine::start();
    engine.send_bytes(b"uci\r\n");
    engine.until(|line| line == "uciok");
    engine.send_bytes(b"  position\tstartpos   moves  e2e4\te7e5 \r\n  go   depth\t3 \r\n");
    engine.best_move().check("startpos moves e2e4 e7e5");
}

/// [11]
#[test]
fn bytes_that_are_not_utf8_do_no_harm() {
    let mut engine = Engine::start();
    engine.send_bytes(b"setoption name UCI_Opponent value GM 2700 human Jos\xe9 Ra\xfal\n");
    engine.send_bytes(b"\xff\xfe\x00\x80\n");
    engine.send_bytes(b"position startpos moves e2e4 \xe9\n");
    engine.is_ready();
    engine.send("go depth 2");
    engine.best_move();
}

/// [12]
#[test]
fn an_input_line_of_any_length_is_accepted() {
    let mut engine = Engine::start();
    engine.send(&"x".repeat(1_000_000));
    engine.is_ready();
    let shuffle = " g1f3 g8f6 f3g1 f6g8".repeat(1500);
    engine.send(&format!("position startpos moves{shuffle}"));
    engine.send("go depth 2");
    engine.best_move();
    let lines = engine.log.join("\n");
    assert!(lines.len() < 10_000, "the line was echoed");
}

/// [13]
#[test]
fn end_of_input_stops_an_endless_search_and_the_process_exits() {
    for go in [
        "go infinite",
        "go ponder wtime 100000 btime 100000",
        "go",
        "go mate 5",
    ] {
        let mut engine = Engine::start();
        engine.send("position startpos");
        engine.send(go);
        std::thread::sleep(Duration::from_millis(100));
        let start = Instant::now();
        engine.close_input();
        assert!(
            engine
                .wait(Duration::from_secs(2))
                .is_some_and(|s| s.success()),
            "{go}"
        );
        assert!(start.elapsed() < Duration::from_secs(1), "{go}");
    }
}

/// [14] [A24]
#[test]
fn end_of_input_lets_a_finite_search_finish() {
    let mut engine = Engine::start();
    let start = Instant::now();
    engine.send("position startpos");
    engine.send("go movetime 1000");
    engine.close_input();
    engine.best_move().check("startpos");
    assert!(
        start.elapsed() >= Duration::from_millis(900),
        "{:?}",
        start.elapsed()
    );
    assert!(engine.wait(PATIENCE).is_some_and(|status| status.success()));
}

/// [14] A ponder search is finite once the expected move was played.
#[test]
fn end_of_input_after_ponderhit_lets_the_search_finish() {
    let mut engine = Engine::start();
    let start = Instant::now();
    engine.send("go ponder movetime 1000");
    engine.send("ponderhit");
    engine.close_input();
    engine.best_move();
    assert!(
        start.elapsed() >= Duration::from_millis(900),
        "{:?}",
        start.elapsed()
    );
}

/// [A24] the second: quit cuts a search short.
#[test]
fn quit_during_a_search_ends_at_once() {
    let mut engine = Engine::start();
    engine.send("go depth 200");
    let start = Instant::now();
    assert!(engine.quit().success());
    assert!(start.elapsed() < Duration::from_secs(1));
}

/// [15]
#[test]
fn a_closed_output_ends_the_process_quietly() {
    let mut command = binary();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    use std::io::{Read, Write};
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("piped");
    stdin
        .write_all(b"uci\nposition startpos\ngo infinite\nisready\n")
        .expect("the engine reads");
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("waiting works") {
            assert!(status.success(), "{status}");
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(5), "the engine hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .expect("piped")
        .read_to_string(&mut stderr)
        .expect("UTF-8");
    assert_eq!(stderr, "");
}

/// [16]
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_engine_without_half_a_line() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go infinite");
    engine.until(|line| line.starts_with("info depth 5 "));
    let pid = engine.id().to_string();
    let kill = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(kill.expect("kill runs").success());
    assert!(engine.wait(Duration::from_secs(2)).is_some());
    // The reader of the child's output asserts that every line is whole.
    engine.during(Duration::from_millis(200));
}

/// [17]
#[test]
fn the_working_folder_does_not_matter() {
    for folder in [
        std::env::temp_dir(),
        "/".into(),
        env!("CARGO_MANIFEST_DIR").into(),
    ] {
        let mut command = binary();
        command.current_dir(folder);
        let mut engine = Engine::spawn(command);
        engine.search("startpos", "go depth 3");
    }
    let path = std::path::Path::new(env!("CARGO_BIN_EXE_saavedra"));
    let mut command = std::process::Command::new("./saavedra");
    command.current_dir(path.parent().expect("a folder"));
    Engine::spawn(command).search("startpos", "go depth 3");
}

/// [18]
#[test]
fn standard_error_is_quiet() {
    let mut engine = Engine::start();
    engine.send("uci");
    engine.send("setoption name Hash value abc");
    engine.send("nonsense");
    engine.send("position fen 8/8/8/8/8/8/8/8 w - - 0 1");
    engine.is_ready();
    engine.search("startpos", "go depth 5");
    engine.send("quit");
    assert_eq!(engine.stderr(), "");
}
