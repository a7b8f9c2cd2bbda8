//! The rules above the position: what a game is, how it ends, what may be claimed, and whether a side
//! could still mate ([`unwinnable`]).
//!
//! Where a piece may move is left to `board`. Two rule sets, by name: under [`RuleSet::Fide`] some
//! draws exist only when claimed; under [`RuleSet::Online`] the server declares them.

mod game;
pub mod unwinnable;

pub use game::{Claim, Ending, Game, RuleSet};
