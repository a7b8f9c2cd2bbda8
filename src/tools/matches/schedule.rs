//! The schedule: who plays whom, with which colour, from which opening.

use std::path::Path;

use super::super::openings::{self, Opening};
use super::settings::Settings;
use crate::cli::Tournament;

/// One game of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// From 1, in the order of play.
    pub number: usize,
    /// Index of the encounter, of two engines with each other.
    pub encounter: usize,
    /// Games of an encounter come in pairs.
    pub pair: usize,
    /// Index of the engine with White.
    pub white: usize,
    /// Index of the engine with Black.
    pub black: usize,
    opening: usize,
}

/// All games of a match.
pub struct Schedule {
    openings: Vec<Opening>,
    encounters: Vec<[usize; 2]>,
    games: usize,
    repeat: bool,
}

impl Schedule {
    pub fn new(settings: &Settings) -> anyhow::Result<Schedule> {
        let mut openings = match &settings.openings {
            Some(path) => openings::read(Path::new(path))?,
            None => vec![Opening::startpos()],
        };
        if settings.shuffle {
            fastrand::Rng::with_seed(settings.seed).shuffle(&mut openings);
        }
        let encounters = encounters(settings.engines.len(), settings.tournament);
        Ok(Schedule {
            openings,
            encounters,
            games: settings.games,
            repeat: settings.repeat,
        })
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        self.encounters.len() * self.games
    }

    /// The games in the order of play: every encounter gets its next pair before any gets another.
    pub fn games(&self) -> impl Iterator<Item = Pairing> {
        let count = self.encounters.len();
        let pairs = self.games.div_ceil(2);
        (0..pairs)
            .flat_map(move |pair| (0..count).map(move |encounter| (pair, encounter)))
            .flat_map(move |(pair, encounter)| {
                (0..2)
                    .filter(move |half| 2 * pair + half < self.games)
                    .map(move |half| {
                        let [first, second] = self.encounters[encounter];
                        let (white, black) = if half == 0 {
                            (first, second)
                        } else {
                            (second, first)
                        };
                        let opening = if self.repeat { pair } else { 2 * pair + half };
                        (encounter, pair, white, black, opening % self.openings.len())
                    })
            })
            .zip(1..)
            .map(
                |((encounter, pair, white, black, opening), number)| Pairing {
                    number,
                    encounter,
                    pair,
                    white,
                    black,
                    opening,
                },
            )
    }

    pub fn opening(&self, pairing: Pairing) -> &Opening {
        &self.openings[pairing.opening]
    }
}

/// The encounters of so many engines.
pub fn encounters(engines: usize, tournament: Tournament) -> Vec<[usize; 2]> {
    let first = match tournament {
        Tournament::Gauntlet => 0..1,
        Tournament::RoundRobin => 0..engines,
    };
    first
        .flat_map(|i| (i + 1..engines).map(move |j| [i, j]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(games: usize, repeat: bool) -> Schedule {
        Schedule {
            openings: vec![Opening::startpos(); 10],
            encounters: encounters(3, Tournament::RoundRobin),
            games,
            repeat,
        }
    }

    #[test]
    fn everybody_meets_everybody_with_both_colours_from_the_same_openings() {
        let games: Vec<Pairing> = schedule(4, true).games().collect();
        assert_eq!(games.len(), 12);
        for two in games.chunks(2) {
            assert_eq!((two[0].white, two[0].black), (two[1].black, two[1].white));
            assert_eq!(two[0].opening, two[1].opening);
            assert_eq!(two[0].pair, two[1].pair);
        }
        assert!(games.iter().map(|game| game.number).eq(1..=12));
        let different: Vec<usize> = schedule(4, false)
            .games()
            .map(|game| game.opening)
            .collect();
        assert_ne!(different[0], different[1]);
    }

    #[test]
    fn in_a_gauntlet_the_first_meets_all_others() {
        assert_eq!(
            encounters(4, Tournament::Gauntlet),
            [[0, 1], [0, 2], [0, 3]]
        );
        assert_eq!(
            encounters(3, Tournament::RoundRobin),
            [[0, 1], [0, 2], [1, 2]]
        );
    }
}
