//! Whether there is a mate among the squares that the men can ever reach.
//!
//! A mate needs a man that has just given check, and every square beside the king must be attacked or
//! held by a man of the king's own side. If this cannot be for any square that the king can reach, and
//! any square of the other king, there is no mate.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Chess, Color, Position as _, Role, Square, attacks};

use super::matching;
use super::reach::{Man, Reach, beyond};

/// Whether no series of legal moves leads to a position in which `side` has mated; `false` says nothing.
pub fn excludes_mate(chess: &Chess, side: Color) -> bool {
    let mut reach = Reach::new(chess);
    while reach.grow(chess) {
        // With a new queen nearly everything is possible.
        if reach.promotes(side) {
            return false;
        }
    }
    !has_mate(&reach, side)
}

/// Whether a look at `side` is enough to expect that a mate will not be excluded: it has a rook or a
/// queen that can move, or a pawn with no enemy pawn ahead. A hint that saves time, not an answer.
pub fn is_unlikely(chess: &Chess, side: Color) -> bool {
    let board = chess.board();
    let ours = board.by_color(side);
    let enemy_pawns = board.pawns() & board.by_color(!side);
    let moves = |square: Square| (board.attacks_from(square) & !ours).any();
    let is_passed = |pawn: Square| {
        let ahead = Bitboard::from_file(pawn.file()) & beyond(side, pawn.rank());
        (enemy_pawns & ahead).is_empty()
    };
    (ours & board.rooks_and_queens()).into_iter().any(moves)
        || (ours & board.pawns()).into_iter().any(is_passed)
}

/// Whether `side` may mate on one of the squares that the enemy king can stand on.
fn has_mate(reach: &Reach, side: Color) -> bool {
    let (Some(king), Some(victim)) = (reach.king(side), reach.king(!side)) else {
        return true;
    };
    // A king does not shield the squares behind it.
    let blockers = reach.fixed().without(victim.home);
    let attacked_by = |men: &mut dyn Iterator<Item = &Man>| {
        men.fold(Bitboard::EMPTY, |all, man| all | man.attacked(blockers))
    };
    let attacked = attacked_by(&mut reach.men_of(side));
    // A fixed man that is no slider has not just given check, nor uncovered one.
    let is_slider = |role| matches!(role, Role::Bishop | Role::Rook | Role::Queen);
    let checks = |man: &&Man| !man.is_fixed() || is_slider(man.piece.role);
    let checked = attacked_by(&mut reach.men_of(side).filter(checks));
    let holders: ArrayVec<Bitboard, 32> = reach.men_of(!side).map(Man::squares).collect();
    (victim.reach & checked).into_iter().any(|square| {
        let around = attacks::king_attacks(square);
        let kings = king.reach & !around.with(square);
        kings.into_iter().any(|king| {
            let to_hold = around & !attacked & !attacks::king_attacks(king);
            matching::can_fill(to_hold, &holders)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    fn excludes(fen: &str) -> [bool; 2] {
        let position = Position::from_fen(fen).unwrap();
        Color::ALL.map(|side| excludes_mate(position.chess(), side))
    }

    #[test]
    fn a_wall_that_no_king_can_pass_excludes_every_mate() {
        assert_eq!(
            excludes("4k3/8/8/1p1p1p1p/1P1P1P1P/8/8/4K3 w - -"),
            [true, true]
        );
        // The pawns meet only after some moves.
        assert_eq!(
            excludes("3k4/p2p2p1/8/p2p2p1/P2P2P1/8/P2P2P1/3K4 w - -"),
            [true, true]
        );
        // Bishops on the colour of their own pawns cannot open it.
        assert_eq!(
            excludes("2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - -"),
            [true, true]
        );
    }

    #[test]
    fn a_wall_with_a_hole_excludes_nothing() {
        // The king goes round at a file's end, beside the wall, or takes a pawn.
        assert_eq!(
            excludes("4k3/8/8/1p1p1p2/1P1P1P2/8/8/4K3 w - -"),
            [false, false]
        );
        assert!(!excludes("4k3/8/4K3/1p1p1p1p/1P1P1P1P/8/8/8 w - -")[0]);
        // The bishop takes one.
        assert_eq!(
            excludes("4k3/8/8/1p1p1p1p/1P1P1P1P/4B3/8/4K3 w - -"),
            [true, true]
        );
        assert_eq!(
            excludes("4k3/8/8/1p1p1p1p/1P1P1P1P/8/4B3/4K3 w - -"),
            [false, false]
        );
        // En passant, now and after a double step.
        assert_eq!(
            excludes("4k3/8/4p3/1p1pPp1p/1P1P1P1P/8/8/4K3 w - d6"),
            [false, false]
        );
        assert_eq!(
            excludes("4k3/3p4/4p3/1p2Pp1p/1P1P1P1P/8/8/4K3 w - -"),
            [false, false]
        );
    }

    #[test]
    fn the_start_position_excludes_nothing() {
        let start = Position::startpos();
        for side in Color::ALL {
            assert!(!excludes_mate(start.chess(), side));
            assert!(!is_unlikely(start.chess(), side));
        }
    }
}
