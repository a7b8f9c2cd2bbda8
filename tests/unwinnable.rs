//! Whether a side can still mate: against a table of another program, and against a plain search.

use std::path::Path;
use std::time::Instant;

use saavedra::board::Position;
use saavedra::rules::unwinnable::{self, Verdict};
use shakmaty::Color;

fn table() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/unwinnable/cha.txt");
    std::fs::read_to_string(path).expect("the table")
}

/// Plays a helpmate and asserts that it ends in mate by `side`.
fn replay(position: &Position, line: &[shakmaty::Move], side: Color) {
    let mut position = position.clone();
    for &m in line {
        assert!(position.legal_moves().contains(&m), "{m:?} in {position:?}");
        position.play(m);
    }
    assert!(
        position.is_checkmate() && position.turn() != side,
        "{position:?}"
    );
}

#[test]
fn every_question_of_the_table_is_answered_rightly() {
    let nodes = std::env::var("NODES").map_or(20_000, |nodes| nodes.parse().expect("a number"));
    let (mut total, mut open, mut wrong) = (0, 0, 0);
    let (mut seen, mut worst) = (0, 0);
    let start = Instant::now();
    for line in table().lines() {
        let (sides, fen) = line.split_at(2);
        let position = Position::from_fen(fen).expect(line);
        for (side, letter) in Color::ALL.into_iter().zip(sides.chars()) {
            let asked = Instant::now();
            let answer = unwinnable::can_mate(&position, side, nodes);
            total += 1;
            seen += answer.nodes;
            worst = worst.max(answer.nodes);
            if answer.nodes > 20_000 {
                println!(
                    "{} {side} {letter} {fen} {:?}",
                    answer.nodes,
                    asked.elapsed()
                );
            }
            match answer.verdict {
                Verdict::Winnable(line) => {
                    replay(&position, &line, side);
                    if letter == '-' {
                        wrong += 1;
                        println!("WRONG winnable {side} {fen}");
                    }
                }
                Verdict::Unwinnable(reason) => {
                    if letter != '-' {
                        wrong += 1;
                        println!("WRONG {reason} {side} {fen}");
                    }
                }
                Verdict::Undetermined => {
                    open += 1;
                    println!("OPEN {side} {letter} {fen}");
                }
            }
        }
    }
    println!(
        "{total} questions, {open} open, {wrong} wrong, {seen} nodes, worst {worst}, {:?}",
        start.elapsed()
    );
    assert_eq!(wrong, 0);
}
