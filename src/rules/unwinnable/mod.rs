//! Whether a side can still mate by some series of legal moves (FIDE 6.9, 5.2.2).
//!
//! The opponent helps, and the counters that end a game (75 moves, fivefold repetition) do not count.
//! Four questions are asked, the cheap ones first, and each answer is exact:
//!
//! 1. [`material`]: can these men mate anywhere on the board?
//! 2. [`blockade`]: where could each man ever get to, and is there a mate among those squares?
//! 3. [`helpmate`]: is there a line that ends in mate? The search remembers every position it has
//!    seen, so that it also proves that there is none when no new position is left.
//!
//! M. Ambrona, *A Practical Algorithm for Chess Unwinnability* (FUN 2022) is the reference for the
//! order of the questions and the idea of a static answer for blocked positions.

mod blockade;
mod helpmate;
mod material;
mod states;

use std::fmt;

use shakmaty::{Color, Move, Position as _};

use crate::board::Position;

/// What is known, and how many positions were looked at to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What is known.
    pub verdict: Verdict,
    /// Positions the search saw; 0 if none was needed.
    pub nodes: u64,
}

/// Whether a side can mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It can: legal moves of both sides, the last of which mates. Empty if the position is mate.
    Winnable(Vec<Move>),
    /// It cannot.
    Unwinnable(Reason),
    /// The limit of nodes was too small to know.
    Undetermined,
}

/// Why a side cannot mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The game is over.
    GameOver,
    /// No position with these men, or with what may become of them, is mate.
    Material,
    /// The men that could mate cannot get to where they would have to be.
    Blockade,
    /// Every position that can arise was looked at.
    Exhausted,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::GameOver => "the game is over",
            Reason::Material => "the material does not suffice for any mate",
            Reason::Blockade => "the position is blocked and no mate can be reached",
            Reason::Exhausted => "no position that can be reached is mate",
        })
    }
}

/// Whether `side` can mate by some series of legal moves, looking at `nodes` positions at most.
pub fn can_mate(position: &Position, side: Color, nodes: u64) -> Answer {
    if let Some(verdict) = at_once(position, side) {
        return Answer { verdict, nodes: 0 };
    }
    helpmate::search(position, side, nodes)
}

/// Whether neither side can mate (5.2.2), looking at `nodes` positions at most for each; `None` if
/// that is too few to know.
pub fn is_dead(position: &Position, nodes: u64) -> Option<bool> {
    let mut known = true;
    for side in Color::ALL {
        match can_mate(position, side, nodes).verdict {
            Verdict::Winnable(_) => return Some(false),
            Verdict::Unwinnable(_) => {}
            Verdict::Undetermined => known = false,
        }
    }
    known.then_some(true)
}

/// Whether `side` can mate, as far as can be told in microseconds; never wrong.
pub fn quick(position: &Position, side: Color) -> Option<bool> {
    match at_once(position, side)? {
        Verdict::Winnable(_) => Some(true),
        Verdict::Unwinnable(_) => Some(false),
        Verdict::Undetermined => None,
    }
}

/// What can be told without a search.
fn at_once(position: &Position, side: Color) -> Option<Verdict> {
    let chess = position.chess();
    if !position.has_legal_move() {
        return Some(if position.in_check() && position.turn() != side {
            Verdict::Winnable(Vec::new())
        } else {
            Verdict::Unwinnable(Reason::GameOver)
        });
    }
    if !material::suffices(chess.board(), side) {
        return Some(Verdict::Unwinnable(Reason::Material));
    }
    blockade::excludes_mate(chess, side).then_some(Verdict::Unwinnable(Reason::Blockade))
}
