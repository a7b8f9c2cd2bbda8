//! The engine: owns the threads, the hash and their settings, and searches in the background.
//!
//! [`start`] returns a handle and a stream of events. What takes time — searching, resizing, clearing —
//! is a job that the actor behind the handle works off in order; the handle itself never waits.
//! `stop` and `ponderhit` reach a search through a `Control` of its own, so that they are never lost
//! and never hit a later search.

mod actor;
mod control;
mod genfens;
mod speedtest;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use shakmaty::{CastlingMode, Move};

use crate::board::Position;
use crate::clock::Clock;
use crate::eval::nnue::Network;
use crate::limits::Limits;
use crate::rules::Game;
use crate::search::{Handicap, Report, STACK_SIZE};
use crate::tablebase;
use actor::{Actor, Job, SearchJob};
use control::Control;
pub use genfens::Genfens;

/// Hash size in MiB until told otherwise.
pub const DEFAULT_HASH: u64 = 16;

/// How results are to be written. Taken along by each search, so that a change during a search waits
/// for the next.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Notation of castling.
    pub castling: CastlingMode,
    /// Whether to add win, draw and loss probabilities.
    pub wdl: bool,
}

/// What a search is to take into account besides its limits.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How results are to be written.
    pub style: Style,
    /// Lines to report.
    pub multi_pv: usize,
    /// Time lost on the way between engine and GUI, per move.
    pub overhead: Duration,
    /// A user is looking on: no game-play shortcuts.
    pub analysis: bool,
    /// How a weaker player is imitated, if at all.
    pub handicap: Option<Handicap>,
    /// How tablebases are used.
    pub tables: tablebase::Rules,
    /// What evaluates positions.
    pub network: Arc<Network>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            style: Style {
                castling: CastlingMode::Standard,
                wdl: false,
            },
            multi_pv: 1,
            overhead: Duration::from_millis(20),
            analysis: false,
            handicap: None,
            tables: tablebase::Rules::default(),
            network: Network::builtin(),
        }
    }
}

/// What happens in the background.
#[derive(Debug)]
pub enum Event {
    /// A line of the running search.
    Report(Report, Style),
    /// The root move searched now: depth, move, number.
    CurrentMove(i32, Move, usize, Style),
    /// A search is over. No move if there is no legal one.
    BestMove {
        /// The move to play.
        best: Option<Move>,
        /// The reply to think about meanwhile.
        ponder: Option<Move>,
        /// How to write them.
        style: Style,
    },
    /// A position to begin a game from.
    Opening(Box<Position>, Style),
    /// All jobs given before [`Engine::ping`] are done.
    Ready,
    /// Something a user should know.
    Message(String),
    /// A line of a helper command.
    Text(String),
    /// A helper command is over.
    Done,
}

impl Event {
    fn ends_job(&self) -> bool {
        matches!(self, Event::BestMove { .. } | Event::Done)
    }
}

/// The handle. Its methods return at once.
pub struct Engine {
    jobs: Sender<Job>,
    /// Jobs not finished yet, oldest first.
    running: VecDeque<Arc<Control>>,
}

/// Starts the actor. The hash is allocated in the background.
///
/// # Errors
/// When the system refuses a thread.
pub fn start() -> std::io::Result<(Engine, Receiver<Event>)> {
    let (jobs, inbox) = unbounded();
    let (events, outbox) = unbounded();
    std::thread::Builder::new()
        .name("search".into())
        .stack_size(STACK_SIZE)
        .spawn(move || Actor::new(events).work(&inbox))?;
    Ok((
        Engine {
            jobs,
            running: VecDeque::new(),
        },
        outbox,
    ))
}

impl Engine {
    /// Resizes the hash to `mib` MiB and empties it. If that much cannot be had the old one stays and
    /// a message says so.
    pub fn set_hash(&self, mib: u64) {
        self.give(Job::Hash(mib));
    }

    /// Searches with this many threads from the next search on.
    pub fn set_threads(&self, threads: usize) {
        self.give(Job::Threads(threads));
    }

    /// Uses the tablebases in the folders of `path` instead of those used so far. A message says what was
    /// found.
    pub fn set_tablebases(&self, path: &str) {
        self.give(Job::Tablebases(path.to_string()));
    }

    /// Empties the hash.
    pub fn clear_hash(&self) {
        self.give(Job::ClearHash);
    }

    /// Forgets everything learned in the last game.
    pub fn new_game(&self) {
        self.give(Job::NewGame);
    }

    /// Searches; the clock has been running since `started`. A running search without an end is
    /// stopped, others are finished first.
    pub fn go(&mut self, game: Game, limits: Limits, settings: Settings, started: Instant) {
        self.stop_endless();
        let clock = Clock::new(&limits, settings.overhead, started);
        let control = Control::new(clock, limits.is_finite());
        self.running.push_back(control.clone());
        self.give(Job::Search(Box::new(SearchJob {
            game,
            limits,
            settings,
            control,
        })));
    }

    /// Counts the leaves of the move tree, by first move.
    pub fn perft(&mut self, position: Position, depth: u32, castling: CastlingMode) {
        let control = Control::unlimited();
        self.running.push_back(control.clone());
        self.give(Job::Perft(Box::new(position), depth, castling, control));
    }

    /// Runs the benchmark.
    pub fn bench(&mut self, depth: i32, network: Arc<Network>) {
        let control = Control::unlimited();
        self.running.push_back(control.clone());
        self.give(Job::Bench(depth, network, control));
    }

    /// Measures for `time` how fast the search is, with the threads and the hash as they are set; what
    /// the hash holds is forgotten.
    pub fn speedtest(&mut self, time: Duration, network: Arc<Network>) {
        let control = Control::unlimited();
        self.running.push_back(control.clone());
        self.give(Job::Speedtest(time, network, control));
    }

    /// Finds openings, each of which comes as an [`Event::Opening`].
    pub fn genfens(&mut self, wanted: Genfens, settings: Settings) {
        let control = Control::unlimited();
        self.running.push_back(control.clone());
        self.give(Job::Genfens(Box::new(wanted), settings, control));
    }

    /// Ends every job given so far; each still answers.
    pub fn stop(&self) {
        self.running.iter().for_each(|control| control.stop());
    }

    /// Ends every search given so far that would not end by itself.
    pub fn stop_endless(&self) {
        self.running
            .iter()
            .filter(|control| !control.is_finite())
            .for_each(|control| control.stop());
    }

    /// The expected move was played.
    pub fn ponderhit(&self) {
        self.running.iter().for_each(|control| control.ponderhit());
    }

    /// Asks for [`Event::Ready`] once all jobs given so far are done and the hash has its memory.
    pub fn ping(&self) {
        self.give(Job::Ping);
    }

    /// Whether a search or another job that answers is running or waiting.
    pub fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }

    /// Whether everything running ends without `stop`.
    pub fn is_finite(&self) -> bool {
        self.running.iter().all(|control| control.is_finite())
    }

    /// To be told of every event received, so that the handle knows what is still running.
    pub fn note(&mut self, event: &Event) {
        if event.ends_job() {
            self.running.pop_front();
        }
    }

    fn give(&self, job: Job) {
        // The actor lives as long as the process; if it is gone the process is ending.
        let _ = self.jobs.send(job);
    }
}
