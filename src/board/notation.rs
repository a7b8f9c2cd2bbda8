//! Moves as UCI writes them.
//!
//! Castling is written with the king's target square in orthodox chess (`e1g1`) and as king takes rook
//! in Chess960 (`e1h1`). Both are read, whatever is written.

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, CastlingSide, File, Move, Position as _};

use super::Position;

/// `m` as text. Castling from a set-up of Chess960 is always written as king takes rook, because there
/// the other way may look like a king move.
pub fn uci_text(m: Move, mode: CastlingMode) -> String {
    let is_orthodox = match m {
        Move::Castle { king, rook } => {
            king.file() == File::E && (rook.file() == File::A || rook.file() == File::H)
        }
        _ => true,
    };
    let mode = if is_orthodox {
        mode
    } else {
        CastlingMode::Chess960
    };
    UciMove::from_move(m, mode).to_string()
}

/// The legal move that `text` means in `pos`, if any. Letters of either case are read.
pub fn parse_move(pos: &Position, text: &str) -> Option<Move> {
    let uci = UciMove::from_ascii(text.to_ascii_lowercase().as_bytes()).ok()?;
    uci.to_move(pos.chess()).ok().or_else(|| {
        CastlingSide::ALL
            .into_iter()
            .flat_map(|side| pos.chess().castling_moves(side))
            .find(|&castle| !pos.in_check() && UciMove::from_standard(castle) == uci)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_is_read_in_both_notations_and_written_as_asked() {
        let pos = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        for text in ["e1g1", "e1h1", "E1G1"] {
            let m = parse_move(&pos, text).unwrap();
            assert!(m.is_castle(), "{text}");
            assert_eq!(uci_text(m, CastlingMode::Standard), "e1g1");
            assert_eq!(uci_text(m, CastlingMode::Chess960), "e1h1");
        }
        assert_eq!(parse_move(&pos, "e1g2"), None);
        assert_eq!(parse_move(&pos, "0000"), None);
    }

    #[test]
    fn castling_from_a_chess960_set_up_is_never_mistaken_for_a_king_move() {
        let pos = Position::from_fen("1k6/8/8/8/8/8/8/RK6 w Q - 0 1").unwrap();
        let castle = parse_move(&pos, "b1a1").unwrap();
        assert_eq!(uci_text(castle, CastlingMode::Standard), "b1a1");
        assert!(!parse_move(&pos, "b1c1").unwrap().is_castle());
    }
}
