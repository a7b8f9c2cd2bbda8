//! Pairs of middlegame and endgame values.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// The phase with all pieces on the board.
pub const PHASE_MAX: i32 = 24;

/// A middlegame and an endgame value in centipawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Taper {
    pub middle: i32,
    pub end: i32,
}

/// A pair of values.
pub const fn s(middle: i32, end: i32) -> Taper {
    Taper { middle, end }
}

impl Taper {
    /// The sum, in constants.
    pub const fn plus(self, other: Taper) -> Taper {
        s(self.middle + other.middle, self.end + other.end)
    }

    /// The value at `phase`, with `share` 64ths of the endgame value.
    pub const fn blend(self, phase: i32, share: i32) -> i32 {
        let end = self.end * share / 64;
        (self.middle * phase + end * (PHASE_MAX - phase)) / PHASE_MAX
    }
}

impl Add for Taper {
    type Output = Taper;
    fn add(self, other: Taper) -> Taper {
        self.plus(other)
    }
}

impl AddAssign for Taper {
    fn add_assign(&mut self, other: Taper) {
        *self = self.plus(other);
    }
}

impl Sub for Taper {
    type Output = Taper;
    fn sub(self, other: Taper) -> Taper {
        self.plus(-other)
    }
}

impl Neg for Taper {
    type Output = Taper;
    fn neg(self) -> Taper {
        s(-self.middle, -self.end)
    }
}

impl Mul<i32> for Taper {
    type Output = Taper;
    fn mul(self, factor: i32) -> Taper {
        s(self.middle * factor, self.end * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_blended_by_phase_and_share() {
        let sum = s(-35, 120) + s(10, -300) - s(-7, 5) * 3;
        assert_eq!(sum, s(-4, -195));
        assert_eq!(s(240, 0).blend(12, 64), 120);
        assert_eq!(s(0, 240).blend(0, 32), 120);
    }
}
