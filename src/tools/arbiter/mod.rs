//! `saavedra arbiter`: what an arbiter would say about games and positions.
//!
//! `source` and `pgn` read anything that calls itself PGN into a `record`; `notation` and `language`
//! make moves of its words, `lookahead` settles doubtful ones, `illegal` says why a move is none;
//! `judge` has a game followed by the rules of `saavedra::rules`: `course` plays its moves, with `claims`
//! for draws by claim; `outcome` looks at its end, with `death` for dead positions and `termination` for fallen flags; `told` sums up.
//! Each thing that is found is a `finding`. `stream` does this with
//! many threads, `report` prints it. `position` answers for single positions.

mod claims;
mod course;
mod death;
mod diagram;
mod finding;
mod illegal;
mod judge;
mod language;
mod lookahead;
mod notation;
mod outcome;
mod pgn;
mod position;
mod record;
mod report;
mod slips;
mod source;
mod stream;
mod termination;
mod told;
mod words;

use std::io::{BufWriter, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use saavedra::rules::RuleSet;

use self::judge::Settings;
use self::report::Summary;
use self::stream::Item;
use super::progress::Progress;
use super::{note, threads};
use crate::cli::{Arbiter, Rules, Side};

/// Files shorter than this are done before a bar can be read.
const LONG: u64 = 16 << 20;

/// Nothing to object to, errors, and input that cannot be read.
const CLEAN: u8 = 0;
const ERRORS: u8 = 1;
const UNREADABLE: u8 = 2;

pub fn run(args: &Arbiter) -> anyhow::Result<ExitCode> {
    let settings = Settings {
        rules: match args.rules {
            Rules::Fide => RuleSet::Fide,
            Rules::Online => RuleSet::Online,
        },
        flag: args.flag.map(|side| match side {
            Side::White => shakmaty::Color::White,
            Side::Black => shakmaty::Color::Black,
        }),
        nodes: args.nodes,
    };
    let code = match (&args.fen, &args.fens) {
        (None, None) if args.moves.is_empty() => games(args, &settings)?,
        (_, Some(file)) => position::run_file(file, args, &settings)?,
        (fen, None) => position::run_one(fen.as_deref(), args, &settings)?,
    };
    Ok(ExitCode::from(code))
}

fn games(args: &Arbiter, settings: &Settings) -> anyhow::Result<u8> {
    let read = AtomicU64::new(0);
    let sizes = args.files.iter().map(|path| std::fs::metadata(path).ok());
    let size: Option<u64> = sizes
        .map(|data| data.filter(|d| d.is_file()).map(|d| d.len()))
        .sum();
    let is_long = size.is_none_or(|size| size >= LONG);
    let mut progress = is_long
        .then(|| Progress::new(size.map(mebibytes), 0))
        .transpose()?;
    let mut out = BufWriter::new(std::io::stdout());
    let mut summary = Summary::default();
    let mut is_unreadable = false;
    let name_files = args.files.len() > 1;
    stream::judge_files(
        &args.files,
        settings,
        threads(args.threads),
        &read,
        |item| {
            let (file, verdict) = match item {
                Item::Game(file, verdict) => (file, verdict),
                Item::Broken(error) => {
                    is_unreadable = true;
                    note(format_args!("saavedra: {error:#}"));
                    return Ok(());
                }
            };
            summary.add(&verdict);
            let file = args.files[file].display().to_string();
            let mut text = Vec::new();
            if args.json {
                let line = report::with_file(&verdict, &file)?;
                writeln!(text, "{line}")?;
            } else {
                report::print_game(&verdict, name_files.then_some(&file), &mut text)?;
            }
            if let Some(progress) = &mut progress {
                let done = mebibytes(read.load(Ordering::Relaxed));
                let (games, errors) = (summary.games, summary.errors);
                progress.show(done, || {
                    format!("{done} MiB, {games} games, {errors} errors")
                });
                if !text.is_empty() {
                    progress.suspend(|| out.write_all(&text).and_then(|()| out.flush()))?;
                }
            } else {
                out.write_all(&text)?;
            }
            Ok(())
        },
    )?;
    if let Some(progress) = progress {
        progress.finish();
    }
    if summary.games == 0 && !is_unreadable {
        is_unreadable = true;
        note("saavedra: no game was found");
    }
    if args.json {
        writeln!(out, "{}", serde_json::json!({ "summary": summary }))?;
    } else if summary.games > 0 {
        summary.print(&mut out)?;
    }
    out.flush()?;
    Ok(match (is_unreadable, summary.errors) {
        (true, _) => UNREADABLE,
        (false, 0) => CLEAN,
        (false, _) => ERRORS,
    })
}

fn mebibytes(bytes: u64) -> u64 {
    bytes >> 20
}
