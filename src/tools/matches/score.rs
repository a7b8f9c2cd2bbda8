//! The table: results of every encounter, and what each engine did wrong.

use std::collections::{HashMap, HashSet};
use std::io::Write;

use serde::Serialize;
use shakmaty::Color;

use super::game::{Offence, Record, index};
use super::pgn::Finished;
use super::schedule::{Pairing, encounters};
use super::settings::Settings;
use super::stats::{Decision, Estimate, Pentanomial, Sprt};

/// What is counted against an engine.
#[derive(Clone, Debug, Default, Serialize)]
struct Conduct {
    name: String,
    time_losses: u64,
    illegal_moves: u64,
    crashes: u64,
    silences: u64,
    faulty_variations: u64,
}

/// Two engines' results, from the first one's view.
#[derive(Clone, Debug, Default)]
struct Encounter {
    engines: [usize; 2],
    wins: u64,
    draws: u64,
    losses: u64,
    pairs: Pentanomial,
    /// Half points of the first game of a pair, until the second is there.
    open: HashMap<usize, usize>,
}

/// How a match stands.
pub struct Table {
    conduct: Vec<Conduct>,
    encounters: Vec<Encounter>,
    sprt: Option<Sprt>,
    played: HashSet<usize>,
}

/// The final report of an encounter.
#[derive(Serialize)]
struct Report<'a> {
    first: &'a str,
    second: &'a str,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    draw_ratio: f64,
    pairs: Pentanomial,
    elo: Option<Estimate>,
    normalized_elo: Option<Estimate>,
    superiority: Option<f64>,
    sprt: Option<SprtReport>,
}

#[derive(Serialize)]
struct SprtReport {
    #[serde(flatten)]
    sprt: Sprt,
    llr: f64,
    bounds: (f64, f64),
    decision: Decision,
}

impl Table {
    pub fn new(settings: &Settings) -> Table {
        let name = |spec: &super::player::Spec| Conduct {
            name: spec.name.clone(),
            ..Conduct::default()
        };
        Table {
            conduct: settings.engines.iter().map(name).collect(),
            encounters: encounters(settings.engines.len(), settings.tournament)
                .into_iter()
                .map(|engines| Encounter {
                    engines,
                    ..Encounter::default()
                })
                .collect(),
            sprt: settings.sprt,
            played: HashSet::new(),
        }
    }

    /// Whether the game of this number was played.
    pub fn has(&self, number: usize) -> bool {
        self.played.contains(&number)
    }

    /// Games played so far.
    pub fn games(&self) -> usize {
        self.played.len()
    }

    /// Names of the players, White first.
    fn names(&self, pairing: Pairing) -> [String; 2] {
        [pairing.white, pairing.black].map(|engine| self.conduct[engine].name.clone())
    }

    /// Notes a game.
    pub fn add(&mut self, pairing: Pairing, record: &Record) {
        self.add_result(pairing, record.result.winner);
        let engine = |color| {
            if color == Color::White {
                pairing.white
            } else {
                pairing.black
            }
        };
        for color in Color::ALL {
            let warnings = record.warnings[index(color)].len() as u64;
            self.conduct[engine(color)].faulty_variations += warnings;
        }
        if let Some((color, offence)) = record.result.culprit {
            let conduct = &mut self.conduct[engine(color)];
            match offence {
                Offence::Time => conduct.time_losses += 1,
                Offence::IllegalMove => conduct.illegal_moves += 1,
                Offence::Crash => conduct.crashes += 1,
                Offence::Silence => conduct.silences += 1,
            }
        }
    }

    /// Notes a game of an earlier run, as far as its tags tell.
    pub fn add_finished(&mut self, pairing: Pairing, game: &Finished) {
        self.add_result(pairing, game.winner);
        let loser = match game.winner {
            Some(Color::White) => pairing.black,
            Some(Color::Black) => pairing.white,
            None => return,
        };
        let conduct = &mut self.conduct[loser];
        match game.tag("Termination") {
            "time forfeit" => conduct.time_losses += 1,
            "rules infraction" => conduct.illegal_moves += 1,
            "abandoned" => conduct.crashes += 1,
            _ => {}
        }
    }

    fn add_result(&mut self, pairing: Pairing, winner: Option<Color>) {
        self.played.insert(pairing.number);
        let encounter = &mut self.encounters[pairing.encounter];
        let is_white = encounter.engines[0] == pairing.white;
        let half_points = match winner {
            None => 1,
            Some(color) if (color == Color::White) == is_white => 2,
            Some(_) => 0,
        };
        match half_points {
            0 => encounter.losses += 1,
            1 => encounter.draws += 1,
            _ => encounter.wins += 1,
        }
        match encounter.open.remove(&pairing.pair) {
            Some(other) => encounter.pairs.add(half_points + other),
            None => _ = encounter.open.insert(pairing.pair, half_points),
        }
    }

    /// What of a game is worth a line of its own.
    pub fn news(&self, pairing: Pairing, record: &Record) -> Vec<String> {
        let [white, black] = self.names(pairing);
        let place = format!("game {}, {white} against {black}", pairing.number);
        let mut lines = Vec::new();
        if record.result.culprit.is_some() {
            lines.push(format!("{place}: {}", record.result.reason));
        }
        for (name, warnings) in [(&white, &record.warnings[0]), (&black, &record.warnings[1])] {
            lines.extend(
                warnings
                    .first()
                    .map(|warning| format!("{place}: {name}: {warning}")),
            );
        }
        lines
    }

    /// The running result in a line.
    pub fn line(&self) -> String {
        match &self.encounters[..] {
            [encounter] => {
                let Encounter {
                    wins,
                    draws,
                    losses,
                    pairs,
                    ..
                } = encounter;
                let elo = pairs
                    .elo()
                    .map_or(String::new(), |elo| format!(", Elo {}", show(elo)));
                let llr = self.sprt.map_or(String::new(), |sprt| {
                    let llr = pairs.log_likelihood_ratio(sprt.elo0, sprt.elo1);
                    format!(", LLR {llr:.2} of {:.2}", sprt.bounds().1)
                });
                format!("+{wins} ={draws} -{losses}{elo}{llr},")
            }
            many => {
                let points = |engine: usize| -> f64 {
                    many.iter()
                        .map(|encounter| encounter.points_of(engine))
                        .sum()
                };
                let all: Vec<String> = (0..self.conduct.len())
                    .map(|i| format!("{} {}", self.conduct[i].name, points(i)))
                    .collect();
                format!("{},", all.join(", "))
            }
        }
    }

    /// Whether the test, if there is one, has come to an end.
    pub fn decision(&self) -> Decision {
        match (&self.sprt, self.encounters.first()) {
            (Some(sprt), Some(encounter)) => sprt.decide(&encounter.pairs),
            _ => Decision::Open,
        }
    }

    /// The final report.
    pub fn print(&self, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
        let reports: Vec<Report> = self.encounters.iter().map(|e| self.report(e)).collect();
        if json {
            let all = serde_json::json!({ "encounters": reports, "engines": self.conduct });
            writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
            return Ok(());
        }
        for report in &reports {
            print_report(report, out)?;
        }
        for conduct in &self.conduct {
            let Conduct {
                name,
                time_losses,
                illegal_moves,
                crashes,
                silences,
                faulty_variations,
            } = conduct;
            writeln!(
                out,
                "{name}: {time_losses} time losses, {illegal_moves} illegal moves, {crashes} crashes, \
                 {silences} silences, {faulty_variations} faulty variations"
            )?;
        }
        Ok(())
    }

    fn report(&self, encounter: &Encounter) -> Report<'_> {
        let Encounter {
            engines: [first, second],
            wins,
            draws,
            losses,
            pairs,
            ..
        } = *encounter;
        let games = wins + draws + losses;
        Report {
            first: &self.conduct[first].name,
            second: &self.conduct[second].name,
            games,
            wins,
            draws,
            losses,
            points: wins as f64 + draws as f64 / 2.0,
            draw_ratio: draws as f64 / games.max(1) as f64,
            pairs,
            elo: pairs.elo(),
            normalized_elo: pairs.normalized_elo(),
            superiority: pairs.superiority(),
            sprt: self.sprt.map(|sprt| SprtReport {
                sprt,
                llr: pairs.log_likelihood_ratio(sprt.elo0, sprt.elo1),
                bounds: sprt.bounds(),
                decision: sprt.decide(&pairs),
            }),
        }
    }
}

impl Encounter {
    fn points_of(&self, engine: usize) -> f64 {
        let draws = self.draws as f64 / 2.0;
        match self.engines {
            [first, _] if first == engine => self.wins as f64 + draws,
            [_, second] if second == engine => self.losses as f64 + draws,
            _ => 0.0,
        }
    }
}

fn show(estimate: Estimate) -> String {
    format!("{:+.1} ± {:.1}", estimate.value, estimate.error)
}

fn print_report(report: &Report, out: &mut impl Write) -> anyhow::Result<()> {
    let Report {
        first,
        second,
        games,
        wins,
        draws,
        losses,
        points,
        draw_ratio,
        ..
    } = report;
    writeln!(
        out,
        "{first} against {second}: {points} of {games} (+{wins} ={draws} -{losses}), draws {:.1} %",
        100.0 * draw_ratio
    )?;
    let or_none = |estimate: Option<Estimate>| estimate.map_or("none".to_string(), show);
    writeln!(
        out,
        "  Elo {}, normalized {}, likelihood of superiority {}",
        or_none(report.elo),
        or_none(report.normalized_elo),
        (report.superiority).map_or("none".to_string(), |p| format!("{:.1} %", 100.0 * p))
    )?;
    let [a, b, c, d, e] = report.pairs.0;
    writeln!(out, "  pairs by points, 0 to 2: {a} {b} {c} {d} {e}")?;
    if let Some(SprtReport {
        sprt,
        llr,
        bounds: (lower, upper),
        decision,
    }) = &report.sprt
    {
        writeln!(
            out,
            "  SPRT [{}, {}]: LLR {llr:.2} ({lower:.2}, {upper:.2}), {}",
            sprt.elo0,
            sprt.elo1,
            format!("{decision:?}").to_lowercase()
        )?;
    }
    Ok(())
}
