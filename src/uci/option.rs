//! The options: one table of names, types and ranges, and how to read a value.

use std::fmt;

use thiserror::Error;

use super::strength::FULL_SKILL;
use crate::engine;
use crate::search::{MAX_ELO, MIN_ELO};

/// What can be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// Search threads.
    Threads,
    /// Size of the hash in MiB.
    Hash,
    /// Empties the hash.
    ClearHash,
    /// File of the network.
    EvalFile,
    /// Play from the book.
    OwnBook,
    /// File of the book.
    BookFile,
    /// Last move to play from the book.
    BookDepth,
    /// How freely to choose among its moves.
    BookVariety,
    /// Folders of tablebases.
    SyzygyPath,
    /// Least depth to probe them.
    SyzygyProbeDepth,
    /// Most men to probe them with.
    SyzygyProbeLimit,
    /// Whether cursed wins are draws.
    Syzygy50MoveRule,
    /// Number of lines.
    MultiPv,
    /// The GUI may let us think on the opponent's time.
    Ponder,
    /// Milliseconds lost between engine and GUI per move.
    MoveOverhead,
    /// Castling as king takes rook.
    Chess960,
    /// Win, draw and loss probabilities.
    ShowWdl,
    /// A user looks on.
    AnalyseMode,
    /// Play like somebody with a rating.
    LimitStrength,
    /// That rating.
    Elo,
    /// The same on a scale of its own.
    SkillLevel,
    /// What errors a weaker player makes.
    StrengthSeed,
    /// Who we play.
    Opponent,
    /// What we are.
    EngineAbout,
}

/// The type of an option, as UCI knows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A whole number.
    Spin {
        /// Until told otherwise.
        default: i64,
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// True or false.
    Check {
        /// Until told otherwise.
        default: bool,
    },
    /// Text.
    Text {
        /// Until told otherwise.
        default: &'static str,
    },
    /// Something to do.
    Button,
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// What is set.
    pub key: Key,
    /// Its name, matched without regard to case.
    pub name: &'static str,
    /// Its type and range.
    pub kind: Kind,
    /// One sentence for the user.
    pub help: &'static str,
}

const fn option(key: Key, name: &'static str, kind: Kind, help: &'static str) -> OptionSpec {
    OptionSpec {
        key,
        name,
        kind,
        help,
    }
}

/// Stands for the network or the book that was built in.
pub const BUILTIN: &str = "<builtin>";

const ABOUT: &str = concat!(
    "Saavedra ",
    env!("CARGO_PKG_VERSION"),
    ", free software under the GPL-3.0-or-later"
);

/// All options, in the order in which they are announced.
pub const OPTIONS: &[OptionSpec] = &[
    option(
        Key::Threads,
        "Threads",
        Kind::Spin {
            default: 1,
            min: 1,
            max: 1024,
        },
        "Search threads; use as many as the machine has cores to spare.",
    ),
    option(
        Key::Hash,
        "Hash",
        Kind::Spin {
            default: engine::DEFAULT_HASH as i64,
            min: 1,
            max: 33_554_432,
        },
        "Memory for what was searched, in MiB. If it cannot be had the old size stays.",
    ),
    option(
        Key::ClearHash,
        "Clear Hash",
        Kind::Button,
        "Forgets what was searched.",
    ),
    option(
        Key::EvalFile,
        "EvalFile",
        Kind::Text { default: BUILTIN },
        "File of the network that evaluates positions. If it cannot be used the old one stays.",
    ),
    option(
        Key::OwnBook,
        "OwnBook",
        Kind::Check { default: false },
        "Plays opening moves from the book instead of thinking, in games.",
    ),
    option(
        Key::BookFile,
        "BookFile",
        Kind::Text { default: BUILTIN },
        "Polyglot book to play from. If it cannot be used the old one stays.",
    ),
    option(
        Key::BookDepth,
        "BookDepth",
        Kind::Spin {
            default: 20,
            min: 1,
            max: 500,
        },
        "Number of the last move that is played from the book.",
    ),
    option(
        Key::BookVariety,
        "BookVariety",
        Kind::Spin {
            default: 70,
            min: 0,
            max: 100,
        },
        "0 plays the heaviest book move, 100 any as often as its weight says, others are between.",
    ),
    option(
        Key::SyzygyPath,
        "SyzygyPath",
        Kind::Text { default: "" },
        "Folders of Syzygy tablebases, separated by `:` (Windows: `;`).",
    ),
    option(
        Key::SyzygyProbeDepth,
        "SyzygyProbeDepth",
        Kind::Spin {
            default: 1,
            min: 1,
            max: 100,
        },
        "Least depth at which tablebases of the most men are probed; raise it if they lie on a slow disk.",
    ),
    option(
        Key::SyzygyProbeLimit,
        "SyzygyProbeLimit",
        Kind::Spin {
            default: 7,
            min: 0,
            max: 7,
        },
        "Most men with which tablebases are probed; 0 for never.",
    ),
    option(
        Key::Syzygy50MoveRule,
        "Syzygy50MoveRule",
        Kind::Check { default: true },
        "Whether wins that the fifty-move rule spoils are draws; false for correspondence games.",
    ),
    option(
        Key::MultiPv,
        "MultiPV",
        Kind::Spin {
            default: 1,
            min: 1,
            max: 500,
        },
        "Number of lines to show, the best first; with limited strength, the one that is played.",
    ),
    option(
        Key::Ponder,
        "Ponder",
        Kind::Check { default: false },
        "Tells the engine that the GUI may let it think on the opponent's time.",
    ),
    option(
        Key::MoveOverhead,
        "Move Overhead",
        Kind::Spin {
            default: 20,
            min: 0,
            max: 5000,
        },
        "Milliseconds lost between GUI and engine per move; raise it if games are lost on time.",
    ),
    option(
        Key::Chess960,
        "UCI_Chess960",
        Kind::Check { default: false },
        "Writes castling as king takes rook (e1h1), as Chess960 needs; both ways are always read.",
    ),
    option(
        Key::ShowWdl,
        "UCI_ShowWDL",
        Kind::Check { default: false },
        "Adds the chances of a win, a draw and a loss in thousandths to each line.",
    ),
    option(
        Key::AnalyseMode,
        "UCI_AnalyseMode",
        Kind::Check { default: false },
        "Searches on where a game would be played on: with one legal move, with a mate found.",
    ),
    option(
        Key::LimitStrength,
        "UCI_LimitStrength",
        Kind::Check { default: false },
        "Plays like somebody rated `UCI_Elo`, except in analysis and in a search for a mate.",
    ),
    option(
        Key::Elo,
        "UCI_Elo",
        Kind::Spin {
            default: MAX_ELO as i64,
            min: MIN_ELO as i64,
            max: MAX_ELO as i64,
        },
        "The rating to play like.",
    ),
    option(
        Key::SkillLevel,
        "Skill Level",
        Kind::Spin {
            default: FULL_SKILL,
            min: 0,
            max: FULL_SKILL,
        },
        "Another scale for `UCI_Elo`, from its least to its greatest value in even steps; the last is full strength.",
    ),
    option(
        Key::StrengthSeed,
        "Strength Seed",
        Kind::Spin {
            default: 0,
            min: 0,
            max: 2_147_483_647,
        },
        "Decides which errors a weaker player makes; 0 for others in each game.",
    ),
    option(
        Key::Opponent,
        "UCI_Opponent",
        Kind::Text { default: "" },
        "Who the opponent is; noted in the log.",
    ),
    option(
        Key::EngineAbout,
        "UCI_EngineAbout",
        Kind::Text { default: ABOUT },
        "What the engine is.",
    ),
];

/// A value of the right type, inside its range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of a spin option.
    Number(i64),
    /// Of a check option.
    Flag(bool),
    /// Of a string option.
    Text(String),
    /// Of a button.
    Pressed,
}

/// Why an option was not set.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum OptionError {
    /// There is no such option.
    #[error("no option is called '{0}'")]
    NoSuchOption(String),
    /// Not a whole number in the range.
    #[error("{name} takes a whole number from {min} to {max}, not '{value}'")]
    NotInRange {
        /// The option.
        name: &'static str,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
        /// What was given.
        value: String,
    },
    /// Neither true nor false.
    #[error("{name} takes true or false, not '{value}'")]
    NotAFlag {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
    },
}

/// Finds the option called `name` and reads `value` for it.
///
/// # Errors
/// When there is no such option or the value does not fit.
pub fn read(name: &str, value: Option<&str>) -> Result<(Key, Value), OptionError> {
    let spec = OPTIONS
        .iter()
        .find(|spec| spec.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| OptionError::NoSuchOption(name.to_string()))?;
    let text = match value.unwrap_or_default() {
        "<empty>" => "",
        text => text,
    };
    let value = match spec.kind {
        Kind::Spin { min, max, .. } => match text.parse() {
            Ok(number) if (min..=max).contains(&number) => Value::Number(number),
            _ => {
                let value = text.to_string();
                return Err(OptionError::NotInRange {
                    name: spec.name,
                    min,
                    max,
                    value,
                });
            }
        },
        Kind::Check { .. } => match text.to_ascii_lowercase().as_str() {
            "true" => Value::Flag(true),
            "false" => Value::Flag(false),
            _ => {
                return Err(OptionError::NotAFlag {
                    name: spec.name,
                    value: text.to_string(),
                });
            }
        },
        Kind::Text { .. } => Value::Text(text.to_string()),
        Kind::Button => Value::Pressed,
    };
    Ok((spec.key, value))
}

/// The `option` line of the handshake, without that word.
impl fmt::Display for OptionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name {} type ", self.name)?;
        match self.kind {
            Kind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            Kind::Check { default } => write!(f, "check default {default}"),
            Kind::Text { default: "" } => write!(f, "string default <empty>"),
            Kind::Text { default } => write!(f, "string default {default}"),
            Kind::Button => write!(f, "button"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_without_regard_to_case() {
        assert_eq!(read("hash", Some("64")), Ok((Key::Hash, Value::Number(64))));
        assert_eq!(
            read("CLEAR HASH", None),
            Ok((Key::ClearHash, Value::Pressed))
        );
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused() {
        for value in [
            None,
            Some(""),
            Some("abc"),
            Some("0"),
            Some("33554433"),
            Some("1.5"),
        ] {
            assert!(read("Hash", value).is_err(), "{value:?}");
        }
        assert!(read("UCI_ShowWDL", Some("maybe")).is_err());
        assert!(read("Own Book", Some("false")).is_err());
    }

    #[test]
    fn every_default_is_a_value_of_its_option() {
        for spec in OPTIONS {
            let default = match spec.kind {
                Kind::Spin { default, .. } => default.to_string(),
                Kind::Check { default } => default.to_string(),
                Kind::Text { default } => default.to_string(),
                Kind::Button => continue,
            };
            assert!(read(spec.name, Some(&default)).is_ok(), "{}", spec.name);
        }
    }
}
