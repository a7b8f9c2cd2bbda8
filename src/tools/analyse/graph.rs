//! The course of a game as a picture: the points that White may expect, over the moves.

use std::path::Path;

use anyhow::Context;
use plotters::prelude::*;

use super::Analysis;
use super::judge::{Judgement, win_percent};
use super::source::Source;

/// How judged moves are marked.
const MARKS: [(Judgement, RGBColor); 3] = [
    (Judgement::Inaccuracy, RGBColor(230, 180, 0)),
    (Judgement::Mistake, RGBColor(240, 110, 0)),
    (Judgement::Blunder, RGBColor(200, 0, 0)),
];
const CURVE: RGBColor = RGBColor(40, 60, 90);

/// Draws a game with at least one move as SVG.
pub fn write_svg(path: &Path, source: &Source, analysis: &Analysis) -> anyhow::Result<()> {
    let place = || format!("cannot write {}", path.display());
    let points = points(source, analysis);
    let (first, last) = match points[..] {
        [(first, _), .., (last, _)] => (first, last),
        _ => return Ok(()),
    };
    let area = SVGBackend::new(path, (900, 450)).into_drawing_area();
    area.fill(&WHITE).with_context(place)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(source.to_string(), ("sans-serif", 18))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(first..last, 0.0..100.0)
        .with_context(place)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("move")
        .y_desc("White's expected points, %")
        .x_label_formatter(&|number| whole(*number))
        .y_label_formatter(&|percent| format!("{percent:.0}"))
        .draw()
        .with_context(place)?;
    let draw = [(first, 50.0), (last, 50.0)];
    chart
        .draw_series(LineSeries::new(draw, BLACK.mix(0.5)))
        .with_context(place)?;
    chart
        .draw_series(LineSeries::new(
            points.iter().copied(),
            CURVE.stroke_width(2),
        ))
        .with_context(place)?;
    let mut is_marked = false;
    for (judgement, color) in MARKS {
        let judged = points[1..].iter().zip(&analysis.verdicts);
        let marks: Vec<(f64, f64)> = judged
            .filter(|(_, verdict)| verdict.judgement == Some(judgement))
            .map(|(point, _)| *point)
            .collect();
        if marks.is_empty() {
            continue;
        }
        is_marked = true;
        let mark = move |at| Circle::new(at, 4, color.filled());
        chart
            .draw_series(marks.into_iter().map(mark))
            .with_context(place)?
            .label(judgement.name())
            .legend(move |(x, y)| Circle::new((x + 10, y), 4, color.filled()));
    }
    if is_marked {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerLeft)
            .border_style(BLACK)
            .background_style(WHITE)
            .draw()
            .with_context(place)?;
    }
    area.present().with_context(place)
}

/// A number of a move; between moves there is none.
fn whole(number: f64) -> String {
    if (number - number.round()).abs() < 0.01 {
        format!("{number:.0}")
    } else {
        String::new()
    }
}

/// The expected points in percent after each ply, over the number of the move that led there; Black's
/// are at halves.
fn points(source: &Source, analysis: &Analysis) -> Vec<(f64, f64)> {
    let mut turn = source.start.turn();
    let mut number = f64::from(source.start.move_number()) - turn.fold_wb(0.5, 0.0);
    (analysis.found.iter())
        .map(|found| {
            let percent = win_percent(found.score);
            let point = (number, turn.fold_wb(percent, 100.0 - percent));
            number += 0.5;
            turn = !turn;
            point
        })
        .collect()
}
