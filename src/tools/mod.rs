//! One file per subcommand.

pub mod bench;
pub mod data;
pub mod datagen;
mod epd;
pub mod matches;
mod openings;
pub mod perft;
mod progress;
pub mod solve;
#[cfg(feature = "tune")]
pub mod spsa;
pub mod train;
