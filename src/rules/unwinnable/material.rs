//! Whether a side's men can mate at all, wherever everything stood and however the opponent helped.

use shakmaty::{Bitboard, Board, Color};

/// Whether some position that arises by a move of `side` with these men is mate.
///
/// A king alone never mates. A knight needs a man beside the enemy king that is no queen: a queen there
/// takes the knight. Bishops of one colour of square need one of the other colour, or a knight, that
/// stands in the way of the king; queens, rooks and bishops of the same colour reach the bishop or
/// its line. Pawns can become what is needed.
pub fn suffices(board: &Board, side: Color) -> bool {
    let ours = board.by_color(side);
    let theirs = board.by_color(!side);
    if (ours & (board.pawns() | board.rooks_and_queens())).any() {
        return true;
    }
    let knights = ours & board.knights();
    let bishops = ours & board.bishops();
    match (knights.count(), bishops.count()) {
        (0, 0) => false,
        (1, 0) => (theirs & !board.kings() & !board.queens()).any(),
        (0, _) => {
            let on_light = (bishops & Bitboard::LIGHT_SQUARES).any();
            let on_dark = (bishops & Bitboard::DARK_SQUARES).any();
            let other = if on_light {
                Bitboard::DARK_SQUARES
            } else {
                Bitboard::LIGHT_SQUARES
            };
            (on_light && on_dark)
                || (theirs & (board.pawns() | board.knights())).any()
                || (theirs & board.bishops() & other).any()
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    fn white_suffices(fen: &str) -> bool {
        suffices(Position::from_fen(fen).unwrap().board(), Color::White)
    }

    #[test]
    fn a_minor_piece_needs_the_right_enemy_man_in_the_way() {
        for (fen, expected) in [
            ("k7/8/8/8/8/8/8/K7 w - -", false),
            ("kq6/8/8/8/8/8/8/K7 w - -", false),
            ("k7/8/8/8/8/8/8/KN6 w - -", false),
            ("kq6/8/8/8/8/8/8/KN6 w - -", false),
            ("kr6/8/8/8/8/8/8/KN6 w - -", true),
            ("kb6/8/8/8/8/8/8/KN6 w - -", true),
            ("k7/p7/8/8/8/8/8/KN6 w - -", true),
            ("k7/8/8/8/8/8/8/KNN5 w - -", true),
            ("k7/8/8/8/8/8/8/KB6 w - -", false),
            ("kr6/8/8/8/8/8/8/KB6 w - -", false),
            ("kn6/8/8/8/8/8/8/KB6 w - -", true),
            // b1 and b7 are light, b8 is dark.
            ("k7/1b6/8/8/8/8/8/KB6 w - -", false),
            ("kb6/8/8/8/8/8/8/KB6 w - -", true),
            ("k7/8/8/8/8/8/8/KBB5 w - -", true),
            ("k7/8/8/8/8/8/P7/K7 w - -", true),
            ("k7/8/8/8/8/8/8/KR6 w - -", true),
        ] {
            assert_eq!(white_suffices(fen), expected, "{fen}");
        }
    }
}
