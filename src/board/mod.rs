//! The board: one position, its legal moves and its exchanges, on top of shakmaty.
//!
//! shakmaty knows how pieces move. What a search needs besides is here: a position that carries its
//! key and its checkers (`position`), moves generated noisy and quiet apart (`movegen`), what they
//! change (`changes`), moves in 16 bits that prove themselves (`packed`), moves as UCI writes them
//! (`notation`), what the opponent attacks (`threats`), and the outcome of a capture sequence (`see`).
//! What a *game* is — repetitions, counters, results — is left to `rules`.

mod changes;
pub mod cycle;
mod key;
pub mod movegen;
mod notation;
mod packed;
mod perft;
mod position;
pub mod see;
mod threats;

pub use changes::{Changes, Man};
pub use movegen::{MoveList, is_noisy};
pub use notation::{parse_move, uci_text};
pub use packed::PackedMove;
pub use perft::{divide, perft};
pub use position::{FenError, Position};
pub use threats::{Threats, attacked_from};
