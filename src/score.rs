//! Scores: what a position is worth to the side to move, and how mates fit on the same scale.
//!
//! A score is in centipawns as the network counts them; a mate is `MATE` less its distance from the root
//! in plies, so that shorter mates are better, and a win by tablebases `TABLEBASE` less that of the
//! position probed. People see *normalised* centipawns, of which 100 win every other game, and with
//! `UCI_ShowWDL` the chances of each result: both are derived here from games of the engine. What a line
//! looks like is left to `uci::info`.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// Material at which +100 wins every other game.
pub const MATERIAL: i32 = 58;
/// Fitted to 163 games of the engine with net6 against itself at 10+0.1; net7 thinks 1.07 times as much of
/// 3,783 positions, which the first number allows for. Normalised centipawns for each of the network's,
/// and the curve of the chances to win in normalised ones: its middle and its width, at no material and
/// what each unit of it adds.
const NORMALISATION: f64 = 0.698;
const EVEN_WIN: [f64; 2] = [197.8, -1.686];
const WIDTH: [f64; 2] = [46.7, -0.030];

/// No line is ever longer than this many plies from the root; scores and stacks are sized by it.
pub const MAX_PLY: usize = 246;

/// A score from the side to move's view, in centipawns, or a coded distance to mate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Score(i32);

impl Score {
    /// The score of every drawn position.
    pub const DRAW: Score = Score(0);
    /// Above every score that a search returns.
    pub const INFINITE: Score = Score(32_001);
    const MATE: i32 = 32_000;
    const TABLEBASE: i32 = 31_000;
    /// Evaluations stay inside `±MAX_EVAL`; beyond it lie only proven results.
    pub const MAX_EVAL: Score = Score(Self::TABLEBASE - 2 * MAX_PLY as i32);

    /// A score of `centipawns`.
    pub const fn cp(centipawns: i32) -> Score {
        Score(centipawns)
    }

    /// The side to move mates `ply` plies from the root.
    pub const fn mate_in(ply: usize) -> Score {
        Score(Self::MATE - ply as i32)
    }

    /// The side to move is mated `ply` plies from the root.
    pub const fn mated_in(ply: usize) -> Score {
        Score(ply as i32 - Self::MATE)
    }

    /// Tablebases say that the side to move wins, `ply` plies from the root.
    pub const fn tablebase_win(ply: usize) -> Score {
        Score(Self::TABLEBASE - ply as i32)
    }

    /// Tablebases say that the side to move loses, `ply` plies from the root.
    pub const fn tablebase_loss(ply: usize) -> Score {
        Score(ply as i32 - Self::TABLEBASE)
    }

    /// An evaluation: `centipawns`, kept clear of the range of proven results.
    pub fn eval(centipawns: i32) -> Score {
        Score(centipawns.clamp(-Self::MAX_EVAL.0, Self::MAX_EVAL.0))
    }

    /// What people are shown: centipawns of which 100 win every other game, with [`MATERIAL`] on the
    /// board. Proven results keep their number.
    pub fn normalised(self) -> i32 {
        if self.is_decisive() {
            self.0
        } else {
            (f64::from(self.0) * NORMALISATION).round() as i32
        }
    }

    /// The bare number.
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// A forced win was found.
    pub const fn is_win(self) -> bool {
        self.0 > Self::MAX_EVAL.0
    }

    /// A forced loss was found.
    pub const fn is_loss(self) -> bool {
        self.0 < -Self::MAX_EVAL.0
    }

    /// A forced win or loss was found, so that this is no estimate.
    pub const fn is_decisive(self) -> bool {
        self.is_win() || self.is_loss()
    }

    /// Distance to mate in plies from the root, if this is a mate score. Infinity is none.
    pub const fn mate_plies(self) -> Option<usize> {
        let plies = Self::MATE - self.0.abs();
        if 0 <= plies && plies <= 2 * MAX_PLY as i32 {
            Some(plies as usize)
        } else {
            None
        }
    }

    /// Distance to mate in full moves as UCI counts them, negative when the side to move is mated.
    pub const fn mate_moves(self) -> Option<i32> {
        match self.mate_plies() {
            Some(plies) if self.is_win() => Some((plies as i32 + 1) / 2),
            Some(plies) => Some(-(plies as i32) / 2),
            None => None,
        }
    }

    /// The score as stored in the hash: mates and tablebase wins count from the stored node, not from the root.
    pub const fn to_hash(self, ply: usize) -> i16 {
        let raw = if self.is_win() {
            self.0 + ply as i32
        } else if self.is_loss() {
            self.0 - ply as i32
        } else {
            self.0
        };
        raw as i16
    }

    /// Reads a score stored by [`Score::to_hash`] at a node `ply` plies from the root whose fifty-move
    /// counter stands at `halfmoves`. A mate or a tablebase win further away than the counter allows is no longer certain
    /// and is returned as the largest evaluation.
    pub fn from_hash(stored: i16, ply: usize, halfmoves: u32) -> Score {
        let score = Score(stored.into());
        if !score.is_decisive() {
            return score;
        }
        let won_at = if score.mate_plies().is_some() {
            Self::MATE
        } else {
            Self::TABLEBASE
        };
        let plies = won_at - score.0.abs();
        let beyond_fifty = halfmoves.saturating_add(plies as u32) > 100;
        match score.is_win() {
            true if beyond_fifty => Score::MAX_EVAL,
            true => Score(score.0 - ply as i32),
            false if beyond_fifty => -Score::MAX_EVAL,
            false => Score(score.0 + ply as i32),
        }
    }

    /// Expected game results in thousandths, a win, a draw and a loss for the side to move, with this
    /// much material on the board, counted as pawns 1, minor pieces 3, rooks 5, queens 9.
    ///
    /// A logistic curve in the normalised centipawns, whose middle and width are straight lines in the material.
    /// `saavedra wdl` fits them; the form is that of <https://github.com/official-stockfish/WDL_model>.
    pub fn wdl(self, material: i32) -> Wdl {
        let line = |[base, slope]: [f64; 2]| base + slope * f64::from(material.clamp(17, 78));
        let (even_win, width) = (line(EVEN_WIN), line(WIDTH));
        let chance = |score: f64| 1000.0 / (1.0 + ((even_win - score) / width).exp());
        let centipawns = f64::from(self.normalised());
        let win = chance(centipawns).round() as u16;
        let loss = chance(-centipawns).round() as u16;
        Wdl {
            win,
            draw: 1000 - win - loss,
            loss,
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate_moves() {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "cp {}", self.normalised()),
        }
    }
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    fn add(self, centipawns: i32) -> Score {
        Score(self.0 + centipawns)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    fn sub(self, centipawns: i32) -> Score {
        Score(self.0 - centipawns)
    }
}

/// Expected results in thousandths; the three add up to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// Wins for the side to move.
    pub win: u16,
    /// Draws.
    pub draw: u16,
    /// Losses for the side to move.
    pub loss: u16,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_full_moves_from_the_side_to_move() {
        assert_eq!(Score::mate_in(1).to_string(), "mate 1");
        assert_eq!(Score::mate_in(3).to_string(), "mate 2");
        assert_eq!(Score::mated_in(0).to_string(), "mate 0");
        assert_eq!(Score::mated_in(2).to_string(), "mate -1");
        let score = Score::cp(-1000);
        assert_eq!(score.to_string(), format!("cp {}", score.normalised()));
    }

    #[test]
    fn a_mate_in_the_hash_counts_from_its_node() {
        let stored = Score::mate_in(7).to_hash(4);
        assert_eq!(Score::from_hash(stored, 2, 0), Score::mate_in(5));
        let stored = Score::mated_in(8).to_hash(4);
        assert_eq!(Score::from_hash(stored, 4, 0), Score::mated_in(8));
    }

    #[test]
    fn a_mate_beyond_the_fifty_move_limit_is_not_believed() {
        let stored = Score::mate_in(7).to_hash(0);
        assert!(Score::from_hash(stored, 0, 93).is_win());
        assert!(!Score::from_hash(stored, 0, 94).is_win());
    }

    #[test]
    fn win_draw_and_loss_add_up_and_mirror() {
        for centipawns in (-3000..=3000).step_by(7) {
            for material in [0, 17, 40, 78, 103] {
                let wdl = Score::cp(centipawns).wdl(material);
                assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
                assert_eq!(Score::cp(-centipawns).wdl(material).loss, wdl.win);
            }
        }
        assert_eq!(
            Score::mate_in(3).wdl(MATERIAL),
            Wdl {
                win: 1000,
                draw: 0,
                loss: 0
            }
        );
    }

    #[test]
    fn a_hundred_centipawns_win_every_other_game() {
        let score = (0..1000)
            .map(Score::cp)
            .find(|score| score.normalised() == 100)
            .expect("100 centipawns");
        let win = score.wdl(MATERIAL).win;
        assert!((490..=510).contains(&win), "{win}");
    }
}
