//! The window: the interval of scores that a search still has to tell apart.
//!
//! Handing it down is a negation (`-window`), so that the classic slips of passing alpha and beta in
//! the wrong order, or without their signs, cannot be written.

use std::ops::Neg;

use crate::score::Score;

/// Scores at or below `alpha` are all alike to the caller, and so are those at or above `beta`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// What the side to move has already.
    pub alpha: Score,
    /// What the opponent will not allow.
    pub beta: Score,
}

impl Window {
    /// Every score.
    pub const FULL: Window = Window {
        alpha: Score::cp(-32_001),
        beta: Score::INFINITE,
    };

    /// The narrowest window above `alpha`: it only asks whether a score beats it.
    pub fn null(alpha: Score) -> Window {
        Window {
            alpha,
            beta: alpha + 1,
        }
    }

    /// `center ± delta`, cut at the ends of the scale.
    pub fn around(center: Score, delta: i32) -> Window {
        Window {
            alpha: (center - delta).max(Window::FULL.alpha),
            beta: (center + delta).min(Window::FULL.beta),
        }
    }
}

impl Neg for Window {
    type Output = Window;
    /// The same interval seen by the opponent.
    fn neg(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opponent_sees_the_window_mirrored() {
        let window = Window {
            alpha: Score::cp(-20),
            beta: Score::cp(50),
        };
        assert_eq!(
            -window,
            Window {
                alpha: Score::cp(-50),
                beta: Score::cp(20)
            }
        );
        assert_eq!(-Window::FULL, Window::FULL);
        assert_eq!(
            -Window::null(Score::cp(7)),
            Window {
                alpha: Score::cp(-8),
                beta: Score::cp(-7)
            }
        );
    }
}
