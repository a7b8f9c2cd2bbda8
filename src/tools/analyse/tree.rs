//! The movetext of a game as a tree: moves, what is said about them, and what might have been played.

use saavedra::board::Position;
use shakmaty::san::SanPlus;
use shakmaty::{Color, Move};

/// Moves in a row.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// What is said before the first move.
    pub comment: String,
    pub moves: Vec<Node>,
}

/// A move and what belongs to it.
#[derive(Clone, Debug)]
pub struct Node {
    pub m: Move,
    /// Numeric annotation glyphs.
    pub nags: Vec<u8>,
    pub comment: String,
    /// What might have been played instead.
    pub variations: Vec<Line>,
}

impl Node {
    /// A move of which nothing is said.
    pub fn bare(m: Move) -> Node {
        Node {
            m,
            nags: Vec::new(),
            comment: String::new(),
            variations: Vec::new(),
        }
    }
}

impl Line {
    /// Moves of which nothing is said.
    pub fn of_moves(moves: &[Move]) -> Line {
        Line {
            comment: String::new(),
            moves: moves.iter().copied().map(Node::bare).collect(),
        }
    }

    /// The line as words of PGN, from the position before its first move.
    pub fn words(&self, start: &Position) -> Vec<String> {
        let mut words = comment_words(&self.comment);
        let mut position = start.clone();
        let mut needs_number = true;
        for node in &self.moves {
            if position.turn() == Color::White || needs_number {
                words.push(number(&position));
            }
            words.push(SanPlus::from_move(position.chess().clone(), node.m).to_string());
            words.extend(node.nags.iter().map(|nag| format!("${nag}")));
            words.extend(comment_words(&node.comment));
            for variation in &node.variations {
                words.extend(enclosed(variation.words(&position), '(', ')'));
            }
            needs_number = !node.comment.is_empty() || !node.variations.is_empty();
            position.play(node.m);
        }
        words
    }
}

/// Number of the move that is to be made, `12.` for White and `12...` for Black.
pub fn number(position: &Position) -> String {
    let dots = match position.turn() {
        Color::White => ".",
        Color::Black => "...",
    };
    format!("{}{dots}", position.move_number())
}

/// A comment in braces; a command like `[%clk 0:05:00]` stays in one piece.
fn comment_words(comment: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in comment.split_whitespace() {
        match words.last_mut() {
            Some(last) if last.starts_with("[%") && !last.contains(']') => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_string()),
        }
    }
    enclosed(words, '{', '}')
}

fn enclosed(mut words: Vec<String>, left: char, right: char) -> Vec<String> {
    if let Some(first) = words.first_mut() {
        first.insert(0, left);
    }
    if let Some(last) = words.last_mut() {
        last.push(right);
    }
    words
}
