//! Threats: the squares that the opponent attacks, and with what.

use shakmaty::{Bitboard, Role, attacks};

use super::Position;

/// Squares that the side not to move attacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Threats {
    /// With anything.
    pub all: Bitboard,
    /// With pawns; with pawns or minor pieces; with these or rooks.
    pawns: Bitboard,
    minors: Bitboard,
    rooks: Bitboard,
}

impl Threats {
    /// Squares attacked by a man worth less than a `role`.
    pub fn by_lesser(&self, role: Role) -> Bitboard {
        match role {
            Role::Pawn | Role::King => Bitboard::EMPTY,
            Role::Knight | Role::Bishop => self.pawns,
            Role::Rook => self.minors,
            Role::Queen => self.rooks,
        }
    }
}

impl Position {
    /// What the side not to move attacks.
    pub fn threats(&self) -> Threats {
        let board = self.board();
        let theirs = board.by_color(!self.turn());
        let attacked_by = |men: Bitboard| {
            (men & theirs)
                .into_iter()
                .filter_map(|square| board.piece_at(square).map(|piece| (square, piece)))
                .map(|(square, piece)| attacks::attacks(square, piece, board.occupied()))
                .fold(Bitboard::EMPTY, |all, attacked| all | attacked)
        };
        let pawns = attacked_by(board.pawns());
        let minors = pawns | attacked_by(board.knights() | board.bishops());
        let rooks = minors | attacked_by(board.rooks());
        Threats {
            all: rooks | attacked_by(board.queens() | board.kings()),
            pawns,
            minors,
            rooks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Square;

    #[test]
    fn a_man_is_threatened_by_lesser_ones_only_where_they_attack() {
        let pos: Position = "4k3/8/2n5/8/6p1/1r6/8/3QK3 w - -".parse().unwrap();
        let threats = pos.threats();
        // The pawn attacks f3 and h3, the knight d4, the rook b1.
        for (square, minor, rook, queen) in [
            (Square::F3, true, true, true),
            (Square::D4, false, true, true),
            (Square::B1, false, false, true),
            (Square::F8, false, false, false),
        ] {
            let is_attacked = |role| threats.by_lesser(role).contains(square);
            assert!(threats.all.contains(square), "{square}");
            assert_eq!(is_attacked(Role::Knight), minor, "{square}");
            assert_eq!(is_attacked(Role::Rook), rook, "{square}");
            assert_eq!(is_attacked(Role::Queen), queen, "{square}");
            assert!(!is_attacked(Role::Pawn) && !is_attacked(Role::King));
        }
        assert!(!threats.all.contains(Square::G4));
    }
}
