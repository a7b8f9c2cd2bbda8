//! Perft: counting the leaves of the legal move tree, the classic test of a move generator.

use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::Move;

use super::Position;

/// The number of legal move sequences of `depth` plies. Gives up, with a count too low, once `stop`
/// is set.
pub fn perft(pos: &Position, depth: u32, stop: &AtomicBool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = pos.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    if stop.load(Ordering::Relaxed) {
        return 0;
    }
    moves
        .into_iter()
        .map(|m| perft(&pos.after(m), depth - 1, stop))
        .sum()
}

/// The same by first move, in the order of generation.
pub fn divide(pos: &Position, depth: u32, stop: &AtomicBool) -> Vec<(Move, u64)> {
    let count = |m| perft(&pos.after(m), depth.saturating_sub(1), stop);
    pos.legal_moves()
        .into_iter()
        .map(|m| (m, count(m)))
        .collect()
}
