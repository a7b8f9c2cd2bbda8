//! A game as a PGN records it, before anybody looks whether it is chess.

use shakmaty::Color;

/// More plies than a game can have: the longest lasts 8,848 and a half moves, with a capture or pawn
/// move only just before seventy-five moves have passed each time.
pub const MAX_PLIES: usize = 17_697;
/// Faults of one game that are told one by one.
const MAX_FAULTS: usize = 20;

/// A game's tags, moves and result as they were written.
#[derive(Default, Debug)]
pub struct Record {
    /// Place in its file, from 1.
    pub number: u64,
    /// Line of the file in which it begins, from 1.
    pub line: u64,
    pub tags: Vec<Tag>,
    pub moves: Moves,
    /// The result at the end of the moves, with its line.
    pub result: Option<(GameResult, u64)>,
    /// What is wrong with the text, with its line.
    pub faults: Vec<(u64, Fault)>,
    /// How many more faults there are.
    pub more_faults: u64,
}

impl Record {
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|tag| tag.name == name)?;
        Some(&tag.value)
    }

    /// The Variant tag in small letters.
    pub fn variant(&self) -> String {
        self.tag("Variant").unwrap_or_default().to_ascii_lowercase()
    }

    /// Whether it is a game of Chess960, by its tag.
    pub fn is_chess960(&self) -> bool {
        let variant = self.variant();
        variant.contains("960") || variant.contains("fischer")
    }

    /// Whether it is played by the rules of chess, from whatever position.
    pub fn is_known_variant(&self) -> bool {
        let orthodox = ["", "?", "chess", "standard", "normal", "from position"];
        orthodox.contains(&self.variant().as_str()) || self.is_chess960()
    }

    /// The line of a tag, else that of the game.
    pub fn line_of(&self, name: &str) -> u64 {
        let tag = self.tags.iter().find(|tag| tag.name == name);
        tag.map_or(self.line, |tag| tag.line)
    }

    pub fn fault(&mut self, line: u64, fault: Fault) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push((line, fault));
        } else {
            self.more_faults += 1;
        }
    }
}

#[derive(Debug)]
pub struct Tag {
    pub name: String,
    pub value: String,
    pub line: u64,
}

/// The main line's moves as they were written, in one piece of text.
#[derive(Default, Debug)]
pub struct Moves {
    text: String,
    tokens: Vec<Token>,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    end: u32,
    /// The move number before it, 0 if none.
    number: u32,
    line: u64,
}

/// One move as it was written.
#[derive(Clone, Copy, Debug)]
pub struct Written<'m> {
    pub text: &'m str,
    pub number: Option<u32>,
    pub line: u64,
}

impl Moves {
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    pub fn push(&mut self, text: &str, number: Option<u32>, line: u64) {
        self.text.push_str(text);
        self.tokens.push(Token {
            end: self.text.len() as u32,
            number: number.unwrap_or(0),
            line,
        });
    }

    pub fn get(&self, index: usize) -> Option<Written<'_>> {
        let token = self.tokens.get(index)?;
        let start = match index {
            0 => 0,
            _ => self.tokens[index - 1].end,
        };
        Some(Written {
            text: &self.text[start as usize..token.end as usize],
            number: (token.number > 0).then_some(token.number),
            line: token.line,
        })
    }

    /// The moves from `index` on.
    pub fn from(&self, index: usize) -> impl Iterator<Item = Written<'_>> {
        (index..self.len()).filter_map(|index| self.get(index))
    }
}

/// What a result says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    Win(Color),
    Draw,
    /// `*`: not over, or not known.
    Open,
}

impl GameResult {
    /// Reads `1-0` and what is written for it.
    pub fn read(text: &str) -> Option<GameResult> {
        Some(match text {
            "1-0" | "1:0" | "1–0" | "1‑0" | "1−0" => GameResult::Win(Color::White),
            "0-1" | "0:1" | "0–1" | "0‑1" | "0−1" => GameResult::Win(Color::Black),
            "1/2-1/2" | "1/2" | "1/2:1/2" | "1/2–1/2" | "½-½" | "½:½" | "½–½" | "½" | "0.5-0.5" => {
                GameResult::Draw
            }
            "*" => GameResult::Open,
            _ => return None,
        })
    }

    pub fn text(self) -> &'static str {
        match self {
            GameResult::Win(Color::White) => "1-0",
            GameResult::Win(Color::Black) => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Open => "*",
        }
    }
}

/// What is wrong with the text of a PGN.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    #[error("not a tag: {0}")]
    MalformedTag(String),
    #[error("the tag {0} is not closed")]
    OpenTag(String),
    #[error("the tag {0} is longer than any value should be")]
    LongTag(String),
    #[error("the tag {0} is given twice")]
    RepeatedTag(String),
    #[error("a comment is never closed")]
    OpenComment,
    #[error("a variation is never closed")]
    OpenVariation,
    #[error("'{0}' closes nothing")]
    Unopened(char),
    #[error("[ among the moves")]
    StrayBracket,
    #[error("a word without end: {0}…")]
    LongWord(String),
    #[error("more moves than a game can have")]
    TooManyMoves,
    #[error("no result after the moves")]
    NoResult,
    #[error("moves after the result of the game before")]
    AfterResult,
    #[error("a result without a game")]
    StrayResult,
    #[error("zero bytes, read as blanks")]
    Nul,
    #[error("not UTF-8, read as Latin-1")]
    Latin1,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_keep_their_texts_numbers_and_lines() {
        let mut moves = Moves::default();
        moves.push("e4", Some(1), 3);
        moves.push("e5", None, 4);
        let second = moves.get(1).unwrap();
        assert_eq!((second.text, second.number, second.line), ("e5", None, 4));
        assert_eq!(moves.from(0).map(|m| m.text).collect::<String>(), "e4e5");
        assert!(moves.get(2).is_none());
    }

    #[test]
    fn results_are_read_as_people_write_them() {
        for (text, result) in [
            ("1-0", GameResult::Win(Color::White)),
            ("0:1", GameResult::Win(Color::Black)),
            ("½-½", GameResult::Draw),
            ("1/2", GameResult::Draw),
            ("*", GameResult::Open),
        ] {
            assert_eq!(GameResult::read(text), Some(result));
        }
        assert_eq!(GameResult::read("0-0"), None, "castles");
    }
}
