//! The losses of a training: as a line, a table and a picture.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use plotters::prelude::*;
use serde::{Deserialize, Serialize};

/// What an epoch came to. Losses are mean squared errors of the expected score.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Loss {
    pub epoch: u32,
    /// Learning rate at its end.
    pub rate: f32,
    pub training: f64,
    pub validation: f64,
    pub positions_per_second: f64,
}

/// For people who look on.
pub fn line(loss: &Loss) -> String {
    format!(
        "training {:.6} validation {:.6} rate {:.2e} {:.0} positions/s, epoch {}",
        loss.training, loss.validation, loss.rate, loss.positions_per_second, loss.epoch
    )
}

/// The validation losses so far as a row of bars.
pub fn sparkline(losses: &[Loss]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let values = || losses.iter().map(|loss| loss.validation);
    let (low, high) = (
        values().fold(f64::MAX, f64::min),
        values().fold(0.0, f64::max),
    );
    let height = |value: f64| 7.0 * (value - low) / (high - low).max(f64::MIN_POSITIVE);
    values()
        .map(|value| BARS[height(value).round() as usize])
        .collect()
}

pub fn write_csv(path: &Path, losses: &[Loss]) -> anyhow::Result<()> {
    let mut text = "epoch,rate,training_loss,validation_loss,positions_per_second\n".to_string();
    for loss in losses {
        let Loss {
            epoch,
            rate,
            training,
            validation,
            positions_per_second,
        } = loss;
        writeln!(
            text,
            "{epoch},{rate:e},{training:.8},{validation:.8},{positions_per_second:.0}"
        )?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

pub fn write_svg(path: &Path, losses: &[Loss]) -> anyhow::Result<()> {
    let place = || format!("cannot write {}", path.display());
    let values = || {
        losses
            .iter()
            .flat_map(|loss| [loss.training, loss.validation])
    };
    let (low, high) = (
        values().fold(f64::MAX, f64::min),
        values().fold(0.0, f64::max),
    );
    let margin = (0.05 * (high - low)).max(0.01 * high);
    let last = losses.len().max(2) as u32;
    let area = SVGBackend::new(path, (800, 500)).into_drawing_area();
    area.fill(&WHITE).with_context(place)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(80)
        .build_cartesian_2d(1..last, low - margin..high + margin)
        .with_context(place)?;
    chart
        .configure_mesh()
        .x_desc("epoch")
        .y_desc("mean squared error")
        .y_label_formatter(&|loss| format!("{loss:.5}"))
        .draw()
        .with_context(place)?;
    let training = losses.iter().map(|loss| loss.training).collect();
    let validation = losses.iter().map(|loss| loss.validation).collect();
    for (name, color, curve) in [
        ("training", BLUE, training),
        ("validation", RED, validation),
    ] {
        let curve: Vec<f64> = curve;
        chart
            .draw_series(LineSeries::new((1..).zip(curve), color.stroke_width(2)))
            .with_context(place)?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color));
    }
    chart
        .configure_series_labels()
        .border_style(BLACK)
        .background_style(WHITE)
        .draw()
        .with_context(place)?;
    area.present().with_context(place)
}
