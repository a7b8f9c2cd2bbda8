//! One game, judged: its moves, its end, the claims it offered and its result.

use saavedra::board::Position;
use saavedra::rules::{Game, RuleSet};
use serde::Serialize;
use shakmaty::Color;

use super::course::Course;
use super::finding::{Finding, Kind, Severity};
use super::language::Language;
use super::record::{Fault, GameResult, Record};

/// What the arbiter was told.
#[derive(Clone, Debug)]
pub struct Settings {
    pub rules: RuleSet,
    /// Whose flag fell at the end of every game.
    pub flag: Option<Color>,
    /// Positions to look at for each question whether a side can mate.
    pub nodes: u64,
}

/// What there is to say about a game.
#[derive(Debug, Serialize)]
pub struct Verdict {
    /// Place in its file, from 1.
    pub game: u64,
    /// Line of the file in which it begins.
    pub line: u64,
    pub event: Option<String>,
    pub date: Option<String>,
    pub round: Option<String>,
    pub white: Option<String>,
    pub black: Option<String>,
    pub result: Option<&'static str>,
    /// Legal moves that were played, up to the first illegal one.
    pub plies: usize,
    /// Whose piece letters it is written with.
    pub language: &'static str,
    /// How the rules ended it, and after how many plies.
    pub ending: Option<String>,
    pub ended_after: Option<usize>,
    /// The last position that was reached.
    pub final_fen: Option<String>,
    /// Legal moves there, and how often it has occurred.
    pub legal_moves: usize,
    pub occurrences: usize,
    pub findings: Vec<Finding>,
    #[serde(skip)]
    pub last: Option<Game>,
}

impl Verdict {
    pub fn has_error(&self) -> bool {
        let severities = self.findings.iter().map(|finding| finding.severity);
        severities
            .into_iter()
            .any(|severity| severity == Severity::Error)
    }
}

/// Judges one game.
pub fn judge(record: &Record, settings: &Settings) -> Verdict {
    let mut verdict = Verdict {
        game: record.number,
        line: record.line,
        event: record.tag("Event").map(str::to_string),
        date: record.tag("Date").map(str::to_string),
        round: record.tag("Round").map(str::to_string),
        white: record.tag("White").map(str::to_string),
        black: record.tag("Black").map(str::to_string),
        result: None,
        plies: 0,
        language: Language::English.name(),
        ending: None,
        ended_after: None,
        final_fen: None,
        legal_moves: 0,
        occurrences: 0,
        findings: faults(record),
        last: None,
    };
    let result = result(record, &mut verdict.findings);
    verdict.result = result.map(GameResult::text);
    match start(record) {
        Ok(start) => {
            let mut course = Course::new(record, settings, start);
            course.play();
            course.end(result);
            course.report(&mut verdict);
        }
        Err(finding) => verdict.findings.push(*finding),
    }
    // In the order of the game; what concerns the whole of it comes first.
    verdict.findings.sort_by_key(|finding| finding.order);
    verdict
}

/// A finding about a game as a whole.
pub fn about_game(severity: Severity, kind: Kind, line: u64, text: String) -> Finding {
    Finding {
        severity,
        kind,
        line,
        order: 0,
        ply: None,
        written: None,
        text,
        claims: Vec::new(),
        helpmate: None,
    }
}

fn faults(record: &Record) -> Vec<Finding> {
    let mut findings: Vec<Finding> = record
        .faults
        .iter()
        .map(|(line, fault)| {
            let severity = match fault {
                Fault::Latin1 => Severity::Remark,
                // Moves without tags are notes, not a PGN cut short.
                Fault::NoResult if record.tags.is_empty() => Severity::Remark,
                _ => Severity::Error,
            };
            about_game(severity, Kind::Pgn, *line, fault.to_string())
        })
        .collect();
    if record.more_faults > 0 {
        let text = format!("and {} more faults like these", record.more_faults);
        findings.push(about_game(Severity::Error, Kind::Pgn, record.line, text));
    }
    findings
}

/// The position to begin from.
fn start(record: &Record) -> Result<Position, Box<Finding>> {
    let refuse = |severity, tag: &str, text| {
        Box::new(about_game(severity, Kind::Setup, record.line_of(tag), text))
    };
    if !record.is_known_variant() {
        let text = format!("the rules of {} are not known here", record.variant());
        return Err(refuse(Severity::Remark, "Variant", text));
    }
    match record.tag("FEN") {
        None => Ok(Position::startpos()),
        Some(fen) => Position::from_fen(fen)
            .map_err(|error| refuse(Severity::Error, "FEN", format!("'{fen}': {error}"))),
    }
}

/// The result, after a look whether tag and moves agree on it.
fn result(record: &Record, findings: &mut Vec<Finding>) -> Option<GameResult> {
    let of_moves = record.result.map(|(result, _)| result);
    let Some(text) = record.tag("Result") else {
        return of_moves;
    };
    let Some(of_tag) = GameResult::read(text) else {
        let text = format!("the Result tag says '{text}', which is no result");
        let line = record.line_of("Result");
        findings.push(about_game(Severity::Remark, Kind::Result, line, text));
        return of_moves;
    };
    if let Some((of_moves, line)) = record.result
        && of_moves != of_tag
    {
        let text = format!(
            "the Result tag says {}, the moves end with {}",
            of_tag.text(),
            of_moves.text()
        );
        findings.push(about_game(Severity::Error, Kind::Result, line, text));
    }
    Some(of_tag)
}
