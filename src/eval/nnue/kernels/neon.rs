//! The output kernel for 64-bit ARM, of which NEON is a part. Updates need none: the compiler makes the
//! same of the portable one.

use std::arch::aarch64::*;

use super::{BLOCK, Block};
use crate::eval::nnue::format::QA;

const LANES: usize = 8;

#[allow(unsafe_code)]
pub fn output(neurons: &[Block], weights: &[Block]) -> i32 {
    // SAFETY: NEON is part of every aarch64; each load stays inside its block.
    unsafe {
        let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
        let mut sum = vdupq_n_s32(0);
        for (neurons, weights) in neurons.iter().zip(weights) {
            for at in (0..BLOCK).step_by(LANES) {
                let neurons = vld1q_s16(neurons.0.as_ptr().add(at));
                let weights = vld1q_s16(weights.0.as_ptr().add(at));
                let clipped = vminq_s16(vmaxq_s16(neurons, zero), one);
                let product = vmulq_s16(clipped, weights);
                sum = vmlal_s16(sum, vget_low_s16(product), vget_low_s16(clipped));
                sum = vmlal_high_s16(sum, product, clipped);
            }
        }
        vaddvq_s32(sum)
    }
}
