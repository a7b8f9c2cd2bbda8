//! Words for men, sides, numbers and lines of moves.

use saavedra::board::Position;
use shakmaty::san::SanPlus;
use shakmaty::{Bitboard, Color, Move, Role, Square};

/// Plies of the longest line that is shown.
const MAX_LINE: usize = 40;

/// `the knight on f3`.
pub fn man_on(position: &Position, square: Square) -> String {
    match position.board().role_at(square) {
        Some(role) => format!("the {} on {square}", role_name(role)),
        None => square.to_string(),
    }
}

/// The men on these squares, joined by "and".
pub fn men_on(position: &Position, squares: Bitboard) -> String {
    let men: Vec<String> = squares
        .into_iter()
        .map(|square| man_on(position, square))
        .collect();
    men.join(" and ")
}

pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

pub fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// A line from `position`, whose move has this number, in SAN; of a long one only its length.
pub fn line_text(position: &Position, number: u32, line: &[Move]) -> String {
    if line.len() > MAX_LINE {
        return format!("in {} moves", line.len().div_ceil(2));
    }
    let mut number = number;
    let mut text = Vec::new();
    let mut position = position.clone();
    for &m in line {
        let san = SanPlus::from_move(position.chess().clone(), m);
        match position.turn() {
            Color::White => text.push(format!("{number}. {san}")),
            Color::Black if text.is_empty() => text.push(format!("{number}... {san}")),
            Color::Black => text.push(san.to_string()),
        }
        number = number.saturating_add(position.turn().fold_wb(0, 1));
        position.play(m);
    }
    text.join(" ")
}

/// ` (12 times)`, or nothing for once.
pub fn times(count: usize) -> String {
    match count {
        1 => String::new(),
        count => format!(" ({count} times)"),
    }
}

/// `3 more times`.
pub fn again(count: usize) -> String {
    match count {
        1 => "once more".to_string(),
        count => format!("{count} more times"),
    }
}

/// `a, b and c`.
pub fn join(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [word] => word.clone(),
        [words @ .., last] => format!("{} and {last}", words.join(", ")),
    }
}

/// `1 game`, `2 games`.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}
