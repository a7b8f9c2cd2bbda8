//! The actor: works off jobs one after the other, on a thread of its own, and tells what happens.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};
use shakmaty::{CastlingMode, Move};

use super::control::Control;
use super::genfens::{self, Genfens};
use super::{DEFAULT_HASH, Event, Settings, Style, speedtest};
use crate::board::{self, Position};
use crate::eval::nnue::Network;
use crate::limits::Limits;
use crate::rules::{Game, RuleSet};
use crate::search::{Observer, Outcome, Report, Task, Team, bench};
use crate::tablebase::Tablebases;
use crate::tt::Table;

const NO_HASH: &str = "no memory for the hash, set Hash to a smaller size";

/// What the actor is to do.
pub enum Job {
    Hash(u64),
    Threads(usize),
    Tablebases(String),
    ClearHash,
    NewGame,
    Search(Box<SearchJob>),
    Perft(Box<Position>, u32, CastlingMode, Arc<Control>),
    Bench(i32, Arc<Network>, Arc<Control>),
    Speedtest(Duration, Arc<Network>, Arc<Control>),
    Genfens(Box<Genfens>, Settings, Arc<Control>),
    Ping,
}

/// A search and what it takes into account.
pub struct SearchJob {
    pub game: Game,
    pub limits: Limits,
    pub settings: Settings,
    pub control: Arc<Control>,
}

/// What lives on the search thread.
pub struct Actor {
    events: Sender<Event>,
    table: Option<Table>,
    team: Team,
    tablebases: Option<Tablebases>,
}

impl Actor {
    pub fn new(events: Sender<Event>) -> Actor {
        Actor {
            events,
            table: None,
            team: Team::default(),
            tablebases: None,
        }
    }

    pub fn work(mut self, inbox: &Receiver<Job>) {
        self.set_hash(DEFAULT_HASH);
        for job in inbox {
            match job {
                Job::Hash(mib) => self.set_hash(mib),
                Job::Threads(threads) => self.set_threads(threads),
                Job::Tablebases(path) => self.set_tablebases(&path),
                Job::ClearHash => self.clear_hash(),
                Job::NewGame => {
                    self.clear_hash();
                    self.team.forget();
                }
                Job::Search(job) => self.search(&job),
                Job::Perft(position, depth, castling, control) => {
                    self.perft(&position, depth, castling, &control);
                }
                Job::Bench(depth, network, control) => self.bench(depth, &network, &control),
                Job::Speedtest(time, network, control) => {
                    self.speedtest(time, &network, &control);
                }
                Job::Genfens(wanted, settings, control) => {
                    self.genfens(&wanted, &settings, &control);
                }
                Job::Ping => {
                    // Whoever asks waits for the answer: the time for what would slow down a search.
                    if let Some(table) = &mut self.table {
                        table.touch();
                    }
                    self.tell(Event::Ready);
                }
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

    fn set_threads(&mut self, threads: usize) {
        if let Err(error) = self.team.resize(threads) {
            let kept = self.team.threads();
            self.tell(Event::Message(format!(
                "{threads} threads cannot be had: {error}; Threads stays at {kept}"
            )));
        }
    }

    fn set_tablebases(&mut self, path: &str) {
        // Scores in the hash may come from the old ones, or from having had none.
        self.clear_hash();
        self.tablebases = None;
        if path.is_empty() {
            return;
        }
        let (tables, complaints) = Tablebases::open(path);
        for complaint in complaints {
            self.tell(Event::Message(format!("SyzygyPath: {complaint}")));
        }
        let (files, men) = (tables.files(), tables.men());
        self.tell(Event::Message(format!(
            "found {files} tablebase files of up to {men} men"
        )));
        self.tablebases = (files > 0).then_some(tables);
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
            self.tell(Event::Message(NO_HASH.into()));
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
            handicap: settings.handicap,
            network: &settings.network,
            tables: (self.tablebases.as_ref()).map(|tables| (tables, &settings.tables)),
        };
        let mut messenger = Messenger {
            events: &self.events,
            style,
        };
        let outcome = self.team.search(&task, &mut messenger);
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

    fn speedtest(&mut self, time: Duration, network: &Network, control: &Control) {
        let Some(table) = &mut self.table else {
            self.tell(Event::Message(NO_HASH.into()));
            self.tell(Event::Done);
            return;
        };
        let tell = |text| {
            // Nobody listens only when the process is ending.
            let _ = self.events.send(Event::Text(text));
        };
        let (threads, mib) = (self.team.threads(), table.mib());
        tell(format!(
            "threads {threads}, hash {mib} MiB, {} seconds",
            time.as_secs()
        ));
        let team = &mut self.team;
        let total = speedtest::speedtest(time, network, table, team, &control.stop, |game| {
            tell(game.to_string());
        });
        tell(format!("{} nodes {} nps", total.nodes, total.nps()));
        self.tell(Event::Done);
    }

    fn genfens(&self, wanted: &Genfens, settings: &Settings, control: &Control) {
        let result = genfens::generate(wanted, &settings.network, &control.stop, |position| {
            self.tell(Event::Opening(Box::new(position.clone()), settings.style));
        });
        if let Err(error) = result {
            self.tell(Event::Message(format!("genfens: {error}")));
        }
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
