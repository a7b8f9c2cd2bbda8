//! What GUIs rely on when they analyse: all lines, a hash that lasts, no shortcuts.

mod common;

use common::Engine;

const MIDDLEGAME: &str =
    "startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6";

/// White is in check and has one move, after which there is much to think about.
const ONLY_MOVE: &str = "startpos moves f2f4 e7e6 b1c3 d8h4 g2g3 h4h6 b2b4 c7c5 g3g4 h6g6 c3a4 \
                         f8d6 f4f5 a7a6 a4b6 d6g3";

/// Positions searched until `depth` is finished.
fn nodes(engine: &mut Engine, position: &str, depth: u32) -> i64 {
    let last = engine.search(position, &format!("go depth {depth}")).last();
    last.nodes.expect("nodes")
}

#[test]
fn every_one_of_218_moves_gets_a_line() {
    let mut engine = Engine::start();
    engine.send("setoption name MultiPV value 218");
    let position = "fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    let infos = engine.search(position, "go depth 3").infos();
    for depth in 1..=3 {
        let block: Vec<_> = infos.iter().filter(|info| info.depth == depth).collect();
        let numbers: Vec<i64> = block.iter().map(|info| info.multipv).collect();
        assert_eq!(numbers, (1..=218).collect::<Vec<_>>());
        let mut moves: Vec<&str> = block.iter().map(|info| info.pv[0].as_str()).collect();
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), 218);
    }
}

#[test]
fn the_hash_is_kept_from_one_search_to_the_next() {
    let mut totals = [0; 4];
    for position in [
        MIDDLEGAME,
        "startpos moves d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7",
        "startpos moves e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6",
        "startpos moves d2d4 g8f6 c2c4 g7g6 b1c3 d7d5",
        "startpos moves e2e4 e7e6 d2d4 d7d5 b1c3 f8b4",
        "startpos moves e2e4 c7c6 d2d4 d7d5 b1c3 d5e4",
        "startpos moves g1f3 d7d5 g2g3 g8f6 f1g2 c7c6",
        "startpos moves c2c4 e7e5 b1c3 g8f6 g1f3 b8c6",
        "startpos moves d2d4 f7f5 g2g3 g8f6 f1g2 e7e6",
        "startpos moves e2e4 e7e5 f1c4 g8f6 d2d3 c7c6",
    ] {
        let mut engine = Engine::start();
        totals[0] += nodes(&mut engine, position, 15);
        totals[1] += nodes(&mut engine, position, 15);
        // Two moves later, as when a game is looked through.
        let line = engine.search(position, "go depth 14").last().pv;
        let next = format!("{position} {}", line[..2].join(" "));
        totals[2] += nodes(&mut Engine::start(), &next, 12);
        totals[3] += nodes(&mut engine, &next, 12);
    }
    let [first, second, next, known] = totals;
    assert!(second < first / 2, "{first} and {second} nodes");
    assert!(known < next / 2, "{next} and {known} nodes");
}

#[test]
fn the_hash_is_forgotten_when_asked_to_and_before_a_new_game() {
    let mut engine = Engine::start();
    let first = nodes(&mut engine, MIDDLEGAME, 13);
    engine.send("ucinewgame");
    assert_eq!(nodes(&mut engine, MIDDLEGAME, 13), first);
    engine.send("setoption name Clear Hash");
    let cleared = nodes(&mut engine, MIDDLEGAME, 13);
    assert!(cleared > first / 3, "{first} and {cleared} nodes");
}

#[test]
fn what_is_settled_in_a_game_is_searched_on_in_analysis() {
    for position in [ONLY_MOVE, "fen k7/8/1K6/8/8/8/8/7R w - - 0 1"] {
        let depth_in = |analysis: bool| {
            let mut engine = Engine::start();
            engine.send(&format!("setoption name UCI_AnalyseMode value {analysis}"));
            let search = engine.search(position, "go wtime 20000 btime 20000");
            search.last().depth
        };
        let (game, analysis) = (depth_in(false), depth_in(true));
        assert!(analysis > game + 5, "{position}: {game} and {analysis}");
    }
}
