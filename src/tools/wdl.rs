//! `saavedra wdl`: how scores translate into results, fitted to games of the engine.
//!
//! With material `m` the chance to win at a score `s` is `1 / (1 + exp((a - s) / b))`, that to lose is
//! the same of `-s`, and `a` and `b` are straight lines in `m`. The four numbers are those that make
//! the results of the games most likely. `a` is the score that wins every other game. The form is that
//! of <https://github.com/official-stockfish/WDL_model>.
//!
//! The numbers of `score` come from here: scores of an engine that shows `s` are multiplied so that
//! `a` becomes 100 at a usual material.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, ensure};
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Visitor};
use saavedra::board::Position;
use saavedra::score::MATERIAL;
use serde::Serialize;
use shakmaty::{Color, KnownOutcome, Outcome};

use crate::cli::Wdl;

/// Scores are counted in steps of so many centipawns.
const STEP: i32 = 5;
/// Scores beyond say nothing about where doubt begins.
const LIMIT: i32 = 1500;
/// Material of the table that is printed.
const SHOWN: [i32; 5] = [18, 30, 42, 58, 78];

/// What came of positions with the same material and score: lost, drawn, won.
type Counts = HashMap<(i32, i32), [u32; 3]>;

/// The straight lines of the model: centipawns at no material, and per unit of it.
#[derive(Clone, Copy, Debug, Serialize)]
struct Model {
    a: [f64; 2],
    b: [f64; 2],
}

#[derive(Serialize)]
struct Report {
    games: usize,
    positions: u64,
    model: Model,
    /// How little the model knows of a result, in nats.
    loss: f64,
}

pub fn run(args: &Wdl) -> anyhow::Result<()> {
    let mut counts = Counts::new();
    let mut games = 0;
    for path in &args.files {
        games += read(path, args.engine.as_deref(), &mut counts)?;
    }
    let positions = counts
        .values()
        .flatten()
        .map(|&count| u64::from(count))
        .sum();
    ensure!(positions > 0, "no scores of finished games in these files");
    let model = Model::fit(&counts);
    let report = Report {
        games,
        positions,
        model,
        loss: model.loss(&counts),
    };
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
        return Ok(());
    }
    writeln!(out, "{games} games, {positions} positions")?;
    writeln!(out, "a = {:+.2} {:+.4} m", model.a[0], model.a[1])?;
    writeln!(out, "b = {:+.2} {:+.4} m", model.b[0], model.b[1])?;
    writeln!(out, "loss {:.4} nats", report.loss)?;
    let factor = 100.0 / model.at(MATERIAL).0;
    let [a, b] = [model.a, model.b].map(|line| line.map(|number| number * factor));
    writeln!(
        out,
        "\nfor +100 to win every other game at material {MATERIAL}, scores times {factor:.3}:"
    )?;
    writeln!(out, "a = {:+.2} {:+.4} m", a[0], a[1])?;
    writeln!(out, "b = {:+.2} {:+.4} m", b[0], b[1])?;
    writeln!(out, "\nmaterial  50% wins at  75% wins at")?;
    for m in SHOWN {
        let (a, b) = model.at(m);
        writeln!(out, "{m:>8}  {a:>11.0}  {:>11.0}", a + b * 3f64.ln())?;
    }
    Ok(())
}

impl Model {
    /// Searches along each number in turn, with steps that become smaller.
    fn fit(counts: &Counts) -> Model {
        let mut best = Model {
            a: [150.0, 0.0],
            b: [80.0, 0.0],
        };
        let mut loss = best.loss(counts);
        let mut steps = [64.0, 1.0, 64.0, 1.0];
        while steps[0] > 0.02 {
            let mut is_better = false;
            for (number, step) in steps.into_iter().enumerate() {
                for step in [step, -step] {
                    let mut next = best;
                    *next.number(number) += step;
                    let next_loss = next.loss(counts);
                    if next_loss < loss {
                        (best, loss, is_better) = (next, next_loss, true);
                    }
                }
            }
            if !is_better {
                steps = steps.map(|step| step / 2.0);
            }
        }
        best
    }

    fn number(&mut self, index: usize) -> &mut f64 {
        match index {
            0 | 1 => &mut self.a[index],
            _ => &mut self.b[index - 2],
        }
    }

    /// `a` and `b` for a material.
    fn at(&self, material: i32) -> (f64, f64) {
        let line = |[base, slope]: [f64; 2]| base + slope * f64::from(material);
        (line(self.a), line(self.b).max(1.0))
    }

    fn loss(&self, counts: &Counts) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (&(material, score), results) in counts {
            let (a, b) = self.at(material);
            let chance = |score: f64| 1.0 / (1.0 + ((a - score) / b).exp());
            let score = f64::from(score);
            let (win, loss) = (chance(score), chance(-score));
            let chances = [loss, 1.0 - win - loss, win];
            for (&count, chance) in results.iter().zip(chances) {
                sum -= f64::from(count) * chance.max(1e-9).ln();
                total += f64::from(count);
            }
        }
        sum / total
    }
}

/// Counts the scored positions of a file. Returns the number of games with a result.
fn read(path: &Path, engine: Option<&str>, counts: &mut Counts) -> anyhow::Result<usize> {
    let place = || format!("cannot read {}", path.display());
    let mut reader = Reader::new(File::open(path).with_context(place)?);
    let mut games = 0;
    let mut visitor = Scores { engine };
    while let Some(game) = reader.read_game(&mut visitor).with_context(place)? {
        let Some(winner) = game.winner else {
            continue;
        };
        games += 1;
        for Scored {
            turn,
            material,
            score,
        } in game.scored
        {
            let result = match winner {
                None => 1,
                Some(winner) if winner == turn => 2,
                Some(_) => 0,
            };
            counts.entry((material, score)).or_default()[result] += 1;
        }
    }
    Ok(games)
}

/// Collects the scores that a player, or both, gave in comments.
struct Scores<'a> {
    engine: Option<&'a str>,
}

#[derive(Default)]
struct Tags {
    start: Option<Position>,
    names: [String; 2],
}

/// A position and what the side to move thought of it, in centipawns.
struct Scored {
    turn: Color,
    material: i32,
    score: i32,
}

/// A game that is being read.
struct Moves {
    position: Position,
    /// The side that made the last move, and the material before it.
    last: Option<(Color, i32)>,
    /// Whose scores count, White's and Black's.
    counts: [bool; 2],
    /// Who won, if anybody, once that is known.
    winner: Option<Option<Color>>,
    scored: Vec<Scored>,
}

impl Visitor for Scores<'_> {
    type Tags = Tags;
    type Movetext = Moves;
    type Output = Moves;

    fn begin_tags(&mut self) -> ControlFlow<Moves, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Moves> {
        let text = value.decode_utf8_lossy();
        match name {
            b"FEN" => tags.start = Position::from_fen(&text).ok(),
            b"White" => tags.names[0] = text.into_owned(),
            b"Black" => tags.names[1] = text.into_owned(),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Moves, Moves> {
        let counts = tags
            .names
            .map(|name| self.engine.is_none_or(|engine| engine == name));
        ControlFlow::Continue(Moves {
            position: tags.start.unwrap_or_else(Position::startpos),
            last: None,
            counts,
            winner: None,
            scored: Vec::new(),
        })
    }

    fn san(&mut self, game: &mut Moves, san: SanPlus) -> ControlFlow<Moves> {
        game.last = None;
        if let Ok(m) = san.san.to_move(game.position.chess()) {
            game.last = Some((game.position.turn(), game.position.material()));
            game.position.play(m);
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Moves, comment: RawComment<'_>) -> ControlFlow<Moves> {
        let text = String::from_utf8_lossy(comment.as_bytes());
        // `+0.35/18 0.412s`; mates say nothing about doubt.
        let score = text
            .split('/')
            .next()
            .and_then(|pawns| pawns.trim().parse::<f64>().ok());
        if let (Some((turn, material)), Some(pawns)) = (game.last, score) {
            let centipawns = (100.0 * pawns).round() as i32;
            let is_counted = game.counts[if turn.is_white() { 0 } else { 1 }];
            if is_counted && centipawns.abs() <= LIMIT {
                let score = centipawns.div_euclid(STEP) * STEP;
                game.scored.push(Scored {
                    turn,
                    material,
                    score,
                });
            }
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Moves, outcome: Outcome) -> ControlFlow<Moves> {
        game.winner = match outcome {
            Outcome::Known(KnownOutcome::Decisive { winner }) => Some(Some(winner)),
            Outcome::Known(KnownOutcome::Draw) => Some(None),
            Outcome::Unknown => None,
        };
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Moves) -> Moves {
        game
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    #[test]
    fn a_model_is_found_again_in_results_drawn_from_it() {
        let model = Model {
            a: [100.0, 1.5],
            b: [40.0, 0.5],
        };
        let mut rng = Rng::with_seed(2);
        let mut counts = Counts::new();
        for _ in 0..400_000 {
            let (material, score) = (rng.i32(17..=78), rng.i32(-60..=60) * STEP);
            let (a, b) = model.at(material);
            let chance = |score: f64| 1.0 / (1.0 + ((a - score) / b).exp());
            let (win, loss) = (chance(score.into()), chance(f64::from(-score)));
            let lot = rng.f64();
            let result = if lot < win {
                2
            } else if lot < win + loss {
                0
            } else {
                1
            };
            counts.entry((material, score)).or_default()[result] += 1;
        }
        let found = Model::fit(&counts);
        for material in SHOWN {
            let ((a, b), (found_a, found_b)) = (model.at(material), found.at(material));
            assert!((a - found_a).abs() < 3.0, "{a} {found_a}");
            assert!((b - found_b).abs() < 3.0, "{b} {found_b}");
        }
    }
}
