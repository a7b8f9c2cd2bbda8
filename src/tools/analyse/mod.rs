//! `saavedra analyse`: what was good and bad in games.
//!
//! `source` reads them, `tree` holds moves with annotations, `evaluate` searches their positions,
//! `judge` weighs what moves lost, `eval` shows scores, `pgn`, `json` and `graph` write, `output` keeps
//! the file and resumes it. This file sets them to work: some threads search, this one listens and
//! writes each game when it and all before it are finished.

mod eval;
mod evaluate;
mod graph;
mod json;
mod judge;
mod output;
mod pgn;
mod source;
mod tree;

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use crossbeam_channel::{Receiver, unbounded};
use saavedra::limits::Limits;
use shakmaty::{ByColor, Color};

use super::progress::Progress;
use super::{note, refuse_to_overwrite, threads};
use crate::cli::Analyse;
use evaluate::{Found, Searcher, Settings, stretches};
use judge::{Summary, Verdict};
use output::Format;
use source::Source;

/// Positions of each search if nothing else is asked for: about a second.
const NODES: u64 = 1_000_000;

/// What is known of a game in the end.
pub struct Analysis {
    /// Before each move and after the last.
    found: Vec<Found>,
    /// Of each move.
    verdicts: Vec<Verdict>,
    summaries: ByColor<Summary>,
}

impl Analysis {
    fn new(source: &Source, found: Vec<Found>) -> Analysis {
        let (verdicts, summaries) = judge::judge(source.start.turn(), &source.moves(), &found);
        Analysis {
            found,
            verdicts,
            summaries,
        }
    }
}

/// Index of a game, plies before a position of it, and what was found there.
type Message = (usize, usize, Found);

pub fn run(args: &Analyse) -> anyhow::Result<ExitCode> {
    let sources = source::read_file(&args.file)?;
    for (number, source) in (1..).zip(&sources) {
        let place = format!("{}, game {number} ({source})", args.file.display());
        if let Some(fault) = &source.fault {
            note(format_args!(
                "{place}: {fault}; the game is kept up to there"
            ));
        }
        if source.cut_variations > 0 {
            note(format_args!(
                "{place}: variations that are kept only up to a move that is not legal: {}",
                source.cut_variations
            ));
        }
    }
    let settings = settings(args);
    let mut writer = Writer::open(args, &sources)?;
    let stop = Arc::new(AtomicBool::new(false));
    let on_interrupt = Arc::clone(&stop);
    ctrlc::set_handler(move || on_interrupt.store(true, Ordering::Relaxed))
        .context("cannot listen for Ctrl-C")?;

    let first = writer.written;
    let todo: Vec<_> = (first..sources.len())
        .flat_map(|game| stretches(game, &sources[game]))
        .collect();
    let searchers = (0..threads(args.threads).min(todo.len()))
        .map(|_| Searcher::new(&settings, &stop))
        .collect::<Result<Vec<_>, _>>()?;
    let next = AtomicUsize::new(0);
    let (sender, messages) = unbounded();
    std::thread::scope(|scope| {
        for mut searcher in searchers {
            let (todo, next, stop) = (&todo, &next, &*stop);
            let (sources, sender) = (&sources, sender.clone());
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed)
                    && let Some(stretch) = todo.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let game = stretch.game;
                    searcher.search(&sources[game], stretch, |ply, found| {
                        // Nobody listens any more only when the run is ending.
                        let _ = sender.send((game, ply, found));
                    });
                }
            });
        }
        drop(sender);
        let result = listen(&mut writer, &messages);
        stop.store(true, Ordering::Relaxed);
        result
    })?;
    writer.print_summaries()?;
    if writer.written < sources.len() {
        note(format_args!(
            "interrupted after game {} of {}",
            writer.written,
            sources.len()
        ));
    }
    let is_whole = sources.iter().all(|source| source.fault.is_none());
    Ok(if is_whole && writer.written == sources.len() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn settings(args: &Analyse) -> Settings {
    let is_bounded = args.nodes.is_some() || args.movetime.is_some() || args.depth.is_some();
    Settings {
        limits: Limits {
            nodes: args.nodes.or((!is_bounded).then_some(NODES)),
            movetime: args.movetime.map(Duration::from_millis),
            depth: args.depth,
            ..Limits::default()
        },
        multi_pv: args.multipv.into(),
        hash: args.hash,
    }
}

/// Engine and settings in words: what a result depends on.
fn describe(settings: &Settings) -> String {
    let Settings {
        limits,
        multi_pv,
        hash,
    } = settings;
    let limits = [
        limits.nodes.map(|nodes| format!("{nodes} nodes")),
        limits
            .movetime
            .map(|time| format!("{} ms", time.as_millis())),
        limits.depth.map(|depth| format!("depth {depth}")),
    ];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    format!(
        "Saavedra {}, {} a position, {multi_pv} {}, {hash} MiB",
        env!("CARGO_PKG_VERSION"),
        limits.join(", "),
        if *multi_pv == 1 { "line" } else { "lines" },
    )
}

/// Collects what was found and has games written, until no searcher is left.
fn listen(writer: &mut Writer, messages: &Receiver<Message>) -> anyhow::Result<()> {
    let sources = writer.sources;
    let positions: usize = (sources[writer.written..].iter())
        .flat_map(|source| stretches(0, source))
        .map(|stretch| stretch.len())
        .sum();
    let mut progress = Progress::new(Some(positions as u64), 0)?;
    let mut waiting: HashMap<usize, Vec<Option<Found>>> = HashMap::new();
    let mut searched = 0;
    writer.write_finished(&mut waiting)?;
    for (game, ply, found) in messages {
        let plies = sources[game].line.moves.len();
        waiting.entry(game).or_insert_with(|| vec![None; plies + 1])[ply] = Some(found);
        writer.write_finished(&mut waiting)?;
        searched += 1;
        progress.show(searched as u64, || {
            let percent = 100 * searched / positions.max(1);
            format!("{percent} %, {} of {} games", writer.written, sources.len())
        });
    }
    progress.finish();
    Ok(())
}

/// Writes games and their pictures in order.
struct Writer<'a> {
    sources: &'a [Source],
    /// How many of them are written.
    written: usize,
    file: Option<std::fs::File>,
    format: Format,
    graph: Option<&'a Path>,
    how: String,
    /// Of the games that this run wrote, by index.
    summaries: Vec<(usize, ByColor<Summary>)>,
}

impl<'a> Writer<'a> {
    fn open(args: &'a Analyse, sources: &'a [Source]) -> anyhow::Result<Writer<'a>> {
        let format = if args.json { Format::Json } else { Format::Pgn };
        let how = describe(&settings(args));
        if let Some(folder) = args.graph.as_deref().and_then(Path::parent) {
            let exists = folder.as_os_str().is_empty() || folder.is_dir();
            ensure!(exists, "there is no folder {}", folder.display());
        }
        if let Some(graph) = &args.graph {
            refuse_to_overwrite(&args.file, graph)?;
            (args.out.iter()).try_for_each(|out| refuse_to_overwrite(out, graph))?;
        }
        let (file, written) = match &args.out {
            Some(path) => {
                let (file, written) = output::open(path, args.resume, format, sources, &how)?;
                if written > 0 {
                    note(format_args!(
                        "{}: going on after game {written}",
                        path.display()
                    ));
                }
                (Some(file), written)
            }
            None => (None, 0),
        };
        Ok(Writer {
            sources,
            written,
            file,
            format,
            graph: args.graph.as_deref(),
            how,
            summaries: Vec::new(),
        })
    }

    /// Writes the games that are finished, as long as none before them is missing.
    fn write_finished(
        &mut self,
        waiting: &mut HashMap<usize, Vec<Option<Found>>>,
    ) -> anyhow::Result<()> {
        while let Some(source) = self.sources.get(self.written) {
            let is_finished = match waiting.get(&self.written) {
                Some(found) => found.iter().all(Option::is_some),
                None => source.line.moves.is_empty(),
            };
            if !is_finished {
                return Ok(());
            }
            let found = waiting.remove(&self.written).unwrap_or_default();
            let found = found.into_iter().flatten().collect();
            self.write(source, &Analysis::new(source, found))?;
        }
        Ok(())
    }

    fn write(&mut self, source: &Source, analysis: &Analysis) -> anyhow::Result<()> {
        let number = self.written + 1;
        let record = self.format.write(number, source, analysis, &self.how);
        // The picture first, so that a game in the file has one, but a game is not lost for it.
        let picture = match self.graph {
            Some(path) if !source.line.moves.is_empty() => {
                graph::write_svg(&self.picture_path(path), source, analysis)
            }
            _ => Ok(()),
        };
        match &mut self.file {
            Some(file) => output::append(file, &record).context("cannot write the games")?,
            None => output::append(&mut std::io::stdout().lock(), &record)?,
        }
        self.summaries
            .push((self.written, analysis.summaries.clone()));
        self.written = number;
        picture
    }

    /// `game.svg`, or `game-2.svg` for the second of several games.
    fn picture_path(&self, path: &Path) -> PathBuf {
        if self.sources.len() == 1 {
            return path.to_path_buf();
        }
        let stem = path.file_stem().unwrap_or_default().display();
        let mut name = format!("{stem}-{}", self.written + 1);
        if let Some(extension) = path.extension() {
            name.push_str(&format!(".{}", extension.display()));
        }
        path.with_file_name(name)
    }

    /// Tells how the sides did, where standard output does not have the games themselves.
    fn print_summaries(&self) -> anyhow::Result<()> {
        if self.file.is_none() {
            return Ok(());
        }
        let mut out = std::io::stdout().lock();
        for (game, summaries) in &self.summaries {
            let source = &self.sources[*game];
            writeln!(out, "{}. {source} {}", game + 1, source.result)?;
            for side in Color::ALL {
                let summary = &summaries[side];
                if summary.moves > 0 {
                    writeln!(out, "   {side}: {}", pgn::describe(summary))?;
                }
            }
        }
        Ok(())
    }
}
