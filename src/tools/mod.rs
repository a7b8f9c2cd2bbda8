//! One file per subcommand.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

pub mod bench;
pub mod book;
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
pub mod wdl;

/// Tells the user on standard error; that nobody may read it is no reason to stop.
pub fn note(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A path with something added to its last name.
fn appended(path: &Path, text: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(text);
    name.into()
}
