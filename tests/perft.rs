//! Every line of the perft files, at every depth that is cheap enough for a test run. All depths:
//! `saavedra perft --epd FILE`.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use saavedra::board::{Position, perft};

/// Counts above this are left to the command.
const LARGEST: u64 = 1_500_000;

fn check(file: &str, lines: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/perft")
        .join(file);
    let text = fs::read_to_string(path).unwrap();
    let records: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    assert_eq!(records.len(), lines);
    let next = AtomicUsize::new(0);
    let checked = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(record) = records.get(next.fetch_add(1, Ordering::Relaxed)) {
                    checked.fetch_add(check_record(record), Ordering::Relaxed);
                }
            });
        }
    });
    assert!(
        checked.into_inner() >= lines / 2,
        "{file} was hardly checked"
    );
}

fn check_record(record: &str) -> usize {
    let mut parts = record.split(';');
    let fen = parts.next().unwrap().trim();
    let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    let mut checked = 0;
    for part in parts {
        let Some((depth, count)) = part
            .trim()
            .strip_prefix('D')
            .and_then(|p| p.split_once(' '))
        else {
            continue;
        };
        let (depth, count) = (depth.parse().unwrap(), count.trim().parse().unwrap());
        if count <= LARGEST {
            assert_eq!(
                perft(&position, depth, &AtomicBool::new(false)),
                count,
                "{fen} D{depth}"
            );
            checked += 1;
        }
    }
    checked
}

#[test]
fn standard_positions() {
    check("standard.epd", 71);
}

#[test]
fn chess960_positions() {
    check("fischer.epd", 643);
    check("frc_extra.epd", 6);
}

#[test]
fn double_chess960_positions() {
    check("dfrc.epd", 145);
}

#[test]
fn random_positions() {
    check("random.epd", 4514);
}

#[test]
fn edge_cases() {
    check("edge.epd", 116);
}

#[test]
fn en_passant_positions() {
    check("en_passant.epd", 2524);
}

#[test]
fn positions_in_check_and_double_check() {
    check("single_check.epd", 3299);
    check("double_check.epd", 121);
}
