//! Draws that could have been claimed: for the position on the board, or for a move announced.

use saavedra::board::MoveList;
use saavedra::rules::{Claim, Game};
use shakmaty::{Color, Move, Role};

/// A game from its start, or from the last null move, with what makes claims easy to find.
pub struct History {
    pub game: Game,
    /// Plies of the record before the start of `game`.
    pub first: usize,
    /// Plies after which a position stood for the second time, by the side to move: the last.
    twice: [Option<usize>; 2],
}

/// A claim that the side to move could make.
#[derive(Clone, Debug)]
pub struct Opportunity {
    pub claim: Claim,
    pub by: Color,
    /// Plies before the claim.
    pub plies: usize,
    /// The move to be announced; `None` where the position on the board is enough.
    pub announcing: Option<Move>,
    /// Plies after which the repeated position stood, the announced move included.
    pub occurrences: Vec<usize>,
}

impl History {
    pub fn new(game: Game, first: usize) -> History {
        History {
            game,
            first,
            twice: [None; 2],
        }
    }

    /// Plies of the record up to the position on the board.
    pub fn plies(&self) -> usize {
        self.first + self.game.earlier_keys().len()
    }

    pub fn play(&mut self, m: Move) {
        self.game.play(m);
        if self.game.occurrences() >= 2 {
            self.twice[self.game.position().turn() as usize] = Some(self.plies());
        }
    }

    /// What the side to move could claim before it plays `next`. A move to be announced is `next`
    /// if that will do, else the first of `legal`, its legal moves, that will.
    pub fn opportunities(&self, legal: &MoveList, next: Option<Move>) -> Vec<Opportunity> {
        let now = self.game.claims();
        let mut found: Vec<Opportunity> = now
            .iter()
            .map(|&claim| self.opportunity(claim, None))
            .collect();
        for claim in [Claim::ThreefoldRepetition, Claim::FiftyMoves] {
            if !now.contains(&claim) && self.may_announce(claim) {
                let announced = next.into_iter().chain(legal.iter().copied());
                let m = announced
                    .filter(|m| !m.is_capture() && m.role() != Role::Pawn)
                    .find(|&m| self.game.claims_with(m).contains(&claim));
                found.extend(m.map(|m| self.opportunity(claim, Some(m))));
            }
        }
        found
    }

    /// Whether it is worth looking at moves: cheap, and true whenever one will do.
    fn may_announce(&self, claim: Claim) -> bool {
        let position = self.game.position();
        let halfmoves = position.halfmoves() as usize;
        match claim {
            Claim::FiftyMoves => halfmoves >= 99,
            Claim::ThreefoldRepetition => self.twice[!position.turn() as usize]
                .is_some_and(|plies| plies + halfmoves >= self.plies()),
        }
    }

    fn opportunity(&self, claim: Claim, announcing: Option<Move>) -> Opportunity {
        let mut game = self.game.clone();
        announcing.into_iter().for_each(|m| game.play(m));
        let key = game.position().key();
        let earlier = game.earlier_keys().iter().chain([&key]);
        let occurrences = match claim {
            Claim::FiftyMoves => Vec::new(),
            Claim::ThreefoldRepetition => (self.first..)
                .zip(earlier)
                .filter(|&(_, &earlier)| earlier == key)
                .map(|(plies, _)| plies)
                .collect(),
        };
        Opportunity {
            claim,
            by: self.game.position().turn(),
            plies: self.plies(),
            announcing,
            occurrences,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saavedra::board::{Position, parse_move};

    fn history(start: Position, moves: &str) -> History {
        let mut history = History::new(Game::new(start), 0);
        for text in moves.split(' ').filter(|text| !text.is_empty()) {
            history.play(parse_move(history.game.position(), text).unwrap());
        }
        history
    }

    fn claims(history: &History) -> Vec<(Claim, Option<String>, Vec<usize>)> {
        let legal = history.game.position().legal_moves();
        let text = |m: Move| format!("{}{}", m.from().unwrap(), m.to());
        let found = history.opportunities(&legal, None);
        let short = |o: Opportunity| (o.claim, o.announcing.map(text), o.occurrences);
        found.into_iter().map(short).collect()
    }

    const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";

    #[test]
    fn threefold_repetition_is_claimed_with_the_move_or_after_it() {
        let before = history(Position::startpos(), SHUFFLE);
        let threefold = Claim::ThreefoldRepetition;
        assert_eq!(
            claims(&before),
            [(threefold, Some("f6g8".to_string()), vec![0, 4, 8])]
        );
        let after = history(Position::startpos(), &format!("{SHUFFLE} f6g8"));
        assert!(claims(&after).contains(&(threefold, None, vec![0, 4, 8])));
        let earlier = history(Position::startpos(), "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6");
        assert_eq!(claims(&earlier), []);
    }

    #[test]
    fn fifty_moves_are_claimed_with_the_move_or_after_it() {
        let at = |halfmoves: u32| {
            let fen = format!("k7/8/1K6/8/8/8/7P/7R w - - {halfmoves} 90");
            claims(&history(Position::from_fen(&fen).unwrap(), ""))
        };
        assert_eq!(at(98), []);
        let [(Claim::FiftyMoves, Some(m), _)] = &at(99)[..] else {
            panic!("{:?}", at(99));
        };
        assert!(!m.starts_with("h2"), "a pawn move does not do");
        assert_eq!(at(100), [(Claim::FiftyMoves, None, vec![])]);
    }
}
