//! Where each man could ever get to, and whether there is a mate among those squares.
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

/// Whether no series of legal moves leads to a position in which `side` has mated; `false` says nothing.
pub fn excludes_mate(chess: &Chess, side: Color) -> bool {
    if is_open(chess) {
        return false;
    }
    Blockade::new(chess).excludes_mate(side)
}

/// Whether a pawn can move at once: then nothing is worth working out.
fn is_open(chess: &Chess) -> bool {
    let board = chess.board();
    let pushes = |color: Color| {
        (board.pawns() & board.by_color(color)).shift(step(color)) & !board.occupied()
    };
    board.pawns().is_empty() || pushes(Color::White).any() || pushes(Color::Black).any()
}

/// How far a pawn's step is in square numbers.
fn step(color: Color) -> i32 {
    color.fold_wb(8, -8)
}

/// One man of the position asked about.
struct Man {
    piece: Piece,
    home: Square,
    /// Squares it may stand on as what it is now.
    reach: Bitboard,
    /// Squares a pawn may stand on once promoted.
    promoted: Bitboard,
    may_be_captured: bool,
}

impl Man {
    fn is_fixed(&self) -> bool {
        !self.may_be_captured && self.squares() == Bitboard::from(self.home)
    }

    /// Every square it may stand on.
    fn squares(&self) -> Bitboard {
        self.reach | self.promoted
    }

    /// Squares it may attack past anything but `blockers`.
    fn attacked(&self, blockers: Bitboard) -> Bitboard {
        self.attacked_unpromoted(blockers) | self.attacked_promoted(blockers)
    }

    fn attacked_unpromoted(&self, blockers: Bitboard) -> Bitboard {
        let unpromoted = self.reach.into_iter();
        unpromoted
            .map(|from| attacks::attacks(from, self.piece, blockers))
            .fold(Bitboard::EMPTY, |all, squares| all | squares)
    }

    /// A promoted pawn counts as a queen and a knight in one.
    fn attacked_promoted(&self, blockers: Bitboard) -> Bitboard {
        let promoted = self.promoted.into_iter();
        promoted
            .map(|from| attacks::queen_attacks(from, blockers) | attacks::knight_attacks(from))
            .fold(Bitboard::EMPTY, |all, squares| all | squares)
    }

    /// Whether it is a pawn that never leaves its file, so that no enemy pawn behind it on the file
    /// ever passes it.
    fn keeps_its_file(&self) -> bool {
        self.piece.role == Role::Pawn
            && !self.may_be_captured
            && self
                .squares()
                .is_subset(Bitboard::from_file(self.home.file()))
    }
}

/// The men of a position with the squares each may ever stand on.
struct Blockade {
    men: ArrayVec<Man, 32>,
    fixed: Bitboard,
}

impl Blockade {
    fn new(chess: &Chess) -> Blockade {
        let men = chess.board().iter().map(|(home, piece)| Man {
            piece,
            home,
            reach: home.into(),
            promoted: Bitboard::EMPTY,
            may_be_captured: false,
        });
        let mut blockade = Blockade {
            men: men.collect(),
            fixed: chess.board().occupied(),
        };
        while blockade.grow(chess) {}
        blockade
    }

    /// Lets in every move that the sets allow; whether that was anything new.
    fn grow(&mut self, chess: &Chess) -> bool {
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
        let men = self
            .men
            .iter()
            .filter(|man| man.piece.color == color && man.piece.role != Role::King);
        men.fold(Bitboard::EMPTY, |all, man| all | man.squares())
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

    /// Whether `side` can mate on none of the squares that the enemy king can stand on.
    fn excludes_mate(&self, side: Color) -> bool {
        let king_of = |color: Color| self.men.iter().find(|man| man.piece == color.king());
        let (Some(king), Some(victim)) = (king_of(side), king_of(!side)) else {
            return false;
        };
        // A king does not shield the squares behind it.
        let blockers = self.fixed.without(victim.home);
        let ours = || {
            self.men
                .iter()
                .filter(|man| man.piece.color == side && man.piece.role != Role::King)
        };
        let attacked = ours().fold(Bitboard::EMPTY, |all, man| all | man.attacked(blockers));
        // A fixed man that is no slider has not just given check, nor uncovered one.
        let checked = ours()
            .filter(|man| {
                !man.is_fixed() || matches!(man.piece.role, Role::Bishop | Role::Rook | Role::Queen)
            })
            .fold(Bitboard::EMPTY, |all, man| all | man.attacked(blockers));
        let mut mates = (victim.reach & checked).into_iter();
        !mates.any(|square| {
            let around = attacks::king_attacks(square);
            let kings = king.reach & !around.with(square);
            kings.into_iter().any(|king| {
                let open = around & !attacked & !attacks::king_attacks(king);
                self.can_be_blocked(open, !side)
            })
        })
    }

    /// Whether as many men of `color` can stand on all `squares` at once, as far as each can be there.
    fn can_be_blocked(&self, squares: Bitboard, color: Color) -> bool {
        let mut blocks = [None; 32];
        squares
            .into_iter()
            .all(|square| self.find_blocker(square, color, &mut blocks, &mut 0))
    }

    /// Finds a man for `square`, sending others elsewhere if that helps (a step of a maximum matching).
    fn find_blocker(
        &self,
        square: Square,
        color: Color,
        blocks: &mut [Option<Square>; 32],
        tried: &mut u32,
    ) -> bool {
        for (at, man) in self.men.iter().enumerate() {
            let is_free_for_it = man.piece.color == color
                && man.piece.role != Role::King
                && man.squares().contains(square)
                && *tried & (1 << at) == 0;
            if !is_free_for_it {
                continue;
            }
            *tried |= 1 << at;
            let elsewhere = match blocks[at] {
                None => true,
                Some(other) => self.find_blocker(other, color, blocks, tried),
            };
            if elsewhere {
                blocks[at] = Some(square);
                return true;
            }
        }
        false
    }
}

/// Squares on and beyond a rank, as `color` sees it.
fn beyond(color: Color, rank: Rank) -> Bitboard {
    let ranks = Rank::ALL.into_iter();
    ranks
        .filter(|&other| color.relative_rank(other) >= color.relative_rank(rank))
        .fold(Bitboard::EMPTY, |all, rank| all | Bitboard::from_rank(rank))
}
