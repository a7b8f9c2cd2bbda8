//! The position command. Numbers in brackets are those of the project's list of behaviours.

mod common;

use common::{Engine, STARTPOS};

fn fen(engine: &mut Engine) -> String {
    engine.send("d");
    engine.send("isready");
    let lines = engine.until(|line| line == "readyok");
    let line = lines
        .iter()
        .find(|line| line.starts_with("Fen: "))
        .expect("a FEN");
    line["Fen: ".len()..].to_string()
}

fn fen_after(position: &str) -> String {
    let mut engine = Engine::start();
    engine.send(&format!("position {position}"));
    fen(&mut engine)
}

/// [38]
#[test]
fn every_form_of_position_sets_the_board() {
    assert_eq!(fen_after("startpos"), STARTPOS);
    assert_eq!(fen_after("startpos moves"), STARTPOS);
    assert_eq!(fen_after(&format!("fen {STARTPOS}")), STARTPOS);
    assert_eq!(fen_after(&format!("fen {STARTPOS} moves")), STARTPOS);
    assert_eq!(
        fen_after("startpos moves g1f3"),
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"
    );
}

/// [39]
#[test]
fn a_fen_with_few_fields_gets_counters() {
    assert_eq!(
        fen_after("fen 4k3/8/8/8/8/8/8/4K2R w K -"),
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    );
    assert_eq!(
        fen_after("fen 4k3/8/8/8/8/8/8/4K2R w K - 7"),
        "4k3/8/8/8/8/8/8/4K2R w K - 7 1"
    );
    assert_eq!(
        fen_after("fen 4k3/8/8/8/8/8/8/4K2R w K - 7 0"),
        "4k3/8/8/8/8/8/8/4K2R w K - 7 1"
    );
}

/// [40] [A1] [A2] [A4] [A8]
#[test]
fn an_invalid_fen_is_named_and_not_searched() {
    let mut engine = Engine::start();
    for fen in [
        "8/8/8/8/8/8/5q2/4K3 w - - 0 1",
        "r6k1/p1p2ppp/5b2/3R4/6rP/2P2N1R/PPP2P2/1K6 w - - 1 21",
        "k7/8/8/8/8/8/8/P6K w - - 0 1",
        "kk6/8/8/8/8/8/8/7K w - - 0 1",
        "4k3/8/8/8/8/8/8/4RK2 w - - 0 1",
        "4k3/8/8/8/8/8/8/3xK3 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/N2NNNNN/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "knNnNnNn/nNnNnNnN/NnNnNnNn/nNnNnNnN/NnNnNnNn/nNnNnNnN/NnNnNnNn/KNnNnNnN w - - 0 0",
        "",
        "startpos",
    ] {
        engine.send("position startpos moves e2e4");
        engine.send(&format!("position fen {fen}"));
        let lines = engine.is_ready();
        assert_eq!(lines.len(), 2, "{fen}: {lines:?}");
        assert!(
            lines[0].starts_with("info string invalid position: "),
            "{lines:?}"
        );
        engine.send("go depth 5");
        assert_eq!(engine.best_move().best, "(none)", "{fen}");
        engine.is_ready();
    }
    engine.search("startpos", "go depth 3");
}

/// [41] [A3]
#[test]
fn castling_letters_without_king_or_rook_are_dropped() {
    let position = "fen 2b1kbnQ/rpq1pp1p/2n3p1/8/8/2P5/PP3PPP/RN2KBNR b KQk - 0 9";
    assert!(
        fen_after(position).contains(" b KQ - "),
        "{}",
        fen_after(position)
    );
    Engine::start().search(position, "go depth 12");
    assert_eq!(
        fen_after("fen 4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1"),
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    );
}

/// [42] [A5] [A6]
#[test]
fn an_impossible_en_passant_square_is_dropped() {
    let mut engine = Engine::start();
    for position in [
        "fen k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1",
        "fen rnbqkb1r/ppp3pp/3p1n2/3P4/8/2P5/PP3PPP/RNBQKB1R w KQkq e6",
        "fen 5rk1/pp1n1pbp/1q2rnp1/2p3B1/P3P3/2N1QB1P/1PP3P1/R4R1K b - a6 0 16",
        "startpos moves e2e4",
    ] {
        engine.send(&format!("position {position}"));
        assert_eq!(fen(&mut engine).split(' ').nth(3), Some("-"), "{position}");
        engine.search(position, "go depth 8");
    }
    let legal = "fen k7/8/8/3pP3/8/8/5K2/8 w - d6 0 1";
    assert!(fen_after(legal).contains(" d6 "));
}

/// [43]
#[test]
fn positions_that_cannot_arise_are_searched() {
    let mut engine = Engine::start();
    for position in [
        "fen 8/8/8/8/3p1p2/4K3/8/7k w - - 0 1",
        "fen 8/8/2n1n3/8/3K4/8/8/7k w - - 0 1",
        "fen B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1",
        "fen QQQQQ1bk/QQQQ4/8/8/8/8/7P/K7 w - - 0 1",
    ] {
        engine.search(position, "go depth 6");
    }
}

/// [44]
#[test]
fn both_ways_to_write_castling_rights_are_read() {
    let mut engine = Engine::start();
    let expected = "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1";
    for chess960 in ["true", "false"] {
        engine.send(&format!("setoption name UCI_Chess960 value {chess960}"));
        for rights in ["KQkq", "GBgb", "GQkb", "gbGB"] {
            engine.send(&format!(
                "position fen {}",
                expected.replace("GBgb", rights)
            ));
            let fen = fen(&mut engine);
            let rights = fen.split(' ').nth(2).expect("rights");
            assert_eq!(rights, if chess960 == "true" { "GBgb" } else { "KQkq" });
        }
    }
}

/// [45] [A36]
#[test]
fn castling_is_written_as_the_option_says_and_read_both_ways() {
    let mut engine = Engine::start();
    let position = "fen r3k2r/8/8/8/8/8/8/R3K2R b kq - 0 1";
    for (chess960, castle) in [("false", "e8g8"), ("true", "e8h8"), ("false", "e8g8")] {
        engine.send(&format!("setoption name UCI_Chess960 value {chess960}"));
        for given in ["e8g8", "e8h8"] {
            let search = engine.search(position, &format!("go depth 1 searchmoves {given}"));
            assert_eq!(search.best, castle);
        }
    }
    engine.send("setoption name UCI_Chess960 value true");
    let moves = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5";
    let search = engine.search(
        &format!("startpos moves {moves}"),
        "go depth 1 searchmoves e1h1",
    );
    assert_eq!(search.best, "e1h1");
    assert_eq!(
        fen_after(&format!("startpos moves {moves} e1h1")),
        fen_after(&format!("startpos moves {moves} e1g1"))
    );
}

/// The king stays, the rook stays, or they change places.
#[test]
fn castling_works_from_chess960_set_ups() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_Chess960 value true");
    for (fen, castle) in [
        ("1k6/8/8/8/8/8/8/RK6 w A - 0 1", "b1a1"),
        ("1k6/8/8/8/8/8/8/1K4R1 w G - 0 1", "b1g1"),
        ("k7/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1"),
        ("4k3/8/8/8/8/8/8/2RK4 w C - 0 1", "d1c1"),
    ] {
        let search = engine.search(
            &format!("fen {fen}"),
            &format!("go depth 1 searchmoves {castle}"),
        );
        assert_eq!(search.best, castle, "{fen}");
    }
}

/// [46]
#[test]
fn chess960_changes_the_notation_never_the_board() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4");
    let before = fen(&mut engine);
    engine.send("setoption name UCI_Chess960 value true");
    engine.send("setoption name UCI_Chess960 value false");
    assert_eq!(fen(&mut engine), before);
}

/// [47]
#[test]
fn an_illegal_move_stops_the_replay_before_it() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4 e7e6 e4e6 d7d5");
    let lines = engine.is_ready();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].starts_with("info string ") && lines[0].contains("e4e6"),
        "{lines:?}"
    );
    assert_eq!(
        fen(&mut engine),
        "rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    );
    engine.send("position startpos moves xyz");
    assert_eq!(engine.is_ready().len(), 2);
    assert_eq!(fen(&mut engine), STARTPOS);
}

/// [48]
#[test]
fn promotion_letters_are_lower_case_and_read_in_either_case() {
    let mut engine = Engine::start();
    let search = engine.search("fen 8/P7/8/8/8/8/8/k1K5 w - - 0 1", "go depth 4");
    assert_eq!(search.best, "a7a8q");
    assert!(fen_after("fen 8/P7/8/8/8/8/8/k1K5 w - - 0 1 moves a7a8Q").starts_with("Q7/"));
}

/// [49] [A9]
#[test]
fn very_long_games_and_large_counters_are_read() {
    let mut engine = Engine::start();
    let opening = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7";
    let shuffle = " f3h4 e7f8 h4f3 f8e7".repeat(300);
    let position = format!("startpos moves {opening}{shuffle}");
    let search = engine.search(&position, "go depth 6");
    assert!(search.last().cp.is_some_and(|cp| cp.abs() < 300));
    for position in [
        "fen 8/5kR1/8/3K4/8/8/8/8 b - - 0 143",
        "fen 8/5k2/8/3K4/8/8/8/6R1 b - - 99 9999",
        "fen 8/5k2/8/3K4/8/8/8/6R1 b - - 1204 99999",
    ] {
        engine.search(position, "go depth 6");
    }
}

/// [50] [A7]
#[test]
fn the_position_with_218_moves_is_searched() {
    let mut engine = Engine::start();
    let position = "fen 3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - -";
    let search = engine.search(position, "go depth 3");
    assert_eq!(search.last().mate, Some(1));
    engine.send("setoption name MultiPV value 256");
    let search = engine.search(position, "go depth 2");
    let lines = search
        .infos()
        .into_iter()
        .filter(|info| info.depth == 2)
        .count();
    assert_eq!(lines % 218, 0);
    assert!(lines > 0);
}

/// [51]
#[test]
fn a_position_that_occurred_twice_in_the_game_is_a_draw_when_it_occurs_again() {
    let mut engine = Engine::start();
    // White is a rook down; Qe8+ and Qh5+ have been played twice already.
    let start = "fen 6k1/6p1/8/7Q/8/8/qr4PP/7K w - - 0 1";
    let game = format!("{start} moves h5e8 g8h7 e8h5 h7g8 h5e8 g8h7 e8h5 h7g8");
    let search = engine.search(&game, "go depth 8 searchmoves h5e8");
    assert_eq!(search.last().cp, Some(0));
}

/// [52] [A11]
#[test]
fn a_root_that_is_drawn_by_rule_is_searched_all_the_same() {
    let mut engine = Engine::start();
    for position in [
        "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
        "fen 7k/8/8/8/8/8/R7/K7 w - - 100 80",
    ] {
        let search = engine.search(position, "go depth 8");
        assert!(search.last().mate.is_none());
        assert_ne!(search.best, "(none)");
    }
}

/// [53] [A10]
#[test]
fn checkmate_takes_precedence_over_the_fifty_move_rule() {
    let mut engine = Engine::start();
    let search = engine.search(
        "fen 8/8/2p5/3b1K1k/4p3/4PpR1/5P2/8 w - - 99 113",
        "go depth 5",
    );
    assert_eq!(search.last().mate, Some(1));
    assert_eq!(search.best, "g3h3");
}

/// [54] [A37]
#[test]
fn helpers_leave_the_position_alone() {
    let mut engine = Engine::start();
    let position = "startpos moves e2e4 c7c5";
    engine.send(&format!("position {position}"));
    let before = fen(&mut engine);
    engine.send("bench 3");
    engine.until(|line| line.ends_with(" nps"));
    engine.send("go perft 2");
    engine.until(|line| line.ends_with(" nps"));
    engine.send("eval");
    assert_eq!(fen(&mut engine), before);
    engine.send("go depth 5");
    engine.best_move().check(position);
}

#[test]
fn flip_exchanges_the_colours() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4");
    engine.send("flip");
    assert_eq!(
        fen(&mut engine),
        "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    );
}
