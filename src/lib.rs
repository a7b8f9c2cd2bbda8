//! Saavedra, a UCI chess engine. This page is the map of the house.
//!
//! A module imports from lower floors, or from its own folder downward; `tests/architecture.rs` reads
//! every import and asserts it.
//!
//! | floor | module | what it answers |
//! | --- | --- | --- |
//! | 0 | [`score`], [`window`], [`limits`], [`params`] | what a score is, what is still worth knowing, what bounds a search, the numbers of its rules |
//! | 1 | [`board`] | one position: legal moves, keys, exchanges, notation |
//! | 2 | [`rules`], [`epd`], [`starts`] | the game above the position: repetition, counters, endings, claims, whether a side can still mate; positions as lines of text; where games may begin |
//! | 3 | [`eval`], [`tt`], [`tablebase`], [`book`], [`clock`] | what a position is worth without searching; what was found before; what is known of endgames and of openings; how long to think. Siblings that do not know each other |
//! | 4 | [`search`] | the best move. Pure: no input or output, no channels. Its page has the glossary and says which file holds which rule |
//! | 5 | [`engine`] | threads, hash and settings behind a handle that never waits |
//! | 6 | [`uci`] and the binary's tools | text in, text out; alone in writing to the terminal |
//! | 7 | the binary's `main` and `cli` | the command line |
//!
//! Data flows one way:
//!
//! ```text
//! stdin  ─▶ uci::command ─▶ engine handle ─▶ engine actor ─▶ search workers
//! stdout ◀─ uci::info ◀─ engine::Event ◀─ channel ◀─ search::Observer
//! ```

pub mod board;
pub mod book;
pub mod clock;
pub mod engine;
pub mod epd;
pub mod eval;
pub mod limits;
pub mod params;
pub mod rules;
pub mod score;
pub mod search;
pub mod starts;
pub mod tablebase;
pub mod tt;
pub mod uci;
pub mod window;
