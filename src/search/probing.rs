//! Tablebases in the search: at the root they say which moves keep the result, below it what a
//! position is worth as soon as few enough men are left.

use super::root::RootMove;
use super::worker::Worker;
use crate::board::Position;
use crate::score::Score;
use crate::tablebase::Class;
use crate::tt::Bound;

impl Worker<'_> {
    /// Ranks the root moves by what tables know of them, the best first. Inside a class the search
    /// decides, without looking at tables any more: it knows better what makes progress.
    pub fn rank_root_moves(&mut self) {
        let task = self.shared.task;
        let Some((tables, rules)) = task.tables else {
            return;
        };
        let Some(ranks) = tables.rank(task.game, rules) else {
            return;
        };
        self.count_table_hits(ranks.len() as u64);
        for root in &mut self.root_moves {
            let rank = ranks.iter().find(|(m, _)| *m == root.m);
            root.rank = rank.map(|(_, rank)| *rank);
        }
        self.root_moves.sort_by_key(RootMove::order);
    }

    /// What tables know of a position below the root: its score, and what that says about the true one.
    pub fn probe_tables(&self, pos: &Position, depth: i32, ply: usize) -> Option<(Score, Bound)> {
        let (tables, rules) = self.shared.task.tables?;
        if self.root_moves[0].rank.is_some() {
            return None;
        }
        let class = tables.probe(pos, depth, rules)?;
        self.count_table_hits(1);
        let bound = match class {
            Class::Win => Bound::Lower,
            Class::Loss => Bound::Upper,
            Class::BlessedLoss | Class::Draw | Class::CursedWin => Bound::Exact,
        };
        Some((class.score(ply), bound))
    }

    /// A win that the search has not brought to a mate is won by the tables: by the move that comes to
    /// the next capture or pawn move soonest, since only that is sure to make progress.
    pub fn win_by_tables(&mut self) {
        let Some(rank) = self.root_moves[0].rank else {
            return;
        };
        if rank.class != Class::Win || self.root_moves[0].score.is_win() {
            return;
        }
        let soonest = (0..self.root_moves.len())
            .filter(|&index| {
                let rank = self.root_moves[index].rank;
                rank.is_some_and(|rank| rank.class == Class::Win && rank.dtz.is_some())
            })
            .min_by_key(|&index| self.root_moves[index].rank.and_then(|rank| rank.dtz));
        if let Some(index) = soonest.filter(|&index| index > 0) {
            self.root_moves[..=index].rotate_right(1);
            let best = &mut self.root_moves[0];
            best.pv.truncate(1);
        }
    }
}

impl RootMove {
    /// Moves of a better class come first, then those that the search thinks better of.
    pub fn order(&self) -> impl Ord + use<> {
        std::cmp::Reverse((self.rank.map(|rank| rank.class), self.score))
    }

    /// The score to show: what the tables say, unless the search has found a mate.
    pub fn shown_score(&self) -> Score {
        match self.rank {
            Some(rank) if self.score.mate_plies().is_none() => {
                rank.class.score(rank.dtz.unwrap_or_default() as usize)
            }
            _ => self.score,
        }
    }
}
