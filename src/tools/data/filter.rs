//! Which positions of a game a network learns from: those that a static evaluation can judge.

use saavedra::board::Position;
use shakmaty::Move;

use super::viriformat::{GameRecord, Ply};

/// Plies at the beginning that are left out: after eight random moves the position first has to
/// come to rest. The sixteenth ply of the game is the first that counts.
const FIRST_PLY: usize = 8;
/// Scores from here on say little more than that the game is decided, in centipawns.
const SCORE_LIMIT: u16 = 2000;

/// Calls `each` with every position that is kept and the number of its ply in the game.
pub fn for_each_kept(game: &GameRecord, mut each: impl FnMut(&Position, usize)) {
    let mut position = game.start.clone();
    for (number, &ply) in game.plies.iter().enumerate() {
        if is_kept(&position, ply, number) {
            each(&position, number);
        }
        position.play(ply.m);
    }
}

/// A position is kept when it is quiet: no check, and neither a capture nor a promotion to be played,
/// because an evaluation does not see what those change.
fn is_kept(position: &Position, ply: Ply, number: usize) -> bool {
    number >= FIRST_PLY
        && ply.score.unsigned_abs() < SCORE_LIMIT
        && !position.in_check()
        && !is_tactical(ply.m)
}

fn is_tactical(m: Move) -> bool {
    m.is_capture() || m.is_promotion()
}
