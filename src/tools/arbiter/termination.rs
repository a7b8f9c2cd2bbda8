//! The Termination tag: whether it tells of a fallen flag, and whose.

use shakmaty::Color;

/// What the tag says of a flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Termination {
    /// One fell; whose, if that is told.
    Flag(Option<Color>),
    /// The game ended in another way, or nothing is told.
    Other,
}

/// Words in which servers and runners tell of a fallen flag. Names of players stand in the tag as well,
/// so whole words count only.
const FLAG: [&[&str]; 9] = [
    &["on", "time"],
    &["out", "of", "time"],
    &["time", "forfeit"],
    &["time", "out"],
    &["timeout"],
    &["time", "expired"],
    &["flag"],
    &["flagged"],
    &["overstepped"],
];
/// Words that tell of another end.
const OTHER: [&str; 6] = [
    "resigns",
    "resignation",
    "resigned",
    "agreement",
    "checkmate",
    "checkmated",
];

impl Termination {
    pub fn read(tag: &str) -> Termination {
        let text = tag.to_lowercase();
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let has = |word: &str| words.contains(&word);
        let is_flag = words == ["time"]
            || FLAG
                .iter()
                .any(|phrase| words.windows(phrase.len()).any(|part| part == *phrase));
        if !is_flag || OTHER.into_iter().any(has) {
            return Termination::Other;
        }
        let named = match (has("white"), has("black")) {
            (true, false) => Some(Color::White),
            (false, true) => Some(Color::Black),
            _ => None,
        };
        let has_won = ["wins", "won", "win"].into_iter().any(has);
        Termination::Flag(named.map(|side| if has_won { !side } else { side }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fallen_flag_is_known_with_its_owner() {
        let (white, black) = (Some(Color::White), Some(Color::Black));
        for (tag, owner) in [
            ("time forfeit", None),
            ("Time forfeit", None),
            ("Time", None),
            ("timeout", None),
            ("Anna won on time", None),
            ("Game drawn by timeout vs insufficient material", None),
            ("White lost on time", white),
            ("White forfeits on time", white),
            ("Black ran out of time", black),
            ("White wins on time", black),
            ("Black's flag fell; Black loses on time", black),
        ] {
            assert_eq!(Termination::read(tag), Termination::Flag(owner), "{tag}");
        }
    }

    #[test]
    fn names_and_other_ends_are_no_fallen_flag() {
        for tag in [
            "",
            "normal",
            "time control",
            "TimeLord won by resignation",
            "Sometimes drawn by agreement",
            "on time resigns",
            "abandoned",
        ] {
            assert_eq!(Termination::read(tag), Termination::Other, "{tag}");
        }
    }
}
