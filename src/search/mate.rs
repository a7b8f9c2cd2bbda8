//! `go mate N`: short mates are proven by full-width search before the ordinary search begins.
//!
//! The window admits only mates of the length asked for, so that mate distance pruning ends every
//! line that is too long and nothing depends on the evaluation. No rule that gives up a move applies.
//! Longer mates are left to the ordinary search, which finds them sooner than a full-width one.

use super::node::Root;
use super::root::RootMove;
use super::worker::{Stopped, Worker};
use crate::score::Score;
use crate::window::Window;

/// The longest mate, in full moves, that is proven by full-width search.
const LONGEST: i32 = 3;

impl Worker<'_> {
    /// Finds out whether the side to move mates, or is mated, in at most `moves` full moves; the first
    /// root move then holds score and line, the others hold nothing of use.
    pub fn prove_mate(&mut self, moves: i32) -> Result<bool, Stopped> {
        self.full_width = true;
        self.first_root_move = 0;
        let proof = self.find_mate(moves);
        self.full_width = false;
        proof
    }

    fn find_mate(&mut self, moves: i32) -> Result<bool, Stopped> {
        let root = self.shared.task.game.position();
        for moves in 1..=moves.clamp(0, LONGEST) as usize {
            let mating = 2 * moves - 1;
            let wins = Window {
                alpha: Score::mate_in(mating) - 1,
                beta: Score::INFINITE,
            };
            let losses = Window {
                alpha: -Score::INFINITE,
                beta: Score::mated_in(mating + 1) + 1,
            };
            for (window, plies) in [(wins, mating), (losses, mating + 1)] {
                self.iteration = plies as i32;
                let score = self.alpha_beta::<Root>(root, window, plies as i32 + 2, 0, false)?;
                if score > window.alpha && score < window.beta {
                    self.root_moves.sort_by_key(RootMove::order);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
