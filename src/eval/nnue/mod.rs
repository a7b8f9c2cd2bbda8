//! The network: (768 → H) × 2 → 1, efficiently updated.
//!
//! Each side's view of the board goes through the same first layer; the outputs of both, squared and
//! clipped, are weighed by the second. `features` says what the input is, `format` what a file holds,
//! `accumulator` keeps the first layer up to date along a line, `kernels` does the arithmetic.

pub mod accumulator;
pub mod features;
pub mod format;
pub mod kernels;

pub use accumulator::Accumulators;
pub use format::{FormatError, Network};
