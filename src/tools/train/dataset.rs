//! The positions to learn from, packed in memory.

use std::path::Path;

use saavedra::board::Position;
use saavedra::eval::nnue::features::{View, bucket};
use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

use super::labels::Labels;
use crate::tools::data::{self, filter};

/// A game in so many is kept aside to judge the network by.
pub const VALIDATION_GAMES: u64 = 50;

/// A position with what it should be worth to the side to move.
#[derive(Clone, Copy)]
pub struct Sample {
    occupied: Bitboard,
    /// The men on the occupied squares in order, 4 bits each: role and colour.
    men: [u8; 16],
    turn: Color,
    /// Share of the point.
    pub label: f32,
}

/// The features that are on, for the side to move and for the other.
pub struct Input {
    pub ours: Vec<usize>,
    pub theirs: Vec<usize>,
    pub bucket: usize,
}

impl Sample {
    /// `label` is White's.
    pub fn new(position: &Position, label: f32) -> Sample {
        let board = position.board();
        let mut men = [0; 16];
        for (index, square) in board.occupied().into_iter().enumerate() {
            if let Some(Piece { color, role }) = board.piece_at(square) {
                men[index / 2] |= (2 * role as u8 - 2 + color as u8) << (4 * (index % 2));
            }
        }
        let turn = position.turn();
        Sample {
            occupied: board.occupied(),
            men,
            turn,
            label: turn.fold_wb(label, 1.0 - label),
        }
    }

    /// Writes what the network sees to `input`.
    pub fn read(&self, mirrored: bool, buckets: usize, input: &mut Input) {
        input.ours.clear();
        input.theirs.clear();
        input.bucket = bucket(self.occupied.count(), buckets);
        let king = |color| self.men().find(|&(_, piece)| piece == Role::King.of(color));
        let view = |color| {
            let square = king(color).map_or(Square::A1, |(square, _)| square);
            View::new(color, square, mirrored)
        };
        let (ours, theirs) = (view(self.turn), view(!self.turn));
        for (square, piece) in self.men() {
            input.ours.push(ours.feature(square, piece));
            input.theirs.push(theirs.feature(square, piece));
        }
    }

    fn men(&self) -> impl Iterator<Item = (Square, Piece)> {
        let men = self.men;
        self.occupied
            .into_iter()
            .enumerate()
            .map(move |(index, square)| {
                let code = men[index / 2] >> (4 * (index % 2)) & 15;
                let color = Color::from_white(code % 2 == 1);
                let role = Role::ALL[usize::from(code / 2).min(5)];
                (square, Piece { color, role })
            })
    }

    /// The position, without castling and en passant, which the network does not see.
    pub fn position(&self) -> Option<Position> {
        let mut setup = shakmaty::Setup::empty();
        setup.board = self.men().collect::<Board>();
        setup.turn = self.turn;
        Position::from_setup(setup).ok()
    }
}

/// All positions, split by game so that no validation position has a sibling in training.
#[derive(Default)]
pub struct Dataset {
    pub training: Vec<Sample>,
    pub validation: Vec<Sample>,
    pub games: u64,
}

impl Dataset {
    /// Adds the positions of a file; damaged games are complained of and left out.
    pub fn add(&mut self, path: &Path, labels: &Labels) -> anyhow::Result<()> {
        data::for_each_game(path, |game| {
            let part = if self.games.is_multiple_of(VALIDATION_GAMES) {
                &mut self.validation
            } else {
                &mut self.training
            };
            self.games += 1;
            let labels = labels.of(&game);
            filter::for_each_kept(&game, |position, number| {
                part.push(Sample::new(position, labels[number]));
            });
            Ok(())
        })?;
        Ok(())
    }
}
