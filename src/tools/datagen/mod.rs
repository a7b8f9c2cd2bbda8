//! `saavedra datagen`: games of the engine against itself, for a network to learn from.
//!
//! `opening` draws where a game begins, `game` plays it, this file sets the cores to work and writes
//! what they play. A game depends only on its number, the seed and the settings, and games are
//! written in order of their numbers; so the file is the same whatever the number of threads, and an
//! interrupted run goes on where its file ends.

mod game;
mod opening;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use crossbeam_channel::{Receiver, unbounded};
use saavedra::board::Position;
use saavedra::eval::nnue::Network;
use serde::{Deserialize, Serialize};

use super::data::filter;
use super::data::viriformat::{Frame, GameRecord};
use super::openings;
use super::progress::Progress;
use super::{appended, note, open_alone, threads};
use crate::cli::Datagen;
use game::Player;
use opening::Starts;

pub fn run(args: &Datagen) -> anyhow::Result<()> {
    ensure!(args.hard >= args.soft, "--hard is less than --soft");
    let starts = starts(args)?;
    let player = || {
        Player::new(&starts, args.seed, args.soft, args.hard)
            .context("a worker has no memory for its hash")
    };
    let (mut file, played) = open(args, player()?)?;
    if played > 0 {
        note(format_args!(
            "{}: going on after game {played}",
            args.out.display()
        ));
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
    let players = (0..threads(args.threads))
        .map(|_| player())
        .collect::<anyhow::Result<Vec<_>>>()?;
    let (sender, games) = unbounded();
    let tally = std::thread::scope(|scope| {
        for mut player in players {
            let (sender, next, is_over) = (sender.clone(), &next, &is_over);
            scope.spawn(move || {
                while !is_over() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if args.games.is_some_and(|games| number >= games) {
                        return;
                    }
                    let game = player.play(number);
                    let is_last = game.is_none();
                    if sender.send((number, game)).is_err() || is_last {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut progress = Progress::new(args.games, played)?;
        let result = write(&mut file, played, &games, &mut progress, started);
        progress.finish();
        stop.store(true, Ordering::Relaxed);
        result.with_context(|| format!("cannot write {}", args.out.display()))
    })?;
    writeln!(std::io::stdout(), "{}", tally.line(started.elapsed()))?;
    Ok(())
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

/// What the games of a file depend on, besides the engine; kept beside it.
#[derive(PartialEq, Serialize, Deserialize)]
struct Settings {
    seed: u64,
    soft: u64,
    hard: u64,
    frc: u8,
    openings_share: u8,
    /// Fingerprints of the positions to begin from.
    openings: Vec<u64>,
    network: String,
}

impl Settings {
    fn of(args: &Datagen, starts: &Starts) -> Settings {
        Settings {
            seed: args.seed,
            soft: args.soft,
            hard: args.hard,
            frc: args.frc,
            openings_share: starts.listed_share,
            openings: starts.listed.iter().map(Position::key).collect(),
            network: Network::builtin().note.clone(),
        }
    }
}

/// Opens the file to append to, for this process alone, and counts its games. What was cut off at its
/// end is removed, but nothing that this command would not have written: the settings must be those
/// kept beside it, the last whole game is played again, and the rest must be the beginning of the next.
fn open(args: &Datagen, mut player: Player) -> anyhow::Result<(File, u64)> {
    let path = &args.out;
    let place = || format!("cannot open {}", path.display());
    if let Ok(metadata) = std::fs::metadata(path) {
        ensure!(metadata.is_file(), "{} is not a file", path.display());
    }
    let mut file = open_alone(path, place)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).with_context(place)?;
    let settings = Settings::of(args, player.starts());
    let beside = appended(path, ".settings");
    if bytes.is_empty() {
        let text = serde_json::to_string(&settings)?;
        std::fs::write(&beside, text)
            .with_context(|| format!("cannot write {}", beside.display()))?;
        return Ok((file, 0));
    }

    let kept = std::fs::read_to_string(&beside).ok();
    let kept: Option<Settings> = kept.and_then(|text| serde_json::from_str(&text).ok());
    let (mut count, mut end, mut last) = (0, 0, None);
    while let Some(frame) = Frame::at(&bytes, end) {
        (count, end, last) = (count + 1, frame.end(), Some(frame));
    }
    let is_ours = kept.as_ref() == Some(&settings)
        && last.is_none_or(|frame| {
            let again = player.play(count - 1);
            again.is_some_and(|game| game.encode() == bytes[frame.offset..end])
        })
        && (end == bytes.len() || {
            let next = player.play(count);
            next.is_some_and(|game| game.encode().starts_with(&bytes[end..]))
        });
    ensure!(
        is_ours,
        "{} was not made with these settings by this engine, or is damaged; choose a new file",
        path.display()
    );
    file.set_len(end as u64)?;
    file.seek(SeekFrom::Start(end as u64))?;
    Ok((file, count))
}

/// Writes games as they come, in order of their numbers, from `number` on.
fn write(
    file: &mut File,
    mut number: u64,
    games: &Receiver<(u64, Option<GameRecord>)>,
    progress: &mut Progress,
    started: Instant,
) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let mut waiting = BTreeMap::new();
    for (played, game) in games {
        let game = game.context("no start leads to an even game; look at --openings")?;
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
