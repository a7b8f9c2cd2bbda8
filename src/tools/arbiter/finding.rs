//! What an arbiter has to say about a game.

use std::fmt;

use serde::Serialize;

/// How bad it is. Errors give exit code 1, remarks do not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Against the rules, or it cannot be told what was played.
    Error,
    /// Worth knowing: a claim that could have been made, careless notation, a proof.
    Remark,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::Error => "error",
            Severity::Remark => "remark",
        })
    }
}

/// What kind of thing was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The text is no proper PGN.
    Pgn,
    /// The position to begin from, or the variant, cannot be played.
    Setup,
    IllegalMove,
    NullMove,
    /// A word among the moves that is no move.
    Unreadable,
    Ambiguous,
    /// Moves after the end of the game.
    PlayedOn,
    Result,
    /// A loss on time.
    Flag,
    Claim,
    Notation,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Pgn => "broken PGN",
            Kind::Setup => "set-up",
            Kind::IllegalMove => "illegal move",
            Kind::NullMove => "null move",
            Kind::Unreadable => "not a move",
            Kind::Ambiguous => "ambiguous move",
            Kind::PlayedOn => "played on",
            Kind::Result => "result",
            Kind::Flag => "loss on time",
            Kind::Claim => "claim",
            Kind::Notation => "notation",
        })
    }
}

/// One thing that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub severity: Severity,
    pub kind: Kind,
    /// Line of the file.
    pub line: u64,
    /// Where it is told: 0 before the moves, then by ply, `usize::MAX` after them.
    #[serde(skip)]
    pub order: usize,
    /// Number of the move among the plies of the game, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// The move with its number, as it was written.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    pub text: String,
    /// Every opportunity for a claim of the kind that the text tells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimRecord>,
    /// UCI moves that lead to mate, where somebody can mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub helpmate: Option<Vec<String>>,
}

/// A claim that could have been made.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimRecord {
    /// `threefold repetition` or `fifty moves`.
    pub rule: String,
    /// `White` or `Black`.
    pub by: String,
    /// Plies played before the claim.
    pub plies: usize,
    /// The move to be announced in SAN, `None` where the position on the board is enough.
    pub announcing: Option<String>,
    /// Plies after which the position stood, the announced move included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub occurrences: Vec<usize>,
}
