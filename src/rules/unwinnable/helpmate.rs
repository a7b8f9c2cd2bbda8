//! A line that ends in mate by one side, found with the help of the other, or the proof that there is
//! none.
//!
//! A best-first search over all positions that can arise: the one that looks closest to a mate is
//! looked at next, and none is looked at twice. If none is left, all that can arise were seen. After
//! captures and pawn moves the static questions are asked again, and positions from which no mate can
//! come are left out.

use shakmaty::{Chess, Color, Move, Position as _};

use super::plans::{self, Plans};
use super::states::States;
use super::{Reason, Verdict, blockade, material};
use crate::board::Position;

/// A search that can be continued.
pub struct Search<'p> {
    root: &'p Position,
    side: Color,
    plans: Plans,
    states: States,
    open: Open,
}

impl<'p> Search<'p> {
    /// A search for a mate by `side`.
    pub fn new(root: &'p Position, side: Color) -> Search<'p> {
        let plans = Plans::new(root.chess(), side);
        let mut open = Open::default();
        open.push(0, plans.guesses(root.chess()));
        Search {
            root,
            side,
            plans,
            states: States::new(root.chess()),
            open,
        }
    }

    /// Positions seen so far.
    pub fn nodes(&self) -> u64 {
        self.states.len() as u64
    }

    /// Goes on until the answer is known or `nodes` positions were seen in all.
    pub fn run(&mut self, nodes: u64) -> Verdict {
        while self.nodes() < nodes {
            let Some(number) = self.open.pop() else {
                return Verdict::Unwinnable(Reason::Exhausted);
            };
            let Some(parent) = self.states.position(number) else {
                return Verdict::Undetermined;
            };
            for m in parent.legal_moves() {
                let mut chess = parent.chess().clone();
                chess.play_unchecked(m);
                let Some(child) = self.states.insert(&chess, number) else {
                    continue;
                };
                if chess.turn() != self.side && chess.is_checkmate() {
                    return Verdict::Winnable(self.states.line(self.root, child));
                }
                if !(m.is_zeroing() && self.is_settled(&chess, m)) {
                    self.open.push(child, self.plans.guesses(&chess));
                }
            }
        }
        Verdict::Undetermined
    }

    /// Whether the capture or pawn move `m` has led to a position from which no mate can come.
    fn is_settled(&self, chess: &Chess, m: Move) -> bool {
        ((m.is_capture() || m.is_promotion()) && !material::suffices(chess.board(), self.side))
            || (!blockade::is_unlikely(chess, self.side)
                && blockade::excludes_mate(chess, self.side))
    }
}

/// Positions to look at, ordered by each plan; the plans take turns in choosing the next. Of those
/// that look alike the last comes first, so that a plan is followed before another way is tried.
#[derive(Default)]
struct Open {
    /// For each plan, by its guess.
    queues: [Vec<Vec<u32>>; plans::COUNT],
    turn: usize,
    is_done: Vec<bool>,
}

impl Open {
    fn push(&mut self, number: u32, guesses: [usize; plans::COUNT]) {
        for (queue, guess) in self.queues.iter_mut().zip(guesses) {
            if queue.len() <= guess {
                queue.resize_with(guess + 1, Vec::new);
            }
            queue[guess].push(number);
        }
        self.is_done.resize(number as usize + 1, false);
    }

    fn pop(&mut self) -> Option<u32> {
        loop {
            self.turn = (self.turn + 1) % plans::COUNT;
            let queue = &mut self.queues[self.turn];
            let number = queue.iter_mut().find_map(Vec::pop)?;
            if !std::mem::replace(&mut self.is_done[number as usize], true) {
                return Some(number);
            }
        }
    }
}
