//! The statistics of a match: Elo with error bars, likelihood of superiority, and the sequential
//! probability ratio test, all on pairs of games (pentanomial).
//!
//! The two games of a pair share an opening with colours reversed, so their results depend on each
//! other; counting pairs instead of games takes that into account and makes tests shorter.
//! <https://www.chessprogramming.org/Match_Statistics>

use std::f64::consts::LN_10;

use serde::Serialize;

/// Pairs by their score: 0, ½, 1, 1½, 2 points for the first engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pentanomial(pub [u64; 5]);

/// The score of a pair, 0 to 1.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// An estimate with the half width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub value: f64,
    pub error: f64,
}

impl Pentanomial {
    /// Adds a pair in which the first engine scored `half_points` out of four.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean and variance of the score of a pair, 0 to 1.
    fn moments(&self) -> Option<(f64, f64)> {
        let pairs = self.pairs() as f64;
        if pairs == 0.0 {
            return None;
        }
        let weighted = |f: &dyn Fn(f64) -> f64| -> f64 {
            self.0
                .iter()
                .zip(SCORES)
                .map(|(&n, score)| n as f64 * f(score))
                .sum::<f64>()
                / pairs
        };
        let mean = weighted(&|score| score);
        Some((mean, weighted(&|score| (score - mean).powi(2))))
    }

    /// Elo difference on the logistic scale; none before the first pair or at 0 % and 100 %.
    pub fn elo(&self) -> Option<Estimate> {
        let (mean, variance) = self.moments()?;
        let error = 1.96 * (variance / self.pairs() as f64).sqrt();
        let value = elo_of(mean)?;
        let spread = |score: f64| elo_of(score.clamp(1e-6, 1.0 - 1e-6)).unwrap_or_default();
        Some(Estimate {
            value,
            error: (spread(mean + error) - spread(mean - error)) / 2.0,
        })
    }

    /// Elo difference in units of the spread of a game, which does not depend on the draw rate.
    pub fn normalized_elo(&self) -> Option<Estimate> {
        let (mean, variance) = self.moments()?;
        if variance == 0.0 {
            return None;
        }
        // A pair is the mean of two games, so a game spreads √2 times as much.
        let scale = 800.0 / LN_10 / (2.0 * variance).sqrt();
        let error = 1.96 * (variance / self.pairs() as f64).sqrt();
        Some(Estimate {
            value: (mean - 0.5) * scale,
            error: error * scale,
        })
    }

    /// Likelihood that the first engine is the stronger, 0 to 1.
    pub fn superiority(&self) -> Option<f64> {
        let (mean, variance) = self.moments()?;
        if variance == 0.0 {
            return Some(if mean > 0.5 {
                1.0
            } else if mean < 0.5 {
                0.0
            } else {
                0.5
            });
        }
        Some(normal(
            (mean - 0.5) / (variance / self.pairs() as f64).sqrt(),
        ))
    }

    /// The logarithm of how much likelier the result is under `elo1` than under `elo0`, both on the
    /// logistic scale. Of all distributions with a given mean the likeliest is taken.
    /// M. Van den Bergh, *Comments on normalized Elo* and *The GSPRT approximation*.
    pub fn log_likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        if self.pairs() == 0 {
            return 0.0;
        }
        // A result that has not occurred yet is still possible.
        let counts = self.0.map(|n| (n as f64).max(1e-3));
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|n| n / total);
        let null = likeliest(&observed, score_of(elo0));
        let alternative = likeliest(&observed, score_of(elo1));
        let per_pair: f64 = (0..5)
            .map(|i| observed[i] * (alternative[i] / null[i]).ln())
            .sum();
        total * per_pair
    }
}

/// The distribution nearest to `observed` in likelihood among those with mean `mean`: each probability
/// is divided by `1 + θ (score - mean)`, with θ such that the mean comes out.
fn likeliest(observed: &[f64; 5], mean: f64) -> [f64; 5] {
    let residual = |theta: f64| -> f64 {
        (0..5)
            .map(|i| observed[i] * (SCORES[i] - mean) / (1.0 + theta * (SCORES[i] - mean)))
            .sum()
    };
    // The residual falls from plus to minus infinity between the poles.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if residual(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let theta = (low + high) / 2.0;
    std::array::from_fn(|i| observed[i] / (1.0 + theta * (SCORES[i] - mean)))
}

/// Expected score at an Elo difference.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

fn elo_of(score: f64) -> Option<f64> {
    // Adding zero makes minus zero plain zero.
    (score > 0.0 && score < 1.0).then(|| -400.0 * (1.0 / score - 1.0).log10() + 0.0)
}

/// The normal distribution function, by numerical integration of the density.
fn normal(z: f64) -> f64 {
    const STEPS: usize = 2000;
    let z = z.clamp(-8.0, 8.0);
    let width = z / STEPS as f64;
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let area: f64 = (0..STEPS)
        .map(|i| {
            let left = i as f64 * width;
            (density(left) + 4.0 * density(left + width / 2.0) + density(left + width)) * width
                / 6.0
        })
        .sum();
    0.5 + area
}

/// A sequential test of two hypotheses, with equal chances of error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// Elo difference under the null hypothesis.
    pub elo0: f64,
    /// Elo difference under the alternative.
    pub elo1: f64,
    /// Chance to accept the alternative though the null is true.
    pub alpha: f64,
    /// Chance to accept the null though the alternative is true.
    pub beta: f64,
}

/// What a test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    Open,
    /// The alternative is accepted.
    Passed,
    /// The null hypothesis is accepted.
    Failed,
}

impl Sprt {
    /// The log-likelihood ratios at which the test ends.
    pub fn bounds(&self) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        (lower, upper)
    }

    pub fn decide(&self, results: &Pentanomial) -> Decision {
        let ratio = results.log_likelihood_ratio(self.elo0, self.elo1);
        let (lower, upper) = self.bounds();
        if ratio >= upper {
            Decision::Passed
        } else if ratio <= lower {
            Decision::Failed
        } else {
            Decision::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() < tolerance, "{a} is not {b}");
    }

    #[test]
    fn the_normal_distribution_has_its_tabulated_values() {
        close(normal(0.0), 0.5, 1e-9);
        close(normal(1.0), 0.841_344_746, 1e-8);
        close(normal(-1.96), 0.024_997_895, 1e-8);
        close(normal(3.0), 0.998_650_102, 1e-8);
    }

    #[test]
    fn elo_and_score_are_inverse() {
        close(score_of(0.0), 0.5, 1e-12);
        close(score_of(200.0), 0.759_747, 1e-6);
        close(elo_of(score_of(-37.5)).unwrap(), -37.5, 1e-9);
    }

    /// Results and figures as fastchess printed them.
    #[test]
    fn figures_agree_with_a_foreign_referee() {
        for (pairs, elo, error, normalized, normalized_error, superiority) in [
            ([1, 2, 4, 6, 7], 147.19, 111.09, 168.53, 107.67, 0.9989),
            ([9, 22, 41, 19, 9], -5.21, 36.32, -6.94, 48.15, 0.3888),
            ([3, 10, 9, 5, 3], -29.02, 71.62, -36.30, 87.91, 0.2092),
        ] {
            let results = Pentanomial(pairs);
            close(results.elo().unwrap().value, elo, 0.01);
            close(results.elo().unwrap().error, error, 0.6);
            close(results.normalized_elo().unwrap().value, normalized, 0.01);
            close(
                results.normalized_elo().unwrap().error,
                normalized_error,
                0.01,
            );
            close(results.superiority().unwrap(), superiority, 0.0001);
        }
    }

    /// The likeliest distribution with a given mean, found by walking downhill instead of by theta.
    #[test]
    fn the_constrained_maximum_is_a_maximum() {
        let observed = [0.1, 0.2, 0.4, 0.2, 0.1];
        let likelihood = |p: &[f64; 5]| -> f64 { (0..5).map(|i| observed[i] * p[i].ln()).sum() };
        for mean in [0.45, 0.5, 0.52, 0.6] {
            let best = likeliest(&observed, mean);
            close(best.iter().sum(), 1.0, 1e-9);
            close((0..5).map(|i| best[i] * SCORES[i]).sum(), mean, 1e-9);
            // Moves along the constraints: mass from two scores to the one between.
            for (i, step) in [
                (0, 1e-4),
                (1, 1e-4),
                (2, 1e-4),
                (0, -1e-4),
                (1, -1e-4),
                (2, -1e-4),
            ] {
                let mut other = best;
                other[i] -= step;
                other[i + 1] += 2.0 * step;
                other[i + 2] -= step;
                assert!(likelihood(&other) < likelihood(&best));
            }
        }
    }

    #[test]
    fn a_test_ends_where_wald_says() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
        };
        let (lower, upper) = sprt.bounds();
        close(upper, 2.944, 0.001);
        close(lower, -2.944, 0.001);
        assert_eq!(sprt.decide(&Pentanomial::default()), Decision::Open);
        assert_eq!(
            sprt.decide(&Pentanomial([100, 400, 1000, 700, 200])),
            Decision::Passed
        );
        assert_eq!(
            sprt.decide(&Pentanomial([200, 700, 1000, 400, 100])),
            Decision::Failed
        );
    }
}
