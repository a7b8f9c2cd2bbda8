//! Whether a side can still mate: against the table of another program, and against a plain search
//! that knows nothing but the moves.
//!
//! The large tests are ignored: `cargo test --release --test unwinnable -- --ignored`. One answers the
//! whole table; one plays on at random from the positions of a file, one FEN a line, that
//! `SAAVEDRA_POSITIONS` names.

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::time::Instant;

use saavedra::board::{Position, parse_move};
use saavedra::rules::unwinnable::{self, Reason, Verdict};
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position as _};

fn data(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(file);
    std::fs::read_to_string(path).expect("a data file")
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Plays a helpmate and asserts that it is one.
fn replay(start: &Position, line: &[Move], side: Color) {
    let mut position = start.clone();
    for &m in line {
        assert!(
            position.legal_moves().contains(&m),
            "{m:?} of {line:?} in {start:?}"
        );
        position.play(m);
    }
    assert!(
        position.is_checkmate() && position.turn() != side,
        "{line:?} is no mate by {side} in {start:?}"
    );
}

/// What a plain breadth-first search says: whether `side` mates in some position among `limit`, or
/// `None` if there are more.
fn mates_by_plain_search(start: &Position, side: Color, limit: usize) -> Option<bool> {
    let root = start.chess().clone();
    let key = |chess: &Chess| {
        let setup = chess.to_setup(EnPassantMode::Legal);
        (
            setup.board,
            setup.turn,
            setup.castling_rights,
            setup.ep_square,
        )
    };
    let mut seen = HashSet::from([key(&root)]);
    let mut open = VecDeque::from([root]);
    while let Some(chess) = open.pop_front() {
        if chess.is_checkmate() && chess.turn() != side {
            return Some(true);
        }
        if seen.len() > limit {
            return None;
        }
        for m in chess.legal_moves() {
            let mut child = chess.clone();
            child.play_unchecked(m);
            if seen.insert(key(&child)) {
                open.push_back(child);
            }
        }
    }
    Some(false)
}

/// What the answers to some questions were.
#[derive(Default, Debug)]
struct Count {
    winnable: u64,
    unwinnable: u64,
    undetermined: u64,
    nodes: u64,
}

/// Asks for one side and checks the answer as far as a plain search can.
fn check(position: &Position, side: Color, nodes: u64, plain: usize, count: &mut Count) {
    let answer = unwinnable::can_mate(position, side, nodes);
    let quick = unwinnable::quick(position, side);
    count.nodes += answer.nodes;
    match answer.verdict {
        Verdict::Winnable(line) => {
            count.winnable += 1;
            replay(position, &line, side);
            assert_ne!(quick, Some(false), "{position:?}");
        }
        Verdict::Unwinnable(reason) => {
            count.unwinnable += 1;
            let found = mates_by_plain_search(position, side, plain);
            let fen = position.fen(CastlingMode::Chess960);
            assert_ne!(found, Some(true), "{reason}: {side} in {fen}");
            assert_ne!(quick, Some(true), "{fen}");
        }
        Verdict::Undetermined => count.undetermined += 1,
    }
}

/// Positions of a game played at random, every `step` plies.
fn random_game(
    start: &Position,
    plies: usize,
    step: usize,
    random: &mut fastrand::Rng,
) -> Vec<Position> {
    let mut position = start.clone();
    let mut seen = Vec::new();
    for ply in 0..plies {
        if ply % step == 0 {
            seen.push(position.clone());
        }
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        // Captures lead to the positions that are hard to judge.
        let captures: Vec<Move> = moves.iter().copied().filter(|m| m.is_capture()).collect();
        let choice = if captures.is_empty() || random.bool() {
            &moves[..]
        } else {
            &captures[..]
        };
        position.play(choice[random.usize(..choice.len())]);
    }
    seen
}

/// Asks every question of the table, and says how many are left open.
fn answer_the_table(nodes: u64) -> Count {
    let mut count = Count::default();
    for line in data("unwinnable/cha.txt").lines() {
        let (sides, fen) = line.split_at(2);
        let position = position(fen);
        for (side, letter) in Color::ALL.into_iter().zip(sides.chars()) {
            let can_mate = letter != '-';
            let answer = unwinnable::can_mate(&position, side, nodes);
            count.nodes += answer.nodes;
            match answer.verdict {
                Verdict::Winnable(moves) => {
                    assert!(can_mate, "{side}: {line}");
                    replay(&position, &moves, side);
                    count.winnable += 1;
                }
                Verdict::Unwinnable(reason) => {
                    assert!(!can_mate, "{side}, {reason}: {line}");
                    count.unwinnable += 1;
                }
                Verdict::Undetermined => count.undetermined += 1,
            }
            if let Some(quick) = unwinnable::quick(&position, side) {
                assert_eq!(quick, can_mate, "{side}: {line}");
            }
        }
    }
    count
}

#[test]
fn the_questions_of_the_table_are_answered_rightly_with_few_nodes() {
    let count = answer_the_table(5_000);
    assert_eq!(count.winnable + count.unwinnable + count.undetermined, 2404);
    assert!(count.undetermined < 250, "{count:?}");
}

#[test]
#[ignore = "takes a minute"]
fn no_question_of_the_table_is_left_open() {
    let start = Instant::now();
    let count = answer_the_table(10_000_000);
    println!("{count:?} in {:?}", start.elapsed());
    assert_eq!(count.undetermined, 0, "{count:?}");
}

#[test]
fn no_helpmate_is_found_where_there_is_said_to_be_none_in_games_and_after_them() {
    let mut random = fastrand::Rng::with_seed(69);
    let mut count = Count::default();
    for line in data("games/moves_uci.tsv").lines().skip(1).step_by(60) {
        let fields: Vec<&str> = line.split('\t').collect();
        let mut end = position(fields[2]);
        for text in fields[3].split_whitespace() {
            end.play(parse_move(&end, text).expect(text));
        }
        for position in random_game(&end, 160, 16, &mut random) {
            for side in Color::ALL {
                check(&position, side, 5_000, 5_000, &mut count);
            }
        }
    }
    assert!(count.winnable > 300 && count.unwinnable > 30, "{count:?}");
    assert!(count.undetermined < count.winnable / 20, "{count:?}");
}

#[test]
#[ignore = "as long as the file"]
fn no_helpmate_is_found_where_there_is_said_to_be_none_in_a_file() {
    let file =
        std::env::var("SAAVEDRA_POSITIONS").expect("SAAVEDRA_POSITIONS names a file of FENs");
    let text = std::fs::read_to_string(file).expect("a readable file");
    let mut random = fastrand::Rng::with_seed(522);
    let mut count = Count::default();
    let start = Instant::now();
    for fen in text.lines() {
        for position in random_game(&position(fen), 200, 20, &mut random) {
            for side in Color::ALL {
                check(&position, side, 20_000, 100_000, &mut count);
            }
        }
    }
    println!("{count:?} in {:?}", start.elapsed());
}

#[test]
fn positions_that_deceived_other_programs_are_answered_rightly() {
    // A pawn mates from outside; a king, a rook or a bishop walled in for ever; bishops without end
    // behind a wall; a king that may only step to and fro. From the issues of CHA.
    for (fen, white, black) in [
        (
            "1b3kBR/4pP1P/1p1pP2P/1P1P4/8/K5p1/6P1/1B6 b - -",
            true,
            false,
        ),
        (
            "8/1p3b2/pPp1p1p1/BkP1P1P1/1P6/BPB5/PKP5/8 b - -",
            true,
            false,
        ),
        ("1b2k3/8/1p2K3/bP6/Pp6/1Pp5/B1P5/NB6 b - -", false, true),
        ("1k6/pPp5/BpP4b/1P6/8/7B/8/5B1K b - -", false, true),
        ("8/8/1k1p1p2/3PpP2/3pKp2/b2P1P2/8/3B1B2 b - -", false, false),
        (
            "3k1b2/2p1pBp1/KpP1P1P1/1P3B2/4B1B1/5B2/8/8 w - -",
            false,
            false,
        ),
    ] {
        let position = position(fen);
        for (side, expected) in [(Color::White, white), (Color::Black, black)] {
            match unwinnable::can_mate(&position, side, 100_000).verdict {
                Verdict::Winnable(line) => {
                    replay(&position, &line, side);
                    assert!(expected, "{side}: {fen}");
                }
                Verdict::Unwinnable(reason) => assert!(!expected, "{side}, {reason}: {fen}"),
                Verdict::Undetermined => panic!("{side}: {fen}"),
            }
        }
    }
}

#[test]
fn a_finished_game_is_winnable_by_the_side_that_mated_only() {
    let mate = position("3k4/3Q4/3K4/8/8/8/8/8 b - -");
    let verdict = |position: &Position, side| unwinnable::can_mate(position, side, 1).verdict;
    assert_eq!(verdict(&mate, Color::White), Verdict::Winnable(Vec::new()));
    let over = Verdict::Unwinnable(Reason::GameOver);
    assert_eq!(verdict(&mate, Color::Black), over);
    let stalemate = position("k7/2Q5/2K5/8/8/8/8/8 b - -");
    assert_eq!(verdict(&stalemate, Color::White), over);
    assert_eq!(verdict(&stalemate, Color::Black), over);
}

#[test]
fn a_capture_en_passant_can_make_the_difference() {
    for (rights, expected) in [("d6", true), ("-", false)] {
        let start = position(&format!("4k3/8/4p3/1p1pPp1p/1P1P1P1P/8/8/4K3 w - {rights}"));
        let answer = unwinnable::can_mate(&start, Color::White, 100_000);
        assert_eq!(
            matches!(answer.verdict, Verdict::Winnable(_)),
            expected,
            "{rights}: {answer:?}"
        );
    }
}

#[test]
fn a_position_is_dead_if_neither_side_can_mate() {
    let dead = |fen| unwinnable::is_dead(&position(fen), 10_000);
    assert_eq!(dead("8/8/8/3k4/8/8/8/KB6 w - -"), Some(true));
    assert_eq!(dead("4k3/8/8/1p1p1p1p/1P1P1P1P/8/8/4K3 w - -"), Some(true));
    assert_eq!(dead("8/8/8/3k4/8/8/8/KR6 w - -"), Some(false));
    assert_eq!(
        unwinnable::is_dead(&position("8/8/8/8/3k4/1Bn5/BKB5/1B6 w - -"), 5),
        None
    );
}
