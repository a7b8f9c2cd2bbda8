//! The course of a game: its moves read and played one after the other.

use saavedra::board::{MoveList, Position};
use saavedra::rules::{Ending, Game, RuleSet};
use shakmaty::san::SanPlus;
use shakmaty::{Color, Move};

use super::claims::{History, Opportunity};
use super::death::death;
use super::finding::{Finding, Kind, Severity};
use super::illegal;
use super::judge::{Settings, about_game};
use super::language::Language;
use super::lookahead;
use super::notation::{self, Mark, Meaning, Reading, Slip};
use super::record::{Record, Written};
use super::slips::Slips;
use super::words::color_name;

/// A game as far as it was followed.
pub struct Course<'r> {
    pub record: &'r Record,
    pub settings: &'r Settings,
    pub language: Language,
    /// Number of the move and side to move at the start.
    pub start: (u32, Color),
    pub history: History,
    pub start_position: Position,
    /// Legal moves so far; `None` where the turn was passed.
    pub played: Vec<Option<Move>>,
    /// Plies after which the game was over, and why.
    pub over: Option<(usize, Ending)>,
    /// Why neither side could mate, if that was the end.
    pub dead: Option<String>,
    /// Whether every move so far was one.
    pub is_chess: bool,
    pub slips: Slips,
    pub opportunities: Vec<Opportunity>,
    pub findings: Vec<Finding>,
}

impl<'r> Course<'r> {
    pub fn new(record: &'r Record, settings: &'r Settings, start: Position) -> Course<'r> {
        let candidates = Language::candidates(&record.moves);
        let language = match candidates[..] {
            [language] => language,
            _ => lookahead::language(&record.moves, &start, &candidates),
        };
        let is_set_up = record.tag("FEN").is_some();
        let first_number = record.moves.get(0).and_then(|written| written.number);
        // Who sets up a position may begin to count anywhere.
        let number = match first_number {
            Some(number) if is_set_up => number,
            _ => start.move_number(),
        };
        Course {
            record,
            settings,
            language,
            start: (number, start.turn()),
            start_position: start.clone(),
            played: Vec::with_capacity(record.moves.len()),
            history: History::new(Game::new(start), 0),
            over: None,
            dead: None,
            is_chess: true,
            slips: Slips::default(),
            opportunities: Vec::new(),
            findings: Vec::new(),
        }
    }

    pub fn position(&self) -> &Position {
        self.history.game.position()
    }

    /// Goes through the moves, as far as they are legal.
    pub fn play(&mut self) {
        for index in 0..self.record.moves.len() {
            self.notice_end();
            let is_stuck = matches!(
                self.over,
                Some((plies, Ending::Checkmate { .. } | Ending::Stalemate)) if plies == index
            );
            let Some(written) = self.record.moves.get(index) else {
                return;
            };
            if is_stuck || !self.step(index, written) {
                return;
            }
        }
        self.notice_end();
    }

    pub fn notice_end(&mut self) {
        if self.over.is_none() {
            let ending = self.history.game.ending(self.settings.rules);
            self.over = ending.map(|ending| (self.history.plies(), ending));
            if ending == Some(Ending::DeadPosition) {
                self.dead = death(self.position(), self.settings.nodes);
            }
        }
    }

    /// Plays one move; `false` if that is not possible.
    pub fn step(&mut self, index: usize, written: Written<'_>) -> bool {
        if written
            .number
            .is_some_and(|number| number != self.number(index))
        {
            self.slips.number(index);
        }
        let legal = self.position().legal_moves();
        let reading = notation::read(written.text, &legal, self.language);
        let m = match reading.moves[..] {
            [m] => m,
            [] if reading.meaning == Some(Meaning::Null) => return self.pass(index),
            [] => {
                self.is_chess = false;
                self.illegal(index, written, &reading, &legal);
                return false;
            }
            _ => self.choose(index, &reading),
        };
        if self.over.is_none() && self.settings.rules == RuleSet::Fide {
            self.opportunities
                .extend(self.history.opportunities(&legal, Some(m)));
        }
        self.history.play(m);
        self.played.push(Some(m));
        self.note_slips(index, m, &reading);
        true
    }

    pub fn note_slips(&mut self, index: usize, m: Move, reading: &Reading) {
        let slips = reading
            .slips
            .iter()
            .filter(|&&slip| slip != Slip::NoPromotion || reading.moves.len() == 1);
        for &slip in slips {
            self.slips.add(index, slip, m);
        }
        let position = self.position();
        let checkers = position.checkers().count();
        let is_mate = checkers > 0 && !position.has_legal_move();
        let is_right = match reading.mark {
            Mark::None => checkers == 0 || reading.slips.contains(&Slip::Coordinates),
            Mark::Check => checkers > 0 && !is_mate,
            Mark::Double => is_mate || checkers > 1,
            Mark::Mate => is_mate,
        };
        if !is_right {
            let is_missing = reading.mark == Mark::None || is_mate;
            let slip = if is_missing {
                Slip::NoCheck
            } else {
                Slip::FalseCheck
            };
            self.slips.add(index, slip, m);
        }
    }

    /// A null move is no move, but what follows can still be read.
    pub fn pass(&mut self, index: usize) -> bool {
        self.is_chess = false;
        self.find(
            Severity::Error,
            Kind::NullMove,
            index,
            "null move: a turn cannot be passed".to_string(),
        );
        match self.position().after_null() {
            Some(passed) => {
                self.history = History::new(Game::new(passed), index + 1);
                self.played.push(None);
                true
            }
            None => false,
        }
    }

    pub fn illegal(
        &mut self,
        index: usize,
        written: Written<'_>,
        reading: &Reading,
        legal: &MoveList,
    ) {
        let Some(meaning) = reading.meaning else {
            let text = format!("'{}' is not a move", written.text);
            return self.find(Severity::Error, Kind::Unreadable, index, text);
        };
        let mut text = format!("illegal: {}", illegal::why(self.position(), meaning));
        if matches!(meaning, Meaning::Piece(_))
            && illegal::is_move_of_opponent(self.position(), |m| meaning.fits(m))
        {
            let side = color_name(!self.position().turn());
            text += &format!(" (it would be a move of {side}'s)");
        }
        let rest = (&self.record.moves, index + 1);
        if let Some(meant) = lookahead::meant(rest, self.position(), legal, self.language) {
            text += &format!("; with {} the rest can be played", self.san(meant));
        }
        self.find(Severity::Error, Kind::IllegalMove, index, text);
    }

    /// The one of several moves with which the game goes on best.
    pub fn choose(&mut self, index: usize, reading: &Reading) -> Move {
        let rest = (&self.record.moves, index + 1);
        let (m, is_settled) =
            lookahead::choose(rest, self.position(), &reading.moves, self.language);
        let names: Vec<String> = reading.moves.iter().map(|&m| self.san(m)).collect();
        let (severity, because) = match is_settled {
            true => (Severity::Remark, "with which the game goes on furthest"),
            false => (Severity::Error, "though nothing speaks against the others"),
        };
        let text = format!(
            "ambiguous: {}; read as {}, {because}",
            names.join(" or "),
            self.san(m)
        );
        self.find(severity, Kind::Ambiguous, index, text);
        m
    }

    pub fn san(&self, m: Move) -> String {
        SanPlus::from_move(self.position().chess().clone(), m).to_string()
    }

    /// The position after so many plies of the record.
    pub fn position_at(&self, plies: usize) -> Position {
        let start = self.start_position.clone();
        self.played[..plies]
            .iter()
            .fold(start, |position, played| match played {
                Some(m) => position.after(*m),
                // Passed only where that is possible.
                None => position.after_null().unwrap_or(position),
            })
    }

    /// Number of the move at an index.
    pub fn number(&self, index: usize) -> u32 {
        let (number, side) = self.start;
        number.saturating_add((index as u32 + side.fold_wb(0, 1)) / 2)
    }

    /// Whose move it is at an index.
    pub fn side(&self, index: usize) -> Color {
        let (_, side) = self.start;
        if index.is_multiple_of(2) { side } else { !side }
    }

    /// The move at an index with its number, as it was written.
    pub fn label(&self, index: usize) -> String {
        let dots = self.side(index).fold_wb(".", "...");
        let text = self
            .record
            .moves
            .get(index)
            .map_or("", |written| written.text);
        format!("{}{dots} {text}", self.number(index))
    }

    /// `after 12... Nf6`.
    pub fn after(&self, plies: usize) -> String {
        match plies {
            0 => "at the start".to_string(),
            plies => format!("after {}", self.label(plies - 1)),
        }
    }

    pub fn find(&mut self, severity: Severity, kind: Kind, index: usize, text: String) {
        let line = self
            .record
            .moves
            .get(index)
            .map_or(self.record.line, |written| written.line);
        self.findings.push(Finding {
            line,
            order: index + 1,
            ply: Some(index + 1),
            written: Some(self.label(index)),
            ..about_game(severity, kind, line, text)
        });
    }

    /// Something about the end of the game, placed at the result.
    pub fn find_at_end(
        &mut self,
        severity: Severity,
        kind: Kind,
        text: String,
        helpmate: Option<Vec<String>>,
    ) {
        let line = match self.record.result {
            Some((_, line)) => line,
            None => self.record.line_of("Result"),
        };
        self.findings.push(Finding {
            order: usize::MAX,
            helpmate,
            ..about_game(severity, kind, line, text)
        });
    }
}
