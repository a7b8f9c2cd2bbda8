//! Whether there is a mate if only the kings, the pawns and the shut-in pieces are followed exactly.
//!
//! These are the *skeleton*; the other pieces *roam*. Where a roaming piece stands is not kept: it is
//! taken to be wherever it is wanted among the squares it can ever reach, so that many bishops behind
//! a wall of pawns cost nothing. Its side can always pass, by moving it; it can be captured again and
//! again; it attacks and blocks what it likes. Every legal game is also a game of the skeleton, so if all
//! positions of the skeleton were seen and none can be mate, the side cannot mate.
//!
//! What is forbidden even so: leaving the own king in a check that nobody can stand in, passing with
//! nothing that roams, and mating by a move that cannot have given check.

use std::collections::HashSet;

use shakmaty::{
    Bitboard, Board, ByColor, Chess, Color, Position as _, Rank, Role, Square, attacks,
};

use super::matching;
use super::reach::{Reach, step};
use crate::board::attacked_from;

/// What the search of the skeleton has to say.
pub struct Outcome {
    /// Whether `side` certainly cannot mate; `false` says nothing.
    pub excludes_mate: bool,
    /// Positions of the skeleton that were seen.
    pub states: u64,
}

/// Looks at all positions of the skeleton, `limit` at most, for one that may be mate by `side`.
pub fn search(chess: &Chess, side: Color, limit: u64) -> Outcome {
    let mut seen = HashSet::new();
    let excludes_mate = Skeleton::new(chess, side)
        .is_some_and(|skeleton| skeleton.is_never_mate(chess, limit, &mut seen));
    Outcome {
        excludes_mate,
        states: seen.len() as u64,
    }
}

/// The skeleton and the side to move.
type State = (Board, Color);

/// A piece that roams.
struct Roamer {
    role: Role,
    reach: Bitboard,
}

struct Skeleton {
    side: Color,
    /// The men that are followed, at the start.
    start: Board,
    roamers: ByColor<Vec<Roamer>>,
    /// All squares of a side's roamers.
    roamed: ByColor<Bitboard>,
}

/// How a position of the skeleton arose.
#[derive(Clone, Copy)]
enum Last {
    /// By the move of a man of the skeleton from a square to another.
    Skeleton(Square, Square),
    /// By something else that may have uncovered any line.
    Other,
}

impl Skeleton {
    /// `None` if nothing roams, or rights are left that are not followed.
    fn new(chess: &Chess, side: Color) -> Option<Skeleton> {
        if chess.castles().any() || chess.legal_ep_square().is_some() {
            return None;
        }
        let mut start = chess.board().clone();
        let mut roamers = ByColor::new_with(|_| Vec::new());
        let reach = Reach::complete(chess);
        let shut_in = shut_in(chess.board());
        for man in reach.men() {
            if man.is_settled() || shut_in.contains(man.home) {
                continue;
            }
            start.discard_piece_at(man.home);
            roamers[man.piece.color].push(Roamer {
                role: man.piece.role,
                reach: man.reach,
            });
        }
        let roamed = ByColor::new_with(|color| {
            let reaches = roamers[color].iter().map(|roamer: &Roamer| roamer.reach);
            reaches.fold(Bitboard::EMPTY, |all, reach| all | reach)
        });
        (roamed.white | roamed.black).any().then_some(Skeleton {
            side,
            start,
            roamers,
            roamed,
        })
    }

    fn is_never_mate(&self, chess: &Chess, limit: u64, seen: &mut HashSet<State>) -> bool {
        let start = (self.start.clone(), chess.turn());
        seen.insert(start.clone());
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            let turn = !state.1;
            let mut may_be_mate = false;
            let all_followed = self.successors(&state, |board, last| {
                may_be_mate |= turn != self.side && self.may_be_mate(&board, last);
                let next = (board, turn);
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            });
            if may_be_mate || !all_followed || seen.len() as u64 > limit {
                return false;
            }
        }
        true
    }

    /// Calls `sink` with what may stand after a move; `false` if a pawn may promote, which is not
    /// followed.
    fn successors(&self, (board, us): &State, mut sink: impl FnMut(Board, Last)) -> bool {
        let us = *us;
        let ours = board.by_color(us);
        let takeable = board.by_color(!us) & !board.kings();
        let occupied = board.occupied();
        let mut emit = |board: Board, last: Last| {
            if !self.is_surely_in_check(&board, us) {
                sink(board, last);
            }
        };
        let moved = |from: Square, to: Square| {
            let mut after = board.clone();
            if let Some(piece) = after.remove_piece_at(from) {
                after.set_piece_at(to, piece);
            }
            after
        };
        for from in ours {
            let Some(piece) = board.piece_at(from) else {
                continue;
            };
            let attacked = attacks::attacks(from, piece, occupied);
            if piece.role != Role::Pawn {
                for to in attacked & !ours & !board.kings() {
                    emit(moved(from, to), Last::Skeleton(from, to));
                }
                continue;
            }
            let captures = attacked & (takeable | (self.roamed[!us] & !occupied));
            for to in captures | pushes(from, us, occupied) {
                if Bitboard::BACKRANKS.contains(to) {
                    return false;
                }
                emit(moved(from, to), Last::Skeleton(from, to));
            }
            for to in attacked & !occupied {
                if let Some(passed) = self.passed(board, us, to) {
                    let mut after = moved(from, to);
                    after.discard_piece_at(passed);
                    emit(after, Last::Other);
                }
            }
        }
        if self.roamed[us].any() {
            emit(board.clone(), Last::Other);
            for square in takeable & self.roamed[us] {
                let mut after = board.clone();
                after.discard_piece_at(square);
                emit(after, Last::Other);
            }
        }
        true
    }

    /// The pawn that a pawn of `us` may capture en passant by a move to `to`: one that has left its
    /// first square since the start.
    fn passed(&self, board: &Board, us: Color, to: Square) -> Option<Square> {
        let pawn = to.offset(-step(us))?;
        let home = to.offset(step(us))?;
        let has_come = board.piece_at(pawn) == Some((!us).pawn())
            && to.rank() == us.relative_rank(Rank::Sixth)
            && self.start.piece_at(home) == Some((!us).pawn())
            && board.piece_at(home).is_none();
        has_come.then_some(pawn)
    }

    /// Whether the king of `color` is attacked by a man of the skeleton and nothing can be between.
    fn is_surely_in_check(&self, board: &Board, color: Color) -> bool {
        let Some(king) = board.king_of(color) else {
            return true;
        };
        let roamed = self.roamed.white | self.roamed.black;
        let mut checkers = board.attacks_to(king, !color, board.occupied()).into_iter();
        checkers.any(|checker| (attacks::between(checker, king) & roamed).is_empty())
    }

    /// Whether the side that is to move, not `side`, may be mated, for all that is known.
    fn may_be_mate(&self, board: &Board, last: Last) -> bool {
        let Some(king) = board.king_of(!self.side) else {
            return true;
        };
        // The king does not shield the squares behind it.
        let blockers = board.occupied().without(king);
        let roaming = self.roamers[self.side]
            .iter()
            .fold(Bitboard::EMPTY, |all, roamer| {
                all | roamer.attacked(!board.occupied(), self.side, blockers)
            });
        let is_attacked = |square: Square| {
            roaming.contains(square) || board.attacks_to(square, self.side, blockers).any()
        };
        if !is_attacked(king) || !self.may_have_given_check(board, king, last) {
            return false;
        }
        let held = board.by_color(!self.side);
        let escapes = (attacks::king_attacks(king) & !held).into_iter();
        let to_block: Bitboard = escapes.filter(|&square| !is_attacked(square)).collect();
        let theirs: Vec<Bitboard> = self.roamers[!self.side]
            .iter()
            .map(|roamer| roamer.reach)
            .collect();
        matching::can_fill(to_block, &theirs)
    }

    /// Whether the last move may have attacked the king, which was in no check before.
    fn may_have_given_check(&self, board: &Board, king: Square, last: Last) -> bool {
        let Last::Skeleton(from, to) = last else {
            return true;
        };
        let occupied = board.occupied();
        let attacks_directly =
            |square: Square| board.attacks_to(king, self.side, occupied).contains(square);
        let uncovers = |square: Square| attacks::between(square, king).contains(from);
        let by_skeleton = board
            .attacks_to(king, self.side, occupied)
            .into_iter()
            .any(uncovers);
        let by_roamer = self.roamers[self.side].iter().any(|roamer| {
            let squares = (roamer.reach & !occupied).into_iter();
            squares.filter(|&square| uncovers(square)).any(|square| {
                attacks::attacks(square, roamer.role.of(self.side), occupied).contains(king)
            })
        });
        attacks_directly(to) || by_skeleton || by_roamer
    }
}

impl Roamer {
    /// Squares it may attack from one of `free`, past anything but `blockers`.
    fn attacked(&self, free: Bitboard, color: Color, blockers: Bitboard) -> Bitboard {
        attacked_from(self.reach & free, |square| {
            attacks::attacks(square, self.role.of(color), blockers)
        })
    }
}

/// Pieces that cannot move as long as their own pawns, and other pieces like them, stay.
fn shut_in(board: &Board) -> Bitboard {
    let pieces = board.occupied() & !board.pawns() & !board.kings();
    let mut shut_in = pieces;
    loop {
        let stays = |square: &Square| {
            let own = board
                .color_at(*square)
                .map_or(Bitboard::EMPTY, |color| board.by_color(color));
            let walls = own & (board.pawns() | shut_in);
            (board.attacks_from(*square) & !walls).is_empty()
        };
        let staying: Bitboard = shut_in.into_iter().filter(stays).collect();
        if staying == shut_in {
            return shut_in;
        }
        shut_in = staying;
    }
}

/// Where the pawn of `color` on `from` may be pushed.
fn pushes(from: Square, color: Color, occupied: Bitboard) -> Bitboard {
    let step = step(color);
    let second = Bitboard::from_rank(color.relative_rank(Rank::Second));
    let single = Bitboard::from(from).shift(step) & !occupied;
    let from_second = (Bitboard::from(from) & second).shift(step) & single;
    single | (from_second.shift(step) & !occupied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    fn excludes(fen: &str, side: Color) -> bool {
        let position = Position::from_fen(fen).unwrap();
        search(position.chess(), side, 10_000).excludes_mate
    }

    #[test]
    fn bishops_that_cannot_help_cost_nothing() {
        // White's king steps between two squares; when its last pawn falls, it is stalemate.
        let fen = "8/b1b5/k6p/2b2p1P/1b3p2/5PpK/6P1/8 w - -";
        assert!(excludes(fen, Color::White) && excludes(fen, Color::Black));
        // Black's king has to leave the square from which it does not guard c7.
        let fen = "3k1b2/2p1pBp1/KpP1P1P1/1P3B2/4B1B1/5B2/8/8 w - -";
        assert!(excludes(fen, Color::White) && excludes(fen, Color::Black));
    }

    #[test]
    fn mates_are_not_excluded() {
        for (fen, side) in [
            (
                "1b3kBR/4pP1P/1p1pP2P/1P1P4/8/K5p1/6P1/1B6 b - -",
                Color::White,
            ),
            ("k7/1b6/2b5/3b4/4b3/1pB2b2/pP4b1/K6b w - -", Color::White),
            ("k7/1b6/b1b5/1b6/p1p5/PpPp4/1P1P4/1NBK4 w - -", Color::Black),
        ] {
            assert!(!excludes(fen, side), "{fen}");
        }
    }
}
