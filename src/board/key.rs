//! Keys: 64-bit Zobrist fingerprints of a position, from scratch and by parts.
//!
//! The random numbers are shakmaty's, so that a key with `EnPassantMode::PseudoLegal` is the Polyglot
//! key. Ours counts an en passant file only when the capture is legal, because that is when two
//! positions differ under the repetition rule.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Castles, CastlingSide, Color, File, Piece, Square};

/// The part of `piece` on `square`.
pub fn piece(square: Square, piece: Piece) -> u64 {
    Zobrist64::zobrist_for_piece(square, piece).0
}

/// The part of White to move.
pub fn white_to_move() -> u64 {
    Zobrist64::zobrist_for_white_turn().0
}

/// The part of an en passant capture on `file`, if there is one.
pub fn en_passant(file: Option<File>) -> u64 {
    file.map_or(0, |file| Zobrist64::zobrist_for_en_passant_file(file).0)
}

/// The part of the castling rights.
pub fn castling(castles: &Castles) -> u64 {
    let mut key = 0;
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if castles.has(color, side) {
                key ^= Zobrist64::zobrist_for_castling_right(color, side).0;
            }
        }
    }
    key
}
