//! Whether men can stand on several squares at once: a maximum matching.

use shakmaty::{Bitboard, Square};

/// Whether every square of `squares` gets a man of its own, if each can be on its own set of squares.
pub fn can_fill(squares: Bitboard, men: &[Bitboard]) -> bool {
    let mut on = vec![None; men.len()];
    squares
        .into_iter()
        .all(|square| fill(square, men, &mut on, &mut vec![false; men.len()]))
}

/// Finds a man for `square`, and for a man that leaves its square to it another man (an augmenting path).
fn fill(square: Square, men: &[Bitboard], on: &mut [Option<Square>], tried: &mut [bool]) -> bool {
    for at in 0..men.len() {
        if tried[at] || !men[at].contains(square) {
            continue;
        }
        tried[at] = true;
        let is_free = match on[at] {
            None => true,
            Some(other) => fill(other, men, on, tried),
        };
        if is_free {
            on[at] = Some(square);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn men_make_room_for_each_other() {
        let set = |squares: &[Square]| squares.iter().copied().collect::<Bitboard>();
        let wanted = set(&[Square::A1, Square::B1, Square::C1]);
        let wide = set(&[Square::A1, Square::B1]);
        let last = set(&[Square::B1, Square::C1]);
        assert!(can_fill(wanted, &[wide, set(&[Square::A1]), last]));
        assert!(!can_fill(wanted, &[wide, wide, wide]));
        assert!(!can_fill(wanted, &[wanted, wanted]));
        assert!(can_fill(Bitboard::EMPTY, &[]));
    }
}
