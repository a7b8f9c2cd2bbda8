//! What a move changes on the board.

use arrayvec::ArrayVec;
use shakmaty::{CastlingSide, Color, Move, Piece, Square};

/// A man on a square.
pub type Man = (Square, Piece);

/// Men that leave their squares and men that arrive, one or two of each: what is captured only leaves,
/// and a pawn that is promoted arrives as another man.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Men that leave.
    pub removed: ArrayVec<Man, 2>,
    /// Men that arrive.
    pub added: ArrayVec<Man, 2>,
}

impl Changes {
    /// What the legal move `m` of `us` changes.
    pub fn of(us: Color, m: Move) -> Changes {
        let mut changes = Changes::default();
        match m {
            Move::Normal {
                role,
                from,
                capture,
                to,
                promotion,
            } => {
                changes.removed.push((from, role.of(us)));
                changes.added.push((to, promotion.unwrap_or(role).of(us)));
                if let Some(captured) = capture {
                    changes.removed.push((to, captured.of(!us)));
                }
            }
            Move::EnPassant { from, to } => {
                let captured = Square::from_coords(to.file(), from.rank());
                changes.removed.push((from, us.pawn()));
                changes.added.push((to, us.pawn()));
                changes.removed.push((captured, (!us).pawn()));
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                changes.removed.push((king, us.king()));
                changes.removed.push((rook, us.rook()));
                changes.added.push((side.king_to(us), us.king()));
                changes.added.push((side.rook_to(us), us.rook()));
            }
            Move::Put { .. } => debug_assert!(false, "no drops in chess"),
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Position, parse_move};

    #[test]
    fn the_board_after_a_move_is_the_board_before_with_its_changes() {
        for (fen, text) in [
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4"),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"),
            ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8"),
            ("3r3k/4P3/8/8/8/8/8/K7 w - - 0 1", "e7d8n"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let m = parse_move(&position, text).unwrap();
            let mut board = position.board().clone();
            let changes = Changes::of(position.turn(), m);
            for (square, piece) in changes.removed {
                assert_eq!(board.remove_piece_at(square), Some(piece), "{text}");
            }
            for (square, piece) in changes.added {
                board.set_piece_at(square, piece);
            }
            assert_eq!(&board, position.after(m).board(), "{text}");
        }
    }
}
