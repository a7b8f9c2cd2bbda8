//! A line that ends in mate by one side, found with the help of the other, or the proof that there is
//! none.
//!
//! A best-first search over all positions that can arise: the one that looks closest to a mate is
//! looked at next, and none is looked at twice. If none is left, all that can arise were seen. After
//! captures and pawn moves the static questions are asked again, and positions from which no mate can
//! come are left out.

use shakmaty::{Chess, Color, Move, Position as _, Square};

use super::states::States;
use super::{Answer, Reason, Verdict, blockade, material};
use crate::board::Position;

/// Looks for a line of play that ends in mate by `side`, among `nodes` positions at most.
pub fn search(position: &Position, side: Color, nodes: u64) -> Answer {
    let mut states = States::new(position.chess());
    let mut open = Open::default();
    open.push(distance(position.chess(), side), 0);
    while let Some(number) = open.pop() {
        let Some(parent) = states.position(number) else {
            continue;
        };
        for m in parent.legal_moves() {
            let mut chess = parent.chess().clone();
            chess.play_unchecked(m);
            let Some(child) = states.insert(&chess, number, m.into()) else {
                continue;
            };
            if chess.turn() != side && chess.is_checkmate() {
                let line = states.line(position, child);
                return answer(Verdict::Winnable(line), &states);
            }
            if !(m.is_zeroing() && is_settled(&chess, side, m)) {
                open.push(distance(&chess, side), child);
            }
        }
        if states.len() as u64 >= nodes {
            return answer(Verdict::Undetermined, &states);
        }
    }
    answer(Verdict::Unwinnable(Reason::Exhausted), &states)
}

fn answer(verdict: Verdict, states: &States) -> Answer {
    Answer {
        verdict,
        nodes: states.len() as u64,
    }
}

/// Whether the capture or pawn move `m` has led to a position from which `side` cannot mate.
fn is_settled(chess: &Chess, side: Color, m: Move) -> bool {
    ((m.is_capture() || m.is_promotion()) && !material::suffices(chess.board(), side))
        || blockade::excludes_mate(chess, side)
}

/// Positions to look at, by their distance from mate; the last found of a distance comes first.
#[derive(Default)]
struct Open {
    levels: Vec<Vec<u32>>,
}

impl Open {
    fn push(&mut self, distance: usize, number: u32) {
        if self.levels.len() <= distance {
            self.levels.resize_with(distance + 1, Vec::new);
        }
        self.levels[distance].push(number);
    }

    fn pop(&mut self) -> Option<u32> {
        self.levels.iter_mut().find_map(Vec::pop)
    }
}

/// A guess how far `side` is from mating: its own material or what its pawns need to become it, the
/// enemy king's way to a corner, and its own king's way to the enemy king.
fn distance(chess: &Chess, side: Color) -> usize {
    let board = chess.board();
    let (Some(king), Some(victim)) = (board.king_of(side), board.king_of(!side)) else {
        return 0;
    };
    let ours = board.by_color(side);
    let means = if (ours & board.rooks_and_queens()).any() {
        0
    } else {
        let pawn = (ours & board.pawns()).into_iter();
        let steps = pawn.map(|square| 7 - side.relative_rank(square.rank()) as usize);
        steps.min().map_or(8, |steps| 4 + 3 * steps)
    };
    let corner = [Square::A1, Square::H1, Square::A8, Square::H8]
        .into_iter()
        .map(|corner| corner.distance(victim))
        .min()
        .unwrap_or(0) as usize;
    let apart = (king.distance(victim) as usize).abs_diff(2);
    means + corner + apart
}
