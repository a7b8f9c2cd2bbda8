//! What the end of a game makes of its result: played on, the wrong result, a loss on time.

use saavedra::board::uci_text;
use saavedra::rules::Ending;
use saavedra::rules::unwinnable::{self, Verdict as Mating};
use shakmaty::{CastlingMode, Color, Move};

use super::course::Course;
use super::death::death;
use super::finding::{Kind, Severity};
use super::record::GameResult;
use super::termination::Termination;
use super::words::{self, color_name};

impl Course<'_> {
    /// What follows from the end of the game: played on, the wrong result, a loss on time.
    pub fn end(&mut self, result: Option<GameResult>) {
        if self.over.is_none() && self.is_chess {
            self.find_death();
        }
        let plies = self.record.moves.len();
        if let Some((over, ending)) = self.over
            && over < plies
        {
            let more = match plies - over {
                1 => "one more move follows".to_string(),
                more => format!("{more} more moves follow"),
            };
            let text = format!(
                "the game was over {}: {}; {more}",
                self.after(over),
                self.end_text(ending)
            );
            self.find(Severity::Error, Kind::PlayedOn, over, text);
        }
        match (self.over, result) {
            (Some((over, ending)), Some(result)) => self.judge_result(over, ending, result),
            (None, result) if self.is_chess => self.judge_flag(result),
            _ => {}
        }
    }

    /// Whether the result is that of the `ending` after so many plies.
    fn judge_result(&mut self, over: usize, ending: Ending, result: GameResult) {
        let right = ending.winner().map_or(GameResult::Draw, GameResult::Win);
        if result == right {
            return;
        }
        let text = format!(
            "the result is {}, not {}: {} {}",
            right.text(),
            result.text(),
            self.end_text(ending),
            self.after(over)
        );
        // Who writes * leaves the result open rather than giving a wrong one.
        let severity = match result {
            GameResult::Open => Severity::Remark,
            _ => Severity::Error,
        };
        self.find_at_end(severity, Kind::Result, text, None);
    }

    fn end_text(&self, ending: Ending) -> String {
        match (ending, &self.dead) {
            (Ending::Checkmate { winner }, _) => format!("checkmate by {}", color_name(winner)),
            (Ending::DeadPosition, Some(reason)) => format!("dead position ({reason})"),
            _ => ending.to_string(),
        }
    }

    /// Looks for a dead position that the material does not show. A position that is dead stays so:
    /// the last one tells whether there was one, and halving the way back when it arose.
    fn find_death(&mut self) {
        let Some(reason) = death(self.position(), self.settings.nodes) else {
            return;
        };
        let nodes = self.settings.nodes;
        let plies: Vec<usize> = (0..=self.played.len()).collect();
        let from = plies.partition_point(|&plies| death(&self.position_at(plies), nodes).is_none());
        // Asked twice, the last position gives the same answer.
        self.over = Some((from.min(self.played.len()), Ending::DeadPosition));
        self.dead = Some(reason);
    }

    /// Whether a loss on time is one. Nothing is said of one that the tags tell rightly.
    fn judge_flag(&mut self, result: Option<GameResult>) {
        let Some(flagged) = self.flagged(result) else {
            return;
        };
        let (loser, winner) = (color_name(flagged), color_name(!flagged));
        let answer = unwinnable::can_mate(self.position(), !flagged, self.settings.nodes);
        let (right, why, helpmate) = match answer.verdict {
            Mating::Winnable(line) => {
                let right = GameResult::Win(!flagged);
                if self.settings.flag.is_none() && result == Some(right) {
                    return;
                }
                let why = format!("{winner} can still mate: {}", self.line_text(&line));
                (Some(right), why, Some(self.uci_line(&line)))
            }
            Mating::Unwinnable(reason) => {
                let why = format!("{winner} cannot mate by any series of legal moves: {reason}");
                (Some(GameResult::Draw), why, None)
            }
            Mating::Undetermined => {
                let nodes = answer.nodes;
                let why = format!("whether {winner} can mate was not settled in {nodes} positions");
                (None, why, None)
            }
        };
        let (severity, kind, text) = match (right, result) {
            (Some(right), Some(result)) if right != result && result != GameResult::Open => {
                let (right, result) = (right.text(), result.text());
                let text =
                    format!("the result is {right}, not {result}: {loser} lost on time; {why}");
                (Severity::Error, Kind::Result, text)
            }
            _ => {
                let but = match right {
                    Some(GameResult::Draw) => ", but the game is drawn: ",
                    _ => "; ",
                };
                let text = format!("{loser} lost on time{but}{why}");
                (Severity::Remark, Kind::Flag, text)
            }
        };
        self.find_at_end(severity, kind, text, helpmate);
    }

    /// Whose flag fell, if one did.
    fn flagged(&self, result: Option<GameResult>) -> Option<Color> {
        let termination = Termination::read(self.record.tag("Termination").unwrap_or_default());
        match (self.settings.flag, termination, result) {
            (Some(side), ..) | (None, Termination::Flag(Some(side)), _) => Some(side),
            (None, Termination::Other, _) => None,
            (None, _, Some(GameResult::Win(winner))) => Some(!winner),
            (None, ..) => Some(self.position().turn()),
        }
    }

    /// A line from the last position.
    fn line_text(&self, line: &[Move]) -> String {
        words::line_text(self.position(), self.number(self.played.len()), line)
    }

    fn uci_line(&self, line: &[Move]) -> Vec<String> {
        line.iter()
            .map(|&m| uci_text(m, CastlingMode::Standard))
            .collect()
    }
}
