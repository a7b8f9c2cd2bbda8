//! Games as PGN: written while the match runs, read again to resume it.
//!
//! <https://www.chessprogramming.org/Portable_Game_Notation>

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use pgn_reader::{RawTag, Reader, Visitor};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Color};

use super::super::openings::Opening;
use super::super::pgn;
use super::game::{Played, Record, Score};
use super::schedule::Pairing;
use super::settings::Settings;

/// The line that begins a game of a match.
const FIRST_LINE: &str = "[Event \"Saavedra match\"]\n";

/// A name and a value.
pub type Tag = (&'static str, String);

/// What is known of a game before it is played: by this a match that is resumed knows its games.
pub fn tags_before(settings: &Settings, pairing: Pairing, opening: &Opening) -> Vec<Tag> {
    let [white, black] = [pairing.white, pairing.black].map(|engine| &settings.engines[engine]);
    let mut tags = vec![
        ("Round", pairing.number.to_string()),
        ("White", white.name.clone()),
        ("Black", black.name.clone()),
        ("WhiteSettings", white.settings()),
        ("BlackSettings", black.settings()),
    ];
    let chess960 = settings.rulebook.chess960;
    if chess960 {
        tags.push(("Variant", "Chess960".to_string()));
    }
    if opening.is_set_up() {
        let mode = CastlingMode::from_chess960(chess960);
        tags.push(("SetUp", "1".to_string()));
        tags.push(("FEN", opening.start().fen(mode)));
    }
    tags
}

/// A game as text, ended by a blank line.
pub fn write(tags: &[Tag], date: &str, opening: &Opening, record: &Record) -> String {
    let mut text = String::new();
    text.push_str(FIRST_LINE);
    let mut tag = |name: &str, value: &str| text.push_str(&pgn::tag(name, value));
    tag("Site", "?");
    tag("Date", date);
    for (name, value) in tags {
        tag(name, value);
        // The seven tags that every game has end with its result.
        if *name == "Black" {
            tag("Result", record.result.text());
        }
    }
    tag("Termination", record.result.termination);
    tag(
        "PlyCount",
        &(opening.moves().len() + record.moves.len()).to_string(),
    );
    text.push('\n');
    text.push_str(&pgn::wrapped(&movetext(opening, record)));
    text.push_str("\n\n");
    text
}

/// The words of the movetext; a comment stays in one piece.
fn movetext(opening: &Opening, record: &Record) -> Vec<String> {
    let mut words = Vec::new();
    let mut position = opening.start().clone();
    let mut moves: Vec<(String, Option<String>)> = Vec::new();
    for &m in opening.moves() {
        let san = SanPlus::from_move(position.chess().clone(), m).to_string();
        moves.push((san, Some("{book}".to_string())));
        position.play(m);
    }
    moves.extend(
        record
            .moves
            .iter()
            .map(|played| (played.san.clone(), comment(played))),
    );

    let mut number = u32::from(shakmaty::Position::fullmoves(opening.start().chess()));
    let mut turn = opening.start().turn();
    for (index, (san, comment)) in moves.into_iter().enumerate() {
        if turn == Color::White {
            words.push(format!("{number}."));
        } else if index == 0 {
            words.push(format!("{number}..."));
        }
        words.push(san);
        words.extend(comment);
        number += u32::from(turn == Color::Black);
        turn = !turn;
    }
    words.push(format!(
        "{{{}}}",
        record.result.reason.replace(['{', '}'], "")
    ));
    words.push(record.result.text().to_string());
    words
}

/// `{+0.35/18 0.412s}`: score from the mover's view, depth, time.
fn comment(played: &Played) -> Option<String> {
    let score = match played.score? {
        Score::Centipawns(score) => format!("{:+.2}", f64::from(score) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("+M{moves}"),
        Score::Mate(moves) => format!("-M{}", moves.abs()),
    };
    let depth = played.depth.unwrap_or_default();
    Some(format!("{{{score}/{depth} {}}}", seconds(played.time)))
}

fn seconds(time: Duration) -> String {
    format!("{:.3}s", time.as_secs_f64())
}

/// A game of a match that was interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub winner: Option<Color>,
    tags: HashMap<String, String>,
}

impl Finished {
    /// The value of a tag; empty without it.
    pub fn tag(&self, name: &str) -> &str {
        value(&self.tags, name)
    }
}

fn value<'a>(tags: &'a HashMap<String, String>, name: &str) -> &'a str {
    tags.get(name).map_or("", String::as_str)
}

/// The games of a match's file, by number, and the length of the part that holds them: in the last game
/// the writer may have been cut off.
pub fn read(path: &Path) -> anyhow::Result<(HashMap<usize, Finished>, u64)> {
    let place = || format!("cannot read {}", path.display());
    let bytes = std::fs::read(path).with_context(place)?;
    let whole = &bytes[..length_of_whole_games(&bytes)];
    let foreign = || format!("{} holds what is no game of a match", path.display());
    ensure!(
        bytes.is_empty() || bytes.starts_with(FIRST_LINE.as_bytes()),
        foreign()
    );
    let mut reader = Reader::new(whole);
    let mut games = HashMap::new();
    while let Some(game) = reader.read_game(&mut TagReader).with_context(place)? {
        let (number, game) = game.with_context(foreign)?;
        games.insert(number, game);
    }
    Ok((games, whole.len() as u64))
}

fn length_of_whole_games(bytes: &[u8]) -> usize {
    let results = ["1-0", "0-1", "1/2-1/2"].map(|result| format!("{result}\n\n"));
    if results.iter().any(|end| bytes.ends_with(end.as_bytes())) {
        return bytes.len();
    }
    let mut lines = bytes.windows(FIRST_LINE.len());
    lines
        .rposition(|line| line == FIRST_LINE.as_bytes())
        .unwrap_or(0)
}

struct TagReader;

impl Visitor for TagReader {
    type Tags = HashMap<String, String>;
    type Movetext = Option<(usize, Finished)>;
    type Output = Option<(usize, Finished)>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(HashMap::new())
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let name = String::from_utf8_lossy(name).into_owned();
        tags.insert(name, value.decode_utf8_lossy().into_owned());
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Self::Output, Self::Movetext> {
        let winner = match value(&tags, "Result") {
            "1-0" => Some(Color::White),
            "0-1" => Some(Color::Black),
            "1/2-1/2" => None,
            _ => return ControlFlow::Break(None),
        };
        let Ok(number) = value(&tags, "Round").parse() else {
            return ControlFlow::Break(None);
        };
        ControlFlow::Continue(Some((number, Finished { winner, tags })))
    }

    fn end_game(&mut self, game: Self::Movetext) -> Self::Output {
        game
    }
}
