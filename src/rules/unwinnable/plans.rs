//! How far a position looks from mate: guesses by several plans, none of which is right everywhere.
//!
//! The units are moves, roughly. The guesses only order the search; a bad one costs time.

use shakmaty::{Bitboard, Board, ByColor, Chess, Color, Position as _, Role, Square, attacks};

use super::reach::Reach;

/// How many plans there are.
pub const COUNT: usize = 4;

/// What is known of a search's first position that helps to judge the others.
pub struct Plans {
    side: Color,
    /// Which sides have pawns that may promote.
    promotes: ByColor<bool>,
    /// Corners that the king to be mated can get to, with where a king helps to mate there.
    corners: Vec<Corner>,
}

/// A corner, and what helps to mate a king that stands in it.
struct Corner {
    square: Square,
    /// The neighbours on the edges, which a bishop on the corner's colour cannot attack.
    beside: [Square; 2],
    /// For each of those, squares from which a king attacks it and not the corner.
    watched_from: [Bitboard; 2],
}

/// A position as the side that is to mate sees it.
struct View<'b> {
    plans: &'b Plans,
    board: &'b Board,
    side: Color,
    king: Square,
    victim: Square,
    ours: Bitboard,
    /// Enemy men without the king.
    theirs: Bitboard,
}

impl Plans {
    /// Plans for `side` to mate, from the position on.
    pub fn new(chess: &Chess, side: Color) -> Plans {
        let reach = Reach::complete(chess);
        let squares = |color| reach.king(color).map_or(Bitboard::EMPTY, |king| king.reach);
        let (ours, theirs) = (squares(side), squares(!side));
        let corners = Bitboard::CORNERS & theirs;
        Plans {
            side,
            promotes: ByColor::new_with(|color| reach.promotes(color)),
            corners: corners
                .into_iter()
                .map(|square| Corner::new(square, ours))
                .collect(),
        }
    }

    /// For each plan, how far the position looks from mate.
    pub fn guesses(&self, chess: &Chess) -> [usize; COUNT] {
        let board = chess.board();
        let (Some(king), Some(victim)) = (board.king_of(self.side), board.king_of(!self.side))
        else {
            return [0; COUNT];
        };
        let view = View {
            plans: self,
            board,
            side: self.side,
            king,
            victim,
            ours: board.by_color(self.side),
            theirs: board.by_color(!self.side).without(victim),
        };
        // Enemy men defend, and few of them can be judged better.
        let men = view.theirs.count();
        let means = view.means();
        let freedom = view.freedom();
        let idle = view.idle();
        let cornered = self.corners.iter().map(|corner| view.corner(corner)).min();
        let apart = king.distance(victim).abs_diff(2) as usize;
        [
            // Mate where the king stands.
            means + freedom + idle + men,
            // Mate at the edge of the board, with the own king's help.
            means + freedom + idle + apart + view.to_the_corner() + 2 * men,
            // Mate in a corner with few pieces.
            means + cornered.unwrap_or(0) + 2 * men,
            // A pawn first.
            view.breakthrough(),
        ]
    }
}

impl View<'_> {
    fn distance(a: Square, b: Square) -> usize {
        a.distance(b) as usize
    }

    /// What is missing to have a rook or a queen, if pawns are there to become one.
    fn means(&self) -> usize {
        if (self.ours & self.board.rooks_and_queens()).any() {
            0
        } else {
            self.promotion().unwrap_or(0)
        }
    }

    /// Moves of the pawn that promotes first, and what stands in its way.
    fn promotion(&self) -> Option<usize> {
        if !self.plans.promotes[self.side] {
            return None;
        }
        let pawns = self.ours & self.board.pawns();
        let moves = pawns.into_iter().map(|pawn| {
            let rank = self.side.relative_rank(pawn.rank());
            let file = Bitboard::from_file(pawn.file()) & self.board.occupied();
            let ahead = |square: &Square| self.side.relative_rank(square.rank()) > rank;
            7 - rank as usize + 2 * file.into_iter().filter(ahead).count()
        });
        moves.min()
    }

    /// Squares that the king to be mated may go to.
    fn freedom(&self) -> usize {
        // It does not shield the squares behind it.
        let blockers = self.board.occupied().without(self.victim);
        let around = attacks::king_attacks(self.victim) & !self.theirs;
        let free = |square: &Square| {
            self.board
                .attacks_to(*square, self.side, blockers)
                .is_empty()
        };
        around.into_iter().filter(free).count()
    }

    /// How many pieces of up to four do not attack the king's surroundings yet.
    fn idle(&self) -> usize {
        let around = attacks::king_attacks(self.victim);
        let pieces = self.ours & !self.board.pawns() & !self.board.kings();
        let attacks = |square: &Square| (self.board.attacks_from(*square) & around).any();
        4 - pieces.into_iter().filter(attacks).count().min(4)
    }

    fn to_the_corner(&self) -> usize {
        let corners = Bitboard::CORNERS.into_iter();
        let moves = corners.map(|corner| View::distance(corner, self.victim));
        moves.min().unwrap_or(0)
    }

    /// What it takes to win a pawn its way: enemy men to capture, first one that is near.
    fn breakthrough(&self) -> usize {
        let men = self.theirs.into_iter();
        let nearest = men.map(|square| View::distance(self.king, square)).min();
        2 * self.promotion().unwrap_or(0) + nearest.unwrap_or(0) + 2 * self.theirs.count()
    }

    /// What it takes to mate the king in a corner with a bishop or a knight: each square beside the
    /// corner is held by the other king or blocked by an enemy man.
    fn corner(&self, corner: &Corner) -> usize {
        let watch = corner.watched_from.map(|squares| {
            let moves = squares
                .into_iter()
                .map(|square| View::distance(self.king, square));
            moves.min().unwrap_or(16)
        });
        let block = corner.beside.map(|square| self.block(square));
        let beside = (watch[0] + block[1])
            .min(block[0] + watch[1])
            .min(block[0] + block[1]);
        let wrong_bishops = if self.has_only_bishops_off(corner.square) {
            16
        } else {
            0
        };
        2 * View::distance(corner.square, self.victim) + beside + wrong_bishops
    }

    fn has_only_bishops_off(&self, square: Square) -> bool {
        let color = if square.is_light() {
            Bitboard::LIGHT_SQUARES
        } else {
            Bitboard::DARK_SQUARES
        };
        let pawns = if self.plans.promotes[self.side] {
            Bitboard::EMPTY
        } else {
            self.board.pawns()
        };
        let others = self.ours & !self.board.kings() & !self.board.bishops() & !pawns;
        others.is_empty() && (self.ours & self.board.bishops() & color).is_empty()
    }

    /// Moves to bring an enemy man to a square, or to attack it if there is more than a lone piece.
    fn block(&self, square: Square) -> usize {
        let men = self.theirs.into_iter();
        let moves = men.map(|man| match self.board.role_at(man) {
            _ if man == square => 0,
            Some(Role::Pawn) if !self.plans.promotes[!self.side] => 8,
            Some(Role::Pawn) => 10 - (!self.side).relative_rank(man.rank()) as usize,
            Some(Role::Knight) => 1 + View::distance(man, square),
            Some(Role::Bishop) if man.is_light() != square.is_light() => 8,
            _ => 2,
        });
        let block = moves.min().unwrap_or(8);
        if self.has_more_than_one_color() {
            block.min(2)
        } else {
            block
        }
    }

    /// Whether the side has a rook, a queen, or two minor pieces that attack squares of both colours.
    fn has_more_than_one_color(&self) -> bool {
        let minor = self.ours & (self.board.bishops() | self.board.knights());
        let bishops = self.ours & self.board.bishops();
        let is_one_color = minor == bishops
            && ((bishops & Bitboard::LIGHT_SQUARES).is_empty()
                || (bishops & Bitboard::DARK_SQUARES).is_empty());
        (self.ours & self.board.rooks_and_queens()).any()
            || (minor.more_than_one() && !is_one_color)
    }
}

impl Corner {
    /// The corner `square`, with the squares of `reach` that help a king there.
    fn new(square: Square, reach: Bitboard) -> Corner {
        let near = attacks::king_attacks(square);
        let edges =
            |beside: &Square| beside.file() == square.file() || beside.rank() == square.rank();
        let mut beside = near.into_iter().filter(edges);
        let beside = [(); 2].map(|()| beside.next().unwrap_or(square));
        Corner {
            square,
            beside,
            watched_from: beside
                .map(|beside| attacks::king_attacks(beside) & !near.with(square) & reach),
        }
    }
}
