//! Whether a side can still mate by some series of legal moves (FIDE 6.9, 5.2.2).
//!
//! The opponent helps, and the counters that end a game (75 moves, fivefold repetition) do not count.
//! These questions are asked in turn, the cheap ones first; "no" is certain everywhere:
//!
//! | file | question |
//! | --- | --- |
//! | `material` | Can these men mate anywhere on the board? |
//! | `reach`, `blockade` | Where could each man ever get to, and is there a mate among those squares? |
//! | `helpmate`, `plans` | Is there a line that ends in mate? Every position seen is remembered (`states`), so that there is none if no new position is left. |
//! | `skeleton` | Is there a mate in the play of kings and pawns alone, if the pieces that roam are wherever they are wanted? |
//!
//! The order of the questions and the idea of a static answer for blocked positions are those of
//! M. Ambrona, *A Practical Algorithm for Chess Unwinnability* (FUN 2022).

mod blockade;
mod helpmate;
mod matching;
mod material;
mod plans;
mod reach;
mod skeleton;
mod states;

use std::fmt;

use shakmaty::{Chess, Color, Move, Position as _};

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
    /// No position with these men is mate.
    Material,
    /// The men that could mate cannot get to where they would have to be.
    Blockade,
    /// No play of the kings, the pawns and the shut-in pieces leads to a mate, wherever the others are.
    Skeleton,
    /// Every position that can arise was looked at.
    Exhausted,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::GameOver => "the game is over",
            Reason::Material => "the material does not suffice for any mate",
            Reason::Blockade => "the position is blocked and no mate can be reached",
            Reason::Skeleton => "no play of the kings and pawns opens a way to mate",
            Reason::Exhausted => "no position that can be reached is mate",
        })
    }
}

/// Nodes after which a helpmate is hard to find, so that looking for a proof is worth its time.
const EASY: u64 = 10_000;

/// Positions of the skeleton after which it is not worth its time.
const SKELETON: u64 = 100_000;

/// Whether `side` can mate by some series of legal moves, looking at about `nodes` positions at most.
///
/// Each takes 60 bytes of memory or so while the answer is worked out.
pub fn can_mate(position: &Position, side: Color, nodes: u64) -> Answer {
    let known = at_once(position, side).or_else(|| is_blocked(position.chess(), side));
    if let Some(verdict) = known {
        return Answer { verdict, nodes: 0 };
    }
    let mut search = helpmate::Search::new(position, side);
    let verdict = search.run(nodes.min(EASY));
    if verdict != Verdict::Undetermined || nodes <= EASY {
        let nodes = search.nodes();
        return Answer { verdict, nodes };
    }
    let skeleton = skeleton::search(position.chess(), side, nodes.min(SKELETON));
    let verdict = if skeleton.excludes_mate {
        Verdict::Unwinnable(Reason::Skeleton)
    } else {
        search.run(nodes)
    };
    Answer {
        verdict,
        nodes: search.nodes() + skeleton.states,
    }
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

/// Whether `side` can mate, as far as can be told in a microsecond or a few; never wrong, but often
/// `None`. `Some(true)` is said of a finished game only.
pub fn quick(position: &Position, side: Color) -> Option<bool> {
    let verdict = at_once(position, side).or_else(|| {
        let chess = position.chess();
        (!blockade::is_unlikely(chess, side))
            .then(|| is_blocked(chess, side))
            .flatten()
    });
    match verdict? {
        Verdict::Winnable(_) => Some(true),
        Verdict::Unwinnable(_) => Some(false),
        Verdict::Undetermined => None,
    }
}

/// Whether neither side can mate because the position is blocked, as far as can be told in a few
/// microseconds; the side to move must not be in check. Where a piece roams or a pawn is passed the
/// answer is `false` at once.
pub fn is_dead_blockade(position: &Position) -> bool {
    debug_assert!(!position.in_check());
    let chess = position.chess();
    let sides = Color::ALL;
    !sides.iter().any(|&side| blockade::is_unlikely(chess, side))
        && sides
            .iter()
            .all(|&side| blockade::excludes_mate(chess, side))
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
    None
}

fn is_blocked(chess: &Chess, side: Color) -> Option<Verdict> {
    blockade::excludes_mate(chess, side).then_some(Verdict::Unwinnable(Reason::Blockade))
}
