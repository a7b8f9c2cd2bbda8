//! Pruning: rules that give up a node or a move because searching it would hardly change anything.
//!
//! Node rules return a score that ends the node; they are asked only in null-window nodes that are not
//! in check. Move rules say whether to skip the move; they are asked once a move that does not lose
//! is known.

use super::facts::{Candidate, Facts};
use super::node::NonPv;
use super::picker::{Picked, Picker, Select};
use super::worker::{Stopped, Worker};
use crate::board::{PackedMove, is_noisy};
use crate::params;
use crate::score::Score;
use crate::window::Window;

impl Worker<'_> {
    /// The score of the first node rule that ends the node.
    pub fn prune_node(&mut self, node: &Facts) -> Result<Option<Score>, Stopped> {
        if let Some(score) = self.razoring(node)? {
            return Ok(Some(score));
        }
        if let Some(score) = self.reverse_futility(node) {
            return Ok(Some(score));
        }
        if let Some(score) = self.null_move(node)? {
            return Ok(Some(score));
        }
        self.prob_cut(node)
    }

    /// Razoring. If the eval is far below alpha, only captures can still help, so let quiescence
    /// confirm that they do not.
    /// <https://www.chessprogramming.org/Razoring>
    fn razoring(&mut self, node: &Facts) -> Result<Option<Score>, Stopped> {
        let margin = params::razor_base() + params::razor_margin() * node.depth * node.depth;
        if node.depth > params::razor_depth() || node.eval + margin > node.window.alpha {
            return Ok(None);
        }
        let window = Window::null(node.window.alpha);
        let score = self.quiescence::<NonPv>(node.pos, window, node.ply)?;
        Ok((score <= node.window.alpha && !score.is_decisive()).then_some(score))
    }

    /// Reverse futility. If the eval exceeds beta by more than the opponent will win back in the
    /// remaining depth, then the node fails high.
    /// <https://www.chessprogramming.org/Reverse_Futility_Pruning>
    fn reverse_futility(&self, node: &Facts) -> Option<Score> {
        let beta = node.window.beta;
        let mut margin = params::rfp_margin() * node.depth;
        if node.improving {
            margin -= params::rfp_improving();
        }
        let fails_high = node.depth <= params::rfp_depth()
            && !beta.is_loss()
            && !node.eval.is_decisive()
            && node.eval - margin >= beta;
        // Halfway between, because the eval is less certain than a search.
        fails_high.then(|| beta + (node.eval.raw() - beta.raw()) / 2)
    }

    /// Null move. If even passing leaves the opponent unable to get below beta, then a real move will
    /// too. Not without pieces, where passing may be better than every move (zugzwang); deep results
    /// are verified by a search without the pass.
    /// <https://www.chessprogramming.org/Null_Move_Pruning>
    fn null_move(&mut self, node: &Facts) -> Result<Option<Score>, Stopped> {
        let beta = node.window.beta;
        let passed_before = node.ply > 0 && self.stack[node.ply - 1].played.is_none();
        if node.depth < params::nmp_depth()
            || node.eval < beta
            || beta.is_decisive()
            || passed_before
            || node.ply < self.null_from_ply
            || !node.pos.has_pieces()
        {
            return Ok(None);
        }
        let surplus = (node.eval.raw() - beta.raw()) / params::nmp_eval_div();
        let reduction = params::nmp_base()
            + node.depth / params::nmp_depth_div()
            + surplus.clamp(0, params::nmp_eval_max());
        let depth = node.depth - reduction;
        let Some(child) = self.descend_null(node.pos, node.ply) else {
            return Ok(None);
        };
        let window = Window::null(beta - 1);
        let score =
            -self.alpha_beta::<NonPv>(&child, -window, depth, node.ply + 1, !node.cut_node)?;
        self.ascend();
        if score < beta {
            return Ok(None);
        }
        // A mate found by passing is not proven.
        let score = if score.is_win() { beta } else { score };
        if self.null_from_ply > 0 || node.depth < params::nmp_verify_depth() {
            return Ok(Some(score));
        }
        // Verified without passes for three quarters of the reduced depth.
        self.null_from_ply = node.ply + 3 * depth.max(1) as usize / 4;
        let verified = self.alpha_beta::<NonPv>(node.pos, window, depth, node.ply, false);
        self.null_from_ply = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// ProbCut. If a capture beats beta by a margin at much less depth, then some move will most likely
    /// beat beta at full depth.
    /// <https://www.chessprogramming.org/ProbCut>
    fn prob_cut(&mut self, node: &Facts) -> Result<Option<Score>, Stopped> {
        let Facts { pos, ply, .. } = *node;
        let beta = node.window.beta + params::probcut_margin();
        let depth = node.depth - params::probcut_reduction();
        let is_doubtful = node.hash.is_some_and(|entry| {
            entry.depth >= depth && entry.score_at(ply, pos.halfmoves()) < beta
        });
        if node.depth < params::probcut_depth() || beta.is_decisive() || is_doubtful {
            return Ok(None);
        }
        let window = Window::null(beta - 1);
        let gain = beta.raw() - node.eval.raw();
        let hash_move = node.hash_move.filter(|&m| is_noisy(m));
        let mut picker = Picker::new(Select::GoodNoisy, hash_move, [PackedMove::NONE; 2]);
        while let Some(Picked { m, .. }) = picker.next(pos, self.history, &node.context) {
            if !pos.see_at_least(m, gain) {
                continue;
            }
            let child = self.descend(pos, m, ply);
            let mut score = -self.quiescence::<NonPv>(&child, -window, ply + 1)?;
            if score >= beta && depth > 1 {
                let cut_node = !node.cut_node;
                score = -self.alpha_beta::<NonPv>(&child, -window, depth - 1, ply + 1, cut_node)?;
            }
            self.ascend();
            if score >= beta {
                return Ok(Some(score));
            }
        }
        Ok(None)
    }

    /// Internal iterative reduction. If a node that matters has no hash move, then its order is poor;
    /// a shallower search finds one for the next iteration.
    /// <https://www.chessprogramming.org/Internal_Iterative_Reductions>
    pub fn internal_iterative_reduction(&self, node: &Facts) -> bool {
        node.depth >= params::iir_depth()
            && node.hash_move.is_none()
            && (node.is_pv || node.cut_node)
    }

    /// Late move pruning. If many quiet moves did not help near the horizon, then the rest, which
    /// history thinks worse of, will not either.
    /// <https://www.chessprogramming.org/Futility_Pruning#MoveCountBasedPruning>
    pub fn late_move_pruning(&self, node: &Facts, candidate: &Candidate) -> bool {
        let limit = params::lmp_base() + node.depth * node.depth;
        let limit = if node.improving { limit } else { limit / 2 };
        !candidate.is_noisy
            && !node.in_check
            && node.depth <= params::lmp_depth()
            && candidate.number >= limit as usize
    }

    /// The depth that a move would be searched to at first.
    fn depth_left(&self, node: &Facts, candidate: &Candidate) -> i32 {
        (node.depth - candidate.reduction / 1024).max(1)
    }

    /// Futility. If the eval is so far below alpha that a quiet move near the horizon cannot make up
    /// for it, then the move is skipped unless it gives check.
    /// <https://www.chessprogramming.org/Futility_Pruning>
    pub fn futility_pruning(&self, node: &Facts, candidate: &Candidate) -> bool {
        let margin =
            params::futility_base() + params::futility_margin() * self.depth_left(node, candidate);
        !candidate.is_noisy
            && !node.in_check
            && candidate.number > 0
            && self.depth_left(node, candidate) <= params::futility_depth()
            && !node.window.alpha.is_decisive()
            && node.eval + margin <= node.window.alpha
            && !node.pos.gives_check(candidate.m)
    }

    /// History pruning. If a quiet move was bad wherever it was tried, then it is bad here near the
    /// horizon.
    /// <https://www.chessprogramming.org/History_Leaf_Pruning>
    pub fn history_pruning(&self, node: &Facts, candidate: &Candidate) -> bool {
        !candidate.is_noisy
            && candidate.number > 0
            && self.depth_left(node, candidate) <= params::history_depth()
            && candidate.history < -params::history_margin() * self.depth_left(node, candidate)
    }

    /// SEE pruning. If a move loses more material than the remaining depth is likely to win back, then
    /// it is not worth searching.
    /// <https://www.chessprogramming.org/Static_Exchange_Evaluation>
    pub fn see_pruning(&self, node: &Facts, candidate: &Candidate) -> bool {
        let threshold = if candidate.is_noisy {
            -params::see_noisy() * node.depth * node.depth
        } else {
            -params::see_quiet() * self.depth_left(node, candidate)
        };
        candidate.number > 0
            && node.depth <= params::see_depth()
            && !node.pos.see_at_least(candidate.m, threshold)
            && (candidate.is_noisy || !node.pos.gives_check(candidate.m))
    }
}
