//! How good moves were, by what they lost.
//!
//! Winning chances run from -1 (lost) to 1 (won). The curve is the one that lichess fitted to games of
//! people, who fail to win more often than the engine that [`Score::wdl`] describes.

use saavedra::score::Score;
use serde::Serialize;
use shakmaty::{ByColor, Color, Move};

use super::eval::Eval;
use super::evaluate::Found;

/// A move that lost winning chances. Limits are those of lichess,
/// <https://github.com/lichess-org/lila/blob/master/modules/tree/src/main/Advice.scala>.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// At least 0.1.
    Inaccuracy,
    /// At least 0.2.
    Mistake,
    /// At least 0.3.
    Blunder,
}

impl Judgement {
    fn of_loss(chances: f64) -> Option<Judgement> {
        // Chances are known to a thousandth.
        let thousandths = (1000.0 * chances).round() as i32;
        match thousandths {
            300.. => Some(Judgement::Blunder),
            200.. => Some(Judgement::Mistake),
            100.. => Some(Judgement::Inaccuracy),
            _ => None,
        }
    }

    /// The numeric annotation glyph: `?!`, `?` or `??`.
    pub fn nag(self) -> u8 {
        match self {
            Judgement::Inaccuracy => 6,
            Judgement::Mistake => 2,
            Judgement::Blunder => 4,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "inaccuracy",
            Judgement::Mistake => "mistake",
            Judgement::Blunder => "blunder",
        }
    }
}

/// What a move was worth.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// After the move.
    pub eval: Eval,
    pub judgement: Option<Judgement>,
    /// In percent.
    pub accuracy: f64,
    pub centipawn_loss: i32,
}

/// The moves of one side.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    pub moves: usize,
    pub inaccuracies: usize,
    pub mistakes: usize,
    pub blunders: usize,
    /// In percent; none without a move.
    pub accuracy: Option<f64>,
    /// None without a move.
    pub average_centipawn_loss: Option<f64>,
}

/// Judges the moves of a game that was begun by `first`, given what was found before each and after
/// the last.
pub fn judge(first: Color, moves: &[Move], found: &[Found]) -> (Vec<Verdict>, ByColor<Summary>) {
    let mut turn = first;
    let mut verdicts = Vec::new();
    for (m, pair) in moves.iter().zip(found.windows(2)) {
        verdicts.push(verdict(turn, *m, &pair[0], &pair[1]));
        turn = !turn;
    }
    let summaries = ByColor::new_with(|side| {
        let is_theirs = |index: &usize| index.is_multiple_of(2) == (side == first);
        let indices: Vec<usize> = (0..verdicts.len()).filter(is_theirs).collect();
        summary(&indices, &verdicts, &weights(found))
    });
    (verdicts, summaries)
}

fn verdict(turn: Color, m: Move, before: &Found, after: &Found) -> Verdict {
    let (had, kept) = (before.score, -after.score);
    // The score after the best move may differ, since more was seen; no better move is known.
    let is_best = before
        .lines
        .first()
        .is_some_and(|best| best.moves.first() == Some(&m));
    let loss = |had: f64, kept: f64| if is_best { 0.0 } else { (had - kept).max(0.0) };
    let chances_lost = loss(chances(had), chances(kept));
    Verdict {
        eval: Eval::new(after.score, !turn),
        judgement: Judgement::of_loss(chances_lost),
        accuracy: accuracy(50.0 * chances_lost),
        centipawn_loss: loss(centipawns(had), centipawns(kept)) as i32,
    }
}

/// Winning chances, from -1 to 1, for whom the score counts.
/// <https://lichess.org/page/accuracy>
fn chances(score: Score) -> f64 {
    2.0 / (1.0 + (-0.003_682_08 * f64::from(score.normalised())).exp()) - 1.0
}

/// Expected points in percent, a draw counting half, for whom the score counts.
pub fn win_percent(score: Score) -> f64 {
    50.0 + 50.0 * chances(score)
}

/// For averages no score counts more than ten pawns.
fn centipawns(score: Score) -> f64 {
    f64::from(score.normalised().clamp(-1000, 1000))
}

/// Accuracy of a move in percent that lost so many percent of [`win_percent`].
/// <https://lichess.org/page/accuracy>
fn accuracy(lost: f64) -> f64 {
    (103.1668 * (-0.04354 * lost).exp() - 3.1669).clamp(0.0, 100.0)
}

/// How much each move counts: as much as the expected points change around it, because accuracy is
/// easy where nothing is at stake. Length of the windows and bounds of the weights are lichess's,
/// <https://github.com/lichess-org/lila/blob/master/modules/analyse/src/main/AccuracyPercent.scala>.
fn weights(found: &[Found]) -> Vec<f64> {
    // The side to move alternates; seen from one side only, the signs do.
    let percents: Vec<f64> = (found.iter().enumerate())
        .map(|(ply, found)| {
            let percent = win_percent(found.score);
            if ply.is_multiple_of(2) {
                percent
            } else {
                100.0 - percent
            }
        })
        .collect();
    let moves = percents.len().saturating_sub(1);
    let length = (moves / 10).clamp(2, 8).min(percents.len());
    (0..moves)
        .map(|index| {
            // The window ends with what the move led to.
            let end = (index + 2).max(length);
            standard_deviation(&percents[end - length..end]).clamp(0.5, 12.0)
        })
        .collect()
}

fn standard_deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (squares.sum::<f64>() / count).sqrt()
}

/// Accuracy is the average of the weighted and the harmonic mean of the moves, as lichess computes
/// it: the first looks at critical moments, the second does not forgive single blunders.
fn summary(indices: &[usize], verdicts: &[Verdict], weights: &[f64]) -> Summary {
    let moves = indices.len();
    if moves == 0 {
        return Summary::default();
    }
    let count = |judgement| {
        let judgements = indices
            .iter()
            .filter_map(|&index| verdicts[index].judgement);
        judgements.filter(|&judged| judged == judgement).count()
    };
    let sum = |value: &dyn Fn(usize) -> f64| indices.iter().map(|&index| value(index)).sum::<f64>();
    let weighted =
        sum(&|index| weights[index] * verdicts[index].accuracy) / sum(&|index| weights[index]);
    let harmonic = moves as f64 / sum(&|index| 1.0 / verdicts[index].accuracy);
    let losses = sum(&|index| f64::from(verdicts[index].centipawn_loss));
    Summary {
        moves,
        inaccuracies: count(Judgement::Inaccuracy),
        mistakes: count(Judgement::Mistake),
        blunders: count(Judgement::Blunder),
        accuracy: Some((weighted + harmonic) / 2.0),
        average_centipawn_loss: Some(losses / moves as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::analyse::eval::tests::shown;
    use crate::tools::analyse::evaluate::Best;
    use saavedra::board::{Position, parse_move};

    fn found(score: Score, best: &[Move]) -> Found {
        Found {
            score,
            depth: 1,
            lines: vec![Best {
                score,
                moves: best.to_vec(),
            }],
        }
    }

    fn e4_e5() -> [Move; 2] {
        let mut position = Position::startpos();
        ["e2e4", "e7e5"].map(|text| {
            let m = parse_move(&position, text).unwrap();
            position.play(m);
            m
        })
    }

    #[test]
    fn a_loss_of_chances_is_judged_by_its_size() {
        for (loss, judgement) in [
            (0.099, None),
            (0.1, Some(Judgement::Inaccuracy)),
            (0.199, Some(Judgement::Inaccuracy)),
            (0.2, Some(Judgement::Mistake)),
            (0.3, Some(Judgement::Blunder)),
            (2.0, Some(Judgement::Blunder)),
        ] {
            assert_eq!(Judgement::of_loss(loss), judgement, "{loss}");
        }
    }

    #[test]
    fn accuracy_falls_from_a_hundred_to_nothing() {
        assert!((accuracy(0.0) - 100.0).abs() < 0.001);
        assert!((accuracy(10.0) - 63.58).abs() < 0.01);
        assert_eq!(accuracy(100.0), 0.0);
        assert!((1..100).all(|lost| accuracy(f64::from(lost)) <= accuracy(f64::from(lost - 1))));
    }

    #[test]
    fn losses_are_the_movers_and_scores_are_whites() {
        // White gives a rook away and Black the win back: scores are the side to move's.
        let scores = [shown(20), shown(500), shown(10)];
        let found: Vec<Found> = scores.map(|score| found(score, &[])).to_vec();
        let (verdicts, summaries) = judge(Color::White, &e4_e5(), &found);
        assert_eq!(verdicts[0].eval, Eval::Cp(-500));
        assert_eq!(verdicts[1].eval, Eval::Cp(10));
        assert_eq!(verdicts[0].judgement, Some(Judgement::Blunder));
        assert_eq!(verdicts[1].judgement, Some(Judgement::Blunder));
        assert_eq!(verdicts[0].centipawn_loss, 520);
        assert_eq!(verdicts[1].centipawn_loss, 510);
        assert_eq!((summaries.white.moves, summaries.white.blunders), (1, 1));
        assert_eq!(summaries.black.average_centipawn_loss, Some(510.0));
    }

    #[test]
    fn the_best_move_loses_nothing_whatever_is_seen_later() {
        let moves = e4_e5();
        let found = [
            found(shown(300), &moves[..1]),
            found(shown(300), &[]),
            found(shown(-300), &[]),
        ];
        let (verdicts, summaries) = judge(Color::White, &moves, &found);
        assert_eq!(verdicts[0].judgement, None);
        assert_eq!(verdicts[0].centipawn_loss, 0);
        assert!(
            summaries
                .white
                .accuracy
                .is_some_and(|percent| percent > 99.9)
        );
    }

    #[test]
    fn a_longer_mate_is_no_mistake_and_a_lost_mate_is_one_only_if_it_was_the_win() {
        let moves = e4_e5();
        let after = |score| {
            let found = [found(Score::mate_in(3), &[]), found(score, &[])];
            judge(Color::White, &moves[..1], &found).0[0].judgement
        };
        assert_eq!(after(Score::mated_in(8)), None);
        assert_eq!(after(shown(-900)), None);
        assert_eq!(after(shown(0)), Some(Judgement::Blunder));
    }

    #[test]
    fn a_side_without_moves_has_no_accuracy() {
        let found = [found(shown(0), &[]), found(shown(0), &[])];
        let (_, summaries) = judge(Color::Black, &e4_e5()[..1], &found);
        assert_eq!(summaries.white.accuracy, None);
        assert_eq!(summaries.black.moves, 1);
        let (verdicts, summaries) = judge(Color::White, &[], &[]);
        assert!(verdicts.is_empty());
        assert_eq!(summaries.white.moves, 0);
    }

    #[test]
    fn critical_moves_count_more() {
        let score = |centipawns| found(shown(centipawns), &[]);
        let even: Vec<Found> = (0..30).map(|_| score(0)).collect();
        assert!(weights(&even).iter().all(|&weight| weight == 0.5));
        let mut swing = even;
        swing[20] = score(400);
        let weights = weights(&swing);
        assert_eq!(weights.len(), 29);
        assert_eq!(weights[5], 0.5);
        assert_eq!(weights[19], 12.0);
    }
}
