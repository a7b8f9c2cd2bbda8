//! `saavedra match`: engines play each other under the rules of chess, and the result is weighed.
//!
//! `schedule` says who plays whom from where, `player` speaks to an engine, `game` is the arbiter,
//! `score` keeps the table, `stats` weighs it, `pgn` writes and reads games. This file sets them to work:
//! some threads play, this one listens, prints and decides when it is enough.

mod game;
mod pgn;
mod player;
mod schedule;
mod score;
mod settings;
mod stats;
mod time_control;

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Context, bail, ensure};
use crossbeam_channel::{Receiver, Sender, unbounded};

use super::note;
use super::progress::Progress;
use crate::cli::Match;
use game::{Record, Rulebook};
use player::{Player, Spec};
use schedule::{Pairing, Schedule};
use score::Table;
use settings::Settings;
use stats::Decision;

/// A game that a worker has played, or why it could not.
type Message = (Pairing, anyhow::Result<Record>);

pub fn run(args: &Match) -> anyhow::Result<()> {
    let settings = Settings::read(args)?;
    let schedule = Schedule::new(&settings)?;
    if settings.openings.is_none() && settings.games > 2 {
        note(
            "without --openings every game begins alike; games to fixed nodes or depth will be the same",
        );
    }
    let mut table = Table::new(&settings);
    let played = match &settings.pgn {
        Some(path) if settings.resume && path.exists() => {
            resume(path, &settings, &schedule, &mut table)?
        }
        Some(path) if path.exists() => {
            bail!("{} exists already; --resume continues it", path.display())
        }
        _ => 0,
    };
    // An engine that cannot be started at all is an error before the first game, not a lost match.
    for spec in &settings.engines {
        let player = Player::start(spec, settings.rulebook.chess960)?;
        for remark in &player.remarks {
            note(format_args!("{}: {remark}", spec.name));
        }
    }
    let stop = Arc::new(AtomicBool::new(false));
    let on_interrupt = Arc::clone(&stop);
    ctrlc::set_handler(move || on_interrupt.store(true, Ordering::Relaxed))
        .context("cannot listen for Ctrl-C")?;

    let todo: Vec<Pairing> = schedule
        .games()
        .filter(|pairing| !table.has(pairing.number))
        .collect();
    let mut progress = Progress::new(Some(schedule.len() as u64), played as u64)?;
    let (sender, messages) = unbounded();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..settings.concurrency.min(todo.len().max(1)) {
            let (todo, next, stop, sender) = (&todo, &next, &*stop, sender.clone());
            let (settings, schedule) = (&settings, &schedule);
            scope.spawn(move || work(settings, schedule, (todo, next), stop, &sender));
        }
        drop(sender);
        let outcome = listen(
            &settings,
            &schedule,
            &mut table,
            &mut progress,
            &messages,
            &stop,
        );
        stop.store(true, Ordering::Relaxed);
        outcome
    })?;
    progress.finish();
    table.print(settings.json, &mut std::io::stdout().lock())
}

/// Takes games from the list until there is none left or the match is stopped. Engines are kept
/// running from game to game; one that failed is started again.
fn work(
    settings: &Settings,
    schedule: &Schedule,
    (todo, next): (&[Pairing], &AtomicUsize),
    stop: &AtomicBool,
    sender: &Sender<Message>,
) {
    let mut running: HashMap<usize, Player> = HashMap::new();
    while !stop.load(Ordering::Relaxed)
        && let Some(&pairing) = todo.get(next.fetch_add(1, Ordering::Relaxed))
    {
        let result = play(settings, schedule, pairing, &mut running, stop);
        let Some(result) = result.transpose() else {
            return;
        };
        if sender.send((pairing, result)).is_err() {
            return;
        }
    }
}

/// Plays one game; none if the match was stopped meanwhile.
fn play(
    settings: &Settings,
    schedule: &Schedule,
    pairing: Pairing,
    running: &mut HashMap<usize, Player>,
    stop: &AtomicBool,
) -> anyhow::Result<Option<Record>> {
    let Rulebook { chess960, .. } = settings.rulebook;
    let mut seat = |engine: usize| -> anyhow::Result<Player> {
        let spec: &Spec = &settings.engines[engine];
        let kept = running.remove(&engine);
        if let Some(player) = kept.and_then(|mut player| player.new_game().ok().map(|()| player)) {
            return Ok(player);
        }
        let mut player = Player::start(spec, chess960)?;
        player
            .new_game()
            .with_context(|| format!("{} fails", spec.name))?;
        Ok(player)
    };
    let [mut white, mut black] = [seat(pairing.white)?, seat(pairing.black)?];
    let opening = schedule.opening(pairing);
    let stopped = || stop.load(Ordering::Relaxed);
    let record = game::play(
        [&mut white, &mut black],
        opening,
        &settings.rulebook,
        &stopped,
    );
    for (color, engine, player) in [
        (shakmaty::Color::White, pairing.white, white),
        (shakmaty::Color::Black, pairing.black, black),
    ] {
        let culprit = record.as_ref().and_then(|record| record.result.culprit);
        // Whoever broke the game is not trusted with the next one.
        if culprit.is_none_or(|(culprit, _)| culprit != color) {
            running.insert(engine, player);
        }
    }
    Ok(record)
}

/// Notes every game, shows how the match stands, and ends it when the test is decided.
fn listen(
    settings: &Settings,
    schedule: &Schedule,
    table: &mut Table,
    progress: &mut Progress,
    messages: &Receiver<Message>,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let mut file = settings.pgn.as_deref().map(open_pgn).transpose()?;
    let date = jiff::ZonedDateTime::now().strftime("%Y.%m.%d").to_string();
    for (pairing, record) in messages {
        let record = record?;
        if let Some(file) = &mut file {
            let opening = schedule.opening(pairing);
            let tags = pgn::tags_before(settings, pairing, opening);
            let text = pgn::write(&tags, &date, opening, &record);
            file.write_all(text.as_bytes())
                .context("cannot write the PGN")?;
        }
        table.add(pairing, &record);
        for line in table.news(pairing, &record) {
            progress.note(&line);
        }
        progress.show(table.games() as u64, || table.line());
        if table.decision() != Decision::Open {
            stop.store(true, Ordering::Relaxed);
        }
    }
    Ok(())
}

fn open_pgn(path: &Path) -> anyhow::Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Takes over the games of an earlier run; returns how many.
fn resume(
    path: &Path,
    settings: &Settings,
    schedule: &Schedule,
    table: &mut Table,
) -> anyhow::Result<usize> {
    let (finished, length) = pgn::read(path)?;
    for pairing in schedule.games() {
        let Some(game) = finished.get(&pairing.number) else {
            continue;
        };
        for (name, value) in pgn::tags_before(settings, pairing, schedule.opening(pairing)) {
            let found = game.tag(name);
            ensure!(
                found == value,
                "game {} of {} is of another match: {name} is '{found}' instead of '{value}'",
                pairing.number,
                path.display(),
            );
        }
        table.add_finished(pairing, game);
    }
    let file = open_pgn(path)?;
    let place = || format!("cannot write {}", path.display());
    if length < file.metadata().with_context(place)?.len() {
        note(format_args!(
            "{}: its last game was cut off and is played again",
            path.display()
        ));
        file.set_len(length).with_context(place)?;
    }
    Ok(table.games())
}
