//! History: which moves were good lately, wherever in the tree.
//!
//! Five tables of running averages in `±MAX`. Each thread has its own; they live through a game and
//! are forgotten with `ucinewgame`.

use shakmaty::{Bitboard, Color, Move, Role, Square};
use zerocopy::FromZeros;

use super::correction::Corrections;
use crate::board::{Position, Threats, is_noisy};
use crate::params;

/// Averages stay inside `±MAX`.
const MAX: i32 = 16_384;
/// Pawn structures told apart; keys that fall together share a row.
const STRUCTURES: usize = 512;
/// Kinds of men of both sides times squares.
pub const PIECE_TO: usize = 12 * 64;

/// A man arriving on a square: the index of continuation history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceTo(u16);

impl PieceTo {
    pub fn new(color: Color, m: Move) -> PieceTo {
        let piece = 2 * (m.role() as u16 - 1) + color as u16;
        PieceTo(piece * 64 + m.to() as u16)
    }

    /// Where it arrives.
    pub fn to(self) -> Square {
        Square::new(u32::from(self.0 % 64))
    }

    /// As a number below [`PIECE_TO`].
    pub fn index(self) -> usize {
        self.0.into()
    }
}

/// What follows where no move was played.
static NO_EXPERIENCE: [i16; PIECE_TO] = [0; PIECE_TO];

/// The moves played 1, 2 and 4 plies ago.
pub type Line = [Option<PieceTo>; 3];

/// What the worth of a move depends on besides itself.
#[derive(Clone, Copy, Default)]
pub struct Context {
    pub line: Line,
    pub threats: Threats,
}

/// What a thread remembers of good and bad moves.
pub struct History {
    /// By color, by whether origin and destination are attacked, and by both squares.
    butterfly: Box<[[[i16; 4096]; 4]; 2]>,
    /// By man and destination, then by the man captured.
    captures: Box<[[i16; 6]; PIECE_TO]>,
    /// By pawn structure, then by man and destination.
    structure: Box<[[i16; PIECE_TO]]>,
    /// Errors of the evaluation.
    pub(super) corrections: Corrections,
    /// By an earlier man and destination, then by man and destination.
    continuation: Box<[[i16; PIECE_TO]]>,
}

impl History {
    /// No experience.
    pub fn new() -> History {
        History {
            butterfly: Box::new([[[0; 4096]; 4]; 2]),
            captures: Box::new([[0; 6]; PIECE_TO]),
            structure: vec![[0; PIECE_TO]; STRUCTURES].into_boxed_slice(),
            corrections: Corrections::new(),
            continuation: vec![[0; PIECE_TO]; PIECE_TO].into_boxed_slice(),
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        self.butterfly.zero();
        self.captures.zero();
        self.structure.zero();
        self.corrections.forget();
        self.continuation.zero();
    }

    /// What is remembered of the quiet moves of a position.
    pub fn quiets(&self, pos: &Position, context: &Context) -> Quiets<'_> {
        let us = pos.turn();
        Quiets {
            us,
            threats: context.threats.all,
            butterfly: &self.butterfly[us as usize],
            structure: &self.structure[structure(pos)],
            continuation: (context.line).map(|earlier| match earlier {
                Some(earlier) => &self.continuation[earlier.index()],
                None => &NO_EXPERIENCE,
            }),
        }
    }

    /// How good `m`, a noisy move, was.
    pub fn noisy(&self, pos: &Position, m: Move) -> i32 {
        let captured = m.capture().unwrap_or(Role::Pawn) as usize - 1;
        self.captures[PieceTo::new(pos.turn(), m).index()][captured].into()
    }

    /// Learns from a move that refuted the position: it was good, those tried before it were not.
    pub fn learn(
        &mut self,
        pos: &Position,
        context: &Context,
        best: Move,
        quiets: &[Move],
        noisies: &[Move],
        depth: i32,
    ) {
        let bonus = bonus(depth);
        if is_noisy(best) {
            self.learn_noisy(pos, best, bonus);
        } else {
            self.learn_quiet(pos, context, best, bonus);
            for &m in quiets.iter().filter(|&&m| m != best) {
                self.learn_quiet(pos, context, m, -bonus);
            }
        }
        for &m in noisies.iter().filter(|&&m| m != best) {
            self.learn_noisy(pos, m, -bonus);
        }
    }

    fn learn_quiet(&mut self, pos: &Position, context: &Context, m: Move, bonus: i32) {
        let us = pos.turn();
        let piece_to = PieceTo::new(us, m);
        let butterfly = &mut self.butterfly[us as usize][danger(m, context.threats.all)];
        update(&mut butterfly[from_to(m)], bonus);
        update(&mut self.structure[structure(pos)][piece_to.index()], bonus);
        self.learn_continuation(context.line, piece_to, bonus);
    }

    /// Learns how good a quiet move was after those before it.
    pub fn learn_continuation(&mut self, line: Line, piece_to: PieceTo, bonus: i32) {
        for earlier in line.into_iter().flatten() {
            update(
                &mut self.continuation[earlier.index()][piece_to.index()],
                bonus,
            );
        }
    }

    fn learn_noisy(&mut self, pos: &Position, m: Move, bonus: i32) {
        let captured = m.capture().unwrap_or(Role::Pawn) as usize - 1;
        update(
            &mut self.captures[PieceTo::new(pos.turn(), m).index()][captured],
            bonus,
        );
    }
}

/// The parts of [`History`] that quiet moves of one position are looked up in.
pub struct Quiets<'h> {
    us: Color,
    threats: Bitboard,
    butterfly: &'h [[i16; 4096]; 4],
    structure: &'h [i16; PIECE_TO],
    continuation: [&'h [i16; PIECE_TO]; 3],
}

impl Quiets<'_> {
    /// How good `m`, a quiet move, was: alone, with these pawns, and after the moves before it.
    #[inline]
    pub fn history(&self, m: Move) -> i32 {
        let piece_to = PieceTo::new(self.us, m).index();
        let mut sum = i32::from(self.butterfly[danger(m, self.threats)][from_to(m)]);
        sum += i32::from(self.structure[piece_to]);
        for (row, weight) in self.continuation.into_iter().zip([2, 2, 1]) {
            sum += i32::from(row[piece_to]) * weight / 2;
        }
        sum
    }
}

impl Default for History {
    fn default() -> History {
        History::new()
    }
}

/// How much is learned from a search to `depth`.
pub fn bonus(depth: i32) -> i32 {
    (params::history_bonus() * depth).min(params::history_bonus_max())
}

fn structure(pos: &Position) -> usize {
    pos.pawn_key() as usize % STRUCTURES
}

/// Whether a move leaves an attacked square, and whether it goes to one.
fn danger(m: Move, threats: Bitboard) -> usize {
    let leaves = m.from().is_some_and(|from| threats.contains(from));
    2 * usize::from(leaves) + usize::from(threats.contains(m.to()))
}

fn from_to(m: Move) -> usize {
    let from = m.from().map_or(0, |square| square as usize);
    from * 64 + m.to() as usize
}

/// Moves an average towards `±MAX`, the slower the nearer it is ("history gravity").
fn update(average: &mut i16, bonus: i32) {
    let old = i32::from(*average);
    *average = (old + bonus - old * bonus.abs() / MAX) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_stay_in_their_range() {
        let mut average = 0;
        for _ in 0..1000 {
            update(&mut average, 3000);
        }
        assert!(average > 15_000 && i32::from(average) <= MAX);
        for _ in 0..1000 {
            update(&mut average, -3000);
        }
        assert!(average < -15_000 && i32::from(average) >= -MAX);
    }
}
