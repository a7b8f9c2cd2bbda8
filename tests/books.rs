//! Opening books: keys and entries as python-chess computes and reads them, and OwnBook in play.

mod common;

use std::path::{Path, PathBuf};

use common::Engine;
use saavedra::board::{Position, uci_text};
use saavedra::book::{self, Book};
use shakmaty::CastlingMode;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/polyglot")
        .join(name)
}

#[test]
fn keys_are_those_of_the_format() {
    let text = std::fs::read_to_string(data("keys.csv")).expect("keys");
    let mut checked = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let position = Position::from_fen(fields[0]).expect("a position");
        assert_eq!(
            format!("{:016x}", book::key(&position)),
            fields[1],
            "{line}"
        );
        checked += 1;
    }
    assert_eq!(checked, 199);
}

/// The sample book has 31,467 entries; another is tested when `SAAVEDRA_BOOK` names it, together with
/// the file of its entries beside it (`NAME_entries.csv` for `NAME.bin`).
#[test]
fn entries_are_read_as_python_chess_reads_them() {
    let path =
        std::env::var_os("SAAVEDRA_BOOK").map_or_else(|| data("lasker_trap.bin"), PathBuf::from);
    let book = Book::read(&path).expect("a book");
    let entries = format!("{}_entries.csv", path.with_extension("").display());
    let text = std::fs::read_to_string(entries).expect("entries");
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let position = Position::from_fen(fields[0]).expect("a position");
        assert_eq!(
            format!("{:016x}", book::key(&position)),
            fields[1],
            "{line}"
        );
        let mut found: Vec<String> = (book.moves(&position).iter())
            .map(|choice| {
                format!(
                    "{}:{}",
                    uci_text(choice.m, CastlingMode::Standard),
                    choice.weight
                )
            })
            .collect();
        let mut expected: Vec<String> = (fields[2].split_whitespace())
            .map(|entry| entry.rsplit_once(':').expect("a learn field").0.to_string())
            .collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{line}");
    }
}

fn is_book_move(engine: &mut Engine, position: &str, go: &str) -> bool {
    let search = engine.search(position, go);
    search
        .lines
        .iter()
        .any(|line| line == "info string book move")
}

#[test]
fn the_book_is_played_in_games_and_only_if_asked_for() {
    let mut engine = Engine::start();
    let go = "go wtime 300 btime 300";
    assert!(!is_book_move(&mut engine, "startpos", go));
    engine.send("setoption name OwnBook value true");
    assert!(is_book_move(&mut engine, "startpos", go));
    assert!(is_book_move(
        &mut engine,
        "startpos moves e2e4 c7c5 g1f3",
        go
    ));
    assert!(!is_book_move(&mut engine, "startpos moves a2a4 h7h5", go));
    for other in [
        "go depth 3",
        "go nodes 100",
        "go wtime 300 searchmoves a2a3",
    ] {
        assert!(!is_book_move(&mut engine, "startpos", other), "{other}");
    }
    engine.send("setoption name UCI_AnalyseMode value true");
    assert!(!is_book_move(&mut engine, "startpos", go));
    engine.send("setoption name UCI_AnalyseMode value false");
    engine.send("setoption name BookDepth value 1");
    assert!(is_book_move(&mut engine, "startpos", go));
    assert!(!is_book_move(
        &mut engine,
        "startpos moves e2e4 c7c5 g1f3",
        go
    ));
}

#[test]
fn variety_widens_the_choice() {
    let mut engine = Engine::start();
    engine.send("setoption name OwnBook value true");
    let mut played = |variety: u32| {
        engine.send(&format!("setoption name BookVariety value {variety}"));
        let mut moves: Vec<String> = (0..30)
            .map(|_| engine.search("startpos", "go movetime 100").best)
            .collect();
        moves.sort();
        moves.dedup();
        moves
    };
    assert_eq!(played(0), ["e2e4"]);
    assert!(played(70).len() >= 2);
}

#[test]
fn a_bad_book_is_a_message_and_the_old_one_stays() {
    let mut engine = Engine::start();
    engine.send("setoption name OwnBook value true");
    let text = data("keys.csv").display().to_string();
    for path in [text.as_str(), "/no such book", "/"] {
        engine.send(&format!("setoption name BookFile value {path}"));
        let message = engine.until(|line| line.starts_with("info string")).pop();
        assert!(
            message.is_some_and(|text| text.contains("the book stays")),
            "{path}"
        );
        assert!(is_book_move(&mut engine, "startpos", "go movetime 100"));
    }
    let trap = data("lasker_trap.bin");
    engine.send(&format!("setoption name BookFile value {}", trap.display()));
    engine.until(|line| line.contains("7 moves"));
    assert!(!is_book_move(&mut engine, "startpos", "go movetime 100"));
    assert!(is_book_move(
        &mut engine,
        "startpos moves d2d4",
        "go movetime 100"
    ));
}
