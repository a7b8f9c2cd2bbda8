//! Limited strength through UCI: who plays how well is measured by matches; this is what can be seen of it.

mod common;

use common::Engine;

const POSITION: &str = "startpos moves e2e4 e7e5 g1f3 b8c6 f1c4";

/// The first moves of a game of the engine against itself.
fn game(settings: &[&str]) -> Vec<String> {
    let mut engine = Engine::start();
    for setting in settings {
        engine.send(&format!("setoption name {setting}"));
    }
    let mut moves: Vec<String> = Vec::new();
    for _ in 0..12 {
        let position = format!("startpos moves {}", moves.join(" "));
        let search = engine.search(&position, "go wtime 60000 btime 60000");
        search.check(&position);
        moves.push(search.best);
    }
    moves
}

#[test]
fn a_seed_decides_the_errors_of_a_weaker_player() {
    let weak = ["UCI_LimitStrength value true", "UCI_Elo value 1200"];
    let with_seed = |seed: &str| game(&[weak[0], weak[1], seed]);
    let first = with_seed("Strength Seed value 1");
    assert_eq!(first, with_seed("Strength Seed value 1"));
    assert_ne!(first, with_seed("Strength Seed value 2"));
}

#[test]
fn without_a_seed_the_errors_are_others_in_each_game() {
    let mut engine = Engine::start();
    engine.send("setoption name Skill Level value 0");
    let moves: std::collections::HashSet<String> = (0..20)
        .map(|_| {
            engine.send("ucinewgame");
            engine.search(POSITION, "go movetime 1000").best
        })
        .collect();
    assert!(moves.len() > 1, "{moves:?}");
}

#[test]
fn more_threads_do_not_make_a_weaker_player_stronger_or_less_predictable() {
    let weak = [
        "UCI_LimitStrength value true",
        "UCI_Elo value 2000",
        "Strength Seed value 5",
    ];
    let alone = game(&weak);
    assert_eq!(alone, game(&[weak[0], weak[1], weak[2], "Threads value 4"]));
}

#[test]
fn a_weaker_player_looks_at_fewer_positions() {
    let mut engine = Engine::start();
    let mut nodes = |elo: u32| {
        engine.send("setoption name UCI_LimitStrength value true");
        engine.send(&format!("setoption name UCI_Elo value {elo}"));
        engine
            .search(POSITION, "go movetime 10000")
            .last()
            .nodes
            .unwrap()
    };
    let [weak, middling, strong] = [1000, 2000, 3000].map(&mut nodes);
    assert!(
        weak < middling && middling < strong,
        "{weak} {middling} {strong}"
    );
    assert!(strong < 200_000, "{strong}");
}

#[test]
fn analysis_and_the_search_for_a_mate_are_at_full_strength() {
    let mut engine = Engine::start();
    engine.send("setoption name Skill Level value 0");
    let limited = engine.search(POSITION, "go depth 10").last();
    engine.send("setoption name UCI_AnalyseMode value true");
    let full = engine.search(POSITION, "go depth 10").last();
    assert!(
        limited.depth < 10 && full.depth == 10,
        "{limited:?} {full:?}"
    );
    engine.send("setoption name UCI_AnalyseMode value false");
    let mate = "fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
    assert_eq!(engine.search(mate, "go mate 2").last().mate, Some(2));
}

#[test]
fn all_multipv_lines_are_shown_and_no_more() {
    for lines in [1, 2, 6] {
        let mut engine = Engine::start();
        engine.send("setoption name Skill Level value 3");
        engine.send(&format!("setoption name MultiPV value {lines}"));
        let search = engine.search(POSITION, "go movetime 1000");
        let most = search.infos().iter().map(|info| info.multipv).max();
        assert_eq!(most, Some(lines));
    }
}

#[test]
fn an_infinite_search_waits_for_stop_however_weak_the_player() {
    let mut engine = Engine::start();
    engine.send("setoption name Skill Level value 0");
    engine.send("position startpos");
    engine.send("go infinite");
    let early = engine.during(std::time::Duration::from_millis(300));
    assert!(!early.iter().any(|line| line.starts_with("bestmove")));
    engine.send("stop");
    assert_ne!(engine.best_move().best, "(none)");
}

#[test]
fn a_rating_out_of_range_is_refused_with_the_range() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_Elo value 9000");
    let lines = engine.is_ready();
    assert!(
        lines[0].contains("UCI_Elo takes a whole number from"),
        "{lines:?}"
    );
}
