//! Piece letters of several languages, and which of them a game is written in.

use shakmaty::Role;

use super::record::Moves;

/// Whose letters stand for the pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    English,
    Spanish,
    German,
    French,
}

/// The order of the letters.
const PIECES: [Role; 5] = [
    Role::King,
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
];

impl Language {
    /// English first: it is taken where letters could be of several languages.
    pub const ALL: [Language; 4] = [
        Language::English,
        Language::Spanish,
        Language::German,
        Language::French,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Spanish => "Spanish",
            Language::German => "German",
            Language::French => "French",
        }
    }

    /// Letters of king, queen, rook, bishop and knight.
    pub fn letters(self) -> &'static str {
        match self {
            Language::English => "KQRBN",
            Language::Spanish => "RDTAC",
            Language::German => "KDTLS",
            Language::French => "RDTFC",
        }
    }

    /// The piece that a capital letter stands for.
    pub fn role(self, letter: char) -> Option<Role> {
        PIECES[..].get(self.letters().find(letter)?).copied()
    }

    /// Languages that have most of the letters at the beginning of moves, as equals: English
    /// alone if they tell nothing.
    pub fn candidates(moves: &Moves) -> Vec<Language> {
        let mut counts = [0_usize; 26];
        for written in moves.from(0) {
            let first = written.text.as_bytes().first();
            if let Some(letter) = first.filter(|byte| byte.is_ascii_uppercase()) {
                counts[usize::from(letter - b'A')] += 1;
            }
        }
        let covered = |language: Language| -> usize {
            let letters = language.letters().bytes();
            letters
                .map(|letter| counts[usize::from(letter - b'A')])
                .sum()
        };
        let most = Language::ALL.into_iter().map(covered).max().unwrap_or(0);
        if most == 0 {
            return vec![Language::English];
        }
        let mut best = Language::ALL.to_vec();
        best.retain(|&language| covered(language) == most);
        best
    }
}

/// The piece of a figurine, of either colour.
pub fn figurine(sign: char) -> Option<Role> {
    let at = "♔♕♖♗♘♚♛♜♝♞".chars().position(|c| c == sign)?;
    Some(PIECES[at % 5])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(text: &str) -> Vec<Language> {
        let mut moves = Moves::default();
        text.split(' ').for_each(|word| moves.push(word, None, 1));
        Language::candidates(&moves)
    }

    #[test]
    fn the_language_is_that_of_most_letters() {
        assert_eq!(candidates("e4 e5 Nf3 Nc6 Bb5"), [Language::English]);
        assert_eq!(
            candidates("e4 e5 Dh5 Cc6 Ac4 Cf6 Dxf7++"),
            [Language::Spanish]
        );
        assert_eq!(candidates("e4 e5 Sf3 Sc6 Lb5"), [Language::German]);
        assert_eq!(candidates("e4 e5 Cf3 Cc6 Fb5"), [Language::French]);
        assert_eq!(
            candidates("e4 e5 Dh5 Cc6"),
            [Language::Spanish, Language::French]
        );
        assert_eq!(candidates("e4 O-O"), [Language::English]);
    }

    #[test]
    fn figurines_are_pieces_in_every_language() {
        assert_eq!(figurine('♞'), Some(Role::Knight));
        assert_eq!(figurine('♕'), Some(Role::Queen));
        assert_eq!(figurine('♙'), None);
    }
}
