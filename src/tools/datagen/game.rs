//! One game of training data: the engine against itself, a few hundred positions a move.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fastrand::Rng;
use saavedra::clock::Clock;
use saavedra::eval::nnue::Network;
use saavedra::limits::Limits;
use saavedra::rules::{Game, RuleSet};
use saavedra::search::{Outcome, Silent, Task, Team};
use saavedra::tt::{OutOfMemory, Table};
use shakmaty::Color;

use super::opening::Starts;
use crate::tools::data::viriformat::{GameRecord, GameResult, Ply};

/// Openings that are better than this for a side are not played out, in centipawns.
const OPENING_LIMIT: i32 = 400;
/// A game is won when the score was beyond this so many times running.
const WIN_SCORE: i32 = 1500;
const WIN_PLIES: usize = 3;
/// A game is drawn when the score was within this so many times running, from this ply on.
const DRAW_SCORE: i32 = 8;
const DRAW_PLIES: usize = 10;
const DRAW_FROM: usize = 60;
const HASH_MIB: u64 = 1;
/// So many starts in a row that are lost or over are no accident.
const ATTEMPTS: usize = 1000;

/// Plays games; each depends on nothing but its number and the settings.
pub struct Player<'a> {
    starts: &'a Starts,
    seed: u64,
    limits: Limits,
    table: Table,
    network: Arc<Network>,
}

impl<'a> Player<'a> {
    /// `soft` and `hard` are positions searched a move: after the first no iteration begins, after the
    /// second the search stops.
    pub fn new(starts: &'a Starts, seed: u64, soft: u64, hard: u64) -> Result<Self, OutOfMemory> {
        Ok(Player {
            starts,
            seed,
            limits: Limits {
                soft_nodes: Some(soft),
                nodes: Some(hard),
                ..Limits::default()
            },
            table: Table::new(HASH_MIB)?,
            network: Network::builtin(),
        })
    }

    /// Where games begin.
    pub fn starts(&self) -> &Starts {
        self.starts
    }

    /// The game of this number; none if no start seems to be worth playing out.
    pub fn play(&mut self, number: u64) -> Option<GameRecord> {
        let mut rng = Rng::with_seed(mix(self.seed) ^ mix(number + 1));
        (0..ATTEMPTS).find_map(|_| {
            let start = self.starts.draw(&mut rng)?;
            self.play_from(Game::new(start))
        })
    }

    /// None if the start is not worth playing out.
    fn play_from(&mut self, mut game: Game) -> Option<GameRecord> {
        self.table.clear();
        let mut team = Team::default();
        let start = game.position().clone();
        let mut plies: Vec<Ply> = Vec::new();
        let result = loop {
            if let Some(ending) = game.ending(RuleSet::Online) {
                break GameResult::of_winner(ending.winner());
            }
            let turn = game.position().turn();
            let outcome = self.think(&game, &mut team);
            let m = outcome.best_move()?;
            let score = if turn.is_white() {
                outcome.score
            } else {
                -outcome.score
            };
            if plies.is_empty() && score.raw().abs() > OPENING_LIMIT {
                return None;
            }
            plies.push(Ply {
                m,
                score: score.raw() as i16,
            });
            if let Some(result) = adjudicate(&plies) {
                break result;
            }
            game.play(m);
        };
        Some(GameRecord {
            start,
            plies,
            result,
        })
    }

    fn think(&mut self, game: &Game, team: &mut Team) -> Outcome {
        self.table.grow_older();
        let clock = Clock::new(&self.limits, Duration::ZERO, Instant::now());
        let stop = AtomicBool::new(false);
        let task = Task::new(
            game,
            &self.limits,
            &clock,
            &stop,
            &self.table,
            &self.network,
        );
        team.search(&task, &mut Silent)
    }
}

/// The result of a game that both sides see the same way.
fn adjudicate(plies: &[Ply]) -> Option<GameResult> {
    let all_of_last = |count: usize, holds: &dyn Fn(i32) -> bool| {
        plies.len() >= count
            && plies
                .iter()
                .rev()
                .take(count)
                .all(|ply| holds(ply.score.into()))
    };
    if all_of_last(WIN_PLIES, &|score| score >= WIN_SCORE) {
        Some(GameResult::of_winner(Some(Color::White)))
    } else if all_of_last(WIN_PLIES, &|score| score <= -WIN_SCORE) {
        Some(GameResult::of_winner(Some(Color::Black)))
    } else if plies.len() >= DRAW_FROM
        && all_of_last(DRAW_PLIES, &|score| score.abs() <= DRAW_SCORE)
    {
        Some(GameResult::of_winner(None))
    } else {
        None
    }
}

/// Spreads numbers that are near each other (the finaliser of SplitMix64).
/// <https://prng.di.unimi.it/splitmix64.c>
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
