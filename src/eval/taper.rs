//! Pairs of middlegame and endgame values, added in one step.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// The phase with all pieces on the board.
pub const PHASE_MAX: i32 = 24;

/// A middlegame value in the low half, an endgame value in the high half, in centipawns. Both halves
/// are added at once; the borrow of a negative low half is undone when reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Taper(i32);

/// A pair of values.
pub const fn s(middle: i32, end: i32) -> Taper {
    Taper((end << 16) + middle)
}

impl Taper {
    /// The middlegame value.
    pub const fn middle(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame value.
    pub const fn end(self) -> i32 {
        ((self.0 + 0x8000) >> 16) as i16 as i32
    }

    /// The sum, in constants.
    pub const fn plus(self, other: Taper) -> Taper {
        Taper(self.0 + other.0)
    }

    /// The value at `phase`, with `share` 64ths of the endgame value.
    pub const fn blend(self, phase: i32, share: i32) -> i32 {
        let end = self.end() * share / 64;
        (self.middle() * phase + end * (PHASE_MAX - phase)) / PHASE_MAX
    }
}

impl Add for Taper {
    type Output = Taper;
    fn add(self, other: Taper) -> Taper {
        Taper(self.0 + other.0)
    }
}

impl Sub for Taper {
    type Output = Taper;
    fn sub(self, other: Taper) -> Taper {
        Taper(self.0 - other.0)
    }
}

impl AddAssign for Taper {
    fn add_assign(&mut self, other: Taper) {
        self.0 += other.0;
    }
}

impl Neg for Taper {
    type Output = Taper;
    fn neg(self) -> Taper {
        Taper(-self.0)
    }
}

impl Mul<i32> for Taper {
    type Output = Taper;
    fn mul(self, factor: i32) -> Taper {
        Taper(self.0 * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_survive_arithmetic() {
        let sum = s(-35, 120) + s(10, -300) - s(-7, 5) * 3;
        assert_eq!((sum.middle(), sum.end()), (-4, -195));
        assert_eq!(((-sum).middle(), (-sum).end()), (4, 195));
        assert_eq!(s(240, 0).blend(12, 64), 120);
        assert_eq!(s(0, 240).blend(0, 32), 120);
    }
}
