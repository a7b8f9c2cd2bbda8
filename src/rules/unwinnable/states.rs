//! Every position seen, once, in 24 bytes, and how it was reached.
//!
//! Positions are compared whole and not by a fingerprint: a proof must not hang on luck. Two are the
//! same if men, side to move, castling rights and legal en passant capture are the same.

use std::collections::HashMap;

use shakmaty::{
    Bitboard, Board, Chess, Color, Move, Piece, Position as _, Rank, Role, Setup, Square,
};

use crate::board::Position;

/// A position without its counters: the occupied squares, and four bits for each man in their order.
///
/// ```text
/// 0-5    white pawn, knight, bishop, rook, queen, king
/// 6-11   the same, black
/// 12,13  white, black rook that may castle
/// 14     pawn that may be captured en passant
/// 15     king of the side to move
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    occupied: u64,
    men: [u64; 2],
}

const CASTLING_ROOK: u64 = 12;
const EN_PASSANT_PAWN: u64 = 14;
const KING_TO_MOVE: u64 = 15;

impl State {
    fn of(chess: &Chess) -> State {
        let board = chess.board();
        let turn = chess.turn();
        let castling = chess.castles().castling_rights();
        let en_passant = chess.legal_ep_square().map(|target| {
            Square::from_coords(target.file(), turn.fold_wb(Rank::Fifth, Rank::Fourth))
        });
        let mut men = [0; 2];
        for (at, square) in board.occupied().into_iter().enumerate() {
            let Some(piece) = board.piece_at(square) else {
                continue;
            };
            let code = if piece == turn.king() {
                KING_TO_MOVE
            } else if castling.contains(square) {
                CASTLING_ROOK + piece.color.fold_wb(0, 1)
            } else if Some(square) == en_passant {
                EN_PASSANT_PAWN
            } else {
                piece.role as u64 - 1 + piece.color.fold_wb(0, 6)
            };
            men[at / 16] |= code << (4 * (at % 16));
        }
        State {
            occupied: board.occupied().0,
            men,
        }
    }

    fn codes(&self) -> impl Iterator<Item = (Square, u64)> {
        let squares = Bitboard(self.occupied).into_iter().enumerate();
        let men = self.men;
        squares.map(move |(at, square)| (square, men[at / 16] >> (4 * (at % 16)) & 15))
    }

    /// The position again, or `None` if this is no position.
    fn position(&self) -> Option<Position> {
        let mut setup = Setup::empty();
        let white_waits = self.codes().any(|(_, code)| code == 5);
        setup.turn = Color::from_white(!white_waits);
        let mut board = Board::empty();
        for (square, code) in self.codes() {
            let piece = match code {
                KING_TO_MOVE => setup.turn.king(),
                EN_PASSANT_PAWN => {
                    let behind = setup.turn.fold_wb(Rank::Sixth, Rank::Third);
                    setup.ep_square = Some(Square::from_coords(square.file(), behind));
                    (!setup.turn).pawn()
                }
                CASTLING_ROOK.. => {
                    setup.castling_rights.add(square);
                    Color::from_white(code == CASTLING_ROOK).rook()
                }
                _ => Piece {
                    color: Color::from_white(code < 6),
                    role: Role::try_from(code as u8 % 6 + 1).ok()?,
                },
            };
            board.set_piece_at(square, piece);
        }
        setup.board = board;
        Position::from_setup(setup).ok()
    }

    /// Where in the index to look first.
    fn spread(&self) -> u64 {
        // Odd multipliers from the golden ratio and SplitMix64; the high bits of the sum are well mixed.
        let mut hash = self.occupied.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for part in self.men {
            hash = (hash ^ (hash >> 32) ^ part).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        hash ^ (hash >> 29)
    }
}

/// A position, and the one before it.
struct Entry {
    state: State,
    parent: u32,
}

/// The positions in the order they were found, with an index by open addressing.
pub struct States {
    entries: Vec<Entry>,
    /// Number of an entry plus one, or 0; a power of two of them, at most half used.
    index: Vec<u32>,
}

impl States {
    /// The position a search starts from, with number 0.
    pub fn new(root: &Chess) -> States {
        let mut states = States {
            entries: Vec::new(),
            index: vec![0; 1024],
        };
        states.insert(root, 0);
        states
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of a new position, that came from number `parent`; `None` if it was seen before.
    pub fn insert(&mut self, chess: &Chess, parent: u32) -> Option<u32> {
        let state = State::of(chess);
        let slot = self.slot(&state);
        if self.index[slot] != 0 {
            return None;
        }
        let number = self.entries.len() as u32;
        self.index[slot] = number + 1;
        self.entries.push(Entry { state, parent });
        if 2 * self.entries.len() > self.index.len() {
            self.grow();
        }
        Some(number)
    }

    /// Where `state` is in the index, or would be.
    fn slot(&self, state: &State) -> usize {
        let mask = self.index.len() - 1;
        let mut slot = state.spread() as usize & mask;
        while self.index[slot] != 0 && self.entries[self.index[slot] as usize - 1].state != *state {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.index = vec![0; 2 * self.index.len()];
        for number in 0..self.entries.len() {
            let slot = self.slot(&self.entries[number].state);
            self.index[slot] = number as u32 + 1;
        }
    }

    /// The position with this number.
    pub fn position(&self, number: u32) -> Option<Position> {
        self.entries[number as usize].state.position()
    }

    /// Moves from `root`, number 0, to the position with this number: the way it was found, with the
    /// detours left out that a single move saves.
    pub fn line(&self, root: &Position, number: u32) -> Vec<Move> {
        let mut found = vec![number];
        let mut at = number;
        while at != 0 {
            at = self.entries[at as usize].parent;
            found.push(at);
        }
        // How many plies before the end each position stands.
        let left: HashMap<State, usize> = found
            .iter()
            .enumerate()
            .map(|(plies, &at)| (self.entries[at as usize].state, plies))
            .collect();
        let mut position = root.clone();
        let mut line = Vec::new();
        while State::of(position.chess()) != self.entries[number as usize].state {
            let ahead = |m: &Move| left.get(&State::of(position.after(*m).chess())).copied();
            let moves = position.legal_moves().into_iter();
            let Some((_, m)) = moves
                .filter_map(|m| Some((ahead(&m)?, m)))
                .min_by_key(|(plies, _)| *plies)
            else {
                break;
            };
            position.play(m);
            line.push(m);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_survives_packing_with_its_rights() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 0 1",
            "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
            "8/8/8/1k1pP3/8/8/8/4K3 w - d6 0 1",
            "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let states = States::new(position.chess());
            let mode = shakmaty::CastlingMode::Chess960;
            let again = states.position(0).unwrap();
            assert_eq!(again.fen(mode), position.fen(mode));
        }
    }

    #[test]
    fn every_position_of_random_games_survives_packing() {
        let mut random = fastrand::Rng::with_seed(24);
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1",
            "rk1b1r2/pppp1ppp/8/8/8/8/PPPP1PPP/RKR4R w CAfa - 0 1",
        ] {
            for _ in 0..50 {
                let mut position = Position::from_fen(fen).unwrap();
                for _ in 0..120 {
                    let again = State::of(position.chess()).position().unwrap();
                    assert_eq!(again.key(), position.key(), "{position:?}");
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    position.play(moves[random.usize(..moves.len())]);
                }
            }
        }
    }

    #[test]
    fn the_same_position_is_seen_once() {
        let root = Position::startpos();
        let mut states = States::new(root.chess());
        for first in root.legal_moves() {
            let position = root.after(first);
            assert!(states.insert(position.chess(), 0).is_some());
            assert!(states.insert(position.chess(), 0).is_none());
        }
        assert_eq!(states.len(), 21);
    }
}
