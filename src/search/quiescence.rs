//! Quiescence: beyond the horizon only noisy moves are searched, until nothing hangs any more and the
//! static evaluation can be trusted. In check every evasion is searched.

use super::facts::refine;
use super::history::Context;
use super::node::Node;
use super::picker::{Picked, Picker, Select};
use super::worker::{Stopped, Worker};
use crate::board::{PackedMove, Position, is_noisy, see};
use crate::params;
use crate::score::{MAX_PLY, Score};
use crate::tt::{Bound, Entry};
use crate::window::Window;

impl Worker<'_> {
    /// The score of `pos` for the side to move, when only noisy moves count.
    pub fn quiescence<N: Node>(
        &mut self,
        pos: &Position,
        window: Window,
        ply: usize,
    ) -> Result<Score, Stopped> {
        self.visit(ply)?;
        if N::PV {
            self.pv.clear(ply);
        }
        if self.is_draw(pos, ply) {
            return Ok(Score::DRAW);
        }
        if ply >= MAX_PLY {
            return Ok(self.horizon_eval(pos, ply));
        }

        let table = self.shared.task.table;
        let hash = table.probe(pos.key());
        if let Some(entry) = hash
            && !N::PV
            && let Some(score) = self.hash_cutoff(pos, &entry, window, ply)
        {
            return Ok(score);
        }

        // Standing pat: the side to move need not capture anything, except out of check.
        let Window { mut alpha, beta } = window;
        let in_check = pos.in_check();
        let raw_eval = self.raw_eval(pos, hash, ply);
        let mut best_score = Score::mated_in(ply);
        let mut futile_below = None;
        if let Some(raw) = raw_eval {
            let eval = self.corrected(raw, pos, ply);
            best_score = refine(eval, hash, ply, pos.halfmoves());
            if best_score >= beta {
                return Ok(best_score);
            }
            alpha = alpha.max(best_score);
            futile_below = Some(eval + params::delta_margin());
        }

        let select = if in_check {
            Select::All
        } else {
            Select::GoodNoisy
        };
        let hash_move = hash
            .and_then(|entry| entry.packed.legal_in(pos))
            .filter(|&m| in_check || is_noisy(m));
        let mut picker = Picker::new(select, hash_move, [PackedMove::NONE; 2]);
        let context = Context {
            line: self.line(ply),
            ..Context::default()
        };
        let mut best_move = None;
        while let Some(Picked { m, .. }) = picker.next(pos, self.history, &context) {
            // Delta pruning: even what is captured does not lift the eval to alpha.
            if let Some(base) = futile_below
                && m.promotion().is_none()
            {
                let hoped = base + m.capture().map_or(0, see::value);
                if hoped <= alpha {
                    best_score = best_score.max(hoped);
                    continue;
                }
            }
            let child = self.descend(pos, m, ply);
            let score = -self.quiescence::<N::Child>(&child, -Window { alpha, beta }, ply + 1)?;
            self.ascend();
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.pv.update(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
            // One evasion that does not lose is enough: quiet ones would widen the tree without end.
            if in_check && !best_score.is_loss() {
                picker.skip_quiets();
            }
        }

        let bound = if best_score >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        let entry = Entry {
            packed: best_move.map_or(PackedMove::NONE, PackedMove::from),
            score: best_score.to_hash(ply),
            eval: raw_eval,
            depth: 0,
            bound,
            was_pv: N::PV,
        };
        table.store(pos.key(), entry);
        Ok(best_score)
    }
}
