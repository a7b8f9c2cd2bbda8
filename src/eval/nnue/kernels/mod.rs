//! The arithmetic of the network, in the widest registers that the processor has.
//!
//! Every kernel gives the same result to the bit, because integer addition does not care for order.

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Neurons of a [`Block`].
pub const BLOCK: usize = 32;

/// So many neurons as lie on one cache line. Layers are slices of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Block(pub [i16; BLOCK]);

impl Block {
    /// Nothing.
    pub const ZERO: Block = Block([0; BLOCK]);
}

/// Registers that kernels are written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kernel {
    /// 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 128 bits; part of every 64-bit ARM.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// What the compiler makes of plain code.
    Portable,
}

impl Kernel {
    /// All that this processor can run, the best first.
    pub fn available() -> Vec<Kernel> {
        let all = [
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx512, is_x86_feature_detected!("avx512bw")),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx2, is_x86_feature_detected!("avx2")),
            #[cfg(target_arch = "aarch64")]
            (Kernel::Neon, true),
            (Kernel::Portable, true),
        ];
        let runs = |(kernel, runs): (Kernel, bool)| runs.then_some(kernel);
        all.into_iter().filter_map(runs).collect()
    }

    /// The best that this processor can run.
    pub fn best() -> Kernel {
        Kernel::available()[0]
    }

    /// Writes `from` with some rows added and others subtracted to `to`.
    #[allow(unsafe_code)]
    pub fn update<const ADDED: usize, const REMOVED: usize>(
        self,
        to: &mut [Block],
        from: &[Block],
        added: [&[Block]; ADDED],
        removed: [&[Block]; REMOVED],
    ) {
        match self {
            // SAFETY: there is no other way to this variant than `available`, which asked the processor.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => unsafe { x86::update_avx512(to, from, added, removed) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { x86::update_avx2(to, from, added, removed) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => portable::update(to, from, added, removed),
            Kernel::Portable => portable::update(to, from, added, removed),
        }
    }

    /// The sum over both halves of squared clipped neurons times weights; `weights` begin with ours.
    #[allow(unsafe_code)]
    pub fn output(self, ours: &[Block], theirs: &[Block], weights: &[Block]) -> i32 {
        let (for_ours, for_theirs) = weights.split_at(ours.len());
        let half = |neurons: &[Block], weights: &[Block]| match self {
            // SAFETY: as in `update`.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => unsafe { x86::output_avx512(neurons, weights) },
            // SAFETY: as in `update`.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { x86::output_avx2(neurons, weights) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => neon::output(neurons, weights),
            Kernel::Portable => portable::output(neurons, weights),
        };
        half(ours, for_ours) + half(theirs, for_theirs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    fn draw(rng: &mut Rng, blocks: usize, limit: i16) -> Vec<Block> {
        let mut block = || Block(std::array::from_fn(|_| rng.i16(-limit..=limit)));
        (0..blocks).map(|_| block()).collect()
    }

    #[test]
    fn every_kernel_gives_the_same_to_the_bit() {
        let mut rng = Rng::with_seed(8);
        for blocks in [1, 4, 8, 32] {
            let [from, a, b, c, d] = [0; 5].map(|_| draw(&mut rng, blocks, 4000));
            let weights = draw(&mut rng, 2 * blocks, 250);
            let results: Vec<_> = Kernel::available()
                .into_iter()
                .map(|kernel| {
                    let mut to = [(); 3].map(|()| vec![Block::ZERO; blocks]);
                    kernel.update(&mut to[0], &from, [&a], [&b]);
                    kernel.update(&mut to[1], &from, [&a], [&b, &c]);
                    kernel.update(&mut to[2], &from, [&a, &d], [&b, &c]);
                    let output = kernel.output(&to[0], &to[1], &weights);
                    (to, output)
                })
                .collect();
            assert!(results.iter().all(|result| *result == results[0]));
        }
    }

    #[test]
    fn the_output_is_what_its_formula_says() {
        let mut rng = Rng::with_seed(9);
        let [ours, theirs] = [0; 2].map(|_| draw(&mut rng, 2, 3000));
        let weights = draw(&mut rng, 4, 2000);
        let neurons = ours.iter().chain(&theirs).flat_map(|block| block.0);
        let expected: i32 = neurons
            .zip(weights.iter().flat_map(|block| block.0))
            .map(|(neuron, weight)| {
                (i32::from(neuron.clamp(0, 2000)).pow(2) / 256) * i32::from(weight)
            })
            .sum();
        assert_eq!(Kernel::best().output(&ours, &theirs, &weights), expected);
    }
}
