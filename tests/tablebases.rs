//! Syzygy tablebases. Numbers in brackets are those of the project's list of behaviours.
//!
//! The repository holds tables of three men and some of four. All tables of a folder, with its file
//! `probes.csv`, are tested when `SAAVEDRA_SYZYGY` names it.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::{Engine, game};
use saavedra::board::{Position, uci_text};
use saavedra::rules::{Ending, Game, RuleSet};
use saavedra::tablebase::{Class, Rules, Tablebases};
use shakmaty::CastlingMode;

fn folder() -> PathBuf {
    match std::env::var_os("SAAVEDRA_SYZYGY") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy"),
    }
}

fn engine() -> Engine {
    let mut engine = Engine::start();
    engine.send(&format!(
        "setoption name SyzygyPath value {}",
        folder().display()
    ));
    engine.is_ready();
    engine
}

#[test]
fn every_move_is_ranked_as_python_chess_probes_it() {
    let (tables, complaints) = Tablebases::open(&folder().display().to_string());
    assert!(complaints.is_empty());
    let text = std::fs::read_to_string(folder().join("probes.csv")).expect("probes");
    let mut checked = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [fen, _, _, wdl, dtz, moves] = fields[..] else {
            panic!("{line}")
        };
        let game = Game::new(Position::from_fen(fen).expect("a position"));
        let ranks = tables.rank(&game, &Rules::default()).expect(fen);
        let best = ranks.iter().map(|(_, rank)| rank.class).max();
        let Some(best) = best else {
            assert!(moves.is_empty(), "{line}");
            continue;
        };
        let expected = match wdl {
            "2" => Class::Win,
            "0" => Class::Draw,
            _ => Class::Loss,
        };
        assert_eq!(best, expected, "{line}");
        let of_best = || ranks.iter().filter(|(_, rank)| rank.class == best);
        let kept: BTreeSet<String> = of_best()
            .map(|(m, _)| uci_text(*m, CastlingMode::Standard))
            .collect();
        let moves: BTreeSet<String> = moves.split(' ').map(String::from).collect();
        assert_eq!(kept, moves, "{line}");
        let dtz: i64 = dtz.parse().expect("a number");
        // The loser's moves that are no captures or pawn moves lead to longer ways than the table's.
        if best == Class::Win {
            let plies = of_best().filter_map(|(_, rank)| rank.dtz).map(i64::from);
            // Tables may round by a ply.
            let soonest = plies.min().expect("a winning move");
            assert!(soonest == dtz || soonest == dtz + 1, "{soonest}: {line}");
        }
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}

/// [102]
#[test]
fn paths_are_searched_and_what_was_found_is_said_once() {
    let good = folder().display().to_string();
    let blank = std::env::temp_dir().join(format!("saavedra-{} blank", std::process::id()));
    std::fs::create_dir_all(&blank).expect("a writable folder");
    std::fs::copy(folder().join("KQvK.rtbw"), blank.join("KQvK.rtbw")).expect("a copy");
    let blank = blank.display();
    let mut engine = Engine::start();
    for (path, found, complaints) in [
        (good.clone(), true, 0),
        (format!(":{good}::"), true, 0),
        (format!("/no such folder:{good}"), true, 1),
        (format!("{blank}"), true, 0),
        ("/no such folder".to_string(), false, 1),
    ] {
        engine.send(&format!("setoption name SyzygyPath value {path}"));
        let lines = engine.is_ready();
        let messages: Vec<_> = lines
            .iter()
            .filter(|line| line.starts_with("info string"))
            .collect();
        assert_eq!(messages.len(), complaints + 1, "{path}: {lines:?}");
        let last = messages.last().expect("a message");
        assert!(last.contains("found ") && last.contains(" men"), "{last}");
        assert_eq!(!last.contains("found 0 "), found, "{last}");
    }
    engine.send("setoption name SyzygyPath value <empty>");
    assert_eq!(engine.is_ready(), ["readyok"]);
    engine.search("startpos", "go depth 4");
}

/// [103] Three queen moves win here, the others draw at best.
#[test]
fn the_class_is_kept_at_the_root_also_with_several_lines() {
    let mut engine = engine();
    engine.send("setoption name MultiPV value 20");
    let position = "fen 8/8/8/8/8/5k2/6pK/4Q3 w - - 0 1";
    let game = game(position);
    let (tables, _) = Tablebases::open(&folder().display().to_string());
    if let Some(ranks) = tables.rank(&game, &Rules::default()) {
        let search = engine.search(position, "go depth 6");
        let wins = ranks
            .iter()
            .filter(|(_, rank)| rank.class == Class::Win)
            .count();
        let infos = search.infos();
        let depth = infos.last().expect("a line").depth;
        for info in infos.iter().filter(|info| info.depth == depth) {
            let is_win =
                info.mate.is_some_and(|mate| mate > 0) || info.cp.is_some_and(|cp| cp > 20_000);
            assert_eq!(is_win, info.multipv as usize <= wins, "{}", info.text);
        }
    }
}

#[test]
fn a_drawn_ending_is_held_and_shown_as_a_draw() {
    let mut engine = engine();
    for fen in [
        "8/8/8/8/3k4/8/3P4/3K4 w - - 0 1",
        "4k3/4P3/3K4/8/8/8/8/8 w - - 0 1",
    ] {
        assert_eq!(
            engine.search(&format!("fen {fen}"), "go depth 8").last().cp,
            Some(0)
        );
    }
    let last = engine
        .search("fen 4k3/8/3K4/4P3/8/8/8/8 b - - 0 1", "go depth 2")
        .last();
    assert!(last.cp.is_some_and(|cp| cp < -20_000), "{}", last.text);
    assert!(last.text.contains(" tbhits ") && !last.text.contains(" tbhits 0 "));
}

/// [104] With the counter near its end the win comes too late, unless the rule is off.
#[test]
fn a_win_that_comes_too_late_is_a_draw_if_the_rule_is_on() {
    let mut engine = engine();
    let position = "fen 8/8/8/8/8/2k5/8/K6R b - - 0 1";
    let late = "fen 7k/8/8/8/8/8/8/KR6 w - - 92 80";
    assert!(engine.search(position, "go depth 4").last().cp.is_some());
    assert_eq!(engine.search(late, "go nodes 300").last().cp, Some(0));
    engine.send("setoption name Syzygy50MoveRule value false");
    let shown = engine.search(late, "go nodes 300").last();
    assert!(
        shown.cp.is_some_and(|cp| cp > 20_000) || shown.mate.is_some(),
        "{}",
        shown.text
    );
}

#[test]
fn won_endings_are_mated_with_few_nodes_and_within_fifty_moves() {
    let mut engine = engine();
    for start in [
        "8/8/8/3k4/8/8/8/KR6 w - - 0 1",
        "8/8/8/3k4/8/8/3P4/3K4 w - - 0 1",
        "8/8/3bk3/8/8/8/8/KR6 w - - 0 1",
    ] {
        let mut game = Game::new(Position::from_fen(start).expect("a position"));
        let (tables, _) = Tablebases::open(&folder().display().to_string());
        let ranks = tables.rank(&game, &Rules::default()).expect("known");
        let class = ranks.iter().map(|(_, rank)| rank.class).max();
        let mut moves = String::new();
        let ending = loop {
            if let Some(ending) = game.ending(RuleSet::Online) {
                break ending;
            }
            let search = engine.search(&format!("fen {start} moves{moves}"), "go nodes 200");
            let best = saavedra::board::parse_move(game.position(), &search.best).expect("legal");
            game.play(best);
            moves.push_str(&format!(" {}", search.best));
        };
        let is_mate = matches!(ending, Ending::Checkmate { .. });
        assert_eq!(
            is_mate,
            class == Some(Class::Win),
            "{start}: {ending:?} after{moves}"
        );
    }
}

/// Only the WDL table of this ending is in the repository.
#[test]
fn a_table_without_its_dtz_and_missing_tables_break_nothing() {
    let mut engine = engine();
    for fen in [
        "8/8/8/3k4/8/8/8/KBN5 w - - 0 1",
        "8/8/8/3k4/8/4p3/8/KBN5 w - - 0 1",
        "8/8/8/3k4/8/8/8/KQR5 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    ] {
        engine.search(&format!("fen {fen}"), "go depth 5");
    }
}

/// [105] Probing counts as thinking time, and a limit of zero men switches it off.
#[test]
fn tables_can_be_limited() {
    let mut engine = engine();
    let position = "fen 8/8/8/3k4/8/8/8/KR6 w - - 0 1";
    engine.send("setoption name SyzygyProbeLimit value 0");
    let text = engine.search(position, "go depth 3").last().text;
    assert!(text.contains(" tbhits 0 "), "{text}");
    engine.send("setoption name SyzygyProbeLimit value 3");
    let text = engine.search(position, "go depth 3").last().text;
    assert!(!text.contains(" tbhits 0 "), "{text}");
}
