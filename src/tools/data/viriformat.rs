//! Games of training data on disk, in *viriformat*: about four bytes a ply.
//!
//! ```text
//! game    start position (32 bytes), plies (4 bytes each), four zero bytes
//! start    0  8  occupied squares, A1 = bit 0
//!          8 16  men on them in that order, 4 bits each, low half first:
//!                pawn 0 knight 1 bishop 2 rook 3 queen 4 king 5, rook that may castle 6; black + 8
//!         24  1  en passant square, 64 for none; + 128 if Black is to move
//!         25  1  halfmove clock
//!         26  2  fullmove number
//!         28  2  score, unused
//!         30  1  result: 0 Black won, 1 draw, 2 White won
//!         31  1  unused
//! ply      0  2  move: from, to (6 bits each), promotion (2), kind (2)
//!          2  2  score from White's side, signed
//! ```
//!
//! Little-endian throughout. Specification: <https://github.com/cosmobobak/viriformat>. Reading is done
//! in two steps: a [`Frame`] is where a game begins and ends, decoding it proves every move.

use saavedra::board::Position;
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Color, EnPassantMode, Move, Piece, Position as _, Role, Setup, Square};
use thiserror::Error;

const HEADER: usize = 32;
/// No game of chess is longer: draws by seventy-five moves end it before.
const MOST_PLIES: usize = 20_000;
const NO_SQUARE: u8 = 64;
const BLACK_TO_MOVE: u8 = 1 << 7;
const UNMOVED_ROOK: u8 = 6;
const BLACK: u8 = 8;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    BlackWins = 0,
    Draw = 1,
    WhiteWins = 2,
}

impl GameResult {
    pub fn of_winner(winner: Option<Color>) -> GameResult {
        match winner {
            Some(Color::White) => GameResult::WhiteWins,
            Some(Color::Black) => GameResult::BlackWins,
            None => GameResult::Draw,
        }
    }

    fn from_byte(byte: u8) -> Option<GameResult> {
        match byte {
            0 => Some(GameResult::BlackWins),
            1 => Some(GameResult::Draw),
            2 => Some(GameResult::WhiteWins),
            _ => None,
        }
    }
}

/// A move that was played, and the score of the position before it in centipawns from White's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    pub m: Move,
    pub score: i16,
}

/// A game with the score of every position.
#[derive(Clone, Debug)]
pub struct GameRecord {
    pub start: Position,
    pub plies: Vec<Ply>,
    pub result: GameResult,
}

impl GameRecord {
    /// The bytes of the game.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + 4 * self.plies.len() + 4);
        bytes.extend_from_slice(&encode_start(&self.start, self.result));
        for ply in &self.plies {
            bytes.extend_from_slice(&encode_move(ply.m).to_le_bytes());
            bytes.extend_from_slice(&ply.score.to_le_bytes());
        }
        bytes.extend_from_slice(&[0; 4]);
        bytes
    }
}

/// What is wrong with a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Corrupt {
    #[error("the start is not a position that can be played")]
    Start,
    #[error("the result is none of won, drawn, lost")]
    Result,
    #[error("the move of ply {0} is not legal")]
    Move(usize),
}

/// The bytes of one game, unproven.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'b> {
    /// Where in the file it begins.
    pub offset: usize,
    /// Start, plies and the four zero bytes at the end.
    bytes: &'b [u8],
}

impl<'b> Frame<'b> {
    /// The game that begins at `offset`; none if the bytes end before it does.
    pub fn at(bytes: &'b [u8], offset: usize) -> Option<Frame<'b>> {
        let rest = bytes.get(offset..)?;
        let plies = rest.get(HEADER..)?.as_chunks::<4>().0;
        let count = (plies.iter().take(MOST_PLIES)).position(|ply| *ply == [0; 4])?;
        Some(Frame {
            offset,
            bytes: &rest[..HEADER + 4 * count + 4],
        })
    }

    /// Where the next game begins.
    pub fn end(&self) -> usize {
        self.offset + self.bytes.len()
    }

    /// The game, each move proven to be legal.
    pub fn decode(&self) -> Result<GameRecord, Corrupt> {
        let (header, plies) = self
            .bytes
            .split_first_chunk::<HEADER>()
            .ok_or(Corrupt::Start)?;
        let start = decode_start(header).ok_or(Corrupt::Start)?;
        let result = GameResult::from_byte(header[30]).ok_or(Corrupt::Result)?;
        let mut position = start.clone();
        let (_end, words) = plies
            .as_chunks::<4>()
            .0
            .split_last()
            .ok_or(Corrupt::Start)?;
        let mut plies = Vec::with_capacity(words.len());
        for (number, &[a, b, c, d]) in words.iter().enumerate() {
            let m = decode_move(u16::from_le_bytes([a, b]), &position)
                .ok_or(Corrupt::Move(number + 1))?;
            position.play(m);
            let score = i16::from_le_bytes([c, d]);
            plies.push(Ply { m, score });
        }
        Ok(GameRecord {
            start,
            plies,
            result,
        })
    }
}

/// Goes through the games of a file. Where it is damaged, it goes on with the next game that is sound.
pub struct Games<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// A part of a file that is no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Damage {
    #[error("the game at byte {0}: {1}")]
    Corrupt(usize, Corrupt),
    #[error("the game at byte {0} has no end")]
    Endless(usize),
}

impl<'b> Games<'b> {
    pub fn new(bytes: &'b [u8]) -> Games<'b> {
        Games { bytes, at: 0 }
    }

    /// The first place after a damaged game from which a sound one begins.
    fn next_sound(&self, end: Option<usize>) -> usize {
        let is_sound = |at: &usize| {
            *at == self.bytes.len()
                || Frame::at(self.bytes, *at).is_some_and(|frame| frame.decode().is_ok())
        };
        // Most likely its moves are wrong but not its length.
        end.filter(is_sound)
            .or_else(|| (self.at + 1..=self.bytes.len()).find(is_sound))
            .unwrap_or(self.bytes.len())
    }
}

impl Iterator for Games<'_> {
    type Item = Result<GameRecord, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let frame = Frame::at(self.bytes, self.at);
        let game = match frame {
            Some(frame) => frame.decode().map_err(|e| Damage::Corrupt(self.at, e)),
            None => Err(Damage::Endless(self.at)),
        };
        self.at = match (&game, frame) {
            (Ok(_), Some(frame)) => frame.end(),
            _ => self.next_sound(frame.map(|frame| frame.end())),
        };
        Some(game)
    }
}

fn encode_start(start: &Position, result: GameResult) -> [u8; HEADER] {
    let setup = start.chess().to_setup(EnPassantMode::Legal);
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(&setup.board.occupied().0.to_le_bytes());
    for (index, (square, piece)) in setup.board.clone().into_iter().enumerate() {
        let kind = if setup.castling_rights.contains(square) {
            UNMOVED_ROOK
        } else {
            piece.role as u8 - 1
        };
        let code = kind | if piece.color.is_black() { BLACK } else { 0 };
        bytes[8 + index / 2] |= code << (4 * (index % 2));
    }
    bytes[24] = setup.ep_square.map_or(NO_SQUARE, |square| square as u8);
    if setup.turn.is_black() {
        bytes[24] |= BLACK_TO_MOVE;
    }
    bytes[25] = setup.halfmoves.min(255) as u8;
    let number = u16::try_from(setup.fullmoves.get()).unwrap_or(u16::MAX);
    bytes[26..28].copy_from_slice(&number.to_le_bytes());
    bytes[30] = result as u8;
    bytes
}

fn decode_start(bytes: &[u8; HEADER]) -> Option<Position> {
    let (occupied, _) = bytes.split_first_chunk()?;
    let occupied = Bitboard(u64::from_le_bytes(*occupied));
    if occupied.count() > 32 {
        return None;
    }
    let mut setup = Setup::empty();
    for (index, square) in occupied.into_iter().enumerate() {
        let code = bytes[8 + index / 2] >> (4 * (index % 2)) & 15;
        let color = Color::from_white(code < BLACK);
        let role = match code % BLACK {
            UNMOVED_ROOK => {
                setup.castling_rights.add(square);
                Role::Rook
            }
            kind => Role::try_from(kind + 1).ok()?,
        };
        setup.board.set_piece_at(square, Piece { color, role });
    }
    setup.turn = Color::from_white(bytes[24] & BLACK_TO_MOVE == 0);
    setup.ep_square = match bytes[24] & !BLACK_TO_MOVE {
        NO_SQUARE => None,
        square => Some(Square::try_from(square).ok()?),
    };
    setup.halfmoves = bytes[25].into();
    setup.fullmoves = u32::from(u16::from_le_bytes([bytes[26], bytes[27]]).max(1))
        .try_into()
        .ok()?;
    Position::from_setup(setup).ok()
}

fn encode_move(m: Move) -> u16 {
    let (from, to) = (m.from().unwrap_or(m.to()), m.to());
    let kind = match m {
        Move::EnPassant { .. } => 1,
        Move::Castle { .. } => 2,
        _ if m.is_promotion() => 3,
        _ => 0,
    };
    let promotion = m
        .promotion()
        .map_or(0, |role| role as u16 - Role::Knight as u16);
    from as u16 | (to as u16) << 6 | promotion << 12 | kind << 14
}

fn decode_move(bits: u16, position: &Position) -> Option<Move> {
    let square = |bits: u16| Square::try_from((bits & 63) as u8).ok();
    let role = Role::try_from((bits >> 12 & 3) as u8 + Role::Knight as u8).ok()?;
    let text = UciMove::Normal {
        from: square(bits)?,
        to: square(bits >> 6)?,
        promotion: (bits >> 14 == 3).then_some(role),
    };
    text.to_move(position.chess()).ok()
}
