//! The state of a conversation: the position, the options, and what is still to be answered.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use log::{debug, info};
use shakmaty::{CastlingMode, Color, File, Rank, Square};

use super::Written;
use super::command::{Command, Go};
use super::opening::Opening;
use super::option::{self, BUILTIN, Key, OPTIONS, Value};
use super::strength::Strength;
use super::{evaluation, info};
use crate::board::{self, Position};
use crate::book::Book;
use crate::engine::{Engine, Event, Settings};
use crate::eval::nnue::Network;
use crate::limits::{GameClock, Limits};
use crate::rules::Game;
use crate::search::{MAX_DEPTH, bench};

const HELP: &str = "\
Commands (UCI, https://www.chessprogramming.org/UCI):
  uci  isready  ucinewgame  debug on|off  quit
  setoption name NAME [value VALUE]
  position startpos|fen FEN [moves MOVE ...]
  go [searchmoves MOVE ...] [ponder] [infinite] [depth N] [nodes N] [mate N] [movetime MS]
     [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
  stop  ponderhit
Helpers:
  d            show the board          eval         show the static evaluation
  go perft N   count leaves            bench [N]    benchmark (to depth N)
  flip         exchange the colours    help         this list
  speedtest [SECONDS]
               nodes per second over whole games, with Threads and Hash as they are set
  genfens N seed S book None|FILE [plies N] [frc PERCENT]
               N openings that S decides, for OpenBench";

/// How long `speedtest` takes unless told otherwise.
pub const SPEEDTEST_SECONDS: u32 = 60;

/// Whether the conversation goes on.
#[derive(PartialEq, Eq, Debug)]
pub enum Verdict {
    Continue,
    Quit,
}

/// One side of a conversation.
pub struct Session<W> {
    engine: Engine,
    out: W,
    /// None after a position that could not be set up.
    game: Option<Game>,
    settings: Settings,
    opening: Opening,
    strength: Strength,
    debug: bool,
    /// `readyok` owed once the engine is ready.
    pings: usize,
    complaints: Vec<String>,
}

impl<W: Write> Session<W> {
    pub fn new(engine: Engine, out: W) -> Session<W> {
        Session {
            engine,
            out,
            game: Some(Game::new(Position::startpos())),
            settings: Settings::default(),
            opening: Opening::default(),
            strength: Strength::default(),
            debug: false,
            pings: 0,
            complaints: Vec::new(),
        }
    }

    /// Whether something is still to be answered.
    pub fn is_waiting(&self) -> bool {
        self.engine.is_busy() || self.pings > 0
    }

    /// Whether all that is to be answered will be, without another command.
    pub fn is_finite(&self) -> bool {
        self.engine.is_finite()
    }

    /// What was wrong with the commands so far.
    pub fn complaints(self) -> Vec<String> {
        self.complaints
    }

    pub fn stop_endless(&self) {
        self.engine.stop_endless();
    }

    /// Obeys one line that was read at `arrived`.
    pub fn command(&mut self, line: &str, arrived: Instant) -> io::Result<Verdict> {
        debug!("<- {}", line.trim_end());
        let Ok(command) = line.parse::<Command>();
        match command {
            Command::Uci => self.introduce()?,
            Command::IsReady => self.is_ready()?,
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::UciNewGame => {
                self.strength.new_game();
                self.engine.new_game();
            }
            Command::Position { fen, moves } => self.position(fen.as_deref(), &moves)?,
            Command::Go(go) => self.go(&go, arrived)?,
            Command::GoPerft(depth) => self.perft(depth)?,
            Command::Stop => self.engine.stop(),
            Command::PonderHit => self.engine.ponderhit(),
            Command::Quit => {
                self.engine.stop();
                return Ok(Verdict::Quit);
            }
            Command::Debug(on) => self.debug = on,
            Command::Display => self.display()?,
            Command::Eval => self.eval()?,
            Command::Bench(depth) => {
                let network = Arc::clone(&self.settings.network);
                self.engine.bench(depth.unwrap_or(bench::DEPTH), network);
            }
            Command::Speedtest(seconds) => {
                let time = Duration::from_secs(seconds.unwrap_or(SPEEDTEST_SECONDS).into());
                self.engine
                    .speedtest(time, Arc::clone(&self.settings.network));
            }
            Command::Genfens(wanted) => self.engine.genfens(wanted, self.settings.clone()),
            Command::Flip => self.flip()?,
            Command::Help => self.say(HELP)?,
            Command::Nothing => {}
            Command::Unknown(line) => {
                self.complain(&format!("not understood: '{line}'; try help"))?;
            }
        }
        Ok(Verdict::Continue)
    }

    /// Passes on what the engine says.
    pub fn event(&mut self, event: Event) -> Written {
        self.engine.note(&event);
        match event {
            Event::Report(report, style) => self.say(&info::report(&report, style)),
            Event::CurrentMove(depth, m, number, style) => {
                let m = board::uci_text(m, style.castling);
                self.say(&format!(
                    "info depth {depth} currmove {m} currmovenumber {number}"
                ))
            }
            Event::BestMove {
                best,
                ponder,
                style,
            } => self.say(&info::best_move(best, ponder, style.castling)),
            Event::Opening(position, style) => {
                let fen = position.fen(style.castling);
                self.say(&format!("info string genfens {fen}"))
            }
            Event::Ready => {
                self.pings -= 1;
                self.say("readyok")
            }
            Event::Message(text) => self.complain(&text),
            Event::Text(text) => self.say(&text),
            Event::Done => Ok(()),
        }
    }

    /// Writes one line in one piece.
    fn say(&mut self, line: &str) -> Written {
        debug!("-> {line}");
        self.out.write_all(format!("{line}\n").as_bytes())?;
        self.out.flush()
    }

    fn complain(&mut self, text: &str) -> Written {
        self.complaints.push(text.to_string());
        self.say(&info::message(text))
    }

    fn introduce(&mut self) -> Written {
        self.say(concat!("id name Saavedra ", env!("CARGO_PKG_VERSION")))?;
        self.say("id author the Saavedra authors")?;
        for spec in OPTIONS {
            self.say(&format!("option {spec}"))?;
        }
        #[cfg(feature = "tune")]
        for param in crate::params::ALL {
            self.say(&format!("option {param}"))?;
        }
        self.say("uciok")
    }

    /// At once during a search; else when the engine has done what it was told.
    fn is_ready(&mut self) -> Written {
        if self.engine.is_busy() {
            return self.say("readyok");
        }
        self.pings += 1;
        self.engine.ping();
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Written {
        #[cfg(feature = "tune")]
        if crate::params::set(name, value.unwrap_or_default()) {
            return Ok(());
        }
        let (key, value) = match option::read(name, value) {
            Ok(setting) => setting,
            Err(error) => return self.complain(&error.to_string()),
        };
        match (key, value) {
            (Key::Threads, Value::Number(threads)) => self.engine.set_threads(threads as usize),
            (Key::Hash, Value::Number(mib)) => self.engine.set_hash(mib as u64),
            (Key::ClearHash, _) => self.engine.clear_hash(),
            (Key::EvalFile, Value::Text(path)) => return self.load_network(&path),
            (Key::OwnBook, Value::Flag(on)) => self.opening.is_on = on,
            (Key::BookFile, Value::Text(path)) => return self.open_book(&path),
            (Key::BookDepth, Value::Number(moves)) => self.opening.depth = moves as u32,
            (Key::BookVariety, Value::Number(variety)) => self.opening.variety = variety as u8,
            (Key::SyzygyPath, Value::Text(path)) => self.engine.set_tablebases(&path),
            (Key::SyzygyProbeDepth, Value::Number(depth)) => {
                self.settings.tables.depth = depth as i32;
            }
            (Key::SyzygyProbeLimit, Value::Number(men)) => {
                self.settings.tables.limit = men as usize;
            }
            (Key::Syzygy50MoveRule, Value::Flag(on)) => {
                self.settings.tables.fifty_moves = on;
                // Scores in the hash follow the old rule.
                self.engine.clear_hash();
            }
            (Key::MultiPv, Value::Number(lines)) => self.settings.multi_pv = lines as usize,
            (Key::MoveOverhead, Value::Number(millis)) => {
                self.settings.overhead = Duration::from_millis(millis as u64);
            }
            (Key::Chess960, Value::Flag(on)) => {
                self.settings.style.castling = CastlingMode::from_chess960(on);
            }
            (Key::ShowWdl, Value::Flag(on)) => self.settings.style.wdl = on,
            (Key::AnalyseMode, Value::Flag(on)) => self.settings.analysis = on,
            (Key::LimitStrength, Value::Flag(on)) => {
                self.set_strength(|strength| strength.is_limited = on);
            }
            (Key::Elo, Value::Number(elo)) => {
                self.set_strength(|strength| strength.elo = elo as i32);
            }
            (Key::SkillLevel, Value::Number(skill)) => {
                self.set_strength(|strength| strength.skill = skill);
            }
            (Key::StrengthSeed, Value::Number(seed)) => {
                self.set_strength(|strength| strength.seed = seed as u64);
            }
            (Key::Opponent, Value::Text(opponent)) => info!("opponent: {opponent}"),
            // Pondering is up to the GUI, and what we are is not for it to change.
            _ => {}
        }
        Ok(())
    }

    fn set_strength(&mut self, change: impl FnOnce(&mut Strength)) {
        let before = self.strength.handicap();
        change(&mut self.strength);
        if self.strength.handicap() != before {
            // What a weaker player believed is not worth remembering, nor may he know better.
            self.engine.new_game();
        }
    }

    /// Evaluates with the network of a file from now on, or with the built-in one again.
    fn load_network(&mut self, path: &str) -> Written {
        if path == BUILTIN || path.is_empty() {
            self.use_network(Network::builtin());
            return Ok(());
        }
        match Network::read(Path::new(path)) {
            Ok(network) => {
                let message = format!(
                    "network {path}: {} neurons, {} output buckets; {}",
                    network.hidden, network.buckets, network.note
                );
                self.use_network(Arc::new(network));
                self.say(&info::message(&message))
            }
            Err(error) => self.complain(&format!("EvalFile {path}: {error}; the network stays")),
        }
    }

    fn use_network(&mut self, network: Arc<Network>) {
        if self.settings.network != network {
            self.settings.network = network;
            // What was learned with the old one does not count any more.
            self.engine.new_game();
        }
    }

    /// Plays from the book of a file from now on, or from the built-in one again.
    fn open_book(&mut self, path: &str) -> Written {
        if path == BUILTIN || path.is_empty() {
            self.opening.book = Book::builtin();
            return Ok(());
        }
        match Book::read(Path::new(path)) {
            Ok(book) => {
                let message = format!("book {path}: {} moves", book.len());
                self.opening.book = Arc::new(book);
                self.say(&info::message(&message))
            }
            Err(error) => self.complain(&format!("BookFile {path}: {error}; the book stays")),
        }
    }

    fn position(&mut self, fen: Option<&str>, moves: &[String]) -> Written {
        let start = match fen.map(Position::from_fen).transpose() {
            Ok(position) => position.unwrap_or_else(Position::startpos),
            Err(error) => {
                self.game = None;
                return self.complain(&format!("invalid position: {error}"));
            }
        };
        let mut game = Game::new(start);
        let mut illegal = None;
        for text in moves {
            match board::parse_move(game.position(), text) {
                Some(m) => game.play(m),
                None => {
                    illegal = Some(format!("illegal move {text}, stopped before it"));
                    break;
                }
            }
        }
        self.game = Some(game);
        illegal.map_or(Ok(()), |text| self.complain(&text))
    }

    fn go(&mut self, go: &Go, arrived: Instant) -> Written {
        let mut settings = self.settings.clone();
        let Some(game) = self.game.clone() else {
            self.complain("no valid position to search")?;
            return self.say(&info::best_move(None, None, settings.style.castling));
        };
        let position = game.position();
        if position.is_checkmate() {
            self.say(&info::message("checkmate"))?;
        } else if position.is_stalemate() {
            self.say(&info::message("stalemate"))?;
        }
        let mut limits = limits(go, position);
        if limits.searchmoves.as_ref().is_some_and(Vec::is_empty) {
            self.say(&info::message("none of the searchmoves is legal"))?;
        }
        if !settings.analysis && limits.mate.is_none() {
            settings.handicap = self.strength.handicap();
        }
        if let Some(handicap) = settings.handicap {
            let nodes = limits.nodes.unwrap_or(u64::MAX);
            limits.nodes = Some(nodes.min(handicap.nodes));
        }
        if self.debug {
            self.say(&info::message(&format!("{limits:?}")))?;
        }
        if limits.is_game()
            && !settings.analysis
            && let Some(m) = self.opening.choose(position)
        {
            self.say(&info::message("book move"))?;
            // A search of this one move, so that the answer looks like any other.
            limits.searchmoves = Some(vec![m]);
            limits.depth = Some(1);
        }
        self.engine.go(game, limits, settings, arrived);
        Ok(())
    }

    fn perft(&mut self, depth: u32) -> Written {
        match &self.game {
            Some(game) => {
                let castling = self.settings.style.castling;
                self.engine.perft(game.position().clone(), depth, castling);
                Ok(())
            }
            None => self.complain("no valid position"),
        }
    }

    fn display(&mut self) -> Written {
        let Some(game) = &self.game else {
            return self.complain("no valid position");
        };
        let position = game.position();
        let mut text = diagram(position);
        text.push_str(&format!(
            "Fen: {}\n",
            position.fen(self.settings.style.castling)
        ));
        text.push_str(&format!("Key: {:016X}\n", position.key()));
        let checkers: Vec<String> = position
            .checkers()
            .into_iter()
            .map(|square| square.to_string())
            .collect();
        let checkers = if checkers.is_empty() {
            "none".to_string()
        } else {
            checkers.join(" ")
        };
        text.push_str(&format!("Checkers: {checkers}"));
        self.say(&text)
    }

    fn eval(&mut self) -> Written {
        let Some(game) = &self.game else {
            return self.complain("no valid position");
        };
        let position = game.position();
        if position.in_check() {
            return self.say("Evaluation: none (in check)");
        }
        let text = evaluation::explain(position, &self.settings.network);
        self.say(&text)
    }

    fn flip(&mut self) -> Written {
        match &self.game {
            Some(game) => {
                self.game = Some(Game::new(game.position().mirrored()));
                Ok(())
            }
            None => self.complain("no valid position"),
        }
    }
}

/// The board with White below, and who is to move.
fn diagram(position: &Position) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        text.push_str(&format!("{} ", rank.char()));
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            text.push(' ');
            text.push(piece.map_or('.', |piece| piece.char()));
        }
        text.push('\n');
    }
    format!("{text}   a b c d e f g h\n\n{} to move\n", position.turn())
}

/// What a `go` line asks for in `position`.
fn limits(go: &Go, position: &Position) -> Limits {
    let millis = |time: i64| Duration::from_millis(time.max(0) as u64);
    let (ours, theirs, increment) = match position.turn() {
        Color::White => (go.wtime, go.btime, go.winc),
        Color::Black => (go.btime, go.wtime, go.binc),
    };
    // A GUI that sends only one clock means the mover's.
    let clock = ours.or(theirs).map(|time| GameClock {
        remaining: millis(time),
        increment: increment.map_or(Duration::ZERO, millis),
        moves_to_go: go
            .movestogo
            .filter(|&moves| moves > 0)
            .map(|moves| moves.min(1000) as u32),
    });
    let searchmoves = go.searchmoves.as_ref().map(|moves| {
        let mut legal = Vec::new();
        for m in moves
            .iter()
            .filter_map(|text| board::parse_move(position, text))
        {
            if !legal.contains(&m) {
                legal.push(m);
            }
        }
        legal
    });
    Limits {
        clock,
        movetime: go.movetime.map(millis),
        depth: go
            .depth
            .map(|depth| depth.clamp(1, MAX_DEPTH.into()) as i32),
        nodes: go.nodes.map(|nodes| nodes.max(1) as u64),
        soft_nodes: None,
        mate: go.mate.map(|moves| moves.clamp(0, i32::MAX.into()) as i32),
        searchmoves,
        infinite: go.infinite,
        ponder: go.ponder,
    }
}
