//! Single positions: legal or not, what can be played, whether the game is over, who can still mate.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write, stdin};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use rayon::prelude::*;
use saavedra::board::{FenError, Position, uci_text};
use saavedra::rules::unwinnable::{self, Verdict};
use saavedra::rules::{Ending, Game};
use serde::Serialize;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Color, FromSetup, Move, PositionErrorKinds};

use super::diagram;
use super::finding::{Finding, Kind};
use super::judge::{Settings, judge};
use super::pgn::Games;
use super::record::{Fault, Record, Tag};
use super::report;
use super::words::{color_name, counted, line_text, men_on};
use super::{CLEAN, ERRORS};
use crate::cli::Arbiter;
use crate::tools::threads;

/// Lines that are answered at the same time.
const LINES: usize = 256;

/// What there is to say about a position.
#[derive(Default, Debug, Serialize)]
struct Answer {
    fen: String,
    /// Whether the position can have arisen in a game, as far as can be seen.
    legal: bool,
    /// Why it cannot.
    why: Vec<&'static str>,
    turn: Option<&'static str>,
    /// Men that give check.
    checkers: Option<String>,
    /// In UCI notation.
    legal_moves: Vec<String>,
    ending: Option<String>,
    white_can_mate: &'static str,
    black_can_mate: &'static str,
    /// UCI moves from here to mate.
    helpmate_white: Option<Vec<String>>,
    helpmate_black: Option<Vec<String>>,
    /// Why a side cannot mate.
    reason_white: Option<String>,
    reason_black: Option<String>,
    /// Whether neither side can mate; `None` where that was not settled.
    dead: Option<bool>,
    /// Positions looked at to find out who can mate.
    nodes: u64,
}

/// Answers for every line of a file, in its order.
pub fn run_file(path: &Path, args: &Arbiter, settings: &Settings) -> anyhow::Result<u8> {
    let place = || format!("cannot read {}", path.display());
    let input: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path).with_context(place)?))
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads(args.threads))
        .build()?;
    let mut out = BufWriter::new(std::io::stdout());
    let mut are_legal = true;
    let mut is_empty = true;
    let mut lines = input.split(b'\n');
    loop {
        let mut fens = Vec::new();
        let mut are_left = false;
        for line in lines.by_ref().take(LINES) {
            let line = line.with_context(place)?;
            let line = String::from_utf8_lossy(&line).trim().to_string();
            are_left = true;
            if !line.is_empty() && !line.starts_with('#') {
                fens.push(line);
            }
        }
        if !are_left {
            break;
        }
        let examined: Vec<Examined> =
            pool.install(|| fens.par_iter().map(|fen| examine(fen, settings)).collect());
        for examined in examined {
            is_empty = false;
            are_legal &= examined.answer.legal;
            if args.json {
                writeln!(out, "{}", serde_json::to_string(&examined.answer)?)?;
            } else {
                print(&examined, &mut out)?;
                print_ending(examined.answer.ending.as_deref(), &mut out)?;
                writeln!(out)?;
            }
        }
        out.flush()?;
    }
    ensure!(!is_empty, "no position was found in {}", path.display());
    Ok(if are_legal { CLEAN } else { ERRORS })
}

/// Answers for the position after `--moves` from `--fen`.
pub fn run_one(fen: Option<&str>, args: &Arbiter, settings: &Settings) -> anyhow::Result<u8> {
    let start = Position::startpos().fen(CastlingMode::Standard);
    let fen = fen.unwrap_or(&start);
    if let Err(FenError::Syntax(error)) = Position::from_fen(fen) {
        bail!("--fen '{fen}': {error}");
    }
    let verdict = judge(&record(fen, &args.moves)?, settings);
    let after = match &verdict.last {
        Some(game) if !args.moves.is_empty() => game.position().fen(CastlingMode::Standard),
        _ => fen.to_string(),
    };
    let examined = examine(&after, settings);
    let answer = &examined.answer;
    let mut out = std::io::stdout().lock();
    if args.json {
        let mut value = serde_json::to_value(answer)?;
        value["findings"] = serde_json::to_value(&verdict.findings)?;
        value["ending"] = verdict.ending.clone().into();
        writeln!(out, "{value}")?;
    } else {
        print(&examined, &mut out)?;
        print_ending(verdict.ending.as_deref(), &mut out)?;
        report::print_findings(&told(&verdict.findings), false, &mut out)?;
    }
    Ok(if answer.legal && !verdict.has_error() {
        CLEAN
    } else {
        ERRORS
    })
}

/// The game of the command line: its moves lie in no file.
fn record(fen: &str, moves: &[String]) -> io::Result<Record> {
    let text = moves.join(" ");
    let mut record = Games::new(text.as_bytes())?.next()?.unwrap_or_default();
    record.faults.retain(|(_, fault)| *fault != Fault::NoResult);
    record.tags.push(Tag {
        name: "FEN".to_string(),
        value: fen.to_string(),
        line: 1,
    });
    Ok(record)
}

/// Findings that the answer itself does not give: a position that cannot be played is told there.
fn told(findings: &[Finding]) -> Vec<Finding> {
    let mut findings = findings.to_vec();
    findings.retain(|finding| finding.kind != Kind::Setup);
    findings
}

/// What was found out about a position.
struct Examined {
    answer: Answer,
    /// The position and what each side can do, if it can be played.
    board: Option<(Position, [unwinnable::Answer; 2])>,
}

fn examine(fen: &str, settings: &Settings) -> Examined {
    let (position, why) = read(fen);
    let legal = why.is_empty();
    let Some(position) = position else {
        let answer = Answer {
            fen: fen.to_string(),
            legal,
            why,
            white_can_mate: "unknown",
            black_can_mate: "unknown",
            ..Answer::default()
        };
        return Examined {
            answer,
            board: None,
        };
    };
    let mating = Color::ALL.map(|side| unwinnable::can_mate(&position, side, settings.nodes));
    let [white, black] = &mating;
    let dead = match [can_mate(white), can_mate(black)] {
        ["no", "no"] => Some(true),
        [one, other] => (one == "yes" || other == "yes").then_some(false),
    };
    let ending = Game::new(position.clone()).ending(settings.rules);
    let ending = ending.or(dead.unwrap_or(false).then_some(Ending::DeadPosition));
    let checkers = position
        .in_check()
        .then(|| men_on(&position, position.checkers()));
    let answer = Answer {
        fen: fen.to_string(),
        legal,
        why,
        turn: Some(color_name(position.turn())),
        checkers,
        legal_moves: uci(&position.legal_moves()),
        ending: ending.map(|ending| ending.to_string()),
        white_can_mate: can_mate(white),
        black_can_mate: can_mate(black),
        helpmate_white: helpmate(white),
        helpmate_black: helpmate(black),
        reason_white: reason(white),
        reason_black: reason(black),
        dead,
        nodes: white.nodes + black.nodes,
    };
    Examined {
        answer,
        board: Some((position, mating)),
    }
}

fn can_mate(answer: &unwinnable::Answer) -> &'static str {
    match answer.verdict {
        Verdict::Winnable(_) => "yes",
        Verdict::Unwinnable(_) => "no",
        Verdict::Undetermined => "unknown",
    }
}

fn helpmate(answer: &unwinnable::Answer) -> Option<Vec<String>> {
    match &answer.verdict {
        Verdict::Winnable(line) => Some(uci(line)),
        _ => None,
    }
}

fn reason(answer: &unwinnable::Answer) -> Option<String> {
    match answer.verdict {
        Verdict::Unwinnable(reason) => Some(reason.to_string()),
        _ => None,
    }
}

fn uci(moves: &[Move]) -> Vec<String> {
    moves
        .iter()
        .map(|&m| uci_text(m, CastlingMode::Standard))
        .collect()
}

/// The position, if it can be played, and why it cannot have arisen in a game.
fn read(fen: &str) -> (Option<Position>, Vec<&'static str>) {
    let position = match Position::from_fen(fen) {
        Ok(position) => position,
        Err(error) => return (None, vec![fault(&error)]),
    };
    let Ok(parsed) = Fen::from_ascii(fen.trim().as_bytes()) else {
        return (None, vec!["the text is not a FEN"]);
    };
    let kinds = match Chess::from_setup(parsed.into_setup(), CastlingMode::Chess960) {
        Ok(_) => PositionErrorKinds::empty(),
        Err(error) => error.kinds(),
    };
    let reasons = [
        (
            PositionErrorKinds::INVALID_CASTLING_RIGHTS,
            "castling rights without king and rook at home",
        ),
        (
            PositionErrorKinds::INVALID_EP_SQUARE,
            "an en passant square that no pawn can just have passed",
        ),
        (
            PositionErrorKinds::IMPOSSIBLE_CHECK,
            "a check that no move can have given",
        ),
        (
            PositionErrorKinds::TOO_MUCH_MATERIAL,
            "more men than promotions can explain",
        ),
    ];
    let why = reasons
        .into_iter()
        .filter(|(kind, _)| kinds.contains(*kind));
    (Some(position), why.map(|(_, text)| text).collect())
}

fn fault(error: &FenError) -> &'static str {
    match error {
        FenError::Syntax(_) => "the text is not a FEN",
        FenError::Variant => "a position of another variant",
        FenError::MissingKing => "a king is missing",
        FenError::TooManyKings => "more than one king of a colour",
        FenError::PawnOnBackrank => "a pawn on the first or last rank",
        FenError::OppositeCheck => "the side not to move is in check",
        FenError::TooManyMen => "more than 32 men",
    }
}

fn print_ending(ending: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    match ending {
        Some(ending) => writeln!(out, "The game is over: {ending}"),
        None => Ok(()),
    }
}

fn print(examined: &Examined, out: &mut impl Write) -> io::Result<()> {
    let answer = &examined.answer;
    let why = answer.why.join(", ");
    let Some((position, mating)) = &examined.board else {
        return writeln!(
            out,
            "{}\nNot a position that can be played: {why}",
            answer.fen
        );
    };
    writeln!(out, "{}", diagram::draw(position))?;
    writeln!(out, "{}", answer.fen)?;
    if !answer.legal {
        writeln!(out, "Cannot have arisen in a game: {why}")?;
    }
    let turn = color_name(position.turn());
    match &answer.checkers {
        Some(checkers) => writeln!(out, "{turn} to move, in check from {checkers}")?,
        None => writeln!(out, "{turn} to move")?,
    }
    let san = |&m: &Move| SanPlus::from_move(position.chess().clone(), m).to_string();
    let mut moves: Vec<String> = position.legal_moves().iter().map(san).collect();
    moves.sort();
    writeln!(
        out,
        "{}: {}",
        counted(moves.len(), "legal move"),
        moves.join(" ")
    )?;
    for (side, mating) in Color::ALL.into_iter().zip(mating) {
        let side = color_name(side);
        match &mating.verdict {
            Verdict::Winnable(line) if line.is_empty() => writeln!(out, "{side} has mated")?,
            Verdict::Winnable(line) => {
                let line = line_text(position, position.move_number(), line);
                writeln!(out, "{side} can mate: {line}")?;
            }
            Verdict::Unwinnable(reason) => writeln!(out, "{side} cannot mate: {reason}")?,
            Verdict::Undetermined => {
                let nodes = mating.nodes;
                writeln!(
                    out,
                    "Whether {side} can mate was not settled in {nodes} positions"
                )?;
            }
        }
    }
    Ok(())
}
