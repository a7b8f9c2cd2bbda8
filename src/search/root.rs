//! The moves at the root, and what each came to.

use shakmaty::Move;

use super::facts::{Candidate, Facts};
use super::worker::Worker;
use crate::score::Score;
use crate::tablebase::Rank;
use crate::window::Window;

/// A move at the root.
#[derive(Clone, Debug)]
pub struct RootMove {
    pub m: Move,
    /// From the last search in which it was the best; else minus infinity.
    pub score: Score,
    pub seldepth: usize,
    /// The line that begins with it.
    pub pv: Vec<Move>,
    /// Positions searched below it.
    pub nodes: u64,
    /// What tablebases know of it.
    pub rank: Option<Rank>,
}

impl Worker<'_> {
    /// The root moves that are searched now: those not settled yet of the best class of them.
    pub fn root_class(&self) -> std::ops::Range<usize> {
        let class = |index: usize| self.root_moves[index].rank.map(|rank| rank.class);
        let first = self.first_root_move;
        let same = (first..self.root_moves.len()).take_while(|&index| class(index) == class(first));
        first..first + same.count()
    }

    /// Notes what became of a root move. Only a move that was best has a score and a line; the others
    /// are merely known to be no better.
    pub fn update_root_move(
        &mut self,
        node: &Facts,
        candidate: &Candidate,
        score: Score,
        nodes: u64,
    ) {
        let Window { alpha, beta } = node.window;
        let seldepth = self.seldepth;
        let Some(root) = self
            .root_moves
            .iter_mut()
            .find(|root| root.m == candidate.m)
        else {
            return;
        };
        root.nodes += nodes;
        if candidate.number > 0 && score <= alpha {
            root.score = -Score::INFINITE;
            return;
        }
        root.score = score;
        root.seldepth = seldepth;
        root.pv.clear();
        root.pv.push(root.m);
        root.pv.extend_from_slice(self.pv.line(1));
        if score > alpha && score < beta {
            self.improved = Some(root.clone());
        }
    }
}
