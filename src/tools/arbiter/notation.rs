//! A move as somebody wrote it, turned into the legal moves that it may mean.
//!
//! Read are SAN, long algebraic and UCI text; piece letters of the game's language, else of another
//! one that the letter belongs to, and figurines; capitals and small letters mistaken for each
//! other; castling with zeros; promotions without a piece. What had to be overlooked is told.

use arrayvec::ArrayVec;
use saavedra::board::MoveList;
use shakmaty::{CastlingSide, File, Move, Rank, Role, Square};

use super::language::{self, Language};

/// What a text says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Castle(CastlingSide),
    Piece(Pattern),
    /// A turn passed: `--`, `Z0`, `0000`.
    Null,
}

/// A move of a man, as far as it is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// `None`: whatever stands on the square of departure.
    pub role: Option<Role>,
    pub file: Option<File>,
    pub rank: Option<Rank>,
    pub to_file: File,
    /// `None` in a pawn capture as short as `ed`.
    pub to_rank: Option<Rank>,
    pub is_capture: bool,
    /// Whether the squares are joined as in long algebraic notation: e2-e4.
    pub is_joined: bool,
    pub promotion: Option<Role>,
}

/// What was overlooked to read a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slip {
    /// Squares instead of SAN.
    Coordinates,
    /// A piece letter of a language other than the game's.
    Foreign(Language),
    Figurine,
    /// A capital letter for a small one or the other way round.
    Case,
    /// `0-0`.
    Zeros,
    /// A promotion that does not say to what.
    NoPromotion,
    /// A capture without its mark.
    NoCapture,
    /// The mark of a capture where nothing is captured.
    FalseCapture,
    /// A check or mate without its mark.
    NoCheck,
    /// The mark of a check or mate that is none.
    FalseCheck,
}

/// The mark of check or mate after a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    None,
    Check,
    /// `++`: mate in older books, double check in others.
    Double,
    Mate,
}

/// What was made of a text.
#[derive(Debug)]
pub struct Reading {
    /// Legal moves that fit; with the right notation there is one.
    pub moves: ArrayVec<Move, 32>,
    pub slips: ArrayVec<Slip, 4>,
    pub mark: Mark,
    /// What the text says in the game's language, legal or not.
    pub meaning: Option<Meaning>,
}

/// Reads `text` among the `legal` moves of a position.
pub fn read(text: &str, legal: &MoveList, language: Language) -> Reading {
    let (body, mark) = without_marks(text);
    let meaning = Meaning::read(body, language);
    let mut reading = Reading {
        moves: ArrayVec::new(),
        slips: ArrayVec::new(),
        mark,
        meaning,
    };
    if let Some(meaning) = meaning {
        reading.take(meaning, legal);
    }
    if reading.moves.is_empty() {
        for (slip, other) in other_meanings(body, meaning, language) {
            reading.take(other, legal);
            if !reading.moves.is_empty() {
                reading.slips.push(slip);
                break;
            }
            reading.meaning = reading.meaning.or(Some(other));
        }
    }
    if body.starts_with('0') {
        reading.slips.push(Slip::Zeros);
    }
    if body.chars().next().and_then(language::figurine).is_some() {
        reading.slips.push(Slip::Figurine);
    }
    reading
}

impl Reading {
    fn take(&mut self, meaning: Meaning, legal: &MoveList) {
        // No position has more than 32 moves that agree in their target.
        self.moves = legal
            .iter()
            .copied()
            .filter(|&m| meaning.fits(m))
            .take(32)
            .collect();
        let Meaning::Piece(pattern) = meaning else {
            return;
        };
        let Some(m) = self.moves.first() else {
            return;
        };
        let is_long_algebraic = pattern.is_joined && m.role() == Role::Pawn;
        if pattern.role.is_none() && !is_long_algebraic {
            self.slips.push(Slip::Coordinates);
        } else if pattern.is_capture != m.is_capture() && !m.is_castle() {
            let slip = match m.is_capture() {
                true => Slip::NoCapture,
                false => Slip::FalseCapture,
            };
            self.slips.push(slip);
        }
        if m.is_promotion() && pattern.promotion.is_none() {
            self.slips.push(Slip::NoPromotion);
        }
    }
}

/// What the text means if it was mistyped, the likelier first.
fn other_meanings(
    body: &str,
    meaning: Option<Meaning>,
    language: Language,
) -> Vec<(Slip, Meaning)> {
    let mut others = Vec::new();
    let Some(first) = body.chars().next() else {
        return others;
    };
    let mut add = |slip, text: &str, language| {
        others.extend(Meaning::read(text, language).map(|meaning| (slip, meaning)));
    };
    if language.role(first).is_none() {
        for other in Language::ALL {
            if other.role(first).is_some() {
                add(Slip::Foreign(other), body, other);
            }
        }
    }
    // Bb4 is a bishop's move and bxc3 a pawn's, even if only the other one is legal.
    if meaning.is_some_and(Meaning::is_sound) {
        return others;
    }
    if first.is_ascii_lowercase() {
        let (first, rest) = body.split_at(1);
        add(Slip::Case, &(first.to_ascii_uppercase() + rest), language);
    } else if first.is_ascii_uppercase() {
        add(Slip::Case, &body.to_ascii_lowercase(), language);
    }
    others
}

impl Meaning {
    /// What `body`, a move without marks, says; `None` if it is no move.
    pub fn read(body: &str, language: Language) -> Option<Meaning> {
        if matches!(body, "--" | "Z0" | "0000" | "null" | "pass" | "@@@@" | "<>") {
            return Some(Meaning::Null);
        }
        if let Some(side) = castling_side(body) {
            return Some(Meaning::Castle(side));
        }
        Pattern::read(body, language).map(Meaning::Piece)
    }

    /// Whether men move like that: no pawn goes from a file to one that is not beside it.
    fn is_sound(self) -> bool {
        match self {
            Meaning::Piece(Pattern {
                role: Some(Role::Pawn),
                file: Some(file),
                to_file,
                ..
            }) => file.distance(to_file) == 1,
            _ => true,
        }
    }

    /// Whether the move is one that this may mean.
    pub fn fits(self, m: Move) -> bool {
        match self {
            Meaning::Castle(side) => m.castling_side() == Some(side),
            Meaning::Piece(pattern) => pattern.fits(m),
            Meaning::Null => false,
        }
    }
}

fn castling_side(body: &str) -> Option<CastlingSide> {
    let mut circles = 0;
    for c in body.chars() {
        match c {
            'O' | 'o' | '0' => circles += 1,
            '-' | '–' => {}
            _ => return None,
        }
    }
    match circles {
        2 => Some(CastlingSide::KingSide),
        3 => Some(CastlingSide::QueenSide),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Coordinate {
    File(File),
    Rank(Rank),
}

impl Pattern {
    fn read(body: &str, language: Language) -> Option<Pattern> {
        let mut chars = body.chars().peekable();
        let first = *chars.peek()?;
        let piece = language
            .role(first)
            .or_else(|| language::figurine(first))
            .or((first == 'P').then_some(Role::Pawn));
        if piece.is_some() {
            chars.next();
        }
        let mut squares: ArrayVec<Coordinate, 5> = ArrayVec::new();
        let mut is_capture = false;
        let mut promotion = None;
        for c in chars {
            let coordinate = File::from_char(c)
                .map(Coordinate::File)
                .or_else(|| Rank::from_char(c).map(Coordinate::Rank));
            let piece = || {
                language
                    .role(c.to_ascii_uppercase())
                    .or_else(|| language::figurine(c))
            };
            match c {
                'x' | 'X' | ':' | '×' => is_capture = true,
                '-' | '–' | '=' | '/' | '(' | ')' => {}
                _ if promotion.is_some() => return None,
                _ => match coordinate {
                    Some(coordinate) => squares.try_push(coordinate).ok()?,
                    None => promotion = Some(piece()?),
                },
            }
        }
        // The last of e7e8b is a piece.
        if let [_, _, _, _, Coordinate::File(File::B)] = squares[..] {
            squares.pop();
            promotion = Some(language.role('B')?);
        }
        use Coordinate::{File as F, Rank as R};
        let (file, rank, to_file, to_rank) = match squares[..] {
            [F(to), R(rank)] => (None, None, to, Some(rank)),
            [F(from), F(to), R(rank)] => (Some(from), None, to, Some(rank)),
            [R(from), F(to), R(rank)] => (None, Some(from), to, Some(rank)),
            [F(file), R(from), F(to), R(rank)] => (Some(file), Some(from), to, Some(rank)),
            [F(from), F(to)] => (Some(from), None, to, None),
            _ => return None,
        };
        let is_coordinates = piece.is_none() && rank.is_some() && file.is_some();
        let role = match piece {
            None if is_coordinates => None,
            None => Some(Role::Pawn),
            piece => piece,
        };
        let is_pawn = role == Some(Role::Pawn);
        if to_rank.is_none() && !is_pawn || promotion.is_some() && !(is_pawn || role.is_none()) {
            return None;
        }
        Some(Pattern {
            role,
            file,
            rank,
            to_file,
            to_rank,
            is_capture: is_capture || is_pawn && to_rank.is_none(),
            is_joined: is_capture || body.contains(['-', '–']),
            promotion,
        })
    }

    /// The square of departure, if it is told.
    pub fn from(&self) -> Option<Square> {
        Some(Square::from_coords(self.file?, self.rank?))
    }

    /// The target, if it is told.
    pub fn to(&self) -> Option<Square> {
        Some(Square::from_coords(self.to_file, self.to_rank?))
    }

    fn fits(&self, m: Move) -> bool {
        if let Move::Castle { king, rook } = m {
            return self.castles(king, rook);
        }
        let Some(from) = m.from() else { return false };
        self.fits_from(m.role(), from)
            && m.to().file() == self.to_file
            && self.to_rank.is_none_or(|rank| rank == m.to().rank())
            && (self.promotion.is_none() || self.promotion == m.promotion())
            // A pawn's capture names its file.
            && (self.role != Some(Role::Pawn) || self.file.is_some() || !m.is_capture())
    }

    /// Whether a man on `from` may be the one that is meant.
    pub fn fits_from(&self, role: Role, from: Square) -> bool {
        self.role.is_none_or(|told| told == role)
            && self.file.is_none_or(|file| file == from.file())
            && self.rank.is_none_or(|rank| rank == from.rank())
    }

    /// Castling in coordinates: to the king's target two squares away, or onto the rook.
    fn castles(&self, king: Square, rook: Square) -> bool {
        let side = CastlingSide::from_king_side(king < rook);
        let target = Square::from_coords(side.king_to_file(), king.rank());
        self.role.is_none_or(|role| role == Role::King)
            && self.from() == Some(king)
            && (self.to() == Some(rook) || self.to() == Some(target) && king.distance(target) == 2)
    }
}

/// A move's text without what follows it, and its mark of check or mate.
fn without_marks(text: &str) -> (&str, Mark) {
    let mut body = text;
    let mut mark = Mark::None;
    loop {
        let before = body;
        body = body.trim_end_matches(['!', '?', '□', '.']);
        for ending in [
            "e.p", "ep", "+/-", "-/+", "+/=", "=/+", "+-", "-+", "+=", "=+", "±", "∓", "⩲", "⩱",
            "∞",
        ] {
            body = body.strip_suffix(ending).unwrap_or(body);
        }
        for (sign, of) in [
            ("++", Mark::Double),
            ("+", Mark::Check),
            ("ch", Mark::Check),
            ("†", Mark::Check),
            ("#", Mark::Mate),
            ("‡", Mark::Mate),
            ("mate", Mark::Mate),
        ] {
            if let Some(rest) = body.strip_suffix(sign)
                && !rest.is_empty()
            {
                (body, mark) = (rest, of);
            }
        }
        if body == before {
            return (body, mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saavedra::board::{Position, uci_text};
    use shakmaty::CastlingMode;

    fn read_in(fen: &str, text: &str, language: Language) -> (String, Vec<Slip>, Mark) {
        let position = Position::from_fen(fen).unwrap();
        let reading = read(text, &position.legal_moves(), language);
        let moves = reading.moves.iter();
        let moves: Vec<String> = moves
            .map(|&m| uci_text(m, CastlingMode::Standard))
            .collect();
        (moves.join(" "), reading.slips.to_vec(), reading.mark)
    }

    fn english(fen: &str, text: &str) -> (String, Vec<Slip>) {
        let (moves, slips, _) = read_in(fen, text, Language::English);
        (moves, slips)
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    const PROMOTION: &str = "3r3k/4P3/8/8/8/8/8/K7 w - - 0 1";

    #[test]
    fn san_long_algebraic_and_uci_are_read() {
        for text in ["Nf3", "Nf3!", "Ngf3", "N1f3", "Ng1f3", "Ng1-f3"] {
            assert_eq!(english(START, text), ("g1f3".to_string(), vec![]), "{text}");
        }
        assert_eq!(
            english(START, "g1f3"),
            ("g1f3".to_string(), vec![Slip::Coordinates])
        );
        for text in ["e2e4", "g1-f3"] {
            assert_eq!(english(START, text).1, [Slip::Coordinates], "{text}");
        }
        assert_eq!(english(START, "e2-e4"), ("e2e4".to_string(), vec![]));
        assert_eq!(english(START, "Pe4"), ("e2e4".to_string(), vec![]));
    }

    #[test]
    fn castling_is_read_with_letters_zeros_and_squares() {
        for (text, slips) in [
            ("O-O", vec![]),
            ("0-0", vec![Slip::Zeros]),
            ("OO", vec![]),
            ("e1g1", vec![Slip::Coordinates]),
            ("e1h1", vec![Slip::Coordinates]),
        ] {
            assert_eq!(
                english(CASTLING, text),
                ("e1g1".to_string(), slips),
                "{text}"
            );
        }
        assert_eq!(english(CASTLING, "O-O-O+").0, "e1c1");
    }

    #[test]
    fn promotions_are_read_in_every_spelling() {
        for text in ["e8=Q", "e8Q", "e8(Q)", "e8/Q", "e7e8q", "e7-e8=Q+"] {
            assert_eq!(english(PROMOTION, text).0, "e7e8q", "{text}");
        }
        assert_eq!(english(PROMOTION, "e7e8b").0, "e7e8b");
        let (moves, slips) = english(PROMOTION, "exd8");
        assert_eq!(moves.split(' ').count(), 4);
        assert_eq!(slips, [Slip::NoPromotion]);
        let (moves, ..) = read_in(PROMOTION, "e8=T", Language::Spanish);
        assert_eq!(moves, "e7e8r");
    }

    #[test]
    fn captures_are_read_with_and_without_their_mark() {
        let fen = "4k3/8/8/3p4/4P3/8/8/4K2B w - - 0 1";
        assert_eq!(english(fen, "exd5").1, []);
        assert_eq!(
            english(fen, "ed5"),
            ("e4d5".to_string(), vec![Slip::NoCapture])
        );
        assert_eq!(english(fen, "ed"), ("e4d5".to_string(), vec![]));
        assert_eq!(
            english(fen, "exe5"),
            ("e4e5".to_string(), vec![Slip::FalseCapture])
        );
        assert_eq!(english(fen, "d5").0, "", "a pawn capture names its file");
        let fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        for text in ["exd6", "exd6e.p.", "exd6 e.p.".split(' ').next().unwrap()] {
            assert_eq!(english(fen, text), ("e5d6".to_string(), vec![]));
        }
    }

    #[test]
    fn letters_of_other_languages_and_of_the_wrong_case_are_told() {
        let spanish = Slip::Foreign(Language::Spanish);
        assert_eq!(english(START, "Cf3"), ("g1f3".to_string(), vec![spanish]));
        assert_eq!(read_in(START, "Cf3", Language::Spanish).1, []);
        assert_eq!(
            english(START, "nf3"),
            ("g1f3".to_string(), vec![Slip::Case])
        );
        assert_eq!(english(START, "E4"), ("e2e4".to_string(), vec![Slip::Case]));
        assert_eq!(
            english(START, "♘f3"),
            ("g1f3".to_string(), vec![Slip::Figurine])
        );
    }

    #[test]
    fn a_bishop_is_no_pawn_and_a_pawn_no_bishop() {
        let fen = "4k3/8/8/8/8/2p5/1P3B2/4K3 w - - 0 1";
        assert_eq!(english(fen, "Bb4").0, "", "the pawn could go there");
        assert_eq!(english(fen, "Bxc3").0, "");
        assert_eq!(english(fen, "bg3"), ("f2g3".to_string(), vec![Slip::Case]));
        let fen = "4k3/8/8/8/8/2p5/8/B3K3 w - - 0 1";
        assert_eq!(english(fen, "bxc3").0, "", "the bishop could take");
    }

    #[test]
    fn a_letter_of_the_games_language_keeps_its_meaning() {
        let fen = "4k3/8/8/8/8/8/8/3K3R w - - 0 1";
        assert_eq!(english(fen, "Rd2").0, "", "no king move in Spanish");
    }

    #[test]
    fn marks_are_taken_off_and_told() {
        for (text, mark) in [
            ("Dxf7++", Mark::Double),
            ("Dxf7#", Mark::Mate),
            ("Dxf7+!?", Mark::Check),
            ("Dxf7!", Mark::None),
            ("Nf3+/-", Mark::None),
            ("Nf3+±", Mark::Check),
            ("dxc6e.p.+", Mark::Check),
        ] {
            assert_eq!(without_marks(text).1, mark, "{text}");
        }
    }

    #[test]
    fn what_is_no_move_has_no_meaning() {
        for text in ["r23", "g", "Nf9", "xx", "", "Qe8=Q", "hello", "e4e5e6"] {
            assert_eq!(Meaning::read(text, Language::English), None, "{text}");
        }
        for text in ["--", "Z0", "0000"] {
            assert_eq!(Meaning::read(text, Language::English), Some(Meaning::Null));
        }
    }
}
