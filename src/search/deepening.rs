//! Iterative deepening: search depth 1, 2, 3 … until a limit, each time better ordered than before.
//!
//! Each line of an iteration is searched with an aspiration window around its last score. What was
//! found is reported in whole blocks, one line per `MultiPV`, all of the same depth.

use std::time::{Duration, Instant};

use shakmaty::Move;

use super::node::Root;
use super::root::RootMove;
use super::strength;
use super::worker::{Stopped, Worker};
use super::{MAX_DEPTH, Outcome, Report};
use crate::params;
use crate::score::Score;
use crate::tt::Bound;
use crate::window::Window;

/// Iterations up to this depth are reported however fast they come.
const ALWAYS_REPORTED: i32 = 10;
/// Later ones no faster than this, so that a solved position does not flood a GUI.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);
/// Bounds are of interest only when an iteration takes long.
const BOUNDS_AFTER: Duration = Duration::from_secs(3);

/// What the iterations so far say about how long to think.
#[derive(Default)]
struct Trend {
    /// Iterations since the best move changed.
    stable: i32,
    previous: Option<(Move, Score)>,
}

impl Worker<'_> {
    /// Deepens until a limit is reached.
    pub fn deepen(mut self) -> Outcome {
        if self.root_moves.is_empty() {
            return self.no_move();
        }
        self.rank_root_moves();
        let limits = &self.shared.task.limits;
        let last = limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let lines = self.lines();
        let mut trend = Trend::default();
        let mut reported: Option<Instant> = None;

        for depth in 1..=last {
            self.iteration = depth;
            self.seldepth = 0;
            let before = self.root_moves.clone();
            let mut stopped = self.iterate(lines).is_err();
            if stopped {
                self.settle(before.clone(), lines);
            }
            if lines == 1 && self.finished > 0 {
                self.keep_proven_mate(&before[0]);
            }
            if !stopped {
                self.finished = depth;
            }
            if depth == 1
                && !stopped
                && lines == 1
                && let Some(moves) = limits.mate
            {
                let before = self.root_moves.clone();
                let proof = self.prove_mate(moves);
                if !matches!(proof, Ok(true)) {
                    self.root_moves = before;
                    self.iteration = depth;
                }
                stopped = proof.is_err();
            }
            let is_last = stopped || depth == last || !self.go_on(&mut trend);
            let due = depth <= ALWAYS_REPORTED
                || reported.is_none_or(|at| at.elapsed() >= REPORT_INTERVAL);
            if is_last {
                self.win_by_tables();
                self.choose_by_handicap();
            }
            if due || is_last {
                self.report_lines(lines.min(self.shared.task.multi_pv.max(1)));
                reported = Some(Instant::now());
            }
            if is_last {
                break;
            }
        }
        let best = &self.root_moves[0];
        Outcome {
            pv: best.pv.clone(),
            score: best.shown_score(),
            depth: self.finished,
            nodes: self.shared.nodes(),
        }
    }

    /// How many lines are searched: those to report, or more to choose from.
    fn lines(&self) -> usize {
        let task = self.shared.task;
        let compared = task.handicap.map_or(1, |_| strength::LINES);
        task.multi_pv.max(compared).min(self.root_moves.len())
    }

    /// One iteration: each line after the other, the best first.
    fn iterate(&mut self, lines: usize) -> Result<(), Stopped> {
        for line in 0..lines {
            self.first_root_move = line;
            self.aspire()?;
            // Stable, so that moves that were not best keep the order they had.
            self.root_moves[..=line].sort_by_key(RootMove::order);
        }
        Ok(())
    }

    /// Searches one line with a window around its last score, widened until the score is inside.
    /// <https://www.chessprogramming.org/Aspiration_Windows>
    fn aspire(&mut self) -> Result<(), Stopped> {
        let game = self.shared.task.game;
        let first = self.first_root_move;
        let guess = self.root_moves[first].score;
        let mut delta = params::aspiration_delta();
        let mut window = if self.iteration >= 5 && !guess.is_decisive() {
            Window::around(guess, delta)
        } else {
            Window::FULL
        };
        let mut reduction = 0;
        loop {
            let depth = (self.iteration - reduction).max(1);
            self.improved = None;
            let score = self.alpha_beta::<Root>(game.position(), window, depth, 0, false)?;
            self.root_moves[first..].sort_by_key(RootMove::order);
            if score <= window.alpha && window.alpha > Window::FULL.alpha {
                self.report_bound(score, Bound::Upper);
                window.beta = Score::cp((window.alpha.raw() + window.beta.raw()) / 2);
                window.alpha = Window::around(score, delta).alpha;
                reduction = 0;
            } else if score >= window.beta && window.beta < Window::FULL.beta {
                self.report_bound(score, Bound::Lower);
                window.beta = Window::around(score, delta).beta;
                // The move is good; how good can be found out at less depth.
                reduction = (reduction + 1).min(3);
            } else {
                return Ok(());
            }
            delta += delta * params::aspiration_growth() / 100;
            if delta > 700 {
                window = Window::FULL;
            }
        }
    }

    /// The iteration was stopped. If it had found a better move already, that counts; else what the
    /// last iteration found stands.
    fn settle(&mut self, before: Vec<RootMove>, lines: usize) {
        if self.finished == 0 {
            return self.settle_without_iteration();
        }
        self.root_moves = before;
        match self.improved.take().filter(|_| lines == 1) {
            Some(best) => {
                if let Some(index) = self.root_moves.iter().position(|root| root.m == best.m) {
                    self.root_moves[..=index].rotate_right(1);
                    self.root_moves[0] = best;
                }
            }
            None => self.iteration = self.finished,
        }
    }

    /// Not even depth 1 was finished: moves that were not searched are worth what the position is.
    fn settle_without_iteration(&mut self) {
        let eval = self.horizon_eval(self.shared.task.game.position(), 0);
        for root in &mut self.root_moves {
            if root.score == -Score::INFINITE {
                root.score = eval;
                root.pv = vec![root.m];
            }
        }
        self.root_moves.sort_by_key(RootMove::order);
    }

    /// A mate that was proven is not given up for a longer one that a later iteration finds.
    fn keep_proven_mate(&mut self, before: &RootMove) {
        let Some(proven) = before.score.mate_plies() else {
            return;
        };
        let now = self.root_moves[0].score;
        let is_shorter = now.is_win() == before.score.is_win()
            && now.mate_plies().is_some_and(|plies| plies <= proven);
        if !is_shorter && let Some(index) = self.root_moves.iter().position(|r| r.m == before.m) {
            self.root_moves[index] = before.clone();
            self.root_moves[..=index].rotate_right(1);
        }
    }

    /// Whether another iteration is worth its time.
    fn go_on(&self, trend: &mut Trend) -> bool {
        let task = self.shared.task;
        let best = &self.root_moves[0];
        if let Some(wanted) = task.limits.mate
            && best
                .score
                .mate_moves()
                .is_some_and(|moves| moves.abs() <= wanted)
        {
            return false;
        }
        if !self.is_first() {
            return true;
        }
        if task
            .limits
            .soft_nodes
            .is_some_and(|limit| self.shared.nodes() >= limit)
        {
            return false;
        }
        let stretch = trend.stretch(best, self.nodes, self.finished);
        let clock = task.clock;
        if clock.is_game() && !clock.is_pondering() && !task.analysis && !task.limits.infinite {
            let only_move = self.root_moves.len() == 1;
            // A mate found this much deeper than its length will not become shorter.
            let mate_settled = best
                .score
                .mate_plies()
                .is_some_and(|plies| self.finished >= 2 * plies as i32 + 4);
            if only_move || mate_settled {
                return false;
            }
        }
        !clock.is_soft_over(stretch)
    }

    fn report_lines(&mut self, lines: usize) {
        for line in 0..lines {
            let report = self.report(line, self.root_moves[line].shown_score(), Bound::Exact);
            self.observer.report(&report);
        }
    }

    fn report_bound(&mut self, score: Score, bound: Bound) {
        let task = self.shared.task;
        if !self.is_first()
            || self.lines() > 1
            || self.root_moves[0].rank.is_some()
            || task.clock.elapsed() < BOUNDS_AFTER
        {
            return;
        }
        let report = self.report(0, score, bound);
        self.observer.report(&report);
    }

    fn report(&self, line: usize, score: Score, bound: Bound) -> Report {
        let task = self.shared.task;
        let root = self.root_moves.get(line);
        Report {
            depth: self.iteration,
            seldepth: root.map_or(0, |root| root.seldepth.max(1)),
            line: line + 1,
            score,
            material: task.game.position().material(),
            bound,
            nodes: self.shared.nodes(),
            time: task.clock.elapsed(),
            hash_full: task.table.full(),
            table_hits: self.shared.table_hits(),
            pv: root.map_or(Vec::new(), |root| self.until_dead(&root.pv)),
        }
    }

    /// A line up to the move that leaves neither side able to mate: near the horizon the search does not
    /// look whether it does.
    fn until_dead(&self, line: &[Move]) -> Vec<Move> {
        let mut game = self.shared.task.game.clone();
        let last = line.iter().position(|&m| {
            game.play(m);
            game.is_dead()
        });
        line[..last.map_or(line.len(), |last| last + 1)].to_vec()
    }

    /// Nothing to search: mate, stalemate, or no move allowed.
    fn no_move(self) -> Outcome {
        let position = self.shared.task.game.position();
        let mated = position.is_checkmate();
        let score = if mated {
            Score::mated_in(0)
        } else {
            Score::DRAW
        };
        let report = self.report(0, score, Bound::Exact);
        self.observer.report(&report);
        Outcome {
            pv: Vec::new(),
            score,
            depth: 0,
            nodes: 0,
        }
    }
}

impl Trend {
    /// How much more or less than the usual share of time this move deserves: less when the best
    /// move has been the same for long and took most of the nodes, more when the score falls.
    fn stretch(&mut self, best: &RootMove, nodes: u64, depth: i32) -> f64 {
        let previous = self.previous.replace((best.m, best.score));
        let same = previous.is_some_and(|(m, _)| m == best.m);
        self.stable = if same { (self.stable + 1).min(8) } else { 0 };
        if depth < 6 {
            return 1.0;
        }
        let thousandths = |n: i32| f64::from(n) / 1000.0;
        let stability = thousandths(params::time_unstable())
            - thousandths(params::time_stable()) * f64::from(self.stable);
        let share = best.nodes as f64 / nodes.max(1) as f64;
        let effort = thousandths(params::time_effort_base())
            - thousandths(params::time_effort_share()) * share;
        let fall = previous.map_or(0, |(_, score)| score.raw() - best.score.raw());
        let trend = 1.0 + f64::from(fall.clamp(-20, 60)) / f64::from(params::time_fall());
        stability * effort * trend
    }
}
