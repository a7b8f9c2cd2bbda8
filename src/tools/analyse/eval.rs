//! Scores as people and GUIs read them: from White's view.

use std::fmt;

use saavedra::score::Score;
use serde::Serialize;
use shakmaty::Color;

/// A score from White's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Eval {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate, negative if Black mates, 0 if it is mate.
    Mate(i32),
}

impl Eval {
    /// What `score` means if it is that of `turn`.
    pub fn new(score: Score, turn: Color) -> Eval {
        let sign = turn.fold_wb(1, -1);
        match score.mate_moves() {
            Some(moves) => Eval::Mate(sign * moves),
            None => Eval::Cp(sign * score.normalised()),
        }
    }
}

/// Pawns, or moves to mate: the `[%eval]` command of PGN comments.
impl fmt::Display for Eval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Eval::Cp(centipawns) => write!(f, "[%eval {:.2}]", f64::from(*centipawns) / 100.0),
            Eval::Mate(moves) => write!(f, "[%eval #{moves}]"),
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The score that is shown as so many centipawns.
    pub fn shown(centipawns: i32) -> Score {
        let scores = (0..).map(|size| Score::cp(size * centipawns.signum()));
        scores
            .into_iter()
            .find(|score| score.normalised() == centipawns)
            .expect("a score for each number")
    }

    #[test]
    fn scores_are_written_from_whites_view() {
        let text = |score, turn| Eval::new(score, turn).to_string();
        assert_eq!(text(shown(35), Color::White), "[%eval 0.35]");
        assert_eq!(text(shown(35), Color::Black), "[%eval -0.35]");
        assert_eq!(text(Score::mate_in(1), Color::Black), "[%eval #-1]");
        assert_eq!(text(Score::mate_in(5), Color::White), "[%eval #3]");
        assert_eq!(text(Score::mated_in(4), Color::Black), "[%eval #2]");
    }
}
