//! What a file of training data holds, in numbers.

use std::collections::HashSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

use super::filter;
use super::viriformat::GameRecord;
use saavedra::board::PackedMove;

/// Width of the bars of the score histogram in centipawns, and of the length histogram in plies.
const SCORE_STEP: i16 = 200;
const LENGTH_STEP: usize = 40;
/// The last bar holds everything beyond.
const BARS: usize = 11;

/// Counts over games.
#[derive(Default, Serialize)]
pub struct Statistics {
    pub games: u64,
    pub damaged: u64,
    /// Games that an earlier one equals move by move.
    pub duplicates: u64,
    pub plies: u64,
    /// Positions that a network learns from.
    pub kept: u64,
    pub white_wins: u64,
    pub draws: u64,
    pub black_wins: u64,
    /// Games by length.
    pub lengths: [u64; BARS],
    /// Kept positions by score, whoever is better.
    pub scores: [u64; BARS],
    #[serde(skip)]
    seen: HashSet<u64>,
}

impl Statistics {
    pub fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.plies += game.plies.len() as u64;
        let results = [&mut self.black_wins, &mut self.draws, &mut self.white_wins];
        *results[game.result as usize] += 1;
        self.lengths[(game.plies.len() / LENGTH_STEP).min(BARS - 1)] += 1;
        if !self.seen.insert(fingerprint(game)) {
            self.duplicates += 1;
        }
        filter::for_each_kept(game, |_, number| {
            self.kept += 1;
            let bar = game.plies[number].score.unsigned_abs() as usize / SCORE_STEP as usize;
            self.scores[bar.min(BARS - 1)] += 1;
        });
    }
}

/// Equal for games with the same start and moves.
pub fn fingerprint(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    game.start.key().hash(&mut hasher);
    for ply in &game.plies {
        PackedMove::from(ply.m).hash(&mut hasher);
    }
    hasher.finish()
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        writeln!(f, "games       {:>12}", self.games)?;
        writeln!(f, "damaged     {:>12}", self.damaged)?;
        writeln!(f, "duplicates  {:>12}", self.duplicates)?;
        let length = self.plies as f64 / self.games.max(1) as f64;
        writeln!(f, "plies       {:>12}  {length:.1} a game", self.plies)?;
        let kept = share(self.kept, self.plies);
        writeln!(f, "kept        {:>12}  {kept:.1}% of the plies", self.kept)?;
        for (name, count) in [
            ("White wins", self.white_wins),
            ("draws", self.draws),
            ("Black wins", self.black_wins),
        ] {
            writeln!(
                f,
                "{name:<11} {count:>12}  {:.1}%",
                share(count, self.games)
            )?;
        }
        writeln!(f, "\ngames by plies")?;
        histogram(f, &self.lengths, LENGTH_STEP)?;
        writeln!(f, "\nkept positions by score in centipawns")?;
        histogram(f, &self.scores, SCORE_STEP as usize)
    }
}

fn histogram(f: &mut fmt::Formatter<'_>, counts: &[u64; BARS], step: usize) -> fmt::Result {
    let total: u64 = counts.iter().sum();
    for (bar, &count) in counts.iter().enumerate() {
        let share = 100.0 * count as f64 / total.max(1) as f64;
        let stars = "█".repeat((share / 2.0).round() as usize);
        writeln!(f, "{:>6}… {count:>12} {share:>5.1}% {stars}", bar * step)?;
    }
    Ok(())
}
