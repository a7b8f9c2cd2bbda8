//! A worker: one thread's state during one search, and when it must stop.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use shakmaty::{ByColor, Move, attacks};

use super::history::{History, Line, PieceTo};
use super::pv::PvTable;
use super::root::RootMove;
use super::{Observer, Shared};
use crate::board::{Changes, PackedMove, Position, cycle, is_noisy};
use crate::eval::nnue::Accumulators;
use crate::rules::unwinnable;
use crate::score::{MAX_PLY, Score};

/// A limit was reached: leave by `?`. Nothing has to be undone.
#[derive(Debug)]
pub struct Stopped;

/// What belongs to one ply of the current line.
#[derive(Clone, Copy, Default)]
pub struct Frame {
    /// Static evaluation; none in check.
    pub eval: Option<Score>,
    /// The move played from here; none for a null move.
    pub played: Option<PieceTo>,
    /// Whether that move is quiet.
    pub played_quiet: bool,
    /// By how many plies the search of that move was reduced.
    pub reduction: i32,
    /// How many nodes at this ply failed high since the node two plies above was entered.
    pub cutoffs: i32,
    /// The quiet moves that last refuted a position at this ply.
    pub killers: [PackedMove; 2],
    /// The move that is left out while its singularity is tested.
    pub excluded: Option<Move>,
}

/// One thread of a search.
pub struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) history: &'a mut History,
    pub(super) observer: &'a mut dyn Observer,
    index: usize,
    pub(super) stack: Vec<Frame>,
    pub(super) accumulators: Accumulators<'a>,
    /// Keys of the game and of the current line, without the position at hand.
    keys: Vec<u64>,
    pub(super) pv: PvTable,
    pub(super) root_moves: Vec<RootMove>,
    /// Root moves before this one are settled: their lines were found already (MultiPV).
    pub(super) first_root_move: usize,
    /// The best root move with an exact score in the running search of the root.
    pub(super) improved: Option<RootMove>,
    /// Depth of the iteration, and of the last one that was finished.
    pub(super) iteration: i32,
    pub(super) finished: i32,
    pub(super) nodes: u64,
    pub(super) seldepth: usize,
    /// No null move before this ply while one is verified.
    pub(super) null_from_ply: usize,
    /// Every move is searched to full depth, and no stored score is believed.
    pub(super) full_width: bool,
    /// The sides that can never mate again, so that they can hope for a draw at most.
    pub(super) cannot_mate: ByColor<bool>,
    announced: Option<Instant>,
}

/// How many positions may be searched before the first iteration is finished, whatever the time; and
/// how many, whatever the limit of nodes. Only positions that cannot arise in a game need more.
const GRACE_NODES: u64 = 20_000;
const GRACE_NODES_WITHOUT_CLOCK: u64 = 1_000_000;
/// Looking at the clock costs as much as a few nodes.
const NODES_PER_CLOCK: u64 = 512;

impl<'a> Worker<'a> {
    pub fn new(
        shared: &'a Shared<'a>,
        history: &'a mut History,
        observer: &'a mut dyn Observer,
        index: usize,
    ) -> Worker<'a> {
        let task = shared.task;
        let moves = match &task.limits.searchmoves {
            Some(moves) => moves.iter().copied().collect(),
            None => task.game.position().legal_moves(),
        };
        let root_move = |m| RootMove {
            m,
            score: -Score::INFINITE,
            seldepth: 0,
            pv: vec![m],
            nodes: 0,
            rank: None,
        };
        Worker {
            shared,
            history,
            observer,
            index,
            stack: vec![Frame::default(); MAX_PLY + 4],
            accumulators: Accumulators::new(task.network, task.game.position()),
            keys: task.game.earlier_keys().to_vec(),
            pv: PvTable::new(),
            root_moves: moves.into_iter().map(root_move).collect(),
            first_root_move: 0,
            improved: None,
            iteration: 0,
            finished: 0,
            nodes: 0,
            seldepth: 0,
            null_from_ply: 0,
            full_width: false,
            cannot_mate: ByColor::new_with(|side| {
                unwinnable::quick(task.game.position(), side) == Some(false)
            }),
            announced: None,
        }
    }

    /// Whether this is the thread that decides and reports.
    pub fn is_first(&self) -> bool {
        self.index == 0
    }

    /// Counts a node and finds out whether a limit is reached.
    pub fn visit(&mut self, ply: usize) -> Result<(), Stopped> {
        if self.must_stop() {
            return Err(Stopped);
        }
        self.nodes += 1;
        self.shared.counters[self.index]
            .nodes
            .store(self.nodes, Ordering::Relaxed);
        self.seldepth = self.seldepth.max(ply);
        Ok(())
    }

    /// Counts answers of tablebases.
    pub fn count_table_hits(&self, hits: u64) {
        let counter = &self.shared.counters[self.index].table_hits;
        counter.fetch_add(hits, Ordering::Relaxed);
    }

    /// Every thread looks at the clock: with more threads than cores the first may not be running
    /// when time is up.
    fn must_stop(&self) -> bool {
        if self.is_first() && self.finished == 0 && self.nodes < GRACE_NODES {
            return false;
        }
        let Shared {
            task,
            halt,
            counters,
        } = self.shared;
        if halt.load(Ordering::Relaxed) || task.stop.load(Ordering::Relaxed) {
            return true;
        }
        let may_count = self.finished > 0 || self.nodes >= GRACE_NODES_WITHOUT_CLOCK;
        let nodes_over = may_count
            && task.limits.nodes.is_some_and(|limit| {
                self.nodes >= limit || counters.len() > 1 && self.shared.nodes() >= limit
            });
        let time_over = self.nodes.is_multiple_of(NODES_PER_CLOCK) && task.clock.is_hard_over();
        if nodes_over || time_over {
            halt.store(true, Ordering::Relaxed);
        }
        nodes_over || time_over
    }

    /// Plays `m` on a copy of `pos` and notes it for what is below.
    pub fn descend(&mut self, pos: &Position, m: Move, ply: usize) -> Position {
        let changes = Changes::of(pos.turn(), m);
        let table = self.shared.task.table;
        // The hash is asked for early, because memory takes longer than playing the move.
        let child = pos.after_changes(m, &changes, |key| table.prefetch(key));
        self.accumulators.descend(pos.turn(), changes, ply);
        self.stack[ply].played = Some(PieceTo::new(pos.turn(), m));
        self.stack[ply].played_quiet = !is_noisy(m);
        self.keys.push(pos.key());
        child
    }

    /// Passes the turn; none in check.
    pub fn descend_null(&mut self, pos: &Position, ply: usize) -> Option<Position> {
        let child = pos.after_null()?;
        self.shared.task.table.prefetch(child.key());
        self.accumulators.descend_null(ply);
        self.stack[ply].played = None;
        self.stack[ply].played_quiet = false;
        self.keys.push(pos.key());
        Some(child)
    }

    /// Undoes the note of [`Worker::descend`]. Not needed when the search was stopped.
    pub fn ascend(&mut self) {
        self.keys.pop();
    }

    /// The moves played 1, 2 and 4 plies before `ply`.
    pub fn line(&self, ply: usize) -> Line {
        [1, 2, 4].map(|back| self.stack[ply.checked_sub(back)?].played)
    }

    /// Whether the game is a draw here: by material, by the fifty-move rule, or by repetition. Once
    /// is enough for a position that occurred after the root, since whoever wants to can repeat it.
    pub fn is_draw(&self, pos: &Position, ply: usize) -> bool {
        if pos.halfmoves() >= 100 && !pos.is_checkmate() {
            return true;
        }
        let is_dead = self.cannot_mate.white && self.cannot_mate.black;
        is_dead || pos.is_insufficient_material() || self.is_repetition(pos, ply)
    }

    /// Whether neither side can ever mate because the position is blocked. Worth its time only where much
    /// would have to be searched otherwise.
    pub fn is_dead_blockade(&self, pos: &Position, depth: i32) -> bool {
        const LEAST_DEPTH: i32 = 4;
        depth >= LEAST_DEPTH && !pos.in_check() && unwinnable::is_dead_blockade(pos)
    }

    fn is_repetition(&self, pos: &Position, ply: usize) -> bool {
        let reversible = (pos.halfmoves() as usize).min(self.keys.len());
        let mut seen_in_game = false;
        for back in (4..=reversible).step_by(2) {
            if self.keys[self.keys.len() - back] == pos.key() {
                if back < ply || seen_in_game {
                    return true;
                }
                seen_in_game = true;
            }
        }
        false
    }

    /// Whether the side to move can bring about a position that occurred after the root, and thereby a
    /// draw. <https://www.chessprogramming.org/Repetitions#Upcoming_Repetition>
    pub fn can_repeat(&self, pos: &Position, ply: usize) -> bool {
        let reversible = (pos.halfmoves() as usize).min(ply.saturating_sub(1));
        // After a null move nothing can be repeated that was before it.
        let reversible = (1..=reversible)
            .find(|back| self.stack[ply - back].played.is_none())
            .unwrap_or(reversible + 1);
        (3..reversible).step_by(2).any(|back| {
            let change = pos.key() ^ self.keys[self.keys.len() - back];
            cycle::squares(change).is_some_and(|[from, to]| {
                (attacks::between(from, to) & pos.board().occupied()).is_empty()
            })
        })
    }

    /// Tells the observer which root move is searched, once that is of interest to a person.
    pub fn announce(&mut self, m: Move, number: usize) {
        const SILENCE: Duration = Duration::from_secs(3);
        const INTERVAL: Duration = Duration::from_millis(100);
        if !self.is_first() || self.shared.task.clock.elapsed() < SILENCE {
            return;
        }
        if self.announced.is_none_or(|last| last.elapsed() >= INTERVAL) {
            self.announced = Some(Instant::now());
            self.observer.current_move(self.iteration, m, number);
        }
    }
}
