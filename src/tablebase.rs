//! Syzygy tablebases: what endgames of few men are worth, exactly.
//!
//! WDL tables tell whether a position is won, drawn or lost when the fifty-move counter starts anew; a
//! *cursed win* and a *blessed loss* are those that the fifty-move rule makes draws. DTZ tables tell how
//! many plies it takes to the next capture or pawn move that keeps the result. Reading them is left to
//! shakmaty-syzygy; <https://syzygy-tables.info>.

use std::path::Path;

use shakmaty::Chess;
use shakmaty_syzygy::{MaybeRounded, Tablebase, Wdl};

use crate::board::Position;
use crate::rules::Game;
use crate::score::Score;

/// Between the folders of a path.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };
/// Plies after which a draw may be claimed.
const FIFTY_MOVES: u32 = 100;

/// What a position is worth to the side to move under the fifty-move rule, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Lost.
    Loss,
    /// Lost if there were no fifty-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won if there were no fifty-move rule.
    CursedWin,
    /// Won.
    Win,
}

impl Class {
    fn of(wdl: Wdl, fifty_moves: bool) -> Class {
        match wdl {
            Wdl::Loss => Class::Loss,
            Wdl::BlessedLoss if fifty_moves => Class::BlessedLoss,
            Wdl::BlessedLoss => Class::Loss,
            Wdl::Draw => Class::Draw,
            Wdl::CursedWin if fifty_moves => Class::CursedWin,
            Wdl::CursedWin => Class::Win,
            Wdl::Win => Class::Win,
        }
    }

    /// The score of a position of this class `ply` plies from the root.
    pub fn score(self, ply: usize) -> Score {
        match self {
            Class::Loss => Score::tablebase_loss(ply),
            Class::BlessedLoss | Class::Draw | Class::CursedWin => Score::DRAW,
            Class::Win => Score::tablebase_win(ply),
        }
    }
}

/// What a move leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rank {
    /// For the side that makes the move.
    pub class: Class,
    /// Plies to the next capture or pawn move that keeps the result, the move itself included; known
    /// only with DTZ tables.
    pub dtz: Option<u32>,
}

/// How tables are to be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Positions with the most men that may be probed are probed from this depth on.
    pub depth: i32,
    /// The most men of a position that may be probed.
    pub limit: usize,
    /// Whether cursed wins are draws.
    pub fifty_moves: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            depth: 1,
            limit: 7,
            fifty_moves: true,
        }
    }
}

/// The tables that were found.
pub struct Tablebases {
    tables: Tablebase<Chess>,
    files: usize,
}

impl Tablebases {
    /// Looks for tables in the folders of `path`, which are separated as the system's search path is.
    /// Also returns what could not be used.
    pub fn open(path: &str) -> (Tablebases, Vec<String>) {
        let mut tables = mapped();
        let mut complaints = Vec::new();
        let mut files = 0;
        for folder in path
            .split(SEPARATOR)
            .filter(|folder| !folder.trim().is_empty())
        {
            match tables.add_directory(Path::new(folder)) {
                Ok(found) => files += found,
                Err(error) => complaints.push(format!("{folder}: {error}")),
            }
        }
        (Tablebases { tables, files }, complaints)
    }

    /// Number of files.
    pub fn files(&self) -> usize {
        self.files
    }

    /// The most men of a table.
    pub fn men(&self) -> usize {
        self.tables.max_pieces()
    }

    /// The class of a position inside the search, or none if it may not be probed: the counter must
    /// stand at zero, because that is what WDL tables assume.
    pub fn probe(&self, pos: &Position, depth: i32, rules: &Rules) -> Option<Class> {
        let men = pos.board().occupied().count();
        let most = self.men().min(rules.limit);
        if pos.halfmoves() > 0 || men > most || men == most && depth < rules.depth {
            return None;
        }
        let wdl = self.tables.probe_wdl_after_zeroing(pos.chess()).ok()?;
        Some(Class::of(wdl, rules.fifty_moves))
    }

    /// What every legal move of a game leads to; none if that is not known of all.
    pub fn rank(&self, game: &Game, rules: &Rules) -> Option<Vec<(shakmaty::Move, Rank)>> {
        let pos = game.position();
        let men = pos.board().occupied().count();
        if men > self.men().min(rules.limit) || pos.has_castling_rights() {
            return None;
        }
        let moves = pos.legal_moves();
        let by_dtz = moves
            .iter()
            .map(|&m| Some((m, self.rank_by_dtz(game, m, rules)?)));
        by_dtz.collect::<Option<Vec<_>>>().or_else(|| {
            let by_wdl = moves
                .iter()
                .map(|&m| Some((m, self.rank_by_wdl(pos, m, rules)?)));
            by_wdl.collect()
        })
    }

    /// Takes the fifty-move counter and repetitions into account.
    fn rank_by_dtz(&self, game: &Game, m: shakmaty::Move, rules: &Rules) -> Option<Rank> {
        let mut game = game.clone();
        game.play(m);
        let after = game.position();
        if after.is_checkmate() {
            return Some(Rank {
                class: Class::Win,
                dtz: Some(1),
            });
        }
        if game.occurrences() >= 3 {
            return Some(Rank {
                class: Class::Draw,
                dtz: None,
            });
        }
        let wdl = -self.tables.probe_wdl_after_zeroing(after.chess()).ok()?;
        let dtz = self.tables.probe_dtz(after.chess()).ok()?;
        let (rounded, plies) = match dtz {
            MaybeRounded::Rounded(dtz) => (1, dtz.0.unsigned_abs()),
            MaybeRounded::Precise(dtz) => (0, dtz.0.unsigned_abs()),
        };
        if m.is_zeroing() {
            return Some(Rank {
                class: Class::of(wdl, rules.fifty_moves),
                dtz: Some(1),
            });
        }
        // Counted from the last capture or pawn move, the result must come in time.
        let in_time = after.halfmoves() + plies + rounded <= FIFTY_MOVES;
        let wdl = match wdl {
            Wdl::Win | Wdl::CursedWin if in_time => Wdl::Win,
            Wdl::Win | Wdl::CursedWin => Wdl::CursedWin,
            Wdl::Loss | Wdl::BlessedLoss if in_time => Wdl::Loss,
            Wdl::Loss | Wdl::BlessedLoss => Wdl::BlessedLoss,
            Wdl::Draw => Wdl::Draw,
        };
        Some(Rank {
            class: Class::of(wdl, rules.fifty_moves),
            dtz: Some(plies + 1),
        })
    }

    fn rank_by_wdl(&self, pos: &Position, m: shakmaty::Move, rules: &Rules) -> Option<Rank> {
        let wdl = self
            .tables
            .probe_wdl_after_zeroing(pos.after(m).chess())
            .ok()?;
        Some(Rank {
            class: Class::of(-wdl, rules.fifty_moves),
            dtz: None,
        })
    }
}

/// Tables that are read through memory maps, which costs no call of the system for each probe.
#[cfg(target_pointer_width = "64")]
#[allow(unsafe_code)]
fn mapped() -> Tablebase<Chess> {
    // SAFETY: tables are published once and not changed thereafter. A disk that fails while they are
    // read ends the process, as it would any program that maps files.
    unsafe { Tablebase::with_mmap_filesystem() }
}

#[cfg(not(target_pointer_width = "64"))]
fn mapped() -> Tablebase<Chess> {
    Tablebase::new()
}
