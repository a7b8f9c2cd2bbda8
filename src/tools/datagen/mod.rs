//! `saavedra datagen`: games of the engine against itself, for a network to learn from.
//!
//! `opening` draws where a game begins, `game` plays it, this file sets the cores to work and writes
//! what they play. A game depends only on its number, the seed and the settings, and games are
//! written in order of their numbers; so the file is the same whatever the number of threads, and an
//! interrupted run goes on where its file ends.

mod game;
mod opening;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use crossbeam_channel::{Receiver, unbounded};

use super::data::filter;
use super::data::viriformat::{Frame, GameRecord, ReadError, Reader};
use super::openings;
use super::progress::Progress;
use crate::cli::Datagen;
use game::Player;
use opening::Starts;

pub fn run(args: &Datagen) -> anyhow::Result<()> {
    let starts = starts(args)?;
    let player = || {
        Player::new(&starts, args.seed, args.soft, args.hard)
            .context("a worker has no memory for its hash")
    };
    let (mut file, played) = open(&args.out, player()?)?;
    if played > 0 {
        eprintln!("{}: going on after game {played}", args.out.display());
    }
    let stop = Arc::new(AtomicBool::new(false));
    let on_interrupt = Arc::clone(&stop);
    ctrlc::set_handler(move || on_interrupt.store(true, Ordering::Relaxed))
        .context("cannot listen for Ctrl-C")?;

    let started = Instant::now();
    let is_over = || {
        stop.load(Ordering::Relaxed)
            || (args.seconds).is_some_and(|seconds| started.elapsed().as_secs() >= seconds)
    };
    let next = AtomicU64::new(played);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, usize::from);
    let players = (0..threads)
        .map(|_| player())
        .collect::<anyhow::Result<Vec<_>>>()?;
    let (sender, games) = unbounded();
    std::thread::scope(|scope| {
        for mut player in players {
            let (sender, next, is_over) = (sender.clone(), &next, &is_over);
            scope.spawn(move || {
                while !is_over() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if args.games.is_some_and(|games| number >= games)
                        || sender.send((number, player.play(number))).is_err()
                    {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut progress = Progress::new(args.games, played)?;
        let result = write(&mut file, played, &games, &mut progress, started);
        progress.finish();
        let tally = result.with_context(|| format!("cannot write {}", args.out.display()))?;
        println!("{}", tally.line(started.elapsed()));
        anyhow::Ok(())
    })
}

fn starts(args: &Datagen) -> anyhow::Result<Starts> {
    let mut listed = Vec::new();
    for path in &args.openings {
        let openings = openings::read(path)?;
        listed.extend(
            openings
                .iter()
                .map(|opening| opening.game().position().clone()),
        );
    }
    let listed_share = if listed.is_empty() {
        0
    } else {
        args.openings_share
    };
    ensure!(
        args.frc + listed_share <= 100,
        "--frc and --openings-share together exceed 100 percent"
    );
    Ok(Starts {
        frc_share: args.frc,
        listed_share,
        listed,
    })
}

/// Opens the file to append to and counts its games. A game that was cut off is removed, and the last
/// whole one is played again to make sure that it came from the same seed and settings.
fn open(path: &Path, mut player: Player) -> anyhow::Result<(File, u64)> {
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))?;
    let mut reader = Reader::new(BufReader::new(&mut file));
    let (mut count, mut last): (u64, Option<Frame>) = (0, None);
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => {
                count += 1;
                last = Some(frame);
            }
            Ok(None) | Err(ReadError::Truncated(_)) => break,
            Err(ReadError::Io(error)) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        }
    }
    let end = last.as_ref().map_or(0, |frame| frame.offset + frame.len());
    if let Some(frame) = last {
        let is_same = frame
            .decode()
            .is_ok_and(|game| game.encode() == player.play(count - 1).encode());
        ensure!(
            is_same,
            "{} holds games of another seed, other settings or another engine; choose a new file",
            path.display()
        );
    }
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok((file, count))
}

/// Writes games as they come, in order of their numbers, from `number` on.
fn write(
    file: &mut File,
    mut number: u64,
    games: &Receiver<(u64, GameRecord)>,
    progress: &mut Progress,
    started: Instant,
) -> std::io::Result<Tally> {
    let mut tally = Tally::default();
    let mut waiting = BTreeMap::new();
    for (played, game) in games {
        waiting.insert(played, game);
        while let Some(game) = waiting.remove(&number) {
            file.write_all(&game.encode())?;
            tally.add(&game);
            number += 1;
        }
        progress.show(number, || tally.line(started.elapsed()));
    }
    Ok(tally)
}

/// What was played in this run.
#[derive(Default)]
struct Tally {
    games: u64,
    plies: u64,
    kept: u64,
    /// Black's wins, draws, White's wins.
    results: [u64; 3],
}

impl Tally {
    fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.plies += game.plies.len() as u64;
        filter::for_each_kept(game, |_, _| self.kept += 1);
        self.results[game.result as usize] += 1;
    }

    fn line(&self, elapsed: Duration) -> String {
        let rate = self.kept as f64 / elapsed.as_secs_f64().max(0.001);
        let games = self.games.max(1);
        let [black, draws, white] = self.results.map(|count| 100 * count / games);
        format!(
            "{} games, {} plies each, {} positions kept, {rate:.0}/s, White {white}% = {draws}% Black {black}%",
            self.games,
            self.plies / games,
            self.kept,
        )
    }
}
