//! A conversation with the real binary, and what every line of it must satisfy.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use saavedra::board::{Position, parse_move, uci_text};
use saavedra::rules::{Game, RuleSet};
use shakmaty::CastlingMode;

pub const STARTPOS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// Longer than any answer takes on a loaded machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saavedra"));
    command.env_remove("RUST_LOG");
    command
}

/// The engine as a child process.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Every line read so far.
    pub log: Vec<String>,
}

impl Engine {
    pub fn start() -> Engine {
        Engine::spawn(binary())
    }

    pub fn spawn(mut command: Command) -> Engine {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while stdout
                .read_until(b'\n', &mut line)
                .is_ok_and(|length| length > 0)
            {
                let text = String::from_utf8(std::mem::take(&mut line)).expect("output is UTF-8");
                let text = text.strip_suffix('\n').expect("whole lines").to_string();
                assert!(!text.contains('\r'), "carriage return in {text:?}");
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        Engine {
            child,
            stdin,
            lines,
            log: Vec::new(),
        }
    }

    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("input is open");
        stdin.write_all(bytes).expect("the engine reads");
        stdin.flush().expect("the engine reads");
    }

    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The next line, or none within `patience`.
    pub fn line_within(&mut self, patience: Duration) -> Option<String> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => {
                self.log.push(line.clone());
                Some(line)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// All lines up to and including the first that satisfies `wanted`.
    pub fn until(&mut self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let Some(line) = self.line_within(PATIENCE) else {
                break;
            };
            let found = wanted(&line);
            lines.push(line);
            if found {
                return lines;
            }
        }
        panic!(
            "not answered; last lines: {:?}",
            &self.log[self.log.len().saturating_sub(20)..]
        );
    }

    /// All lines that come within `time`.
    pub fn during(&mut self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        let mut lines = Vec::new();
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            lines.extend(self.line_within(left));
        }
        lines
    }

    pub fn is_ready(&mut self) -> Vec<String> {
        self.send("isready");
        self.until(|line| line == "readyok")
    }

    /// The answer to a search that is running: its lines and the best move.
    pub fn best_move(&mut self) -> Search {
        let lines = self.until(|line| line.starts_with("bestmove"));
        Search::read(lines)
    }

    /// Sets up `position`, searches, and checks every line of the answer.
    pub fn search(&mut self, position: &str, go: &str) -> Search {
        self.send(&format!("position {position}"));
        self.send(go);
        let search = self.best_move();
        search.check(position);
        search
    }

    pub fn quit(mut self) -> ExitStatus {
        self.send("quit");
        self.wait(Duration::from_secs(5)).expect("the engine quits")
    }

    /// Waits for the end of the process.
    pub fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < patience {
            if let Some(status) = self.child.try_wait().expect("waiting works") {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        None
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("waiting works").is_none()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What was written to standard error; ends the engine.
    pub fn stderr(mut self) -> String {
        self.stdin = None;
        self.wait(PATIENCE);
        let mut text = String::new();
        self.child
            .stderr
            .take()
            .expect("piped")
            .read_to_string(&mut text)
            .expect("UTF-8");
        text
    }

    /// Processor time used so far, user and system.
    #[cfg(target_os = "linux")]
    pub fn cpu_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).expect("alive");
        let after_name = stat.rsplit(')').next().expect("has a name");
        let field = |n: usize| -> u64 {
            after_name
                .split_whitespace()
                .nth(n)
                .and_then(|f| f.parse().ok())
                .expect("a number")
        };
        Duration::from_millis((field(11) + field(12)) * 10)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of one search, the last being `bestmove`.
#[derive(Debug)]
pub struct Search {
    pub lines: Vec<String>,
    pub best: String,
    pub ponder: Option<String>,
}

impl Search {
    fn read(lines: Vec<String>) -> Search {
        let last = lines.last().expect("a bestmove line").clone();
        let words: Vec<&str> = last.split(' ').collect();
        let ponder = match words[..] {
            ["bestmove", _] => None,
            ["bestmove", _, "ponder", reply] => Some(reply.to_string()),
            _ => panic!("malformed: {last:?}"),
        };
        Search {
            best: words[1].to_string(),
            ponder,
            lines,
        }
    }

    /// The info lines that carry a score.
    pub fn infos(&self) -> Vec<Info> {
        let has_score = |line: &&String| line.starts_with("info ") && line.contains(" score ");
        self.lines
            .iter()
            .filter(has_score)
            .map(|line| Info::read(line))
            .collect()
    }

    /// The last line of the best variation.
    pub fn last(&self) -> Info {
        let mut infos = self.infos();
        infos.retain(|info| info.multipv <= 1 && info.bound.is_none());
        infos
            .pop()
            .unwrap_or_else(|| panic!("no score in {:?}", self.lines))
    }

    /// Sections E and F of the behaviours, for every line of this search of `position`.
    pub fn check(&self, position: &str) {
        let game = game(position);
        for line in &self.lines {
            let known = ["info ", "bestmove "]
                .iter()
                .any(|start| line.starts_with(start));
            assert!(known || line == "readyok", "stray line {line:?}");
            assert!(
                !line.ends_with(' ') && !line.contains("  "),
                "blanks in {line:?}"
            );
        }
        for info in self.infos() {
            info.check(&game);
        }
        let last = self.last();
        if self.best == "(none)" {
            assert_eq!(self.ponder, None);
            return;
        }
        assert_eq!(last.pv.first(), Some(&self.best), "{:?}", self.lines);
        let mut game = game.clone();
        let best = parse_move(game.position(), &self.best)
            .unwrap_or_else(|| panic!("illegal {} in {position}", self.best));
        game.play(best);
        if let Some(ponder) = &self.ponder {
            if let Some(second) = last.pv.get(1) {
                assert_eq!(second, ponder);
            }
            let reply = parse_move(game.position(), ponder).expect("ponder move is legal");
            game.play(reply);
            assert!(game.position().has_legal_move(), "{ponder} ends the game");
        }
    }
}

/// An info line taken apart.
#[derive(Debug, Clone)]
pub struct Info {
    pub text: String,
    pub depth: i64,
    pub seldepth: Option<i64>,
    pub multipv: i64,
    pub cp: Option<i64>,
    pub mate: Option<i64>,
    pub bound: Option<String>,
    pub wdl: Option<[i64; 3]>,
    pub nodes: Option<i64>,
    pub nps: Option<i64>,
    pub hashfull: Option<i64>,
    pub time: Option<i64>,
    pub pv: Vec<String>,
}

impl Info {
    pub fn read(line: &str) -> Info {
        let words: Vec<&str> = line.split(' ').collect();
        let number_after = |name: &str| -> Option<i64> {
            let at = words.iter().position(|word| *word == name)?;
            let number = words[at + 1].parse();
            Some(number.unwrap_or_else(|_| panic!("no number after {name} in {line:?}")))
        };
        let score = words
            .iter()
            .position(|word| *word == "score")
            .expect("a score");
        let kind = words[score + 1];
        assert!(kind == "cp" || kind == "mate", "{line:?}");
        let bound = words
            .get(score + 3)
            .filter(|word| word.ends_with("bound"))
            .map(|word| word.to_string());
        let wdl = words
            .iter()
            .position(|word| *word == "wdl")
            .map(|at| [1, 2, 3].map(|n| words[at + n].parse().expect("wdl takes whole numbers")));
        let pv = words.iter().position(|word| *word == "pv");
        Info {
            text: line.to_string(),
            depth: number_after("depth").expect("a depth"),
            seldepth: number_after("seldepth"),
            multipv: number_after("multipv").unwrap_or(1),
            cp: number_after("cp"),
            mate: number_after("mate"),
            bound,
            wdl,
            nodes: number_after("nodes"),
            nps: number_after("nps"),
            hashfull: number_after("hashfull"),
            time: number_after("time"),
            pv: pv.map_or(Vec::new(), |at| {
                words[at + 1..].iter().map(ToString::to_string).collect()
            }),
        }
    }

    /// What must be true of every line about a search of `game`.
    pub fn check(&self, game: &Game) {
        let text = &self.text;
        assert!((0..=255).contains(&self.depth), "{text}");
        assert!((1..=255).contains(&self.multipv), "{text}");
        assert!(self.cp.is_none_or(|cp| cp.abs() < 32_000), "{text}");
        if let Some(wdl) = self.wdl {
            assert_eq!(wdl.iter().sum::<i64>(), 1000, "{text}");
        }
        if let (Some(nodes), Some(nps), Some(time)) = (self.nodes, self.nps, self.time) {
            assert!(time >= 1, "{text}");
            assert_eq!(nps, nodes * 1000 / time, "{text}");
        }
        assert!(
            self.hashfull.is_none_or(|full| (0..=1000).contains(&full)),
            "{text}"
        );
        let mut game = game.clone();
        if !game.position().has_legal_move() || self.depth == 0 {
            assert!(self.pv.is_empty(), "{text}");
            return;
        }
        assert!(!self.pv.is_empty(), "{text}");
        for (number, text_of_move) in self.pv.iter().enumerate() {
            // A root that is drawn by rule is searched all the same.
            let over = number > 0 && game.ending(RuleSet::Online).is_some();
            assert!(!over, "the line goes on after the end of the game: {text}");
            let m = parse_move(game.position(), text_of_move)
                .unwrap_or_else(|| panic!("illegal {text_of_move} in {text}"));
            game.play(m);
        }
        if let (Some(mate), None) = (self.mate, &self.bound) {
            let plies = if mate > 0 { 2 * mate - 1 } else { -2 * mate };
            assert_eq!(self.pv.len() as i64, plies, "{text}");
            assert!(game.position().is_checkmate(), "{text}");
        }
    }
}

/// The game that the arguments of `position` describe.
pub fn game(position: &str) -> Game {
    let (start, moves) = match position.split_once("moves") {
        Some((start, moves)) => (start.trim(), moves),
        None => (position, ""),
    };
    let start = match start.strip_prefix("fen ") {
        Some(fen) => Position::from_fen(fen).expect("a legal position"),
        None => Position::startpos(),
    };
    let mut game = Game::new(start);
    for text in moves.split_whitespace() {
        let m = parse_move(game.position(), text).unwrap_or_else(|| panic!("illegal {text}"));
        game.play(m);
    }
    game
}

/// The legal moves of a position in UCI notation.
pub fn legal_moves(position: &str, mode: CastlingMode) -> Vec<String> {
    let game = game(position);
    game.position()
        .legal_moves()
        .into_iter()
        .map(|m| uci_text(m, mode))
        .collect()
}
