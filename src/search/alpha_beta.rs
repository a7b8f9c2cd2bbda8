//! The node: what is done at one position, as numbered steps.
//!
//! Principal variation search, fail-soft: the first move is searched with the open window, the others
//! with a null window first. The rules themselves stand in `pruning` and `reduction`.

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::facts::{Candidate, Facts};
use super::history::{PieceTo, bonus};
use super::node::{Node, NonPv};
use super::picker::{Picked, Picker, Select};
use super::worker::{Frame, Stopped, Worker};
use crate::board::{PackedMove, Position, is_noisy};
use crate::params;
use crate::score::{MAX_PLY, Score};
use crate::tt::{Bound, Entry};
use crate::window::Window;

impl Worker<'_> {
    /// The score of `pos` for the side to move, exact inside `window`, a bound outside.
    pub fn alpha_beta<N: Node>(
        &mut self,
        pos: &Position,
        window: Window,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Result<Score, Stopped> {
        // 1. Beyond the horizon only noisy moves count.
        if depth <= 0 {
            return self.quiescence::<N>(pos, window, ply);
        }
        self.visit(ply)?;
        if N::PV {
            self.pv.clear(ply);
        }

        // 2. The end of the game, of the line, and of what could still matter.
        let mut window = window;
        if !N::ROOT
            && let Some(score) = self.settled(pos, &mut window, depth, ply)
        {
            return Ok(score);
        }

        // 3. What the hash knows, and the network.
        let excluded = self.stack[ply].excluded;
        let mut glance = self.glance(pos, ply);
        if excluded.is_some() {
            glance.hash = None;
        }
        if let Some(entry) = glance.hash
            && !N::PV
            && !self.full_width
            && entry.depth >= depth
            && let Some(score) = self.hash_cutoff(pos, &entry, window, ply)
        {
            if score >= window.beta {
                self.credit_hash_move(pos, &entry, depth, ply);
            }
            return Ok(score);
        }

        // 4. What tablebases know.
        let known = if N::ROOT || excluded.is_some() || self.full_width {
            None
        } else {
            self.probe_tables(pos, depth, ply)
        };
        if let Some((score, bound)) = known
            && bound.settles(score, window)
        {
            return Ok(score);
        }

        // 5. Static evaluation.
        let mut node = self.look_at::<N>(pos, window, depth, ply, cut_node, glance);
        if excluded.is_none() {
            self.credit_gain(ply);
        }
        self.stack[ply + 2].killers = [PackedMove::NONE; 2];
        self.stack[ply + 2].cutoffs = 0;

        // 6. Rules that end the node without looking at moves.
        if !N::PV
            && !node.in_check
            && excluded.is_none()
            && !self.full_width
            && let Some(score) = self.prune_node(&node)?
        {
            return Ok(score);
        }

        // 7. Rules that change the depth of the node.
        if !self.full_width {
            if self.internal_iterative_reduction(&node) {
                node.depth -= 1;
            }
            if excluded.is_none() {
                node.depth += self.hindsight(&node);
            }
        }

        // 8. The moves.
        let (best_score, best_move) = match self.search_moves::<N>(&mut node)? {
            Found::Best(score, m) => (score, m),
            Found::MultiCut(score) => return Ok(score),
            // 9. Mate or stalemate, or nothing but the excluded move.
            Found::NoMove if excluded.is_some() => return Ok(window.alpha),
            Found::NoMove if node.in_check => return Ok(Score::mated_in(ply)),
            Found::NoMove => return Ok(Score::DRAW),
        };

        // The search may not have seen what tables know.
        let best_score = match known {
            Some((score, Bound::Lower)) => best_score.max(score),
            Some((score, Bound::Upper)) => best_score.min(score),
            _ => best_score,
        };

        // 10. Learn from it.
        if excluded.is_none() {
            self.learn_error(&node, best_score, best_move);
            if best_move.is_none() {
                // The move that led to a node without a good answer was good.
                let share = params::history_unanswered();
                self.credit_last_move(ply, bonus(node.full_depth) * share / 1024);
            }
            if !N::ROOT || self.first_root_move == 0 {
                self.remember(&node, best_score, best_move);
            }
        }
        Ok(best_score)
    }

    /// Stores the score of a node, and its best move if that beats alpha.
    fn remember(&self, node: &Facts, score: Score, best_move: Option<Move>) {
        let bound = if score >= node.window.beta {
            Bound::Lower
        } else if best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            packed: best_move.map_or(PackedMove::NONE, PackedMove::from),
            score: score.to_hash(node.ply),
            depth: node.full_depth,
            bound,
            was_pv: node.was_pv,
        };
        self.shared.task.table.store(node.pos.key(), entry);
    }

    /// Learns how good the move was that led to `ply`, if it is quiet.
    fn credit_last_move(&mut self, ply: usize, bonus: i32) {
        let Some(before) = ply.checked_sub(1) else {
            return;
        };
        let Frame {
            played,
            played_quiet,
            ..
        } = self.stack[before];
        if let Some(played) = played.filter(|_| played_quiet) {
            let line = self.line(before);
            self.history.learn_continuation(line, played, bonus);
        }
    }

    /// A move is as good as what it adds to its side's eval.
    fn credit_gain(&mut self, ply: usize) {
        if let Some(gain) = self.gain(ply) {
            let most = params::history_gain_max();
            let bonus = (gain * params::history_gain()).clamp(-most, most);
            self.credit_last_move(ply, bonus);
        }
    }

    /// The quiet move that refuted a position before is good there.
    fn credit_hash_move(&mut self, pos: &Position, entry: &Entry, depth: i32, ply: usize) {
        if let Some(m) = entry.packed.legal_in(pos)
            && !is_noisy(m)
        {
            let bonus = bonus(depth) * params::history_hash() / 1024;
            let line = self.line(ply);
            (self.history).learn_continuation(line, PieceTo::new(pos.turn(), m), bonus);
        }
    }

    /// The score of a node that needs no search: the game or the line is over, or nothing that could
    /// still happen matters. Narrows the window to what can happen.
    fn settled(
        &mut self,
        pos: &Position,
        window: &mut Window,
        depth: i32,
        ply: usize,
    ) -> Option<Score> {
        if self.is_draw(pos, ply) || self.is_dead_blockade(pos, depth) {
            return Some(Score::DRAW);
        }
        if ply >= MAX_PLY {
            return Some(self.horizon_eval(pos, ply));
        }
        // Mate distance: even mating at once would not beat a shorter mate found elsewhere.
        window.alpha = window.alpha.max(Score::mated_in(ply));
        window.beta = window.beta.min(Score::mate_in(ply + 1));
        // Whoever can repeat a position has a draw at least.
        if window.alpha < Score::DRAW && !self.full_width && self.can_repeat(pos, ply) {
            window.alpha = Score::DRAW;
        }
        (window.alpha >= window.beta).then_some(window.alpha)
    }

    /// The move loop: searches moves until one fails high or all are done, and learns from it.
    fn search_moves<N: Node>(&mut self, node: &mut Facts) -> Result<Found, Stopped> {
        let Facts { pos, ply, .. } = *node;
        node.context.threats = pos.threats();
        let excluded = self.stack[ply].excluded;
        let mut picker = Picker::new(Select::All, node.hash_move, self.stack[ply].killers);
        if N::ROOT {
            let class = self.root_class();
            let root_moves = &self.root_moves[class];
            picker.fix(root_moves.iter().map(|root| root.m));
        }
        let mut best_score = -Score::INFINITE;
        let mut best_move = None;
        let mut number = 0;
        let mut quiets = ArrayVec::<Move, 64>::new();
        let mut noisies = ArrayVec::<Move, 64>::new();
        while let Some(picked) = picker.next(pos, self.history, &node.context) {
            let m = picked.m;
            if Some(m) == excluded {
                continue;
            }
            let candidate = self.candidate(node, &picked, number);

            // 8a. Rules that skip the move.
            if !N::ROOT && !self.full_width && !best_score.is_loss() && pos.has_pieces() {
                if self.late_move_pruning(node, &candidate) {
                    picker.skip_quiets();
                    continue;
                }
                if self.futility_pruning(node, &candidate)
                    || self.history_pruning(node, &candidate)
                    || self.see_pruning(node, &candidate)
                {
                    continue;
                }
            }

            // 8b. Rules that deepen the move.
            let mut extension = 0;
            if !N::ROOT && !self.full_width && excluded.is_none() && Some(m) == node.hash_move {
                match self.singular_extension(node, m)? {
                    Singular::Extend(plies) => extension = plies,
                    Singular::MultiCut(score) => return Ok(Found::MultiCut(score)),
                }
            }

            // 8c. Play it and search.
            let nodes_before = self.nodes;
            let score = self.search_move::<N>(node, &candidate, extension)?;
            number += 1;
            if N::ROOT {
                self.update_root_move(node, &candidate, score, self.nodes - nodes_before);
            }

            // 8d. Compare.
            if score > best_score {
                best_score = score;
                if score > node.window.alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.pv.update(ply, m);
                    }
                    if score >= node.window.beta {
                        self.history.learn(
                            pos,
                            &node.context,
                            m,
                            &quiets,
                            &noisies,
                            node.full_depth,
                        );
                        self.remember_killer(m, ply);
                        self.stack[ply].cutoffs += 1;
                        break;
                    }
                    node.window.alpha = score;
                    node.depth -= self.raised_reduction(node);
                }
            }
            let tried = if candidate.is_noisy {
                &mut noisies
            } else {
                &mut quiets
            };
            // A move too many to remember is one too late to matter.
            let _ = tried.try_push(m);
        }
        Ok(if number == 0 {
            Found::NoMove
        } else {
            Found::Best(best_score, best_move)
        })
    }

    /// Plays a move and searches what comes of it: with a null window and less depth as long as the
    /// move need only be shown not to be the best, with the open window to find out how good it is.
    fn search_move<N: Node>(
        &mut self,
        node: &Facts,
        candidate: &Candidate,
        extension: i32,
    ) -> Result<Score, Stopped> {
        let Facts {
            pos,
            ply,
            cut_node,
            window,
            ..
        } = *node;
        let is_first = candidate.number == 0;
        if N::ROOT {
            self.announce(candidate.m, self.first_root_move + candidate.number + 1);
        }
        let child = self.descend(pos, candidate.m, ply);
        let depth = node.depth - 1 + extension;
        let null = -Window::null(window.alpha);
        // Does the move beat alpha? The first of a PV node is believed to.
        let mut score = Score::INFINITE;
        if !is_first && node.full_depth >= 2 && !self.full_width {
            let mut reduction = candidate.reduction;
            if child.in_check() {
                reduction -= params::lmr_check();
            }
            let reduced = (depth - (reduction / 1024).max(0)).clamp(1, depth.max(1));
            self.stack[ply].reduction = depth - reduced;
            score = -self.alpha_beta::<NonPv>(&child, null, reduced, ply + 1, true)?;
            self.stack[ply].reduction = 0;
            if score > window.alpha && reduced < depth {
                let depth = depth + self.surprise(score, window.alpha, depth);
                if reduced < depth {
                    score = -self.alpha_beta::<NonPv>(&child, null, depth, ply + 1, !cut_node)?;
                }
                if let Some(played) = self.stack[ply].played.filter(|_| !candidate.is_noisy) {
                    let bonus = params::history_research();
                    let bonus = if score > window.alpha { bonus } else { -bonus };
                    (self.history).learn_continuation(node.context.line, played, bonus);
                }
            }
        } else if !is_first || !N::PV {
            score = -self.alpha_beta::<NonPv>(&child, null, depth, ply + 1, !cut_node)?;
        }
        // By how much?
        if N::PV && score > window.alpha {
            score = -self.alpha_beta::<N::Child>(&child, -window, depth, ply + 1, false)?;
        }
        self.ascend();
        Ok(score)
    }

    fn candidate(&self, node: &Facts, picked: &Picked, number: usize) -> Candidate {
        let Picked { m, history } = *picked;
        let is_noisy = is_noisy(m);
        let is_killer = self.stack[node.ply].killers.contains(&m.into());
        let mut candidate = Candidate {
            m,
            number,
            is_noisy,
            history,
            is_killer,
            reduction: 0,
        };
        candidate.reduction = self.late_move_reduction(node, &candidate);
        candidate
    }

    fn remember_killer(&mut self, m: Move, ply: usize) {
        if is_noisy(m) {
            return;
        }
        let killers = &mut self.stack[ply].killers;
        if killers[0] != m.into() {
            *killers = [m.into(), killers[0]];
        }
    }
}

/// What the move loop found.
enum Found {
    /// The best score, and its move if that beats alpha.
    Best(Score, Option<Move>),
    /// Enough refutations without searching them all.
    MultiCut(Score),
    /// No legal move but the excluded one.
    NoMove,
}

/// The verdict on the hash move compared with all others.
pub enum Singular {
    /// Search it this many plies deeper (or shallower).
    Extend(i32),
    /// Several moves refute the position: no need to look further.
    MultiCut(Score),
}
