//! The position: shakmaty's, with what a search asks at every node carried along.
//!
//! Copy-make: a child is a clone on which a move was played, and nothing is ever taken back. Castling
//! is always held in its Chess960 form; which notation the outside world sees is left to `uci`.

use std::str::FromStr;

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{
    Bitboard, Board, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File, FromSetup,
    Move, Piece, Position as _, PositionError, PositionErrorKinds, Role, Setup, Square, attacks,
};
use thiserror::Error;

use super::changes::Changes;
use super::key;
use super::movegen::{self, MoveList};

/// A legal position with its counters.
#[derive(Clone, Debug)]
pub struct Position {
    chess: Chess,
    key: u64,
    /// Keys of the pawns, and of each side's other men: what a correction of the evaluation goes by.
    pawn_key: u64,
    piece_keys: [u64; 2],
    checkers: Bitboard,
    /// File of a *legal* en passant capture.
    en_passant: Option<File>,
}

/// Why a FEN is not a position that can be played.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FenError {
    /// The text is not a FEN.
    #[error("{0}")]
    Syntax(ParseFenError),
    /// There are men in hand, or checks are counted.
    #[error("a position of another variant")]
    Variant,
    /// A side has no king.
    #[error("a king is missing")]
    MissingKing,
    /// A side has more than one king.
    #[error("more than one king of a colour")]
    TooManyKings,
    /// A pawn on the first or last rank.
    #[error("a pawn on the first or last rank")]
    PawnOnBackrank,
    /// The side that just moved left its king in check.
    #[error("the side not to move is in check")]
    OppositeCheck,
    /// More men than a chess set has.
    #[error("more than 32 men")]
    TooManyMen,
}

impl Position {
    /// The start position of orthodox chess.
    pub fn startpos() -> Position {
        Position::from_chess(playable(Setup::initial()).unwrap_or_default())
    }

    fn from_chess(chess: Chess) -> Position {
        let en_passant = chess.legal_ep_square().map(Square::file);
        let (mut pawn_key, mut piece_keys) = (0, [0; 2]);
        for (square, piece) in chess.board().clone() {
            *part_key(&mut pawn_key, &mut piece_keys, piece) ^= key::piece(square, piece);
        }
        Position {
            pawn_key,
            piece_keys,
            key: chess.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0,
            checkers: chess.checkers(),
            en_passant,
            chess,
        }
    }

    /// Reads a FEN with four to six fields, X-FEN or Shredder castling letters.
    ///
    /// Castling rights without their king or rook, and en passant squares that cannot be captured
    /// on, are dropped. Positions that cannot arise in a game are accepted as long as they can be
    /// played on.
    ///
    /// # Errors
    /// Says what makes the position unplayable.
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        let fen = Fen::from_ascii(fen.trim().as_bytes()).map_err(FenError::Syntax)?;
        let setup = fen.into_setup();
        if setup.pockets.is_some() || setup.remaining_checks.is_some() {
            return Err(FenError::Variant);
        }
        Position::from_setup(setup)
    }

    /// The position of a set-up, by the same rules as [`Position::from_fen`].
    ///
    /// # Errors
    /// Says what makes the position unplayable.
    pub fn from_setup(setup: Setup) -> Result<Position, FenError> {
        if setup.board.occupied().count() > 32 {
            return Err(FenError::TooManyMen);
        }
        playable(setup).map(Position::from_chess).map_err(|error| {
            let kinds = error.kinds();
            if kinds.intersects(PositionErrorKinds::MISSING_KING | PositionErrorKinds::EMPTY_BOARD)
            {
                FenError::MissingKing
            } else if kinds.contains(PositionErrorKinds::TOO_MANY_KINGS) {
                FenError::TooManyKings
            } else if kinds.contains(PositionErrorKinds::PAWNS_ON_BACKRANK) {
                FenError::PawnOnBackrank
            } else {
                FenError::OppositeCheck
            }
        })
    }

    /// The FEN, with Shredder castling letters if `mode` is Chess960.
    pub fn fen(&self, mode: CastlingMode) -> String {
        let setup = self.chess.to_setup(EnPassantMode::Legal);
        let fen = Fen::try_from_setup(setup).unwrap_or_else(|lossy| lossy.ignore());
        let text = fen.to_string();
        match mode {
            CastlingMode::Standard => text,
            CastlingMode::Chess960 => self.with_shredder_letters(&text),
        }
    }

    fn with_shredder_letters(&self, fen: &str) -> String {
        let castles = self.chess.castles();
        let letters: String = [Color::White, Color::Black]
            .into_iter()
            .flat_map(|color| CastlingSide::ALL.map(|side| (color, castles.rook(color, side))))
            .filter_map(|(color, rook)| {
                let file = rook?.file();
                Some(if color.is_white() {
                    file.upper_char()
                } else {
                    file.char()
                })
            })
            .collect();
        let mut fields: Vec<&str> = fen.split(' ').collect();
        if !letters.is_empty() {
            fields[2] = &letters;
        }
        fields.join(" ")
    }

    /// Plays a legal move. A move that is not legal here corrupts the position.
    pub fn play(&mut self, m: Move) {
        self.play_changes(m, &Changes::of(self.turn(), m), |_| ());
    }

    /// Plays a legal move that makes `changes`. Before it is done `expect` is told the new key, which may
    /// yet differ by castling rights and a capture en passant: memory can be asked for early.
    fn play_changes(&mut self, m: Move, changes: &Changes, expect: impl FnOnce(u64)) {
        let rights = self.chess.castles().castling_rights();
        self.key ^= key::white_to_move() ^ key::en_passant(self.en_passant);
        for &(square, piece) in changes.removed.iter().chain(&changes.added) {
            self.toggle(square, piece);
        }
        expect(self.key);
        let castling_before = if rights.any() {
            key::castling(self.chess.castles())
        } else {
            0
        };
        self.chess.play_unchecked(m);
        if self.chess.castles().castling_rights() != rights {
            self.key ^= castling_before ^ key::castling(self.chess.castles());
        }
        self.checkers = self.chess.checkers();
        self.en_passant = match self.chess.maybe_ep_square() {
            Some(_) => self.chess.legal_ep_square().map(Square::file),
            None => None,
        };
        self.key ^= key::en_passant(self.en_passant);
    }

    fn toggle(&mut self, square: Square, piece: Piece) {
        let key = key::piece(square, piece);
        self.key ^= key;
        *part_key(&mut self.pawn_key, &mut self.piece_keys, piece) ^= key;
    }

    /// The position after a legal move.
    #[must_use]
    pub fn after(&self, m: Move) -> Position {
        let mut child = self.clone();
        child.play(m);
        child
    }

    /// The position after a legal move that makes `changes`. `expect` is told a key that most likely is
    /// that of the position, before it stands.
    #[must_use]
    pub fn after_changes(&self, m: Move, changes: &Changes, expect: impl FnOnce(u64)) -> Position {
        let mut child = self.clone();
        child.play_changes(m, changes, expect);
        child
    }

    /// The position with the turn passed, or `None` in check.
    pub fn after_null(&self) -> Option<Position> {
        if self.in_check() {
            return None;
        }
        let mut setup = self.chess.to_setup(EnPassantMode::Always);
        setup.swap_turn();
        setup.halfmoves = setup.halfmoves.saturating_add(1);
        let chess = playable(setup).ok()?;
        Some(Position {
            key: self.key ^ key::white_to_move() ^ key::en_passant(self.en_passant),
            pawn_key: self.pawn_key,
            piece_keys: self.piece_keys,
            checkers: Bitboard::EMPTY,
            en_passant: None,
            chess,
        })
    }

    /// The same position with the colours exchanged and the board turned over.
    #[must_use]
    pub fn mirrored(&self) -> Position {
        let setup = self.chess.to_setup(EnPassantMode::Legal).into_mirrored();
        playable(setup).map_or_else(|_| self.clone(), Position::from_chess)
    }

    /// shakmaty's position, for notation and for questions asked rarely.
    pub fn chess(&self) -> &Chess {
        &self.chess
    }

    /// The men on their squares.
    pub fn board(&self) -> &Board {
        self.chess.board()
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// Squares of `role` of the side to move.
    pub fn our(&self, role: Role) -> Bitboard {
        self.chess.our(role)
    }

    /// Where the king of the side to move stands.
    pub fn king(&self) -> Square {
        self.board().king_of(self.turn()).unwrap_or(Square::A1)
    }

    /// Fingerprint: equal for positions that the repetition rule calls the same.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Fingerprint of the pawns alone.
    pub fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// Fingerprint of a side's men without its pawns.
    pub fn piece_key(&self, color: Color) -> u64 {
        self.piece_keys[color as usize]
    }

    /// Pieces that give check to the side to move.
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Whether the legal move `m` puts the opponent in check.
    pub fn gives_check(&self, m: Move) -> bool {
        let Move::Normal {
            role,
            from,
            to,
            promotion: None,
            ..
        } = m
        else {
            return self.after(m).in_check();
        };
        let us = self.turn();
        let board = self.board();
        let Some(king) = board.king_of(!us) else {
            return false;
        };
        let occupied = board.occupied().without(from).with(to);
        let ours = board.by_color(us).without(from);
        attacks::attacks(to, role.of(us), occupied).contains(king)
            || (attacks::rook_attacks(king, occupied) & ours & board.rooks_and_queens()).any()
            || (attacks::bishop_attacks(king, occupied) & ours & board.bishops_and_queens()).any()
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    /// Whether an en passant capture is legal.
    pub fn has_en_passant(&self) -> bool {
        self.en_passant.is_some()
    }

    /// Every legal move.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        movegen::noisy(self, |m| moves.push(m));
        movegen::quiets(self, |m| moves.push(m));
        moves
    }

    /// Men on the board, counted as pawns 1, minor pieces 3, rooks 5, queens 9: at most 78.
    pub fn material(&self) -> i32 {
        let board = self.board();
        let count = |men: Bitboard| men.count() as i32;
        count(board.pawns())
            + 3 * count(board.knights() | board.bishops())
            + 5 * count(board.rooks())
            + 9 * count(board.queens())
    }

    /// Number of the move that is to be made.
    pub fn move_number(&self) -> u32 {
        self.chess.fullmoves().get()
    }

    /// Whether any side may still castle.
    pub fn has_castling_rights(&self) -> bool {
        self.chess.castles().any()
    }

    /// Whether the side to move can move at all.
    pub fn has_legal_move(&self) -> bool {
        !self.legal_moves().is_empty()
    }

    /// In check and without a move.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Not in check and without a move.
    pub fn is_stalemate(&self) -> bool {
        !self.in_check() && !self.has_legal_move()
    }

    /// Whether neither side could mate with these men, wherever they stood.
    pub fn is_insufficient_material(&self) -> bool {
        (self.board().pawns() | self.board().rooks_and_queens()).is_empty()
            && self.chess.is_insufficient_material()
    }

    /// Whether the side to move has anything besides king and pawns: without it, passing may be
    /// better than any move.
    pub fn has_pieces(&self) -> bool {
        let board = self.board();
        (self.chess.us() & !(board.pawns() | board.kings())).any()
    }
}

impl FromStr for Position {
    type Err = FenError;
    fn from_str(fen: &str) -> Result<Position, FenError> {
        Position::from_fen(fen)
    }
}

/// The key that a man belongs to besides that of the position.
fn part_key<'k>(pawn_key: &'k mut u64, piece_keys: &'k mut [u64; 2], piece: Piece) -> &'k mut u64 {
    match piece.role {
        Role::Pawn => pawn_key,
        _ => &mut piece_keys[piece.color as usize],
    }
}

/// shakmaty's position of a set-up that can be played on, though it may never arise in a game.
#[allow(clippy::result_large_err)] // shakmaty's error carries the position.
fn playable(setup: Setup) -> Result<Chess, PositionError<Chess>> {
    Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTPOS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_start_position_knows_its_fen_in_both_notations() {
        let start = Position::startpos();
        assert_eq!(start.fen(CastlingMode::Standard), STARTPOS);
        assert_eq!(
            start.fen(CastlingMode::Chess960),
            STARTPOS.replace("KQkq", "HAha")
        );
        assert_eq!(start.key(), Position::from_fen(STARTPOS).unwrap().key());
    }

    #[test]
    fn a_short_fen_gets_default_counters() {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K -").unwrap();
        assert_eq!(
            position.fen(CastlingMode::Standard),
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
        );
        let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 7 0").unwrap();
        assert_eq!(
            position.fen(CastlingMode::Standard),
            "4k3/8/8/8/8/8/8/4K2R w K - 7 1"
        );
    }

    #[test]
    fn a_fault_in_a_fen_is_named() {
        let fault = |fen: &str| Position::from_fen(fen).unwrap_err();
        assert_eq!(
            fault("8/8/8/8/8/8/5q2/4K3 w - - 0 1"),
            FenError::MissingKing
        );
        assert_eq!(
            fault("k7/k7/8/8/8/8/8/4K3 w - - 0 1"),
            FenError::TooManyKings
        );
        assert_eq!(
            fault("P3k3/8/8/8/8/8/8/4K3 w - - 0 1"),
            FenError::PawnOnBackrank
        );
        assert_eq!(
            fault("4k3/8/8/8/8/8/8/4RK2 w - - 0 1"),
            FenError::OppositeCheck
        );
        assert!(matches!(
            fault("9/8/8/8/8/8/8/4K3 w - - 0 1"),
            FenError::Syntax(_)
        ));
    }

    #[test]
    fn a_move_gives_check_if_the_opponent_is_in_check_after_it() {
        for fen in [
            "r3k2r/Pppp1ppp/1b3nbN/nPPp4/BB2P3/q4N2/Pp1P2PP/R3K2R w KQkq d6 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
        ] {
            let start = Position::from_fen(fen).unwrap();
            for first in start.legal_moves() {
                let pos = start.after(first);
                for m in pos.legal_moves() {
                    assert_eq!(
                        pos.gives_check(m),
                        pos.after(m).in_check(),
                        "{m:?} in {pos:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_null_move_passes_the_turn_and_nothing_else() {
        let position = Position::from_fen("4k3/8/8/3pP3/8/8/8/4K2R w K d6 3 9").unwrap();
        let passed = position.after_null().unwrap();
        assert_eq!(
            passed.fen(CastlingMode::Standard),
            "4k3/8/8/3pP3/8/8/8/4K2R b K - 4 9"
        );
        assert_eq!(
            passed.key(),
            Position::from_chess(passed.chess().clone()).key()
        );
    }
}
