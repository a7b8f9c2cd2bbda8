//! The engine: owns the threads, the hash and their settings, and searches in the background.
//!
//! [`start`] returns a handle and a stream of events. What takes time — searching, resizing, clearing —
//! is a job that the actor behind the handle works off in order; the handle itself never waits.
//! `stop` and `ponderhit` reach a search through a [`Control`] of its own, so that they are never lost
//! and never hit a later search.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use shakmaty::{CastlingMode, Move};

use crate::board::{self, Position};
use crate::clock::Clock;
use crate::eval::nnue::Network;
use crate::limits::Limits;
use crate::rules::{Game, RuleSet};
use crate::search::{self, History, Observer, Outcome, Report, STACK_SIZE, Task, bench};
use crate::tt::Table;

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

/// The strings by which a running job is held.
struct Control {
    stop: AtomicBool,
    clock: Clock,
    /// Whether the job ends without `stop`, once it does not ponder any more.
    has_end: bool,
    gate: Mutex<()>,
    released: Condvar,
}

impl Control {
    fn new(clock: Clock, has_end: bool) -> Arc<Control> {
        Arc::new(Control {
            stop: AtomicBool::new(false),
            clock,
            has_end,
            gate: Mutex::new(()),
            released: Condvar::new(),
        })
    }

    fn unlimited() -> Arc<Control> {
        let clock = Clock::new(&Limits::default(), Duration::ZERO, Instant::now());
        Control::new(clock, true)
    }

    /// Whether the job, as things stand, ends without `stop`.
    fn is_finite(&self) -> bool {
        self.has_end && !self.clock.is_pondering()
    }

    fn stop(&self) {
        self.release(|| self.stop.store(true, Ordering::Release));
    }

    fn ponderhit(&self) {
        self.release(|| self.clock.ponderhit());
    }

    fn release(&self, change: impl FnOnce()) {
        let guard = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        change();
        drop(guard);
        self.released.notify_all();
    }

    /// Sleeps until the answer may be given: not before `stop` when infinite, not before `stop` or
    /// `ponderhit` when pondering.
    fn wait_until_due(&self, infinite: bool) {
        let mut guard = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.stop.load(Ordering::Acquire) && (infinite || self.clock.is_pondering()) {
            guard = self
                .released
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

enum Job {
    Hash(u64),
    Threads(usize),
    ClearHash,
    NewGame,
    Search(Box<SearchJob>),
    Perft(Box<Position>, u32, CastlingMode, Arc<Control>),
    Bench(i32, Arc<Network>, Arc<Control>),
    Ping,
}

struct SearchJob {
    game: Game,
    limits: Limits,
    settings: Settings,
    control: Arc<Control>,
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

    /// Asks for [`Event::Ready`] once all jobs given so far are done.
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

struct Actor {
    events: Sender<Event>,
    table: Option<Table>,
    histories: Vec<History>,
}

impl Actor {
    fn new(events: Sender<Event>) -> Actor {
        Actor {
            events,
            table: None,
            histories: vec![History::new()],
        }
    }

    fn work(mut self, inbox: &Receiver<Job>) {
        self.set_hash(DEFAULT_HASH);
        for job in inbox {
            match job {
                Job::Hash(mib) => self.set_hash(mib),
                Job::Threads(threads) => self.histories.resize_with(threads, History::new),
                Job::ClearHash => self.clear_hash(),
                Job::NewGame => {
                    self.clear_hash();
                    self.histories
                        .iter_mut()
                        .for_each(|history| *history = History::new());
                }
                Job::Search(job) => self.search(&job),
                Job::Perft(position, depth, castling, control) => {
                    self.perft(&position, depth, castling, &control);
                }
                Job::Bench(depth, network, control) => self.bench(depth, &network, &control),
                Job::Ping => self.tell(Event::Ready),
            }
        }
    }

    fn tell(&self, event: Event) {
        // Nobody listens only when the process is ending.
        let _ = self.events.send(event);
    }

    fn set_hash(&mut self, mib: u64) {
        // Both tables at once might not fit, so the old one goes first and comes back on failure.
        let old = self.table.take().map(|table| table.mib());
        match Table::new(mib) {
            Ok(table) => self.table = Some(table),
            Err(error) => {
                self.table = old.and_then(|mib| Table::new(mib).ok());
                let kept = old.unwrap_or_default();
                self.tell(Event::Message(format!("{error}; Hash stays at {kept} MiB")));
            }
        }
    }

    fn clear_hash(&mut self) {
        if let Some(table) = &mut self.table {
            table.clear();
        }
    }

    fn search(&mut self, job: &SearchJob) {
        let SearchJob {
            game,
            limits,
            settings,
            control,
        } = job;
        let style = settings.style;
        let Some(table) = &mut self.table else {
            self.tell(Event::Message(
                "no memory for the hash, set Hash to a smaller size".into(),
            ));
            self.tell(Event::BestMove {
                best: None,
                ponder: None,
                style,
            });
            return;
        };
        table.grow_older();
        let task = Task {
            game,
            limits,
            clock: &control.clock,
            stop: &control.stop,
            table,
            multi_pv: settings.multi_pv,
            analysis: settings.analysis,
            network: &settings.network,
        };
        let mut messenger = Messenger {
            events: &self.events,
            style,
        };
        let outcome = search::run(&task, &mut self.histories, &mut messenger);
        control.wait_until_due(limits.infinite);
        let ponder = self.reply(game, &outcome);
        self.tell(Event::BestMove {
            best: outcome.best_move(),
            ponder,
            style,
        });
    }

    /// The expected reply, from the line or from the hash, unless the game would be over with it.
    fn reply(&self, game: &Game, outcome: &Outcome) -> Option<Move> {
        let mut game = game.clone();
        game.play(outcome.best_move()?);
        let position = game.position();
        let from_hash = || {
            self.table
                .as_ref()?
                .probe(position.key())?
                .packed
                .legal_in(position)
        };
        let reply = outcome.pv.get(1).copied().or_else(from_hash)?;
        game.ending(RuleSet::Online).is_none().then_some(())?;
        game.play(reply);
        game.ending(RuleSet::Online).is_none().then_some(reply)
    }

    fn perft(&self, position: &Position, depth: u32, castling: CastlingMode, control: &Control) {
        let start = Instant::now();
        let parts = board::divide(position, depth, &control.stop);
        for (m, nodes) in &parts {
            self.tell(Event::Text(format!(
                "{}: {nodes}",
                board::uci_text(*m, castling)
            )));
        }
        let nodes: u64 = parts.iter().map(|(_, nodes)| nodes).sum();
        let nps = bench::Total {
            nodes,
            time: start.elapsed(),
        }
        .nps();
        self.tell(Event::Text(format!("\n{nodes} nodes {nps} nps")));
        self.tell(Event::Done);
    }

    fn bench(&self, depth: i32, network: &Network, control: &Control) {
        let result = bench::bench(depth, network, &control.stop, |fen, outcome| {
            self.tell(Event::Text(format!(
                "{fen}: {} {}",
                outcome.nodes, outcome.score
            )));
        });
        self.tell(match result {
            Ok(total) => Event::Text(format!("{} nodes {} nps", total.nodes, total.nps())),
            Err(error) => Event::Message(error.to_string()),
        });
        self.tell(Event::Done);
    }
}

/// Passes on what the search finds.
struct Messenger<'a> {
    events: &'a Sender<Event>,
    style: Style,
}

impl Observer for Messenger<'_> {
    fn report(&mut self, report: &Report) {
        let _ = self.events.send(Event::Report(report.clone(), self.style));
    }

    fn current_move(&mut self, depth: i32, m: Move, number: usize) {
        let _ = self
            .events
            .send(Event::CurrentMove(depth, m, number, self.style));
    }
}
