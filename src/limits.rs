//! What bounds a search, as asked for by `go`.
//!
//! All limits may be combined; the first one reached ends the search. How a clock becomes a time
//! budget is left to `clock`.

use std::time::Duration;

use shakmaty::Move;

/// The limits of one search. `Default` is a search without an end.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The mover's clock, for games.
    pub clock: Option<GameClock>,
    /// Exactly this long for this move.
    pub movetime: Option<Duration>,
    /// Full-width depth in plies.
    pub depth: Option<i32>,
    /// Positions searched, all threads together.
    pub nodes: Option<u64>,
    /// No further iteration begins once so many positions were searched.
    pub soft_nodes: Option<u64>,
    /// End when a mate in this many full moves is found, for or against the mover.
    pub mate: Option<i32>,
    /// Search only these moves at the root; an empty list means no move at all.
    pub searchmoves: Option<Vec<Move>>,
    /// Never answer before `stop`.
    pub infinite: bool,
    /// Think on the opponent's time: no answer before `ponderhit` or `stop`, clocks run from there.
    pub ponder: bool,
}

impl Limits {
    /// Whether a move is asked for because it is to be played, not to learn about the position.
    pub fn is_game(&self) -> bool {
        !self.infinite
            && !self.ponder
            && self.mate.is_none()
            && self.searchmoves.is_none()
            && (self.clock.is_some() || self.movetime.is_some())
    }

    /// Whether the search comes to an end without `stop`, once it does not ponder any more. A search
    /// for a mate may go on for ever.
    pub fn is_finite(&self) -> bool {
        !self.infinite
            && (self.clock.is_some()
                || self.movetime.is_some()
                || self.depth.is_some()
                || self.nodes.is_some()
                || self.soft_nodes.is_some()
                || self.searchmoves.as_ref().is_some_and(Vec::is_empty))
    }
}

/// One side's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameClock {
    /// Time left now, the increment of this move included.
    pub remaining: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves until more time is added; `None` when the clock is for the rest of the game.
    pub moves_to_go: Option<u32>,
}
