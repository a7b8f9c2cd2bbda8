//! The output kernel for 64-bit ARM, of which NEON is a part. Updates need none: the compiler makes the
//! same of the portable one.

use std::arch::aarch64::*;

use super::{BLOCK, Block};
use crate::eval::nnue::format::{QA, SHIFT};

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
                let low = vmull_s16(vget_low_s16(clipped), vget_low_s16(clipped));
                let high = vmull_high_s16(clipped, clipped);
                let squared = vcombine_s16(
                    vshrn_n_s32::<{ SHIFT as i32 }>(low),
                    vshrn_n_s32::<{ SHIFT as i32 }>(high),
                );
                sum = vmlal_s16(sum, vget_low_s16(squared), vget_low_s16(weights));
                sum = vmlal_high_s16(sum, squared, weights);
            }
        }
        vaddvq_s32(sum)
    }
}
