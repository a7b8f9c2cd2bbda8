//! How strong to play, as set by options.

use crate::search::{Handicap, MAX_ELO, MIN_ELO};

/// The `Skill Level` that does not limit anything.
pub const FULL_SKILL: i64 = 20;

/// What the options say.
pub struct Strength {
    /// Whether `elo` counts.
    pub is_limited: bool,
    /// A rating to play like.
    pub elo: i32,
    /// Another way to say it, from 0 to [`FULL_SKILL`]; counts unless `is_limited`.
    pub skill: i64,
    /// What errors are made; 0 for others in each game.
    pub seed: u64,
    /// The seed of this game.
    drawn: u64,
}

impl Strength {
    /// The handicap, if there is one.
    pub fn handicap(&self) -> Option<Handicap> {
        let elo = if self.is_limited {
            self.elo
        } else if self.skill < FULL_SKILL {
            MIN_ELO + (MAX_ELO - MIN_ELO) * self.skill as i32 / FULL_SKILL as i32
        } else {
            return None;
        };
        let seed = if self.seed > 0 { self.seed } else { self.drawn };
        Some(Handicap::of_elo(elo, seed))
    }

    /// Other errors from now on.
    pub fn new_game(&mut self) {
        self.drawn = fastrand::u64(..);
    }
}

impl Default for Strength {
    fn default() -> Strength {
        Strength {
            is_limited: false,
            elo: MAX_ELO,
            skill: FULL_SKILL,
            seed: 0,
            drawn: fastrand::u64(..),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rating_comes_before_a_skill_level() {
        let mut strength = Strength {
            seed: 1,
            ..Strength::default()
        };
        assert_eq!(strength.handicap(), None);
        strength.skill = 0;
        assert_eq!(strength.handicap(), Some(Handicap::of_elo(MIN_ELO, 1)));
        strength.is_limited = true;
        assert_eq!(strength.handicap(), Some(Handicap::of_elo(MAX_ELO, 1)));
    }
}
