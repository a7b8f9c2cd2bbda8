//! One file per subcommand.

pub mod bench;
pub mod data;
pub mod datagen;
mod epd;
pub mod matches;
mod openings;
pub mod perft;
pub mod solve;
pub mod train;
