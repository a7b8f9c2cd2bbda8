//! One file per subcommand.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

pub mod analyse;
pub mod arbiter;
pub mod bench;
pub mod book;
pub mod completions;
pub mod data;
pub mod datagen;
mod epd;
pub mod man;
pub mod matches;
mod openings;
pub mod perft;
mod pgn;
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

/// What `read` makes of each line of a text file, with its number; blank lines and lines that begin
/// with `#` are passed over.
fn read_lines<T>(
    path: &Path,
    read: impl Fn(&str) -> anyhow::Result<T>,
) -> anyhow::Result<Vec<(usize, T)>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.trim_start_matches('\u{feff}')
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(line, number)| {
            let place = || format!("{}, line {number}", path.display());
            Ok((number, read(line).with_context(place)?))
        })
        .collect()
}

/// Refuses to write to `target` what would replace `source`, a file that is read or written besides.
pub fn refuse_to_overwrite(source: &Path, target: &Path) -> anyhow::Result<()> {
    ensure!(
        !is_same_file(source, target),
        "{} cannot be written over",
        source.display()
    );
    Ok(())
}

/// Whether two paths are equal or lead to one file that exists.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let [real_a, real_b] = [a, b].map(|path| path.canonicalize().ok());
    a == b || real_a.is_some() && real_a == real_b
}

/// The number of threads asked for, else one for each core.
pub fn threads(asked: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(cores, usize::from)
}

/// Opens a file to read what it holds and go on after it, for this process alone; it is created if it
/// does not exist. `place` says what could not be done.
fn open_alone(path: &Path, place: impl FnOnce() -> String) -> anyhow::Result<File> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
        .with_context(place)?;
    file.try_lock()
        .with_context(|| format!("{} is being written by another process", path.display()))?;
    Ok(file)
}

/// A path with something added to its last name.
fn appended(path: &Path, text: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(text);
    name.into()
}
