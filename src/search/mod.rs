//! The search: from a game and its limits to a best move. Pure: no input or output, no channels.
//!
//! [`Team::search`] is the entry. Below it:
//! - `deepening`: depth after depth, aspiration windows, MultiPV, when to stop thinking;
//! - `alpha_beta`: the node as numbered steps; `quiescence`: the node beyond the horizon; `facts`: what
//!   is known of a node and of a move; `root`: the moves at the root; `probing`: tablebases;
//! - `pruning`: rules that give up a node or a move; `reduction`: rules that spend less or more depth;
//! - `picker`, `history`: the order of moves; `correction`: errors of the evaluation; `mate`: short mates by full-width search;
//! - `strength`: playing as a weaker player would;
//! - `team`: the threads of a search; `worker`: one thread's state, draws by rule (the fifty-move rule and dead positions among them), when to stop;
//! - `bench`: the checksum.
//!
//! # Glossary
//! - *depth*: plies still to be searched; *ply*: plies from the root.
//! - *score*: what a search returns; *eval*: what the static evaluation says.
//! - *noisy*: captures and promotions to a queen; *quiet*: every other move.
//! - *PV node*: its window is open, its score may become exact. All others are searched with a null
//!   window that only asks whether a move is better than what is known.
//! - *cut node*: a null-window node that is expected to fail high; an *all node* to fail low.
//! - *improving*: the eval is better than two plies ago, so the side to move is doing well.
//! - *PVS*: principal variation search. *LMR*: late move reduction. *LMP*: late move pruning.
//!   *RFP*: reverse futility pruning. *SEE*: static exchange evaluation. *IIR*: internal iterative
//!   reduction.

mod alpha_beta;
pub mod bench;
mod correction;
mod deepening;
mod facts;
mod history;
mod mate;
mod node;
mod picker;
mod probing;
mod pruning;
mod pv;
mod quiescence;
mod reduction;
mod root;
mod strength;
mod team;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use shakmaty::Move;

use crate::clock::Clock;
use crate::eval::nnue::Network;
use crate::limits::Limits;
use crate::rules::Game;
use crate::score::{MAX_PLY, Score};
use crate::tablebase::{self, Tablebases};
use crate::tt::Table;

pub use strength::{Handicap, MAX_ELO, MIN_ELO};
pub use team::Team;

/// The greatest depth of an iteration.
pub const MAX_DEPTH: i32 = MAX_PLY as i32 - 1;

/// What a search is to do, besides the game it starts from.
pub struct Task<'a> {
    /// The game; the position on the board is searched.
    pub game: &'a Game,
    /// What ends the search.
    pub limits: &'a Limits,
    /// The time budget that belongs to `limits`.
    pub clock: &'a Clock,
    /// Set by someone else to end the search now.
    pub stop: &'a AtomicBool,
    /// The shared hash.
    pub table: &'a Table,
    /// What evaluates positions.
    pub network: &'a Network,
    /// Tablebases, and how to use them.
    pub tables: Option<(&'a Tablebases, &'a tablebase::Rules)>,
    /// How many lines to report; capped by the number of legal moves.
    pub multi_pv: usize,
    /// Whether a user is looking on, so that game-play shortcuts are out of place.
    pub analysis: bool,
    /// How a weaker player is imitated, if at all. He thinks with one thread.
    pub handicap: Option<Handicap>,
}

impl<'a> Task<'a> {
    /// A search that wants to learn about a position: one line, at full strength, without tablebases
    /// and game-play shortcuts.
    pub fn new(
        game: &'a Game,
        limits: &'a Limits,
        clock: &'a Clock,
        stop: &'a AtomicBool,
        table: &'a Table,
        network: &'a Network,
    ) -> Task<'a> {
        Task {
            game,
            limits,
            clock,
            stop,
            table,
            network,
            tables: None,
            multi_pv: 1,
            analysis: true,
            handicap: None,
        }
    }
}

/// One line of a search, as reported while it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Depth of the iteration.
    pub depth: i32,
    /// Greatest ply reached.
    pub seldepth: usize,
    /// Number of the line, from 1.
    pub line: usize,
    /// Its score, from the side to move's view.
    pub score: Score,
    /// Material on the board that was searched, as of [`Score::wdl`].
    pub material: i32,
    /// Whether the score is exact or only a bound.
    pub bound: crate::tt::Bound,
    /// Positions searched, all threads together.
    pub nodes: u64,
    /// Time since the search was asked for.
    pub time: Duration,
    /// Use of the hash in thousandths.
    pub hash_full: usize,
    /// Answers of tablebases, all threads together.
    pub table_hits: u64,
    /// The line itself; empty only if there is no legal move.
    pub pv: Vec<Move>,
}

/// Who is told what the search finds.
pub trait Observer {
    /// A line of a finished iteration, or a bound after some seconds.
    fn report(&mut self, _report: &Report) {}
    /// The root move that is searched now, and its number from 1. Only after some seconds.
    fn current_move(&mut self, _depth: i32, _m: Move, _number: usize) {}
}

/// An observer that does not look.
pub struct Silent;

impl Observer for Silent {}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best move and the expected reply; empty if there is no legal move.
    pub pv: Vec<Move>,
    /// The score of the best move from the side to move's view.
    pub score: Score,
    /// Depth of the last finished iteration.
    pub depth: i32,
    /// Positions searched, all threads together.
    pub nodes: u64,
}

impl Outcome {
    /// The best move.
    pub fn best_move(&self) -> Option<Move> {
        self.pv.first().copied()
    }
}

/// What a thread has counted, on cache lines of its own, so that threads do not slow each other down.
#[derive(Default)]
#[repr(align(128))]
struct Counters {
    nodes: AtomicU64,
    table_hits: AtomicU64,
}

/// What the threads of one search share.
struct Shared<'a> {
    task: &'a Task<'a>,
    /// Ends the search of all threads: a limit was reached or the first thread is done.
    halt: AtomicBool,
    counters: Vec<Counters>,
}

impl Shared<'_> {
    fn nodes(&self) -> u64 {
        self.sum(|counters| &counters.nodes)
    }

    fn table_hits(&self) -> u64 {
        self.sum(|counters| &counters.table_hits)
    }

    fn sum(&self, counter: impl Fn(&Counters) -> &AtomicU64) -> u64 {
        self.counters
            .iter()
            .map(|counters| counter(counters).load(Ordering::Relaxed))
            .sum()
    }
}

/// Room for a line of the greatest length on a thread's stack; only what is used is ever touched.
pub const STACK_SIZE: usize = 32 << 20;
