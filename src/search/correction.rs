//! Correction history: how far the static evaluation was off lately, in positions like this one.
//!
//! What a search finds differs from the evaluation, and the difference is much the same in positions
//! with the same pawns, with the same pieces of a side, or after the same moves. Running averages of it
//! correct the evaluation where it enters the search.
//! <https://www.chessprogramming.org/Static_Evaluation_Correction_History>

use shakmaty::{Color, Move};
use zerocopy::FromZeros;

use super::facts::Facts;
use super::history::{Line, PIECE_TO};
use super::worker::Worker;
use crate::board::{Position, is_noisy};
use crate::eval;
use crate::params;
use crate::score::Score;

/// Averages by a key; keys that fall together share one.
const SIZE: usize = 1 << 14;
/// Averages are in 1/GRAIN centipawns and stay inside `±LIMIT`.
const GRAIN: i32 = 64;
const LIMIT: i32 = 128 * GRAIN;

type Averages = Box<[[i16; 2]]>;

/// What a thread remembers of wrong evaluations, by side to move.
pub struct Corrections {
    pawns: Averages,
    /// By the pieces of White and of Black.
    pieces: [Averages; 2],
    /// By the last move and the one before it, which tell the side to move.
    moves: Box<[i16]>,
}

impl Corrections {
    /// No experience.
    pub fn new() -> Corrections {
        let averages = |size| vec![[0; 2]; size].into_boxed_slice();
        Corrections {
            pawns: averages(SIZE),
            pieces: [averages(SIZE), averages(SIZE)],
            moves: vec![0; PIECE_TO * PIECE_TO].into_boxed_slice(),
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        self.pawns.zero();
        self.pieces.iter_mut().for_each(|averages| averages.zero());
        self.moves.zero();
    }

    /// What has to be added to the evaluation of `pos` after `line`, in centipawns.
    pub fn of(&self, pos: &Position, line: Line) -> i32 {
        let us = pos.turn() as usize;
        let average = |averages: &Averages, index: usize| i32::from(averages[index][us]);
        let mut sum = average(&self.pawns, index(pos.pawn_key())) * params::correction_pawns();
        for color in Color::ALL {
            let averages = &self.pieces[color as usize];
            sum += average(averages, index(pos.piece_key(color))) * params::correction_pieces();
        }
        if let Some(index) = move_index(line) {
            sum += i32::from(self.moves[index]) * params::correction_moves();
        }
        sum / (GRAIN * 1024)
    }

    /// Learns that a search to `depth` found the evaluation off by `error` centipawns.
    pub fn learn(&mut self, error: i32, pos: &Position, line: Line, depth: i32) {
        let us = pos.turn() as usize;
        let weight = (depth + 1).min(16);
        let error = (error * GRAIN).clamp(-LIMIT, LIMIT);
        let update = |average: &mut i16| {
            let old = i32::from(*average);
            *average = (old + (error - old) * weight / params::correction_inertia()) as i16;
        };
        update(&mut self.pawns[index(pos.pawn_key())][us]);
        for color in Color::ALL {
            let averages = &mut self.pieces[color as usize];
            update(&mut averages[index(pos.piece_key(color))][us]);
        }
        if let Some(index) = move_index(line) {
            update(&mut self.moves[index]);
        }
    }
}

impl Worker<'_> {
    /// Learns how far the evaluation of a node was off, if its score says so and no capture explains it.
    pub fn learn_error(&mut self, node: &Facts, score: Score, best: Option<Move>) {
        let Some(raw) = node.raw_eval else { return };
        let eval = eval::fade(raw, node.pos.halfmoves());
        if !score.is_decisive()
            && !best.is_some_and(is_noisy)
            && (best.is_some() || score < eval)
            && (score < node.window.beta || score > eval)
        {
            let error = score.raw() - eval.raw();
            let corrections = &mut self.history.corrections;
            corrections.learn(error, node.pos, node.context.line, node.full_depth);
        }
    }
}

fn index(key: u64) -> usize {
    key as usize % SIZE
}

fn move_index([last, before, _]: Line) -> Option<usize> {
    Some(before?.index() * PIECE_TO + last?.index())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_comes_again_is_corrected() {
        let pos = Position::startpos();
        let mut corrections = Corrections::new();
        assert_eq!(corrections.of(&pos, [None; 3]), 0);
        for _ in 0..200 {
            corrections.learn(60, &pos, [None; 3], 8);
        }
        assert!(corrections.of(&pos, [None; 3]) > 20);
        let other_side = pos.after_null().unwrap();
        assert_eq!(corrections.of(&other_side, [None; 3]), 0);
    }
}
