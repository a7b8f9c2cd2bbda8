//! Legal moves, noisy and quiet apart.
//!
//! *Noisy* moves are captures and promotions to a queen; *quiet* moves are all others, castling and
//! underpromotion by a push among them. Together they are exactly the legal moves. Pins are respected
//! while generating, so nothing is filtered afterwards. shakmaty's own generator serves as the oracle
//! in the tests; it has no way to give captures alone without generating everything.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, CastlingSide, Move, Position as _, Rank, Role, Square, attacks};

use super::Position;

/// Room for the moves of every position with at most 32 men, reachable or not: each square is
/// entered by at most eight sliding pieces and by the few knights that are left.
pub type MoveList = ArrayVec<Move, 512>;

/// Whether `m` is a capture or a promotion to a queen.
pub fn is_noisy(m: Move) -> bool {
    m.is_capture() || m.promotion() == Some(Role::Queen)
}

/// Calls `sink` with every legal noisy move.
pub fn noisy(pos: &Position, mut sink: impl FnMut(Move)) {
    Generator::new(pos).noisy(&mut sink);
}

/// Calls `sink` with every legal quiet move.
pub fn quiets(pos: &Position, mut sink: impl FnMut(Move)) {
    Generator::new(pos).quiets(&mut sink);
}

/// The legal move between two squares, if there is one. A castling move goes to the square of its rook.
pub fn find(pos: &Position, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
    let generator = Generator {
        men: from.into(),
        goal: to.into(),
        ..Generator::new(pos)
    };
    let mut found = None;
    let mut sink = |m: Move| {
        if m.from() == Some(from) && m.to() == to && m.promotion() == promotion {
            found = Some(m);
        }
    };
    generator.noisy(&mut sink);
    generator.quiets(&mut sink);
    found
}

/// What is known before the first move is made.
struct Generator<'p> {
    pos: &'p Position,
    /// Men whose moves are wanted, and squares to which; castling and en passant may miss them.
    men: Bitboard,
    goal: Bitboard,
    occupied: Bitboard,
    king: Square,
    /// Where a piece other than the king may go: anywhere, or onto the check's line.
    target: Bitboard,
    pinned: Bitboard,
}

impl<'p> Generator<'p> {
    fn new(pos: &'p Position) -> Generator<'p> {
        let king = pos.king();
        let target = match pos.checkers().single_square() {
            Some(checker) => attacks::between(king, checker).with(checker),
            None if pos.in_check() => Bitboard::EMPTY,
            None => Bitboard::FULL,
        };
        let occupied = pos.board().occupied();
        Generator {
            pos,
            men: Bitboard::FULL,
            goal: Bitboard::FULL,
            occupied,
            king,
            target,
            pinned: pinned(pos, king),
        }
    }

    fn noisy(&self, sink: &mut impl FnMut(Move)) {
        self.pieces(self.pos.chess().them(), sink);
        self.pawn_captures(sink);
        self.queen_pushes(sink);
        if self.pos.has_en_passant() {
            let captures = self.pos.chess().en_passant_moves();
            captures.into_iter().for_each(sink);
        }
    }

    fn quiets(&self, sink: &mut impl FnMut(Move)) {
        self.pieces(!self.occupied, sink);
        self.quiet_pushes(sink);
        if !self.pos.in_check() && self.men.contains(self.king) {
            let chess = self.pos.chess();
            for side in CastlingSide::ALL {
                if chess.castles().has(chess.turn(), side) {
                    chess.castling_moves(side).into_iter().for_each(&mut *sink);
                }
            }
        }
    }

    /// Our men of `role` whose moves are wanted.
    fn movers(&self, role: Role) -> Bitboard {
        self.pos.our(role) & self.men
    }

    /// Squares that the piece on `from` may move to without uncovering its king.
    fn free(&self, from: Square) -> Bitboard {
        if self.pinned.contains(from) {
            self.target & attacks::ray(self.king, from)
        } else {
            self.target
        }
    }

    /// Moves of everything but pawns to squares of `to`.
    fn pieces(&self, to: Bitboard, sink: &mut impl FnMut(Move)) {
        let to = to & self.goal;
        if self.target.any() {
            for from in self.movers(Role::Knight) & !self.pinned {
                let targets = attacks::knight_attacks(from) & to & self.target;
                self.emit(Role::Knight, from, targets, sink);
            }
            for from in self.movers(Role::Bishop) {
                let reach = attacks::bishop_attacks(from, self.occupied);
                self.emit(Role::Bishop, from, reach & to & self.free(from), sink);
            }
            for from in self.movers(Role::Rook) {
                let reach = attacks::rook_attacks(from, self.occupied);
                self.emit(Role::Rook, from, reach & to & self.free(from), sink);
            }
            for from in self.movers(Role::Queen) {
                let reach = attacks::queen_attacks(from, self.occupied);
                self.emit(Role::Queen, from, reach & to & self.free(from), sink);
            }
        }
        let (them, board) = (!self.pos.turn(), self.pos.board());
        let without_king = self.occupied.without(self.king);
        for from in self.movers(Role::King) {
            for square in attacks::king_attacks(from) & to {
                let attackers = board.attacks_to(square, them, without_king);
                if attackers.is_empty() {
                    self.emit(Role::King, from, square.into(), sink);
                }
            }
        }
    }

    fn emit(&self, role: Role, from: Square, targets: Bitboard, sink: &mut impl FnMut(Move)) {
        for to in targets {
            let capture = if self.occupied.contains(to) {
                self.pos.board().role_at(to)
            } else {
                None
            };
            sink(Move::Normal {
                role,
                from,
                capture,
                to,
                promotion: None,
            });
        }
    }

    fn pawn_captures(&self, sink: &mut impl FnMut(Move)) {
        let chess = self.pos.chess();
        let us = chess.turn();
        let victims = chess.them() & self.goal;
        for from in self.movers(Role::Pawn) {
            for to in attacks::pawn_attacks(us, from) & victims & self.free(from) {
                let capture = self.pos.board().role_at(to);
                if Bitboard::BACKRANKS.contains(to) {
                    for role in [Role::Queen, Role::Knight, Role::Rook, Role::Bishop] {
                        sink(pawn_move(from, capture, to, Some(role)));
                    }
                } else {
                    sink(pawn_move(from, capture, to, None));
                }
            }
        }
    }

    fn queen_pushes(&self, sink: &mut impl FnMut(Move)) {
        let us = self.pos.turn();
        let seventh = Bitboard::from_rank(us.relative_rank(Rank::Seventh));
        let step = us.fold_wb(8, -8);
        for from in self.movers(Role::Pawn) & seventh {
            for to in Bitboard::from_square(from).shift(step) & !self.occupied & self.free(from) {
                sink(pawn_move(from, None, to, Some(Role::Queen)));
            }
        }
    }

    fn quiet_pushes(&self, sink: &mut impl FnMut(Move)) {
        let us = self.pos.turn();
        let step = us.fold_wb(8, -8);
        let third = Bitboard::from_rank(us.relative_rank(Rank::Third));
        let single = self.movers(Role::Pawn).shift(step) & !self.occupied;
        let double = (single & third).shift(step) & !self.occupied & self.target;
        for to in single & self.target {
            if let Some(from) = to.offset(-step).filter(|&from| self.may_push(from, to)) {
                if Bitboard::BACKRANKS.contains(to) {
                    for role in [Role::Knight, Role::Rook, Role::Bishop] {
                        sink(pawn_move(from, None, to, Some(role)));
                    }
                } else {
                    sink(pawn_move(from, None, to, None));
                }
            }
        }
        for to in double {
            if let Some(from) = to.offset(-2 * step).filter(|&from| self.may_push(from, to)) {
                sink(pawn_move(from, None, to, None));
            }
        }
    }

    fn may_push(&self, from: Square, to: Square) -> bool {
        !self.pinned.contains(from) || attacks::ray(self.king, from).contains(to)
    }
}

fn pawn_move(from: Square, capture: Option<Role>, to: Square, promotion: Option<Role>) -> Move {
    Move::Normal {
        role: Role::Pawn,
        from,
        capture,
        to,
        promotion,
    }
}

/// Men of the side to move that stand alone between their king and an enemy slider.
fn pinned(pos: &Position, king: Square) -> Bitboard {
    let board = pos.board();
    let them = pos.chess().them();
    let snipers = (attacks::rook_attacks(king, them) & them & board.rooks_and_queens())
        | (attacks::bishop_attacks(king, them) & them & board.bishops_and_queens());
    let mut pinned = Bitboard::EMPTY;
    for sniper in snipers {
        let between = attacks::between(king, sniper) & board.occupied();
        if between.single_square().is_some() {
            pinned |= between;
        }
    }
    pinned
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Walks the move tree and compares with shakmaty's generator at every node.
    fn agree(pos: &Position, depth: u32) {
        let mut ours = HashSet::new();
        noisy(pos, |m| {
            assert!(is_noisy(m), "{m:?} is not noisy");
            assert!(ours.insert(m), "{m:?} twice");
        });
        quiets(pos, |m| {
            assert!(!is_noisy(m), "{m:?} is noisy");
            assert!(ours.insert(m), "{m:?} twice");
        });
        let theirs: HashSet<Move> = pos.chess().legal_moves().into_iter().collect();
        assert_eq!(ours, theirs, "{:?}", pos.chess());
        if depth > 0 {
            for m in ours {
                agree(&pos.after(m), depth - 1);
            }
        }
    }

    #[test]
    fn noisy_and_quiet_moves_together_are_the_legal_moves() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
            "2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1",
            "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1",
        ] {
            agree(&Position::from_fen(fen).unwrap(), 2);
        }
    }
}
