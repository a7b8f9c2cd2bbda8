//! The network while it learns: in floating point, with its gradient.
//!
//! All sums are made in a fixed order in every build, so the same training gives the same network on
//! every machine.

use fastrand::Rng;
use multiversion::multiversion;
use saavedra::eval::nnue::Network;
use saavedra::eval::nnue::features::{FEATURES, largest_weights};
use saavedra::eval::nnue::format::{NEURON_LIMIT, QA, QB, SHIFT, blocks};

use super::dataset::{Input, Sample};

/// Neurons that are computed together, in registers.
const LANES: usize = 64;

/// An output bias of 1 in whole numbers.
const BIAS_ONE: f32 = (QA * QA) as f32 * QB as f32 / (1 << SHIFT) as f32;

/// Keeps the sums of output weights, in networks so far at most 81, far from the 134 at which they would
/// overflow.
const OUTPUT_LIMIT: f32 = 0.98;

/// What a network looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    pub hidden: usize,
    pub buckets: usize,
    pub mirrored: bool,
    /// Centipawns of an output of 1.
    pub scale: i32,
}

impl Shape {
    /// Feature weights, feature biases, output weights, output biases.
    fn parts(&self) -> [usize; 4] {
        let Shape {
            hidden, buckets, ..
        } = *self;
        [FEATURES * hidden, hidden, buckets * 2 * hidden, buckets]
    }

    /// Number of parameters.
    pub fn len(&self) -> usize {
        self.parts().iter().sum()
    }

    /// The four parts of all parameters.
    fn split<'p>(&self, parameters: &'p [f32]) -> [&'p [f32]; 4] {
        let mut rest = parameters;
        self.parts().map(|len| {
            let (part, tail) = rest.split_at(len);
            rest = tail;
            part
        })
    }

    fn split_mut<'p>(&self, parameters: &'p mut [f32]) -> [&'p mut [f32]; 4] {
        let mut rest = parameters;
        self.parts().map(|len| {
            let (part, tail) = std::mem::take(&mut rest).split_at_mut(len);
            rest = tail;
            part
        })
    }

    /// Parameters to begin with.
    pub fn draw(&self, rng: &mut Rng) -> Vec<f32> {
        let mut parameters = vec![0.0; self.len()];
        let [feature_weights, _, output_weights, _] = self.split_mut(&mut parameters);
        // About 32 features are on, and 2 H neurons.
        let limits = [1.0 / 32.0, 1.0 / (2.0 * self.hidden as f32)].map(f32::sqrt);
        for (part, limit) in [feature_weights, output_weights].into_iter().zip(limits) {
            part.fill_with(|| limit * (2.0 * rng.f32() - 1.0));
        }
        parameters
    }

    /// That of a network.
    pub fn of(network: &Network) -> Shape {
        Shape {
            hidden: network.hidden,
            buckets: network.buckets,
            mirrored: network.mirrored,
            scale: network.scale,
        }
    }

    /// The parameters of a network of this shape: the opposite of [`Shape::quantise`].
    fn parameters(&self, network: &Network) -> Vec<f32> {
        let mut parameters = vec![0.0; self.len()];
        let [
            feature_weights,
            feature_biases,
            output_weights,
            output_biases,
        ] = self.split_mut(&mut parameters);
        for (part, blocks, one) in [
            (feature_weights, &network.feature_weights, QA),
            (feature_biases, &network.feature_biases, QA),
            (output_weights, &network.output_weights, QB),
        ] {
            let shorts = blocks.iter().flat_map(|block| block.0);
            for (parameter, short) in part.iter_mut().zip(shorts) {
                *parameter = f32::from(short) / one as f32;
            }
        }
        for (parameter, bias) in output_biases.iter_mut().zip(&network.output_biases) {
            *parameter = *bias as f32 / BIAS_ONE;
        }
        parameters
    }

    /// Whether a network of this shape has room for all that one of `other` knows.
    pub fn holds(&self, other: &Shape) -> bool {
        self.hidden >= other.hidden && self.buckets.is_multiple_of(other.buckets)
    }

    /// Parameters that evaluate as `network` does, which this shape holds. What is new begins at random
    /// and counts for nothing yet; a bucket that is divided goes on in all its parts.
    pub fn grown(&self, network: &Network, rng: &mut Rng) -> Vec<f32> {
        let small = Shape::of(network);
        let known = small.parameters(network);
        let known = small.split(&known);
        let mut parameters = self.draw(rng);
        let [
            feature_weights,
            feature_biases,
            output_weights,
            output_biases,
        ] = self.split_mut(&mut parameters);
        output_weights.fill(0.0);
        let copy_rows = |part: &mut [f32], known: &[f32]| {
            let rows = part.chunks_exact_mut(self.hidden);
            for (row, known) in rows.zip(known.chunks_exact(small.hidden)) {
                row[..small.hidden].copy_from_slice(known);
            }
        };
        copy_rows(feature_weights, known[0]);
        copy_rows(feature_biases, known[1]);
        let buckets = output_weights.chunks_exact_mut(2 * self.hidden);
        for (bucket, (weights, bias)) in buckets.zip(output_biases).enumerate() {
            let origin = bucket * small.buckets / self.buckets;
            copy_rows(weights, &known[2][2 * origin * small.hidden..]);
            *bias = known[3][origin];
        }
        parameters
    }

    /// Moves weights back to where whole numbers have room for all that men add up.
    pub fn clamp(&self, parameters: &mut [f32]) {
        let [feature_weights, feature_biases, output_weights, _] = self.split_mut(parameters);
        let weight = |feature, neuron| feature_weights[feature * self.hidden + neuron];
        let limits: Vec<f32> = (largest_weights(self.hidden, weight).zip(&*feature_biases))
            .map(|(weights, bias)| largest_summand(&weights, NEURON_LIMIT - bias.abs()))
            .collect();
        for row in feature_weights.chunks_exact_mut(self.hidden) {
            for (weight, limit) in row.iter_mut().zip(&limits) {
                *weight = weight.clamp(-limit, *limit);
            }
        }
        for weight in output_weights {
            *weight = weight.clamp(-OUTPUT_LIMIT, OUTPUT_LIMIT);
        }
    }

    /// The network in whole numbers.
    pub fn quantise(&self, parameters: &[f32], note: String) -> Network {
        let [
            feature_weights,
            feature_biases,
            output_weights,
            output_biases,
        ] = self.split(parameters);
        let shorts = |part: &[f32], one: i32| {
            blocks(
                part.iter()
                    .map(|weight| (weight * one as f32).round() as i16),
            )
        };
        Network {
            hidden: self.hidden,
            buckets: self.buckets,
            mirrored: self.mirrored,
            scale: self.scale,
            note,
            feature_weights: shorts(feature_weights, QA),
            feature_biases: shorts(feature_biases, QA),
            output_weights: shorts(output_weights, QB),
            output_biases: (output_biases.iter())
                .map(|bias| (bias * BIAS_ONE).round() as i32)
                .collect(),
        }
    }
}

/// What numbers in rising order must be cut down to for their sum to be no more than `sum`.
fn largest_summand(numbers: &[f32], sum: f32) -> f32 {
    let mut rest = sum.max(0.0);
    for (index, number) in numbers.iter().enumerate() {
        let share = rest / (numbers.len() - index) as f32;
        if share < *number {
            return share;
        }
        rest -= number;
    }
    f32::INFINITY
}

/// The share of the point that an output stands for.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Room for the computation of one position after the other.
pub struct Scratch {
    input: Input,
    /// First layers of ours and theirs.
    layers: [Vec<f32>; 2],
    /// What the loss changes by with each neuron of a layer.
    slopes: Vec<f32>,
}

impl Scratch {
    pub fn new(shape: &Shape) -> Scratch {
        Scratch {
            input: Input {
                ours: Vec::with_capacity(32),
                theirs: Vec::with_capacity(32),
                bucket: 0,
            },
            layers: [(); 2].map(|()| vec![0.0; shape.hidden]),
            slopes: vec![0.0; shape.hidden],
        }
    }

    /// The output of the network for a position.
    pub fn forward(&mut self, shape: &Shape, parameters: &[f32], sample: &Sample) -> f32 {
        sample.read(shape.mirrored, shape.buckets, &mut self.input);
        let [
            feature_weights,
            feature_biases,
            output_weights,
            output_biases,
        ] = shape.split(parameters);
        let bucket = self.input.bucket;
        let size = 2 * shape.hidden;
        let weights = output_weights[bucket * size..][..size].split_at(shape.hidden);
        let mut output = output_biases[bucket];
        let features = [&self.input.ours, &self.input.theirs];
        let weights = <[&[f32]; 2]>::from(weights);
        for ((layer, features), weights) in self.layers.iter_mut().zip(features).zip(weights) {
            first_layer(layer, feature_weights, feature_biases, features);
            output += second_layer(layer, weights);
        }
        output
    }

    /// Adds to `gradient` how the squared error of a position changes with each parameter. Returns
    /// the squared error.
    pub fn learn(
        &mut self,
        shape: &Shape,
        parameters: &[f32],
        gradient: &mut [f32],
        sample: &Sample,
    ) -> f32 {
        let estimate = sigmoid(self.forward(shape, parameters, sample));
        let error = estimate - sample.label;
        let slope = 2.0 * error * estimate * (1.0 - estimate);
        let [_, _, output_weights, _] = shape.split(parameters);
        let [to_features, to_biases, to_output, to_output_biases] = shape.split_mut(gradient);
        let (bucket, hidden) = (self.input.bucket, shape.hidden);
        to_output_biases[bucket] += slope;
        for (index, features) in [&self.input.ours, &self.input.theirs]
            .into_iter()
            .enumerate()
        {
            let at = (2 * bucket + index) * hidden;
            backward(
                slope,
                &self.layers[index],
                &output_weights[at..][..hidden],
                &mut to_output[at..][..hidden],
                &mut self.slopes,
            );
            spread(&self.slopes, to_features, to_biases, features);
        }
        error * error
    }
}

/// Sums the weights of the features that are on.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn first_layer(layer: &mut [f32], weights: &[f32], biases: &[f32], features: &[usize]) {
    let hidden = layer.len();
    for at in (0..hidden).step_by(LANES) {
        let mut sum = [0.0; LANES];
        sum.copy_from_slice(&biases[at..][..LANES]);
        for feature in features {
            let row = &weights[feature * hidden + at..][..LANES];
            for (sum, weight) in sum.iter_mut().zip(row) {
                *sum += weight;
            }
        }
        layer[at..][..LANES].copy_from_slice(&sum);
    }
}

/// Weighs the squared clipped neurons.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn second_layer(layer: &[f32], weights: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    for (layer, weights) in layer.chunks_exact(LANES).zip(weights.chunks_exact(LANES)) {
        for ((sum, neuron), weight) in sums.iter_mut().zip(layer).zip(weights) {
            let clipped = neuron.clamp(0.0, 1.0);
            *sum += clipped * clipped * weight;
        }
    }
    sums.iter().sum()
}

/// Carries the slope of the output back to the second layer's weights and the first layer's neurons.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn backward(
    slope: f32,
    layer: &[f32],
    weights: &[f32],
    to_weights: &mut [f32],
    to_neurons: &mut [f32],
) {
    for index in 0..layer
        .len()
        .min(weights.len())
        .min(to_weights.len())
        .min(to_neurons.len())
    {
        let neuron = layer[index];
        let clipped = neuron.clamp(0.0, 1.0);
        to_weights[index] += slope * clipped * clipped;
        let is_open = neuron > 0.0 && neuron < 1.0;
        to_neurons[index] = if is_open {
            slope * weights[index] * 2.0 * neuron
        } else {
            0.0
        };
    }
}

/// Adds the slopes of the neurons to those of the weights that led to them.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn spread(slopes: &[f32], to_weights: &mut [f32], to_biases: &mut [f32], features: &[usize]) {
    let hidden = slopes.len();
    for feature in features {
        let row = &mut to_weights[feature * hidden..][..hidden];
        for (to, slope) in row.iter_mut().zip(slopes) {
            *to += slope;
        }
    }
    for (to, slope) in to_biases.iter_mut().zip(slopes) {
        *to += slope;
    }
}

/// AdamW for a part of the parameters.
pub struct Step {
    /// Learning rate.
    pub rate: f32,
    /// Steps made, this one included.
    pub number: i32,
    /// Positions of the batch.
    pub batch: usize,
}

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

const DECAY: f32 = 0.01;

impl Step {
    /// Moves parameters against the sum of `gradients`. <https://arxiv.org/abs/1711.05101>
    pub fn apply(
        &self,
        parameters: &mut [f32],
        momenta: &mut [f32],
        squares: &mut [f32],
        gradients: &[&[f32]],
    ) {
        let unbias1 = 1.0 / (1.0 - BETA1.powi(self.number));
        let unbias2 = 1.0 / (1.0 - BETA2.powi(self.number));
        let share = 1.0 / self.batch as f32;
        for (index, parameter) in parameters.iter_mut().enumerate() {
            let sum: f32 = gradients.iter().map(|gradient| gradient[index]).sum();
            let slope = sum * share;
            let momentum = &mut momenta[index];
            let square = &mut squares[index];
            *momentum = BETA1 * *momentum + (1.0 - BETA1) * slope;
            *square = BETA2 * *square + (1.0 - BETA2) * slope * slope;
            let step = *momentum * unbias1 / ((*square * unbias2).sqrt() + EPSILON);
            *parameter -= self.rate * (step + DECAY * *parameter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saavedra::board::Position;

    const SMALL: Shape = Shape {
        hidden: 64,
        buckets: 2,
        mirrored: true,
        scale: 400,
    };

    fn samples() -> Vec<Sample> {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        ];
        let sample = |fen| Sample::new(&Position::from_fen(fen).unwrap(), 0.68);
        fens.into_iter().map(sample).collect()
    }

    #[test]
    fn a_sum_is_shared_out() {
        assert_eq!(largest_summand(&[1.0, 2.0, 3.0], 6.0), f32::INFINITY);
        assert_eq!(largest_summand(&[1.0, 2.0, 3.0], 5.0), 2.0);
        assert_eq!(largest_summand(&[1.0, 2.0, 3.0], 2.0), 2.0 / 3.0);
        assert_eq!(largest_summand(&[1.0], -1.0), 0.0);
    }

    #[test]
    fn a_clamped_network_can_be_used_and_keeps_what_had_room() {
        let shape = SMALL;
        let mut parameters = shape.draw(&mut Rng::with_seed(5));
        let drawn = parameters.clone();
        shape.clamp(&mut parameters);
        assert_eq!(parameters, drawn);
        for weight in parameters[..FEATURES * shape.hidden]
            .iter_mut()
            .step_by(shape.hidden)
        {
            *weight *= 20.0;
        }
        let usable = |parameters: &[f32]| {
            let network = shape.quantise(parameters, String::new());
            Network::from_bytes(&network.to_bytes()).is_ok()
        };
        assert!(!usable(&parameters));
        shape.clamp(&mut parameters);
        assert!(usable(&parameters));
        assert_eq!(parameters[1..shape.hidden], drawn[1..shape.hidden]);
    }

    #[test]
    fn the_gradient_is_what_finite_differences_say() {
        let shape = SMALL;
        let mut parameters = shape.draw(&mut Rng::with_seed(4));
        let mut scratch = Scratch::new(&shape);
        for sample in &samples() {
            let mut gradient = vec![0.0; shape.len()];
            scratch.learn(&shape, &parameters, &mut gradient, sample);
            let mut loss = |parameters: &[f32]| {
                let output = scratch.forward(&shape, parameters, sample);
                (sigmoid(output) - sample.label).powi(2)
            };
            let changing: Vec<usize> = (0..shape.len()).filter(|&i| gradient[i] != 0.0).collect();
            assert!(changing.len() > 300);
            let step = 1e-3;
            for &index in changing.iter().step_by(37) {
                let original = parameters[index];
                parameters[index] = original + step;
                let above = loss(&parameters);
                parameters[index] = original - step;
                let below = loss(&parameters);
                parameters[index] = original;
                let slope = (above - below) / (2.0 * step);
                let error = (slope - gradient[index]).abs();
                assert!(
                    error < 1e-3 + 0.05 * slope.abs(),
                    "{index}: {slope} {}",
                    gradient[index]
                );
            }
        }
    }
}
