//! The match runner, with engines that misbehave on demand.

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use common::binary;
use serde_json::Value;

/// Built by cargo as an example, beside the tests.
fn fake_engine() -> PathBuf {
    let test = std::env::current_exe().expect("a test runs");
    let profile = test
        .parent()
        .and_then(Path::parent)
        .expect("target/release/deps");
    profile.join("examples/fake_engine")
}

fn fake(name: &str, behaviour: &str) -> String {
    format!(
        "cmd={},name={name},args={behaviour}",
        fake_engine().display()
    )
}

fn file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("saavedra-match-{}-{name}", std::process::id()));
    // A file of an earlier run may be there.
    let _ = std::fs::remove_file(&path);
    path
}

fn run(args: &[&str]) -> Output {
    binary()
        .arg("match")
        .args(args)
        .output()
        .expect("the match runs")
}

fn report(args: &[&str]) -> Value {
    let output = run(&[args, &["--json"]].concat());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The report of two games between a good engine and one that misbehaves.
fn against(behaviour: &str) -> Value {
    let (good, bad) = (fake("good", "none"), fake("bad", behaviour));
    report(&[
        "--engine",
        &good,
        "--engine",
        &bad,
        "--each",
        "tc=0.5+0.01",
        "--games",
        "2",
        "--repeat",
    ])
}

fn conduct<'r>(report: &'r Value, name: &str) -> &'r Value {
    let engines = report["engines"].as_array().expect("engines");
    engines
        .iter()
        .find(|engine| engine["name"] == name)
        .expect("the engine")
}

#[test]
fn an_engine_that_breaks_the_game_loses_it_and_is_named() {
    for (behaviour, field) in [
        ("crash 3", "crashes"),
        ("illegal 3", "illegal_moves"),
        ("garbage 2", "illegal_moves"),
        ("no-move 2", "illegal_moves"),
        ("resign 2", "illegal_moves"),
        ("late 2", "time_losses"),
    ] {
        let report = against(behaviour);
        let result = &report["encounters"][0];
        assert_eq!(result["wins"], 2, "{behaviour}: {report}");
        assert_eq!(conduct(&report, "bad")[field], 2, "{behaviour}: {report}");
        for field in ["crashes", "illegal_moves", "time_losses", "silences"] {
            assert_eq!(conduct(&report, "good")[field], 0, "{behaviour}: {report}");
        }
    }
}

#[test]
fn an_engine_that_hangs_loses_on_time_or_for_its_silence() {
    let start = Instant::now();
    let report = against("hang 2");
    assert_eq!(report["encounters"][0]["wins"], 2, "{report}");
    let bad = conduct(&report, "bad");
    let faults = [&bad["time_losses"], &bad["silences"]].map(|n| n.as_u64().expect("a number"));
    assert_eq!(faults.iter().sum::<u64>(), 2, "{report}");
    assert!(start.elapsed() < Duration::from_secs(40));
}

#[test]
fn a_flood_of_lines_is_survived() {
    let report = against("long-line 2");
    assert_eq!(report["encounters"][0]["games"], 2, "{report}");
    let report = against("flood 2");
    assert_eq!(report["encounters"][0]["games"], 2, "{report}");
}

#[test]
fn faulty_variations_are_counted() {
    for behaviour in ["bad-line 2", "other-line 2"] {
        let report = against(behaviour);
        let bad = conduct(&report, "bad")["faulty_variations"]
            .as_u64()
            .expect("a number");
        assert!(bad >= 2, "{behaviour}: {report}");
        assert_eq!(conduct(&report, "good")["faulty_variations"], 0);
    }
}

#[test]
fn an_engine_that_ignores_quit_is_ended() {
    let start = Instant::now();
    against("ignore-quit 99999");
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn an_engine_that_cannot_be_started_is_an_error_before_the_first_game() {
    let good = fake("good", "none");
    for bad in [
        "cmd=/no/such/engine,name=bad".to_string(),
        fake("bad", "none") + ",option.Foo=1",
    ] {
        let output = run(&["--engine", &good, "--engine", &bad, "--each", "tc=1"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(!output.stderr.is_empty());
    }
    for bad in [
        &["--engine", &good][..],
        &["--engine", &good, "--engine", &good, "--each", "tc=1"],
        &["--engine", &good, "--engine", "cmd=x"],
        &[
            "--engine",
            &good,
            "--engine",
            "cmd=x,tc=1",
            "--sprt",
            "elo0=5,elo1=0",
        ],
    ] {
        assert_eq!(run(bad).status.code(), Some(2), "{bad:?}");
    }
}

/// A loss on time is a draw if the opponent cannot mate by any series of legal moves.
#[test]
fn a_flag_fall_against_a_bare_king_is_a_draw() {
    let openings = file("bare.epd");
    std::fs::write(&openings, "4k3/8/8/8/8/8/8/Q3K3 w - -\n").expect("writable");
    let (late, bare) = (fake("late", "late 1"), fake("bare", "none"));
    let openings = openings.display().to_string();
    let report = report(&[
        "--engine",
        &late,
        "--engine",
        &bare,
        "--each",
        "tc=0.2",
        "--games",
        "1",
        "--openings",
        &openings,
    ]);
    assert_eq!(report["encounters"][0]["draws"], 1, "{report}");
    assert_eq!(conduct(&report, "late")["time_losses"], 1);
}

fn saavedra(name: &str) -> String {
    format!(
        "cmd={},name={name},option.Hash=1",
        env!("CARGO_BIN_EXE_saavedra")
    )
}

#[test]
fn games_are_written_as_pgn_and_a_match_is_resumed_from_them() {
    let pgn = file("resume.pgn");
    let path = pgn.display().to_string();
    let (a, b) = (saavedra("a"), saavedra("b"));
    let base = [
        "--engine",
        &a,
        "--engine",
        &b,
        "--each",
        "nodes=200",
        "--repeat",
        "--pgn",
        &path,
    ];
    let first = report(&[&base[..], &["--games", "4"]].concat());
    assert_eq!(first["encounters"][0]["games"], 4);
    let text = std::fs::read_to_string(&pgn).expect("games");
    assert_eq!(text.matches("[Event ").count(), 4);
    for tag in [
        "Site",
        "Date",
        "Round",
        "White",
        "Black",
        "Result",
        "WhiteSettings",
        "BlackSettings",
        "Termination",
    ] {
        assert_eq!(text.matches(&format!("[{tag} ")).count(), 4, "{tag}");
    }
    // Without --resume the games of another match are not touched.
    let refused = run(&[&base[..], &["--games", "8"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    let second = report(
        &[
            &base[..],
            &["--games", "8", "--resume", "--concurrency", "2"],
        ]
        .concat(),
    );
    assert_eq!(second["encounters"][0]["games"], 8);
    let text = std::fs::read_to_string(&pgn).expect("games");
    assert_eq!(text.matches("[Event ").count(), 8);
    // Wherever the writer was cut off, the last game is played again.
    let resumed = [&base[..], &["--games", "8", "--resume"]].concat();
    for cut in [1, 5, 40, 200] {
        std::fs::write(&pgn, &text[..text.len() - cut]).expect("written");
        assert_eq!(report(&resumed)["encounters"][0]["games"], 8);
        let again = std::fs::read_to_string(&pgn).expect("games");
        assert_eq!(again.matches("[Event ").count(), 8, "{cut}");
    }
    // Nor is a match continued with other settings or from other openings.
    std::fs::write(&pgn, &text).expect("written");
    let openings = file("resume.epd");
    std::fs::write(&openings, "8/8/8/4k3/8/8/4P3/4K3 w - -\n").expect("written");
    let openings = openings.display().to_string();
    let other_limit = [&resumed[..5], &["nodes=300"], &resumed[6..]].concat();
    let other_openings = [&resumed[..], &["--openings", &openings]].concat();
    for (other, told) in [
        (other_limit, "WhiteSettings is 'nodes=200,option.Hash=1'"),
        (other_openings, "SetUp is ''"),
    ] {
        let refused = run(&other);
        assert_eq!(refused.status.code(), Some(2));
        let complaint = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(complaint.contains(told), "{complaint}");
        assert_eq!(std::fs::read_to_string(&pgn).expect("kept"), text);
    }
    // What is no match is not continued.
    for other in ["some notes\n", "[Event \"x\"]\n\n1. e4 1-0\n\n"] {
        std::fs::write(&pgn, other).expect("written");
        assert_eq!(run(&resumed).status.code(), Some(2));
        assert_eq!(std::fs::read_to_string(&pgn).expect("kept"), other);
    }
}

#[test]
fn a_match_at_fixed_nodes_is_the_same_for_the_same_seed() {
    let (a, b) = (saavedra("a"), saavedra("b") + ",nodes=400");
    let args = [
        "--engine",
        &a,
        "--engine",
        &b,
        "--each",
        "nodes=200",
        "--games",
        "6",
        "--repeat",
    ];
    let first = report(&args);
    let second = report(&[&args[..], &["--concurrency", "2"]].concat());
    assert_eq!(first["encounters"], second["encounters"]);
}

#[test]
fn three_engines_play_a_round_robin_or_a_gauntlet() {
    let [a, b, c] = ["a", "b", "c"].map(saavedra);
    let args = [
        "--engine", &a, "--engine", &b, "--engine", &c, "--each", "nodes=50", "--games", "2",
    ];
    let everybody = report(&args);
    assert_eq!(everybody["encounters"].as_array().map(Vec::len), Some(3));
    let gauntlet = report(&[&args[..], &["--tournament", "gauntlet"]].concat());
    assert_eq!(gauntlet["encounters"].as_array().map(Vec::len), Some(2));
}

#[test]
fn chess960_openings_are_played() {
    let openings = file("frc.epd");
    let text = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1\n\
                nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1\n";
    std::fs::write(&openings, text).expect("writable");
    let pgn = file("frc.pgn");
    let (a, b) = (saavedra("a"), saavedra("b"));
    let report = report(&[
        "--engine",
        &a,
        "--engine",
        &b,
        "--each",
        "nodes=300",
        "--games",
        "4",
        "--repeat",
        "--chess960",
        "--openings",
        &openings.display().to_string(),
        "--pgn",
        &pgn.display().to_string(),
    ]);
    for name in ["a", "b"] {
        assert_eq!(conduct(&report, name)["illegal_moves"], 0, "{report}");
        assert_eq!(conduct(&report, name)["faulty_variations"], 0, "{report}");
    }
    let text = std::fs::read_to_string(&pgn).expect("games");
    assert_eq!(text.matches("[Variant \"Chess960\"]").count(), 4);
    assert_eq!(text.matches("[SetUp \"1\"]").count(), 4);
}

/// The report of a test that is decided early, and the openings of a PGN file.
#[test]
fn a_sequential_test_ends_when_it_is_decided() {
    let openings = file("openings.pgn");
    std::fs::write(
        &openings,
        "[Event \"x\"]\n\n1. e4 e5 2. Nf3 *\n\n[Event \"y\"]\n\n1. d4 d5 *\n",
    )
    .expect("writable");
    let (strong, weak) = (
        saavedra("strong") + ",nodes=3000",
        saavedra("weak") + ",nodes=20",
    );
    let report = report(&[
        "--engine",
        &strong,
        "--engine",
        &weak,
        "--games",
        "2000",
        "--repeat",
        "--sprt",
        "elo0=0,elo1=100",
        "--openings",
        &openings.display().to_string(),
        "--concurrency",
        "2",
    ]);
    let result = &report["encounters"][0];
    assert_eq!(result["sprt"]["decision"], "passed", "{report}");
    assert!(
        result["games"].as_u64().is_some_and(|games| games < 200),
        "{report}"
    );
}

/// Ctrl-C prints the result so far and leaves no engine behind.
#[cfg(unix)]
#[test]
fn an_interrupt_prints_the_result_so_far() {
    let (a, b) = (saavedra("a"), saavedra("b"));
    let child = binary()
        .args([
            "match",
            "--engine",
            &a,
            "--engine",
            &b,
            "--each",
            "nodes=500",
            "--games",
            "5000",
        ])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the match starts");
    std::thread::sleep(Duration::from_millis(1500));
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("a against b: "), "{text}");
}
