//! Labels: what the positions of a game should be worth to the network.
//!
//! The score of a short search is wrong wherever something happens beyond its horizon, but the scores of
//! the next positions of the game tell. So a label is a mean of the scores from its position on, each weighed
//! by λ times the weight of the one before it, with the result of the game at the end: TD(λ).
//! <https://www.chessprogramming.org/Temporal_Difference_Learning>

use serde::{Deserialize, Serialize};

use super::model::sigmoid;
use crate::tools::data::viriformat::GameRecord;

/// How the games are read.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Labels {
    /// How much each following score counts compared with the one before it, from 0 to 1.
    pub lambda: f32,
    /// How much the result counts besides, from 0 to 1.
    pub result_weight: f32,
    /// Centipawns at which the expected score is 73 %.
    pub scale: f32,
}

impl Labels {
    /// The label of each ply: White's share of the point.
    pub fn of(&self, game: &GameRecord) -> Vec<f32> {
        let result = game.result as u8 as f32 / 2.0;
        let mix = |value: f32, other: f32, weight: f32| value + weight * (other - value);
        let mut labels = vec![0.0; game.plies.len()];
        let mut ahead = result;
        for (label, ply) in labels.iter_mut().zip(&game.plies).rev() {
            ahead = mix(
                sigmoid(f32::from(ply.score) / self.scale),
                ahead,
                self.lambda,
            );
            *label = mix(ahead, result, self.result_weight);
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::data::viriformat::{GameResult, Ply};
    use saavedra::board::Position;

    fn labels(lambda: f32, result_weight: f32) -> Vec<f32> {
        let start = Position::startpos();
        let m = start.legal_moves()[0];
        let scores = [0, 400, -400];
        let labels = Labels {
            lambda,
            result_weight,
            scale: 400.0,
        };
        labels.of(&GameRecord {
            start,
            plies: scores.map(|score| Ply { m, score }).to_vec(),
            result: GameResult::WhiteWins,
        })
    }

    #[test]
    fn a_label_looks_ahead_as_far_as_lambda_says() {
        let won = sigmoid(1.0);
        let near = |label: f32, wanted: f32| (label - wanted).abs() < 1e-6;
        let alone = labels(0.0, 0.0);
        assert!(near(alone[0], 0.5) && near(alone[1], won) && near(alone[2], 1.0 - won));
        let half = labels(0.5, 0.0);
        assert!(near(half[2], (1.0 - won) / 2.0 + 0.5));
        assert!(near(half[1], (won + half[2]) / 2.0));
        assert!(near(half[0], (0.5 + half[1]) / 2.0));
        assert!(labels(1.0, 0.0).iter().all(|&label| near(label, 1.0)));
        assert!(labels(0.0, 1.0).iter().all(|&label| near(label, 1.0)));
        assert!(near(labels(0.0, 0.5)[0], 0.75));
    }
}
