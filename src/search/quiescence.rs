//! Quiescence: beyond the horizon only noisy moves are searched, until nothing hangs any more and the
//! static evaluation can be trusted. In check every evasion is searched.
//!
//! Quiet checks in the first ply cost strength: −20.9 ± 24.1 (20,000 nodes, 400 games).

use shakmaty::{Move, Square};

use super::facts::{Glance, refine};
use super::history::{Context, PieceTo};
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

        let Glance {
            line,
            hash,
            raw_eval,
            correction,
        } = self.glance(pos, ply);
        if let Some(entry) = hash
            && !N::PV
            && let Some(score) = self.hash_cutoff(pos, &entry, window, ply)
        {
            return Ok(score);
        }

        // Standing pat: the side to move need not capture anything, except out of check.
        let Window { mut alpha, beta } = window;
        let in_check = pos.in_check();
        let mut best_score = Score::mated_in(ply);
        let mut futile_below = None;
        if let Some(raw) = raw_eval {
            let eval = self.corrected(raw, correction, pos);
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
            line,
            ..Context::default()
        };
        let last_target = line[0].map(PieceTo::to);
        let mut best_move = None;
        let mut number = 0;
        while let Some(Picked { m, .. }) = picker.next(pos, self.history, &context) {
            if let Some(bound) = futile_below.and_then(|base| futile_capture(pos, m, base, alpha)) {
                best_score = best_score.max(bound);
                continue;
            }
            if !in_check && is_late_capture(m, number, last_target) {
                continue;
            }
            number += 1;
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
            depth: 0,
            bound,
            was_pv: N::PV,
        };
        self.shared.task.table.store(pos.key(), entry);
        Ok(best_score)
    }
}

/// Delta pruning. If what is captured does not lift the eval to alpha, `base` being the eval and a margin,
/// then the capture is not worth searching, and neither is an even trade if `base` is no more than alpha.
/// Returns what the capture comes to at best.
/// <https://www.chessprogramming.org/Delta_Pruning>
fn futile_capture(pos: &Position, m: Move, base: Score, alpha: Score) -> Option<Score> {
    if m.promotion().is_some() {
        return None;
    }
    let hoped = base + m.capture().map_or(0, see::value);
    if hoped <= alpha {
        return Some(hoped);
    }
    (base <= alpha && !pos.see_at_least(m, 1)).then_some(base)
}

/// Late captures. If the most promising captures did not help, then only a recapture will, and without
/// this rule the trades of many pieces multiply without end.
fn is_late_capture(m: Move, number: usize, last_target: Option<Square>) -> bool {
    number >= params::late_captures() as usize
        && m.promotion().is_none()
        && Some(m.to()) != last_target
}
