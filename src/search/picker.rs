//! The picker: legal moves one by one, the most promising first, generated as late as possible.
//!
//! Order: hash move; noisy moves that do not lose material, by what they capture and by history;
//! killers; quiet moves by history, by what they are safe from and whether they give check; noisy moves
//! that lose material.

use arrayvec::ArrayVec;
use shakmaty::{Move, Role};

use super::history::{Context, History};
use crate::board::{PackedMove, Position, is_noisy, movegen, see::value};
use crate::params;

/// What the picker is to deliver.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Select {
    /// Every legal move.
    All,
    /// Noisy moves that do not lose material.
    GoodNoisy,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Hash,
    GenerateNoisy,
    GoodNoisy,
    Killers,
    GenerateQuiets,
    Quiets,
    BadNoisy,
}

#[derive(Clone, Copy)]
struct Scored {
    m: Move,
    score: i32,
    history: i32,
}

/// A move and how good it was lately.
pub struct Picked {
    pub m: Move,
    pub history: i32,
}

pub struct Picker {
    stage: Stage,
    select: Select,
    hash_move: Option<Move>,
    killers: [PackedMove; 2],
    /// Hash move and killers that were handed out.
    early: ArrayVec<Move, 3>,
    /// First the noisy moves that lose material, from `bad_end` on what is to be picked next.
    moves: ArrayVec<Scored, 512>,
    bad_end: usize,
    next: usize,
    skip_quiets: bool,
}

impl From<Move> for Scored {
    /// A move that is not judged yet.
    fn from(m: Move) -> Scored {
        Scored {
            m,
            score: 0,
            history: 0,
        }
    }
}

impl From<Scored> for Picked {
    fn from(Scored { m, history, .. }: Scored) -> Picked {
        Picked { m, history }
    }
}

impl Picker {
    /// A picker that begins with `hash_move`, which must be legal.
    pub fn new(select: Select, hash_move: Option<Move>, killers: [PackedMove; 2]) -> Picker {
        Picker {
            stage: Stage::Hash,
            select,
            hash_move,
            killers,
            early: ArrayVec::new(),
            moves: ArrayVec::new(),
            bad_end: 0,
            next: 0,
            skip_quiets: false,
        }
    }

    /// Delivers exactly these moves instead, in this order.
    pub fn fix(&mut self, moves: impl Iterator<Item = Move>) {
        self.moves.extend(moves.map(Scored::from));
        self.bad_end = self.moves.len();
        self.stage = Stage::BadNoisy;
    }

    /// No more quiet moves from now on.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub fn next(&mut self, pos: &Position, history: &History, context: &Context) -> Option<Picked> {
        let remembered = |m| Picked {
            m,
            history: if is_noisy(m) {
                history.noisy(pos, m)
            } else {
                history.quiets(pos, context).history(m)
            },
        };
        if self.stage == Stage::Hash {
            self.stage = Stage::GenerateNoisy;
            if let Some(m) = self.hash_move {
                self.early.push(m);
                return Some(remembered(m));
            }
        }
        if self.stage == Stage::GenerateNoisy {
            let (early, moves) = (&self.early, &mut self.moves);
            movegen::noisy(pos, |m| {
                if !early.contains(&m) {
                    let history = history.noisy(pos, m);
                    let score = noisy_score(m, history);
                    moves.push(Scored { m, score, history });
                }
            });
            self.stage = Stage::GoodNoisy;
        }
        if self.stage == Stage::GoodNoisy {
            while let Some(scored) = self.select_best() {
                // Experience decides how much a capture may lose.
                let threshold = -scored.history / params::noisy_history_div();
                if pos.see_at_least(scored.m, threshold) {
                    return Some(scored.into());
                }
                self.moves[self.bad_end] = scored;
                self.bad_end += 1;
            }
            if self.select == Select::GoodNoisy {
                return None;
            }
            self.moves.truncate(self.bad_end);
            self.next = self.bad_end;
            self.stage = Stage::Killers;
        }
        if self.stage == Stage::Killers {
            while let Some(m) = self.next_killer(pos) {
                if !is_noisy(m) && !self.early.contains(&m) {
                    self.early.push(m);
                    return Some(remembered(m));
                }
            }
            self.stage = Stage::GenerateQuiets;
        }
        if self.stage == Stage::GenerateQuiets {
            if !self.skip_quiets {
                let (early, moves) = (&self.early, &mut self.moves);
                movegen::quiets(pos, |m| {
                    if !early.contains(&m) {
                        moves.push(m.into());
                    }
                });
                // In a loop of its own, so that the processor waits for many rows of history at once.
                let quiets = history.quiets(pos, context);
                let check_squares = pos.check_squares();
                for Scored { m, score, history } in &mut self.moves[self.next..] {
                    *history = quiets.history(*m);
                    *score = *history + params::flight() * flight(*m, context);
                    if check_squares[m.role()].contains(m.to())
                        && pos.see_at_least(*m, -params::check_loss())
                    {
                        *score += params::check();
                    }
                }
            }
            self.stage = Stage::Quiets;
        }
        if self.stage == Stage::Quiets {
            if !self.skip_quiets
                && let Some(scored) = self.select_best()
            {
                return Some(scored.into());
            }
            self.stage = Stage::BadNoisy;
            self.next = 0;
        }
        if self.next < self.bad_end {
            self.next += 1;
            return Some(self.moves[self.next - 1].into());
        }
        None
    }

    fn next_killer(&mut self, pos: &Position) -> Option<Move> {
        while !self.skip_quiets {
            let killer = self
                .killers
                .iter_mut()
                .find(|killer| **killer != PackedMove::NONE)?;
            if let Some(m) = std::mem::take(killer).legal_in(pos) {
                return Some(m);
            }
        }
        None
    }

    /// Moves the best of the moves not picked yet to the front and picks it.
    fn select_best(&mut self) -> Option<Scored> {
        let rest = &mut self.moves[self.next..];
        let best = (0..rest.len()).max_by_key(|&i| rest[i].score)?;
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }
}

/// How much a quiet move saves from men that are worth less, in minor pieces: what it moves out of their
/// reach, or into it.
fn flight(m: Move, context: &Context) -> i32 {
    let attacked = context.threats.by_lesser(m.role());
    let leaves = m.from().is_some_and(|from| attacked.contains(from));
    let enters = attacked.contains(m.to());
    let worth = match m.role() {
        Role::Queen => 3,
        Role::Rook => 2,
        _ => 1,
    };
    worth * (i32::from(leaves) - i32::from(enters))
}

/// Most valuable victim first, then by experience. Underpromotions come last.
fn noisy_score(m: Move, history: i32) -> i32 {
    let promotion = match m.promotion() {
        Some(Role::Queen) => value(Role::Queen),
        Some(_) => -value(Role::Queen),
        None => 0,
    };
    8 * (m.capture().map_or(0, value) + promotion) + history / 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn all(pos: &Position, hash_move: Option<Move>, killers: [PackedMove; 2]) -> Vec<Move> {
        let history = History::new();
        let mut picker = Picker::new(Select::All, hash_move, killers);
        std::iter::from_fn(|| {
            let picked = picker.next(pos, &history, &Context::default())?;
            Some(picked.m)
        })
        .collect()
    }

    #[test]
    fn every_legal_move_comes_exactly_once_whatever_is_tried_first() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nPPp4/BB2P3/q4N2/Pp1P2PP/R3K2R w KQkq d6 0 1",
            "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1",
        ] {
            let pos = Position::from_fen(fen).unwrap();
            let legal = pos.legal_moves();
            for &first in &legal {
                let killers = [legal[0], legal[legal.len() / 2]].map(PackedMove::from);
                for hash_move in [None, Some(first)] {
                    let picked = all(&pos, hash_move, killers);
                    let unique: HashSet<Move> = picked.iter().copied().collect();
                    assert_eq!(picked.len(), legal.len(), "{fen}");
                    assert_eq!(unique.len(), legal.len(), "{fen}");
                    assert!(hash_move.is_none_or(|m| picked[0] == m));
                }
            }
        }
    }
}
