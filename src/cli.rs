//! The command line: which tool, with what arguments.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Parser, Subcommand, value_parser};
use saavedra::board::{Position, parse_move};
use saavedra::search::{MAX_DEPTH, bench};

/// A UCI chess engine.
///
/// Without a command it speaks UCI on standard input and output, as chess GUIs expect. Anything that
/// is not a command below is taken as UCI commands, one per argument:
/// saavedra "position startpos" "go depth 10"
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The tools.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Speak UCI (the default)
    Uci,
    /// Think about a position and print the best move
    Go(Go),
    /// Search fixed positions: the node total is a checksum, the speed a benchmark
    Bench(Bench),
    /// Count the leaves of the legal move tree (exit code 1 if a count is wrong)
    Perft(Perft),
    /// Solve the positions of an EPD file
    Solve(Solve),
    /// UCI commands, one per argument
    #[command(external_subcommand)]
    UciCommands(Vec<String>),
}

/// `saavedra go`
#[derive(Debug, Args)]
pub struct Go {
    /// Position; the start position if not given
    #[arg(long)]
    pub fen: Option<String>,
    /// Moves played from there, in UCI notation
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    pub moves: Vec<String>,
    /// Depth in plies
    #[arg(long, value_parser = value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Positions to search
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Time in milliseconds [default: 5000 if nothing else ends the search]
    #[arg(long, value_name = "MS")]
    pub movetime: Option<u64>,
    /// Lines to show
    #[arg(long, default_value_t = 1, value_name = "LINES", value_parser = value_parser!(u16).range(1..=500))]
    pub multipv: u16,
    /// Search threads
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Hash in MiB
    #[arg(long, default_value_t = 64, value_name = "MIB", value_parser = value_parser!(u64).range(1..=33_554_432))]
    pub hash: u64,
    /// Write castling as king takes rook
    #[arg(long)]
    pub chess960: bool,
}

impl Go {
    /// Finds out whether there is something to think about, before the engine is started.
    pub fn check(&self) -> anyhow::Result<()> {
        let mut position = match &self.fen {
            Some(fen) => Position::from_fen(fen).with_context(|| format!("--fen '{fen}'"))?,
            None => Position::startpos(),
        };
        for text in &self.moves {
            let m = parse_move(&position, text)
                .with_context(|| format!("--moves: {text} is not a legal move there"))?;
            position.play(m);
        }
        Ok(())
    }

    /// The same in UCI.
    pub fn commands(&self) -> Vec<String> {
        let position = match &self.fen {
            Some(fen) => format!("fen {fen}"),
            None => "startpos".to_string(),
        };
        let mut go = "go".to_string();
        let endless = self.depth.is_none() && self.nodes.is_none();
        let limits = [
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
            ("movetime", self.movetime.or(endless.then_some(5000))),
        ];
        for (name, value) in limits {
            if let Some(value) = value {
                go.push_str(&format!(" {name} {value}"));
            }
        }
        vec![
            format!("setoption name Threads value {}", self.threads),
            format!("setoption name Hash value {}", self.hash),
            format!("setoption name MultiPV value {}", self.multipv),
            format!("setoption name UCI_Chess960 value {}", self.chess960),
            format!("position {position} moves {}", self.moves.join(" ")),
            go,
        ]
    }
}

/// `saavedra bench`
#[derive(Debug, Args)]
pub struct Bench {
    /// Depth in plies; only the default gives the checksum
    #[arg(default_value_t = bench::DEPTH, value_parser = value_parser!(i32).range(1..=MAX_DEPTH as i64))]
    pub depth: i32,
}

/// `saavedra perft`
#[derive(Debug, Args)]
pub struct Perft {
    /// Position; the start position if not given
    #[arg(long, conflicts_with = "epd")]
    pub fen: Option<String>,
    /// Depth in plies; with --epd the greatest depth to check [default: 5, every depth of the file]
    #[arg(long)]
    pub depth: Option<u32>,
    /// Check every count of a file of lines `FEN ;D1 20 ;D2 400`
    #[arg(long, value_name = "FILE")]
    pub epd: Option<PathBuf>,
    /// With --epd, leave out counts above this
    #[arg(long, default_value_t = u64::MAX, hide_default_value = true, value_name = "COUNT")]
    pub max_nodes: u64,
    /// With --epd, positions to count at the same time
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: u16,
}

/// `saavedra solve`
#[derive(Debug, Args)]
pub struct Solve {
    /// Positions with `bm` (best moves), `am` (moves to avoid) or `dm` (mate in so many)
    pub file: PathBuf,
    /// Time for each position in milliseconds [default: 1000 if no other limit is given]
    #[arg(long, value_name = "MS")]
    pub movetime: Option<u64>,
    /// Positions to search for each position
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Depth for each position
    #[arg(long, value_parser = value_parser!(i32).range(1..=MAX_DEPTH as i64))]
    pub depth: Option<i32>,
    /// Search threads
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Hash in MiB
    #[arg(long, default_value_t = 64, value_name = "MIB", value_parser = value_parser!(u64).range(1..=33_554_432))]
    pub hash: u64,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
