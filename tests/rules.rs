//! What a game is: legal moves, endings and claims, against tables computed by another program, and
//! the points of the rules that programs get wrong, by name.

use std::fs;
use std::path::Path;

use saavedra::board::{Position, parse_move, uci_text};
use saavedra::rules::unwinnable::{self, Reason, Verdict};
use saavedra::rules::{Claim, Ending, Game, RuleSet};
use serde_json::Value;
use shakmaty::{CastlingMode, Color};

fn data(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn play(start: &str, moves: &str) -> Game {
    let mut game = Game::new(if start == "startpos" {
        Position::startpos()
    } else {
        position(start)
    });
    for text in moves.split_whitespace() {
        let m = parse_move(game.position(), text).unwrap_or_else(|| panic!("{start}: {text}"));
        game.play(m);
    }
    game
}

/// The first ending that applies, in the words of the tables.
fn state(game: &Game) -> &'static str {
    match game.ending(RuleSet::Online) {
        Some(Ending::Checkmate { .. }) => "checkmate",
        Some(Ending::Stalemate) => "stalemate",
        Some(Ending::DeadPosition) => "insufficient",
        Some(Ending::SeventyFiveMoves) => "seventyfive",
        Some(Ending::FivefoldRepetition) => "fivefold",
        Some(Ending::FiftyMoves) => "fifty",
        Some(Ending::ThreefoldRepetition) => "threefold",
        None => "none",
    }
}

#[test]
fn positions_have_the_legal_moves_and_flags_of_the_table() {
    let text = data("rules/positions.csv");
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("id,category,fen"));
    let mut count = 0;
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let [
            id,
            _,
            fen,
            chess960,
            legal,
            in_check,
            checkmate,
            stalemate,
            insufficient,
            moves,
        ] = fields[..]
        else {
            panic!("{line}");
        };
        let position = position(fen);
        let mode = CastlingMode::from_chess960(chess960 == "1");
        let mut ours: Vec<String> = position
            .legal_moves()
            .into_iter()
            .map(|m| uci_text(m, mode))
            .collect();
        ours.sort();
        assert_eq!(ours.join(" "), moves, "{id} {fen}");
        assert_eq!(ours.len().to_string(), legal, "{id}");
        let flag = |flag: bool| if flag { "1" } else { "0" };
        assert_eq!(flag(position.in_check()), in_check, "{id}");
        assert_eq!(flag(position.is_checkmate()), checkmate, "{id}");
        assert_eq!(flag(position.is_stalemate()), stalemate, "{id}");
        let insufficient = insufficient == "1";
        check_dead(&Game::new(position), insufficient, id);
        count += 1;
    }
    assert_eq!(count, 381);
}

#[test]
fn games_end_as_the_table_says() {
    let mut count = 0;
    for line in data("rules/game_states.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let (start, moves) = (
            record["start"].as_str().unwrap(),
            record["moves"].as_str().unwrap(),
        );
        let game = play(start, moves);
        let expected = record["expected"].as_str().unwrap();
        assert_eq!(state(&game).replace("none", "ongoing"), expected, "{line}");
        let flags: Vec<&str> = record["flags"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f.as_str().unwrap())
            .collect();
        check_flags(&game, &flags, line);
        assert_eq!(
            game.occurrences().min(5) as u64,
            record["occurrences"].as_u64().unwrap().min(5)
        );
        assert_eq!(
            u64::from(game.position().halfmoves()),
            record["halfmove"].as_u64().unwrap()
        );
        let final_fen = record["final_fen"].as_str().unwrap();
        assert_eq!(
            game.position().fen(CastlingMode::Standard),
            final_fen,
            "{line}"
        );
        check_first_claims(&record, start, moves);
        count += 1;
    }
    assert_eq!(count, 155);
}

/// The tables know material only: what else is dead must have no mate.
fn check_dead(game: &Game, insufficient: bool, line: &str) {
    assert!(game.is_dead() || !insufficient, "{line}");
    if game.is_dead() && !insufficient {
        let exact = unwinnable::is_dead(game.position(), 100_000);
        assert_eq!(exact, Some(true), "{line}");
    }
}

fn check_flags(game: &Game, flags: &[&str], line: &str) {
    let has = |flag: &str| flags.contains(&flag);
    assert_eq!(game.position().is_checkmate(), has("checkmate"), "{line}");
    assert_eq!(game.position().is_stalemate(), has("stalemate"), "{line}");
    check_dead(game, has("insufficient"), line);
    let claims = game.claims();
    assert_eq!(
        claims.contains(&Claim::ThreefoldRepetition),
        has("threefold"),
        "{line}"
    );
    assert_eq!(claims.contains(&Claim::FiftyMoves), has("fifty"), "{line}");
    assert_eq!(game.occurrences() >= 5, has("fivefold"), "{line}");
    assert_eq!(
        game.position().halfmoves() >= 150,
        has("seventyfive"),
        "{line}"
    );
}

/// The first ply at which a draw could be claimed, and the claim for the move that leads there.
fn check_first_claims(record: &Value, start: &str, moves: &str) {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    for (claim, field) in [
        (Claim::ThreefoldRepetition, "first_threefold_ply"),
        (Claim::FiftyMoves, "first_fifty_ply"),
    ] {
        let first = (1..=moves.len()).find(|&ply| {
            play(start, &moves[..ply].join(" "))
                .claims()
                .contains(&claim)
        });
        assert_eq!(
            first.map(|ply| ply as u64),
            record[field].as_u64(),
            "{field} of {record}"
        );
        if let Some(ply) = first {
            let before = play(start, &moves[..ply - 1].join(" "));
            let m = parse_move(before.position(), moves[ply - 1]).unwrap();
            assert!(before.claims_with(m).contains(&claim), "{record}");
            assert!(ply == 1 || !before.claims().contains(&claim), "{record}");
        }
    }
}

#[test]
fn whole_games_reach_the_final_position_and_state_of_the_table() {
    let games = data("games/moves_uci.tsv");
    let states = data("games/final_states.csv");
    let mut games = games.lines().skip(1);
    let mut count = 0;
    for line in states.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [
            file,
            number,
            variant,
            start,
            plies,
            _,
            final_fen,
            expected,
            legal,
            occurrences,
            error,
        ] = fields[..]
        else {
            panic!("{line}");
        };
        if !error.is_empty() {
            continue;
        }
        let record: Vec<&str> = games.next().unwrap().split('\t').collect();
        let [id, _, start_fen, moves] = record[..] else {
            panic!("{record:?}")
        };
        assert_eq!(id, format!("{file}#{number}"));
        assert_eq!(start_fen, start);
        let game = play(start_fen, moves);
        assert_eq!(moves.split_whitespace().count().to_string(), plies);
        let mode = CastlingMode::from_chess960(variant == "chess960");
        let fen = game.position().fen(mode);
        let shredder = final_fen.contains(' ') && fen == final_fen;
        let standard = game.position().fen(CastlingMode::Standard) == final_fen;
        assert!(shredder || standard, "{id}: {fen} is not {final_fen}");
        assert_eq!(state(&game), expected, "{id}");
        assert_eq!(
            game.position().legal_moves().len().to_string(),
            legal,
            "{id}"
        );
        assert_eq!(game.occurrences().min(5).to_string(), occurrences, "{id}");
        count += 1;
    }
    assert_eq!(count, 2478);
    assert_eq!(games.next(), None);
}

/// The key is as good as comparing positions, en passant and castling included.
#[test]
fn repetition_by_key_is_repetition_by_position() {
    let games = data("games/moves_uci.tsv");
    for record in games.lines().skip(1).step_by(40) {
        let fields: Vec<&str> = record.split('\t').collect();
        let mut game = Game::new(position(fields[2]));
        let mut seen = vec![game.position().clone()];
        for text in fields[3].split_whitespace() {
            let m = parse_move(game.position(), text).unwrap();
            game.play(m);
            let now = game.position();
            let same = seen
                .iter()
                .filter(|earlier| earlier.chess() == now.chess())
                .count();
            assert_eq!(game.occurrences(), same + 1, "{}", fields[0]);
            let from_scratch = position(&now.fen(CastlingMode::Chess960));
            assert_eq!(now.key(), from_scratch.key(), "{}", fields[0]);
            seen.push(now.clone());
        }
    }
}

#[test]
fn a_malformed_fen_is_refused_with_a_reason_or_read_as_a_playable_position() {
    let mut count = 0;
    for line in data("rules/malformed_fen.jsonl").lines().skip(1) {
        let record: Value = serde_json::from_str(line).unwrap();
        let fen = record["fen"].as_str().unwrap();
        match Position::from_fen(fen) {
            Err(error) => {
                assert!(!error.to_string().is_empty());
                let both_accept = record["python_chess"] == "ok" && record["shakmaty"] == "ok";
                assert!(!both_accept, "{fen:?} refused: {error}");
            }
            Ok(position) => {
                assert!(position.board().occupied().count() <= 32, "{fen:?}");
                for color in Color::ALL {
                    let kings = position.board().by_piece(color.king());
                    assert_eq!(kings.count(), 1, "{fen:?}");
                }
                for m in position.legal_moves() {
                    assert!(
                        Position::from_fen(&position.after(m).fen(CastlingMode::Chess960)).is_ok()
                    );
                }
            }
        }
        count += 1;
    }
    assert_eq!(count, 241);
}

fn is_legal(fen: &str, text: &str) -> bool {
    parse_move(&position(fen), text).is_some()
}

#[test]
fn a_castling_right_once_lost_does_not_come_back() {
    let game = play(
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "h1h2 h8h7 h2h1 h7h8",
    );
    assert!(parse_move(game.position(), "e1g1").is_none());
    assert!(parse_move(game.position(), "e1c1").is_some());
}

#[test]
fn castling_is_not_allowed_out_of_through_or_into_check() {
    assert!(!is_legal("4k3/8/8/8/4r3/8/8/4K2R w K - 0 1", "e1g1"));
    assert!(!is_legal("4k3/8/8/8/5r2/8/8/4K2R w K - 0 1", "e1g1"));
    assert!(!is_legal("4k3/8/8/8/6r1/8/8/4K2R w K - 0 1", "e1g1"));
}

#[test]
fn castling_is_allowed_with_the_rook_attacked_or_crossing_an_attacked_square() {
    assert!(is_legal("4k3/8/8/8/7r/8/8/4K2R w K - 0 1", "e1g1"));
    assert!(is_legal("4k3/8/8/8/1r6/8/8/R3K3 w Q - 0 1", "e1c1"));
}

#[test]
fn castling_needs_every_square_between_to_be_empty() {
    assert!(!is_legal("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1"));
}

#[test]
fn castling_is_allowed_after_an_earlier_check() {
    let game = play("4k3/8/8/8/7q/8/3P1P2/3BK2R b K - 0 1", "h4e4 d1e2 e4h4");
    assert!(parse_move(game.position(), "e1g1").is_some());
}

#[test]
fn en_passant_only_on_the_very_next_move() {
    let game = play("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5");
    assert!(parse_move(game.position(), "e5d6").is_some());
    let game = play("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e1e2 e8e7");
    assert!(parse_move(game.position(), "e5d6").is_none());
}

#[test]
fn en_passant_that_uncovers_a_check_is_illegal() {
    assert!(!is_legal("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "e5d6"));
    assert!(!is_legal("4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"));
    assert!(!is_legal("7k/6b1/8/3pP3/8/2K5/8/8 w - d6 0 1", "e5d6"));
}

#[test]
fn en_passant_can_be_the_only_legal_move() {
    let text = data("rules/positions.csv");
    let only: Vec<&str> = text
        .lines()
        .filter(|line| line.contains(",ep_only_legal_move,"))
        .collect();
    assert_eq!(only.len(), 3);
    for line in only {
        let fen = line.split(',').nth(2).unwrap();
        let moves = position(fen).legal_moves();
        assert!(moves.iter().all(|m| m.is_en_passant()), "{fen}");
    }
}

#[test]
fn promotion_to_every_piece_whatever_has_been_captured_and_it_acts_at_once() {
    for piece in ["q", "r", "b", "n"] {
        assert!(
            is_legal("8/P7/8/8/8/8/8/k1K5 w - - 0 1", &format!("a7a8{piece}")),
            "{piece}"
        );
    }
    assert!(!is_legal("8/P7/8/8/8/8/8/k1K5 w - - 0 1", "a7a8"));
    assert!(!is_legal("8/P7/8/8/8/8/8/k1K5 w - - 0 1", "a7a8k"));
    let game = play("7k/P7/6K1/8/8/8/8/8 w - - 0 1", "a7a8q");
    assert_eq!(
        game.ending(RuleSet::Fide),
        Some(Ending::Checkmate {
            winner: Color::White
        })
    );
}

#[test]
fn in_the_saavedra_position_a_queen_stalemates_and_a_rook_does_not() {
    let line = "c6c7 d5d6 b6b5 d6d5 b5b4 d5d4 b4b3 d4d3 b3c2 d3d4";
    let before = play("8/8/1KP5/3r4/8/8/8/k7 w - - 0 1", line);
    let queen = play(
        "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",
        &format!("{line} c7c8q d4c4 c8c4"),
    );
    assert_eq!(queen.ending(RuleSet::Fide), Some(Ending::Stalemate));
    assert!(parse_move(before.position(), "c7c8r").is_some());
}

#[test]
fn in_double_check_only_the_king_moves() {
    let double = position("4r2k/8/8/8/1b6/8/8/R3K3 w Q - 0 1");
    assert_eq!(double.checkers().count(), 2);
    assert!(
        double
            .legal_moves()
            .iter()
            .all(|m| m.from() == Some(double.king()))
    );
}

#[test]
fn checkmate_takes_precedence_over_fifty_and_seventy_five_moves() {
    for halfmoves in [99, 149] {
        let game = play(
            &format!("k7/8/1K6/8/8/8/8/7R w - - {halfmoves} 200"),
            "h1h8",
        );
        assert_eq!(
            game.ending(RuleSet::Online),
            Some(Ending::Checkmate {
                winner: Color::White
            })
        );
    }
}

#[test]
fn fifty_moves_end_the_game_online_and_are_claimed_over_the_board() {
    let game = play("k7/8/1K6/8/8/8/8/7R w - - 99 200", "h1h2");
    assert_eq!(game.ending(RuleSet::Online), Some(Ending::FiftyMoves));
    assert_eq!(game.ending(RuleSet::Fide), None);
    assert_eq!(game.claims(), [Claim::FiftyMoves]);
}

#[test]
fn seventy_five_moves_end_the_game_under_either_rule_set() {
    let game = play("k7/8/1K6/8/8/8/8/7R w - - 149 200", "h1h2");
    assert_eq!(game.ending(RuleSet::Fide), Some(Ending::SeventyFiveMoves));
    assert_eq!(game.ending(RuleSet::Online), Some(Ending::SeventyFiveMoves));
}

#[test]
fn threefold_is_claimed_over_the_board_and_fivefold_is_automatic() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ";
    let game = play("startpos", &shuffle.repeat(2));
    assert_eq!(
        game.ending(RuleSet::Online),
        Some(Ending::ThreefoldRepetition)
    );
    assert_eq!(game.ending(RuleSet::Fide), None);
    assert_eq!(game.claims(), [Claim::ThreefoldRepetition]);
    let game = play("startpos", &shuffle.repeat(4));
    assert_eq!(game.ending(RuleSet::Fide), Some(Ending::FivefoldRepetition));
}

#[test]
fn insufficient_material_is_dead_and_two_knights_are_not() {
    let dead = |fen: &str| Game::new(position(fen)).is_dead();
    assert!(dead("4k3/8/8/8/8/8/8/4K3 w - - 0 1"));
    assert!(dead("4k3/8/8/8/8/8/8/4KB2 w - - 0 1"));
    assert!(dead("4k3/8/8/8/8/8/8/4KN2 w - - 0 1"));
    assert!(dead("2b1k3/8/8/8/8/8/8/4KB2 w - - 0 1"));
    assert!(!dead("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1"));
    assert!(!dead("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1"));
    assert!(!dead("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1"));
    assert!(!dead("4kn2/8/8/8/8/8/8/4KB2 w - - 0 1"));
}

#[test]
fn a_lone_king_cannot_mate_but_its_opponent_can() {
    let position = position("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1");
    let mates = |side| unwinnable::can_mate(&position, side, 100_000).verdict;
    assert!(matches!(mates(Color::White), Verdict::Winnable(_)));
    assert_eq!(mates(Color::Black), Verdict::Unwinnable(Reason::Material));
}

#[test]
fn a_blocked_position_is_dead() {
    let game = Game::new(position("2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1"));
    assert!(game.is_dead());
    assert_eq!(game.ending(RuleSet::Fide), Some(Ending::DeadPosition));
}
