//! Games from files to verdicts in the order of the files: one thread reads, many judge.
//!
//! Games travel in batches. Only so many batches may be under way, so memory stays bounded however
//! long one game takes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use crossbeam_channel::{Receiver, Sender, bounded};

use super::judge::{Settings, Verdict, judge};
use super::pgn::Games;
use super::record::Record;

/// Games of a batch.
const BATCH: usize = 32;
/// Batches under way for each thread.
const AHEAD: usize = 4;

/// What comes out, in the order of the input.
pub enum Item {
    Game(usize, Box<Verdict>),
    /// A file of which no more can be read.
    Broken(anyhow::Error),
}

/// Games of one file as they were read, or why there are no more.
struct Batch {
    file: usize,
    games: Vec<Record>,
    error: Option<anyhow::Error>,
}

/// Judges every game of `files`, of which `-` is standard input, with so many threads. `read` counts
/// bytes; `sink` gets what comes out, and ends everything with an error.
pub fn judge_files(
    files: &[PathBuf],
    settings: &Settings,
    threads: usize,
    read: &AtomicU64,
    mut sink: impl FnMut(Item) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let limit = threads * AHEAD;
    let (permit, permits) = bounded(limit);
    for _ in 0..limit {
        permit.send(())?;
    }
    let (to_judge, batches) = bounded::<(u64, Batch)>(limit);
    let (judged, verdicts) = bounded(limit);
    // Everything moves in, so that an early end closes every channel and so ends every thread.
    std::thread::scope(move |scope| {
        scope.spawn(move || read_files(files, read, &permits, &to_judge));
        for _ in 0..threads {
            let (batches, judged) = (batches.clone(), judged.clone());
            scope.spawn(move || {
                for (number, batch) in batches {
                    let items = judge_batch(batch, settings);
                    if judged.send((number, items)).is_err() {
                        return;
                    }
                }
            });
        }
        drop((batches, judged));
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (number, items) in verdicts {
            waiting.insert(number, items);
            while let Some(items) = waiting.remove(&next) {
                items.into_iter().try_for_each(&mut sink)?;
                next += 1;
                // The reader may have come to its end.
                let _ = permit.send(());
            }
        }
        Ok(())
    })
}

fn judge_batch(batch: Batch, settings: &Settings) -> Vec<Item> {
    let games = batch.games.iter();
    let mut items: Vec<Item> = games
        .map(|record| Item::Game(batch.file, Box::new(judge(record, settings))))
        .collect();
    items.extend(batch.error.map(Item::Broken));
    items
}

/// Reads until the end, or until nobody wants more.
fn read_files(
    files: &[PathBuf],
    read: &AtomicU64,
    permits: &Receiver<()>,
    to_judge: &Sender<(u64, Batch)>,
) {
    let mut number = 0;
    for (file, path) in files.iter().enumerate() {
        let mut games = open(path, read);
        loop {
            let batch = read_batch(file, path, &mut games);
            let is_last = batch.games.len() < BATCH;
            if permits.recv().is_err() || to_judge.send((number, batch)).is_err() {
                return;
            }
            number += 1;
            if is_last {
                break;
            }
        }
    }
}

type FileGames<'a> = anyhow::Result<Games<Counting<'a>>>;

fn open<'a>(path: &Path, read: &'a AtomicU64) -> FileGames<'a> {
    let input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(stdin().lock())
    } else {
        Box::new(File::open(path).with_context(|| format!("cannot read {}", path.display()))?)
    };
    Games::new(Counting { input, read }).with_context(|| format!("cannot read {}", path.display()))
}

fn read_batch(file: usize, path: &Path, games: &mut FileGames<'_>) -> Batch {
    let mut batch = Batch {
        file,
        games: Vec::with_capacity(BATCH),
        error: None,
    };
    match games {
        Err(error) => batch.error = Some(std::mem::replace(error, anyhow::anyhow!("told"))),
        Ok(games) => {
            while batch.games.len() < BATCH {
                match games.next() {
                    Ok(Some(record)) => batch.games.push(record),
                    Ok(None) => break,
                    Err(error) => {
                        let place = || format!("cannot read {}", path.display());
                        batch.error = Some(Err::<(), _>(error).with_context(place).unwrap_err());
                        break;
                    }
                }
            }
        }
    }
    batch
}

/// Input whose bytes are counted.
struct Counting<'a> {
    input: Box<dyn Read>,
    read: &'a AtomicU64,
}

impl Read for Counting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
