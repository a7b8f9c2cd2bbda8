//! Static evaluation: what a quiet position is worth, without searching.
//!
//! A small tapered evaluation of classical terms. Its purpose is to play the first games from which a
//! network learns; then the network takes its place. `terms` values the men, this file combines them
//! and knows which advantages cannot be won.

pub mod nnue;
mod taper;
mod terms;

use shakmaty::{Bitboard, Color, Square};

use crate::board::Position;
use crate::score::Score;
use taper::PHASE_MAX;

/// Being to move is worth something.
const TEMPO: i32 = 18;

/// The value of the position for the side to move.
pub fn evaluate(pos: &Position) -> Score {
    let white = terms::evaluate(pos);
    let phase = phase(pos);
    let stronger = if white.end >= 0 {
        Color::White
    } else {
        Color::Black
    };
    let share = winnable(pos, stronger);
    if share == 0 {
        return Score::DRAW;
    }
    let score = white.blend(phase, share);
    let score = if pos.turn().is_white() { score } else { -score };
    Score::eval(score + TEMPO * phase / PHASE_MAX)
}

/// An evaluation on its way to a draw by the fifty-move rule: it shrinks by half until then.
pub fn fade(eval: Score, halfmoves: u32) -> Score {
    let left = 200 - halfmoves.min(100) as i32;
    Score::eval(eval.raw() * left / 200)
}

/// How much of the game is still to come, by the pieces left.
fn phase(pos: &Position) -> i32 {
    let board = pos.board();
    let minors = (board.knights() | board.bishops()).count();
    let phase = minors + 2 * board.rooks().count() + 4 * board.queens().count();
    (phase as i32).min(PHASE_MAX)
}

/// The share of an endgame advantage that the stronger side can turn into a win, in 1/64.
fn winnable(pos: &Position, stronger: Color) -> i32 {
    let board = pos.board();
    let ours = board.by_color(stronger);
    let theirs = board.by_color(!stronger);
    let pawns = board.pawns() & ours;
    let minors = |men: Bitboard| (men & (board.knights() | board.bishops())).count();
    let majors = |men: Bitboard| (men & board.rooks_and_queens()).count();

    if pawns.is_empty() {
        let lone_minors = majors(ours) == 0;
        if lone_minors && minors(ours) <= 1 {
            return 0;
        }
        if lone_minors && minors(ours) == 2 && (board.bishops() & ours).is_empty() {
            return 0;
        }
        let piece_value = |men: Bitboard| {
            let queens = (men & board.queens()).count() as i32;
            3 * minors(men) as i32 + 5 * (majors(men) as i32 - queens) + 9 * queens
        };
        if piece_value(ours) - piece_value(theirs) <= 3 {
            return 8;
        }
    } else if is_wrong_bishop(pos, stronger) {
        return 0;
    }

    let bishops = board.bishops();
    let opposite = (bishops & ours)
        .single_square()
        .zip((bishops & theirs).single_square());
    if opposite.is_some_and(|(a, b)| a.is_light() != b.is_light()) {
        let only_bishops = minors(ours) == 1 && minors(theirs) == 1 && majors(ours | theirs) == 0;
        return if only_bishops { 28 } else { 48 };
    }
    64
}

/// Rook pawns and a bishop that does not guard their promotion square, against a king in the corner.
fn is_wrong_bishop(pos: &Position, stronger: Color) -> bool {
    let board = pos.board();
    let ours = board.by_color(stronger);
    let pawns = board.pawns() & ours;
    let bishops = board.bishops() & ours;
    if (ours & !(board.pawns() | board.kings())) != bishops || bishops.is_empty() {
        return false;
    }
    let Some(file) = pawns.first().map(Square::file) else {
        return false;
    };
    let on_file = pawns.into_iter().all(|pawn| pawn.file() == file);
    let corner = Square::from_coords(file, (!stronger).backrank());
    let is_rook_file = corner.file().flip_horizontal().distance(corner.file()) == 7;
    let guards = bishops
        .into_iter()
        .any(|bishop| bishop.is_light() == corner.is_light());
    let defended = board
        .king_of(!stronger)
        .is_some_and(|king| king.distance(corner) <= 1);
    on_file && is_rook_file && !guards && defended
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(fen: &str) -> i32 {
        evaluate(&Position::from_fen(fen).unwrap()).raw()
    }

    #[test]
    fn the_evaluation_does_not_care_for_colour() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
            "4k3/8/8/8/8/2B5/PP6/4K3 w - - 0 1",
            "6k1/5ppp/8/8/8/1r6/5PPP/2R3K1 b - - 0 1",
        ] {
            let pos = Position::from_fen(fen).unwrap();
            assert_eq!(evaluate(&pos), evaluate(&pos.mirrored()), "{fen}");
        }
    }

    #[test]
    fn any_number_of_queens_is_worth_having() {
        assert!(value("K7/8/3BQ1Q1/3QR1RQ/3B1kN1/3Q3Q/4Q1QN/3Q4 b - - 0 1") < -5000);
    }

    #[test]
    fn a_queen_more_is_a_won_game() {
        assert!(value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") > 700);
    }

    #[test]
    fn material_that_cannot_win_is_worth_nothing() {
        for fen in [
            "4k3/8/8/8/8/8/8/2N1K1N1 w - - 0 1",
            "4k3/8/8/8/8/8/8/4KB2 w - - 0 1",
            "k7/8/8/8/8/P7/3B4/4K3 w - - 0 1",
        ] {
            assert_eq!(value(fen), 0, "{fen}");
        }
        assert!(value("k7/8/8/8/8/P7/4B3/4K3 w - - 0 1") > 300);
    }

    #[test]
    fn an_advantage_fades_with_the_fifty_move_counter() {
        assert_eq!(fade(Score::cp(300), 0), Score::cp(300));
        assert_eq!(fade(Score::cp(-300), 100), Score::cp(-150));
    }
}
