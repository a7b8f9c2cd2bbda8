//! An analysed game as PGN, for GUIs and people.
//!
//! What the source says is kept, except what an analysis replaces: scores of the moves, a glyph for a
//! move that is judged here, and the lines that an earlier run of this command added.

use shakmaty::Color;

use super::Analysis;
use super::eval::Eval;
use super::evaluate::{Best, Found};
use super::judge::{Summary, Verdict};
use super::source::Source;
use super::tree::{Line, Node};
use crate::tools::pgn::{tag, wrapped};

/// The tag that says how a game was analysed, and those of the sides.
pub const HOW: &str = "Analysis";
const SIDES: [(&str, Color); 2] = [
    ("WhiteAnalysis", Color::White),
    ("BlackAnalysis", Color::Black),
];
/// Glyphs that assess a move: `!`, `?`, `!!`, `??`, `!?`, `?!`.
const ASSESSMENTS: std::ops::RangeInclusive<u8> = 1..=6;
/// The glyphs of judgements.
const JUDGEMENTS: [u8; 3] = [2, 4, 6];
/// Plies of a line; a mate is shown to its end.
const LINE_LENGTH: usize = 12;

/// The tags of the source without those of an earlier analysis.
pub fn own_tags(source: &Source) -> impl Iterator<Item = &(String, String)> {
    let is_ours = |name: &str| name == HOW || SIDES.iter().any(|(side, _)| *side == name);
    source.tags.iter().filter(move |(name, _)| !is_ours(name))
}

/// What the text of a game begins with, known before it is analysed.
pub fn head(source: &Source, how: &str) -> String {
    let mut text: String = own_tags(source)
        .map(|(name, value)| tag(name, value))
        .collect();
    text.push_str(&tag(HOW, how));
    text
}

/// A game as text, ended by a blank line; another stands between tags and moves.
pub fn write(source: &Source, analysis: &Analysis, how: &str) -> String {
    let mut text = head(source, how);
    for (name, side) in SIDES {
        let summary = &analysis.summaries[side];
        if summary.moves > 0 {
            text.push_str(&tag(name, &describe(summary)));
        }
    }
    text.push('\n');
    let mut words = annotated(source, analysis).words(&source.start);
    words.push(source.result.clone());
    text.push_str(&wrapped(&words));
    text.push_str("\n\n");
    text
}

/// A summary in words.
pub fn describe(summary: &Summary) -> String {
    let number = |value: Option<f64>| value.unwrap_or_default();
    let count = |count: usize, one: &str, more: &str| {
        format!("{count} {}", if count == 1 { one } else { more })
    };
    format!(
        "accuracy {:.1} %, average loss {:.0} cp, {}, {}, {}",
        number(summary.accuracy),
        number(summary.average_centipawn_loss),
        count(summary.inaccuracies, "inaccuracy", "inaccuracies"),
        count(summary.mistakes, "mistake", "mistakes"),
        count(summary.blunders, "blunder", "blunders"),
    )
}

/// The moves of the game with what the analysis says about them.
fn annotated(source: &Source, analysis: &Analysis) -> Line {
    let mut line = source.line.clone();
    let mut position = source.start.clone();
    let judged = analysis.verdicts.iter().zip(&analysis.found);
    for (node, (verdict, before)) in line.moves.iter_mut().zip(judged) {
        remove_earlier(node);
        let turn = position.turn();
        position.play(node.m);
        if !position.is_checkmate() {
            node.comment = joined(&verdict.eval.to_string(), &node.comment);
        }
        annotate(node, verdict, before, turn);
    }
    if let Some(fault) = &source.fault {
        let note = format!("{fault}; what followed is left out").replace(['{', '}'], "");
        let place = match line.moves.last_mut() {
            Some(node) => &mut node.comment,
            None => &mut line.comment,
        };
        *place = joined(place, &note);
    }
    line
}

/// Glyph and better lines, for a move that is judged.
fn annotate(node: &mut Node, verdict: &Verdict, before: &Found, turn: Color) {
    let Some(judgement) = verdict.judgement else {
        return;
    };
    node.nags.retain(|nag| !ASSESSMENTS.contains(nag));
    node.nags.insert(0, judgement.nag());
    let better = before
        .lines
        .iter()
        .filter(|best| best.moves.first() != Some(&node.m));
    let better: Vec<Line> = better.map(|best| shown(best, turn)).collect();
    node.variations.splice(0..0, better);
}

/// A line with the score it leads to.
fn shown(best: &Best, turn: Color) -> Line {
    let length = match best.score.mate_plies() {
        Some(plies) => plies,
        None => LINE_LENGTH,
    };
    let mut line = Line::of_moves(&best.moves[..best.moves.len().min(length)]);
    if let Some(first) = line.moves.first_mut() {
        first.comment = Eval::new(best.score, turn).to_string();
    }
    line
}

/// Takes back what an earlier analysis says about a move.
fn remove_earlier(node: &mut Node) {
    let mut rest = std::mem::take(&mut node.comment);
    while let Some(begin) = rest.find("[%eval ")
        && let Some(end) = rest[begin..].find(']')
    {
        rest.replace_range(begin..=begin + end, "");
    }
    node.comment = joined(&rest, "");
    let count = node.variations.len();
    node.variations.retain(|variation| !is_shown(variation));
    if node.variations.len() < count {
        node.nags.retain(|nag| !JUDGEMENTS.contains(nag));
    }
}

/// Whether a variation looks like one of [`shown`]: a score behind its first move and no other word.
fn is_shown(variation: &Line) -> bool {
    let is_bare = |node: &Node| node.nags.is_empty() && node.variations.is_empty();
    let is_score =
        |text: &str| text.starts_with("[%eval ") && text.find(']') == Some(text.len() - 1);
    match &variation.moves[..] {
        [first, rest @ ..] => {
            variation.comment.is_empty()
                && is_score(&first.comment)
                && rest.iter().all(|node| node.comment.is_empty())
                && variation.moves.iter().all(is_bare)
        }
        [] => false,
    }
}

/// Texts with one blank between words.
fn joined(first: &str, second: &str) -> String {
    let words = first.split_whitespace().chain(second.split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::analyse::eval::tests::shown;
    use crate::tools::analyse::source;
    use saavedra::board::parse_move;
    use saavedra::score::Score;

    /// Scores and best moves before each move and after the last.
    fn analysed(source: &Source, found: &[(Score, &str)]) -> Analysis {
        let found = (found.iter().enumerate())
            .map(|(ply, (score, best))| {
                let mut position = source.game_at(ply).position().clone();
                let moves = best.split_whitespace().map(|text| {
                    let m = parse_move(&position, text).unwrap();
                    position.play(m);
                    m
                });
                let moves = moves.collect();
                Found {
                    score: *score,
                    depth: 9,
                    lines: vec![Best {
                        score: *score,
                        moves,
                    }],
                }
            })
            .collect();
        Analysis::new(source, found)
    }

    const PGN: &str = "[White \"A \\\"B\\\"\"]\n[Result \"0-1\"]\n\n1. f3 {[%clk 0:01:00]} e5 $3 $14 \
                       {[%eval 3.1] good} (1... a6 {why not}) 2. g4 $1 (2. e4) Qh4# 0-1\n";

    fn fools_mate(source: &Source) -> Analysis {
        let found = [
            (shown(20), "e2e4 e7e5"),
            (shown(60), "e7e5"),
            (shown(-80), "d2d4 e5d4"),
            (Score::mate_in(1), "d8h4"),
            (Score::mated_in(0), ""),
        ];
        analysed(source, &found)
    }

    #[test]
    fn scores_glyphs_and_lines_are_added_and_the_rest_is_kept() {
        let source = &source::read(PGN.as_bytes())[0];
        assert_eq!(
            write(source, &fools_mate(source), "test"),
            "[White \"A \\\"B\\\"\"]\n[Result \"0-1\"]\n[Analysis \"test\"]\n\
             [WhiteAnalysis \"accuracy 24.3 %, average loss 500 cp, 1 inaccuracy, 0 mistakes, 1 blunder\"]\n\
             [BlackAnalysis \"accuracy 100.0 %, average loss 0 cp, 0 inaccuracies, 0 mistakes, 0 blunders\"]\n\
             \n\
             1. f3 $6 {[%eval -0.60] [%clk 0:01:00]} (1. e4 {[%eval 0.20]} 1... e5) 1... e5\n\
             $3 $14 {[%eval -0.80] good} (1... a6 {why not}) 2. g4 $4 {[%eval #-1]} (2. d4\n\
             {[%eval -0.80]} 2... exd4) (2. e4) 2... Qh4# 0-1\n\n"
        );
    }

    #[test]
    fn what_was_analysed_once_is_the_same_when_analysed_again() {
        let source = &source::read(PGN.as_bytes())[0];
        let once = write(source, &fools_mate(source), "test");
        let again = &source::read(once.as_bytes())[0];
        assert_eq!(write(again, &fools_mate(again), "test"), once);
        // Another analysis leaves nothing of the first.
        let harmless = [(shown(0), ""); 5];
        let other = write(again, &analysed(again, &harmless), "other");
        assert!(
            other.contains("1. f3 {[%eval 0.00] [%clk 0:01:00]} 1... e5 $3"),
            "{other}"
        );
        assert!(!other.contains("exd4"), "{other}");
    }

    #[test]
    fn the_place_of_a_fault_is_marked() {
        let source = &source::read(b"1. e4 Ke3 *")[0];
        let text = write(source, &analysed(source, &[(shown(0), ""); 2]), "test");
        assert!(
            text.contains("Ke3 is not legal; what followed is left out}"),
            "{text}"
        );
    }
}
