//! Where the games of training data begin: somewhere unusual, so that the network sees everything.

use fastrand::Rng;
use saavedra::board::Position;
use saavedra::starts::{play_random, shuffled_array};

/// How starts are chosen, in percent of the games.
pub struct Starts {
    /// From a Chess960 or double Chess960 array.
    pub frc_share: u8,
    /// From `listed`.
    pub listed_share: u8,
    /// Positions of openings and endgames.
    pub listed: Vec<Position>,
}

impl Starts {
    /// A start with some random moves played; none if the game is over with them.
    pub fn draw(&self, rng: &mut Rng) -> Option<Position> {
        let lot = rng.u8(..100);
        let (start, plies) = if lot < self.frc_share {
            (shuffled_array(rng), rng.usize(8..=9))
        } else if lot < self.frc_share + self.listed_share
            && let Some(listed) = rng.choice(&self.listed)
        {
            (listed.clone(), rng.usize(2..=3))
        } else {
            (Position::startpos(), rng.usize(8..=9))
        };
        play_random(start, plies, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_seed_always_draws_the_same_start() {
        let starts = Starts {
            frc_share: 50,
            listed_share: 0,
            listed: Vec::new(),
        };
        let draw = |seed| {
            starts
                .draw(&mut Rng::with_seed(seed))
                .map(|start| start.key())
        };
        assert_eq!(draw(5), draw(5));
        let different: HashSet<u64> = (0..100).filter_map(draw).collect();
        assert!(different.len() > 90);
    }
}
