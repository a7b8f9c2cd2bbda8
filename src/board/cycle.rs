//! Which single move leads from one position to another, told by their keys alone.
//!
//! Moving a piece back and forth changes a key by the same amount wherever the others stand. All these
//! amounts, about 3,700, are kept in a table; a difference of two keys that is in it is a move that
//! would repeat a position. <https://web.archive.org/web/20201107002606/https://marcelk.net/2013-04-06/paper/upcoming-rep-v2.pdf>

use std::sync::LazyLock;

use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

use super::key;

/// More than twice the number of moves, so that probes are short.
const SIZE: usize = 8192;

/// A difference of keys and the squares between which a piece moves; 0 where there is none.
type Slot = (u64, [Square; 2]);

static MOVES: LazyLock<Box<[Slot]>> = LazyLock::new(|| {
    let mut slots = vec![(0, [Square::A1; 2]); SIZE].into_boxed_slice();
    for piece in Color::ALL.into_iter().flat_map(pieces) {
        for from in Square::ALL {
            let reached = attacks::attacks(from, piece, Bitboard::EMPTY);
            for to in reached.into_iter().filter(|&to| to > from) {
                let change = key::piece(from, piece) ^ key::piece(to, piece) ^ key::white_to_move();
                let mut index = change as usize % SIZE;
                while slots[index].0 != 0 {
                    index = (index + 1) % SIZE;
                }
                slots[index] = (change, [from, to]);
            }
        }
    }
    slots
});

fn pieces(color: Color) -> impl Iterator<Item = Piece> {
    Role::ALL
        .into_iter()
        .filter(|&role| role != Role::Pawn)
        .map(move |role| role.of(color))
}

/// The squares between which a piece would have to move to change a key by this much.
pub fn squares(change: u64) -> Option<[Square; 2]> {
    let mut index = change as usize % SIZE;
    loop {
        match MOVES[index] {
            (0, _) => return None,
            (key, squares) if key == change => return Some(squares),
            _ => index = (index + 1) % SIZE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    #[test]
    fn every_reversible_move_is_known_by_the_keys_around_it() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1";
        let pos = Position::from_fen(fen).unwrap();
        let mut reversible = 0;
        for m in pos.legal_moves() {
            let change = pos.key() ^ pos.after(m).key();
            let expected = (!m.is_zeroing()).then(|| {
                let (from, to) = (m.from().unwrap(), m.to());
                [from.min(to), from.max(to)]
            });
            assert_eq!(squares(change), expected, "{m:?}");
            reversible += usize::from(expected.is_some());
        }
        assert!(reversible > 20);
    }
}
