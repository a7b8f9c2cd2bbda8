//! The terms: material, placement, mobility, pawns, threats and king safety.
//!
//! Every term is computed for one side and subtracted for the other. Values are in centipawns, the
//! middlegame first. They are the authors' guesses; games decide later what they are worth.

use shakmaty::{Bitboard, Color, File, Rank, Role, Square, attacks};

use super::taper::{Taper, s};
use crate::board::Position;

const MATERIAL: [Taper; 6] = [
    s(84, 112),
    s(340, 330),
    s(355, 345),
    s(470, 590),
    s(1000, 1080),
    s(0, 0),
];

/// By role, then by rank seen from the own side.
const RANKS: [[Taper; 8]; 6] = [
    [
        s(0, 0),
        s(-4, -2),
        s(-6, -6),
        s(2, -4),
        s(8, 4),
        s(14, 22),
        s(30, 50),
        s(0, 0),
    ],
    [
        s(-22, -18),
        s(-8, -8),
        s(-2, -4),
        s(8, 8),
        s(16, 14),
        s(20, 6),
        s(10, -6),
        s(-40, -14),
    ],
    [
        s(-10, -8),
        s(2, -6),
        s(4, 0),
        s(4, 4),
        s(6, 6),
        s(8, 4),
        s(-8, -2),
        s(-22, 2),
    ],
    [
        s(-6, -8),
        s(-14, -10),
        s(-16, -4),
        s(-12, 4),
        s(-2, 8),
        s(8, 10),
        s(16, 14),
        s(12, 10),
    ],
    [
        s(-2, -28),
        s(2, -20),
        s(0, -6),
        s(-2, 8),
        s(-2, 18),
        s(4, 18),
        s(0, 20),
        s(4, 10),
    ],
    [
        s(16, -34),
        s(4, -12),
        s(-26, 0),
        s(-44, 10),
        s(-50, 18),
        s(-40, 20),
        s(-30, 8),
        s(-30, -18),
    ],
];

/// By role, then by distance from the nearest edge file (a and h first).
const FILES: [[Taper; 4]; 6] = [
    [s(-8, 2), s(0, 2), s(-2, -2), s(8, -4)],
    [s(-20, -16), s(-4, -4), s(4, 4), s(8, 10)],
    [s(-4, -6), s(4, -2), s(0, 2), s(2, 6)],
    [s(-8, 0), s(-2, 2), s(4, 2), s(8, -2)],
    [s(-6, -14), s(-2, -4), s(2, 6), s(2, 12)],
    [s(12, -20), s(22, -4), s(-10, 6), s(-20, 12)],
];

/// Mobility from no square to enough squares: start, end and the number of squares between.
const MOBILITY_ENDS: [(Taper, Taper, i32); 6] = [
    (s(0, 0), s(0, 0), 1),
    (s(-36, -40), s(20, 18), 8),
    (s(-30, -46), s(36, 34), 13),
    (s(-26, -50), s(22, 52), 14),
    (s(-24, -50), s(26, 60), 27),
    (s(0, 0), s(0, 0), 1),
];

/// Material and placement, by role and square seen from the own side.
const PLACEMENT: [[Taper; 64]; 6] = {
    let mut table = [[s(0, 0); 64]; 6];
    let mut i = 0;
    while i < 6 * 64 {
        let (role, rank, file) = (i / 64, i / 8 % 8, i % 8);
        let from_edge = if file < 4 { file } else { 7 - file };
        table[role][i % 64] = MATERIAL[role]
            .plus(RANKS[role][rank])
            .plus(FILES[role][from_edge]);
        i += 1;
    }
    table
};

/// Mobility by role and number of squares.
const MOBILITY: [[Taper; 28]; 6] = {
    let mut table = [[s(0, 0); 28]; 6];
    let mut i = 0;
    while i < 6 * 28 {
        let (from, to, enough) = MOBILITY_ENDS[i / 28];
        let squares = (i % 28) as i32;
        table[i / 28][i % 28] = s(
            from.middle + (to.middle - from.middle) * squares / enough,
            from.end + (to.end - from.end) * squares / enough,
        );
        i += 1;
    }
    table
};

const BISHOP_PAIR: Taper = s(26, 54);
const ROOK_OPEN: Taper = s(34, 12);
const ROOK_HALF_OPEN: Taper = s(14, 8);
const DOUBLED: Taper = s(-8, -22);
const ISOLATED: Taper = s(-14, -14);
const BACKWARD: Taper = s(-8, -10);
const PHALANX: Taper = s(8, 6);
const DEFENDED: Taper = s(10, 6);
/// By rank seen from the own side.
const PASSED: [Taper; 8] = [
    s(0, 0),
    s(0, 8),
    s(-6, 14),
    s(-4, 38),
    s(22, 66),
    s(50, 120),
    s(90, 190),
    s(0, 0),
];
const PASSED_BLOCKED: Taper = s(-8, -30);
/// Per square that the enemy king is further from the square ahead than the own king.
const PASSED_KING: Taper = s(0, 9);
const THREAT_BY_PAWN: Taper = s(58, 36);
const THREAT_BY_MINOR: Taper = s(34, 30);
const HANGING: Taper = s(6, 18);
const SHELTER: Taper = s(16, -2);
const KING_OPEN_FILE: Taper = s(-28, 4);
/// Danger of an attack on the king's surroundings, by the role that attacks.
const ATTACK_WEIGHT: [i32; 6] = [0, 22, 20, 32, 48, 0];
const DANGER_MAX: i32 = 1200;
/// Driving a bare king to the edge and the own king to it.
const MATING_EDGE: Taper = s(0, 14);
const MATING_KINGS: Taper = s(0, 8);

/// The sum of all terms, White's minus Black's.
pub fn evaluate(pos: &Position) -> Taper {
    let pawns = [Color::Black, Color::White].map(|color| PawnSide::new(pos, color));
    side(pos, Color::White, &pawns) - side(pos, Color::Black, &pawns)
}

/// What is asked of one side's pawns more than once.
struct PawnSide {
    men: Bitboard,
    attacks: Bitboard,
    /// All squares in front of the pawns and beside that, where they stop enemy pawns.
    front: Bitboard,
}

impl PawnSide {
    fn new(pos: &Position, color: Color) -> PawnSide {
        let men = pos.board().by_piece(color.pawn());
        let ahead = fill(step(men, color), color);
        PawnSide {
            men,
            attacks: beside(step(men, color)),
            front: ahead | beside(ahead),
        }
    }
}

fn side(pos: &Position, us: Color, pawns: &[PawnSide; 2]) -> Taper {
    let (ours, theirs) = (&pawns[us as usize], &pawns[!us as usize]);
    let board = pos.board();
    let occupied = board.occupied();
    let enemies = board.by_color(!us);
    let their_king = board.king_of(!us).unwrap_or(Square::A1);
    let their_zone = attacks::king_attacks(their_king).with(their_king);
    let reachable = !(board.by_color(us) & (board.pawns() | board.kings())) & !theirs.attacks;

    let mut sum = pawn_structure(pos, us, ours, theirs) + king(pos, us, ours);
    let mut attacked_twice = Bitboard::EMPTY;
    let mut attacked = ours.attacks;
    let (mut danger, mut attackers) = (0, 0);

    for square in board.by_color(us) & !(board.pawns() | board.kings()) {
        let role = board.role_at(square).unwrap_or(Role::Pawn);
        let index = role as usize - 1;
        let reach = match role {
            Role::Knight => attacks::knight_attacks(square),
            Role::Bishop => attacks::bishop_attacks(square, occupied ^ board.queens()),
            Role::Rook => attacks::rook_attacks(square, occupied ^ board.rooks_and_queens()),
            _ => attacks::queen_attacks(square, occupied),
        };
        attacked_twice |= attacked & reach;
        attacked |= reach;

        sum += placement(index, square, us);
        sum += MOBILITY[index][(reach & reachable).count()];
        if (reach & their_zone).any() {
            attackers += 1;
            danger += ATTACK_WEIGHT[index] * (reach & their_zone).count() as i32;
        }
        match role {
            Role::Knight | Role::Bishop => {
                let targets = reach & enemies & board.rooks_and_queens();
                sum += THREAT_BY_MINOR * targets.count() as i32;
            }
            Role::Rook => {
                let file = Bitboard::from_file(square.file());
                if (file & ours.men).is_empty() {
                    sum += if (file & theirs.men).is_empty() {
                        ROOK_OPEN
                    } else {
                        ROOK_HALF_OPEN
                    };
                }
            }
            _ => {}
        }
    }

    if (board.by_piece(us.bishop())).more_than_one() {
        sum += BISHOP_PAIR;
    }
    let targets = ours.attacks & enemies & !board.pawns();
    sum += THREAT_BY_PAWN * targets.count() as i32;
    let hanging = attacked & enemies & !board.kings() & !theirs.attacks;
    sum += HANGING * (hanging & (attacked_twice | ours.attacks)).count() as i32;
    if attackers >= 2 {
        let queens = board.by_piece(us.queen()).any();
        let danger = danger * attackers.min(5) / if queens { 2 } else { 5 };
        let danger = danger.min(DANGER_MAX);
        sum += s(danger * danger / 900 + danger / 6, danger / 16);
    }
    if enemies == their_king.into() {
        sum += mating(pos, us, their_king);
    }
    sum
}

fn placement(index: usize, square: Square, us: Color) -> Taper {
    let square = us.fold_wb(square, square.flip_vertical());
    PLACEMENT[index][square as usize]
}

fn pawn_structure(pos: &Position, us: Color, ours: &PawnSide, theirs: &PawnSide) -> Taper {
    let board = pos.board();
    let mut sum = s(0, 0);
    for square in ours.men {
        sum += placement(0, square, us);
    }
    let behind = fill(step(ours.men, !us), !us);
    let files = fill(ours.men, us) | behind;
    let isolated = ours.men & !beside(files);
    // Not isolated, but no neighbour can come to its defence and the square ahead is guarded.
    let supported = fill(beside(ours.men), us);
    let backward = step(
        step(ours.men & !isolated & !supported, us) & theirs.attacks,
        !us,
    );
    sum += DOUBLED * (ours.men & behind).count() as i32;
    sum += ISOLATED * isolated.count() as i32;
    sum += BACKWARD * backward.count() as i32;
    sum += PHALANX * (ours.men & beside(ours.men)).count() as i32;
    sum += DEFENDED * (ours.men & ours.attacks).count() as i32;

    let kings = [us, !us].map(|color| board.king_of(color).unwrap_or(Square::A1));
    for square in ours.men & !theirs.front & !behind {
        let rank = us.relative_rank(square.rank());
        sum += PASSED[rank as usize];
        if rank < Rank::Fourth {
            continue;
        }
        let Some(ahead) = step(square.into(), us).first() else {
            continue;
        };
        if board.occupied().contains(ahead) {
            sum += PASSED_BLOCKED;
        }
        let [own, enemy] = kings.map(|king| king.distance(ahead).min(5) as i32);
        sum += PASSED_KING * (2 * enemy - own);
    }
    sum
}

fn king(pos: &Position, us: Color, ours: &PawnSide) -> Taper {
    let king = pos.board().king_of(us).unwrap_or(Square::A1);
    let mut sum = placement(5, king, us);
    let files = Bitboard::from_file(king.file());
    let near = files | beside(files);
    let ranks = fill(step(king.into(), us), us);
    let two_ahead = near & (beside(ranks) | ranks) & attack_range(king, us);
    sum += SHELTER * (ours.men & two_ahead).count().min(3) as i32;
    for file in [
        File::A,
        File::B,
        File::C,
        File::D,
        File::E,
        File::F,
        File::G,
        File::H,
    ] {
        if file.distance(king.file()) <= 1 && (Bitboard::from_file(file) & ours.men).is_empty() {
            sum += KING_OPEN_FILE;
        }
    }
    sum
}

/// The two ranks in front of the king.
fn attack_range(king: Square, us: Color) -> Bitboard {
    let first = step(Bitboard::from_rank(king.rank()), us);
    first | step(first, us)
}

fn mating(pos: &Position, us: Color, their_king: Square) -> Taper {
    let own_king = pos.board().king_of(us).unwrap_or(Square::A1);
    let from_edge = |coordinate: i32| coordinate.min(7 - coordinate);
    let edge = 6 - from_edge(their_king.file() as i32) - from_edge(their_king.rank() as i32);
    MATING_EDGE * edge + MATING_KINGS * (7 - own_king.distance(their_king) as i32)
}

/// One rank forward.
fn step(squares: Bitboard, color: Color) -> Bitboard {
    squares.shift(color.fold_wb(8, -8))
}

/// One file to either side.
fn beside(squares: Bitboard) -> Bitboard {
    let east = (squares & !Bitboard::from_file(File::H)).shift(1);
    let west = (squares & !Bitboard::from_file(File::A)).shift(-1);
    east | west
}

/// These squares and all in front of them.
fn fill(squares: Bitboard, color: Color) -> Bitboard {
    let mut filled = squares;
    for ranks in [8, 16, 32] {
        filled |= filled.shift(color.fold_wb(ranks, -ranks));
    }
    filled
}
