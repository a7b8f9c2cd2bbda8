//! The command line: which tool, with what arguments.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};
use clap_complete::Shell;
use saavedra::board::{Position, parse_move};
use saavedra::search::{MAX_DEPTH, bench};
use saavedra::uci::SPEEDTEST_SECONDS;

use crate::tools::threads;

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
    /// Play through games with all threads: how fast this machine is
    ///
    /// Thinks about the moves of some games, and shows after each of them how much of the hash one search
    /// used at most, and the speed so far. The last line is `N nodes M nps`. Unlike bench, what is
    /// searched depends on the machine.
    Speedtest(Speedtest),
    /// Count the leaves of the legal move tree (exit code 1 if a count is wrong)
    Perft(Perft),
    /// Solve the positions of an EPD file
    Solve(Solve),
    /// Annotate games: scores, mistakes with better lines, accuracy of each side (exit code 1 if a game
    /// cannot be read to its end)
    Analyse(Analyse),
    /// Let engines play each other, and weigh the result
    Match(Match),
    /// Judge games: illegal moves, claims, endings, results
    ///
    /// Errors are what is against the rules, or leaves open what was played: an illegal or ambiguous
    /// move, moves after the end of the game, a wrong result, broken PGN. Remarks are draws that could
    /// have been claimed, careless notation, and the proof for a loss on time. The exit code is 0
    /// without errors, 1 with errors, 2 if something cannot be read.
    Arbiter(Arbiter),
    /// Fit chances to win, draw and lose to the scores and results of games
    Wdl(Wdl),
    /// Build, show or check an opening book
    #[command(subcommand)]
    Book(BookCommand),
    /// Play games against itself to learn from, with the network that is built in
    Datagen(Datagen),
    /// Look at, check, join or convert training data
    #[command(subcommand)]
    Data(Data),
    /// Fit a network to training data
    Train(Train),
    /// Print the manual page, or write one for each command
    Man(Man),
    /// Print a script by which a shell completes commands and options
    ///
    /// For bash: saavedra completions bash > ~/.local/share/bash-completion/completions/saavedra
    Completions(Completions),
    /// Print the numbers of the search as OpenBench's SPSA tuner takes them
    #[cfg(feature = "tune")]
    Spsa,
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

/// `saavedra speedtest`
#[derive(Debug, Args)]
pub struct Speedtest {
    /// Search threads [default: one for each core]
    #[arg(long, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Hash in MiB [default: 128 for each thread]
    #[arg(long, value_name = "MIB", value_parser = value_parser!(u64).range(1..=33_554_432))]
    pub hash: Option<u64>,
    /// How long to search altogether
    #[arg(long, default_value_t = SPEEDTEST_SECONDS, value_parser = value_parser!(u32).range(1..))]
    pub seconds: u32,
}

impl Speedtest {
    /// The same in UCI.
    pub fn commands(&self) -> Vec<String> {
        let threads = threads(self.threads);
        let hash = self.hash.unwrap_or(128 * threads as u64);
        vec![
            format!("setoption name Threads value {threads}"),
            format!("setoption name Hash value {hash}"),
            format!("speedtest {}", self.seconds),
        ]
    }
}

/// `saavedra perft`
#[derive(Debug, Args)]
pub struct Perft {
    /// Position; the start position if not given
    #[arg(long, conflicts_with = "epd")]
    pub fen: Option<String>,
    /// Depth in plies; with --epd the greatest depth to check [default: 5, every depth of the file]
    #[arg(long, value_parser = value_parser!(u32).range(1..))]
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

/// `saavedra analyse`
#[derive(Debug, Args)]
pub struct Analyse {
    /// Games; Chess960 and set-up positions too
    #[arg(value_name = "PGN")]
    pub file: PathBuf,
    /// Write to this file instead of standard output, where a summary of each game goes then
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a JSON object a line for each game instead of PGN; scores are White's
    #[arg(long)]
    pub json: bool,
    /// Draw White's expected points over the moves; with several games FILE-1.svg, FILE-2.svg, ...
    #[arg(long, value_name = "FILE.svg")]
    pub graph: Option<PathBuf>,
    /// Go on after the last game in --out; games and settings must be the same
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Positions to search for each position [default: 1000000 if no other limit is given]
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Time for each position in milliseconds
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..))]
    pub movetime: Option<u64>,
    /// Depth for each position
    #[arg(long, value_parser = value_parser!(i32).range(1..=MAX_DEPTH as i64))]
    pub depth: Option<i32>,
    /// Better lines to show for a judged move
    #[arg(long, default_value_t = 1, value_name = "LINES", value_parser = value_parser!(u16).range(1..=500))]
    pub multipv: u16,
    /// Positions to search at the same time; the result does not depend on it, except with --movetime
    /// [default: one for each core]
    #[arg(long, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Hash of each thread in MiB
    #[arg(long, default_value_t = 64, value_name = "MIB", value_parser = value_parser!(u64).range(1..=33_554_432))]
    pub hash: u64,
}

/// `saavedra match`
#[derive(Debug, Args)]
pub struct Match {
    /// An engine, at least twice: cmd=PATH,name=NAME,args=ARGUMENTS,dir=FOLDER,tc=[MOVES/]TIME[+INC],
    /// st=TIME,nodes=N,depth=N,option.NAME=VALUE. Times are in seconds or minutes:seconds
    #[arg(long, required = true, value_name = "SETTINGS")]
    pub engine: Vec<String>,
    /// Settings of every engine, as for --engine
    #[arg(long, value_name = "SETTINGS")]
    pub each: Option<String>,
    /// Who meets whom
    #[arg(long, value_enum, default_value_t = Tournament::RoundRobin)]
    pub tournament: Tournament,
    /// Games of each two engines
    #[arg(long, default_value_t = 100, value_parser = value_parser!(u32).range(1..))]
    pub games: u32,
    /// Games at the same time
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=512))]
    pub concurrency: u16,
    /// Openings: PGN, or a position a line
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Play each opening twice, with colours reversed
    #[arg(long)]
    pub repeat: bool,
    /// Take openings as they stand in the file instead of shuffling them
    #[arg(long)]
    pub in_order: bool,
    /// Decides the order of the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Chess960
    #[arg(long)]
    pub chess960: bool,
    /// Who ends a game drawn by repetition or move counter: fide, nobody without a claim; online, the
    /// arbiter
    #[arg(long, value_enum, default_value_t = Rules::Online)]
    pub rules: Rules,
    /// Milliseconds by which a move may be late
    #[arg(long, default_value_t = 0, value_name = "MS")]
    pub time_margin: u64,
    /// Call a game won when both engines agree on a score for so many moves: moves=3,score=1000
    #[arg(long, value_name = "SETTINGS")]
    pub resign: Option<String>,
    /// Call a game drawn when both engines agree, from a move on, for so many moves:
    /// from=40,moves=8,score=10
    #[arg(long, value_name = "SETTINGS")]
    pub draw: Option<String>,
    /// End when one of two hypotheses is accepted: elo0=0,elo1=5,alpha=0.05,beta=0.05
    #[arg(long, value_name = "SETTINGS")]
    pub sprt: Option<String>,
    /// Write the games to this file
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Continue the match whose games are in --pgn
    #[arg(long)]
    pub resume: bool,
    /// Print the final report as JSON
    #[arg(long)]
    pub json: bool,
}

/// `saavedra arbiter`
#[derive(Debug, Args)]
pub struct Arbiter {
    /// Games; - for standard input
    #[arg(required_unless_present_any = ["fen", "fens", "moves"], value_name = "PGN")]
    pub files: Vec<PathBuf>,
    /// Judge one position instead
    #[arg(long, conflicts_with_all = ["files", "fens"])]
    pub fen: Option<String>,
    /// Moves played from there, in any notation; without --fen from the start position
    #[arg(long, num_args = 1.., value_name = "MOVE", conflicts_with_all = ["files", "fens"])]
    pub moves: Vec<String>,
    /// Judge the positions of a file of FENs, one a line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    pub fens: Option<PathBuf>,
    /// Who ends a game drawn by repetition or move counter: fide, nobody without a claim; online, the
    /// server
    #[arg(long, value_enum, default_value_t = Rules::Fide)]
    pub rules: Rules,
    /// Whose flag fell at the end [default: as the Termination tag says]
    #[arg(long, value_enum, value_name = "SIDE")]
    pub flag: Option<Side>,
    /// Positions to look at for each question whether a side can still mate
    #[arg(long, default_value_t = 1_000_000, value_parser = value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Games to judge at the same time [default: one for each core]
    #[arg(long, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print an object a line as JSON: one for each game, then the summary; or one for each position
    #[arg(long)]
    pub json: bool,
}

/// `saavedra wdl`
#[derive(Debug, Args)]
pub struct Wdl {
    /// Games with a comment `{+0.35/18 0.412s}` after each move, as `saavedra match` writes them
    #[arg(required = true, value_name = "PGN")]
    pub files: Vec<PathBuf>,
    /// Count only the scores of this player [default: of both]
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `saavedra book`
#[derive(Debug, Subcommand)]
pub enum BookCommand {
    /// Make a Polyglot book of opening lines or of games
    Build(BookBuild),
    /// Show the moves for a position
    Show(BookShow),
    /// Search every position of the book (exit code 1 if a move loses more than the margin)
    Check(BookCheck),
}

/// `saavedra book build`
#[derive(Debug, Args)]
pub struct BookBuild {
    /// PGN, or text with a line `NAME: MOVE MOVE ...` for each opening
    pub source: PathBuf,
    /// The new book
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Take so many plies of each line
    #[arg(long, default_value_t = 24)]
    pub plies: usize,
    /// Leave out moves that fewer lines go through
    #[arg(long, default_value_t = 1, value_name = "LINES")]
    pub min_games: u32,
}

/// `saavedra book show`
#[derive(Debug, Args)]
pub struct BookShow {
    /// Position; the start position if not given
    pub fen: Option<String>,
    /// Polyglot book [default: the one that is built in]
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
}

/// `saavedra book check`
#[derive(Debug, Args)]
pub struct BookCheck {
    /// Polyglot book [default: the one that is built in]
    pub book: Option<PathBuf>,
    /// Positions to search for each position and for each move; ten times as many before a move is
    /// called bad
    #[arg(long, default_value_t = 100_000, value_parser = value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// How much worse than the best a move may be
    #[arg(long, default_value_t = 100, value_name = "CENTIPAWNS")]
    pub margin: i32,
    /// Hash in MiB
    #[arg(long, default_value_t = 64, value_name = "MIB", value_parser = value_parser!(u64).range(1..=33_554_432))]
    pub hash: u64,
}

/// `saavedra datagen`
#[derive(Debug, Args)]
pub struct Datagen {
    /// Append the games to this file; what it holds already is continued (settings are kept beside it)
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// End when the file holds so many games [default: go on until Ctrl-C]
    #[arg(long)]
    pub games: Option<u64>,
    /// End after this time
    #[arg(long)]
    pub seconds: Option<u64>,
    /// The same seed and settings give the same games, whatever the number of threads
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Games at the same time [default: one for each core]
    #[arg(long, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// No iteration begins after so many positions of a search
    #[arg(long, default_value_t = 150, value_name = "NODES", value_parser = value_parser!(u64).range(1..))]
    pub soft: u64,
    /// A search ends after so many positions
    #[arg(long, default_value_t = 1200, value_name = "NODES", value_parser = value_parser!(u64).range(1..))]
    pub hard: u64,
    /// Games in a hundred that begin with a Chess960 array, half of them with one for each side
    #[arg(long, default_value_t = 10, value_name = "PERCENT", value_parser = value_parser!(u8).range(..=100))]
    pub frc: u8,
    /// Positions to begin some games from: PGN, or a position a line
    #[arg(long, value_name = "FILE")]
    pub openings: Vec<PathBuf>,
    /// Games in a hundred that begin from --openings
    #[arg(long, requires = "openings", default_value_t = 10, value_name = "PERCENT", value_parser = value_parser!(u8).range(..=100))]
    pub openings_share: u8,
}

/// `saavedra train`
#[derive(Debug, Args)]
pub struct Train {
    /// Files in viriformat
    #[arg(required = true, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// The new network; beside it a checkpoint after each epoch (.checkpoint) and the losses (.csv, .svg)
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Begin with this network instead of random weights; a lower --rate keeps more of it
    #[arg(long, value_name = "NETWORK", conflicts_with_all = ["mirror", "scale"])]
    pub init: Option<PathBuf>,
    /// Size of the hidden layer, a multiple of 64 [default: 256, or that of --init]
    #[arg(long, value_name = "NEURONS", value_parser = value_parser!(u16).range(64..=4096))]
    pub hidden: Option<u16>,
    /// Each side sees its king on the left half of the board
    #[arg(long)]
    pub mirror: bool,
    /// Sets of output weights, chosen by the number of men [default: 1, or that of --init]
    #[arg(long, value_parser = value_parser!(u8).range(1..=32))]
    pub buckets: Option<u8>,
    /// How far labels look ahead, TD(λ): how much each following score of the game counts compared
    /// with the one before it; 0 for the score alone, 1 for the result alone
    #[arg(long, default_value_t = 0.85, value_name = "SHARE", value_parser = share)]
    pub lambda: f32,
    /// How much the result of the game counts besides, from 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = share)]
    pub result_weight: f32,
    /// How often to go through all positions
    #[arg(long, default_value_t = 12, value_parser = value_parser!(u16).range(1..))]
    pub epochs: u16,
    /// Positions of a step
    #[arg(long, default_value_t = 16_384, value_name = "POSITIONS", value_parser = value_parser!(u32).range(1..))]
    pub batch: u32,
    /// Learning rate at the beginning
    #[arg(long, default_value_t = 1e-3, value_parser = share)]
    pub rate: f32,
    /// Learning rate at the end
    #[arg(long, default_value_t = 2.43e-6, value_parser = share)]
    pub final_rate: f32,
    /// Centipawns at which the expected score is 73 %
    #[arg(long, default_value_t = 400, value_name = "CENTIPAWNS", value_parser = value_parser!(i32).range(1..=10_000))]
    pub scale: i32,
    /// Decides the first weights and the order of the positions
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads [default: one for each core]
    #[arg(long, value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Go on after the last finished epoch; data and all other settings must be the same
    #[arg(long)]
    pub resume: bool,
    /// Text to keep in the file [default: data and settings]
    #[arg(long)]
    pub note: Option<String>,
}

/// `saavedra man`
#[derive(Debug, Args)]
pub struct Man {
    /// Write the pages of all commands to this folder
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// `saavedra completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// Which shell
    pub shell: Shell,
}

/// `saavedra data`
#[derive(Debug, Subcommand)]
pub enum Data {
    /// Count games, results, lengths, scores and duplicates (exit code 1 if a game is damaged)
    Info(DataFiles),
    /// Prove every move of every game (exit code 1 if a game is damaged)
    Verify(DataFiles),
    /// Join files, leaving out duplicate and damaged games
    Merge(DataMerge),
    /// Write the positions that a network learns from to standard output, as lines
    /// `FEN | score | result`: the network's centipawns and the result from White's view, castling in Shredder letters
    Convert(DataConvert),
}

/// Files of training data.
#[derive(Debug, Args)]
pub struct DataFiles {
    /// Files in viriformat
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `saavedra data merge`
#[derive(Debug, Args)]
pub struct DataMerge {
    /// Files in viriformat
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The new file
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `saavedra data convert`
#[derive(Debug, Args)]
pub struct DataConvert {
    /// A file in viriformat
    pub file: PathBuf,
    /// End after so many positions
    #[arg(long, value_name = "POSITIONS")]
    pub limit: Option<u64>,
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tournament {
    /// Everybody meets everybody
    RoundRobin,
    /// The first engine meets all others
    Gauntlet,
}

/// The rule set of the arbiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rules {
    /// Only what ends a game over the board without a claim
    Fide,
    /// Threefold repetition and fifty moves end the game at once
    Online,
}

/// White or Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// White
    White,
    /// Black
    Black,
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("not a number from 0 to 1".to_string()),
    }
}
