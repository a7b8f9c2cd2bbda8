//! The benchmark: fifty positions searched to a fixed depth by one thread.
//!
//! Its node total is the checksum of the search: the same on every machine, and changed by every
//! change of behaviour. The positions are samples of the CC0 opening and endgame books of
//! <https://github.com/official-stockfish/books>, Chess960 among them.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::{Outcome, Silent, Task, Team};
use crate::board::Position;
use crate::clock::Clock;
use crate::eval::nnue::Network;
use crate::limits::Limits;
use crate::rules::Game;
use crate::tt::{OutOfMemory, Table};

/// Depth of the searches that make up the checksum.
pub const DEPTH: i32 = 12;
const HASH_MIB: u64 = 16;

/// Nodes and time of all positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    /// Positions searched.
    pub nodes: u64,
    /// Time used.
    pub time: Duration,
}

impl Total {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (self.nodes as u128 * 1_000_000 / self.time.as_micros().max(1)) as u64
    }
}

/// Searches every position to `depth`, from an empty hash each, and calls `each` with its FEN and
/// outcome. Ends early when `stop` is set.
///
/// # Errors
/// When there is no memory for the hash.
pub fn bench(
    depth: i32,
    network: &Network,
    stop: &AtomicBool,
    mut each: impl FnMut(&str, &Outcome),
) -> Result<Total, OutOfMemory> {
    let mut table = Table::new(HASH_MIB)?;
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let mut team = Team::default();
    let mut total = Total::default();
    for fen in POSITIONS {
        let Ok(position) = Position::from_fen(fen) else {
            continue;
        };
        table.clear();
        table.grow_older();
        let game = Game::new(position);
        let clock = Clock::new(&limits, Duration::ZERO, Instant::now());
        let task = Task::new(&game, &limits, &clock, stop, &table, network);
        team.forget();
        let start = Instant::now();
        let outcome = team.search(&task, &mut Silent);
        total.time += start.elapsed();
        total.nodes += outcome.nodes;
        each(fen, &outcome);
    }
    Ok(total)
}

const POSITIONS: [&str; 50] = [
    "rnbqkbnr/1pp2ppp/3p4/p3p3/8/P1P1P3/1P1P1PPP/RNBQKBNR w KQkq - 0 4",
    "rnbqkbnr/ppp2pp1/3p3p/4p3/2P5/1P3N2/P2PPPPP/RNBQKB1R w KQkq - 0 4",
    "r3k1nr/pp1qppbp/2npb1p1/8/2P5/4N1P1/PP2PPBP/RNBQK2R w KQkq - 4 9",
    "rn1qk2r/p1p2ppp/bp2p1n1/3pP3/3P2Q1/P1P2N2/2P2PPP/R1B1KB1R w KQkq - 4 9",
    "r1bq1rk1/pppp1pp1/5n1p/4n3/1bPN3B/2N1P3/PP3PPP/R2QKB1R w KQ - 1 9",
    "r1bqk2r/pp1pbppp/2n1p3/1B6/3pP3/3P4/PPPN1PPP/R1BQR1K1 w kq - 3 9",
    "rnbqkbnr/p2pppp1/1pp4p/8/8/2N1P2P/PPPP1PP1/R1BQKBNR w KQkq - 0 4",
    "rn1qkb1r/p4ppp/1pp1pn2/3p1b2/2PP1B2/1QN1PP2/PP4PP/R3KBNR w KQkq - 0 9",
    "rn1qkbnr/pp2pppp/2p5/3p1b2/3P3P/5N2/PPP1PPP1/RNBQKB1R w KQkq - 0 4",
    "rnbqk1nr/ppp1ppbp/8/3p2p1/4PP2/3P4/PPP3PP/RNBQKBNR w KQkq - 0 4",
    "rnbqkbnr/pp1p1ppp/4p3/8/3p4/3QP3/PPP2PPP/RNB1KBNR w KQkq - 0 4",
    "r1bqkb1r/pppp1ppp/2n1pn2/6B1/8/3P2P1/PPP1PP1P/RN1QKBNR w KQkq - 0 4",
    "rnbq1rk1/pp2npb1/2p3pp/3pp3/2P5/3P1NP1/PPQNPPBP/R1B2RK1 w - - 0 9",
    "rnbqkb1r/pppp1pp1/5n1p/4p3/4P3/3P4/PPP1BPPP/RNBQK1NR w KQkq - 0 4",
    "r2q1rk1/pb1pppbp/1pn2np1/1Bp5/4PP2/2NP1N2/PPP3PP/R1B1QRK1 w - - 2 9",
    "r1bqkb1r/pp3pp1/1nn1p2p/2ppP3/3P4/2PBB3/PP2NPPP/RN1QK2R w KQkq - 3 9",
    "r1bqkb1r/2p1nppp/2np4/1p2p3/p3P3/1BP2N1P/PP1P1PP1/RNBQ1RK1 w kq - 0 9",
    "r3kbnr/pppq3p/2np1pp1/4p3/4P3/6PP/PPPP1PB1/RNBQ1RK1 w kq - 0 9",
    "rnbq1rk1/pp1nppbp/3p2p1/8/3PPB2/2N2N1P/PP3PP1/R2QKB1R w KQ - 1 9",
    "rn2k1nr/pp3pbp/1qpp2p1/4p3/3PPP2/5B2/PPP1N1PP/R1BQK2R w KQkq - 0 9",
    "r3kb1r/p2p1ppp/bqp2n2/4p3/4P3/3B4/PPPN1PPP/R1BQ1RK1 w kq - 2 9",
    "rnbqk2r/pp4pp/2pbp3/3p1p2/2PPn3/5NP1/PPQNPPBP/R1B2RK1 w kq - 2 9",
    "rn1qk2r/pp2nppp/2pb2b1/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w kq - 6 9",
    "r2qk2r/ppp1bppp/2n1pn2/4p3/3P1P2/2N5/PPP1N1PP/R1BQ1RK1 w kq - 0 9",
    "2k4r/1pp4p/7p/pb1pNp2/8/2P1K3/P1P2PPP/R7 w - - 0 19",
    "2qk4/pp6/8/1P6/P2P4/6P1/3b1P2/2R4K w - - 0 30",
    "6k1/5p2/p7/2npN2p/Q7/2P4P/1P6/K7 b - - 0 55",
    "k5r1/p1p5/2q5/8/4p2P/4P3/7K/2R5 w - - 0 45",
    "1B4k1/8/bp4p1/p1p1q2p/P4K2/1PP5/8/8 w - - 0 79",
    "4r3/p1k2ppp/1pp2n2/8/2P4P/4PN2/PP2KPP1/3R4 b - - 0 19",
    "2kb4/pp6/2nBpp2/4p3/1P6/P4N2/3KPP2/8 w - - 0 33",
    "6k1/pp3pp1/7p/3p1q2/3P4/7P/PP3PP1/4Q1K1 b - - 0 21",
    "3r1R2/1pk5/3p4/p1pP2Rp/P1P1pKpP/1P2P3/8/8 b - - 0 70",
    "6k1/5pp1/3pn2p/1np1p3/4P1B1/3PB1PP/5PK1/8 w - - 0 35",
    "6k1/p4Rp1/1p3pnp/P1p5/4n3/6B1/1P4PP/5RK1 b - - 0 40",
    "k1r1b3/1p6/p7/P6p/1Bp1p3/2P1P1P1/5PK1/3R4 w - - 0 40",
    "8/3r2kp/6p1/3r4/8/7P/BP4PK/7R w - - 0 34",
    "5r1k/1p5p/2n5/p7/P1P5/R1Pp2P1/3P3P/5BK1 b - - 0 26",
    "5k2/1p2p3/2p2b2/7r/p2P1B1P/P1P5/1P6/2K2R2 w - - 0 31",
    "4b3/5kpp/5n2/3pN3/1P6/6P1/5PKP/B7 b - - 0 42",
    "rbbnqknr/ppp2pp1/3p4/4p2p/2P4P/4N3/PP1PPPP1/RBB1QKNR w KQkq - 0 4",
    "b1qnrkrb/ppp1pp1p/2np2p1/8/3P4/1P4P1/P1P1PP1P/BNQNRKRB w KQkq - 0 4",
    "bbnqrk1r/pp1p1ppp/5n2/2p1p3/4P3/2P5/PPBP1PPP/B1NQRKNR w KQkq - 0 4",
    "rkbqnbr1/pppp2pp/4p1n1/5p2/3P4/3N2N1/PPP1PPPP/RKBQ1BR1 w KQkq - 2 4",
    "rnkqbbnr/ppp1pppp/8/3p4/1P6/8/P1PPPPPP/RQBNKBNR w KQkq - 0 2",
    "brkbqnrn/pppppppp/8/8/P7/8/1PPPPPPP/QNBNRBKR b KQkq - 0 1",
    "8/1R3pk1/5b1p/8/3pQ3/1p4q1/8/7K b - - 1 53",
    "5R2/r6k/6pP/4n1P1/2pN4/2P5/3K4/8 w - - 7 41",
    "8/8/2pk4/1p1b4/1P3r1p/p2R4/P7/KB6 b - - 3 53",
    "1r5k/8/4pbQ1/p1p4P/2P2q2/3P1NR1/P5K1/8 w - - 2 42",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_playable() {
        for fen in POSITIONS {
            assert!(Position::from_fen(fen).unwrap().has_legal_move(), "{fen}");
        }
    }
}
