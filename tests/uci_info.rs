//! info lines, variations, scores, and the best move. Numbers in brackets are those of the project's
//! list of behaviours. Every search of these tests is checked line by line in `common`: legal
//! variations that end with the game [79] [80], exact mates [81], plain numbers [84], one blank
//! between words [85], the variation last [90], a time of at least a millisecond [93].

mod common;

use std::time::Duration;

use common::{Engine, Search};

const MATED: &str = "startpos moves f2f3 e7e5 g2g4 d8h4";
const STALEMATE: &str = "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const KIWIPETE: &str = "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Positions of all kinds, for what must hold everywhere.
const POSITIONS: [&str; 12] = [
    "startpos",
    KIWIPETE,
    "fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "fen 8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",
    "fen 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "fen 3K4/8/3k4/8/3r4/8/8/8 w - - 0 1",
    "fen 6k1/8/8/8/8/4B3/r7/1r4K1 w - - 0 1",
    "fen r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "fen 8/8/8/8/8/5k2/6p1/6K1 w - - 96 120",
    "fen 4k3/8/8/8/8/8/R7/4K3 w - - 90 120",
    "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1",
    "fen 7k/8/8/8/8/2r5/1q6/K7 w - - 0 1",
];

/// [77] [78] [79] [80] [81] [83]
#[test]
fn every_search_ends_with_a_whole_line_that_begins_with_the_best_move() {
    let mut engine = Engine::start();
    for position in POSITIONS {
        for go in [
            "go nodes 1",
            "go movetime 1",
            "go depth 1",
            "go depth 12",
            "go nodes 30000",
        ] {
            let search = engine.search(position, go);
            assert!(!search.infos().is_empty(), "{position} {go}");
            assert!(search.last().depth >= 1);
        }
    }
}

/// [79] [80] under two threads, where the hash is written by others.
#[test]
fn lines_are_legal_with_several_threads() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 4");
    engine.send("setoption name Hash value 1");
    for position in POSITIONS {
        engine.search(position, "go movetime 150");
    }
}

/// [79] [81] [82] [96] on short mates for either side.
#[test]
fn mates_are_exact_and_do_not_get_longer() {
    let mut engine = Engine::start();
    for position in [
        "fen 2N2B2/2N1r3/8/3nQ2R/1k6/8/2B5/R3K3 w Q - 0 1",
        "fen 8/8/8/8/8/4k3/8/r3K3 w - - 0 1",
        "fen 3K4/8/3k4/8/3r4/8/8/8 w - - 0 1",
        "fen 8/8/8/8/3k4/8/1R6/K7 w - - 0 1",
        "fen 8/8/8/3k4/8/8/1Q6/K7 w - - 0 1",
        "fen 3rr1k1/5pp1/p4P1p/P7/8/6bP/6P1/7K w - - 0 37",
    ] {
        let search = engine.search(position, "go movetime 700");
        let mut best: Option<i64> = None;
        for info in search.infos().iter().filter(|info| info.bound.is_none()) {
            if let Some(before) = best {
                let mate = info
                    .mate
                    .unwrap_or_else(|| panic!("mate lost: {}", info.text));
                assert_eq!(mate.signum(), before.signum(), "{}", info.text);
                assert!(mate.abs() <= before.abs(), "{}", info.text);
            }
            best = info.mate.or(best);
        }
    }
}

/// [82] [A27]
#[test]
fn the_losing_side_sees_a_negative_mate() {
    let mut engine = Engine::start();
    let search = engine.search("fen 3K4/8/3k4/8/3r4/8/8/8 w - - 0 1", "go depth 30");
    let last = search.last();
    assert!(last.mate.is_some_and(|mate| mate < 0), "{}", last.text);
}

/// [83]
#[test]
fn the_score_is_the_side_to_moves() {
    let mut engine = Engine::start();
    let queen_up = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let white = engine
        .search(&format!("fen {queen_up} w KQkq - 0 1"), "go depth 6")
        .last();
    let black = engine
        .search(&format!("fen {queen_up} b KQkq - 0 1"), "go depth 6")
        .last();
    assert!(white.cp.is_some_and(|cp| cp > 400), "{}", white.text);
    assert!(black.cp.is_some_and(|cp| cp < -400), "{}", black.text);
}

/// [83] A bound follows the score; bounds come only in long searches.
#[test]
fn bounds_are_marked_right_behind_the_score() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_ShowWDL value true");
    let search = engine.search(KIWIPETE, "go movetime 5000");
    for line in search.lines.iter().filter(|line| line.contains("bound")) {
        let words: Vec<&str> = line.split(' ').collect();
        let at = words
            .iter()
            .position(|word| word.ends_with("bound"))
            .expect("a bound");
        assert_eq!(words[at - 3], "score");
        assert_eq!(words[at + 1], "wdl");
    }
    // [91]
    let current: Vec<&String> = search
        .lines
        .iter()
        .filter(|line| line.contains("currmove"))
        .collect();
    assert!(current.len() <= 25, "{}", current.len());
    for line in &current {
        assert!(line.contains(" currmovenumber "), "{line}");
    }
}

/// [91]
#[test]
fn the_current_move_is_not_shown_in_the_first_seconds() {
    let mut engine = Engine::start();
    let search = engine.search("startpos", "go movetime 1500");
    assert!(!search.lines.iter().any(|line| line.contains("currmove")));
}

/// [86]
#[test]
fn wdl_follows_the_score() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_ShowWDL value true");
    let last = engine.search("startpos", "go depth 8").last();
    let [win, draw, loss] = last.wdl.expect("wdl");
    assert!(win >= loss && draw > 0);
    let mate = engine
        .search("fen k7/8/1K6/8/8/8/8/7R w - - 0 1", "go depth 3")
        .last();
    assert_eq!(mate.wdl, Some([1000, 0, 0]));
}

/// Splits the scored lines into blocks of one depth each.
fn blocks(search: &Search) -> Vec<Vec<common::Info>> {
    let mut blocks: Vec<Vec<common::Info>> = Vec::new();
    for info in search.infos() {
        if info.multipv == 1 {
            blocks.push(Vec::new());
        }
        blocks.last_mut().expect("a first line").push(info);
    }
    blocks
}

fn check_blocks(search: &Search, lines: usize) {
    for block in blocks(search) {
        assert_eq!(block.len(), lines, "{block:#?}");
        for (number, info) in block.iter().enumerate() {
            assert_eq!(info.multipv, number as i64 + 1);
            assert_eq!(info.depth, block[0].depth);
        }
        let value = |info: &common::Info| match info.mate {
            Some(mate) if mate > 0 => 100_000 - mate,
            Some(mate) => -100_000 - mate,
            None => info.cp.expect("a score"),
        };
        assert!(
            block.is_sorted_by(|a, b| value(a) >= value(b)),
            "{block:#?}"
        );
        let mut first: Vec<&str> = block.iter().map(|info| info.pv[0].as_str()).collect();
        first.sort();
        first.dedup();
        assert_eq!(first.len(), lines);
    }
}

/// [87] [A28] [A29]
#[test]
fn multipv_comes_in_whole_sorted_blocks() {
    let mut engine = Engine::start();
    engine.send("setoption name MultiPV value 5");
    let position = "fen r2qr1k1/1p1n1pp1/pbpp1n1p/4p3/1PP1P3/P2P2PP/4NPB1/R1BQ1RK1 b - - 3 18";
    check_blocks(&engine.search(position, "go depth 14"), 5);
    check_blocks(&engine.search(position, "go movetime 300"), 5);
    engine.send("setoption name MultiPV value 6");
    let pawn = "fen 3k4/8/4KP2/8/8/8/8/8 w - - 1 132";
    let search = engine.search(pawn, "go movetime 1000");
    check_blocks(&search, 6);
    let last = blocks(&search).pop().expect("a block");
    assert!(last[0].cp.is_some_and(|cp| cp > 500) || last[0].mate.is_some_and(|mate| mate > 0));
}

/// [88]
#[test]
fn more_lines_than_moves_are_fine_and_leave_no_trace() {
    let mut engine = Engine::start();
    let before = engine.search("startpos", "go nodes 20000").last();
    engine.send("setoption name MultiPV value 500");
    check_blocks(&engine.search("startpos", "go depth 5"), 20);
    engine.send("setoption name MultiPV value 1");
    engine.send("ucinewgame");
    let after = engine.search("startpos", "go nodes 20000").last();
    assert_eq!((before.pv, before.cp), (after.pv, after.cp));
}

/// [89]
#[test]
fn messages_never_look_like_data() {
    let mut engine = Engine::start();
    engine.send("score cp 30 pv e2e4");
    engine.send("setoption name score value pv");
    engine.send("position startpos moves score");
    for line in engine.is_ready() {
        assert!(
            line == "readyok" || line.starts_with("info string "),
            "{line}"
        );
        assert!(!line.contains("score") && !line.contains(" pv "), "{line}");
    }
}

/// [92] [A35]
#[test]
fn a_solved_position_does_not_flood_the_gui() {
    let mut engine = Engine::start();
    for position in [
        "fen 5K2/8/2qk4/2nPp3/3r4/6B1/B7/3R4 w - e6",
        "fen k7/8/1K6/8/8/8/8/7R w - - 0 1",
        "fen 8/5kR1/8/3K4/8/8/8/8 b - - 0 143",
    ] {
        engine.send(&format!("position {position}"));
        engine.send("go infinite");
        engine.during(Duration::from_secs(2));
        engine.send("stop");
        engine.best_move();
        let lines = engine.log.len();
        assert!(lines < 55, "{lines} lines for {position}");
        engine.log.clear();
    }
}

/// [94]
#[test]
fn hashfull_is_zero_after_ucinewgame() {
    let mut engine = Engine::start();
    engine.send("setoption name Hash value 1");
    let full = engine.search("startpos", "go nodes 300000").last().hashfull;
    assert!(full.is_some_and(|full| full > 100));
    engine.send("ucinewgame");
    assert_eq!(
        engine.search("startpos", "go depth 1").last().hashfull,
        Some(0)
    );
    assert!(
        engine
            .log
            .iter()
            .all(|line| !line.contains(" score ") || line.contains(" tbhits 0 "))
    );
}

/// [95]
#[test]
fn stop_in_the_first_milliseconds_still_gives_a_whole_line() {
    let mut engine = Engine::start();
    for wait in [0, 1, 2, 5, 10, 20] {
        for position in ["startpos", KIWIPETE] {
            engine.send(&format!("position {position}"));
            engine.send("go infinite");
            std::thread::sleep(Duration::from_millis(wait));
            engine.send("stop");
            let search = engine.best_move();
            search.check(position);
            let last = search.last();
            assert!(last.pv.len() > 1 || last.depth <= 2, "{}", last.text);
        }
    }
}

/// [97] [98]
#[test]
fn without_a_legal_move_the_answer_is_none_and_the_engine_works_on() {
    let mut engine = Engine::start();
    for (position, score, word) in [
        (MATED, "mate 0", "checkmate"),
        (STALEMATE, "cp 0", "stalemate"),
    ] {
        for go in [
            "go depth 5",
            "go movetime 100",
            "go wtime 1000 btime 1000",
            "go nodes 100",
        ] {
            let search = engine.search(position, go);
            assert_eq!(search.best, "(none)");
            assert!(
                search
                    .lines
                    .contains(&format!("info depth 0 score {score}")),
                "{search:?}"
            );
            assert!(
                search.lines.contains(&format!("info string {word}")),
                "{search:?}"
            );
        }
    }
    engine.search("startpos", "go depth 3");
}

/// [97] [A12]
#[test]
fn earlier_moves_never_leak_into_a_mated_position() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 7");
    engine.search("startpos", "go movetime 200");
    let search = engine.search(MATED, "go movetime 200");
    assert_eq!(search.best, "(none)");
    assert!(
        search
            .lines
            .iter()
            .any(|line| line == "info depth 0 score mate 0")
    );
}

/// [99] [A30]
#[test]
fn no_ponder_move_where_the_reply_ends_the_game() {
    let mut engine = Engine::start();
    let search = engine.search("fen 6k1/8/8/8/8/4B3/r7/1r4K1 w - - 0 1", "go movetime 300");
    assert_eq!(search.last().mate, Some(-1));
    assert_eq!((search.best.as_str(), search.ponder), ("e3c1", None));
    let mating = engine.search("fen k7/8/1K6/8/8/8/8/7R w - - 0 1", "go depth 5");
    assert_eq!(mating.ponder, None);
}

/// A search for a mate with several lines, and a first iteration that is cut short.
#[test]
fn every_line_of_several_has_an_honest_score() {
    let mut engine = Engine::start();
    engine.send("setoption name MultiPV value 4");
    let position = "fen r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 1 0";
    engine.search(position, "go mate 2 nodes 50000");
    engine.send("setoption name MultiPV value 500");
    let queens = "fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    for go in ["go nodes 1", "go movetime 1"] {
        let search = engine.search(queens, go);
        assert!(search.infos().iter().all(|info| info.mate != Some(0)));
    }
}

/// [100]
#[test]
fn the_ponder_move_is_the_second_of_the_line() {
    let mut engine = Engine::start();
    let search = engine.search("startpos", "go depth 10");
    assert_eq!(search.ponder.as_ref(), search.last().pv.get(1));
    assert!(search.ponder.is_some());
}

/// [101]
#[test]
fn a_drawn_position_with_moves_gets_a_move() {
    let mut engine = Engine::start();
    for position in [
        "fen 4k3/8/8/8/8/8/8/4KB2 w - - 0 1",
        "fen 7k/8/8/8/8/8/R7/K7 w - - 149 180",
        "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
    ] {
        let search = engine.search(position, "go depth 6");
        assert_ne!(search.best, "(none)");
    }
}

/// [A38]
#[test]
fn a_line_of_depth_1_is_legal() {
    Engine::start().search("startpos moves e2e4 e7e5 d1f3 f8c5 f1c4", "go depth 1");
}

/// [A40]
#[test]
fn very_high_depths_with_many_threads_do_not_crash() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 23");
    let position = "fen 8/2p1p1p1/2P1P1Pp/P4K2/P7/p2p4/rppP3P/qkn4R w - -";
    engine.search(position, "go movetime 5000");
}

/// [A26] A drawn shuffle: the line stops where the game does.
#[test]
fn the_line_of_a_drawn_shuffle_ends_with_the_draw() {
    let mut engine = Engine::start();
    let position = "fen 6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 92 80 moves b1c1 a2b2 c1d1 b2a2";
    for go in ["go depth 10", "go depth 16"] {
        let search = engine.search(position, go);
        for info in search.infos() {
            assert!(info.pv.len() <= 4, "{}", info.text);
        }
    }
}

#[test]
fn a_dead_position_scores_zero() {
    let mut engine = Engine::start();
    let wall = "fen 2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1";
    // A bishop and three pawns more, but no way in.
    let shut_out = "fen 4k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1";
    for position in [wall, shut_out] {
        for go in ["go depth 1", "go depth 12"] {
            let last = engine.search(position, go).last();
            assert_eq!(last.cp, Some(0), "{position} {go}: {}", last.text);
        }
    }
}

#[test]
fn a_side_that_cannot_mate_is_never_shown_to_be_better() {
    let mut engine = Engine::start();
    // Black has six bishops more, but they do not get through the wall.
    let position = "fen k3b1b1/Pp1b1b1p/1Pb1p1pP/1p1pP1P1/1P1P4/8/8/4K3 w - - 0 1";
    for depth in 1..=8 {
        let last = engine.search(position, &format!("go depth {depth}")).last();
        assert!(last.cp.is_none_or(|cp| cp >= 0), "{}", last.text);
        assert!(last.mate.is_none_or(|moves| moves >= 0), "{}", last.text);
    }
}
