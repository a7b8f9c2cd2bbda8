//! Data generation, the tools for its files, and training.

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;

use common::binary;
use viriformat::dataformat::{Game, WDL};

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("saavedra-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a writable folder");
    path
}

fn beside(path: &Path, end: &str) -> PathBuf {
    format!("{}{end}", path.display()).into()
}

fn run(args: &[&str]) -> Output {
    binary().args(args).output().expect("the engine runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn generate(out: &Path, games: u32, more: &[&str]) -> Output {
    let (out, games) = (out.display().to_string(), games.to_string());
    let mut args = vec!["datagen", "--out", &out, "--games", &games];
    args.extend(["--soft", "40", "--hard", "400", "--frc", "40"]);
    args.extend(more);
    run(&args)
}

fn games(bytes: &[u8]) -> Vec<Game> {
    let mut rest = bytes;
    let mut games = Vec::new();
    while !rest.is_empty() {
        games.push(Game::deserialise_from(&mut rest, Vec::new()).expect("a game"));
    }
    games
}

#[test]
fn the_same_seed_gives_the_same_file_whatever_the_threads_and_however_often_interrupted() {
    let folder = folder("seed");
    let [one, two, parts, other] = ["one", "two", "parts", "other"].map(|name| folder.join(name));
    assert!(generate(&one, 12, &["--threads", "1"]).status.success());
    assert!(generate(&two, 12, &["--threads", "3"]).status.success());
    let whole = std::fs::read(&one).unwrap();
    assert_eq!(games(&whole).len(), 12);
    assert_eq!(whole, std::fs::read(&two).unwrap());

    assert!(generate(&parts, 5, &[]).status.success());
    // Killed in the middle of writing a game.
    let mut cut = std::fs::read(&parts).unwrap();
    cut.truncate(cut.len() - 7);
    std::fs::write(&parts, cut).unwrap();
    let resumed = generate(&parts, 12, &[]);
    assert!(resumed.status.success());
    assert!(text(&resumed.stderr).contains("going on after game 4"));
    assert_eq!(whole, std::fs::read(&parts).unwrap());

    let refused = generate(&parts, 20, &["--seed", "2"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("choose a new file"));
    assert_eq!(whole, std::fs::read(&parts).unwrap());
    assert!(generate(&other, 12, &["--seed", "2"]).status.success());
    assert_ne!(whole, std::fs::read(&other).unwrap());
}

/// The crate of the format's author reads the same positions and scores as we do.
#[test]
fn games_are_in_viriformat() {
    let file = folder("format").join("games");
    assert!(generate(&file, 30, &[]).status.success());
    let path = file.display().to_string();
    let converted = run(&["data", "convert", &path]);
    assert!(converted.status.success());
    let converted = text(&converted.stdout);
    let mut lines = converted.lines().peekable();
    let mut castled = 0;
    for game in games(&std::fs::read(&file).unwrap()) {
        let result = match game.outcome() {
            WDL::Win => "1.0",
            WDL::Draw => "0.5",
            WDL::Loss => "0.0",
        };
        castled += game.moves().filter(|m| m.is_castle()).count();
        game.visit_positions(|board, score| {
            let placement = board.to_string();
            let placement = placement.split(' ').next().unwrap();
            let is_next = lines.peek().is_some_and(|line| {
                line.starts_with(&format!("{placement} "))
                    && line.ends_with(&format!("| {score} | {result}"))
            });
            if is_next {
                lines.next();
            }
        });
        for (mut board, m) in positions(&game) {
            assert!(board.legal_moves().contains(&m), "{m:?}");
        }
    }
    assert_eq!(
        lines.next(),
        None,
        "every line is a position of a game, in order"
    );
    assert!(converted.lines().count() > 300);
    assert!(castled > 0);
}

fn positions(
    game: &Game,
) -> Vec<(
    viriformat::chess::board::Board,
    viriformat::chess::chessmove::Move,
)> {
    let mut board = game.initial_position();
    let mut positions = Vec::new();
    for m in game.moves() {
        positions.push((board.clone(), m));
        board.make_move_simple(m);
    }
    positions
}

#[test]
fn damage_is_reported_with_its_place_and_good_games_are_kept() {
    let folder = folder("damage");
    let [good, bad, merged] = ["good", "bad", "merged"].map(|name| folder.join(name));
    assert!(generate(&good, 6, &[]).status.success());
    let [good_path, bad_path, merged_path] =
        [&good, &bad, &merged].map(|p| p.display().to_string());
    let bytes = std::fs::read(&good).unwrap();
    let verified = run(&["data", "verify", &good_path]);
    assert!(verified.status.success());
    assert!(text(&verified.stdout).contains("6 games are sound, 0 damaged"));

    let second = games(&bytes)[0].len() * 4 + 36;
    let mut damaged = bytes.clone();
    damaged[second + 32] ^= 63;
    damaged.truncate(bytes.len() - 2);
    std::fs::write(&bad, damaged).unwrap();
    let verified = run(&["data", "verify", &bad_path]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(text(&verified.stdout).contains("4 games are sound, 2 damaged"));
    let complaints = text(&verified.stderr);
    assert!(complaints.contains(&format!("the game at byte {second}: the move of ply 1")));
    assert!(complaints.contains("has no end"));

    let info = run(&["data", "info", "--json", &bad_path, &good_path]);
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
    assert_eq!(info["games"], 10);
    assert_eq!(info["damaged"], 2);
    assert_eq!(info["duplicates"], 4);

    let outcome = run(&[
        "data",
        "merge",
        &bad_path,
        &good_path,
        "--out",
        &merged_path,
    ]);
    assert!(outcome.status.success());
    assert_eq!(games(&std::fs::read(&merged).unwrap()).len(), 6);
    let again = run(&["data", "merge", &good_path, "--out", &merged_path]);
    assert_eq!(again.status.code(), Some(2), "nothing is overwritten");
    let missing = run(&[
        "data",
        "info",
        &folder.join("nothing").display().to_string(),
    ]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn training_learns_is_reproducible_and_goes_on_where_it_stopped() {
    let folder = folder("train");
    let data = folder.join("games");
    assert!(generate(&data, 120, &[]).status.success());
    let data = data.display().to_string();
    let train = |name: &str, epochs: &str, more: &[&str]| {
        let out = folder.join(name);
        let path = out.display().to_string();
        let mut args = vec!["train", &data, "--out", &path, "--hidden", "64", "--mirror"];
        args.extend([
            "--buckets",
            "2",
            "--batch",
            "128",
            "--threads",
            "2",
            "--epochs",
            epochs,
        ]);
        args.extend(more);
        (run(&args), out)
    };
    let (first, out) = train("a.nnue", "4", &[]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert!(text(&first.stdout).contains("centipawns on average"));
    let network = std::fs::read(&out).unwrap();
    assert!(saavedra::eval::nnue::Network::from_bytes(&network).is_ok());

    let csv = std::fs::read_to_string(beside(&out, ".csv")).unwrap();
    let losses: Vec<f64> = (csv.lines().skip(1))
        .map(|line| line.split(',').nth(2).unwrap().parse().unwrap())
        .collect();
    assert_eq!(losses.len(), 4);
    assert!(losses[3] < 0.8 * losses[0], "{losses:?}");
    let svg = std::fs::read_to_string(beside(&out, ".svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("validation"));

    let (_, again) = train("b.nnue", "4", &[]);
    assert_eq!(network, std::fs::read(again).unwrap());

    // The last checkpoint of a training is where another one goes on.
    let (refused, _) = train("a.nnue", "5", &["--resume"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("other settings"));
    let (refused, _) = train("a.nnue", "4", &[]);
    assert_eq!(refused.status.code(), Some(2), "nothing is overwritten");
    std::fs::remove_file(&out).unwrap();
    let (resumed, out) = train("a.nnue", "4", &["--resume"]);
    assert!(resumed.status.success());
    assert_eq!(network, std::fs::read(out).unwrap());
}

#[test]
fn a_training_can_begin_with_a_network() {
    let folder = folder("init");
    let path = |name: &str| folder.join(name).display().to_string();
    let (games, net) = (path("games"), path("net"));
    assert!(generate(&folder.join("games"), 60, &[]).status.success());
    let train = |out: &str, more: &[&str]| {
        let base = ["train", &games, "--epochs", "1", "--out", out];
        assert!(run(&[&base[..], more].concat()).status.success());
        std::fs::read(out).unwrap()
    };
    let shape = ["--hidden", "64", "--mirror", "--buckets", "2"];
    let begun = train(&net, &shape);
    // Without learning nothing changes but the note.
    let same = train(
        &path("same"),
        &["--init", &net, "--rate", "0", "--final-rate", "0"],
    );
    assert_eq!(begun[256..], same[256..]);
    let other = train(&path("other"), &["--init", &net]);
    assert_ne!(begun[256..], other[256..]);
    let base = ["train", &games, "--out", &path("n"), "--init", &net];
    refused_by_parser(&[&base[..], &["--mirror"]].concat());
    let refused = run(&[&base[..], &["--buckets", "3"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("64 neurons and 2 buckets"));
}

#[test]
fn a_network_that_grew_evaluates_as_before() {
    let folder = folder("grown");
    let path = |name: &str| folder.join(name).display().to_string();
    let (games, small, large) = (path("games"), path("small"), path("large"));
    assert!(generate(&folder.join("games"), 60, &[]).status.success());
    let base = ["train", &games, "--epochs", "1", "--out"];
    for more in [
        [&small[..], "--hidden", "64", "--buckets", "2", "--mirror"].as_slice(),
        &[
            &large,
            "--init",
            &small,
            "--hidden",
            "128",
            "--buckets",
            "8",
            "--rate",
            "0",
            "--final-rate",
            "0",
        ],
    ] {
        assert!(run(&[&base[..], more].concat()).status.success());
    }
    let evaluations = |network: &str| {
        let fens = [
            "8/8/4k3/8/2K5/4P3/8/8 w - - 0 1",
            "4k3/pppq1ppp/8/8/8/8/PPP2PPP/3QK3 b - - 0 1",
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
        ];
        let option = format!("setoption name EvalFile value {network}");
        let evaluation = |fen| {
            let output = run(&[&option, &format!("position fen {fen}"), "eval"]).stdout;
            text(&output).lines().last().unwrap().to_owned()
        };
        fens.map(evaluation)
    };
    assert_eq!(evaluations(&small), evaluations(&large));
    assert_ne!(evaluations(&small), evaluations("<internal>"));
}

#[test]
fn after_a_missing_byte_the_next_game_is_found() {
    let folder = folder("shift");
    let good = folder.join("good");
    assert!(generate(&good, 8, &[]).status.success());
    let mut bytes = std::fs::read(&good).unwrap();
    bytes.remove(200);
    let bad = folder.join("bad");
    std::fs::write(&bad, bytes).unwrap();
    let verified = run(&["data", "verify", &bad.display().to_string()]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(
        text(&verified.stdout).contains("7 games are sound, 1 damaged"),
        "{}",
        text(&verified.stdout)
    );
}

#[test]
fn nothing_that_is_not_ours_is_overwritten() {
    let folder = folder("ours");
    let data = folder.join("games.csv");
    assert!(generate(&data, 60, &[]).status.success());
    let original = std::fs::read(&data).unwrap();
    let refused = |args: &[&str]| {
        let output = run(args);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{args:?}: {}",
            text(&output.stdout)
        );
        assert!(text(&output.stderr).contains("saavedra: "), "{args:?}");
    };
    let path = |path: &Path| path.display().to_string();
    let games = path(&data);
    refused(&["train", &games, "--out", &games, "--epochs", "1"]);
    refused(&[
        "train",
        &games,
        "--out",
        &path(&folder.join("games")),
        "--epochs",
        "1",
    ]);
    refused(&["train", &games, "--out", &path(&folder), "--epochs", "1"]);
    refused(&[
        "train",
        &games,
        "--out",
        &path(&folder.join("no/folder")),
        "--epochs",
        "1",
    ]);
    for wrong in [
        "--hidden=100",
        "--hidden=4160",
        "--rate=nan",
        "--result-weight=2",
        "--lambda=-0.1",
        "--scale=0",
    ] {
        refused_by_parser(&["train", &games, "--out", &path(&folder.join("n")), wrong]);
    }
    // Other settings, even where the last game would be the same.
    refused(&[
        "datagen", "--out", &games, "--games", "70", "--soft", "41", "--hard", "400", "--frc", "40",
    ]);
    let letter = folder.join("letter");
    std::fs::write(&letter, "Dear network, \n").unwrap();
    refused(&["datagen", "--out", &path(&letter), "--games", "1"]);
    assert_eq!(std::fs::read(&letter).unwrap(), b"Dear network, \n");
    refused(&["data", "info", "/dev/zero"]);
    refused(&["datagen", "--out", "/dev/full", "--games", "1"]);
    assert_eq!(std::fs::read(&data).unwrap(), original);
}

fn refused_by_parser(args: &[&str]) {
    let output = run(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
}

#[test]
fn openings_that_lead_nowhere_end_the_command() {
    let folder = folder("nowhere");
    let openings = folder.join("won.epd");
    std::fs::write(&openings, "4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1\n").unwrap();
    let out = folder.join("games").display().to_string();
    let openings = openings.display().to_string();
    let output = run(&[
        "datagen",
        "--out",
        &out,
        "--openings",
        &openings,
        "--openings-share",
        "100",
        "--frc",
        "0",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--openings"));
}

#[test]
fn chances_are_fitted_to_the_scores_of_a_match() {
    let folder = folder("wdl");
    let pgn = folder.join("games.pgn").display().to_string();
    let engine = |name: &str| {
        format!(
            "cmd={},name={name},nodes=100",
            env!("CARGO_BIN_EXE_saavedra")
        )
    };
    let openings = folder.join("openings.epd");
    let text = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n\
                rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2\n\
                rnbqkbnr/pp1ppppp/8/2p5/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - 0 2\n";
    std::fs::write(&openings, text).unwrap();
    let openings = openings.display().to_string();
    let played = run(&[
        "match",
        "--engine",
        &engine("a"),
        "--engine",
        &engine("b"),
        "--games",
        "6",
        "--openings",
        &openings,
        "--pgn",
        &pgn,
    ]);
    assert!(played.status.success(), "{}", text_of(&played));
    let fitted = |more: &[&str]| {
        let mut args = vec!["wdl", &pgn, "--json"];
        args.extend(more);
        let output = run(&args);
        assert!(output.status.success(), "{}", text_of(&output));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let [both, one] = [fitted(&[]), fitted(&["--engine", "a"])];
    assert_eq!(both["games"], 6);
    let [both, one] = [both, one].map(|report| report["positions"].as_u64().unwrap());
    assert!(one > 50 && one < both, "{one} {both}");
    let nobody = run(&["wdl", &pgn, "--engine", "nobody"]);
    assert_eq!(nobody.status.code(), Some(2));
}

fn text_of(output: &Output) -> String {
    text(&output.stderr)
}
