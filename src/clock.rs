//! The clock: how long to think, and whether that time is over.
//!
//! A game clock becomes two limits. At the *soft* one no new iteration begins; it is stretched or
//! shrunk by what the search has seen (`search::deepening`). At the *hard* one the search stops wherever it is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::limits::{GameClock, Limits};
use crate::params;

/// The time budget of one search. Starts when the `go` line was read.
#[derive(Debug)]
pub struct Clock {
    started: Instant,
    soft: Option<Duration>,
    hard: Option<Duration>,
    /// While set no limit applies; the time spent so far is a present.
    pondering: AtomicBool,
}

impl Clock {
    /// The budget that `limits` ask for, keeping `overhead` on the clock for the way to the GUI.
    pub fn new(limits: &Limits, overhead: Duration, started: Instant) -> Clock {
        let game = limits.clock.map(|clock| share(clock, overhead));
        let fixed = limits
            .movetime
            .map(|time| time - (time / 10).min(overhead / 2));
        let hard = [game.map(|(_, hard)| hard), fixed]
            .into_iter()
            .flatten()
            .min();
        Clock {
            started,
            soft: game.map(|(soft, _)| soft),
            hard,
            pondering: AtomicBool::new(limits.ponder),
        }
    }

    /// The opponent played the expected move: limits apply from now on.
    pub fn ponderhit(&self) {
        self.pondering.store(false, Ordering::Release);
    }

    /// Whether the opponent is still thinking.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Time since the search was asked for.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether a game clock is running, so that time saved is time won.
    pub fn is_game(&self) -> bool {
        self.soft.is_some()
    }

    /// Whether the search must stop at once.
    pub fn is_hard_over(&self) -> bool {
        self.hard
            .is_some_and(|hard| !self.is_pondering() && self.elapsed() >= hard)
    }

    /// Whether no further iteration should begin, given by how much the search wishes to deviate from
    /// the usual share of time (1.0).
    pub fn is_soft_over(&self, stretch: f64) -> bool {
        let over = |limit: Duration| self.elapsed() >= limit;
        !self.is_pondering()
            && (self.soft.is_some_and(|soft| over(soft.mul_f64(stretch)))
                || self.hard.is_some_and(over))
    }
}

/// Soft and hard limit of a game clock. Neither ever exceeds what is on the clock now less the
/// overhead: runners add the increment after the move.
fn share(clock: GameClock, overhead: Duration) -> (Duration, Duration) {
    let thousandths = |n: i32| f64::from(n) / 1000.0;
    let available = clock.remaining.saturating_sub(overhead);
    let (share, hard_share) = match clock.moves_to_go {
        Some(1) => (
            thousandths(params::time_last_share()),
            thousandths(params::time_last_hard_share()),
        ),
        Some(moves) => (
            thousandths(params::time_last_hard_share()) / f64::from(moves.min(40)),
            thousandths(params::time_hard_share()),
        ),
        None => (
            thousandths(params::time_share()),
            thousandths(params::time_hard_share()),
        ),
    };
    let increment = clock
        .increment
        .mul_f64(thousandths(params::time_increment()));
    let usual = available.mul_f64(share) + increment;
    let hard = usual
        .mul_f64(thousandths(params::time_hard_factor()))
        .min(available.mul_f64(hard_share));
    (usual.min(hard), hard)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(20);

    fn limits_of(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> (u128, u128) {
        let clock = GameClock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
        };
        let (soft, hard) = share(clock, OVERHEAD);
        (soft.as_millis(), hard.as_millis())
    }

    #[test]
    fn no_plan_exceeds_what_is_on_the_clock_now() {
        for remaining in [0, 1, 5, 21, 50, 200, 1000, 60_000] {
            for increment in [0, 10, 100, 5000] {
                for moves in [None, Some(1), Some(2), Some(5), Some(40), Some(500)] {
                    let (soft, hard) = limits_of(remaining, increment, moves);
                    assert!(soft <= hard, "{remaining} {increment} {moves:?}");
                    assert!(hard <= u128::from(remaining.saturating_sub(20)));
                }
            }
        }
    }

    #[test]
    fn a_minute_for_the_game_gives_a_few_seconds_a_move() {
        let (soft, hard) = limits_of(60_000, 0, None);
        assert!((1500..4000).contains(&soft), "{soft}");
        assert!((6000..30_000).contains(&hard), "{hard}");
    }

    #[test]
    fn a_fixed_time_is_never_exceeded() {
        let limits = Limits {
            movetime: Some(Duration::from_millis(50)),
            ..Limits::default()
        };
        let clock = Clock::new(&limits, OVERHEAD, Instant::now());
        assert!(clock.hard.unwrap() < Duration::from_millis(50));
        assert!(!clock.is_game());
    }
}
