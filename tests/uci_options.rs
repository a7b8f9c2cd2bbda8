//! isready, options and ucinewgame. Numbers in brackets are those of the project's list of behaviours.

mod common;

use std::time::{Duration, Instant};

use common::{Engine, Search};
use saavedra::eval::nnue::Network;

fn nodes_at_depth(engine: &mut Engine, depth: u32) -> i64 {
    let search = engine.search("startpos moves e2e4", &format!("go depth {depth}"));
    search.last().nodes.expect("nodes")
}

fn options() -> Vec<String> {
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.until(|line| line == "uciok");
    lines
        .into_iter()
        .filter(|line| line.starts_with("option "))
        .collect()
}

/// [19]
#[test]
fn isready_is_answered_at_once_while_idle_searching_and_pondering() {
    let mut engine = Engine::start();
    engine.is_ready();
    for go in ["go infinite", "go ponder wtime 1000 btime 1000"] {
        engine.send("position startpos");
        engine.send(go);
        let start = Instant::now();
        engine.is_ready();
        assert!(start.elapsed() < Duration::from_millis(500), "{go}");
        engine.send("stop");
        engine.best_move().check("startpos");
    }
}

/// [20]
#[test]
fn isready_behind_slow_work_is_answered_when_it_is_done() {
    let mut engine = Engine::start();
    engine.send("setoption name Hash value 512");
    engine.is_ready();
    engine.search("startpos", "go depth 8");
    engine.send("ucinewgame");
    engine.is_ready();
    let info = engine.search("startpos", "go depth 1").last();
    assert_eq!(info.hashfull, Some(0));
}

/// [21]
#[test]
fn option_names_match_without_regard_to_case() {
    let mut engine = Engine::start();
    engine.send("setoption name multipv value 3");
    let search = engine.search("startpos", "go depth 3");
    assert!(search.infos().iter().any(|info| info.multipv == 3));
    engine.send("SETOPTION NAME MULTIPV VALUE 2");
    let search = engine.search("startpos", "go depth 3");
    assert!(search.infos().iter().any(|info| info.multipv == 3));
}

/// [22] [23]
#[test]
fn buttons_empty_values_and_blanks_in_values_are_accepted() {
    let mut engine = Engine::start();
    for line in [
        "setoption name Clear Hash",
        "setoption name clear  hash",
        "setoption name UCI_Opponent value",
        "setoption name UCI_Opponent value <empty>",
        "setoption name UCI_Opponent value none none human  Some  Body ",
    ] {
        engine.send(line);
        assert_eq!(engine.is_ready(), ["readyok"], "{line}");
    }
}

/// [24]
#[test]
fn a_bad_value_leaves_the_old_one_and_says_so_once() {
    let mut engine = Engine::start();
    engine.send("setoption name MultiPV value 2");
    for value in [
        "value abc",
        "value 0",
        "value 501",
        "value -1",
        "value 99999999999999999999",
        "value",
        "",
    ] {
        engine.send(&format!("setoption name MultiPV {value}"));
        let lines = engine.is_ready();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("info string "), "{lines:?}");
    }
    let search = engine.search("startpos", "go depth 3");
    assert_eq!(
        search.infos().iter().map(|info| info.multipv).max(),
        Some(2)
    );
}

/// [25] [A33]
#[test]
fn unknown_options_are_ignored() {
    let mut engine = Engine::start();
    for name in [
        "OwnBook value false",
        "Skill Level value 20",
        "Use NNUE value true",
        "x",
    ] {
        engine.send(&format!("setoption name {name}"));
        let lines = engine.is_ready();
        assert!(lines.len() <= 2, "{lines:?}");
    }
    engine.send("setoption name UCI_AnalyseMode value true");
    assert_eq!(engine.is_ready(), ["readyok"]);
}

/// [26] [27]
#[test]
fn announced_options_are_well_formed() {
    for line in options() {
        let words: Vec<&str> = line.split(' ').collect();
        let at = words
            .iter()
            .position(|word| *word == "type")
            .expect("a type");
        let number = |name: &str| -> i32 {
            let at = words.iter().position(|word| *word == name).expect(name);
            words[at + 1].parse().expect("fits in 32 bits")
        };
        match words[at + 1] {
            "spin" => {
                assert!(number("min") <= number("default"), "{line}");
                assert!(number("default") <= number("max"), "{line}");
            }
            "check" => assert!(line.ends_with("default true") || line.ends_with("default false")),
            "string" => {
                let default = line.split(" default ").nth(1).expect("a default");
                assert!(!default.is_empty(), "{line}");
            }
            "button" => assert_eq!(words.len(), at + 2),
            other => panic!("type {other}"),
        }
    }
}

/// [26]
#[test]
fn announced_defaults_are_in_use() {
    let mut engine = Engine::start();
    let before = nodes_at_depth(&mut engine, 9);
    let mut engine = Engine::start();
    for line in options() {
        let name = line
            .split(" name ")
            .nth(1)
            .and_then(|rest| rest.split(" type ").next());
        let default = line.split(" default ").nth(1).map(|rest| {
            if line.contains(" type spin ") {
                rest.split(' ').next().expect("a word")
            } else {
                rest
            }
        });
        if let (Some(name), Some(default)) = (name, default) {
            engine.send(&format!("setoption name {name} value {default}"));
        }
    }
    assert_eq!(engine.is_ready(), ["readyok"]);
    assert_eq!(nodes_at_depth(&mut engine, 9), before);
}

/// [28] [A18]
#[test]
fn setoption_during_a_search_neither_hangs_nor_disturbs() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go infinite");
    engine.send("setoption name Hash value 32");
    engine.send("setoption name Threads value 2");
    engine.send("setoption name UCI_Chess960 value true");
    let start = Instant::now();
    engine.is_ready();
    assert!(start.elapsed() < Duration::from_millis(500));
    engine.send("stop");
    engine.best_move().check("startpos");
    let search = engine.search(
        "fen r3k2r/8/8/8/8/8/8/R3K2R b kq - 0 1",
        "go depth 1 searchmoves e8g8",
    );
    assert_eq!(search.best, "e8h8");
}

/// [29]
#[test]
fn threads_and_hash_may_be_set_in_either_order() {
    for order in [
        ["Threads value 2", "Hash value 8"],
        ["Hash value 8", "Threads value 2"],
    ] {
        let mut engine = Engine::start();
        for option in order {
            engine.send(&format!("setoption name {option}"));
        }
        assert_eq!(engine.is_ready(), ["readyok"]);
        engine.search("startpos", "go depth 8");
    }
}

/// [30] [A32]
#[test]
fn a_hash_that_cannot_be_had_leaves_the_old_one() {
    let mut engine = Engine::start();
    engine.send("setoption name Hash value 33554432");
    let lines = engine.is_ready();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("info string ") && lines[0].contains("16 MiB"),
        "{lines:?}"
    );
    engine.search("startpos", "go depth 6");
    engine.send("setoption name Hash value 64");
    assert_eq!(engine.is_ready(), ["readyok"]);
    engine.search("startpos", "go depth 8");
}

/// [31]
#[test]
fn the_smallest_and_large_hashes_work() {
    let mut engine = Engine::start();
    for mib in [1, 2048, 4096] {
        engine.send(&format!("setoption name Hash value {mib}"));
        let lines = engine.is_ready();
        assert!(
            lines == ["readyok"] || lines[0].contains("cannot be had"),
            "{lines:?}"
        );
        engine.search("startpos", "go depth 8");
    }
}

/// [32]
#[test]
fn ucinewgame_may_come_twice_or_during_a_search() {
    let mut engine = Engine::start();
    engine.send("ucinewgame");
    engine.send("ucinewgame");
    engine.send("position startpos moves e2e4");
    engine.send("go infinite");
    engine.send("ucinewgame");
    engine.is_ready();
    engine.send("stop");
    engine.best_move().check("startpos moves e2e4");
    engine.send("go depth 3");
    engine.best_move().check("startpos moves e2e4");
}

fn without_times(search: &Search) -> Vec<String> {
    search
        .infos()
        .iter()
        .filter(|info| info.depth <= 10)
        .map(|info| {
            format!(
                "{} {:?} {:?} {:?} {:?}",
                info.depth, info.cp, info.mate, info.nodes, info.pv
            )
        })
        .collect()
}

/// [33]
#[test]
fn after_ucinewgame_a_search_is_the_same_as_in_a_fresh_process() {
    let mut fresh = Engine::start();
    let first = fresh.search("startpos moves d2d4", "go nodes 100000");
    let mut used = Engine::start();
    used.search("startpos moves e2e4", "go nodes 50000");
    used.search("startpos moves e2e4 c7c5", "go nodes 50000");
    used.send("ucinewgame");
    used.is_ready();
    let second = used.search("startpos moves d2d4", "go nodes 100000");
    assert_eq!(first.best, second.best);
    assert_eq!(first.last().nodes, second.last().nodes);
    assert_eq!(without_times(&first), without_times(&second));
}

/// [34] Standard names only.
#[test]
fn options_have_their_standard_names() {
    let all = options().join("\n");
    for name in [
        "Hash",
        "Threads",
        "MultiPV",
        "Ponder",
        "UCI_Chess960",
        "UCI_ShowWDL",
        "Move Overhead",
        "Clear Hash",
        "UCI_AnalyseMode",
        "UCI_Opponent",
        "UCI_EngineAbout",
    ] {
        assert!(all.contains(&format!("option name {name} type ")), "{name}");
    }
}

/// [35] [A25]
#[test]
fn wdl_is_shown_only_when_asked_for() {
    let mut engine = Engine::start();
    let search = engine.search("startpos", "go depth 4");
    assert!(search.infos().iter().all(|info| info.wdl.is_none()));
    engine.send("setoption name UCI_ShowWDL value true");
    let search = engine.search("startpos", "go depth 4");
    assert!(search.infos().iter().all(|info| info.wdl.is_some()));
}

/// [36] and pondering works, see uci_go.rs; [37]
#[test]
fn ponder_and_multipv_are_announced() {
    let all = options().join("\n");
    assert!(all.contains("option name Ponder type check default false"));
    assert!(all.contains("option name MultiPV type spin default 1 min 1 "));
}

/// [20], [34] A network from a file evaluates from the next search on; a bad file changes nothing.
#[test]
fn a_network_is_loaded_from_a_file_and_a_bad_file_is_a_message() {
    let folder = std::env::temp_dir().join(format!("saavedra-{}-network", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a writable folder");
    let mut other = (*Network::builtin()).clone();
    for bias in &mut other.output_biases {
        *bias += 5_000_000;
    }
    let good = other.to_bytes();
    let mut flipped = good.clone();
    flipped[1000] ^= 4;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a writable folder");
        path.display().to_string()
    };
    let bad = [
        (
            write("text.nnue", b"not a network"),
            "not a Saavedra network",
        ),
        (write("empty.nnue", b""), "not a Saavedra network"),
        (write("cut.nnue", &good[..good.len() / 2]), "bytes long"),
        (write("flipped.nnue", &flipped), "checksum"),
        (folder.display().to_string(), "not a file"),
        (folder.join("missing").display().to_string(), "No such file"),
    ];
    let good = write("with blanks in its name.nnue", &good);
    let mut engine = Engine::start();
    let eval = |engine: &mut Engine| {
        engine.send("position startpos");
        engine.send("eval");
        engine.until(|line| line.starts_with("Evaluation")).pop()
    };
    let nodes = nodes_at_depth(&mut engine, 6);
    let before = eval(&mut engine);
    for (path, fault) in &bad {
        engine.send(&format!("setoption name EvalFile value {path}"));
        let message = engine.until(|line| line.starts_with("info string")).pop();
        assert!(message.is_some_and(|text| text.contains(fault)), "{path}");
        assert_eq!(eval(&mut engine), before);
    }
    engine.send(&format!("setoption name EvalFile value {good}"));
    engine.is_ready();
    let changed = eval(&mut engine);
    assert_ne!(changed, before);
    let search = engine.search("startpos", "go depth 6");
    assert!(search.last().cp.is_some());
    engine.send("setoption name EvalFile value <builtin>");
    engine.is_ready();
    assert_eq!(eval(&mut engine), before);
    assert_eq!(
        nodes_at_depth(&mut engine, 6),
        nodes,
        "nothing is left of it"
    );
}
