//! `saavedra solve`: how many positions of a test suite are solved, and how fast.
//!
//! A position counts as solved if the move at the end is one of `bm`, none of `am`, or the score a
//! mate at least as short as `dm` (or `bm #N`) says. The time to the solution is when the search found
//! it and did not change its mind again.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use saavedra::board::Position;
use saavedra::clock::Clock;
use saavedra::eval::nnue::Network;
use saavedra::limits::Limits;
use saavedra::rules::Game;
use saavedra::score::Score;
use saavedra::search::{Observer, Report, Task, Team};
use saavedra::tt::{Bound, Table};
use serde::Serialize;
use shakmaty::Move;
use shakmaty::san::SanPlus;

use super::epd::{self, Record};
use super::progress::Progress;
use crate::cli::Solve;

/// What a position asks for.
enum Goal {
    Best(Vec<Move>),
    Avoid(Vec<Move>),
    /// Full moves, negative if the side to move is mated.
    Mate(i32),
}

#[derive(Serialize)]
struct Solution {
    line: usize,
    id: String,
    fen: String,
    solved: bool,
    /// When the solution was found for good, in milliseconds.
    time_ms: Option<u64>,
    nodes: u64,
    depth: i32,
    score: String,
    best_move: Option<String>,
    /// The operation that says what was asked for.
    goal: String,
}

#[derive(Serialize)]
struct Summary {
    file: String,
    solved: usize,
    total: usize,
    /// Mean time to the solution of the solved positions, in milliseconds.
    mean_time_ms: f64,
    nodes: u64,
    positions: Vec<Solution>,
}

pub fn run(args: &Solve) -> anyhow::Result<()> {
    let mut tasks = Vec::new();
    for (line, record) in epd::read_file(&args.file)? {
        let goal =
            Goal::read(&record).with_context(|| format!("{}, line {line}", args.file.display()))?;
        tasks.push((line, record, goal));
    }
    ensure!(
        !tasks.is_empty(),
        "{} holds no position",
        args.file.display()
    );
    let mut table = Table::new(args.hash)?;
    let mut team = Team::new(args.threads.into())?;
    let mut progress = Progress::new(Some(tasks.len() as u64), 0)?;
    let mut positions: Vec<Solution> = Vec::new();
    for (line, record, goal) in &tasks {
        table.clear();
        table.grow_older();
        team.forget();
        positions.push(solve(args, &table, &mut team, (*line, record), goal));
        let solved = positions.iter().filter(|position| position.solved).count();
        let done = positions.len();
        progress.show(done as u64, || format!("{solved} of {done} solved"));
    }
    progress.finish();
    let summary = summarize(args, positions);
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else {
        print(&summary, &mut out)?;
    }
    Ok(())
}

fn summarize(args: &Solve, positions: Vec<Solution>) -> Summary {
    let times: Vec<u64> = positions
        .iter()
        .filter(|p| p.solved)
        .filter_map(|p| p.time_ms)
        .collect();
    Summary {
        file: args.file.display().to_string(),
        solved: positions.iter().filter(|position| position.solved).count(),
        total: positions.len(),
        mean_time_ms: times.iter().sum::<u64>() as f64 / times.len().max(1) as f64,
        nodes: positions.iter().map(|position| position.nodes).sum(),
        positions,
    }
}

fn print(summary: &Summary, out: &mut impl Write) -> anyhow::Result<()> {
    for position in summary.positions.iter().filter(|position| !position.solved) {
        let Solution {
            id,
            fen,
            best_move,
            score,
            goal,
            ..
        } = position;
        let best = best_move.as_deref().unwrap_or("none");
        let id = if id.is_empty() {
            String::new()
        } else {
            format!("{id}: ")
        };
        writeln!(out, "not solved: {id}{fen}: {goal}, found {best} ({score})")?;
    }
    let Summary {
        file,
        solved,
        total,
        mean_time_ms,
        ..
    } = summary;
    writeln!(
        out,
        "{file}: solved {solved} of {total}, these in {mean_time_ms:.0} ms on average"
    )?;
    Ok(())
}

fn solve(
    args: &Solve,
    table: &Table,
    team: &mut Team,
    (line, record): (usize, &Record),
    goal: &Goal,
) -> Solution {
    let endless = args.movetime.is_none() && args.nodes.is_none() && args.depth.is_none();
    let limits = Limits {
        movetime: args
            .movetime
            .or(endless.then_some(1000))
            .map(Duration::from_millis),
        nodes: args.nodes,
        depth: args.depth,
        mate: match goal {
            Goal::Mate(moves) => Some(moves.abs()),
            _ => None,
        },
        ..Limits::default()
    };
    let game = Game::new(record.position.clone());
    let clock = Clock::new(&limits, Duration::ZERO, Instant::now());
    let stop = AtomicBool::new(false);
    let network = Network::builtin();
    let task = Task::new(&game, &limits, &clock, &stop, table, &network);
    let mut watch = Watch { goal, found: None };
    let outcome = team.search(&task, &mut watch);
    let san = |m: Move| SanPlus::from_move(record.position.chess().clone(), m).to_string();
    Solution {
        line,
        id: record
            .operand("id")
            .unwrap_or_default()
            .trim_matches('"')
            .to_string(),
        fen: record.fen.clone(),
        solved: goal.is_met(outcome.best_move(), outcome.score),
        time_ms: watch.found.map(|time| time.as_millis() as u64),
        nodes: outcome.nodes,
        depth: outcome.depth,
        score: outcome.score.to_string(),
        best_move: outcome.best_move().map(san),
        goal: goal_text(record),
    }
}

fn goal_text(record: &Record) -> String {
    let operation = ["dm", "bm", "am"]
        .into_iter()
        .find_map(|code| Some((code, record.operand(code)?)));
    operation.map_or(String::new(), |(code, operand)| format!("{code} {operand}"))
}

/// Notes when the goal was met for good.
struct Watch<'a> {
    goal: &'a Goal,
    found: Option<Duration>,
}

impl Observer for Watch<'_> {
    fn report(&mut self, report: &Report) {
        if report.bound != Bound::Exact {
            return;
        }
        let is_met = self.goal.is_met(report.pv.first().copied(), report.score);
        self.found = if is_met {
            self.found.or(Some(report.time))
        } else {
            None
        };
    }
}

impl Goal {
    fn read(record: &Record) -> anyhow::Result<Goal> {
        if let Some(moves) = record.operand("dm") {
            return Goal::mate(moves).context("dm takes a number of moves");
        }
        if let Some(moves) = record.operand("bm").and_then(|bm| bm.strip_prefix('#')) {
            return Goal::mate(moves.trim()).context("bm # takes a number of moves");
        }
        if let Some(moves) = record.operand("bm") {
            return Ok(Goal::Best(read_moves(&record.position, moves)?));
        }
        if let Some(moves) = record.operand("am") {
            return Ok(Goal::Avoid(read_moves(&record.position, moves)?));
        }
        bail!("no bm, am or dm")
    }

    fn mate(moves: &str) -> anyhow::Result<Goal> {
        let moves: i16 = moves.parse()?;
        Ok(Goal::Mate(moves.into()))
    }

    fn is_met(&self, best: Option<Move>, score: Score) -> bool {
        match self {
            Goal::Best(moves) => best.is_some_and(|m| moves.contains(&m)),
            Goal::Avoid(moves) => best.is_some_and(|m| !moves.contains(&m)),
            Goal::Mate(wanted) => score.mate_moves().is_some_and(|moves| {
                moves.signum() == wanted.signum() && moves.abs() <= wanted.abs()
            }),
        }
    }
}

fn read_moves(position: &Position, text: &str) -> anyhow::Result<Vec<Move>> {
    text.split([' ', ','])
        .filter(|word| !word.is_empty())
        .map(|word| {
            let san: SanPlus = word
                .parse()
                .with_context(|| format!("'{word}' is not a move"))?;
            san.san
                .to_move(position.chess())
                .with_context(|| format!("{word} is not legal"))
        })
        .collect()
}
