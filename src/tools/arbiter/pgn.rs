//! PGN read game by game, whatever state it is in.
//!
//! A game is what its tags and moves show: a result ends it, and so does a line that begins with a
//! tag pair, even inside a comment or a variation that somebody forgot to close. Everything unfit is
//! noted with its line and passed over. Memory is bounded: words, tag values, moves and faults of a
//! game have a greatest number, comments and variations are not kept.

use std::io::{self, Read};

use super::record::{Fault, GameResult, MAX_PLIES, Moves, Record, Tag};
use super::source::{Blemish, Source};

/// The tags that an arbiter needs.
const TAGS: [&str; 10] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "FEN",
    "Variant",
    "Termination",
];
/// Longest move text, in bytes.
const MAX_WORD: usize = 64;
/// Longest tag value, in bytes.
const MAX_VALUE: usize = 1024;

/// The games of a PGN.
pub struct Games<R> {
    source: Source<R>,
    number: u64,
}

impl<R: Read> Games<R> {
    /// # Errors
    /// Of reading.
    pub fn new(input: R) -> io::Result<Games<R>> {
        Ok(Games {
            source: Source::new(input)?,
            number: 0,
        })
    }

    /// The next game, or `None` at the end.
    ///
    /// # Errors
    /// Of reading.
    pub fn next(&mut self) -> io::Result<Option<Record>> {
        self.blanks()?;
        let mut record = Record {
            number: self.number + 1,
            line: self.source.line(),
            ..Record::default()
        };
        self.tags(&mut record)?;
        self.moves(&mut record)?;
        while let Some((line, blemish)) = self.source.take_blemish() {
            let fault = match blemish {
                Blemish::Latin1 => Fault::Latin1,
                Blemish::Nul => Fault::Nul,
            };
            record.fault(line, fault);
        }
        let is_nothing = record.tags.is_empty()
            && record.moves.is_empty()
            && record.result.is_none()
            && record.faults.is_empty();
        if is_nothing {
            return Ok(None);
        }
        let continues = |number: Option<u32>| number.is_some_and(|number| number > 1);
        if self.number > 0
            && record.tags.is_empty()
            && continues(record.moves.get(0).and_then(|written| written.number))
        {
            record.moves = Moves::default();
            record.fault(record.line, Fault::AfterResult);
        } else if record.result.is_none() {
            record.fault(self.source.line(), Fault::NoResult);
        } else if record.tags.is_empty() && record.moves.is_empty() {
            record.fault(record.line, Fault::StrayResult);
        }
        self.number += 1;
        Ok(Some(record))
    }

    /// Passes over blanks, lines that begin with `%`, and comments to the end of the line. Whether
    /// there was an empty line among them.
    fn blanks(&mut self) -> io::Result<bool> {
        let mut had_empty_line = false;
        while let Some(byte) = self.source.peek()? {
            match byte {
                b'%' if self.source.is_line_start() => self.source.skip_line()?,
                b';' => self.source.skip_line()?,
                b'\n' => {
                    had_empty_line |= self.source.is_line_start();
                    self.source.next()?;
                }
                _ if self.is_no_break_space()? => {
                    self.source.next()?;
                    self.source.next()?;
                }
                _ if is_blank(byte) => {
                    self.source.next()?;
                }
                _ => break,
            }
        }
        Ok(had_empty_line)
    }

    fn tags(&mut self, record: &mut Record) -> io::Result<()> {
        let mut had_empty_line = false;
        while self.source.peek()? == Some(b'[') {
            // After an empty line a tag that was there already belongs to the next game.
            if had_empty_line {
                let name = tag_name(self.source.ahead(MAX_WORD)?).unwrap_or_default();
                if record.tag(&name).is_some() {
                    return Ok(());
                }
            }
            self.tag(record)?;
            had_empty_line = self.blanks()?;
        }
        Ok(())
    }

    fn tag(&mut self, record: &mut Record) -> io::Result<()> {
        let line = self.source.line();
        let head = self.source.ahead(MAX_WORD)?;
        let Some(name) = tag_name(head) else {
            let end = head.iter().position(|&byte| byte == b'\n');
            let text = decode(&head[..end.unwrap_or(head.len())]);
            record.fault(line, Fault::MalformedTag(text));
            return self.source.skip_line();
        };
        while self.source.next()? != Some(b'"') {}
        let (value, is_closed) = self.value()?;
        if value.len() > MAX_VALUE {
            record.fault(line, Fault::LongTag(name.clone()));
        }
        if !is_closed {
            record.fault(line, Fault::OpenTag(name.clone()));
        }
        if TAGS.contains(&name.as_str()) {
            if record.tag(&name).is_some() {
                record.fault(line, Fault::RepeatedTag(name));
            } else {
                record.tags.push(Tag {
                    name,
                    value: decode(&value[..value.len().min(MAX_VALUE)]),
                    line,
                });
            }
        }
        Ok(())
    }

    /// A tag's value after its first quote, and whether quote and bracket close it on its line. A
    /// quote that nothing but more text follows belongs to the value, though it should be escaped.
    fn value(&mut self) -> io::Result<(Vec<u8>, bool)> {
        let mut value = Vec::new();
        loop {
            match self.source.peek()? {
                None | Some(b'\n') => return Ok((value, false)),
                Some(b'\\') => {
                    self.source.next()?;
                    if !matches!(self.source.peek()?, Some(b'"' | b'\\')) {
                        value.push(b'\\');
                        continue;
                    }
                }
                Some(b'"') => {
                    let rest = &self.source.ahead(MAX_WORD)?[1..];
                    let after = rest.iter().find(|&&byte| !is_blank(byte));
                    if matches!(after, None | Some(b']' | b'\n')) {
                        return Ok((value, self.close_bracket()?));
                    }
                }
                Some(_) => {}
            }
            let byte = self.source.next()?;
            // One byte too many is kept, to show that the value is too long.
            value.extend(byte.filter(|_| value.len() <= MAX_VALUE));
        }
    }

    /// Passes over what is left up to a closing bracket, if there is one on the line.
    fn close_bracket(&mut self) -> io::Result<bool> {
        while !matches!(self.source.peek()?, None | Some(b']' | b'\n')) {
            self.source.next()?;
        }
        let is_closed = self.source.peek()? == Some(b']');
        if is_closed {
            self.source.next()?;
        }
        Ok(is_closed)
    }

    /// Reads up to the result, or to the tags of the next game.
    fn moves(&mut self, record: &mut Record) -> io::Result<()> {
        let mut number = None;
        loop {
            self.blanks()?;
            let line = self.source.line();
            let Some(byte) = self.source.peek()? else {
                return Ok(());
            };
            match byte {
                b'{' => self.comment(record)?,
                b'(' => self.variation(record)?,
                b'[' if self.source.is_line_start() && self.is_tag()? => return Ok(()),
                b'[' => {
                    record.fault(line, Fault::StrayBracket);
                    self.close_bracket()?;
                }
                b')' | b'}' | b']' => {
                    record.fault(line, Fault::Unopened(byte.into()));
                    self.source.next()?;
                }
                b'$' => {
                    self.source.next()?;
                    while self
                        .source
                        .peek()?
                        .is_some_and(|byte| byte.is_ascii_digit())
                    {
                        self.source.next()?;
                    }
                }
                _ => {
                    let (word, is_whole) = self.word()?;
                    if !is_whole {
                        record.fault(line, Fault::LongWord(word));
                        continue;
                    }
                    if let Some(result) = GameResult::read(&word) {
                        record.result = Some((result, line));
                        return Ok(());
                    }
                    let (before, text) = split_number(&word);
                    number = before.or(number);
                    if text.is_empty() || is_annotation(text) {
                        continue;
                    }
                    if record.moves.len() < MAX_PLIES {
                        record.moves.push(text, number.take(), line);
                    } else if record.faults.last().map(|(_, fault)| fault)
                        != Some(&Fault::TooManyMoves)
                    {
                        record.fault(line, Fault::TooManyMoves);
                    }
                }
            }
        }
    }

    /// A word up to a blank or a sign with a meaning of its own, and whether it was kept whole.
    fn word(&mut self) -> io::Result<(String, bool)> {
        let mut word = Vec::new();
        let mut is_whole = true;
        while let Some(byte) = self.source.peek()? {
            let ends = match byte {
                // A promotion written e8(Q).
                b'(' => {
                    !matches!(self.source.ahead(3)?, [_, piece, b')'] if piece.is_ascii_alphabetic())
                }
                b')' => !matches!(word[..], [.., b'(', _]),
                b'{' | b'}' | b'[' | b']' | b';' | b'$' => true,
                _ if self.is_no_break_space()? => true,
                _ => is_blank(byte) || byte == b'\n',
            };
            if ends {
                break;
            }
            self.source.next()?;
            if word.len() < MAX_WORD {
                word.push(byte);
            } else {
                is_whole = false;
            }
        }
        Ok((decode(&word), is_whole))
    }

    fn comment(&mut self, record: &mut Record) -> io::Result<()> {
        let line = self.source.line();
        while let Some(byte) = self.source.next()? {
            match byte {
                b'}' => return Ok(()),
                b'\n' if self.is_tag()? => break,
                _ => {}
            }
        }
        record.fault(line, Fault::OpenComment);
        Ok(())
    }

    fn variation(&mut self, record: &mut Record) -> io::Result<()> {
        let line = self.source.line();
        let mut depth = 0_u64;
        loop {
            match self.source.peek()? {
                Some(b'{') => {
                    self.comment(record)?;
                    continue;
                }
                Some(b';') => self.source.skip_line()?,
                Some(b'[') if self.source.is_line_start() && self.is_tag()? => break,
                None => break,
                Some(_) => {}
            }
            match self.source.next()? {
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
        record.fault(line, Fault::OpenVariation);
        Ok(())
    }

    /// Whether a no-break space is next, as in text copied from a web page.
    fn is_no_break_space(&mut self) -> io::Result<bool> {
        Ok(self.source.ahead(2)? == "\u{a0}".as_bytes())
    }

    /// Whether a tag pair is next.
    fn is_tag(&mut self) -> io::Result<bool> {
        Ok(tag_name(self.source.ahead(MAX_WORD)?).is_some())
    }
}

/// The name of the tag pair that `text` begins with, as far as its first quote.
fn tag_name(text: &[u8]) -> Option<String> {
    let text = text.strip_prefix(b"[")?.trim_ascii_start();
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
    let (name, rest) = text.split_at(end);
    let is_pair =
        end > 0 && rest[0].is_ascii_whitespace() && rest.trim_ascii_start().starts_with(b"\"");
    is_pair.then(|| decode(name))
}

/// A move number with its dots, and the move that is stuck to it.
fn split_number(word: &str) -> (Option<u32>, &str) {
    let digits = word
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(word.len());
    let (number, rest) = word.split_at(digits);
    // 0-0 castles, and zeros begin no number.
    if digits > 0 && rest.starts_with(['-', '–']) {
        return (None, word);
    }
    (number.parse().ok(), rest.trim_start_matches(['.', '…']))
}

/// Words that say something about a move or a position and are none.
fn is_annotation(word: &str) -> bool {
    const SIGNS: &str = "!?+-=/#~^∞±∓⩲⩱□○⟳→↑⇆≤≥⌓";
    matches!(word, "e.p." | "ep" | "mate" | "N" | "D" | "TN")
        || (word.chars().all(|c| SIGNS.contains(c)) && word != "--")
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() && byte != b'\n' || byte == 0
}

/// Text in UTF-8, or else in Latin-1.
fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<Record> {
        let mut games = Games::new(text).unwrap();
        std::iter::from_fn(|| games.next().unwrap()).collect()
    }

    fn moves(record: &Record) -> String {
        let words: Vec<&str> = record.moves.from(0).map(|m| m.text).collect();
        words.join(" ")
    }

    fn faults(record: &Record) -> Vec<String> {
        let text = |(line, fault): &(u64, Fault)| format!("{line}: {fault}");
        record.faults.iter().map(text).collect()
    }

    #[test]
    fn annotations_variations_and_comments_are_passed_over() {
        let text = b"[White \"A \\\"B\\\" C\"]\n\n1.e4! {a ( b} e5 $14 (1...c5 {)} (1...c6) 2.Nf3) ; Nf6\n\
            % Nc6\n2. Nf3 += Nc6 N 3... a6 exd6 e.p. e8(Q) 1/2-1/2\n";
        let games = read(text);
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].tag("White"), Some("A \"B\" C"));
        assert_eq!(moves(&games[0]), "e4! e5 Nf3 Nc6 a6 exd6 e8(Q)");
        assert_eq!(games[0].result, Some((GameResult::Draw, 5)));
        assert_eq!(games[0].moves.get(4).unwrap().number, Some(3));
        assert!(games[0].faults.is_empty(), "{:?}", games[0].faults);
    }

    #[test]
    fn games_are_told_apart_with_and_without_results_and_tags() {
        let games = read(b"1. e4 1-0 1. d4 *\n[Event \"a\"]\n\n[Site \"b\"]\n1. c4\n[Event \"c\"]\n\n[Event \"d\"]\n*");
        let all: Vec<String> = games.iter().map(moves).collect();
        assert_eq!(all, ["e4", "d4", "c4", "", ""]);
        assert_eq!(games[2].tag("Site"), Some("b"));
        assert_eq!(faults(&games[2]), ["6: no result after the moves"]);
        assert_eq!(games[4].tag("Event"), Some("d"));
    }

    #[test]
    fn moves_after_a_result_are_no_new_game() {
        let games = read(b"[Event \"a\"]\n\n1. e4 e5 1-0 2. d4 d5\n\n[Event \"b\"]\n\n1. c4 *");
        let all: Vec<String> = games.iter().map(moves).collect();
        assert_eq!(all, ["e4 e5", "", "c4"]);
        assert_eq!(
            faults(&games[1]),
            ["3: moves after the result of the game before"]
        );
        assert_eq!(moves(&read(b"7. e4 e5 *")[0]), "e4 e5", "a fragment");
    }

    #[test]
    fn no_break_spaces_are_blanks_and_blanks_close_no_tag() {
        let text = format!(
            "[White \"a\"{}\n[Black \"b\"{}]\n1.\u{a0}e4\u{a0}e5\u{a0}*",
            " ".repeat(90),
            " ".repeat(90)
        );
        let games = read(text.as_bytes());
        assert_eq!(moves(&games[0]), "e4 e5");
        assert_eq!(games[0].tag("Black"), Some("b"));
        assert_eq!(faults(&games[0]), ["1: the tag White is not closed"]);
    }

    #[test]
    fn what_is_not_closed_ends_at_the_next_game() {
        for (text, fault) in [
            ("1. e4 {never\nclosed", "3: a comment is never closed"),
            ("1. e4 (1. d4\nd5", "3: a variation is never closed"),
            ("1. e4 (1. d4 {x\n", "3: a comment is never closed"),
        ] {
            let text = format!("[Event \"a\"]\n\n{text}\n[Event \"b\"]\n\n1. d4 1-0\n");
            let games = read(text.as_bytes());
            assert_eq!(games.len(), 2, "{text}");
            assert_eq!(faults(&games[0])[0], fault);
            assert_eq!(moves(&games[1]), "d4");
            assert!(games[1].faults.is_empty());
        }
    }

    #[test]
    fn broken_tags_are_noted_with_their_line() {
        let games = read(b"[kj\"x\"y]\n[White \"Bob \"the\" Man\"]\n[Black \"open\n[Result \"1-0]\n[Event \"a\" ]\n1. e4 1-0");
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].tag("White"), Some("Bob \"the\" Man"));
        assert_eq!(games[0].tag("Event"), Some("a"));
        assert_eq!(
            faults(&games[0]),
            [
                "1: not a tag: [kj\"x\"y]",
                "3: the tag Black is not closed",
                "4: the tag Result is not closed",
            ]
        );
    }

    #[test]
    fn bytes_of_any_kind_are_read_and_noted() {
        let games = read(b"[White \"J\xfcrgen\"]\r\n\r\n1. e4\0e5 ) ] }\r\n* *");
        assert_eq!(games[0].tag("White"), Some("Jürgen"));
        assert_eq!(moves(&games[0]), "e4 e5");
        assert_eq!(games[0].faults.len(), 5, "{:?}", games[0].faults);
        assert_eq!(faults(&games[1]), ["4: a result without a game"]);
        for byte in 0..=255 {
            let _ = read(&[byte, b'[', byte, b'"', byte, b'\n', b'(', byte, b'{', byte]);
        }
    }

    #[test]
    fn memory_is_bounded_whatever_comes() {
        let games = read("(".repeat(100_000).as_bytes());
        assert_eq!(games[0].faults[0].1, Fault::OpenVariation);
        let games = read("a".repeat(100_000).as_bytes());
        assert!(matches!(games[0].faults[0].1, Fault::LongWord(_)));
        let games = read(")".repeat(100_000).as_bytes());
        assert!(games[0].faults.len() <= 20 && games[0].more_faults > 90_000);
        let games = read("Nf3 ".repeat(100_000).as_bytes());
        assert_eq!(games[0].moves.len(), MAX_PLIES);
        assert_eq!(games[0].faults[0].1, Fault::TooManyMoves);
        let games = read(format!("[White \"{}\"]\n*", "a".repeat(100_000)).as_bytes());
        assert_eq!(games[0].tag("White").map(str::len), Some(MAX_VALUE));
    }
}
