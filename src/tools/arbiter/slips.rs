//! Careless notation of a game, counted by kind.

use shakmaty::Move;

use super::notation::Slip;

/// How often each slip occurs, and where first.
#[derive(Default, Debug)]
pub struct Slips {
    counted: Vec<Counted>,
    /// Wrong move numbers.
    pub numbers: Option<(usize, usize)>,
}

/// A kind of slip.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    pub slip: Slip,
    /// Index of the first move that has it, and what that was read as.
    pub first: usize,
    pub read_as: Move,
    pub count: usize,
}

impl Slips {
    pub fn add(&mut self, index: usize, slip: Slip, read_as: Move) {
        match self.counted.iter_mut().find(|counted| counted.slip == slip) {
            Some(counted) => counted.count += 1,
            None => self.counted.push(Counted {
                slip,
                first: index,
                read_as,
                count: 1,
            }),
        }
    }

    /// Notes that the move at `index` has a wrong number.
    pub fn number(&mut self, index: usize) {
        let (_, count) = self.numbers.get_or_insert((index, 0));
        *count += 1;
    }

    pub fn counted(&self) -> &[Counted] {
        &self.counted
    }
}

impl Slip {
    /// What the slip is, without the move.
    pub fn text(self) -> String {
        match self {
            Slip::Coordinates => "squares instead of piece and target".to_string(),
            Slip::Foreign(language) => {
                format!(
                    "a piece letter of {} ({})",
                    language.name(),
                    language.letters()
                )
            }
            Slip::Figurine => "figurines".to_string(),
            Slip::Case => "capital and small letter confused".to_string(),
            Slip::Zeros => "zeros for castling".to_string(),
            Slip::NoPromotion => "a promotion without a piece".to_string(),
            Slip::NoCapture => "a capture without x".to_string(),
            Slip::FalseCapture => "x where nothing is captured".to_string(),
            Slip::NoCheck => "check or mate without its mark".to_string(),
            Slip::FalseCheck => "a mark of check or mate that is none".to_string(),
        }
    }
}
