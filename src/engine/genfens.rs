//! Openings for a testing framework that has no book: random, even, and decided by a seed.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use thiserror::Error;

use crate::board::Position;
use crate::clock::Clock;
use crate::epd::{EpdError, Record};
use crate::eval::nnue::Network;
use crate::limits::Limits;
use crate::rules::Game;
use crate::search::{Silent, Task, Team};
use crate::starts::{play_random, shuffled_array};
use crate::tt::{OutOfMemory, Table};

/// Random moves have to leave both sides within this, in centipawns, as a search of so many positions
/// sees it.
const LIMIT: i32 = 150;
const NODES: u64 = 2000;
const HASH_MIB: u64 = 1;
/// So many starts in a row that are lost or over are no accident.
const ATTEMPTS: usize = 1000;

/// Which openings are wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Genfens {
    /// How many.
    pub count: u32,
    /// The same seed gives the same ones.
    pub seed: u64,
    /// A file of positions to start from, a line each; none comes twice before all have come.
    pub book: Option<PathBuf>,
    /// Random moves to play from the start; if not given, none from a book, else 8 or 9.
    pub plies: Option<u8>,
    /// Without a book: share of Chess960 starts, in percent.
    pub frc: u8,
}

/// Why there are no more openings.
#[derive(Debug, Error)]
pub enum GenfensError {
    /// The book cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    /// A line of the book is no position.
    #[error("no position {0}")]
    Line(#[from] EpdError),
    /// The book is empty, or everything drawn was lost or over.
    #[error("no even opening was found")]
    NoneEven,
    /// No hash to search with.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// Draws the openings and hands them to `each` as they are found. Ends early when `stop` is set.
///
/// # Errors
/// Says why not all were found.
pub fn generate(
    wanted: &Genfens,
    network: &Network,
    stop: &AtomicBool,
    mut each: impl FnMut(&Position),
) -> Result<(), GenfensError> {
    let mut judge = Judge {
        table: Table::new(HASH_MIB)?,
        network,
    };
    let mut rng = Rng::with_seed(wanted.seed);
    let text = wanted.book.as_ref().map(|path| {
        std::fs::read_to_string(path).map_err(|error| GenfensError::Unreadable {
            path: path.clone(),
            error,
        })
    });
    let text = text.transpose()?;
    let lines = text.as_deref().map(|text| {
        let is_position = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let mut lines: Vec<&str> = text.lines().filter(is_position).collect();
        rng.shuffle(&mut lines);
        lines
    });
    let mut book = lines.as_ref().map(|lines| lines.iter().cycle());
    for _ in 0..wanted.count {
        let mut found = None;
        for _ in 0..ATTEMPTS {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let (start, usual) = match &mut book {
                Some(lines) => {
                    let line = lines.next().ok_or(GenfensError::NoneEven)?;
                    (Record::read(line)?.position, 0)
                }
                None if rng.u8(..100) < wanted.frc => (shuffled_array(&mut rng), rng.u8(8..=9)),
                None => (Position::startpos(), rng.u8(8..=9)),
            };
            let plies = wanted.plies.unwrap_or(usual);
            found = play_random(start, plies.into(), &mut rng)
                .filter(|position| plies == 0 || judge.is_even(position));
            if found.is_some() {
                break;
            }
        }
        each(&found.ok_or(GenfensError::NoneEven)?);
    }
    Ok(())
}

/// Finds out whether positions are even.
struct Judge<'a> {
    table: Table,
    network: &'a Network,
}

impl Judge<'_> {
    fn is_even(&mut self, position: &Position) -> bool {
        self.table.clear();
        self.table.grow_older();
        let limits = Limits {
            nodes: Some(NODES),
            ..Limits::default()
        };
        let game = Game::new(position.clone());
        let clock = Clock::new(&limits, Duration::ZERO, Instant::now());
        let stop = AtomicBool::new(false);
        let task = Task::new(&game, &limits, &clock, &stop, &self.table, self.network);
        let outcome = Team::default().search(&task, &mut Silent);
        outcome.score.normalised().abs() <= LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a book of this text gives after so many random moves.
    fn from_book(text: &str, plies: Option<u8>) -> Result<Vec<Position>, GenfensError> {
        let name = format!("saavedra-genfens-{}.epd", fastrand::u64(..));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        let wanted = Genfens {
            count: 4,
            book: Some(path.clone()),
            plies,
            ..Genfens::default()
        };
        let mut found = Vec::new();
        let stop = AtomicBool::new(false);
        let result = generate(&wanted, &Network::builtin(), &stop, |position| {
            found.push(position.clone());
        });
        std::fs::remove_file(path).unwrap();
        result.map(|()| found)
    }

    #[test]
    fn a_book_gives_every_position_before_one_comes_again() {
        let book = "# two\n4k3/8/8/8/8/8/8/4K2Q w - - 0 1\n\n4k3/8/8/8/8/8/8/4K2R w K -\n";
        let found = from_book(book, None).unwrap();
        let keys: Vec<u64> = found.iter().map(Position::key).collect();
        assert_ne!(keys[0], keys[1]);
        assert_eq!(keys[..2], keys[2..]);
    }

    #[test]
    fn a_book_that_gives_nothing_is_an_error() {
        let lost = "4k3/8/8/8/8/8/8/QQQQK3 b - - 0 1\n";
        for (book, plies) in [(lost, Some(2)), ("", None)] {
            let result = from_book(book, plies);
            assert!(matches!(result, Err(GenfensError::NoneEven)));
        }
        let error = from_book("nonsense", None).unwrap_err().to_string();
        assert!(error.contains("nonsense"), "{error}");
    }
}
