//! `saavedra analyse`: annotated games.

mod common;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use common::binary;
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use saavedra::board::Position;
use serde_json::Value;

const FOOLS_MATE: &str = "[White \"Fool\"]\n[Black \"Friend\"]\n[Result \"0-1\"]\n\n\
    1. f3 {[%clk 0:01:00] why} e5 (1... d5 2. e4) 2. g4 $4 Qh4# 0-1\n\n";
const LEGAL: &str = "[White \"Legal\"]\n[Black \"Saint Brie\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Bc4 d6 3. Nf3 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n\n";
/// Castling with the rook on b1 and the king on c1.
const CHESS960: &str = "[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
    [FEN \"1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1\"]\n\n\
    1. O-O-O O-O 2. a3 *\n\n";
const SET_UP: &str = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 5 40\"]\n\n40... Kd7 41. e4 Kd6 *\n\n";

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("saavedra-analyse-{}-{name}", std::process::id()));
    // That of an earlier run may be there.
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir(&path).expect("a writable folder");
    path
}

fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a writable folder");
    path.display().to_string()
}

fn run(args: &[&str]) -> Output {
    let mut command = binary();
    command.args(["analyse", "--hash", "1"]).args(args);
    command.output().expect("the command runs")
}

fn start(args: &[&str]) -> Child {
    let mut command = binary();
    command.args(["analyse", "--hash", "1"]).args(args);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Standard output of a run that must succeed.
fn analysed(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Plays every move of a game and of its variations, and counts both.
#[derive(Default)]
struct Referee {
    /// Before and after the last move of each line that is open.
    lines: Vec<(Position, Position)>,
    moves: usize,
    variations: usize,
}

impl Visitor for Referee {
    type Tags = Position;
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Position> {
        ControlFlow::Continue(Position::startpos())
    }

    fn tag(&mut self, start: &mut Position, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        if name == b"FEN" {
            *start = Position::from_fen(&value.decode_utf8_lossy()).expect("a position");
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Position) -> ControlFlow<()> {
        self.lines = vec![(start.clone(), start)];
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        let (before, after) = self.lines.last_mut().expect("a line");
        let m = san
            .san
            .to_move(after.chess())
            .unwrap_or_else(|error| panic!("{san}: {error}"));
        let written = SanPlus::from_move(after.chess().clone(), m);
        assert_eq!(written, san, "checks and mates are marked");
        *before = after.clone();
        after.play(m);
        self.moves += usize::from(self.lines.len() == 1);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        let (before, _) = self.lines.last().expect("a line").clone();
        self.lines.push((before.clone(), before));
        self.variations += 1;
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, (): &mut ()) -> ControlFlow<()> {
        self.lines.pop();
        assert!(!self.lines.is_empty());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}

/// Games, moves and variations of a PGN in which everything is legal.
fn count(pgn: &str) -> (usize, usize, usize) {
    let mut reader = Reader::new(pgn.as_bytes());
    let mut referee = Referee::default();
    let mut games = 0;
    while reader.read_game(&mut referee).expect("PGN").is_some() {
        games += 1;
        assert_eq!(referee.lines.len(), 1, "parentheses match");
    }
    (games, referee.moves, referee.variations)
}

#[test]
fn moves_get_scores_and_bad_ones_a_glyph_and_a_better_line() {
    let folder = folder("annotated");
    let games = file(&folder, "games.pgn", FOOLS_MATE);
    let pgn = analysed(&[&games, "--nodes", "3000", "--threads", "2"]);
    let flat = pgn.replace('\n', " ");
    for part in [
        "[White \"Fool\"] [Black \"Friend\"] [Result \"0-1\"] ",
        "3000 nodes a position",
        "[WhiteAnalysis \"accuracy ",
        " [%clk 0:01:00] why} ",
        "(1... d5 2. e4)",
        " 2. g4 $4 {[%eval #-1]} (2. ",
        " 2... Qh4# 0-1",
    ] {
        assert!(flat.contains(part), "{part}\n{pgn}");
    }
    // After each move but the mate, and after the first of each line.
    let (games, moves, variations) = count(&pgn);
    assert_eq!((games, moves), (1, 4));
    assert!(variations >= 2);
    assert_eq!(pgn.matches("[%eval ").count(), moves - 1 + variations - 1);
    assert!(
        pgn.lines()
            .all(|line| line.starts_with('[') || line.len() <= 80)
    );
}

#[test]
fn games_from_set_up_positions_and_of_chess960_are_analysed() {
    let folder = folder("set-up");
    let games = file(&folder, "games.pgn", [CHESS960, SET_UP].concat());
    let pgn = analysed(&[&games, "--nodes", "500"]);
    assert_eq!(count(&pgn).0, 2);
    assert!(pgn.contains("1. O-O-O"), "{pgn}");
    assert!(pgn.contains("[FEN \"1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1\"]"));
    assert!(pgn.contains("\n\n40... Kd7"), "{pgn}");
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
    let folder = folder("threads");
    let games = file(&folder, "games.pgn", [LEGAL, FOOLS_MATE, CHESS960].concat());
    let once = analysed(&[&games, "--nodes", "2000", "--threads", "1"]);
    assert_eq!(count(&once).0, 3);
    for threads in ["1", "3"] {
        assert_eq!(
            analysed(&[&games, "--nodes", "2000", "--threads", threads]),
            once
        );
    }
}

#[test]
fn several_better_lines_are_shown_when_asked_for() {
    let folder = folder("multipv");
    let games = file(&folder, "games.pgn", "1. f3 e5 2. g4 Qh4# 0-1");
    let pgn = analysed(&[&games, "--depth", "6", "--multipv", "3"]);
    let after_blunder = pgn.replace('\n', " ");
    let (_, after_blunder) = after_blunder.split_once("2. g4 $4").expect("a blunder");
    assert_eq!(after_blunder.matches("(2. ").count(), 3, "{pgn}");
    count(&pgn);
}

#[test]
fn json_is_an_object_a_line_with_whites_scores() {
    let folder = folder("json");
    let games = file(&folder, "games.pgn", [FOOLS_MATE, SET_UP].concat());
    let json = analysed(&[&games, "--nodes", "2000", "--json"]);
    let games: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let [mate, set_up] = &games[..] else {
        panic!("{json}")
    };
    assert_eq!(mate["tags"]["White"], "Fool");
    assert_eq!(mate["moves"].as_array().map(Vec::len), Some(4));
    let blunder = &mate["moves"][2];
    assert_eq!(blunder["number"], "2.");
    assert_eq!(
        (&blunder["san"], &blunder["uci"]),
        (&"g4".into(), &"g2g4".into())
    );
    assert_eq!(blunder["judgement"], "blunder");
    assert_eq!(blunder["score"]["mate"], -1);
    assert_eq!(blunder["win_percent"], 0.0);
    assert!(blunder["lines"][0]["score"]["cp"].is_i64());
    assert_eq!(mate["moves"][3]["accuracy"], 100.0);
    assert_eq!(mate["black"]["blunders"], 0);
    assert!(
        mate["white"]["blunders"]
            .as_u64()
            .is_some_and(|blunders| blunders >= 1)
    );
    assert_eq!(set_up["start"], "4k3/8/8/8/8/8/4P3/4K3 b - - 5 40");
    assert_eq!(set_up["moves"][0]["number"], "40...");
}

#[test]
fn the_course_of_each_game_is_drawn() {
    let folder = folder("graph");
    let one = file(&folder, "one.pgn", FOOLS_MATE.replace("Fool", "A <&> B"));
    let graph = folder.join("graph.svg").display().to_string();
    analysed(&[&one, "--nodes", "500", "--graph", &graph]);
    let svg = std::fs::read_to_string(&graph).expect("a picture");
    assert!(
        svg.contains("<svg") && svg.contains("A &lt;&amp;&gt; B – Friend"),
        "{svg}"
    );
    assert!(svg.contains("blunder"));

    let two = file(&folder, "two.pgn", [FOOLS_MATE, LEGAL].concat());
    let several = folder.join("several.svg").display().to_string();
    analysed(&[&two, "--nodes", "500", "--graph", &several]);
    assert!(folder.join("several-1.svg").exists());
    assert!(folder.join("several-2.svg").exists());
    assert!(!folder.join("several.svg").exists());

    let nowhere = folder.join("nowhere/graph.svg").display().to_string();
    let output = run(&[&two, "--nodes", "500", "--graph", &nowhere]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("there is no folder"),
        "before the first game"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn with_a_file_for_the_games_the_summary_goes_to_standard_output() {
    let folder = folder("summary");
    let games = file(&folder, "games.pgn", LEGAL);
    let out = folder.join("out.pgn").display().to_string();
    let summary = analysed(&[&games, "--nodes", "500", "--out", &out]);
    assert!(
        summary.starts_with("1. Legal – Saint Brie 1-0\n   white: accuracy "),
        "{summary}"
    );
    assert_eq!(count(&std::fs::read_to_string(out).expect("games")), {
        let (_, moves, variations) = count(&analysed(&[&games, "--nodes", "500"]));
        (1, moves, variations)
    });
}

/// Waits until the file has so many games.
fn wait_for_games(path: &str, games: usize) {
    let start = Instant::now();
    let has = |text: String| text.matches("[Analysis ").count() >= games;
    while !std::fs::read_to_string(path).is_ok_and(has) {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no game is finished"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let folder = folder("killed");
    let games = file(&folder, "games.pgn", LEGAL.repeat(6));
    let [whole, killed] =
        ["whole.pgn", "killed.pgn"].map(|name| folder.join(name).display().to_string());
    let common = [games.as_str(), "--nodes", "4000", "--threads", "2", "--out"];
    analysed(&[&common[..], &[&whole]].concat());
    let whole = std::fs::read_to_string(whole).expect("games");

    let mut child = start(&[&common[..], &[&killed]].concat());
    wait_for_games(&killed, 2);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let part = std::fs::read_to_string(&killed).expect("games");
    assert!(part.len() < whole.len() && whole.starts_with(&part));
    // As if it had been killed while it wrote.
    for cut in [part.len(), part.len() + 40, part.len() + 400, 30] {
        std::fs::write(&killed, &whole[..cut]).expect("a writable folder");
        analysed(&[&common[..], &[&killed, "--resume"]].concat());
        assert!(
            std::fs::read_to_string(&killed).expect("games") == whole,
            "cut at {cut}"
        );
    }
    let json = folder.join("games.json").display().to_string();
    let common = [&common[..], &[&json, "--json"]].concat();
    analysed(&common);
    let whole = std::fs::read_to_string(&json).expect("games");
    for cut in [whole.len(), whole.len() - 700, 5] {
        std::fs::write(&json, &whole[..cut]).expect("a writable folder");
        analysed(&[&common[..], &["--resume"]].concat());
        assert!(
            std::fs::read_to_string(&json).expect("games") == whole,
            "cut at {cut}"
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_finished_and_says_so() {
    let folder = folder("interrupted");
    let games = file(&folder, "games.pgn", [FOOLS_MATE, LEGAL].concat());
    let out = folder.join("out.pgn").display().to_string();
    let child = start(&[&games, "--movetime", "150", "--threads", "1", "--out", &out]);
    wait_for_games(&out, 1);
    let id = child.id().to_string();
    let interrupt = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(interrupt.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("interrupted after game 1 of 2"));
    assert!(text(&output.stdout).starts_with("1. Fool – Friend 0-1\n"));
    assert_eq!(count(&std::fs::read_to_string(&out).expect("games")).0, 1);
}

#[test]
fn nothing_is_overwritten_or_continued_that_is_something_else() {
    let folder = folder("refused");
    let games = file(&folder, "games.pgn", [FOOLS_MATE, LEGAL].concat());
    let out = folder.join("out.pgn").display().to_string();
    let settings = [&games, "--nodes", "500", "--out", &out];
    analysed(&settings);
    let before = std::fs::read_to_string(&out).expect("games");
    let refused = |args: &[&str], cause: &str| {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            text(&output.stderr).contains(cause),
            "{}",
            text(&output.stderr)
        );
        assert_eq!(std::fs::read_to_string(&out).expect("games"), before);
    };
    refused(&settings, "exists already; --resume continues it");
    let other_settings = [&games, "--nodes", "501", "--out", &out, "--resume"];
    refused(
        &other_settings,
        "not made of these games with these settings",
    );
    let other_games = file(&folder, "other.pgn", [LEGAL, FOOLS_MATE].concat());
    let other_games = [&other_games, "--nodes", "500", "--out", &out, "--resume"];
    refused(&other_games, "not made of these games with these settings");
    let source = [&games, "--nodes", "500", "--out", &games, "--resume"];
    refused(&source, "not made of these games with these settings");
    refused(&[&games, "--resume"], "--out");
    refused(
        &[&games, "--out", &folder.display().to_string()],
        "exists already",
    );
}

#[test]
fn files_that_hold_no_game_are_named_with_the_cause() {
    let folder = folder("bad");
    let empty = file(&folder, "empty.pgn", "");
    let prose = file(&folder, "prose.pgn", "It was a dark and stormy night.\n");
    let utf16 = file(&folder, "utf16.pgn", b"\xff\xfe[\0W\0");
    let binary = file(
        &folder,
        "binary.pgn",
        (0..=255).cycle().take(4000).collect::<Vec<u8>>(),
    );
    for (path, cause) in [
        ("/no/such/games.pgn", "cannot read /no/such/games.pgn: "),
        (&folder.display().to_string(), "cannot read "),
        (&empty, "empty.pgn holds no game"),
        (&prose, "prose.pgn holds no game"),
        (&utf16, "utf16.pgn is UTF-16"),
        (&binary, "binary.pgn"),
    ] {
        let output = run(&[path, "--nodes", "100"]);
        assert_eq!(output.status.code(), Some(2), "{path}");
        assert!(
            text(&output.stderr).contains(cause),
            "{}",
            text(&output.stderr)
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_game_with_an_illegal_move_is_named_and_kept_up_to_it_and_the_others_are_whole() {
    let folder = folder("illegal");
    let broken = LEGAL.replace("5. Nxe5", "5. Nxe6");
    let games = file(&folder, "games.pgn", [&broken, FOOLS_MATE].concat());
    let output = run(&[&games, "--nodes", "500"]);
    assert_eq!(output.status.code(), Some(1));
    let complaint = "games.pgn, game 1 (Legal – Saint Brie): 5. Nxe6 is not legal";
    assert!(
        text(&output.stderr).contains(complaint),
        "{}",
        text(&output.stderr)
    );
    let pgn = text(&output.stdout);
    let (games, moves, _) = count(&pgn);
    assert_eq!((games, moves), (2, 8 + 4));
    let flat = pgn.replace('\n', " ");
    assert!(
        flat.contains("5. Nxe6 is not legal; what followed is left out}"),
        "{pgn}"
    );
    assert!(flat.contains(" 1-0  [White \"Fool\"]"), "{pgn}");
}

#[test]
fn a_bad_position_leaves_the_game_without_moves() {
    let folder = folder("bad-fen");
    let games = file(
        &folder,
        "games.pgn",
        "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n",
    );
    let output = run(&[&games, "--nodes", "500"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("a king is missing"),
        "{}",
        text(&output.stderr)
    );
    assert!(text(&output.stdout).contains("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]"));
}

#[test]
fn latin_1_carriage_returns_and_a_byte_order_mark_are_read() {
    let folder = folder("encodings");
    let crlf = format!("\u{feff}{}", FOOLS_MATE.replace('\n', "\r\n"));
    let (before, after) = FOOLS_MATE.split_once("Fool").expect("a name");
    let latin_1 = [before.as_bytes(), b"M\xfcller", after.as_bytes()].concat();
    let crlf = file(&folder, "crlf.pgn", crlf);
    let latin_1 = file(&folder, "latin.pgn", latin_1);
    let plain = file(&folder, "plain.pgn", FOOLS_MATE);
    let expected = analysed(&[&plain, "--nodes", "500"]);
    assert_eq!(analysed(&[&crlf, "--nodes", "500"]), expected);
    let expected = expected.replace("Fool", "Müller");
    assert_eq!(analysed(&[&latin_1, "--nodes", "500"]), expected);
}
