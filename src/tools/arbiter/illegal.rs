//! Why a move is not legal, in the words of an arbiter.

use saavedra::board::Position;
use shakmaty::{
    Bitboard, CastlingSide, Color, File, Move, Position as _, Rank, Role, Square, attacks,
};

use super::notation::{Meaning, Pattern};
use super::words::{color_name, man_on, men_on, role_name};

/// Why no legal move of `position` is what `meaning` says.
pub fn why(position: &Position, meaning: Meaning) -> String {
    match meaning {
        Meaning::Null => "a turn cannot be passed".to_string(),
        Meaning::Castle(side) => castling(position, side),
        Meaning::Piece(pattern) => piece(position, &pattern),
    }
}

fn castling(position: &Position, side: CastlingSide) -> String {
    let (us, board, king) = (position.turn(), position.board(), position.king());
    let flank = match side {
        CastlingSide::KingSide => "king's side",
        CastlingSide::QueenSide => "queen's side",
    };
    let Some(rook) = position.chess().castles().rook(us, side) else {
        let home = king.rank() == us.backrank();
        let rooks = board.rooks() & board.by_color(us) & Bitboard::from_rank(us.backrank());
        let beside = |rook: Square| (rook > king) == (side == CastlingSide::KingSide);
        return if !home {
            format!("the king on {king} has left its rank, so it cannot castle")
        } else if !rooks.into_iter().any(beside) {
            format!("no rook is there to castle with on the {flank}")
        } else {
            format!("king or rook has moved before, so castling on the {flank} is lost")
        };
    };
    if position.in_check() {
        return format!(
            "the king cannot castle out of check from {}",
            men_on(position, position.checkers())
        );
    }
    let (king_to, rook_to) = (side.king_to(us), side.rook_to(us));
    let path = attacks::between(king, king_to).with(king_to)
        | attacks::between(rook, rook_to).with(rook_to)
        | attacks::between(king, rook);
    let between = (path & board.occupied()).without(king).without(rook);
    if let Some(square) = between.first() {
        return format!("{} is in the way of castling", man_on(position, square));
    }
    // The rook does not shield the king from what stands behind it once both have moved.
    let occupied = board.occupied().without(king);
    for square in attacks::between(king, king_to) {
        let attackers = board.attacks_to(square, !us, occupied);
        if attackers.any() {
            return format!(
                "the king passes {square}, attacked by {}",
                men_on(position, attackers)
            );
        }
    }
    let attackers = board.attacks_to(king_to, !us, occupied.without(rook).with(rook_to));
    format!(
        "the king would stand on {king_to}, attacked by {}",
        men_on(position, attackers)
    )
}

fn piece(position: &Position, pattern: &Pattern) -> String {
    let (us, board) = (position.turn(), position.board());
    let own = board.by_color(us);
    let Some(role) = pattern.role.or_else(|| board.role_at(pattern.from()?)) else {
        return pattern
            .from()
            .map_or(String::new(), |from| format!("{from} is empty"));
    };
    let men = board.by_role(role) & own;
    let told: Bitboard = men
        .into_iter()
        .filter(|&square| pattern.fits_from(role, square))
        .collect();
    if told.is_empty() {
        return absent(position, pattern, role, men);
    }
    if position.checkers().more_than_one() && role != Role::King {
        let checkers = men_on(position, position.checkers());
        return format!("in double check from {checkers} only the king can move");
    }
    let Some(to) = pattern.to() else {
        return format!("no pawn can capture on the {}-file", pattern.to_file.char());
    };
    if own.contains(to) {
        return format!(
            "{to} is taken by its own {}",
            role_name(board.role_at(to).unwrap_or(role))
        );
    }
    let reaching: Vec<Square> = told
        .into_iter()
        .filter(|&from| reaches(position, role, from, to))
        .collect();
    if role == Role::Pawn
        && pattern.file.is_none()
        && let Some(from) = reaching.iter().find(|from| from.file() != to.file())
    {
        let file = from.file().char();
        return format!("a pawn's capture names its file: {file}x{to}");
    }
    match reaching[..] {
        [] if role == Role::Pawn => pawn(position, told, to),
        [] => unreachable_square(position, role, told, to),
        _ if role == Role::Pawn && wrong_promotion(pattern, to, us) => match pattern.promotion {
            Some(_) if to.rank() != us.fold_wb(Rank::Eighth, Rank::First) => {
                format!("a pawn on {to} is not promoted")
            }
            _ => format!(
                "no pawn becomes a {}",
                pattern.promotion.map_or("pawn", role_name)
            ),
        },
        [from] => exposes(position, role, from, to),
        _ => {
            let reasons: Vec<String> = reaching
                .iter()
                .map(|&from| exposes(position, role, from, to))
                .collect();
            reasons.join("; ")
        }
    }
}

/// A promotion to what no pawn becomes, or short of the last rank.
fn wrong_promotion(pattern: &Pattern, to: Square, us: Color) -> bool {
    let is_last = to.rank() == us.fold_wb(Rank::Eighth, Rank::First);
    match pattern.promotion {
        Some(role) => !is_last || matches!(role, Role::King | Role::Pawn),
        None => false,
    }
}

/// None of the men that are meant is there.
fn absent(position: &Position, pattern: &Pattern, role: Role, men: Bitboard) -> String {
    let (side, name) = (color_name(position.turn()), role_name(role));
    if let Some(from) = pattern.from() {
        return match position.board().color_at(from) {
            Some(color) if color != position.turn() => {
                format!("{} is not {side}'s", man_on(position, from))
            }
            _ => format!("there is no {name} on {from}"),
        };
    }
    if men.is_empty() {
        return format!("{side} has no {name}");
    }
    match (pattern.file, pattern.rank) {
        (Some(file), _) => format!("{side} has no {name} on the {}-file", file.char()),
        (_, Some(rank)) => format!("{side} has no {name} on rank {}", rank.char()),
        _ => format!("{side} has no {name}"),
    }
}

/// Whether the man on `from` could go to `to` if its king were no matter.
fn reaches(position: &Position, role: Role, from: Square, to: Square) -> bool {
    let (us, board) = (position.turn(), position.board());
    let occupied = board.occupied();
    if role != Role::Pawn {
        return attacks::attacks(from, role.of(us), occupied).contains(to);
    }
    if from.file() != to.file() {
        let is_en_passant = position.chess().maybe_ep_square() == Some(to);
        return attacks::pawn_attacks(us, from).contains(to)
            && (occupied.contains(to) || is_en_passant);
    }
    let step = us.fold_wb(8, -8);
    let double = from.rank() == us.fold_wb(Rank::Second, Rank::Seventh);
    let Some(one) = from.offset(step) else {
        return false;
    };
    !occupied.contains(one)
        && (one == to || double && one.offset(step) == Some(to) && !occupied.contains(to))
}

/// No pawn of `pawns` can go to `to`.
fn pawn(position: &Position, pawns: Bitboard, to: Square) -> String {
    let (us, board) = (position.turn(), position.board());
    for from in pawns {
        if attacks::pawn_attacks(us, from).contains(to) {
            let behind = Square::from_coords(to.file(), from.rank());
            return match board.piece_at(behind) {
                Some(piece)
                    if piece == (!us).pawn()
                        && to.rank() == us.fold_wb(Rank::Sixth, Rank::Third) =>
                {
                    format!(
                        "{} can be captured en passant only at once after its double step",
                        man_on(position, behind)
                    )
                }
                _ => format!("there is nothing to capture on {to}"),
            };
        }
    }
    let ahead =
        |from: &Square| from.file() == to.file() && (us.is_white() == (from.rank() < to.rank()));
    let distance = |from: &Square| from.distance(to);
    match pawns.into_iter().filter(ahead).min_by_key(distance) {
        Some(from) if from.distance(to) <= 2 => {
            let path = (attacks::between(from, to).with(to)) & board.occupied();
            match path.first() {
                Some(square) => format!(
                    "{} is blocked by {}",
                    man_on(position, from),
                    man_on(position, square)
                ),
                None => format!(
                    "the pawn on {from} has left its first rank and goes one square at a time"
                ),
            }
        }
        _ => format!("no pawn can reach {to}"),
    }
}

/// No man of `men` can go to `to`.
fn unreachable_square(position: &Position, role: Role, men: Bitboard, to: Square) -> String {
    let board = position.board();
    if let Some(from) = men.single_square() {
        let empty_board = attacks::attacks(from, role.of(position.turn()), Bitboard::EMPTY);
        let between = attacks::between(from, to) & board.occupied();
        if empty_board.contains(to)
            && let Some(square) = between
                .into_iter()
                .min_by_key(|&square| from.distance(square))
        {
            return format!(
                "{} is blocked by {}",
                man_on(position, from),
                man_on(position, square)
            );
        }
    }
    format!("no {} can reach {to}", role_name(role))
}

/// How the move of the man on `from` to `to` leaves its king attacked.
fn exposes(position: &Position, role: Role, from: Square, to: Square) -> String {
    let (us, board) = (position.turn(), position.board());
    let attackers = attackers_after(position, role, from, to);
    let by = men_on(position, attackers);
    if role == Role::King {
        return format!("the king would stand on {to}, attacked by {by}");
    }
    let king = position.king();
    let old = position.checkers();
    if (attackers & old).any() {
        return format!(
            "{} to {to} leaves the king on {king} in check from {by}",
            man_on(position, from)
        );
    }
    if board.occupied().contains(to) || from.file() == to.file() || role != Role::Pawn {
        return format!(
            "{} is pinned to the king on {king} by {by}",
            man_on(position, from)
        );
    }
    // En passant takes two men off a line at once.
    let file: File = to.file();
    format!(
        "capturing the {}-pawn en passant uncovers a check of {}'s king on {king} from {by}",
        file.char(),
        color_name(us),
    )
}

/// Who attacks the king of the side to move once the man on `from` stands on `to`.
fn attackers_after(position: &Position, role: Role, from: Square, to: Square) -> Bitboard {
    let (us, board) = (position.turn(), position.board());
    let mut occupied = board.occupied().without(from).with(to);
    let mut gone = Bitboard::from_square(to);
    if role == Role::Pawn && from.file() != to.file() && !board.occupied().contains(to) {
        let captured = Square::from_coords(to.file(), from.rank());
        occupied.discard(captured);
        gone.add(captured);
    }
    let king = if role == Role::King {
        to
    } else {
        position.king()
    };
    board.attacks_to(king, !us, occupied) & !gone
}

/// `m` would be legal for the other side: somebody's move is missing.
pub fn is_move_of_opponent(position: &Position, fits: impl Fn(Move) -> bool) -> bool {
    position
        .after_null()
        .is_some_and(|passed| passed.legal_moves().into_iter().any(fits))
}

#[cfg(test)]
mod tests {
    use super::super::language::Language;
    use super::super::notation;
    use super::*;

    #[track_caller]
    fn assert_why(fen: &str, text: &str, expected: &str) {
        let position = Position::from_fen(fen).unwrap();
        let reading = notation::read(text, &position.legal_moves(), Language::English);
        assert!(reading.moves.is_empty(), "{text} is legal");
        assert_eq!(
            why(&position, reading.meaning.unwrap()),
            expected,
            "{fen} {text}"
        );
    }

    #[test]
    fn castling_is_refused_with_the_reason() {
        for (fen, text, why) in [
            (
                "4k3/8/8/8/2b5/8/8/4K2R w K - 0 1",
                "O-O",
                "the king passes f1, attacked by the bishop on c4",
            ),
            (
                "4k3/8/8/8/3b4/8/8/4K2R w K - 0 1",
                "O-O",
                "the king would stand on g1, attacked by the bishop on d4",
            ),
            (
                "4k3/8/8/8/4r3/8/8/4K2R w K - 0 1",
                "O-O",
                "the king cannot castle out of check from the rook on e4",
            ),
            (
                "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1",
                "O-O-O",
                "the knight on b1 is in the way of castling",
            ),
            (
                "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
                "O-O",
                "king or rook has moved before, so castling on the king's side is lost",
            ),
            (
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
                "O-O-O",
                "no rook is there to castle with on the queen's side",
            ),
            (
                "4k3/8/8/8/8/8/4K3/7R w - - 0 1",
                "O-O",
                "the king on e2 has left its rank, so it cannot castle",
            ),
            (
                "7k/8/8/8/8/8/8/qR1K4 w B - 0 1",
                "O-O-O",
                "the king would stand on c1, attacked by the queen on a1",
            ),
        ] {
            assert_why(fen, text, why);
        }
    }

    #[test]
    fn a_man_that_is_not_there_or_cannot_go_there_is_named() {
        for (fen, text, why) in [
            (
                "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
                "Nf3",
                "White has no knight",
            ),
            (
                "4k3/8/8/8/8/8/8/4K1NR w - - 0 1",
                "Nbf3",
                "White has no knight on the b-file",
            ),
            (
                "4k3/8/8/8/8/8/8/4K1NR w - - 0 1",
                "N2f3",
                "White has no knight on rank 2",
            ),
            (
                "4k3/8/8/8/8/8/8/4K1NR w - - 0 1",
                "e8e7",
                "the king on e8 is not White's",
            ),
            ("4k3/8/8/8/8/8/8/4K1NR w - - 0 1", "a2a3", "a2 is empty"),
            (
                "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
                "d5",
                "a pawn's capture names its file: exd5",
            ),
            (
                "4k3/8/8/8/8/8/8/4K1NR w - - 0 1",
                "Na2-a3",
                "there is no knight on a2",
            ),
            (
                "4k3/8/8/8/8/8/8/4K1NR w - - 0 1",
                "Ne1",
                "e1 is taken by its own king",
            ),
            (
                "4k3/8/8/8/8/8/8/4K1NR w - - 0 1",
                "Rd1",
                "the rook on h1 is blocked by the knight on g1",
            ),
            (
                "4k3/8/8/8/8/8/8/R3K2R w - - 0 1",
                "Rd3",
                "no rook can reach d3",
            ),
            (
                "4k3/8/8/8/8/8/8/4K1NR w - - 0 1",
                "Ng4",
                "no knight can reach g4",
            ),
        ] {
            assert_why(fen, text, why);
        }
    }

    #[test]
    fn pins_and_checks_are_named_with_who_gives_them() {
        for (fen, text, why) in [
            (
                "4r1k1/8/8/8/8/4N3/8/4K3 w - - 0 1",
                "Nc4",
                "the knight on e3 is pinned to the king on e1 by the rook on e8",
            ),
            (
                "4r1k1/8/8/8/8/8/8/N3K3 w - - 0 1",
                "Nb3",
                "the knight on a1 to b3 leaves the king on e1 in check from the rook on e8",
            ),
            (
                "4k3/8/8/8/8/4q3/8/6K1 w - - 0 1",
                "Kf2",
                "the king would stand on f2, attacked by the queen on e3",
            ),
            (
                "8/8/8/4k3/8/4K3/8/8 w - - 0 1",
                "Ke4",
                "the king would stand on e4, attacked by the king on e5",
            ),
            (
                "4r2k/8/8/8/8/5n2/8/R3K3 w - - 0 1",
                "Ra2",
                "in double check from the knight on f3 and the rook on e8 only the king can move",
            ),
            (
                "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
                "exd6",
                "capturing the d-pawn en passant uncovers a check of White's king on a5 from the rook on h5",
            ),
        ] {
            assert_why(fen, text, why);
        }
    }

    #[test]
    fn what_a_pawn_cannot_do_is_told() {
        for (fen, text, why) in [
            (
                "4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1",
                "e4",
                "the pawn on e2 is blocked by the knight on e3",
            ),
            (
                "4k3/8/8/8/4n3/8/4P3/4K3 w - - 0 1",
                "e4",
                "the pawn on e2 is blocked by the knight on e4",
            ),
            (
                "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1",
                "e5",
                "the pawn on e3 has left its first rank and goes one square at a time",
            ),
            (
                "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1",
                "e7",
                "no pawn can reach e7",
            ),
            (
                "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1",
                "exd4",
                "there is nothing to capture on d4",
            ),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
                "exd6",
                "the pawn on d5 can be captured en passant only at once after its double step",
            ),
            (
                "7k/4P3/8/8/8/8/8/4K3 w - - 0 1",
                "e8=K",
                "no pawn becomes a king",
            ),
            (
                "7k/8/4P3/8/8/8/8/4K3 w - - 0 1",
                "e7=Q",
                "a pawn on e7 is not promoted",
            ),
            (
                "7k/8/4P3/8/8/8/8/4K3 w - - 0 1",
                "ed",
                "no pawn can capture on the d-file",
            ),
        ] {
            assert_why(fen, text, why);
        }
    }

    #[test]
    fn a_move_of_the_other_side_is_recognised() {
        let position = Position::startpos();
        assert!(is_move_of_opponent(&position, |m| m.to() == Square::E5));
        assert!(!is_move_of_opponent(&position, |m| m.to() == Square::E4));
    }
}
