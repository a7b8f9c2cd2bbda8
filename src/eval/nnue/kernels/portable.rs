//! Plain code, for processors without a kernel of their own, and inlined into those with one.

use super::{BLOCK, Block};
use crate::eval::nnue::format::QA;

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
            let neuron = neurons.0[index].clamp(0, QA as i16);
            // Both factors fit 16 bits by the limit on the weights.
            let product = neuron.wrapping_mul(weights.0[index]);
            *sum = sum.wrapping_add(i32::from(product) * i32::from(neuron));
        }
    }
    sum.into_iter().fold(0, i32::wrapping_add)
}
