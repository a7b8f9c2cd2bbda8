//! Where games may begin that nobody has played: after random moves, and from Chess960 arrays.

use fastrand::Rng;
use shakmaty::fen::Fen;
use shakmaty::{File, Role};

use crate::board::Position;

/// How likely a kind of piece is to make the next random move, in percent, if it can move. Choosing
/// the kind first keeps the many moves of queens and knights from crowding out those of pawns.
const SHARES: [(Role, u32); 6] = [
    (Role::Pawn, 35),
    (Role::Knight, 15),
    (Role::Bishop, 15),
    (Role::Rook, 5),
    (Role::Queen, 15),
    (Role::King, 15),
];

/// The position after `plies` random moves; none if the game is over there or before.
pub fn play_random(mut position: Position, plies: usize, rng: &mut Rng) -> Option<Position> {
    for _ in 0..plies {
        let moves = position.legal_moves();
        let can_move = |role| moves.iter().any(|m| m.role() == role);
        let total: u32 = SHARES
            .iter()
            .filter(|(role, _)| can_move(*role))
            .map(|(_, share)| share)
            .sum();
        if total == 0 {
            return None;
        }
        let mut lot = rng.u32(..total);
        let (role, _) = SHARES
            .iter()
            .filter(|(role, _)| can_move(*role))
            .find(|(_, share)| {
                let is_drawn = lot < *share;
                lot = lot.wrapping_sub(*share);
                is_drawn
            })?;
        let of_kind: Vec<_> = moves.iter().filter(|m| m.role() == *role).collect();
        position.play(**rng.choice(&of_kind)?);
    }
    position.has_legal_move().then_some(position)
}

/// The start of a Chess960 game, in half of the draws with an array of its own for each side.
pub fn shuffled_array(rng: &mut Rng) -> Position {
    let white = rng.u16(..960);
    let black = if rng.bool() { white } else { rng.u16(..960) };
    let [white, black] = [white, black].map(|number| {
        let roles = back_rank(number);
        let pieces: String = roles.iter().map(|role| role.char()).collect();
        let rooks: String = (File::ALL.iter().zip(roles))
            .filter(|(_, role)| *role == Role::Rook)
            .map(|(file, _)| file.char())
            .collect();
        (pieces, rooks)
    });
    let fen = format!(
        "{}/pppppppp/8/8/8/8/PPPPPPPP/{} w {}{} - 0 1",
        black.0,
        white.0.to_uppercase(),
        white.1.to_uppercase(),
        black.1
    );
    let setup = fen.parse::<Fen>().map(Fen::into_setup).unwrap_or_default();
    Position::from_setup(setup).unwrap_or_else(|_| Position::startpos())
}

/// The back rank with a number from 0 to 959; 518 is that of chess.
/// <https://en.wikipedia.org/wiki/Fischer_random_chess_numbering_scheme>
fn back_rank(number: u16) -> [Role; 8] {
    let mut rank = [None; 8];
    let (number, light) = (number / 4, usize::from(number % 4));
    rank[2 * light + 1] = Some(Role::Bishop);
    let (number, dark) = (number / 4, usize::from(number % 4));
    rank[2 * dark] = Some(Role::Bishop);
    let (knights, queen) = (number / 6, usize::from(number % 6));
    place(&mut rank, queen, Role::Queen);
    // The pairs of five free squares in order; the second counts without the first.
    const PAIRS: [(usize, usize); 10] = [
        (0, 0),
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 2),
        (2, 3),
        (3, 3),
    ];
    let (first, second) = PAIRS[usize::from(knights)];
    place(&mut rank, first, Role::Knight);
    place(&mut rank, second, Role::Knight);
    place(&mut rank, 0, Role::Rook);
    place(&mut rank, 0, Role::King);
    rank.map(|role| role.unwrap_or(Role::Rook))
}

/// Puts a piece on the `index`th free square.
fn place(rank: &mut [Option<Role>; 8], index: usize, role: Role) {
    if let Some(square) = rank.iter_mut().filter(|square| square.is_none()).nth(index) {
        *square = Some(role);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_number_has_its_own_array_and_518_is_that_of_chess() {
        let text =
            |number| -> String { back_rank(number).iter().map(|role| role.char()).collect() };
        assert_eq!(text(518), "rnbqkbnr");
        assert_eq!(text(0), "bbqnnrkr");
        assert_eq!(text(959), "rkrnnqbb");
        let arrays: HashSet<String> = (0..960).map(text).collect();
        assert_eq!(arrays.len(), 960);
        for array in arrays {
            let squares = |role| {
                array
                    .match_indices(role)
                    .map(|(at, _)| at)
                    .collect::<Vec<_>>()
            };
            let (bishops, rooks, king) = (squares('b'), squares('r'), squares('k')[0]);
            assert_eq!((bishops[0] + bishops[1]) % 2, 1, "{array}");
            assert!(rooks[0] < king && king < rooks[1], "{array}");
        }
    }
}
