//! A training between two epochs: a line of JSON, then all parameters and their momenta.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, ensure};
use fastrand::Rng;
use saavedra::eval::nnue::Network;
use serde::{Deserialize, Serialize};

use super::super::appended;
use super::chart::Loss;
use super::labels::Labels;
use super::model::Shape;

/// What a training depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub shape: Shape,
    pub labels: Labels,
    pub epochs: u16,
    /// Positions of a step.
    pub batch: usize,
    /// Learning rate at the beginning and at the end.
    pub rate: f32,
    pub final_rate: f32,
    pub seed: u64,
    /// Positions learned from.
    pub positions: usize,
}

/// How far it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Progress {
    pub settings: Settings,
    pub steps: i32,
    /// Of each finished epoch.
    pub losses: Vec<Loss>,
}

/// All that is needed to go on.
pub struct Checkpoint {
    pub progress: Progress,
    pub parameters: Vec<f32>,
    pub momenta: Vec<f32>,
    pub squares: Vec<f32>,
}

impl Checkpoint {
    /// Nothing is learned yet, or only what `network` knows.
    pub fn begin(settings: Settings, network: Option<&Network>) -> Checkpoint {
        let shape = &settings.shape;
        let mut rng = Rng::with_seed(settings.seed);
        let parameters = match network {
            Some(network) => shape.grown(network, &mut rng),
            None => shape.draw(&mut rng),
        };
        Checkpoint {
            momenta: vec![0.0; parameters.len()],
            squares: vec![0.0; parameters.len()],
            parameters,
            progress: Progress {
                settings,
                steps: 0,
                losses: Vec::new(),
            },
        }
    }

    /// The network in whole numbers.
    pub fn quantise(&self, note: String) -> Network {
        self.progress
            .settings
            .shape
            .quantise(&self.parameters, note)
    }

    /// Writes to a new file that takes the place of the old one when it is complete.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let place = || format!("cannot write {}", path.display());
        let draft = appended(path, ".part");
        let mut file = BufWriter::new(File::create(&draft).with_context(place)?);
        serde_json::to_writer(&mut file, &self.progress)?;
        file.write_all(b"\n").with_context(place)?;
        for part in [&self.parameters, &self.momenta, &self.squares] {
            for number in part {
                file.write_all(&number.to_le_bytes()).with_context(place)?;
            }
        }
        file.flush().with_context(place)?;
        std::fs::rename(draft, path).with_context(place)
    }

    pub fn read(path: &Path) -> anyhow::Result<Checkpoint> {
        let place = || format!("cannot read {}", path.display());
        let mut file = BufReader::new(File::open(path).with_context(place)?);
        let mut line = String::new();
        file.read_line(&mut line).with_context(place)?;
        let progress: Progress = serde_json::from_str(&line).with_context(place)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(place)?;
        let len = progress.settings.shape.len();
        ensure!(
            bytes.len() == 3 * len * size_of::<f32>(),
            "{} has the wrong length",
            path.display()
        );
        let mut numbers = bytes
            .as_chunks()
            .0
            .iter()
            .map(|&quad| f32::from_le_bytes(quad));
        let mut part = || numbers.by_ref().take(len).collect::<Vec<f32>>();
        let [parameters, momenta, squares] = [part(), part(), part()];
        Ok(Checkpoint {
            progress,
            parameters,
            momenta,
            squares,
        })
    }
}
