//! Where analysed games go, in the order of the source; and, when a run is resumed, which of them are
//! there already.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, bail, ensure};

use super::super::open_alone;
use super::source::{self, Source};
use super::{Analysis, json, pgn};

/// How games are written. A record is the text of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Pgn,
    /// One object a line.
    Json,
}

impl Format {
    pub fn write(self, number: usize, source: &Source, analysis: &Analysis, how: &str) -> String {
        match self {
            Format::Pgn => pgn::write(source, analysis, how),
            Format::Json => json::write(number, source, analysis, how),
        }
    }

    /// The offsets at which whole records end.
    fn ends(self, text: &str) -> Vec<usize> {
        let ends = |mark: &str| -> Vec<usize> {
            text.match_indices(mark)
                .map(|(at, mark)| at + mark.len())
                .collect()
        };
        match self {
            // A blank line between tags and moves, and one behind them.
            Format::Pgn => ends("\n\n").into_iter().skip(1).step_by(2).collect(),
            Format::Json => ends("\n"),
        }
    }

    /// Whether a record is that of a game.
    fn is_of(self, record: &str, number: usize, source: &Source, how: &str) -> bool {
        match self {
            Format::Pgn => {
                let games = source::read(record.as_bytes());
                let [game] = &games[..] else { return false };
                game.tag(pgn::HOW) == Some(how)
                    && game.start.key() == source.start.key()
                    && game.moves() == source.moves()
                    && pgn::own_tags(game).eq(pgn::own_tags(source))
            }
            Format::Json => json::is_of(record, number, source, how),
        }
    }

    /// What a record begins with.
    fn head(self, number: usize, source: &Source, how: &str) -> String {
        match self {
            Format::Pgn => pgn::head(source, how),
            Format::Json => json::head(number),
        }
    }
}

/// The file `path` to append to, for this process alone, and how many games are in it.
///
/// A game that was cut off at its end is removed, but nothing that this command would not have
/// written for `sources`.
pub fn open(
    path: &Path,
    resume: bool,
    format: Format,
    sources: &[Source],
    how: &str,
) -> anyhow::Result<(File, usize)> {
    let place = || format!("cannot write {}", path.display());
    if path.exists() && !resume {
        bail!("{} exists already; --resume continues it", path.display());
    }
    let mut file = open_alone(path, place)?;
    let mut text = String::new();
    file.read_to_string(&mut text).with_context(place)?;
    let ends = format.ends(&text);
    let end = ends.last().copied().unwrap_or(0);
    let begins = std::iter::once(0).chain(ends.iter().copied());
    let mut records = begins.zip(&ends).map(|(begin, &end)| &text[begin..end]);
    let rest = &text[end..];
    let is_ours = ends.len() <= sources.len()
        && (1..).zip(sources).all(|(number, source)| {
            let record = records.next();
            record.is_none_or(|record| format.is_of(record, number, source, how))
        })
        && (rest.is_empty()
            || sources.get(ends.len()).is_some_and(|source| {
                let head = format.head(ends.len() + 1, source, how);
                rest.starts_with(&head) || head.starts_with(rest)
            }));
    ensure!(
        is_ours,
        "{} was not made of these games with these settings; choose a new file",
        path.display()
    );
    file.set_len(end as u64).with_context(place)?;
    file.seek(SeekFrom::Start(end as u64)).with_context(place)?;
    Ok((file, ends.len()))
}

/// Appends a record, as a whole as far as that is in our power.
pub fn append(file: &mut impl Write, record: &str) -> std::io::Result<()> {
    file.write_all(record.as_bytes())?;
    file.flush()
}
