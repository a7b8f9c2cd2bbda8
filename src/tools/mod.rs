//! One file per subcommand.

pub mod bench;
mod epd;
pub mod matches;
pub mod perft;
pub mod solve;
