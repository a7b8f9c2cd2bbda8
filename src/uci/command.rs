//! Commands: a line of text becomes a value.
//!
//! Reading never fails: what cannot be understood becomes [`Command::Unknown`], and inside a `go` line
//! an unreadable number counts as not given.

use std::convert::Infallible;
use std::str::FromStr;

use crate::engine::Genfens;

/// A line from the GUI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Introduce yourself.
    Uci,
    /// Are you there?
    IsReady,
    /// Change an option; the value is missing for buttons.
    SetOption {
        /// As written.
        name: String,
        /// Trimmed; blanks inside are kept.
        value: Option<String>,
    },
    /// The next position is from another game.
    UciNewGame,
    /// The position to search.
    Position {
        /// A FEN, or the start position.
        fen: Option<String>,
        /// In UCI notation.
        moves: Vec<String>,
    },
    /// Search.
    Go(Box<Go>),
    /// Count leaves instead of searching.
    GoPerft(u32),
    /// End the search.
    Stop,
    /// The expected move was played.
    PonderHit,
    /// End.
    Quit,
    /// Say more, or no longer.
    Debug(bool),
    /// Show the board.
    Display,
    /// Show the static evaluation.
    Eval,
    /// Run the benchmark, perhaps to another depth.
    Bench(Option<i32>),
    /// Measure the speed with the options as they are set, perhaps for so many seconds.
    Speedtest(Option<u32>),
    /// Find positions to begin games from.
    Genfens(Genfens),
    /// Exchange the colours.
    Flip,
    /// List the commands.
    Help,
    /// An empty line.
    Nothing,
    /// Anything else.
    Unknown(String),
}

/// What stands on a `go` line. Times are in milliseconds and may be negative.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// Moves to search, in UCI notation.
    pub searchmoves: Option<Vec<String>>,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// No end before `stop`.
    pub infinite: bool,
    /// White's clock.
    pub wtime: Option<i64>,
    /// Black's clock.
    pub btime: Option<i64>,
    /// White's increment.
    pub winc: Option<i64>,
    /// Black's increment.
    pub binc: Option<i64>,
    /// Moves to the next time control.
    pub movestogo: Option<i64>,
    /// Depth in plies.
    pub depth: Option<i64>,
    /// Positions.
    pub nodes: Option<i64>,
    /// Full moves to a mate; a bare `mate` means any.
    pub mate: Option<i64>,
    /// Time for this move.
    pub movetime: Option<i64>,
}

impl FromStr for Command {
    type Err = Infallible;

    fn from_str(line: &str) -> Result<Command, Infallible> {
        let mut tokens = line.split_whitespace();
        let Some(first) = tokens.next() else {
            return Ok(Command::Nothing);
        };
        Ok(match first {
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "setoption" => set_option(line).unwrap_or_else(|| unknown(line)),
            "ucinewgame" => Command::UciNewGame,
            "position" => position(tokens).unwrap_or_else(|| unknown(line)),
            "go" => go(&tokens.collect::<Vec<_>>()),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "quit" => Command::Quit,
            "debug" => match tokens.next() {
                Some("on") => Command::Debug(true),
                Some("off") => Command::Debug(false),
                _ => unknown(line),
            },
            "d" => Command::Display,
            "eval" => Command::Eval,
            "bench" => optional(tokens.next()).map_or_else(|| unknown(line), Command::Bench),
            "speedtest" => {
                optional(tokens.next()).map_or_else(|| unknown(line), Command::Speedtest)
            }
            "genfens" => genfens(tokens).unwrap_or_else(|| unknown(line)),
            "flip" => Command::Flip,
            "help" => Command::Help,
            // The protocol lets GUIs ask for a registration code; there is none.
            "register" => Command::Nothing,
            _ => unknown(line),
        })
    }
}

fn unknown(line: &str) -> Command {
    Command::Unknown(line.trim().to_string())
}

/// `setoption name <words> [value <words>]`.
fn set_option(line: &str) -> Option<Command> {
    let (_, rest) = split_word(line, "name")?;
    let (name, value) = match split_word(rest, "value") {
        Some((name, value)) => (name, Some(value.trim().to_string())),
        None => (rest, None),
    };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(Command::SetOption { name, value })
}

/// Splits at the first occurrence of `word` as a whole token.
fn split_word<'l>(text: &'l str, word: &str) -> Option<(&'l str, &'l str)> {
    let is_free = |neighbour: Option<char>| neighbour.is_none_or(char::is_whitespace);
    text.match_indices(word).find_map(|(start, _)| {
        let (before, rest) = text.split_at(start);
        let (_, after) = rest.split_at(word.len());
        let free = is_free(before.chars().next_back()) && is_free(after.chars().next());
        free.then_some((before, after))
    })
}

/// `position startpos | fen <fields> [moves <moves>]`.
fn position<'l>(mut tokens: impl Iterator<Item = &'l str>) -> Option<Command> {
    let fen = match tokens.next()? {
        "startpos" => match tokens.next() {
            None | Some("moves") => None,
            Some(_) => return Option::None,
        },
        "fen" => Some(
            tokens
                .by_ref()
                .take_while(|&token| token != "moves")
                .collect::<Vec<_>>()
                .join(" "),
        ),
        _ => return None,
    };
    Some(Command::Position {
        fen,
        moves: tokens.map(str::to_string).collect(),
    })
}

/// `genfens N seed S book None|FILE [plies N] [frc PERCENT]`.
/// <https://github.com/AndyGrant/OpenBench/blob/master/Client/genfens.py>
fn genfens<'l>(mut tokens: impl Iterator<Item = &'l str>) -> Option<Command> {
    let mut wanted = Genfens {
        count: tokens.next()?.parse().ok()?,
        ..Genfens::default()
    };
    while let Some(word) = tokens.next() {
        let value = tokens.next()?;
        match word {
            "seed" => wanted.seed = value.parse().ok()?,
            "book" => wanted.book = (value != "None").then(|| value.into()),
            "plies" => wanted.plies = Some(value.parse().ok()?),
            "frc" => wanted.frc = value.parse().ok().filter(|percent| *percent <= 100)?,
            _ => return None,
        }
    }
    Some(Command::Genfens(wanted))
}

const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "infinite",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "perft",
];

fn go(tokens: &[&str]) -> Command {
    let mut go = Go::default();
    let mut rest = tokens.iter().copied().peekable();
    while let Some(word) = rest.next() {
        let number = match rest.peek() {
            Some(next) if takes_number(word) && !GO_WORDS.contains(next) => {
                rest.next().and_then(read_number)
            }
            _ => None,
        };
        match word {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "wtime" => go.wtime = number,
            "btime" => go.btime = number,
            "winc" => go.winc = number,
            "binc" => go.binc = number,
            "movestogo" => go.movestogo = number,
            "depth" => go.depth = number,
            "nodes" => go.nodes = number,
            "mate" => go.mate = number.or(Some(i64::MAX)),
            "movetime" => go.movetime = number,
            "perft" => return Command::GoPerft(number.unwrap_or(1).clamp(1, 100) as u32),
            "searchmoves" => {
                let moves = go.searchmoves.get_or_insert_default();
                while let Some(m) = rest.next_if(|next| !GO_WORDS.contains(next)) {
                    moves.push(m.to_string());
                }
            }
            _ => {}
        }
    }
    Command::Go(Box::new(go))
}

/// A number that may be left out; `None` if it is there and is none.
fn optional<T: std::str::FromStr>(token: Option<&str>) -> Option<Option<T>> {
    token
        .map(|text| text.parse().ok())
        .map_or(Some(None), |number| number.map(Some))
}

fn takes_number(word: &str) -> bool {
    GO_WORDS.contains(&word) && !matches!(word, "searchmoves" | "ponder" | "infinite")
}

/// A whole number; one too large for 64 bits counts as the largest.
fn read_number(text: &str) -> Option<i64> {
    let number: i128 = text.parse().ok()?;
    Some(number.clamp(i64::MIN.into(), i64::MAX.into()) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Command {
        line.parse().unwrap()
    }

    fn option(name: &str, value: Option<&str>) -> Command {
        Command::SetOption {
            name: name.into(),
            value: value.map(Into::into),
        }
    }

    #[test]
    fn option_names_and_values_may_hold_blanks() {
        assert_eq!(
            read("setoption name Clear Hash"),
            option("Clear Hash", None)
        );
        assert_eq!(
            read("setoption name SyzygyPath value C:\\My  Games\\tb "),
            option("SyzygyPath", Some("C:\\My  Games\\tb"))
        );
        assert_eq!(read("setoption name Hash value"), option("Hash", Some("")));
        assert_eq!(
            read("setoption  name\tHash  value\t64"),
            option("Hash", Some("64"))
        );
        assert_eq!(
            read("setoption Hash 64"),
            Command::Unknown("setoption Hash 64".into())
        );
    }

    #[test]
    fn positions_are_read_with_and_without_moves() {
        let startpos = |moves: &[&str]| Command::Position {
            fen: None,
            moves: moves.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(read("position startpos"), startpos(&[]));
        assert_eq!(read("position startpos moves"), startpos(&[]));
        assert_eq!(
            read(" position\tstartpos  moves e2e4 e7e5"),
            startpos(&["e2e4", "e7e5"])
        );
        let Command::Position { fen, moves } =
            read("position fen 8/8/8/8/8/8/8/K1k5 w - - moves a1a2")
        else {
            panic!("no position");
        };
        assert_eq!(fen.as_deref(), Some("8/8/8/8/8/8/8/K1k5 w - -"));
        assert_eq!(moves, ["a1a2"]);
    }

    #[test]
    fn genfens_is_read_as_openbench_writes_it() {
        let genfens = |line: &str| match read(line) {
            Command::Genfens(wanted) => Some(wanted),
            Command::Unknown(_) => None,
            other => panic!("{other:?}"),
        };
        let plain = Genfens {
            count: 64,
            seed: 123,
            ..Genfens::default()
        };
        assert_eq!(genfens("genfens 64 seed 123 book None "), Some(plain));
        let full = Genfens {
            count: 1,
            seed: 2,
            book: Some("Books/a.epd".into()),
            plies: Some(3),
            frc: 50,
        };
        let line = "genfens 1 seed 2 book Books/a.epd frc 50 plies 3";
        assert_eq!(genfens(line), Some(full));
        for line in [
            "genfens",
            "genfens x",
            "genfens 1 seed",
            "genfens 1 frc 101",
            "genfens 1 foo 2",
        ] {
            assert_eq!(genfens(line), None, "{line}");
        }
    }

    #[test]
    fn a_bad_number_in_go_counts_as_not_given() {
        let go = |line: &str| match read(line) {
            Command::Go(go) => *go,
            other => panic!("{other:?}"),
        };
        assert_eq!(go("go depth x movetime 100").movetime, Some(100));
        assert_eq!(
            go("go depth movetime 100"),
            Go {
                movetime: Some(100),
                ..Go::default()
            }
        );
        assert_eq!(go("go foo depth 5 bar").depth, Some(5));
        assert_eq!(go("go mate").mate, Some(i64::MAX));
        assert_eq!(go("go nodes 99999999999999999999").nodes, Some(i64::MAX));
        assert_eq!(go("go wtime -5").wtime, Some(-5));
        let restricted = go("go searchmoves e2e4 d2d4 depth 3 searchmoves a2a3");
        assert_eq!(restricted.searchmoves.unwrap(), ["e2e4", "d2d4", "a2a3"]);
        assert_eq!(restricted.depth, Some(3));
    }
}
