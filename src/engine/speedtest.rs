//! The speed test: the moves of whole games, thought about with the threads and the hash as they are set.
//!
//! Where `bench` asks whether the search is the same, this asks how fast a machine is when it
//! plays: many threads, a hash that fills as in a game, and every phase of it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::board::{Position, parse_move};
use crate::clock::Clock;
use crate::eval::nnue::Network;
use crate::limits::Limits;
use crate::rules::Game;
use crate::search::{Silent, Task, Team, bench};
use crate::tt::Table;

/// Games of Saavedra against itself, the moves of one a line.
const GAMES: &str = include_str!("speedtest_games.txt");
/// The openings are the same in every game, and short games end early.
const FIRST_PLY: usize = 12;
const PLIES_BETWEEN: usize = 2;

/// What a test has measured so far.
pub struct Progress {
    /// Games that are finished, and all of them.
    pub games: [usize; 2],
    /// Positions searched, and the time it took.
    pub total: bench::Total,
    /// Greatest use of the hash by a search of the last game, in thousandths.
    pub hash_full: usize,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [done, all] = self.games;
        let hash = self.hash_full as f64 / 10.0;
        let nps = self.total.nps();
        write!(
            f,
            "game {done} of {all}: hash used {hash:.1}%, {nps} nps so far"
        )
    }
}

/// Searches positions of the games for `time` altogether, every game from an empty hash, and calls
/// `each` after each game. Ends early when `stop` is set.
pub fn speedtest(
    time: Duration,
    network: &Network,
    table: &mut Table,
    team: &mut Team,
    stop: &AtomicBool,
    mut each: impl FnMut(&Progress),
) -> bench::Total {
    let games: Vec<Vec<Game>> = GAMES.lines().map(positions).collect();
    let count: usize = games.iter().map(Vec::len).sum();
    let share = time / count as u32;
    let limits = Limits {
        movetime: Some(share),
        ..Limits::default()
    };
    let mut total = bench::Total::default();
    for (number, positions) in (1..).zip(&games) {
        table.clear();
        team.forget();
        let mut hash_full = 0;
        for game in positions {
            if stop.load(Ordering::Relaxed) {
                return total;
            }
            table.grow_older();
            let start = Instant::now();
            let clock = Clock::new(&limits, Duration::ZERO, start);
            let task = Task::new(game, &limits, &clock, stop, table, network);
            total.nodes += team.search(&task, &mut Silent).nodes;
            total.time += start.elapsed();
            hash_full = table.full().max(hash_full);
        }
        each(&Progress {
            games: [number, games.len()],
            total,
            hash_full,
        });
    }
    total
}

/// The positions of a game in which one side has to think.
fn positions(line: &str) -> Vec<Game> {
    let start = Game::new(Position::startpos());
    let games = line.split(' ').scan(start, |game, text| {
        let m = parse_move(game.position(), text)?;
        game.play(m);
        Some(game.clone())
    });
    games.skip(FIRST_PLY - 1).step_by(PLIES_BETWEEN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_is_legal_and_long() {
        for line in GAMES.lines() {
            let plies = line.split(' ').count();
            let expected = (plies - FIRST_PLY + 1).div_ceil(PLIES_BETWEEN);
            assert_eq!(positions(line).len(), expected, "{line}");
            assert!(expected > 30, "{line}");
        }
    }
}
