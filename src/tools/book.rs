//! `saavedra book`: opening books built from lines or games, shown, and checked by the engine itself.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use saavedra::board::{Position, uci_text};
use saavedra::book::{self, Book};
use saavedra::clock::Clock;
use saavedra::eval::nnue::Network;
use saavedra::limits::Limits;
use saavedra::rules::Game;
use saavedra::score::Score;
use saavedra::search::{Silent, Task, Team};
use saavedra::tt::Table;
use shakmaty::san::{San, SanPlus};
use shakmaty::{CastlingMode, Move};

use super::openings::{self, Opening};
use super::progress::Progress;
use super::{read_lines, refuse_to_overwrite};
use crate::cli::{BookBuild, BookCheck, BookCommand, BookShow};

pub fn run(command: &BookCommand) -> anyhow::Result<ExitCode> {
    match command {
        BookCommand::Build(args) => build(args).map(|()| ExitCode::SUCCESS),
        BookCommand::Show(args) => show(args).map(|()| ExitCode::SUCCESS),
        BookCommand::Check(args) => check(args),
    }
}

fn build(args: &BookBuild) -> anyhow::Result<()> {
    let lines: Vec<Opening> = if openings::is_pgn(&args.source) {
        openings::read(&args.source)?
    } else {
        let lines = read_lines(&args.source, read_line)?;
        lines.into_iter().map(|(_, line)| line).collect()
    };
    // A move weighs as much as lines go through it.
    let mut counts: HashMap<(u64, Move), (Position, u32)> = HashMap::new();
    for line in &lines {
        let mut position = line.start().clone();
        for &m in line.moves().iter().take(args.plies) {
            let place = counts.entry((book::key(&position), m));
            place.or_insert_with(|| (position.clone(), 0)).1 += 1;
            position.play(m);
        }
    }
    counts.retain(|_, (_, count)| *count >= args.min_games);
    ensure!(
        !counts.is_empty(),
        "{} leads to no move",
        args.source.display()
    );
    let most = counts.values().map(|(_, count)| *count).max().unwrap_or(1);
    let weight = |count: u32| {
        (u64::from(count) * u64::from(u16::MAX) / u64::from(most.max(u16::MAX.into()))).max(1)
            as u16
    };
    let mut moves: Vec<_> = counts
        .iter()
        .map(|((_, m), (position, count))| (position, *m, weight(*count)))
        .collect();
    // Equal weights in the order of the moves, so that the file does not depend on chance.
    moves.sort_by_key(|(_, m, _)| (m.from(), m.to(), m.promotion()));
    let book = Book::from_moves(moves);
    refuse_to_overwrite(&args.source, &args.out)?;
    std::fs::write(&args.out, book.to_bytes())
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    writeln!(
        std::io::stdout(),
        "{}: {} moves of {} lines",
        args.out.display(),
        book.len(),
        lines.len()
    )?;
    Ok(())
}

/// A line `NAME: MOVE MOVE …`.
fn read_line(line: &str) -> anyhow::Result<Opening> {
    let (_, moves) = line.split_once(':').context("no colon after the name")?;
    let mut position = Position::startpos();
    let moves = moves
        .split_whitespace()
        .map(|text| {
            let san: San = text
                .parse()
                .with_context(|| format!("'{text}' is not a move"))?;
            let m = san.to_move(position.chess()).with_context(|| {
                format!(
                    "{text} is not legal in {}",
                    position.fen(CastlingMode::Standard)
                )
            })?;
            position.play(m);
            Ok(m)
        })
        .collect::<anyhow::Result<Vec<Move>>>()?;
    Ok(Opening::of_moves(moves))
}

fn open(path: Option<&Path>) -> anyhow::Result<Arc<Book>> {
    match path {
        Some(path) => {
            let book =
                Book::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            Ok(Arc::new(book))
        }
        None => Ok(Book::builtin()),
    }
}

fn show(args: &BookShow) -> anyhow::Result<()> {
    let book = open(args.book.as_deref())?;
    let position = match &args.fen {
        Some(fen) => Position::from_fen(fen).with_context(|| format!("'{fen}'"))?,
        None => Position::startpos(),
    };
    let moves = book.moves(&position);
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "key {:016x}, {} moves",
        book::key(&position),
        moves.len()
    )?;
    let total: u32 = moves.iter().map(|choice| u32::from(choice.weight)).sum();
    for choice in moves {
        let san = SanPlus::from_move(position.chess().clone(), choice.m);
        let uci = uci_text(choice.m, CastlingMode::Standard);
        let share = 100.0 * f64::from(choice.weight) / f64::from(total.max(1));
        writeln!(out, "{uci:<6} {san:<8} {:>6} {share:>5.1}%", choice.weight)?;
    }
    Ok(())
}

/// How many times as many positions are searched before a move is called bad.
const CONFIRMING: u64 = 10;

/// Searches every position that the book leads to, and every book move in it.
fn check(args: &BookCheck) -> anyhow::Result<ExitCode> {
    let book = open(args.book.as_deref())?;
    let positions = reachable(&book);
    let moves: usize = positions
        .iter()
        .map(|position| book.moves(position).len())
        .sum();
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} moves in {} positions from the start, {} of the book's {} out of reach or illegal",
        moves,
        positions.len(),
        book.len() - moves,
        book.len()
    )?;
    let mut table = Table::new(args.hash)?;
    let mut progress = Progress::new(Some(positions.len() as u64), 0)?;
    let mut bad = 0;
    for (number, position) in positions.iter().enumerate() {
        let mut value =
            |m: Option<Move>, nodes: u64| value(&mut table, position, m, nodes).normalised();
        let best = value(None, args.nodes);
        for choice in book.moves(position) {
            if best - value(Some(choice.m), args.nodes) <= args.margin {
                continue;
            }
            // What refutes the move that seems better may lie deeper.
            let nodes = args.nodes.saturating_mul(CONFIRMING);
            let (best, found) = (value(None, nodes), value(Some(choice.m), nodes));
            if best - found > args.margin {
                bad += 1;
                let san = SanPlus::from_move(position.chess().clone(), choice.m);
                writeln!(
                    out,
                    "{}: {san} is worth {found}, the best move {best}",
                    position.fen(CastlingMode::Standard),
                )?;
            }
        }
        progress.show(number as u64 + 1, || format!("{bad} doubtful"));
    }
    progress.finish();
    writeln!(out, "{bad} moves lose more than {} centipawns", args.margin)?;
    Ok(if bad == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn reachable(book: &Book) -> Vec<Position> {
    let mut seen = std::collections::HashSet::new();
    let mut open = vec![Position::startpos()];
    let mut positions = Vec::new();
    while let Some(position) = open.pop() {
        let moves = book.moves(&position);
        if !moves.is_empty() && seen.insert(book::key(&position)) {
            open.extend(moves.iter().map(|choice| position.after(choice.m)));
            positions.push(position);
        }
    }
    positions
}

/// What a search thinks of a position, or of one move in it.
fn value(table: &mut Table, position: &Position, only: Option<Move>, nodes: u64) -> Score {
    table.grow_older();
    let limits = Limits {
        nodes: Some(nodes),
        searchmoves: only.map(|m| vec![m]),
        ..Limits::default()
    };
    let game = Game::new(position.clone());
    let clock = Clock::new(&limits, Duration::ZERO, Instant::now());
    let stop = AtomicBool::new(false);
    let network = Network::builtin();
    let task = Task::new(&game, &limits, &clock, &stop, table, &network);
    Team::default().search(&task, &mut Silent).score
}
