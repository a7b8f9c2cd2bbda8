//! Opening books in the Polyglot format.
//!
//! ```text
//! entry, 16 bytes, big-endian:  key (8)  move (2)  weight (2)  learn (4, unused)
//! move:  bit 14    12 11      9 8      6 5       3 2      0
//!        promotion    from rank  from file to rank   to file      castling: king takes rook
//! ```
//!
//! Some books write castling with the square that the king goes to; that is read as well. Entries are
//! sorted by key. A move is only a claim: what is not legal in the position is passed over.
//! <http://hgm.nubati.net/book_format.html>

use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use fastrand::Rng;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingSide, EnPassantMode, Move, Position as _, Role, Square};
use thiserror::Error;

use crate::board::Position;

/// Bytes of an entry.
const ENTRY: usize = 16;
/// Larger files are no books.
const LARGEST_FILE: u64 = 1 << 32;

/// A move of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// Legal in the position that was asked for.
    pub m: Move,
    /// How often to play it, compared with the others.
    pub weight: u16,
}

/// Why a file is no book.
#[derive(Debug, Error)]
pub enum BookError {
    /// A folder, a device, or far too large.
    #[error("not a file that could be a book")]
    NotAFile,
    /// The system says why.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The length is no multiple of an entry's, or keys are out of order.
    #[error("not a Polyglot book")]
    Format,
}

/// Positions and what to play in them.
pub struct Book {
    entries: Vec<[u8; ENTRY]>,
}

impl Book {
    /// The book that was built in.
    pub fn builtin() -> Arc<Book> {
        static BUILTIN: LazyLock<Arc<Book>> = LazyLock::new(|| {
            let book = Book::from_bytes(include_bytes!("../book/saavedra.bin"));
            Arc::new(book.expect("the book that was built in is sound"))
        });
        Arc::clone(&BUILTIN)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Says why it cannot be used.
    pub fn read(path: &Path) -> Result<Book, BookError> {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() || metadata.len() > LARGEST_FILE {
            return Err(BookError::NotAFile);
        }
        Book::from_bytes(&std::fs::read(path)?)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// When they are no book.
    pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookError> {
        let (entries, rest) = bytes.as_chunks();
        let book = Book {
            entries: entries.to_vec(),
        };
        if !rest.is_empty() || !book.entries.is_sorted_by_key(key_of) {
            return Err(BookError::Format);
        }
        Ok(book)
    }

    /// A book of moves with their weights.
    pub fn from_moves<'p>(moves: impl IntoIterator<Item = (&'p Position, Move, u16)>) -> Book {
        let mut entries: Vec<[u8; ENTRY]> = moves
            .into_iter()
            .map(|(position, m, weight)| {
                let mut entry = [0; ENTRY];
                entry[..8].copy_from_slice(&key(position).to_be_bytes());
                entry[8..10].copy_from_slice(&encode(m).to_be_bytes());
                entry[10..12].copy_from_slice(&weight.to_be_bytes());
                entry
            })
            .collect();
        // The heaviest move of a position first.
        entries.sort_by_key(|entry| (key_of(entry), std::cmp::Reverse(weight_of(entry))));
        Book { entries }
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.entries.concat()
    }

    /// Number of moves.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no move at all.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The moves for a position in the order of the file.
    pub fn moves(&self, position: &Position) -> Vec<BookMove> {
        let key = key(position);
        let first = self.entries.partition_point(|entry| key_of(entry) < key);
        let legal = position.legal_moves();
        self.entries[first..]
            .iter()
            .take_while(|entry| key_of(entry) == key)
            .filter_map(|entry| {
                let code = u16::from_be_bytes([entry[8], entry[9]]);
                let m = (legal.iter().copied().find(|&m| encode(m) == code))
                    .or_else(|| legal.iter().copied().find(|&m| is_castling_by(m, code)))?;
                Some(BookMove {
                    m,
                    weight: weight_of(entry),
                })
            })
            .collect()
    }

    /// A move to play: among those whose weight is at least the heaviest's less `variety` percent, each
    /// as likely as its weight says. Moves without weight are never played.
    pub fn choose(&self, position: &Position, variety: u8, rng: &mut Rng) -> Option<Move> {
        let mut moves = self.moves(position);
        let heaviest = moves.iter().map(|choice| choice.weight).max()?;
        let least = u32::from(heaviest) * (100 - u32::from(variety.min(100)));
        moves.retain(|choice| choice.weight > 0 && 100 * u32::from(choice.weight) >= least);
        let total: u32 = moves.iter().map(|choice| u32::from(choice.weight)).sum();
        let mut lot = rng.u32(..total.max(1));
        for choice in moves {
            match lot.checked_sub(choice.weight.into()) {
                Some(rest) => lot = rest,
                None => return Some(choice.m),
            }
        }
        None
    }
}

/// The Polyglot key: ours, but an en passant square counts as soon as a pawn stands beside it.
pub fn key(position: &Position) -> u64 {
    let hash: Zobrist64 = position.chess().zobrist_hash(EnPassantMode::PseudoLegal);
    hash.0
}

fn key_of(entry: &[u8; ENTRY]) -> u64 {
    u64::from_be_bytes(std::array::from_fn(|index| entry[index]))
}

fn weight_of(entry: &[u8; ENTRY]) -> u16 {
    u16::from_be_bytes([entry[10], entry[11]])
}

/// Whether a code is castling with the square that the king goes to, as some books have it.
fn is_castling_by(m: Move, code: u16) -> bool {
    let Move::Castle { king, rook } = m else {
        return false;
    };
    let side = CastlingSide::from_king_side(king < rook);
    code == pack(king, Square::from_coords(side.king_to_file(), king.rank()))
}

fn encode(m: Move) -> u16 {
    let (from, to) = (m.from().unwrap_or(m.to()), m.to());
    let promotion = m
        .promotion()
        .map_or(0, |role| role as u16 - Role::Pawn as u16);
    promotion << 12 | pack(from, to)
}

fn pack(from: Square, to: Square) -> u16 {
    (from as u16) << 6 | to as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    #[test]
    fn a_book_is_read_as_it_was_written() {
        let start = Position::startpos();
        let [e4, d4, a3] =
            ["e2e4", "d2d4", "a2a3"].map(|text| crate::board::parse_move(&start, text).unwrap());
        let castling = position("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        let castles = crate::board::parse_move(&castling, "e1h1").unwrap();
        let moves = [
            (&start, a3, 0),
            (&start, d4, 30),
            (&start, e4, 70),
            (&castling, castles, 1),
        ];
        let book = Book::from_bytes(&Book::from_moves(moves).to_bytes()).unwrap();
        assert_eq!(book.len(), 4);
        let found: Vec<_> = (book.moves(&start).iter())
            .map(|b| (b.m, b.weight))
            .collect();
        assert_eq!(found, [(e4, 70), (d4, 30), (a3, 0)]);
        assert_eq!(book.moves(&castling)[0].m, castles);
        assert!(book.moves(&start.after(e4)).is_empty());

        let mut rng = Rng::with_seed(1);
        let mut count = |variety| {
            let played = |_| book.choose(&start, variety, &mut rng) == Some(e4);
            (0..1000).map(played).filter(|&is_e4| is_e4).count()
        };
        assert_eq!(count(0), 1000);
        assert_eq!(count(50), 1000);
        assert!((640..760).contains(&count(100)));
    }

    #[test]
    fn what_is_no_book_is_refused_and_what_is_illegal_is_passed_over() {
        assert!(Book::from_bytes(&[0; 17]).is_err());
        let mut unsorted = [0; 32];
        unsorted[0] = 1;
        assert!(Book::from_bytes(&unsorted).is_err());
        let start = Position::startpos();
        let mut entry = [0; ENTRY];
        entry[..8].copy_from_slice(&key(&start).to_be_bytes());
        entry[8..12].copy_from_slice(&[0x0f, 0xff, 0, 9]);
        let book = Book::from_bytes(&entry).unwrap();
        assert!(book.moves(&start).is_empty());
        assert_eq!(book.choose(&start, 100, &mut Rng::with_seed(1)), None);
    }

    #[test]
    fn every_move_of_the_built_in_book_is_legal() {
        let book = Book::builtin();
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![Position::startpos()];
        let mut moves = 0;
        while let Some(position) = open.pop() {
            if seen.insert(key(&position)) {
                let found = book.moves(&position);
                moves += found.len();
                open.extend(found.iter().map(|choice| position.after(choice.m)));
            }
        }
        assert_eq!(moves, book.len());
        assert!(moves > 1000);
    }
}
