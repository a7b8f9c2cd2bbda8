//! Moves from the opening book, and when they are played.

use std::sync::Arc;

use fastrand::Rng;
use shakmaty::Move;

use crate::board::Position;
use crate::book::Book;

/// How opening moves are played.
pub struct Opening {
    /// Whether the book is used at all.
    pub is_on: bool,
    /// Where moves come from.
    pub book: Arc<Book>,
    /// Number of the last move from the book.
    pub depth: u32,
    /// As of [`Book::choose`].
    pub variety: u8,
    rng: Rng,
}

impl Opening {
    /// A move to play in this position, if the book has one and is in use.
    pub fn choose(&mut self, position: &Position) -> Option<Move> {
        let is_over = position.move_number() > self.depth;
        if !self.is_on || is_over {
            return None;
        }
        self.book.choose(position, self.variety, &mut self.rng)
    }
}

impl Default for Opening {
    fn default() -> Opening {
        Opening {
            is_on: false,
            book: Book::builtin(),
            depth: 20,
            variety: 70,
            rng: Rng::new(),
        }
    }
}
