//! Games as they are in a PGN file, with tags, comments, glyphs and variations.
//!
//! A game that cannot be read to its end is kept up to where it can.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, ensure};
use pgn_reader::{Nag, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use saavedra::board::{Position, parse_move};
use saavedra::rules::Game;
use shakmaty::san::SanError;
use shakmaty::{Move, Outcome};

use super::tree::{Line, Node, number};

/// Variations inside variations are read to this depth; nobody annotates deeper.
const MAX_NESTING: usize = 64;
/// Longer tags are taken for damage.
const LONGEST_TAG: usize = 1 << 16;

/// A game of the file.
#[derive(Clone, Debug)]
pub struct Source {
    /// Names and values in their order.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Position,
    /// The moves that were played.
    pub line: Line,
    /// How it ended: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// Why it could not be read to its end.
    pub fault: Option<String>,
    /// Variations that end before a move that is not legal.
    pub cut_variations: usize,
}

impl Source {
    fn empty() -> Source {
        Source {
            tags: Vec::new(),
            start: Position::startpos(),
            line: Line::default(),
            result: "*".to_string(),
            fault: None,
            cut_variations: 0,
        }
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|(known, _)| known == name);
        tag.map(|(_, value)| value.as_str())
    }

    /// The moves that were played.
    pub fn moves(&self) -> Vec<Move> {
        self.line.moves.iter().map(|node| node.m).collect()
    }

    /// The game after so many plies.
    pub fn game_at(&self, ply: usize) -> Game {
        let mut game = Game::new(self.start.clone());
        for node in &self.line.moves[..ply] {
            game.play(node.m);
        }
        game
    }

    fn holds_something(&self) -> bool {
        !self.tags.is_empty() || !self.line.moves.is_empty() || self.fault.is_some()
    }
}

/// Who played.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |tag| self.tag(tag).filter(|name| !name.is_empty()).unwrap_or("?");
        write!(f, "{} – {}", name("White"), name("Black"))
    }
}

/// Every game of the file at `path`.
pub fn read_file(path: &Path) -> anyhow::Result<Vec<Source>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let is_utf16 = [b"\xff\xfe", b"\xfe\xff"]
        .iter()
        .any(|mark| bytes.starts_with(*mark));
    ensure!(
        !is_utf16,
        "{} is UTF-16; PGN is UTF-8 or Latin-1",
        path.display()
    );
    let games = read(&bytes);
    ensure!(!games.is_empty(), "{} holds no game", path.display());
    Ok(games)
}

/// Every game of a text.
pub fn read(bytes: &[u8]) -> Vec<Source> {
    let bytes = with_escaped_quotes(bytes);
    let mut reader = Reader::build(bytes.as_slice())
        .set_supported_tag_line_length(LONGEST_TAG)
        .finish();
    let mut games = Vec::new();
    loop {
        let mut game = GameReader::new();
        let result = reader.read_game(&mut game);
        let mut source = game.finish();
        match result {
            Ok(None) => return games,
            Ok(Some(())) => {}
            // What the reader says only of damaged text; it goes on behind it.
            Err(error) => source.fault = source.fault.or(Some(error.to_string())),
        }
        if source.holds_something() {
            games.push(source);
        }
    }
}

/// Some programs forget to escape quotes in the value of a tag. These would end it, and the game.
fn with_escaped_quotes(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let first = line.iter().position(|&byte| byte == b'"');
        let body = line.trim_ascii_end().strip_suffix(b"\"]");
        let (Some(first), Some(body)) = (first, body) else {
            text.extend_from_slice(line);
            continue;
        };
        let value = body.get(first + 1..).unwrap_or_default();
        let is_several_tags = value.windows(2).any(|pair| pair == b"\"]");
        if !line.starts_with(b"[") || value.is_empty() || is_several_tags {
            text.extend_from_slice(line);
            continue;
        }
        text.extend_from_slice(&line[..=first]);
        let mut is_escaped = false;
        for &byte in value {
            if byte == b'"' && !is_escaped {
                text.push(b'\\');
            }
            is_escaped = byte == b'\\' && !is_escaped;
            text.push(byte);
        }
        text.extend_from_slice(&line[body.len()..]);
    }
    text
}

/// Text of unknown encoding: UTF-8, else Latin-1, the character set of the PGN standard.
fn decode(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// A line that is being read.
struct Open {
    line: Line,
    /// Before the last move, where its variations begin.
    before: Position,
    after: Position,
    /// Nothing more is taken.
    is_closed: bool,
}

impl Open {
    fn at(start: &Position) -> Open {
        Open {
            line: Line::default(),
            before: start.clone(),
            after: start.clone(),
            is_closed: false,
        }
    }
}

struct GameReader {
    source: Source,
    /// The game, the variation at hand, and those it lies in.
    main: Open,
    variations: Vec<Open>,
    /// The beginning of a long comment.
    comment: Vec<u8>,
}

impl GameReader {
    fn new() -> GameReader {
        let source = Source::empty();
        GameReader {
            main: Open::at(&source.start),
            source,
            variations: Vec::new(),
            comment: Vec::new(),
        }
    }

    fn finish(mut self) -> Source {
        while !self.variations.is_empty() {
            self.close_variation();
        }
        self.source.line = self.main.line;
        self.source
    }

    fn at_hand(&mut self) -> &mut Open {
        self.variations.last_mut().unwrap_or(&mut self.main)
    }

    fn close_variation(&mut self) {
        let Some(Open { line, .. }) = self.variations.pop() else {
            return;
        };
        if let Some(node) = self.at_hand().line.moves.last_mut()
            && !line.moves.is_empty()
        {
            node.variations.push(line);
        }
    }
}

impl Visitor for GameReader {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        let (name, value) = (decode(name).trim().to_string(), decode(&value.decode()));
        match name.as_str() {
            "FEN" => match Position::from_fen(&value) {
                Ok(position) => self.source.start = position,
                Err(error) => self.source.fault = Some(format!("FEN '{value}': {error}")),
            },
            "Result" if ["1-0", "0-1", "1/2-1/2"].contains(&value.as_str()) => {
                self.source.result.clone_from(&value);
            }
            _ => {}
        }
        self.source.tags.push((name, value));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        self.main = Open::at(&self.source.start);
        self.main.is_closed = self.source.fault.is_some();
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        let is_main = self.variations.is_empty();
        let open = self.at_hand();
        if open.is_closed {
            return ControlFlow::Continue(());
        }
        let position = &open.after;
        // Some programs write moves as UCI does.
        let uci = || parse_move(position, &san.to_string());
        match san
            .san
            .to_move(position.chess())
            .or_else(|error| uci().ok_or(error))
        {
            Ok(m) => {
                open.before = position.clone();
                open.after.play(m);
                open.line.moves.push(Node::bare(m));
            }
            Err(error) => {
                let what = match error {
                    SanError::AmbiguousSan => "is ambiguous",
                    SanError::IllegalSan => "is not legal",
                };
                let fault = format!("{} {san} {what}", number(position));
                open.is_closed = true;
                if is_main {
                    self.source.fault = Some(fault);
                } else {
                    self.source.cut_variations += 1;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, (): &mut (), nag: Nag) -> ControlFlow<()> {
        let open = self.at_hand();
        if let Some(node) = open.line.moves.last_mut()
            && !open.is_closed
        {
            node.nags.push(nag.0);
        }
        ControlFlow::Continue(())
    }

    fn partial_comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        self.comment.extend_from_slice(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        self.comment.extend_from_slice(comment.as_bytes());
        let comment = decode(&std::mem::take(&mut self.comment));
        let open = self.at_hand();
        if open.is_closed {
            return ControlFlow::Continue(());
        }
        let place = match open.line.moves.last_mut() {
            Some(node) => &mut node.comment,
            None => &mut open.line.comment,
        };
        let words = place.split_whitespace().chain(comment.split_whitespace());
        *place = words.collect::<Vec<_>>().join(" ");
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        let is_too_deep = self.variations.len() >= MAX_NESTING;
        let open = self.at_hand();
        let is_skipped = open.is_closed || open.line.moves.is_empty() || is_too_deep;
        let mut variation = Open::at(&open.before);
        variation.is_closed = is_skipped;
        self.variations.push(variation);
        ControlFlow::Continue(Skip(is_skipped))
    }

    fn end_variation(&mut self, (): &mut ()) -> ControlFlow<()> {
        self.close_variation();
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, (): &mut (), outcome: Outcome) -> ControlFlow<()> {
        if self.variations.is_empty() {
            self.source.result = outcome.to_string();
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &Source) -> String {
        source.line.words(&source.start).join(" ")
    }

    #[test]
    fn comments_glyphs_and_nested_variations_are_kept() {
        let text = "[Event \"a \\\"b\\\" c\"]\n\n{before} 1. e4 $1 {one} {two\nlines} e5! \
                    ({instead} 1... c5 2. Nf3 (2. c3 d5) d6) 2. Nf3 {[%clk 0:05:00] x} 1-0\n";
        let [source] = &read(text.as_bytes())[..] else {
            panic!("one game")
        };
        assert_eq!(source.tag("Event"), Some("a \"b\" c"));
        assert_eq!(source.result, "1-0");
        assert_eq!(source.fault, None);
        assert_eq!(
            words(source),
            "{before} 1. e4 $1 {one two lines} 1... e5 $1 ({instead} 1... c5 2. Nf3 (2. c3 d5) \
             2... d6) 2. Nf3 {[%clk 0:05:00] x}"
        );
    }

    #[test]
    fn a_game_with_an_illegal_move_is_kept_up_to_it_and_the_next_is_read() {
        let text = "[White \"A\"]\n\n1. e4 e5 (1... Ke5 2. a3) 2. Ke3 {lost} Nf6 1-0\n\n\
                    [White \"B\"]\n\n1. d4 *\n";
        let [broken, whole] = &read(text.as_bytes())[..] else {
            panic!("two games")
        };
        assert_eq!(broken.fault.as_deref(), Some("2. Ke3 is not legal"));
        assert_eq!(broken.cut_variations, 1);
        assert_eq!(words(broken), "1. e4 e5");
        assert_eq!(
            (whole.fault.as_ref(), words(whole)),
            (None, "1. d4".to_string())
        );
    }

    #[test]
    fn latin_1_is_read_where_text_is_not_utf_8() {
        let text = b"[White \"M\xfcller\"]\n[Black \"M\xc3\xbcller\"]\n\n1. e4 {sch\xf6n} *\n";
        let [source] = &read(text)[..] else {
            panic!("one game")
        };
        assert_eq!(source.to_string(), "Müller – Müller");
        assert_eq!(words(source), "1. e4 {schön}");
    }

    #[test]
    fn quotes_in_tags_are_read_escaped_or_not() {
        let text = "[White \"\"Socrates\" Expert\"]\n[Black \"a \\\"b\\\"\"] [Site \"\"]\n[Round \"\\\"c\"]\n\n*";
        let [source] = &read(text.as_bytes())[..] else {
            panic!("one game")
        };
        let tags = ["White", "Black", "Site", "Round"].map(|name| source.tag(name));
        let values = ["\"Socrates\" Expert", "a \"b\"", "", "\"c"];
        assert_eq!(tags, values.map(Some));
    }

    #[test]
    fn byte_order_mark_carriage_returns_and_uci_moves_are_read() {
        let text =
            "\u{feff}[White \"A\"]\r\n\r\ne2e4 e7e5 g1f3\r\n*\r\n\r\n[White \"B\"]\r\n\r\n*\r\n";
        let games = read(text.as_bytes());
        assert_eq!(games.len(), 2);
        assert_eq!(words(&games[0]), "1. e4 e5 2. Nf3");
    }

    #[test]
    fn damage_is_named_and_nothing_before_it_is_lost() {
        let games = read(b"[White \"A\"]\n\n1. e4 e5 {never closed");
        assert_eq!(words(&games[0]), "1. e4 e5");
        assert_eq!(games[0].fault.as_deref(), Some("unterminated comment"));
        let games = read(b"[White \"A\"]\n\n1. e4 *\n\n[White \"B");
        assert_eq!(games.len(), 2);
        assert_eq!(games[1].fault.as_deref(), Some("unterminated tag"));
        assert!(read(b"no chess at all").is_empty());
        assert!(read(b"").is_empty());
    }

    #[test]
    fn parentheses_without_end_do_no_harm() {
        let mut text = "e4 ".to_string();
        text.push_str(&"(d4 ".repeat(100_000));
        let games = read(text.as_bytes());
        assert!(words(&games[0]).starts_with("1. e4 (1. d4 (1. d4 "));
        assert_eq!(words(&read(b"e4 ) ) e5 ( ( a3")[0]), "1. e4 e5");
    }
}
