//! go, stop, ponder and time. Numbers in brackets are those of the project's list of behaviours.

mod common;

use std::time::{Duration, Instant};

use common::{Engine, legal_moves};
use shakmaty::CastlingMode;

const MATED: &str = "startpos moves f2f3 e7e5 g2g4 d8h4";
const MATE_IN_1: &str = "fen k7/8/1K6/8/8/8/8/7R w - - 0 1";
const ONE_MOVE: &str = "fen 6k1/8/8/8/8/4B3/r7/1r4K1 w - - 0 1";

/// Searches and returns how long the answer took.
fn timed(engine: &mut Engine, position: &str, go: &str) -> Duration {
    engine.send(&format!("position {position}"));
    engine.is_ready();
    let start = Instant::now();
    engine.send(go);
    let search = engine.best_move();
    let time = start.elapsed();
    search.check(position);
    time
}

/// [55]
#[test]
fn every_go_is_answered_exactly_once_whatever_it_says() {
    let mut engine = Engine::start();
    for go in [
        "go depth 2 foo bar",
        "go wtime abc btime 100 depth 2",
        "go depth 3 nodes",
        "go depth 1 movetime",
        "go searchmoves depth 2",
        "go depth -5",
        "go nodes -1",
        "go depth 99999999999999999999 movetime 20",
        "go movetime 10 perhaps",
        "go mate x movetime 50",
    ] {
        engine.send("position startpos");
        engine.send(go);
        engine.best_move();
        let lines = engine.is_ready();
        assert_eq!(lines, ["readyok"], "{go}");
    }
    engine.send("position startpos");
    engine.send("go depth abc");
    engine.send("stop");
    engine.best_move().check("startpos");
}

/// [56]
#[test]
fn the_first_limit_reached_ends_the_search() {
    let mut engine = Engine::start();
    let clock = "wtime 60000 btime 60000 winc 0 binc 0";
    let time = timed(
        &mut engine,
        "startpos",
        &format!("go movetime 200 depth 100 {clock}"),
    );
    assert!(time < Duration::from_millis(400), "{time:?}");
    let search = engine.search("startpos", &format!("go movetime 60000 depth 3 {clock}"));
    assert_eq!(search.last().depth, 3);
    let search = engine.search("startpos", &format!("go nodes 3000 depth 100 {clock}"));
    assert!(search.last().nodes.is_some_and(|nodes| nodes <= 3000));
}

/// [57] [A13] [A14]
#[test]
fn go_infinite_is_silent_until_stop_and_costs_nothing_when_there_is_nothing_left_to_do() {
    let dead_draw = "fen 8/5kR1/8/3K4/8/8/8/8 b - - 0 143";
    for position in [MATED, MATE_IN_1, ONE_MOVE, dead_draw, "startpos"] {
        let mut engine = Engine::start();
        engine.send(&format!("position {position}"));
        engine.send("go infinite");
        let lines = engine.during(Duration::from_millis(1500));
        assert!(
            !lines.iter().any(|line| line.starts_with("bestmove")),
            "{position}"
        );
        if position == MATED {
            let before = engine.cpu_time();
            engine.during(Duration::from_secs(1));
            assert!(engine.cpu_time() - before <= Duration::from_millis(20));
        }
        engine.send("stop");
        let start = Instant::now();
        let search = engine.best_move();
        assert!(start.elapsed() < Duration::from_millis(100));
        assert_eq!(search.best == "(none)", position == MATED);
    }
}

/// [58] [A15]
#[test]
fn pondering_is_silent_until_ponderhit() {
    for position in ["startpos moves e2e4 e7e5", MATE_IN_1, ONE_MOVE] {
        let mut engine = Engine::start();
        engine.send(&format!("position {position}"));
        engine.send("go ponder wtime 1000 btime 1000");
        let lines = engine.during(Duration::from_millis(2000));
        assert!(
            !lines.iter().any(|line| line.starts_with("bestmove")),
            "{position}"
        );
        let start = Instant::now();
        engine.send("ponderhit");
        engine.best_move();
        assert!(start.elapsed() < Duration::from_millis(900), "{position}");
    }
}

/// [59]
#[test]
fn after_ponderhit_a_search_that_thought_long_enough_answers_at_once() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4 e7e5");
    engine.send("go ponder wtime 10000 btime 10000");
    engine.during(Duration::from_millis(6000));
    let start = Instant::now();
    engine.send("ponderhit");
    engine.best_move();
    assert!(
        start.elapsed() < Duration::from_millis(200),
        "{:?}",
        start.elapsed()
    );
    engine.send("position startpos moves e2e4 e7e5");
    engine.send("go ponder wtime 10000 btime 10000");
    engine.send("ponderhit");
    let start = Instant::now();
    engine.best_move();
    assert!(
        start.elapsed() > Duration::from_millis(100),
        "{:?}",
        start.elapsed()
    );
}

/// [60] [A16]
#[test]
fn ponderhit_right_behind_go_is_not_lost() {
    let mut engine = Engine::start();
    for _ in 0..200 {
        engine.send_bytes(
            b"position startpos moves e2e4 e7e5\ngo ponder wtime 100 btime 100\nponderhit\n",
        );
        let start = Instant::now();
        engine.best_move();
        assert!(start.elapsed() < Duration::from_millis(100));
    }
}

/// [60]
#[test]
fn stop_right_behind_go_is_not_lost() {
    let mut engine = Engine::start();
    for _ in 0..200 {
        engine.send_bytes(b"position startpos\ngo infinite\nstop\n");
        let search = engine.best_move();
        search.check("startpos");
    }
}

/// [60] [A17]
#[test]
fn a_stale_stop_does_not_end_the_next_search() {
    let mut engine = Engine::start();
    engine.send_bytes(b"go infinite\nstop\nstop\nposition startpos moves e2e4\ngo infinite\n");
    engine.best_move();
    let lines = engine.during(Duration::from_millis(1000));
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    engine.send("stop");
    engine.best_move();
}

/// [61]
#[test]
fn stop_and_ponderhit_without_a_search_print_nothing() {
    let mut engine = Engine::start();
    engine.send("stop");
    engine.send("ponderhit");
    assert_eq!(engine.is_ready(), ["readyok"]);
}

/// [62]
#[test]
fn after_stop_the_answer_comes_within_20_milliseconds() {
    for (threads, hash) in [(1, 16), (2, 256), (16, 64)] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Threads value {threads}"));
        engine.send(&format!("setoption name Hash value {hash}"));
        engine.is_ready();
        let mut times = Vec::new();
        for _ in 0..15 {
            engine.send("position startpos moves d2d4 d7d5");
            engine.send("go infinite");
            engine.during(Duration::from_millis(60));
            let start = Instant::now();
            engine.send("stop");
            engine.best_move();
            times.push(start.elapsed());
        }
        times.sort();
        // The median, because this machine may be busy with something else.
        assert!(
            times[7] < Duration::from_millis(20),
            "{threads} threads: {times:?}"
        );
    }
}

/// [63]
#[test]
fn stop_and_the_next_search_at_once_are_answered_in_order() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go infinite");
    for ply in [1, 2, 3] {
        let moves = ["e2e4", "e7e5", "g1f3"][..ply].join(" ");
        engine
            .send_bytes(format!("stop\nposition startpos moves {moves}\ngo infinite\n").as_bytes());
    }
    engine.send("stop");
    engine.best_move().check("startpos");
    engine.best_move().check("startpos moves e2e4");
    engine.best_move().check("startpos moves e2e4 e7e5");
    engine.best_move().check("startpos moves e2e4 e7e5 g1f3");
}

/// [64]
#[test]
fn go_while_searching_is_never_dropped() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go infinite");
    engine.send("position startpos moves e2e4");
    engine.send("go depth 5");
    engine.best_move().check("startpos");
    engine.best_move().check("startpos moves e2e4");
    engine.send("position startpos");
    engine.send("go depth 9");
    engine.send("go depth 4");
    assert_eq!(engine.best_move().last().depth, 9);
    assert_eq!(engine.best_move().last().depth, 4);
}

/// [65] [A19] [A20]
#[test]
fn no_time_left_still_gives_a_legal_move_at_once() {
    let mut engine = Engine::start();
    for position in ["startpos", "startpos moves e2e4"] {
        for go in [
            "go wtime 1 btime 1",
            "go wtime 0 btime 0",
            "go wtime 0 btime -2 winc 20 binc 20",
            "go wtime -5 btime -5",
            "go movetime 0",
            "go movetime 1",
            "go movetime -7",
            "go depth 0",
            "go wtime 20 btime 20 winc 1000 binc 1000",
        ] {
            let mut times: Vec<Duration> =
                (0..5).map(|_| timed(&mut engine, position, go)).collect();
            times.sort();
            assert!(times[2] < Duration::from_millis(20), "{go}: {times:?}");
        }
    }
}

/// [66] [A21]
#[test]
fn a_single_clock_is_ours() {
    let mut engine = Engine::start();
    for (position, go) in [
        ("startpos", "go wtime 8000"),
        ("startpos moves e2e4", "go btime 8000"),
        ("startpos", "go btime 8000"),
        ("startpos moves e2e4", "go wtime 8000"),
    ] {
        let time = timed(&mut engine, position, go);
        assert!(time > Duration::from_millis(60), "{go}: {time:?}");
        assert!(time < Duration::from_millis(4500), "{go}: {time:?}");
    }
}

/// [67] [A22]
#[test]
fn the_last_move_before_the_control_stays_inside_the_clock() {
    let mut engine = Engine::start();
    for (go, limit) in [
        ("go wtime 200 btime 200 winc 100 binc 100 movestogo 1", 200),
        ("go wtime 300 btime 300 movestogo 1", 300),
        ("go wtime 1000 btime 1000 movestogo -5", 500),
        ("go wtime 1000 btime 1000 movestogo 0", 500),
        ("go wtime 1000 btime 1000 movestogo 40", 300),
    ] {
        let time = timed(&mut engine, "startpos", go);
        assert!(time < Duration::from_millis(limit), "{go}: {time:?}");
    }
}

/// [68]
#[test]
fn an_increment_is_never_spent_before_it_is_on_the_clock() {
    let mut engine = Engine::start();
    let time = timed(
        &mut engine,
        "startpos",
        "go wtime 100 btime 100 winc 5000 binc 5000",
    );
    assert!(time < Duration::from_millis(100), "{time:?}");
}

/// [69] [70] A game's worth of moves, each inside the clock that is left.
#[test]
fn a_game_at_a_second_and_a_hundredth_a_move_loses_no_time() {
    let mut engine = Engine::start();
    engine.is_ready();
    let mut left: i64 = 1000;
    for _ in 0..80 {
        engine.send("position startpos moves e2e4 c7c5 g1f3 d7d6");
        let start = Instant::now();
        engine.send(&format!("go wtime {left} btime {left} winc 10 binc 10"));
        engine.best_move();
        left -= start.elapsed().as_micros().div_ceil(1000) as i64;
        assert!(left > 0);
        left += 10;
    }
}

/// [71]
#[test]
fn movetime_is_used_and_not_exceeded() {
    let mut engine = Engine::start();
    for movetime in [50, 100, 250, 500] {
        let mut times: Vec<Duration> = (0..5)
            .map(|_| timed(&mut engine, "startpos", &format!("go movetime {movetime}")))
            .collect();
        times.sort();
        assert!(
            times[2] < Duration::from_millis(movetime),
            "{movetime}: {times:?}"
        );
        assert!(
            times[2] > Duration::from_millis(movetime * 8 / 10),
            "{movetime}: {times:?}"
        );
    }
}

/// [72]
#[test]
fn go_nodes_is_exact_with_one_thread() {
    let mut engine = Engine::start();
    for nodes in [5_000, 20_000, 77_777] {
        let search = engine.search("startpos", &format!("go nodes {nodes}"));
        assert_eq!(search.last().nodes, Some(nodes));
    }
    for nodes in [1, 2, 50] {
        let search = engine.search("startpos", &format!("go nodes {nodes}"));
        assert!(search.last().depth >= 1);
        assert!(search.last().cp.is_some());
    }
}

/// [73] [A23]
#[test]
fn go_depth_always_ends() {
    let mut engine = Engine::start();
    let search = engine.search(
        "fen 3rr1k1/5pp1/p4P1p/P7/8/6bP/6P1/7K w - - 0 37",
        "go depth 40",
    );
    assert!(
        search.last().mate.is_some_and(|mate| mate == -1),
        "{:?}",
        search.last()
    );
    engine.search("fen 8/8/8/3k4/8/8/8/3KB3 w - - 0 1", "go depth 60");
    engine.search(MATE_IN_1, "go depth 245");
    engine.search("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go depth 10");
    // Every trade is even here, and there are many.
    let queens = "fen qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1";
    engine.search(queens, "go depth 1");
    let one = engine.search("startpos", "go depth 1");
    let zero = engine.search("startpos", "go depth 0");
    assert_eq!(zero.last().depth, one.last().depth);
}

/// [74]
#[test]
fn go_mate_ends_when_the_mate_is_found() {
    let mut engine = Engine::start();
    let mate_in_2 = "fen 2N2B2/2N1r3/8/3nQ2R/1k6/8/2B5/R3K3 w Q - 0 1";
    let search = engine.search(mate_in_2, "go mate 2");
    assert_eq!(search.last().mate, Some(2));
    let search = engine.search(
        "fen 3rr1k1/5pp1/p4P1p/P7/8/6bP/6P1/7K w - - 0 37",
        "go mate 3",
    );
    assert!(search.last().mate.is_some_and(|mate| mate < 0));
    engine.search(MATE_IN_1, "go mate");
    let search = engine.search("startpos", "go mate 1 depth 4");
    assert_eq!(search.last().depth, 4);
}

/// [75] [76]
#[test]
fn searchmoves_restricts_the_root_wherever_it_stands() {
    let mut engine = Engine::start();
    for go in [
        "go searchmoves a2a3 h2h4 depth 5",
        "go depth 5 searchmoves a2a3 h2h4",
        "go searchmoves a2a3 depth 5 searchmoves h2h4",
        "go depth 5 searchmoves a2a3 e2e5 xyz h2h4",
    ] {
        let search = engine.search("startpos", go);
        assert!(["a2a3", "h2h4"].contains(&search.best.as_str()), "{go}");
    }
    engine.send("setoption name MultiPV value 5");
    let search = engine.search("startpos", "go depth 5 searchmoves a2a3 h2h4");
    for info in search.infos() {
        assert!(
            ["a2a3", "h2h4"].contains(&info.pv[0].as_str()),
            "{}",
            info.text
        );
        assert!(info.multipv <= 2);
    }
    engine.send("position startpos");
    engine.send("go depth 5 searchmoves 0000");
    assert_eq!(engine.best_move().best, "(none)");
}

/// Every legal move can be singled out.
#[test]
fn searchmoves_accepts_every_legal_move() {
    let mut engine = Engine::start();
    let position = "fen r3k2r/Pppp1ppp/1b3nbN/nPPp4/BB2P3/q4N2/Pp1P2PP/R3K2R w KQkq d6 0 1";
    for m in legal_moves(position, CastlingMode::Standard) {
        let search = engine.search(position, &format!("go depth 1 searchmoves {m}"));
        assert_eq!(search.best, m);
    }
}

/// [70] [A39]
#[test]
fn many_threads_answer_inside_the_clock() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 64");
    engine.send("setoption name Hash value 64");
    engine.is_ready();
    for _ in 0..10 {
        let time = timed(&mut engine, "startpos", "go wtime 500 btime 500");
        assert!(time < Duration::from_millis(500), "{time:?}");
    }
}
