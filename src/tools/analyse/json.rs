//! An analysed game as a line of JSON. Scores are White's, in centipawns or moves to mate.

use std::collections::BTreeMap;

use saavedra::board::{Position, uci_text};
use serde::Serialize;
use serde_json::Value;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Move};

use super::Analysis;
use super::eval::Eval;
use super::judge::{Summary, win_percent};
use super::pgn::own_tags;
use super::source::Source;
use super::tree::number;

#[derive(Serialize)]
struct Game<'a> {
    /// Place in the file, from 1.
    number: usize,
    /// How it was analysed.
    analysis: &'a str,
    tags: BTreeMap<&'a str, &'a str>,
    /// FEN of the position before the first move.
    start: String,
    result: &'a str,
    /// Why the game could not be read to its end.
    fault: Option<&'a str>,
    white: &'a Summary,
    black: &'a Summary,
    moves: Vec<Played<'a>>,
}

#[derive(Serialize)]
struct Played<'a> {
    /// `12.` or `12...`.
    number: String,
    san: String,
    uci: String,
    /// After the move.
    score: Eval,
    /// Points that White may expect after the move, in percent.
    win_percent: f64,
    judgement: Option<&'static str>,
    accuracy: f64,
    centipawn_loss: i32,
    /// What was said of it.
    comment: &'a str,
    /// Depth of the search before the move, and its lines, the best first.
    depth: i32,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    score: Eval,
    moves: Vec<String>,
}

/// A game as a line of text, with its end.
pub fn write(number: usize, source: &Source, analysis: &Analysis, how: &str) -> String {
    let game = Game {
        number,
        analysis: how,
        tags: tags(source),
        start: source.start.fen(CastlingMode::Standard),
        result: &source.result,
        fault: source.fault.as_deref(),
        white: &analysis.summaries.white,
        black: &analysis.summaries.black,
        moves: moves(source, analysis),
    };
    let mut text = serde_json::to_string(&game).expect("text and numbers are always JSON");
    text.push('\n');
    text
}

/// What the text of a game begins with, known before it is analysed.
pub fn head(number: usize) -> String {
    format!("{{\"number\":{number},")
}

/// Whether `line` is what [`write`] made of a game.
pub fn is_of(line: &str, number: usize, source: &Source, how: &str) -> bool {
    let Ok(value) = serde_json::from_str::<Value>(line) else {
        return false;
    };
    let mut position = source.start.clone();
    let played: Vec<String> = source
        .moves()
        .into_iter()
        .map(|m| uci(&mut position, m))
        .collect();
    let moves = value["moves"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    value["number"] == number
        && value["analysis"] == how
        && value["start"] == source.start.fen(CastlingMode::Standard)
        && value["tags"] == serde_json::json!(tags(source))
        && moves.iter().map(|m| &m["uci"]).eq(&played)
}

fn tags(source: &Source) -> BTreeMap<&str, &str> {
    own_tags(source)
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

/// A move in UCI notation; plays it.
fn uci(position: &mut Position, m: Move) -> String {
    position.play(m);
    uci_text(m, CastlingMode::Standard)
}

fn moves<'a>(source: &'a Source, analysis: &Analysis) -> Vec<Played<'a>> {
    let mut position = source.start.clone();
    let judged = analysis.verdicts.iter().zip(analysis.found.windows(2));
    (source.line.moves.iter().zip(judged))
        .map(|(node, (verdict, pair))| {
            let turn = position.turn();
            let lines = (pair[0].lines.iter())
                .map(|best| Line {
                    score: Eval::new(best.score, turn),
                    moves: sans(&position, &best.moves),
                })
                .collect();
            let expected = win_percent(pair[1].score);
            Played {
                number: number(&position),
                san: SanPlus::from_move(position.chess().clone(), node.m).to_string(),
                uci: uci(&mut position, node.m),
                score: verdict.eval,
                win_percent: tenths(turn.fold_wb(100.0 - expected, expected)),
                judgement: verdict.judgement.map(|judgement| judgement.name()),
                accuracy: tenths(verdict.accuracy),
                centipawn_loss: verdict.centipawn_loss,
                comment: &node.comment,
                depth: pair[0].depth,
                lines,
            }
        })
        .collect()
}

fn sans(start: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = start.clone();
    (moves.iter())
        .map(|&m| {
            let san = SanPlus::from_move(position.chess().clone(), m).to_string();
            position.play(m);
            san
        })
        .collect()
}

fn tenths(number: f64) -> f64 {
    (10.0 * number).round() / 10.0
}
