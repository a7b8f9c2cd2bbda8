//! Plain code, for processors without a kernel of their own, and inlined into those with one.

use super::{BLOCK, Block};
use crate::eval::nnue::format::{QA, SHIFT};

#[inline(always)]
pub fn update<const ADDED: usize, const REMOVED: usize>(
    to: &mut [Block],
    from: &[Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    // Slices of one length, so that the loop needs no bounds checks.
    let added = added.map(|row| &row[..to.len()]);
    let removed = removed.map(|row| &row[..to.len()]);
    let from = &from[..to.len()];
    for (index, to) in to.iter_mut().enumerate() {
        let mut block = from[index].0;
        for row in added {
            for (neuron, weight) in block.iter_mut().zip(row[index].0) {
                *neuron = neuron.wrapping_add(weight);
            }
        }
        for row in removed {
            for (neuron, weight) in block.iter_mut().zip(row[index].0) {
                *neuron = neuron.wrapping_sub(weight);
            }
        }
        to.0 = block;
    }
}

pub fn output(neurons: &[Block], weights: &[Block]) -> i32 {
    let mut sum = [0i32; BLOCK];
    for (neurons, weights) in neurons.iter().zip(weights) {
        for (index, sum) in sum.iter_mut().enumerate() {
            let neuron = i32::from(neurons.0[index].clamp(0, QA as i16));
            *sum += ((neuron * neuron) >> SHIFT) * i32::from(weights.0[index]);
        }
    }
    sum.into_iter().sum()
}
