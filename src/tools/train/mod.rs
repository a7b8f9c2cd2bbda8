//! `saavedra train`: fits a network to the positions of training data, on the processor.
//!
//! `labels` says what positions should be worth, `dataset` holds them, `model` the network while it
//! learns, `checkpoint` saves it between epochs, `chart` draws the losses. This file goes through the
//! epochs and reports.

mod chart;
mod checkpoint;
mod dataset;
mod labels;
mod model;

use std::f32::consts::PI;
use std::io::Write;
use std::time::Instant;

use anyhow::{Context, ensure};
use fastrand::Rng;
use rayon::ThreadPool;
use rayon::prelude::*;
use saavedra::eval::nnue::{Accumulators, Network};

use super::progress::Progress;
use super::{appended, is_same_file, note, threads};
use crate::cli::Train;
use chart::Loss;
use checkpoint::{Checkpoint, Settings};
use dataset::{Dataset, Sample, VALIDATION_GAMES};
use labels::Labels;
use model::{Scratch, Shape, Step};

/// Positions on which the error of rounding is measured.
const QUANTISATION_SAMPLES: usize = 10_000;
/// Parameters that one task updates.
const UPDATE_PART: usize = 16_384;

pub fn run(args: &Train) -> anyhow::Result<()> {
    ensure!(
        args.hidden.is_none_or(|hidden| hidden.is_multiple_of(64)),
        "--hidden must be a multiple of 64"
    );
    let [checkpoint_path, csv_path, svg_path] =
        [".checkpoint", ".csv", ".svg"].map(|end| appended(&args.out, end));
    for path in [&args.out, &checkpoint_path, &csv_path, &svg_path] {
        ensure!(
            args.resume || !path.exists(),
            "{} exists already; choose another --out, or --resume a training",
            path.display()
        );
        ensure!(!path.is_dir(), "{} is a folder", path.display());
        ensure!(
            !args.data.iter().any(|data| is_same_file(data, path)),
            "{} is read and would be written",
            path.display()
        );
    }
    let known = (args.init.as_ref())
        .map(|path| Network::read(path).with_context(|| format!("--init {}", path.display())))
        .transpose()?;
    let shape = chosen_shape(args, known.as_ref())?;
    let labels = Labels {
        lambda: args.lambda,
        result_weight: args.result_weight,
        scale: shape.scale as f32,
    };
    let started = Instant::now();
    let mut dataset = Dataset::default();
    for path in &args.data {
        dataset.add(path, &labels)?;
    }
    let [training, validation] = [&dataset.training, &dataset.validation];
    ensure!(
        !training.is_empty() && !validation.is_empty(),
        "too few games: one in {VALIDATION_GAMES} is kept aside to judge by, and both parts need positions"
    );
    note(format_args!(
        "{} positions to learn from and {} to judge by, of {} games, read in {:.1?}",
        training.len(),
        validation.len(),
        dataset.games,
        started.elapsed()
    ));
    let settings = Settings {
        shape,
        labels,
        epochs: args.epochs,
        batch: args.batch as usize,
        rate: args.rate,
        final_rate: args.final_rate,
        seed: args.seed,
        positions: training.len(),
    };
    let threads = threads(args.threads);
    let mut trainer = if args.resume {
        let checkpoint = Checkpoint::read(&checkpoint_path)?;
        ensure!(
            checkpoint.progress.settings == settings,
            "{} was made with other settings or data",
            checkpoint_path.display()
        );
        Trainer::new(checkpoint, threads)?
    } else {
        Trainer::new(Checkpoint::begin(settings, known.as_ref()), threads)?
    };
    // Better now than after the first epoch, if it cannot be written.
    trainer.checkpoint.write(&checkpoint_path)?;
    while trainer.checkpoint.progress.losses.len() < usize::from(args.epochs) {
        trainer.epoch(training, validation)?;
        trainer.checkpoint.write(&checkpoint_path)?;
        let losses = &trainer.checkpoint.progress.losses;
        chart::write_csv(&csv_path, losses)?;
        chart::write_svg(&svg_path, losses)?;
    }
    let note = args
        .note
        .clone()
        .unwrap_or_else(|| trainer.note(args, dataset.games));
    let network = trainer.checkpoint.quantise(note);
    let bytes = network.to_bytes();
    Network::from_bytes(&bytes).context("the training went astray, its network cannot be used")?;
    std::fs::write(&args.out, bytes)
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    let (mean, worst) = trainer.quantisation_error(&network, validation);
    writeln!(
        std::io::stdout(),
        "{}: rounding changes {mean:.2} centipawns on average, {worst:.1} at most",
        args.out.display()
    )?;
    Ok(())
}

/// The shape that the arguments ask for; where they are silent, that of the network to begin with.
fn chosen_shape(args: &Train, known: Option<&Network>) -> anyhow::Result<Shape> {
    let base = known.map_or(
        Shape {
            hidden: 256,
            buckets: 1,
            mirrored: args.mirror,
            scale: args.scale,
        },
        Shape::of,
    );
    let shape = Shape {
        hidden: args.hidden.map_or(base.hidden, usize::from),
        buckets: args.buckets.map_or(base.buckets, usize::from),
        ..base
    };
    ensure!(
        shape.holds(&base) || known.is_none(),
        "--init has {} neurons and {} buckets: --hidden must be as large, --buckets a multiple",
        base.hidden,
        base.buckets
    );
    Ok(shape)
}

/// What each thread computes with.
struct Worker {
    scratch: Scratch,
    gradient: Vec<f32>,
}

struct Trainer {
    checkpoint: Checkpoint,
    pool: ThreadPool,
    workers: Vec<Worker>,
}

impl Trainer {
    fn new(checkpoint: Checkpoint, threads: usize) -> anyhow::Result<Trainer> {
        let settings = &checkpoint.progress.settings;
        let worker = || Worker {
            scratch: Scratch::new(&settings.shape),
            gradient: vec![0.0; settings.shape.len()],
        };
        Ok(Trainer {
            pool: rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()?,
            workers: (0..threads).map(|_| worker()).collect(),
            checkpoint,
        })
    }

    /// Goes through all positions once, in an order that depends on the seed and the epoch alone.
    fn epoch(&mut self, training: &[Sample], validation: &[Sample]) -> anyhow::Result<()> {
        let Settings {
            epochs,
            batch,
            seed,
            ..
        } = self.checkpoint.progress.settings;
        let number = self.checkpoint.progress.losses.len() as u64 + 1;
        let mut order: Vec<u32> = (0..training.len() as u32).collect();
        Rng::with_seed(seed.wrapping_mul(1 << 32) ^ number).shuffle(&mut order);
        let batches = order.len().div_ceil(batch);
        let mut progress = Progress::new(Some(batches as u64), 0)?;
        let started = Instant::now();
        let mut errors = 0.0;
        let mut rate = 0.0;
        for (index, batch) in order.chunks(batch).enumerate() {
            let done = (number - 1) as usize * batches + index;
            rate = self.rate(done as f32 / (usize::from(epochs) * batches) as f32);
            let error = self.learn(training, batch, rate);
            errors += error;
            progress.show(index as u64 + 1, || {
                format!("batches, loss {:.6}", error / batch.len() as f64)
            });
        }
        progress.finish();
        let speed = order.len() as f64 / started.elapsed().as_secs_f64();
        let loss = Loss {
            epoch: number as u32,
            rate,
            training: errors / order.len() as f64,
            validation: self.loss(validation),
            positions_per_second: speed,
        };
        let losses = &mut self.checkpoint.progress.losses;
        losses.push(loss);
        note(format_args!(
            "{}/{epochs} {}",
            chart::line(&loss),
            chart::sparkline(losses)
        ));
        Ok(())
    }

    /// The learning rate when `done` of the training is done: a cosine.
    fn rate(&self, done: f32) -> f32 {
        let Settings {
            rate, final_rate, ..
        } = self.checkpoint.progress.settings;
        final_rate + (rate - final_rate) * (1.0 + (PI * done).cos()) / 2.0
    }

    /// Learns from a batch. Returns the sum of the squared errors.
    fn learn(&mut self, samples: &[Sample], batch: &[u32], rate: f32) -> f64 {
        let Trainer {
            checkpoint,
            pool,
            workers,
        } = self;
        let shape = checkpoint.progress.settings.shape;
        let Checkpoint {
            progress,
            parameters,
            momenta,
            squares,
        } = checkpoint;
        progress.steps += 1;
        let step = Step {
            rate,
            number: progress.steps,
            batch: batch.len(),
        };
        let part = batch.len().div_ceil(workers.len());
        pool.install(|| {
            let errors: Vec<f64> = (workers.par_iter_mut().enumerate())
                .map(|(index, Worker { scratch, gradient })| {
                    gradient.fill(0.0);
                    let from = (index * part).min(batch.len());
                    let to = (from + part).min(batch.len());
                    (batch[from..to].iter())
                        .map(|&sample| {
                            let sample = &samples[sample as usize];
                            f64::from(scratch.learn(&shape, parameters, gradient, sample))
                        })
                        .sum()
                })
                .collect();
            (parameters.par_chunks_mut(UPDATE_PART))
                .zip(momenta.par_chunks_mut(UPDATE_PART))
                .zip(squares.par_chunks_mut(UPDATE_PART))
                .enumerate()
                .for_each(|(index, ((parameters, momenta), squares))| {
                    let at = index * UPDATE_PART;
                    let gradients: Vec<&[f32]> = (workers.iter())
                        .map(|worker| &worker.gradient[at..][..parameters.len()])
                        .collect();
                    step.apply(parameters, momenta, squares, &gradients);
                });
            shape.clamp(parameters);
            errors.iter().sum()
        })
    }

    /// Mean squared error.
    fn loss(&mut self, samples: &[Sample]) -> f64 {
        let Trainer {
            checkpoint,
            pool,
            workers,
        } = self;
        let shape = checkpoint.progress.settings.shape;
        let part = samples.len().div_ceil(workers.len());
        let errors: Vec<f64> = pool.install(|| {
            (workers.par_iter_mut().zip(samples.par_chunks(part)))
                .map(|(worker, samples)| {
                    (samples.iter())
                        .map(|sample| {
                            let output =
                                worker
                                    .scratch
                                    .forward(&shape, &checkpoint.parameters, sample);
                            f64::from(model::sigmoid(output) - sample.label).powi(2)
                        })
                        .sum()
                })
                .collect()
        });
        errors.iter().sum::<f64>() / samples.len() as f64
    }

    /// By how many centipawns the network in whole numbers differs: on average, and at most.
    fn quantisation_error(&mut self, network: &Network, samples: &[Sample]) -> (f64, f64) {
        let shape = self.checkpoint.progress.settings.shape;
        let (mut sum, mut worst, mut count) = (0.0, 0.0f64, 0);
        for sample in samples.iter().take(QUANTISATION_SAMPLES) {
            let Some(position) = sample.position() else {
                continue;
            };
            let output =
                self.workers[0]
                    .scratch
                    .forward(&shape, &self.checkpoint.parameters, sample);
            let exact = f64::from(output) * f64::from(shape.scale);
            let rounded = Accumulators::new(network, &position).evaluate(&position, 0);
            let error = (exact - f64::from(rounded.raw())).abs();
            sum += error;
            worst = worst.max(error);
            count += 1;
        }
        (sum / f64::from(count.max(1)), worst)
    }

    /// Where the network comes from.
    fn note(&self, args: &Train, games: u64) -> String {
        let Settings {
            labels,
            epochs,
            seed,
            positions,
            ..
        } = self.checkpoint.progress.settings;
        let files: Vec<_> = (args.data.iter())
            .filter_map(|path| Some(path.file_name()?.to_string_lossy()))
            .collect();
        let begun = (args.init.as_ref().and_then(|path| path.file_name()))
            .map(|name| format!("from {}, ", name.to_string_lossy()))
            .unwrap_or_default();
        format!(
            "{begun}{positions} positions, {games} games of {}; λ {}, result weight {}, \
             {epochs} epochs, seed {seed}",
            files.join(" "),
            labels.lambda,
            labels.result_weight,
        )
    }
}
