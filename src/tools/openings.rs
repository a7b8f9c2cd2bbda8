//! Openings: where games begin, from EPD or PGN files, in an order that a seed decides.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, ensure};
use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use saavedra::board::{Position, uci_text};
use saavedra::rules::Game;
use shakmaty::{CastlingMode, Move};

use crate::tools::epd;

/// A start and the moves played from it before the engines think.
#[derive(Clone, Debug)]
pub struct Opening {
    start: Position,
    moves: Vec<Move>,
}

impl Opening {
    /// Every file of openings has at least the start position of chess.
    pub fn startpos() -> Opening {
        Opening::of_moves(Vec::new())
    }

    /// From the start position of chess.
    pub fn of_moves(moves: Vec<Move>) -> Opening {
        Opening {
            start: Position::startpos(),
            moves,
        }
    }

    /// The position before the first move.
    pub fn start(&self) -> &Position {
        &self.start
    }

    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Whether the game begins elsewhere than chess does.
    pub fn is_set_up(&self) -> bool {
        self.start.key() != Position::startpos().key() || self.start.halfmoves() != 0
    }

    /// The game after the opening moves.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start.clone());
        self.moves.iter().for_each(|&m| game.play(m));
        game
    }

    /// The `position` command, up to `moves`.
    pub fn position_command(&self, chess960: bool) -> String {
        let mode = CastlingMode::from_chess960(chess960);
        let mut text = if self.is_set_up() {
            format!("position fen {} moves", self.start.fen(mode))
        } else {
            "position startpos moves".to_string()
        };
        for &m in &self.moves {
            text.push(' ');
            text.push_str(&uci_text(m, mode));
        }
        text
    }
}

/// Every opening of a file: PGN by its extension, else a position a line.
pub fn read(path: &Path) -> anyhow::Result<Vec<Opening>> {
    let openings = if is_pgn(path) {
        read_pgn(path)?
    } else {
        read_epd(path)?
    };
    ensure!(!openings.is_empty(), "{} holds no opening", path.display());
    Ok(openings)
}

/// Whether a file holds games, by its name.
pub fn is_pgn(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
}

fn read_epd(path: &Path) -> anyhow::Result<Vec<Opening>> {
    let records = epd::read_file(path)?;
    Ok(records
        .into_iter()
        .map(|(_, record)| Opening {
            start: record.position,
            moves: Vec::new(),
        })
        .collect())
}

fn read_pgn(path: &Path) -> anyhow::Result<Vec<Opening>> {
    let place = || format!("cannot read {}", path.display());
    let mut reader = Reader::new(File::open(path).with_context(place)?);
    let mut openings = Vec::new();
    while let Some(opening) = reader.read_game(&mut OpeningReader).with_context(place)? {
        let number = openings.len() + 1;
        openings.push(opening.with_context(|| format!("{}, game {number}", path.display()))?);
    }
    Ok(openings)
}

struct OpeningReader;

impl Visitor for OpeningReader {
    type Tags = Position;
    type Movetext = (Opening, Position);
    type Output = anyhow::Result<Opening>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Position> {
        ControlFlow::Continue(Position::startpos())
    }

    fn tag(
        &mut self,
        start: &mut Position,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        if name == b"FEN" {
            match Position::from_fen(&value.decode_utf8_lossy()) {
                Ok(position) => *start = position,
                Err(error) => return ControlFlow::Break(Err(error.into())),
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Position) -> ControlFlow<Self::Output, Self::Movetext> {
        ControlFlow::Continue((
            Opening {
                start: start.clone(),
                moves: Vec::new(),
            },
            start,
        ))
    }

    fn san(&mut self, text: &mut Self::Movetext, san: SanPlus) -> ControlFlow<Self::Output> {
        let (opening, position) = text;
        match san.san.to_move(position.chess()) {
            Ok(m) => {
                opening.moves.push(m);
                position.play(m);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(Err(error).context(san.to_string())),
        }
    }

    fn end_game(&mut self, (opening, _): Self::Movetext) -> Self::Output {
        Ok(opening)
    }
}
