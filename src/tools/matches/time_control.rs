//! Time controls of a match: what an engine is told, and what is left on its clock.

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

/// How long an engine may think.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeControl {
    /// A clock.
    Clock {
        /// Moves after which `base` is added again; none for the rest of the game.
        moves: Option<u32>,
        /// Time for these moves, or for the game.
        base: Duration,
        /// Time added after each move.
        increment: Duration,
    },
    /// So long for each move.
    PerMove(Duration),
    /// No clock; nodes or depth end each search.
    Unlimited,
}

impl FromStr for TimeControl {
    type Err = anyhow::Error;

    /// Reads `[moves/]time[+increment]` with times in seconds or as `minutes:seconds`, or `inf`.
    fn from_str(text: &str) -> anyhow::Result<TimeControl> {
        if text == "inf" {
            return Ok(TimeControl::Unlimited);
        }
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                let moves: u32 = moves.parse().with_context(|| format!("'{moves}' moves"))?;
                ensure!(moves > 0, "a time control needs at least one move");
                (Some(moves), rest)
            }
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        Ok(TimeControl::Clock {
            moves,
            base: seconds(base)?,
            increment: seconds(increment)?,
        })
    }
}

impl TimeControl {
    /// In the words of `--engine`; nothing without a clock.
    pub fn setting(self) -> Option<String> {
        match self {
            TimeControl::Clock {
                moves,
                base,
                increment,
            } => {
                let moves = moves.map_or(String::new(), |moves| format!("{moves}/"));
                let (base, increment) = (base.as_secs_f64(), increment.as_secs_f64());
                Some(format!("tc={moves}{base}+{increment}"))
            }
            TimeControl::PerMove(time) => Some(format!("st={}", time.as_secs_f64())),
            TimeControl::Unlimited => None,
        }
    }
}

/// Reads `seconds` or `minutes:seconds`.
pub fn seconds(text: &str) -> anyhow::Result<Duration> {
    let (minutes, seconds) = text.split_once(':').unwrap_or(("0", text));
    let minutes: f64 = minutes
        .parse()
        .with_context(|| format!("'{text}' is not a time"))?;
    let seconds: f64 = seconds
        .parse()
        .with_context(|| format!("'{text}' is not a time"))?;
    match Duration::try_from_secs_f64(minutes * 60.0 + seconds) {
        Ok(time) => Ok(time),
        Err(_) => bail!("'{text}' is not a time"),
    }
}

/// One side's clock during a game.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    control: TimeControl,
    left: Duration,
    moves_left: Option<u32>,
}

impl Clock {
    pub fn new(control: TimeControl) -> Clock {
        match control {
            TimeControl::Clock {
                moves,
                base,
                increment,
            } => Clock {
                control,
                left: base + increment,
                moves_left: moves,
            },
            TimeControl::PerMove(time) => Clock {
                control,
                left: time,
                moves_left: None,
            },
            TimeControl::Unlimited => Clock {
                control,
                left: Duration::MAX,
                moves_left: None,
            },
        }
    }

    /// Time on the clock, the increment of this move included; none without a clock.
    pub fn left(&self) -> Option<Duration> {
        (self.control != TimeControl::Unlimited).then_some(self.left)
    }

    /// The words of a `go` line about this clock, `side` being w or b.
    pub fn words(&self, side: char) -> String {
        match self.control {
            TimeControl::Clock { increment, .. } => {
                let (left, increment) = (self.left.as_millis(), increment.as_millis());
                format!(" {side}time {left} {side}inc {increment}")
            }
            _ => String::new(),
        }
    }

    /// The words of the mover's `go` line that are not about either clock.
    pub fn mover_words(&self) -> String {
        match self.control {
            TimeControl::PerMove(time) => format!(" movetime {}", time.as_millis()),
            _ => self
                .moves_left
                .map_or(String::new(), |moves| format!(" movestogo {moves}")),
        }
    }

    /// Takes the time of a move off the clock; false if the flag fell, by more than `margin`.
    pub fn spend(&mut self, used: Duration, margin: Duration) -> bool {
        match self.control {
            TimeControl::Unlimited => true,
            TimeControl::PerMove(time) => used <= time + margin,
            TimeControl::Clock {
                moves,
                base,
                increment,
            } => {
                if used > self.left + margin {
                    return false;
                }
                self.left = self.left.saturating_sub(used) + increment;
                if let Some(left) = &mut self.moves_left {
                    *left -= 1;
                    if *left == 0 {
                        *left = moves.unwrap_or(1);
                        self.left += base;
                    }
                }
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_read_as_runners_write_them() {
        let clock = |moves, base, increment| TimeControl::Clock {
            moves,
            base: Duration::from_millis(base),
            increment: Duration::from_millis(increment),
        };
        assert_eq!(
            "4+0.04".parse::<TimeControl>().unwrap(),
            clock(None, 4000, 40)
        );
        assert_eq!(
            "40/1:30".parse::<TimeControl>().unwrap(),
            clock(Some(40), 90_000, 0)
        );
        assert_eq!(
            "inf".parse::<TimeControl>().unwrap(),
            TimeControl::Unlimited
        );
        for bad in ["", "x", "0/5", "5+", "-3", "1e400"] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_clock_counts_down_and_is_filled_again() {
        let mut clock = Clock::new("2/1+0.1".parse().unwrap());
        assert_eq!(clock.left(), Some(Duration::from_millis(1100)));
        assert_eq!(clock.words('w'), " wtime 1100 winc 100");
        assert_eq!(clock.mover_words(), " movestogo 2");
        assert!(clock.spend(Duration::from_millis(600), Duration::ZERO));
        assert_eq!(clock.left(), Some(Duration::from_millis(600)));
        assert!(clock.spend(Duration::from_millis(600), Duration::ZERO));
        assert_eq!(clock.left(), Some(Duration::from_millis(1100)));
        assert_eq!(clock.mover_words(), " movestogo 2");
        assert!(!clock.spend(Duration::from_millis(1101), Duration::ZERO));
        assert!(clock.spend(Duration::from_millis(1101), Duration::from_millis(5)));
    }
}
