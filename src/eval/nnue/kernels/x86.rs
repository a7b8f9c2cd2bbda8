//! Kernels for x86-64 processors with AVX2 or AVX-512.

use std::arch::x86_64::*;

use super::{Block, portable};
use crate::eval::nnue::format::{QA, SHIFT};

/// The high half of a product of numbers shifted by this is the product shifted by [`SHIFT`].
const UP: u32 = (16 - SHIFT) / 2;

#[target_feature(enable = "avx512f,avx512bw")]
pub fn update_avx512<const ADDED: usize, const REMOVED: usize>(
    to: &mut [Block],
    from: &[Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    portable::update(to, from, added, removed);
}

#[target_feature(enable = "avx2")]
pub fn update_avx2<const ADDED: usize, const REMOVED: usize>(
    to: &mut [Block],
    from: &[Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    portable::update(to, from, added, removed);
}

#[target_feature(enable = "avx512f,avx512bw")]
#[allow(unsafe_code)]
pub fn output_avx512(neurons: &[Block], weights: &[Block]) -> i32 {
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let mut sum = zero;
    for (neurons, weights) in neurons.iter().zip(weights) {
        // SAFETY: a block is 64 bytes on a 64-byte boundary.
        let (neurons, weights) = unsafe {
            (
                _mm512_load_si512(neurons.0.as_ptr().cast()),
                _mm512_load_si512(weights.0.as_ptr().cast()),
            )
        };
        let clipped = _mm512_min_epi16(_mm512_max_epi16(neurons, zero), one);
        let shifted = _mm512_slli_epi16::<UP>(clipped);
        let squared = _mm512_mulhi_epi16(shifted, shifted);
        sum = _mm512_add_epi32(sum, _mm512_madd_epi16(squared, weights));
    }
    _mm512_reduce_add_epi32(sum)
}

#[target_feature(enable = "avx2")]
#[allow(unsafe_code)]
pub fn output_avx2(neurons: &[Block], weights: &[Block]) -> i32 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let mut sum = zero;
    for (neurons, weights) in neurons.iter().zip(weights) {
        for half in 0..2 {
            // SAFETY: a block is two halves of 32 bytes on a 64-byte boundary.
            let (neurons, weights) = unsafe {
                (
                    _mm256_load_si256(neurons.0.as_ptr().cast::<__m256i>().add(half)),
                    _mm256_load_si256(weights.0.as_ptr().cast::<__m256i>().add(half)),
                )
            };
            let clipped = _mm256_min_epi16(_mm256_max_epi16(neurons, zero), one);
            let shifted = _mm256_slli_epi16::<{ UP as i32 }>(clipped);
            let squared = _mm256_mulhi_epi16(shifted, shifted);
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(squared, weights));
        }
    }
    let sum = _mm_add_epi32(
        _mm256_castsi256_si128(sum),
        _mm256_extracti128_si256::<1>(sum),
    );
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b_01_00_11_10>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b_10_11_00_01>(sum));
    _mm_cvtsi128_si32(sum)
}
