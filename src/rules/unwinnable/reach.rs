//! Where each man could ever get to.
//!
//! Every man gets a set of squares that holds, for certain, all squares it will ever stand on, and a
//! mark if it may be captured. Both grow until nothing changes. A man that neither moves nor is
//! captured is *fixed*: nothing passes it, and the enemy king never enters a square that it guards.
//! That every legal game stays within the sets follows by induction over its moves: a move is let in
//! whenever what it needs — empty squares, an enemy man to capture — is within the sets.

use arrayvec::ArrayVec;
use shakmaty::{
    Bitboard, ByColor, CastlingSide, Chess, Color, Piece, Position as _, Rank, Role, Square,
    attacks,
};

use crate::board::attacked_from;

/// How far a pawn's step is in square numbers.
pub fn step(color: Color) -> i32 {
    color.fold_wb(8, -8)
}

/// One man of the position asked about.
pub struct Man {
    pub piece: Piece,
    pub home: Square,
    /// Squares it may stand on as what it is now.
    pub reach: Bitboard,
    /// Squares a pawn may stand on once promoted.
    promoted: Bitboard,
    may_be_captured: bool,
}

impl Man {
    /// Whether it stays where it is for ever.
    pub fn is_fixed(&self) -> bool {
        !self.may_be_captured && self.squares() == Bitboard::from(self.home)
    }

    /// Whether it is a king, a pawn, or a piece that never leaves its square alive.
    pub fn is_settled(&self) -> bool {
        matches!(self.piece.role, Role::King | Role::Pawn) || self.reach == self.home.into()
    }

    /// Every square it may stand on.
    pub fn squares(&self) -> Bitboard {
        self.reach | self.promoted
    }

    /// Squares it may attack past anything but `blockers`.
    pub fn attacked(&self, blockers: Bitboard) -> Bitboard {
        self.attacked_unpromoted(blockers) | self.attacked_promoted(blockers)
    }

    fn attacked_unpromoted(&self, blockers: Bitboard) -> Bitboard {
        attacked_from(self.reach, |from| {
            attacks::attacks(from, self.piece, blockers)
        })
    }

    /// A promoted pawn counts as a queen and a knight in one.
    fn attacked_promoted(&self, blockers: Bitboard) -> Bitboard {
        attacked_from(self.promoted, |from| {
            attacks::queen_attacks(from, blockers) | attacks::knight_attacks(from)
        })
    }

    /// Whether it is a pawn that never leaves its file, so that no enemy pawn behind it on the file
    /// ever passes it.
    fn keeps_its_file(&self) -> bool {
        self.piece.role == Role::Pawn
            && !self.may_be_captured
            && self.promoted.is_empty()
            && self
                .squares()
                .is_subset(Bitboard::from_file(self.home.file()))
    }
}

/// The men of a position with the squares each may ever stand on.
pub struct Reach {
    men: ArrayVec<Man, 32>,
    /// Squares of the fixed men.
    fixed: Bitboard,
}

impl Reach {
    /// What is reached without a move: everything still has to [grow](Reach::grow).
    pub fn new(chess: &Chess) -> Reach {
        let men = chess.board().iter().map(|(home, piece)| Man {
            piece,
            home,
            reach: home.into(),
            promoted: Bitboard::EMPTY,
            may_be_captured: false,
        });
        Reach {
            men: men.collect(),
            fixed: chess.board().occupied(),
        }
    }

    /// All that can ever be reached.
    pub fn complete(chess: &Chess) -> Reach {
        let mut reach = Reach::new(chess);
        while reach.grow(chess) {}
        reach
    }

    /// The men.
    pub fn men(&self) -> impl Iterator<Item = &Man> {
        self.men.iter()
    }

    /// The king of `color`.
    pub fn king(&self, color: Color) -> Option<&Man> {
        self.men.iter().find(|man| man.piece == color.king())
    }

    /// The men of `color` without its king.
    pub fn men_of(&self, color: Color) -> impl Iterator<Item = &Man> {
        let men = self.men.iter();
        men.filter(move |man| man.piece.color == color && man.piece.role != Role::King)
    }

    /// Squares of the fixed men.
    pub fn fixed(&self) -> Bitboard {
        self.fixed
    }

    /// Whether a pawn of `color` may promote.
    pub fn promotes(&self, color: Color) -> bool {
        let mut men = self.men.iter();
        men.any(|man| man.piece.color == color && man.promoted.any())
    }

    /// Lets in every move that the sets allow; whether that was anything new.
    pub fn grow(&mut self, chess: &Chess) -> bool {
        let mut grown = false;
        let mut hits = ByColor::new_with(|_| Bitboard::EMPTY);
        let guarded = ByColor::new_with(|color| self.guarded(color));
        let present = ByColor::new_with(|color| self.present(color));
        let passed = ByColor::new_with(|color| self.passed(chess, color));
        for at in 0..self.men.len() {
            let man = &self.men[at];
            let us = man.piece.color;
            let them = !us;
            let (mut reach, mut promoted) = (man.reach, man.promoted);
            let mut hit = man.attacked(self.fixed);
            match man.piece.role {
                Role::Pawn => {
                    let diagonal = man.attacked_unpromoted(self.fixed);
                    let en_passant = diagonal & passed[them];
                    let squares = (diagonal & present[them]) | en_passant | self.pushes(man);
                    hit |= en_passant.shift(-step(us));
                    reach |= squares & !Bitboard::BACKRANKS;
                    promoted |= squares & Bitboard::BACKRANKS;
                    promoted |= man.attacked_promoted(self.fixed) & !self.fixed;
                }
                Role::King => {
                    hit &= !guarded[them];
                    reach |= hit & !self.fixed;
                }
                _ => reach |= hit & !self.fixed,
            }
            hits[us] |= hit;
            let man = &mut self.men[at];
            grown |= (reach, promoted) != (man.reach, man.promoted);
            (man.reach, man.promoted) = (reach, promoted);
        }
        for man in &mut self.men {
            let hit = hits[!man.piece.color];
            if man.piece.role != Role::King && !man.may_be_captured && (man.squares() & hit).any() {
                man.may_be_captured = true;
                grown = true;
            }
        }
        grown |= self.castle(chess);
        self.fixed = self
            .men
            .iter()
            .filter(|man| man.is_fixed())
            .map(|man| man.home)
            .collect();
        grown
    }

    /// Squares that a pawn may be pushed to.
    ///
    /// Pawns that meet on a file pass only after one of them was captured or left the file by a
    /// capture.
    fn pushes(&self, man: &Man) -> Bitboard {
        let us = man.piece.color;
        let file = Bitboard::from_file(man.home.file());
        let second = Bitboard::from_rank(us.relative_rank(Rank::Second));
        let mut free = !self.fixed;
        if man.squares().is_subset(file) {
            for other in &self.men {
                let ahead = us.relative_rank(other.home.rank()) > us.relative_rank(man.home.rank());
                if other.piece.color != us
                    && ahead
                    && other.keeps_its_file()
                    && file.contains(other.home)
                {
                    free &= !beyond(us, other.home.rank());
                }
            }
        }
        let single = man.reach.shift(step(us)) & free;
        let double = (man.reach & second).shift(step(us)) & free;
        single | (double.shift(step(us)) & free)
    }

    /// Lets in castling, if nothing stands in its way for ever.
    fn castle(&mut self, chess: &Chess) -> bool {
        let mut grown = false;
        let castles = chess.castles();
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                let Some(rook) = castles.rook(color, side) else {
                    continue;
                };
                if (castles.path(color, side) & self.fixed).any() {
                    continue;
                }
                for man in &mut self.men {
                    let to = if man.piece == color.king() {
                        side.king_to(color)
                    } else if man.home == rook {
                        side.rook_to(color)
                    } else {
                        continue;
                    };
                    grown |= !man.reach.contains(to);
                    man.reach.add(to);
                }
            }
        }
        grown
    }

    /// Squares that men of `color` other than the king may stand on: where they may be captured.
    fn present(&self, color: Color) -> Bitboard {
        self.men_of(color)
            .fold(Bitboard::EMPTY, |all, man| all | man.squares())
    }

    /// Squares that a pawn of `color` may pass by a double step, to be captured there en passant.
    fn passed(&self, chess: &Chess, color: Color) -> Bitboard {
        let second = color.relative_rank(Rank::Second);
        let now = chess.legal_ep_square().filter(|_| chess.turn() != color);
        let pawns = self
            .men
            .iter()
            .filter(|man| man.piece == color.pawn() && man.home.rank() == second);
        pawns
            .filter_map(|man| {
                let (over, to) = (
                    man.home.offset(step(color))?,
                    man.home.offset(2 * step(color))?,
                );
                man.reach.contains(to).then_some(over)
            })
            .chain(now)
            .collect()
    }

    /// Squares that the fixed men of `color` attack whatever happens.
    fn guarded(&self, color: Color) -> Bitboard {
        let anywhere = self
            .men
            .iter()
            .fold(Bitboard::EMPTY, |all, man| all | man.squares());
        let fixed = self
            .men
            .iter()
            .filter(|man| man.piece.color == color && man.is_fixed());
        fixed.fold(Bitboard::EMPTY, |all, man| all | man.attacked(anywhere))
    }
}

/// Squares on and beyond a rank, as `color` sees it.
pub fn beyond(color: Color, rank: Rank) -> Bitboard {
    let ranks = Rank::ALL.into_iter();
    ranks
        .filter(|&other| color.relative_rank(other) >= color.relative_rank(rank))
        .fold(Bitboard::EMPTY, |all, rank| all | Bitboard::from_rank(rank))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    #[test]
    fn all_moves_of_random_games_stay_within_the_sets() {
        let mut random = fastrand::Rng::with_seed(29);
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/8/8/1p1p1p1p/1P1P1P1P/8/8/R3K2R w KQkq - 0 1",
            "Bb1k1b2/bKp1p1p1/1pP1P1P1/1P6/p5P1/P7/8/8 w - -",
            "bqn1KN2/rrk1pB2/nb1pPp1p/p1pP1PpP/PpP3P1/1P2N1R1/4Q3/1R4B1 w - -",
            "k7/Pp1p1p1p/1P6/8/8/8/3P1P1P/7K w - -",
            "8/8/5k2/1p6/1P1p4/B2p4/RK1P4/QRB5 w - -",
        ] {
            let start = Position::from_fen(fen).unwrap();
            let sets = Reach::complete(start.chess());
            let reach = |piece: Piece| {
                let men = sets.men().filter(|man| man.piece == piece);
                let promoted = sets
                    .men()
                    .filter(|man| man.piece.color == piece.color && man.piece.role == Role::Pawn);
                men.map(|man| man.reach)
                    .chain(promoted.map(|man| man.promoted))
                    .fold(Bitboard::EMPTY, |all, squares| all | squares)
            };
            for _ in 0..200 {
                let mut position = start.clone();
                for _ in 0..80 {
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    position.play(moves[random.usize(..moves.len())]);
                    for (square, piece) in position.board().iter() {
                        assert!(
                            reach(piece).contains(square),
                            "{piece:?} {square} in {position:?}"
                        );
                    }
                }
            }
        }
    }
}
