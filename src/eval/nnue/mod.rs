//! The network: (768 → H) × 2 → 1, efficiently updated.
//!
//! Each side's view of the board goes through the same first layer; the outputs of both, squared and
//! clipped, are weighed by the second. `features` says what the input is, `format` what a file holds,
//! `accumulator` keeps the first layer up to date along a line, `kernels` does the arithmetic.

pub mod accumulator;
pub mod features;
pub mod format;
pub mod kernels;

use std::sync::{Arc, LazyLock};

pub use accumulator::Accumulators;
pub use format::{FormatError, LoadError, Network};
use shakmaty::{Board, Color};

use crate::score::Score;
use features::{View, bucket};
use format::{QA, QB, SHIFT};
use kernels::{Block, Kernel};

impl Network {
    /// The network that was built in.
    pub fn builtin() -> Arc<Network> {
        static BUILTIN: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let network = Network::from_bytes(include_bytes!(env!("EVALFILE")));
            Arc::new(network.expect("the network that was built in is sound"))
        });
        Arc::clone(&BUILTIN)
    }

    /// The value of a board for the side to move in centipawns, computed from scratch.
    pub fn evaluate(&self, board: &Board, turn: Color) -> Score {
        let layers = [turn, !turn].map(|side| {
            let view = View::of(board, side, self.mirrored);
            let mut layer = self.feature_biases.clone();
            for (square, piece) in board.clone() {
                let before = layer.clone();
                let row = self.row(view.feature(square, piece));
                Kernel::Portable.update(&mut layer, &before, [row], []);
            }
            layer
        });
        self.output(Kernel::Portable, [&layers[0], &layers[1]], board)
    }

    /// The weights from a feature to every neuron.
    fn row(&self, feature: usize) -> &[Block] {
        let blocks = self.feature_biases.len();
        &self.feature_weights[feature * blocks..][..blocks]
    }

    /// The second layer, from the first of the side to move and of the other.
    fn output(&self, kernel: Kernel, [ours, theirs]: [&[Block]; 2], board: &Board) -> Score {
        let bucket = bucket(board.occupied().count(), self.buckets);
        let size = 2 * self.feature_biases.len();
        let weights = &self.output_weights[bucket * size..][..size];
        let sum = kernel.output(ours, theirs, weights);
        let output = i64::from(sum) + i64::from(self.output_biases[bucket]);
        let one = (i64::from(QA * QA) * i64::from(QB)) >> SHIFT;
        Score::eval((output * i64::from(self.scale) / one) as i32)
    }
}
