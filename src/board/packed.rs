//! Moves in 16 bits, for the hash, killers and principal variations.
//!
//! ```text
//! bit 15      12 11       6 5        0
//!     0 promotion    to       from        castling: king takes rook
//! ```
//!
//! A packed move is only a claim: it becomes a move again through [`PackedMove::legal_in`], which
//! proves it against a position, so that a torn hash entry or a key collision can never be played.

use shakmaty::Move;
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use super::{Position, movegen};

/// A move, or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PackedMove(u16);

impl PackedMove {
    /// No move: the code of a1a1.
    pub const NONE: PackedMove = PackedMove(0);

    /// A move from its 16 bits.
    pub const fn from_bits(bits: u16) -> PackedMove {
        PackedMove(bits)
    }

    /// The 16 bits.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move, if it is legal in `pos`.
    pub fn legal_in(self, pos: &Position) -> Option<Move> {
        if self == PackedMove::NONE {
            return None;
        }
        match PackedUciMove::from_bytes(self.0.to_le_bytes()).unpack() {
            UciMove::Normal {
                from,
                to,
                promotion,
            } => movegen::find(pos, from, to, promotion),
            UciMove::Put { .. } | UciMove::Null => None,
        }
    }
}

impl From<Move> for PackedMove {
    fn from(m: Move) -> PackedMove {
        PackedMove(u16::from_le_bytes(
            PackedUciMove::pack(UciMove::from_chess960(m)).to_bytes(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_a_legal_move_or_none() {
        for fen in [
            "r3k2r/Pppp1ppp/1b3nbN/nPPp4/BB2P3/q4N2/Pp1P2PP/R3K2R w KQkq d6 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1",
        ] {
            let pos = Position::from_fen(fen).unwrap();
            let legal = pos.legal_moves();
            for bits in 0..=u16::MAX {
                if let Some(m) = PackedMove::from_bits(bits).legal_in(&pos) {
                    assert!(legal.contains(&m), "{bits:#x} became {m:?}");
                }
            }
            for m in legal {
                assert_eq!(PackedMove::from(m).legal_in(&pos), Some(m));
            }
        }
    }
}
