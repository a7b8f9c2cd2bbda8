//! What the rest of the game says about a move that can be read in several ways.

use saavedra::board::{MoveList, Position};
use shakmaty::{Move, Role};

use super::language::Language;
use super::notation;
use super::record::Moves;

/// Moves to read for one question.
const BUDGET: u32 = 4_000;
/// Ambiguous moves one behind the other of which every reading is tried.
const MAX_BRANCHINGS: u32 = 6;
/// Moves that must follow for them to say what an illegal move was meant to be.
const MIN_REST: usize = 4;

/// Moves from an index on.
type Rest<'m> = (&'m Moves, usize);

/// Of `candidates`, the language in which the game can be read furthest.
pub fn language(moves: &Moves, start: &Position, candidates: &[Language]) -> Language {
    let furthest = |language: &Language| reach((moves, 0), start, *language);
    let most = candidates.iter().map(furthest).max();
    let best = candidates
        .iter()
        .find(|language| Some(furthest(language)) == most);
    best.copied().unwrap_or(Language::English)
}

/// Of several legal moves the one after which the game can be read furthest, and whether it alone
/// gets there. A promotion is to a queen if nothing speaks against it.
pub fn choose(
    rest: Rest<'_>,
    position: &Position,
    moves: &[Move],
    language: Language,
) -> (Move, bool) {
    let reaches: Vec<usize> = moves
        .iter()
        .map(|&m| reach(rest, &position.after(m), language))
        .collect();
    let most = reaches.iter().copied().max().unwrap_or(0);
    let mut best: Vec<Move> = moves.to_vec();
    let mut reaches = reaches.into_iter();
    best.retain(|_| reaches.next() == Some(most));
    let queen = best.iter().find(|m| m.promotion() == Some(Role::Queen));
    (*queen.unwrap_or(&best[0]), best.len() == 1)
}

/// The one legal move after which the whole rest of the game can be played, if there is one and the
/// rest is long enough to say so.
pub fn meant(
    rest: Rest<'_>,
    position: &Position,
    legal: &MoveList,
    language: Language,
) -> Option<Move> {
    let (moves, from) = rest;
    let length = moves.len().saturating_sub(from);
    if length < MIN_REST {
        return None;
    }
    let fits = |m: &&Move| reach(rest, &position.after(**m), language) == length;
    let mut fitting = legal.iter().filter(fits);
    let first = fitting.next()?;
    fitting.next().is_none().then_some(*first)
}

/// How many moves can be read, with the best reading of ambiguous ones.
fn reach((moves, from): Rest<'_>, start: &Position, language: Language) -> usize {
    let mut budget = BUDGET;
    go(
        moves,
        from,
        start.clone(),
        language,
        MAX_BRANCHINGS,
        &mut budget,
    ) - from
}

/// The index that is reached.
fn go(
    moves: &Moves,
    from: usize,
    mut position: Position,
    language: Language,
    branchings: u32,
    budget: &mut u32,
) -> usize {
    for (index, written) in (from..).zip(moves.from(from)) {
        let reading = notation::read(written.text, &position.legal_moves(), language);
        *budget = budget.saturating_sub(1);
        let Some(&first) = reading.moves.first() else {
            return index;
        };
        if *budget == 0 {
            return index;
        }
        if reading.moves.len() > 1 && branchings > 0 {
            let after = |&m: &Move| {
                go(
                    moves,
                    index + 1,
                    position.after(m),
                    language,
                    branchings - 1,
                    budget,
                )
            };
            return reading.moves.iter().map(after).max().unwrap_or(index);
        }
        position.play(first);
    }
    moves.len()
}
