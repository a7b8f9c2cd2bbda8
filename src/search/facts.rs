//! What is known of a node before its moves are searched, and of a move before it is played.

use shakmaty::{Color, Move};

use super::history::{Context, Line};
use super::node::Node;
use super::worker::Worker;
use crate::board::Position;
use crate::eval;
use crate::params;
use crate::score::Score;
use crate::tt::{Bound, Entry};
use crate::window::Window;

/// What every rule may ask about the node at hand.
pub struct Facts<'p> {
    pub pos: &'p Position,
    pub ply: usize,
    /// Depth to search the moves to: reduced without a hash move.
    pub depth: i32,
    /// Depth that was asked for.
    pub full_depth: i32,
    pub window: Window,
    pub is_pv: bool,
    /// The position was once on a principal variation.
    pub was_pv: bool,
    /// Expected to fail high.
    pub cut_node: bool,
    pub in_check: bool,
    /// Static evaluation before anything that depends on the game is applied; none in check.
    pub raw_eval: Option<Score>,
    /// Best guess of the score without searching; meaningless in check.
    pub eval: Score,
    /// By how much the static evaluation was corrected: a measure of how hard it is to judge.
    pub doubt: i32,
    /// The eval has risen since our last move.
    pub improving: bool,
    pub hash: Option<Entry>,
    pub hash_move: Option<Move>,
    /// What the worth of moves depends on; threats are known once moves are searched.
    pub context: Context,
}

/// What every rule may ask about the move at hand.
pub struct Candidate {
    pub m: Move,
    /// Number in the order of search, from 0.
    pub number: usize,
    pub is_noisy: bool,
    pub history: i32,
    pub is_killer: bool,
    /// Late move reduction, in 1/1024 plies.
    pub reduction: i32,
}

/// What is known of a position at once.
pub struct Glance {
    /// The moves that led to it.
    pub line: Line,
    pub hash: Option<Entry>,
    /// Static evaluation before anything that depends on the game is applied; none in check.
    pub raw_eval: Option<Score>,
    /// What has to be added to it.
    pub correction: i32,
}

impl Worker<'_> {
    /// Evaluates `pos` and asks the hash. In this order, even if the evaluation proves
    /// not to be needed: it is done before the memory that holds the hash answers.
    pub fn glance(&mut self, pos: &Position, ply: usize) -> Glance {
        let line = self.line(ply);
        let (raw_eval, correction) = if pos.in_check() {
            (None, 0)
        } else {
            let correction = self.history.corrections.of(pos, line);
            (Some(self.judge(pos, ply)), correction)
        };
        Glance {
            line,
            hash: self.shared.task.table.probe(pos.key()),
            raw_eval,
            correction,
        }
    }

    /// Looks at a position before searching its moves.
    pub fn look_at<'p, N: Node>(
        &mut self,
        pos: &'p Position,
        window: Window,
        depth: i32,
        ply: usize,
        cut_node: bool,
        glance: Glance,
    ) -> Facts<'p> {
        let Glance {
            line,
            hash,
            raw_eval,
            correction,
        } = glance;
        let corrected = raw_eval.map(|raw| self.corrected(raw, correction, pos));
        self.stack[ply].eval = corrected;
        Facts {
            pos,
            ply,
            depth,
            full_depth: depth,
            window,
            is_pv: N::PV,
            was_pv: N::PV || hash.is_some_and(|entry| entry.was_pv),
            cut_node,
            in_check: pos.in_check(),
            raw_eval,
            eval: refine(corrected.unwrap_or(Score::DRAW), hash, ply, pos.halfmoves()),
            doubt: correction.abs(),
            improving: self.is_improving(corrected, ply),
            hash,
            hash_move: if N::ROOT {
                Some(self.root_moves[self.first_root_move].m)
            } else {
                hash.and_then(|entry| entry.packed.legal_in(pos))
            },
            context: Context {
                line,
                ..Context::default()
            },
        }
    }

    /// A stored score that settles the window. Near the fifty-move limit the hash, which does not know
    /// the counter, is not believed.
    pub fn hash_cutoff(
        &self,
        pos: &Position,
        entry: &Entry,
        window: Window,
        ply: usize,
    ) -> Option<Score> {
        let score = entry.score_at(ply, pos.halfmoves());
        let settles = entry.bound.settles(score, window);
        (settles && pos.halfmoves() < params::hash_halfmoves() as u32).then_some(score)
    }

    /// What the network says, or what a weaker player makes of it.
    fn judge(&mut self, pos: &Position, ply: usize) -> Score {
        let eval = self.accumulators.evaluate(pos, ply);
        match self.shared.task.handicap {
            Some(handicap) => Score::eval(eval.raw() + handicap.error(pos.key())),
            None => eval,
        }
    }

    /// The static evaluation as the search uses it: on its way to the fifty-move rule, and with what
    /// is known of its error.
    pub fn corrected(&self, raw: Score, correction: i32, pos: &Position) -> Score {
        let eval = eval::fade(raw, pos.halfmoves());
        self.possible(Score::eval(eval.raw() + correction), pos.turn())
    }

    /// The eval at the end of the longest possible line.
    pub fn horizon_eval(&mut self, pos: &Position, ply: usize) -> Score {
        if pos.in_check() {
            return Score::DRAW;
        }
        let eval = eval::fade(self.judge(pos, ply), pos.halfmoves());
        self.possible(eval, pos.turn())
    }

    /// The eval for the side to move, but no better than a draw for a side that cannot mate.
    fn possible(&self, eval: Score, turn: Color) -> Score {
        match (self.cannot_mate[turn], self.cannot_mate[!turn]) {
            (false, false) => eval,
            (true, false) => eval.min(Score::DRAW),
            (false, true) => eval.max(Score::DRAW),
            (true, true) => Score::DRAW,
        }
    }

    /// What the move that led to `ply` added to the eval of its side.
    pub fn gain(&self, ply: usize) -> Option<i32> {
        let eval = |ply: usize| self.stack[ply].eval;
        let (now, then) = eval(ply).zip(ply.checked_sub(1).and_then(eval))?;
        Some(-now.raw() - then.raw())
    }

    /// Whether the eval has risen since our last move.
    pub fn is_improving(&self, eval: Option<Score>, ply: usize) -> bool {
        let earlier = |back| ply.checked_sub(back).and_then(|ply| self.stack[ply].eval);
        match (eval, earlier(2).or(earlier(4))) {
            (Some(now), Some(then)) => now > then,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

/// The eval, or a stored score that is closer to the truth.
pub fn refine(eval: Score, hash: Option<Entry>, ply: usize, halfmoves: u32) -> Score {
    let Some(entry) = hash else { return eval };
    let score = entry.score_at(ply, halfmoves);
    let better = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score > eval,
        Bound::Upper => score < eval,
    };
    if better && !score.is_decisive() {
        score
    } else {
        eval
    }
}
