//! `saavedra data`: files of training data looked at, checked, joined and written as text.
//!
//! `viriformat` reads and writes games, `filter` says which positions a network learns from.

pub mod filter;
mod statistics;
pub mod viriformat;

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use shakmaty::CastlingMode;

use super::{appended, note};
use crate::cli::{Data, DataConvert, DataFiles, DataMerge};
use statistics::Statistics;
use viriformat::{GameRecord, Games};

pub fn run(command: &Data) -> anyhow::Result<ExitCode> {
    let is_sound = match command {
        Data::Info(args) => info(args)?,
        Data::Verify(args) => verify(args)?,
        Data::Merge(args) => merge(args)?,
        Data::Convert(args) => convert(args)?,
    };
    Ok(if is_sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Calls `each` with every sound game of a file and complains of the others on standard error. Where
/// the file is damaged, reading goes on at the next game. Returns how many games are damaged.
pub fn for_each_game(
    path: &Path,
    mut each: impl FnMut(GameRecord) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let bytes = read_file(path)?;
    let mut damaged = 0;
    for game in Games::new(&bytes) {
        match game {
            Ok(game) => each(game)?,
            Err(damage) => {
                damaged += 1;
                note(format_args!("{}: {damage}", path.display()));
            }
        }
    }
    Ok(damaged)
}

/// The bytes of an ordinary file; devices have no end.
fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let place = || format!("cannot read {}", path.display());
    let metadata = std::fs::metadata(path).with_context(place)?;
    ensure!(metadata.is_file(), "{} is not a file", path.display());
    std::fs::read(path).with_context(place)
}

fn info(args: &DataFiles) -> anyhow::Result<bool> {
    let mut statistics = Statistics::default();
    for path in &args.files {
        statistics.damaged += for_each_game(path, |game| {
            statistics.add(&game);
            Ok(())
        })?;
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &statistics)?;
        writeln!(out)?;
    } else {
        write!(out, "{statistics}")?;
    }
    Ok(statistics.damaged == 0)
}

fn verify(args: &DataFiles) -> anyhow::Result<bool> {
    let mut is_sound = true;
    for path in &args.files {
        let mut games = 0u64;
        let damaged = for_each_game(path, |_| {
            games += 1;
            Ok(())
        })?;
        is_sound &= damaged == 0;
        let mut out = std::io::stdout().lock();
        if args.json {
            let report = serde_json::json!({"file": path, "games": games, "damaged": damaged});
            writeln!(out, "{report}")?;
        } else {
            writeln!(
                out,
                "{}: {games} games are sound, {damaged} damaged",
                path.display()
            )?;
        }
    }
    Ok(is_sound)
}

fn merge(args: &DataMerge) -> anyhow::Result<bool> {
    ensure!(
        !args.out.exists(),
        "{} exists already; choose a new file",
        args.out.display()
    );
    // A file that is not complete has another name.
    let draft = appended(&args.out, ".part");
    let place = || format!("cannot write {}", draft.display());
    let mut out = BufWriter::new(File::create(&draft).with_context(place)?);
    let (mut games, mut duplicates, mut damaged) = (0u64, 0u64, 0);
    let mut seen = HashSet::new();
    for path in &args.files {
        damaged += for_each_game(path, |game| {
            if seen.insert(statistics::fingerprint(&game)) {
                games += 1;
                out.write_all(&game.encode()).with_context(place)
            } else {
                duplicates += 1;
                Ok(())
            }
        })?;
    }
    out.flush().with_context(place)?;
    std::fs::rename(&draft, &args.out).with_context(place)?;
    writeln!(
        std::io::stdout(),
        "{games} games written, {duplicates} duplicates and {damaged} damaged games left out"
    )?;
    Ok(true)
}

fn convert(args: &DataConvert) -> anyhow::Result<bool> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut left = args.limit.unwrap_or(u64::MAX);
    let damaged = for_each_game(&args.file, |game| {
        let result = ["0.0", "0.5", "1.0"][game.result as usize];
        let mut written = Ok(());
        filter::for_each_kept(&game, |position, number| {
            if left > 0 && written.is_ok() {
                left -= 1;
                let fen = position.fen(CastlingMode::Chess960);
                let score = game.plies[number].score;
                written = writeln!(out, "{fen} | {score} | {result}");
            }
        });
        Ok(written?)
    })?;
    out.flush()?;
    Ok(damaged == 0)
}
