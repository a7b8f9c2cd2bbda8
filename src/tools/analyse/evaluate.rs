//! What the search thinks of the positions of a game.
//!
//! A game is cut into *stretches* of positions. Each is searched by one thread with a hash of its own
//! that is empty at its beginning, so that the result depends neither on the number of threads nor on
//! other games, and a single game keeps several threads busy. (Search threads would share a hash, and
//! no two runs would be alike.) Inside a stretch the last position comes first: what the hash has
//! learned there is known to the searches before, whose scores therefore agree better with what
//! follows. In six games at 20,000 nodes, scores before and after a best move differed by 12.9
//! centipawns on average, from the first position to the last by 17.5.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use saavedra::clock::Clock;
use saavedra::eval::nnue::Network;
use saavedra::limits::Limits;
use saavedra::rules::{Game, RuleSet};
use saavedra::score::Score;
use saavedra::search::{Observer, Report, Task, Team};
use saavedra::tt::{Bound, OutOfMemory, Table};
use shakmaty::Move;

use super::source::Source;

/// Positions of a stretch: enough for the hash to be of use, few enough to divide a game.
const STRETCH: usize = 16;

/// What the search found in a position.
#[derive(Clone, Debug)]
pub struct Found {
    /// From the side to move's view.
    pub score: Score,
    pub depth: i32,
    /// The best first; none if the game is over.
    pub lines: Vec<Best>,
}

/// A line that the search recommends.
#[derive(Clone, Debug)]
pub struct Best {
    /// From the side to move's view.
    pub score: Score,
    pub moves: Vec<Move>,
}

/// Positions of a game that are searched in one go, by the plies before them.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// Index of the game.
    pub game: usize,
    plies: std::ops::Range<usize>,
}

impl Stretch {
    /// How many positions it has.
    pub fn len(&self) -> usize {
        self.plies.len()
    }
}

/// All positions of a game; none if no move was played.
pub fn stretches(game: usize, source: &Source) -> Vec<Stretch> {
    let moves = source.line.moves.len();
    let positions = if moves == 0 { 0 } else { moves + 1 };
    (0..positions)
        .step_by(STRETCH)
        .map(|first| Stretch {
            game,
            plies: first..(first + STRETCH).min(positions),
        })
        .collect()
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Settings {
    pub limits: Limits,
    pub multi_pv: usize,
    /// Hash of each thread in MiB.
    pub hash: u64,
}

/// A thread's means to search.
pub struct Searcher<'a> {
    settings: &'a Settings,
    stop: &'a AtomicBool,
    table: Table,
    network: Arc<Network>,
}

impl<'a> Searcher<'a> {
    pub fn new(settings: &'a Settings, stop: &'a AtomicBool) -> Result<Searcher<'a>, OutOfMemory> {
        Ok(Searcher {
            settings,
            stop,
            table: Table::new(settings.hash)?,
            network: Network::builtin(),
        })
    }

    /// Searches a stretch and hands over what was found after each ply, until it is stopped.
    pub fn search(
        &mut self,
        source: &Source,
        stretch: &Stretch,
        mut hand_over: impl FnMut(usize, Found),
    ) {
        self.table.clear();
        let mut team = Team::default();
        for ply in stretch.plies.clone().rev() {
            let game = source.game_at(ply);
            let ending = game.ending(RuleSet::Online);
            // A game that goes on after a draw that nobody claimed was not over.
            let found = if ply == source.line.moves.len() && ending.is_some() {
                Found {
                    score: ending
                        .and_then(|ending| ending.winner())
                        .map_or(Score::DRAW, |_| Score::mated_in(0)),
                    depth: 0,
                    lines: Vec::new(),
                }
            } else {
                self.find(&game, &mut team)
            };
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            hand_over(ply, found);
        }
    }

    fn find(&mut self, game: &Game, team: &mut Team) -> Found {
        self.table.grow_older();
        let limits = &self.settings.limits;
        let clock = Clock::new(limits, Duration::ZERO, Instant::now());
        let task = Task {
            multi_pv: self.settings.multi_pv,
            ..Task::new(game, limits, &clock, self.stop, &self.table, &self.network)
        };
        let mut lines = Lines::default();
        let outcome = team.search(&task, &mut lines);
        Found {
            score: outcome.score,
            depth: outcome.depth,
            lines: lines.0,
        }
    }
}

/// Keeps the lines of the last iteration.
#[derive(Default)]
struct Lines(Vec<Best>);

impl Observer for Lines {
    fn report(&mut self, report: &Report) {
        if report.bound != Bound::Exact {
            return;
        }
        self.0.truncate(report.line - 1);
        self.0.push(Best {
            score: report.score,
            moves: report.pv.clone(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::analyse::source;

    fn analysed(pgn: &str, multi_pv: usize) -> Vec<Found> {
        let source = &source::read(pgn.as_bytes())[0];
        let settings = Settings {
            limits: Limits {
                nodes: Some(2000),
                ..Limits::default()
            },
            multi_pv,
            hash: 1,
        };
        let stop = AtomicBool::new(false);
        let mut searcher = Searcher::new(&settings, &stop).unwrap();
        let mut all = vec![None; source.line.moves.len() + 1];
        for stretch in stretches(0, source) {
            searcher.search(source, &stretch, |ply, found| all[ply] = Some(found));
        }
        all.into_iter()
            .map(|found| found.expect("every position is searched"))
            .collect()
    }

    #[test]
    fn every_position_is_searched_with_as_many_lines_as_asked_for() {
        let game = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 *";
        let found = analysed(game, 3);
        assert_eq!(found.len(), 21);
        for found in found {
            assert_eq!(found.lines.len(), 3);
            assert_eq!(found.lines[0].score, found.score);
            assert!(found.depth > 0);
        }
    }

    #[test]
    fn a_game_that_is_over_is_worth_its_result() {
        let found = analysed("f3 e5 g4 Qh4# 0-1", 1);
        assert_eq!(found[4].score, Score::mated_in(0));
        assert_eq!(found[3].score, Score::mate_in(1));
        let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(2);
        let found = analysed(&format!("d4 e5 {knights}"), 1);
        assert_eq!(found.last().unwrap().score, Score::DRAW);
        // Where it goes on, nobody claimed the draw.
        let found = analysed(&format!("d4 e5 {knights} dxe5"), 1);
        assert_ne!(found[10].score, Score::DRAW);
        assert!(found[10].depth > 0);
    }
}
