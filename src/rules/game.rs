//! A game: a start, the moves played, and whether it is over.
//!
//! Articles are those of the FIDE Laws of Chess in force since 2023.

use std::fmt;

use shakmaty::{Color, Move};

use super::unwinnable;
use crate::board::Position;

/// Who ends a game that is a draw by repetition or by the move counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleSet {
    /// Over the board: threefold repetition and fifty moves must be claimed.
    Fide,
    /// Servers, engine matches and the search itself: both end the game at once.
    Online,
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// In check without a legal move (5.1.1); takes precedence over every draw.
    Checkmate {
        /// The side that mated.
        winner: Color,
    },
    /// Not in check and without a legal move (5.2.1).
    Stalemate,
    /// Neither side can ever mate (5.2.2).
    DeadPosition,
    /// 150 plies without capture or pawn move (9.6.2).
    SeventyFiveMoves,
    /// The same position for the fifth time (9.6.1).
    FivefoldRepetition,
    /// 100 plies without capture or pawn move (9.3), under [`RuleSet::Online`].
    FiftyMoves,
    /// The same position for the third time (9.2), under [`RuleSet::Online`].
    ThreefoldRepetition,
}

impl Ending {
    /// The side that won, or `None` for a draw.
    pub fn winner(self) -> Option<Color> {
        match self {
            Ending::Checkmate { winner } => Some(winner),
            _ => None,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Checkmate { .. } => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::DeadPosition => "dead position",
            Ending::SeventyFiveMoves => "seventy-five moves",
            Ending::FivefoldRepetition => "fivefold repetition",
            Ending::FiftyMoves => "fifty moves",
            Ending::ThreefoldRepetition => "threefold repetition",
        })
    }
}

/// A draw that the side to move may claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The position stands, or would stand, for the third time or more (9.2).
    ThreefoldRepetition,
    /// Fifty moves by each side without capture or pawn move (9.3).
    FiftyMoves,
}

/// A game from its start position to the position on the board.
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    /// Keys of the positions before this one, oldest first.
    keys: Vec<u64>,
}

impl Game {
    /// A game that begins at `start`.
    pub fn new(start: Position) -> Game {
        Game {
            position: start,
            keys: Vec::new(),
        }
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the positions before the one on the board, oldest first.
    pub fn earlier_keys(&self) -> &[u64] {
        &self.keys
    }

    /// Plays a legal move; see [`Position::play`].
    pub fn play(&mut self, m: Move) {
        self.keys.push(self.position.key());
        self.position.play(m);
    }

    /// How often the position on the board has occurred, now included.
    pub fn occurrences(&self) -> usize {
        // Only positions since the last capture or pawn move can be the same.
        let reversible = self.position.halfmoves() as usize;
        let key = self.position.key();
        1 + self
            .keys
            .iter()
            .rev()
            .take(reversible)
            .filter(|&&earlier| earlier == key)
            .count()
    }

    /// Whether the game is over, and why: the first that applies of the order in [`Ending`].
    pub fn ending(&self, rules: RuleSet) -> Option<Ending> {
        let position = &self.position;
        let halfmoves = position.halfmoves();
        if !position.has_legal_move() {
            return Some(if position.in_check() {
                Ending::Checkmate {
                    winner: !position.turn(),
                }
            } else {
                Ending::Stalemate
            });
        }
        if self.is_dead() {
            return Some(Ending::DeadPosition);
        }
        if halfmoves >= 150 {
            return Some(Ending::SeventyFiveMoves);
        }
        let occurrences = self.occurrences();
        if occurrences >= 5 {
            return Some(Ending::FivefoldRepetition);
        }
        if rules == RuleSet::Online {
            if halfmoves >= 100 {
                return Some(Ending::FiftyMoves);
            }
            if occurrences >= 3 {
                return Some(Ending::ThreefoldRepetition);
            }
        }
        None
    }

    /// Draws that may be claimed for the position on the board.
    pub fn claims(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        if self.occurrences() >= 3 {
            claims.push(Claim::ThreefoldRepetition);
        }
        if self.position.halfmoves() >= 100 {
            claims.push(Claim::FiftyMoves);
        }
        claims
    }

    /// Draws that the side to move may claim by announcing the legal move `m` (9.2.1, 9.3.1).
    pub fn claims_with(&self, m: Move) -> Vec<Claim> {
        let mut announced = self.clone();
        announced.play(m);
        announced.claims()
    }

    /// Whether neither side can mate any more (5.2.2), as far as can be told in microseconds: `true` is
    /// certain, `false` may be wrong. The exact answer is [`unwinnable::is_dead`].
    pub fn is_dead(&self) -> bool {
        let cannot_mate = |&side: &Color| unwinnable::quick(&self.position, side) == Some(false);
        Color::ALL.iter().all(cannot_mate)
    }
}
