//! Reductions and extensions: rules that spend less depth on moves that are unlikely to matter and
//! more on those that everything hangs on.

use std::sync::LazyLock;

use super::alpha_beta::Singular;
use super::facts::{Candidate, Facts};
use super::node::NonPv;
use super::worker::{Stopped, Worker};
use crate::params;
use crate::score::Score;
use crate::tt::Bound;
use crate::window::Window;

/// Natural logarithms in 1/1024.
static LN: LazyLock<[i32; 256]> =
    LazyLock::new(|| std::array::from_fn(|n| ((n.max(1) as f64).ln() * 1024.0) as i32));

impl Worker<'_> {
    /// Late move reduction, in 1/1024 plies. If a move comes late in a good order, then it is unlikely to be
    /// the best and is searched to less depth first. The reduction grows with the logarithms of the
    /// depth and of the number of the move; history, the kind of node, how many moves here and in its sibling
    /// nodes were refuted, and how doubtful the evaluation is correct it.
    /// <https://www.chessprogramming.org/Late_Move_Reductions>
    pub fn late_move_reduction(&self, node: &Facts, candidate: &Candidate) -> i32 {
        let (base, scale) = if candidate.is_noisy {
            (params::lmr_noisy_base(), params::lmr_noisy_scale())
        } else {
            (params::lmr_base(), params::lmr_scale())
        };
        let depth = LN[node.depth.clamp(1, 255) as usize];
        let number = LN[candidate.number.clamp(1, 255)];
        let mut reduction = base + depth * number / 1024 * scale / 1024;
        reduction -= candidate.history * 1024 / params::lmr_history_div();
        if node.was_pv {
            reduction -= params::lmr_pv();
        }
        if node.cut_node {
            reduction += params::lmr_cut_node();
        }
        if !node.improving {
            reduction += params::lmr_not_improving();
        }
        if node.hash_move.is_some_and(|m| m.is_capture()) && !candidate.is_noisy {
            reduction += params::lmr_noisy_hash();
        }
        if candidate.is_killer {
            reduction -= params::lmr_killer();
        }
        if self.stack[node.ply + 1].cutoffs > params::many_cutoffs() {
            reduction += params::lmr_cutoffs();
        }
        reduction -= params::lmr_doubt() * node.doubt;
        reduction
    }

    /// Plies less for the moves after one that raised alpha: they are unlikely to raise it again. Not down
    /// to quiescence, so that each still gets an answer.
    pub fn raised_reduction(&self, node: &Facts) -> i32 {
        let is_shallow = (3..=params::raised_depth()).contains(&node.depth);
        i32::from(is_shallow && !self.full_width && !node.window.alpha.is_decisive())
    }

    /// Hindsight. If the move that led here was reduced although it does not leave its side worse off, then
    /// it deserves a ply more; if it does by far, a ply less will show it.
    pub fn hindsight(&self, node: &Facts) -> i32 {
        let Some(gain) = self.gain(node.ply) else {
            return 0;
        };
        let reduction = self.stack[node.ply - 1].reduction;
        if reduction >= params::hindsight_deeper() && gain >= 0 {
            1
        } else if reduction >= params::hindsight_shallower()
            && node.depth >= 2
            && gain < -params::hindsight_margin()
        {
            -1
        } else {
            0
        }
    }

    /// How much the depth of the second search deviates. If the reduced one beat alpha by far, then a
    /// deeper search is well spent; if only just, then a shallower one settles it.
    pub fn surprise(&self, score: Score, alpha: Score, depth: i32) -> i32 {
        let excess = score.raw() - alpha.raw();
        if excess > params::deeper_base() + params::deeper_margin() * depth {
            1
        } else if excess < params::shallower_margin() {
            -1
        } else {
            0
        }
    }

    /// Singular extension. If all moves but the hash move stay well below its score at half the depth,
    /// then everything hangs on it and it is searched deeper. If instead another move refutes the
    /// position as well, there are enough refutations and the node fails high (multi-cut).
    /// <https://www.chessprogramming.org/Singular_Extensions>
    pub fn singular_extension(
        &mut self,
        node: &Facts,
        m: shakmaty::Move,
    ) -> Result<Singular, Stopped> {
        let Some(entry) = node.hash else {
            return Ok(Singular::Extend(0));
        };
        let hash_score = entry.score_at(node.ply, node.pos.halfmoves());
        if node.depth < params::singular_depth()
            || entry.depth < node.depth - params::singular_hash_depth()
            || entry.bound == Bound::Upper
            || hash_score.is_decisive()
            || node.ply >= 2 * self.iteration as usize
        {
            return Ok(Singular::Extend(0));
        }
        let singular_beta = hash_score - params::singular_margin() * node.depth;
        self.stack[node.ply].excluded = Some(m);
        let score = self.alpha_beta::<NonPv>(
            node.pos,
            Window::null(singular_beta - 1),
            (node.depth - 1) / 2,
            node.ply,
            node.cut_node,
        );
        self.stack[node.ply].excluded = None;
        let score = score?;
        Ok(if score < singular_beta {
            let far_below = !node.is_pv && score < singular_beta - params::double_margin();
            Singular::Extend(if far_below { 2 } else { 1 })
        } else if singular_beta >= node.window.beta && !node.is_pv {
            Singular::MultiCut(singular_beta)
        } else if hash_score >= node.window.beta {
            Singular::Extend(-params::negative_beta())
        } else if node.cut_node {
            Singular::Extend(-params::negative_cut_node())
        } else {
            Singular::Extend(0)
        })
    }
}
