//! The input of the network: which of its 768 features are on in a position.
//!
//! Each side looks at the board with its own eyes: its men first, its first rank at the bottom, and in
//! a mirrored network its king on the left half. A feature is "a man of this kind and side stands on
//! this square".

use shakmaty::{Board, Color, Piece, Square};

/// Kinds of men of both sides times squares.
pub const FEATURES: usize = 768;
/// Men on a board, at most.
pub const MEN: usize = 32;

const SQUARES: usize = 64;

/// A side's way to look at the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    side: Color,
    /// Turns squares over: ranks for Black, files if mirrored.
    flip: u8,
}

const FLIP_RANKS: u8 = 56;
const FLIP_FILES: u8 = 7;

impl View {
    /// How `side` looks at a board on which its king stands on `king`.
    pub fn new(side: Color, king: Square, mirrored: bool) -> View {
        let ranks = if side.is_black() { FLIP_RANKS } else { 0 };
        let on_right = (king as u8 & FLIP_FILES) >= 4;
        let files = if mirrored && on_right { FLIP_FILES } else { 0 };
        View {
            side,
            flip: ranks ^ files,
        }
    }

    /// How `side` looks at `board`.
    pub fn of(board: &Board, side: Color, mirrored: bool) -> View {
        View::new(side, board.king_of(side).unwrap_or(Square::A1), mirrored)
    }

    /// Whether left and right are exchanged.
    pub fn is_flipped(self) -> bool {
        self.flip & FLIP_FILES != 0
    }

    /// The feature of a man on a square.
    pub fn feature(self, square: Square, piece: Piece) -> usize {
        let theirs = usize::from(piece.color != self.side);
        let kind = piece.role as usize - 1;
        let square = usize::from(square as u8 ^ self.flip);
        (6 * theirs + kind) * SQUARES + square
    }
}

/// The output bucket of a board with so many men, when the network has `buckets` of them.
pub fn bucket(men: usize, buckets: usize) -> usize {
    (men.saturating_sub(1) * buckets / MEN).min(buckets - 1)
}

/// For each neuron the largest weights that men can add up, without their signs and in rising order: no two
/// men stand on one square.
pub fn largest_weights(
    hidden: usize,
    weight: impl Fn(usize, usize) -> f32,
) -> impl Iterator<Item = [f32; MEN]> {
    let mut by_square = vec![0.0f32; SQUARES * hidden];
    for feature in 0..FEATURES {
        let row = &mut by_square[feature % SQUARES * hidden..][..hidden];
        for (neuron, largest) in row.iter_mut().enumerate() {
            *largest = largest.max(weight(feature, neuron).abs());
        }
    }
    (0..hidden).map(move |neuron| {
        let mut column: [f32; SQUARES] =
            std::array::from_fn(|square| by_square[square * hidden + neuron]);
        column.sort_unstable_by(f32::total_cmp);
        std::array::from_fn(|index| column[SQUARES - MEN + index])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    #[test]
    fn both_sides_see_the_same_in_a_position_and_its_mirror_image() {
        let features = |pos: &Position, side: Color| {
            let view = View::of(pos.board(), side, true);
            let mut features: Vec<usize> = (pos.board().clone().into_iter())
                .map(|(square, piece)| view.feature(square, piece))
                .collect();
            features.sort_unstable();
            features
        };
        let fen = "r3k2r/Pppp1ppp/1b3nbN/nPPp4/BB2P3/q4N2/Pp1P2PP/R3K2R w KQkq d6 0 1";
        let pos = Position::from_fen(fen).unwrap();
        let turned = pos.mirrored();
        for side in Color::ALL {
            assert_eq!(features(&pos, side), features(&turned, !side));
            assert!(
                features(&pos, side)
                    .iter()
                    .all(|&feature| feature < FEATURES)
            );
        }
    }

    #[test]
    fn a_mirrored_network_never_sees_its_king_on_the_right() {
        for square in Square::ALL {
            let king = Color::White.king();
            let feature = View::new(Color::White, square, true).feature(square, king);
            assert!(feature % 8 < 4, "{square}");
        }
    }

    #[test]
    fn buckets_are_in_order_of_the_men() {
        assert_eq!(bucket(32, 8), 7);
        assert_eq!(bucket(2, 8), 0);
        assert!((2..=32).all(|men| bucket(men, 1) == 0));
        assert!((2..32).all(|men| bucket(men, 8) <= bucket(men + 1, 8)));
    }
}
