//! `saavedra perft`: counts the leaves of the move tree, of one position or against a file of counts.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use saavedra::board::{Position, divide, perft, uci_text};
use saavedra::search::bench::Total;
use shakmaty::CastlingMode;

use super::epd::{self, Record};
use crate::cli::Perft;

pub fn run(args: &Perft) -> anyhow::Result<ExitCode> {
    match &args.epd {
        Some(path) => check_file(args, path),
        None => {
            let position = match &args.fen {
                Some(fen) => Position::from_fen(fen).with_context(|| format!("in '{fen}'"))?,
                None => Position::startpos(),
            };
            let start = Instant::now();
            let mut out = std::io::stdout().lock();
            let nodes = print_divide(&position, args.depth.unwrap_or(5), &mut out)?;
            let total = Total {
                nodes,
                time: start.elapsed(),
            };
            writeln!(out, "\n{} nodes {} nps", total.nodes, total.nps())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn print_divide(position: &Position, depth: u32, out: &mut impl Write) -> anyhow::Result<u64> {
    let parts = divide(position, depth, &AtomicBool::new(false));
    for (m, nodes) in &parts {
        writeln!(out, "{}: {nodes}", uci_text(*m, CastlingMode::Chess960))?;
    }
    Ok(parts.iter().map(|(_, nodes)| nodes).sum())
}

/// One count to check.
struct Check<'r> {
    number: usize,
    record: &'r Record,
    depth: u32,
    expected: u64,
}

fn check_file(args: &Perft, path: &Path) -> anyhow::Result<ExitCode> {
    let records = epd::read_file(path)?;
    let checks = checks(args, path, &records)?;
    anyhow::ensure!(
        !checks.is_empty(),
        "{} holds no count to check",
        path.display()
    );
    let bar = ProgressBar::new(checks.iter().map(|check| check.expected).sum());
    bar.set_style(ProgressStyle::with_template(
        "{bar:30} {percent}% {human_pos} of {human_len} leaves, {eta} left",
    )?);
    let start = Instant::now();
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<(usize, u64)>> = Mutex::new(None);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..args.threads {
            scope.spawn(|| {
                while let Some(check) = checks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = perft(&check.record.position, check.depth, &stop);
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    if found != check.expected {
                        stop.store(true, Ordering::Relaxed);
                        let index = checks.iter().position(|c| std::ptr::eq(c, check));
                        if let (Some(index), Ok(mut failed)) = (index, failed.lock()) {
                            *failed = Some((index, found));
                        }
                        return;
                    }
                    bar.inc(check.expected);
                }
            });
        }
    });
    bar.finish_and_clear();
    let failed = failed.into_inner().ok().flatten();
    let mut out = std::io::stdout().lock();
    if let Some((index, found)) = failed {
        let Check {
            number,
            record,
            depth,
            expected,
        } = &checks[index];
        writeln!(out, "line {number}: {}", record.fen)?;
        writeln!(
            out,
            "depth {depth}: {found} leaves, expected {expected}; by move:"
        )?;
        print_divide(&record.position, *depth, &mut out)?;
        return Ok(ExitCode::FAILURE);
    }
    let nodes = checks.iter().map(|check| check.expected).sum();
    let total = Total {
        nodes,
        time: start.elapsed(),
    };
    writeln!(
        out,
        "{} positions, {} counts, all right",
        records.len(),
        checks.len()
    )?;
    writeln!(out, "{} nodes {} nps", total.nodes, total.nps())?;
    Ok(ExitCode::SUCCESS)
}

fn checks<'r>(
    args: &Perft,
    path: &Path,
    records: &'r [(usize, Record)],
) -> anyhow::Result<Vec<Check<'r>>> {
    let mut checks = Vec::new();
    for (number, record) in records {
        for (code, operand) in &record.operations {
            let Some(depth) = code.strip_prefix('D').and_then(|depth| depth.parse().ok()) else {
                continue;
            };
            let expected = operand.parse().with_context(|| {
                let file = path.display();
                format!("{file}, line {number}: '{operand}' is not a count")
            })?;
            if expected <= args.max_nodes && args.depth.is_none_or(|greatest| depth <= greatest) {
                checks.push(Check {
                    number: *number,
                    record,
                    depth,
                    expected,
                });
            }
        }
    }
    Ok(checks)
}
