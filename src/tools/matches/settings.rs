//! The settings of a match, from the command line.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use saavedra::rules::RuleSet;

use super::game::{Draw, Resign, Rulebook};
use super::player::Spec;
use super::stats::Sprt;
use super::time_control::{self, TimeControl};
use crate::cli::{Match, Rules, Tournament};

/// Everything a match needs to know.
pub struct Settings {
    pub engines: Vec<Spec>,
    pub rulebook: Rulebook,
    pub tournament: Tournament,
    pub openings: Option<PathBuf>,
    /// Each opening twice, colours reversed.
    pub repeat: bool,
    /// Games of each pairing.
    pub games: usize,
    pub concurrency: usize,
    pub seed: u64,
    pub shuffle: bool,
    pub pgn: Option<PathBuf>,
    pub resume: bool,
    pub sprt: Option<Sprt>,
    pub json: bool,
}

impl Settings {
    pub fn read(args: &Match) -> anyhow::Result<Settings> {
        let each = args.each.as_deref().unwrap_or_default();
        let engines: Vec<Spec> = args
            .engine
            .iter()
            .map(|text| engine(each, text).with_context(|| format!("--engine {text}")))
            .collect::<anyhow::Result<_>>()?;
        ensure!(
            engines.len() >= 2,
            "a match needs two engines: give --engine twice"
        );
        let names: HashSet<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
        ensure!(
            names.len() == engines.len(),
            "two engines have the same name: give name=…"
        );
        let sprt = args
            .sprt
            .as_deref()
            .map(sprt)
            .transpose()
            .context("--sprt")?;
        ensure!(
            sprt.is_none() || engines.len() == 2,
            "--sprt compares two engines"
        );
        ensure!(
            !args.resume || args.pgn.is_some(),
            "--resume needs the --pgn to continue"
        );
        Ok(Settings {
            engines,
            rulebook: Rulebook {
                rules: match args.rules {
                    Rules::Fide => RuleSet::Fide,
                    Rules::Online => RuleSet::Online,
                },
                chess960: args.chess960,
                margin: Duration::from_millis(args.time_margin),
                resign: args
                    .resign
                    .as_deref()
                    .map(resign)
                    .transpose()
                    .context("--resign")?,
                draw: args
                    .draw
                    .as_deref()
                    .map(draw)
                    .transpose()
                    .context("--draw")?,
            },
            tournament: args.tournament,
            openings: args.openings.clone(),
            repeat: args.repeat,
            games: args.games as usize,
            concurrency: args.concurrency.into(),
            seed: args.seed,
            shuffle: !args.in_order,
            pgn: args.pgn.clone(),
            resume: args.resume,
            sprt,
            json: args.json,
        })
    }
}

/// `key=value` parts separated by commas.
fn parts(text: &str) -> anyhow::Result<Vec<(&str, &str)>> {
    text.split(',')
        .filter(|part| !part.is_empty())
        .map(|part| {
            part.split_once('=')
                .with_context(|| format!("'{part}' is not key=value"))
        })
        .collect()
}

fn number<T: std::str::FromStr>(text: &str) -> anyhow::Result<T> {
    match text.parse() {
        Ok(number) => Ok(number),
        Err(_) => bail!("'{text}' is not a number that fits"),
    }
}

/// Reads an engine; what it says itself takes precedence over what is said of each.
fn engine(each: &str, own: &str) -> anyhow::Result<Spec> {
    let mut spec = Spec {
        name: String::new(),
        command: PathBuf::new(),
        arguments: Vec::new(),
        folder: None,
        options: Vec::new(),
        control: TimeControl::Unlimited,
        nodes: None,
        depth: None,
    };
    for (key, value) in parts(each)?.into_iter().chain(parts(own)?) {
        match key {
            "cmd" => spec.command = value.into(),
            "name" => spec.name = value.to_string(),
            "args" => spec.arguments = value.split_whitespace().map(str::to_string).collect(),
            "dir" => spec.folder = Some(value.into()),
            "tc" => spec.control = value.parse()?,
            "st" => spec.control = TimeControl::PerMove(time_control::seconds(value)?),
            "nodes" => spec.nodes = Some(number(value)?),
            "depth" => spec.depth = Some(number(value)?),
            _ => match key.strip_prefix("option.") {
                Some(option) => {
                    spec.options
                        .retain(|(name, _)| !name.eq_ignore_ascii_case(option));
                    spec.options.push((option.to_string(), value.to_string()));
                }
                None => bail!(
                    "'{key}' is none of cmd, name, args, dir, tc, st, nodes, depth, option.NAME"
                ),
            },
        }
    }
    ensure!(spec.command != PathBuf::new(), "cmd= is missing");
    let limited =
        spec.control != TimeControl::Unlimited || spec.nodes.is_some() || spec.depth.is_some();
    ensure!(
        limited,
        "nothing limits its searches: give tc=, st=, nodes= or depth="
    );
    if spec.name.is_empty() {
        let stem = spec.command.file_stem().context("cmd= is not a file")?;
        spec.name = stem.to_string_lossy().into_owned();
    }
    Ok(spec)
}

fn sprt(text: &str) -> anyhow::Result<Sprt> {
    let mut sprt = Sprt {
        elo0: 0.0,
        elo1: 5.0,
        alpha: 0.05,
        beta: 0.05,
    };
    for (key, value) in parts(text)? {
        let field = match key {
            "elo0" => &mut sprt.elo0,
            "elo1" => &mut sprt.elo1,
            "alpha" => &mut sprt.alpha,
            "beta" => &mut sprt.beta,
            _ => bail!("'{key}' is none of elo0, elo1, alpha, beta"),
        };
        *field = number(value)?;
    }
    ensure!(sprt.elo0 < sprt.elo1, "elo0 must be less than elo1");
    let chances = [sprt.alpha, sprt.beta];
    ensure!(
        chances.iter().all(|c| (0.0..0.5).contains(c) && *c > 0.0),
        "alpha and beta lie in 0–½"
    );
    Ok(sprt)
}

fn resign(text: &str) -> anyhow::Result<Resign> {
    let mut resign = Resign {
        moves: 3,
        score: 1000,
    };
    for (key, value) in parts(text)? {
        match key {
            "moves" => resign.moves = number(value)?,
            "score" => resign.score = number(value)?,
            _ => bail!("'{key}' is none of moves, score"),
        }
    }
    ensure!(resign.moves > 0, "at least one move must show the score");
    Ok(resign)
}

fn draw(text: &str) -> anyhow::Result<Draw> {
    let mut draw = Draw {
        from: 40,
        moves: 8,
        score: 10,
    };
    for (key, value) in parts(text)? {
        match key {
            "from" => draw.from = number(value)?,
            "moves" => draw.moves = number(value)?,
            "score" => draw.score = number(value)?,
            _ => bail!("'{key}' is none of from, moves, score"),
        }
    }
    ensure!(draw.moves > 0, "at least one move must show the score");
    Ok(draw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_overrides_what_is_said_of_each() {
        let spec = engine("tc=4+0.04,option.Hash=16", "cmd=a/b,option.hash=32,nodes=5").unwrap();
        assert_eq!(spec.name, "b");
        assert_eq!(spec.options, [("hash".to_string(), "32".to_string())]);
        assert_eq!(spec.nodes, Some(5));
        for bad in [
            "cmd=x",
            "name=x,tc=1",
            "cmd=x,tc=1,foo=2",
            "cmd=x,tc",
            "cmd=x,nodes=-1",
        ] {
            assert!(engine("", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn settings_are_written_as_they_are_read() {
        for settings in [
            "tc=4+0.04",
            "tc=40/90+0,depth=9,option.Hash=16,option.Move Overhead=5",
            "st=0.5,nodes=1000",
        ] {
            let spec = engine("", &format!("cmd=x,{settings}")).unwrap();
            assert_eq!(spec.settings(), settings);
        }
    }

    #[test]
    fn a_test_is_read_with_its_defaults() {
        assert_eq!(
            sprt("elo0=-5,elo1=0").unwrap(),
            Sprt {
                elo0: -5.0,
                elo1: 0.0,
                alpha: 0.05,
                beta: 0.05
            }
        );
        assert!(sprt("elo0=5,elo1=0").is_err());
        assert!(sprt("alpha=0").is_err());
    }
}
