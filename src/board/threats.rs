//! Threats: the squares that the opponent attacks, and with what; and those from which its king is.

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
    /// Squares from which a `role` of the side to move would give check.
    pub fn check_squares(&self, role: Role) -> Bitboard {
        let (us, board) = (self.turn(), self.board());
        let king = board.king_of(!us).filter(|_| role != Role::King);
        king.map_or(Bitboard::EMPTY, |king| {
            attacks::attacks(king, role.of(!us), board.occupied())
        })
    }

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

    #[test]
    fn from_a_check_square_a_move_gives_check() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
            "4k3/1PP5/8/8/1N2B3/8/4R3/Q3K3 w - -",
            "8/8/1k6/5q2/8/6p1/3K4/8 b - -",
        ] {
            let pos: Position = fen.parse().unwrap();
            for m in pos.legal_moves() {
                let is_direct = pos.check_squares(m.role()).contains(m.to());
                assert!(
                    !is_direct || pos.gives_check(m) || m.promotion().is_some(),
                    "{m}"
                );
            }
        }
        let pos: Position = "4k3/8/8/8/8/8/8/4K2R w K -".parse().unwrap();
        assert!(pos.check_squares(Role::Rook).contains(Square::H8));
        assert!(pos.check_squares(Role::King).is_empty());
    }
}
