//! Limited strength: playing as a weaker player would.
//!
//! A weaker player sees less, misjudges what he sees, and is content with a move that looks almost as
//! good as the best. So a handicap bounds the positions searched, adds an error to every evaluation, and
//! chooses among the best lines. Nothing is left to chance but a seed: the error belongs to the position,
//! so that a wrong opinion is held throughout a game, as people do.

use fastrand::Rng;

use super::worker::Worker;
use crate::score::Score;

/// The weakest and the strongest rating that can be imitated.
pub const MIN_ELO: i32 = LEVELS[0].elo;
/// See [`MIN_ELO`].
pub const MAX_ELO: i32 = LEVELS[LEVELS.len() - 1].elo;

/// How strength is limited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handicap {
    /// Positions that may be searched; depth 1 is always finished.
    pub nodes: u64,
    /// Standard deviation of the error of an evaluation, in centipawns.
    error: i32,
    /// A move that is this many centipawns worse than the best is played 1/e times as often.
    tolerance: f64,
    seed: u64,
}

/// A point of the scale.
struct Level {
    elo: i32,
    nodes: u64,
    error: i32,
    tolerance: i32,
}

const fn level(elo: i32, nodes: u64, error: i32, tolerance: i32) -> Level {
    Level {
        elo,
        nodes,
        error,
        tolerance,
    }
}

/// What it takes to play like somebody with a rating. The ratings are those of CCRL Blitz, by matches that
/// the README tells of.
const LEVELS: [Level; 11] = [
    level(100, 1, 600, 200),
    level(350, 1, 300, 100),
    level(550, 100, 180, 70),
    level(700, 250, 120, 45),
    level(1050, 600, 80, 30),
    level(1250, 1500, 50, 20),
    level(1750, 4000, 30, 12),
    level(2300, 10_000, 15, 6),
    level(2800, 30_000, 8, 4),
    level(3100, 100_000, 4, 2),
    level(3400, 400_000, 2, 1),
];

/// Lines among which a careless player chooses.
pub const LINES: usize = 4;

impl Handicap {
    /// Plays like somebody rated `elo`, from [`MIN_ELO`] to [`MAX_ELO`]. The same seed makes the same
    /// errors.
    pub fn of_elo(elo: i32, seed: u64) -> Handicap {
        let above = LEVELS
            .iter()
            .position(|level| level.elo > elo)
            .unwrap_or(LEVELS.len() - 1)
            .max(1);
        let [low, high] = [&LEVELS[above - 1], &LEVELS[above]];
        let share = f64::from(elo - low.elo) / f64::from(high.elo - low.elo);
        let share = share.clamp(0.0, 1.0);
        let between = |low: f64, high: f64| low + (high - low) * share;
        let nodes = between((low.nodes as f64).ln(), (high.nodes as f64).ln()).exp();
        Handicap {
            nodes: nodes.round() as u64,
            error: between(low.error.into(), high.error.into()).round() as i32,
            tolerance: between(low.tolerance.into(), high.tolerance.into()),
            seed,
        }
    }

    /// How wrong the evaluation of the position with this key is, in centipawns. The sum of three
    /// uniform numbers is close enough to a normal distribution.
    pub fn error(&self, key: u64) -> i32 {
        let mut rng = self.rng(key);
        (0..3).map(|_| rng.i32(-self.error..=self.error)).sum()
    }

    /// Which of the moves with these scores, the best first, is played in the position with this key.
    pub fn choose(&self, key: u64, scores: &[Score]) -> usize {
        let weights = scores.iter().map(|score| {
            let loss = f64::from(scores[0].raw() - score.raw());
            (-loss / self.tolerance).exp()
        });
        // Another number than the one that makes the error of this position.
        let mut left = self.rng(!key).f64() * weights.clone().sum::<f64>();
        for (index, weight) in weights.enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        0
    }

    fn rng(&self, key: u64) -> Rng {
        Rng::with_seed(key ^ self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }
}

impl Worker<'_> {
    /// Puts the move that the handicap chooses before the better ones.
    pub fn choose_by_handicap(&mut self) {
        let task = self.shared.task;
        let Some(handicap) = task.handicap else {
            return;
        };
        let lines = LINES.min(self.root_moves.len());
        let scores: Vec<Score> = (self.root_moves[..lines].iter())
            .map(|root| root.score)
            .collect();
        let chosen = handicap.choose(task.game.position().key(), &scores);
        self.root_moves[..=chosen].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_elo_sees_more_and_errs_less() {
        let handicaps: Vec<_> = (MIN_ELO..=MAX_ELO)
            .step_by(50)
            .map(|elo| Handicap::of_elo(elo, 0))
            .collect();
        for pair in handicaps.windows(2) {
            assert!(pair[0].nodes <= pair[1].nodes, "{pair:?}");
            assert!(pair[0].error >= pair[1].error, "{pair:?}");
            assert!(pair[0].tolerance >= pair[1].tolerance, "{pair:?}");
            assert_ne!(pair[0], pair[1]);
        }
    }

    #[test]
    fn a_level_is_what_the_table_says() {
        for level in LEVELS {
            let handicap = Handicap::of_elo(level.elo, 7);
            assert_eq!(handicap.nodes, level.nodes);
            assert_eq!(handicap.error, level.error);
            assert_eq!(handicap.tolerance, f64::from(level.tolerance));
        }
    }

    #[test]
    fn errors_have_the_stated_size_and_no_bias() {
        let handicap = Handicap::of_elo(LEVELS[2].elo, 1);
        let mut keys = Rng::with_seed(1);
        let errors: Vec<f64> = (0..20_000)
            .map(|_| f64::from(handicap.error(keys.u64(..))))
            .collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let variance = errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64;
        assert!(mean.abs() < 5.0, "{mean}");
        assert!((variance.sqrt() - 180.0).abs() < 9.0, "{variance}");
    }

    #[test]
    fn worse_moves_are_chosen_less_often_and_losing_ones_never() {
        let handicap = Handicap::of_elo(LEVELS[2].elo, 1);
        let scores = [
            Score::cp(50),
            Score::cp(-20),
            Score::cp(-90),
            Score::mated_in(4),
        ];
        let mut keys = Rng::with_seed(2);
        let mut counts = [0; 4];
        for _ in 0..10_000 {
            counts[handicap.choose(keys.u64(..), &scores)] += 1;
        }
        // Losses of 0, 70 and 140 centipawns at a tolerance of 70.
        for (count, expected) in counts.into_iter().zip([6652.0, 2447.0, 900.0, 0.0]) {
            assert!((f64::from(count) - expected).abs() < 200.0, "{counts:?}");
        }
    }
}
