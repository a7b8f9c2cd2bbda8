//! Threats: the squares that the opponent attacks, and with what; and those from which its king is.

use shakmaty::{Bitboard, ByRole, Role, Square, attacks};

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
    /// Squares from which a man of the side to move would give check, by its role.
    pub fn check_squares(&self) -> ByRole<Bitboard> {
        let (them, board) = (!self.turn(), self.board());
        let Some(king) = board.king_of(them) else {
            return ByRole::default();
        };
        let bishop = attacks::bishop_attacks(king, board.occupied());
        let rook = attacks::rook_attacks(king, board.occupied());
        ByRole {
            pawn: attacks::pawn_attacks(them, king),
            knight: attacks::knight_attacks(king),
            bishop,
            rook,
            queen: bishop | rook,
            king: Bitboard::EMPTY,
        }
    }

    /// What the side not to move attacks.
    pub fn threats(&self) -> Threats {
        let (them, board) = (!self.turn(), self.board());
        let (theirs, occupied) = (board.by_color(them), board.occupied());
        let pawns = attacked_from(board.pawns() & theirs, |from| {
            attacks::pawn_attacks(them, from)
        });
        let knights = attacked_from(board.knights() & theirs, attacks::knight_attacks);
        let diagonal = |men: Bitboard| {
            attacked_from(men & theirs, |from| attacks::bishop_attacks(from, occupied))
        };
        let straight = |men: Bitboard| {
            attacked_from(men & theirs, |from| attacks::rook_attacks(from, occupied))
        };
        let minors = pawns | knights | diagonal(board.bishops());
        let rooks = minors | straight(board.rooks());
        let queens = diagonal(board.queens()) | straight(board.queens());
        let king = attacked_from(board.kings() & theirs, attacks::king_attacks);
        Threats {
            all: rooks | queens | king,
            pawns,
            minors,
            rooks,
        }
    }
}

/// All squares attacked from `squares`, each of which attacks what `attacks` says.
pub fn attacked_from(squares: Bitboard, attacks: impl Fn(Square) -> Bitboard) -> Bitboard {
    squares
        .into_iter()
        .map(attacks)
        .fold(Bitboard::EMPTY, |all, attacked| all | attacked)
}

#[cfg(test)]
mod tests {
    use super::*;

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
                let is_direct = pos.check_squares()[m.role()].contains(m.to());
                assert!(
                    !is_direct || pos.gives_check(m) || m.promotion().is_some(),
                    "{m}"
                );
            }
        }
        let pos: Position = "4k3/8/8/8/8/8/8/4K2R w K -".parse().unwrap();
        assert!(pos.check_squares().rook.contains(Square::H8));
        assert!(pos.check_squares().king.is_empty());
    }
}
