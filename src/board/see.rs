//! Static exchange evaluation: does a move, followed by the best captures on its square, keep a
//! given amount of material?
//!
//! Pins are not looked at, and a piece promoted on the square counts as a pawn thereafter: the
//! answer orders and prunes moves, it does not judge positions.

use shakmaty::{Bitboard, Color, Move, Role, Square, attacks};

use super::Position;

/// What a man is worth in an exchange, in centipawns.
pub const fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 960,
        Role::King => 20_000,
    }
}

impl Position {
    /// Whether the exchange begun by the legal move `m` gains at least `threshold` centipawns.
    ///
    /// The swap algorithm: the sides capture in turn with their least valuable man, and either may
    /// stop when that is better. See <https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm>.
    pub fn see_at_least(&self, m: Move, threshold: i32) -> bool {
        let Some(from) = m.from() else { return true };
        if m.is_castle() {
            return threshold <= 0;
        }
        let to = m.to();
        let promotion_gain = m
            .promotion()
            .map_or(0, |role| value(role) - value(Role::Pawn));
        let mut balance = m.capture().map_or(0, value) + promotion_gain - threshold;
        if balance < 0 {
            return false;
        }
        balance -= value(m.role()) + promotion_gain;
        if balance >= 0 {
            return true;
        }

        let board = self.board();
        let mut occupied = (board.occupied() ^ from).with(to);
        if m.is_en_passant() {
            occupied.discard(Square::from_coords(to.file(), from.rank()));
        }
        let mut side = !self.turn();
        let mut attackers = self.attackers(to, occupied);
        loop {
            attackers &= occupied;
            let Some((square, role)) = self.least_valuable(attackers & board.by_color(side)) else {
                break;
            };
            if role == Role::King && (attackers & board.by_color(!side)).any() {
                // The king may not capture a defended man.
                break;
            }
            occupied.discard(square);
            side = !side;
            balance = -balance - 1 - value(role);
            if balance >= 0 {
                break;
            }
            attackers |= self.sliders_behind(role, to, occupied);
        }
        side != self.turn()
    }

    /// Sliders that attack `to`, among them those that a `role` stood before when it captured there.
    fn sliders_behind(&self, role: Role, to: Square, occupied: Bitboard) -> Bitboard {
        let mut sliders = Bitboard::EMPTY;
        if !matches!(role, Role::Knight | Role::Rook) {
            sliders |= self.diagonal_sliders(to, occupied);
        }
        if matches!(role, Role::Rook | Role::Queen | Role::King) {
            sliders |= self.straight_sliders(to, occupied);
        }
        sliders
    }

    fn attackers(&self, to: Square, occupied: Bitboard) -> Bitboard {
        let board = self.board();
        (attacks::pawn_attacks(Color::White, to) & board.by_piece(Color::Black.pawn()))
            | (attacks::pawn_attacks(Color::Black, to) & board.by_piece(Color::White.pawn()))
            | (attacks::knight_attacks(to) & board.knights())
            | (attacks::king_attacks(to) & board.kings())
            | self.diagonal_sliders(to, occupied)
            | self.straight_sliders(to, occupied)
    }

    fn diagonal_sliders(&self, to: Square, occupied: Bitboard) -> Bitboard {
        attacks::bishop_attacks(to, occupied) & self.board().bishops_and_queens()
    }

    fn straight_sliders(&self, to: Square, occupied: Bitboard) -> Bitboard {
        attacks::rook_attacks(to, occupied) & self.board().rooks_and_queens()
    }

    fn least_valuable(&self, men: Bitboard) -> Option<(Square, Role)> {
        Role::ALL
            .into_iter()
            .find_map(|role| Some(((men & self.board().by_role(role)).first()?, role)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Position as _;

    /// The best material balance of capturing on `to` or not, by plain minimax.
    fn brute_force(
        pos: &Position,
        to: Square,
        occupied: Bitboard,
        side: Color,
        on_square: i32,
    ) -> i32 {
        let attackers = pos.attackers(to, occupied) & occupied;
        let Some((square, role)) = pos.least_valuable(attackers & pos.board().by_color(side))
        else {
            return 0;
        };
        if role == Role::King && (attackers & pos.board().by_color(!side)).any() {
            return 0;
        }
        let reply = brute_force(pos, to, occupied.without(square), !side, value(role));
        (on_square - reply).max(0)
    }

    fn see(pos: &Position, m: Move) -> i32 {
        let from = m.from().unwrap();
        let mut occupied = (pos.board().occupied() ^ from).with(m.to());
        if m.is_en_passant() {
            occupied.discard(Square::from_coords(m.to().file(), from.rank()));
        }
        let promotion = m
            .promotion()
            .map_or(0, |role| value(role) - value(Role::Pawn));
        let standing = value(m.role()) + promotion;
        m.capture().map_or(0, value) + promotion
            - brute_force(pos, m.to(), occupied, !pos.turn(), standing)
    }

    #[test]
    fn the_exchange_agrees_with_plain_minimax() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
            "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nPPp4/BB2P3/q4N2/Pp1P2PP/R3K2R w KQkq d6 0 1",
            "4R3/2r3p1/5bk1/1p1r3p/p2PR1P1/P1BK1P2/1P6/8 b - - 0 1",
        ] {
            let start = Position::from_fen(fen).unwrap();
            for first in start.legal_moves() {
                let pos = start.after(first);
                for m in pos.legal_moves().into_iter().filter(|m| !m.is_castle()) {
                    let exact = see(&pos, m);
                    for offset in [-101, -1, 0, 1, 101] {
                        assert_eq!(
                            pos.see_at_least(m, exact + offset),
                            offset <= 0,
                            "{m:?} worth {exact} in {:?}",
                            pos.chess().board()
                        );
                    }
                }
            }
        }
    }
}
