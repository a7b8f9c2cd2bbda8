//! Static evaluation: what a quiet position is worth, without searching.
//!
//! A network that learned from the engine's own games judges positions; see `nnue`.

pub mod nnue;

use crate::score::Score;

/// An evaluation on its way to a draw by the fifty-move rule: it shrinks by half until then.
pub fn fade(eval: Score, halfmoves: u32) -> Score {
    let left = 200 - halfmoves.min(100) as i32;
    Score::eval(eval.raw() * left / 200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advantage_fades_with_the_fifty_move_counter() {
        assert_eq!(fade(Score::cp(300), 0), Score::cp(300));
        assert_eq!(fade(Score::cp(-300), 100), Score::cp(-150));
    }
}
