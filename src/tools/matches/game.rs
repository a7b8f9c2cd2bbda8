//! One game: two players, their clocks, and an arbiter who knows the rules.

use std::time::{Duration, Instant};

use saavedra::board::{parse_move, uci_text};
use saavedra::rules::unwinnable::{Verdict, can_mate};
use saavedra::rules::{Ending, Game, RuleSet};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Color};

use super::super::openings::Opening;
use super::player::{Fault, Player};
use super::time_control::Clock;

/// Positions to look at when somebody lost and the opponent may be unable to mate: a second or so.
const CAN_MATE_NODES: u64 = 1_000_000;

/// What the arbiter goes by.
#[derive(Clone, Copy, Debug)]
pub struct Rulebook {
    pub rules: RuleSet,
    pub chess960: bool,
    /// How late a move may come after the flag has fallen.
    pub margin: Duration,
    pub resign: Option<Resign>,
    pub draw: Option<Draw>,
}

/// Both engines agree for so many moves that one is lost.
#[derive(Clone, Copy, Debug)]
pub struct Resign {
    pub moves: usize,
    /// Centipawns.
    pub score: i32,
}

/// Both engines agree for so many moves, from some move on, that it is a draw.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    pub from: usize,
    pub moves: usize,
    /// Centipawns.
    pub score: i32,
}

/// How a game ended.
#[derive(Clone, Debug)]
pub struct Result {
    pub winner: Option<Color>,
    /// The value of the PGN tag `Termination`.
    pub termination: &'static str,
    /// In words.
    pub reason: String,
    /// Who broke the game, if somebody did.
    pub culprit: Option<(Color, Offence)>,
}

/// What is counted against an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offence {
    Time,
    IllegalMove,
    Crash,
    Silence,
}

/// A move as played, with what the engine said about it.
#[derive(Clone, Debug)]
pub struct Played {
    pub san: String,
    pub score: Option<Score>,
    pub depth: Option<u32>,
    pub time: Duration,
}

/// A score as an engine reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    Centipawns(i32),
    Mate(i32),
}

impl Score {
    /// For adjudication: a mate is worth more than any material.
    fn centipawns(self) -> i32 {
        match self {
            Score::Centipawns(score) => score,
            Score::Mate(moves) => {
                if moves > 0 {
                    30_000
                } else {
                    -30_000
                }
            }
        }
    }
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Record {
    pub moves: Vec<Played>,
    pub result: Result,
    /// Faulty variations, by colour.
    pub warnings: [Vec<String>; 2],
}

/// Plays a game from `opening`. A player that fails is left to the caller to restart.
pub fn play(
    players: [&mut Player; 2],
    opening: &Opening,
    book: &Rulebook,
    stop: &dyn Fn() -> bool,
) -> Option<Record> {
    let mut table = Table::new(players, opening, book);
    let result = loop {
        if stop() {
            return None;
        }
        if let Some(result) = table.over() {
            break result;
        }
        if let Err(result) = table.one_move() {
            break result;
        }
    };
    Some(Record {
        moves: table.moves,
        result,
        warnings: table.warnings,
    })
}

struct Table<'a> {
    /// White first.
    players: [&'a mut Player; 2],
    clocks: [Clock; 2],
    book: &'a Rulebook,
    position: String,
    game: Game,
    moves: Vec<Played>,
    warnings: [Vec<String>; 2],
}

impl<'a> Table<'a> {
    fn new(players: [&'a mut Player; 2], opening: &Opening, book: &'a Rulebook) -> Table<'a> {
        let clocks = [0, 1].map(|side: usize| Clock::new(players[side].spec.control));
        Table {
            players,
            clocks,
            book,
            position: opening.position_command(book.chess960),
            game: opening.game(),
            moves: Vec::new(),
            warnings: Default::default(),
        }
    }

    fn one_move(&mut self) -> std::result::Result<(), Result> {
        let turn = self.game.position().turn();
        let side = index(turn);
        let answer = self.ask(side).map_err(|fault| self.failure(turn, fault))?;
        let in_time = self.clocks[side].spend(answer.time, self.book.margin);
        if !in_time || answer.best.is_none() {
            return Err(self.on_time(turn));
        }
        let text = answer.best.clone().unwrap_or_default();
        self.check_variation(side, &answer);
        let position = self.game.position();
        let Some(m) = parse_move(position, &text) else {
            return Err(self.illegal(turn, &text));
        };
        self.moves.push(Played {
            san: SanPlus::from_move(position.chess().clone(), m).to_string(),
            score: answer.score,
            depth: answer.depth,
            time: answer.time,
        });
        self.position.push(' ');
        self.position.push_str(&uci_text(
            m,
            CastlingMode::from_chess960(self.book.chess960),
        ));
        self.game.play(m);
        Ok(())
    }

    /// Asks the player on turn for a move and waits for it until the flag falls.
    fn ask(&mut self, side: usize) -> std::result::Result<Answer, Fault> {
        let go = self.go_command(side);
        let patience = self.clocks[side]
            .left()
            .map_or(Duration::from_secs(3600), |left| {
                // A moment more, so that what arrived in time is also read in time.
                left + self.book.margin + Duration::from_millis(5)
            });
        let player = &mut self.players[side];
        player.send(&self.position)?;
        player.ready()?;
        let start = Instant::now();
        player.send(&go)?;
        let mut answer = Answer::default();
        let arrived = player.wait(patience, |line| answer.read(line));
        match arrived {
            Ok(arrived) => {
                answer.time = arrived.saturating_duration_since(start);
                Ok(answer)
            }
            Err(Fault::Silence) if self.clocks[side].left().is_some() => {
                // The flag fell; the engine may still be in order.
                answer.best = None;
                answer.time = start.elapsed();
                player.send("stop")?;
                let mut late = Answer::default();
                player.wait(Duration::from_secs(5), |line| late.read(line))?;
                Ok(answer)
            }
            Err(fault) => Err(fault),
        }
    }

    fn go_command(&self, side: usize) -> String {
        let spec = &self.players[side].spec;
        let mut go = format!(
            "go{}{}",
            self.clocks[0].words('w'),
            self.clocks[1].words('b')
        );
        go.push_str(&self.clocks[side].mover_words());
        if let Some(nodes) = spec.nodes {
            go.push_str(&format!(" nodes {nodes}"));
        }
        if let Some(depth) = spec.depth {
            go.push_str(&format!(" depth {depth}"));
        }
        go
    }

    /// Whether the game is over by the rules or by agreement of the engines.
    fn over(&self) -> Option<Result> {
        if let Some(ending) = self.game.ending(self.book.rules) {
            return Some(by_rule(ending));
        }
        self.resigned().or_else(|| self.agreed())
    }

    fn resigned(&self) -> Option<Result> {
        let resign = self.book.resign?;
        let scores = self.last_scores(2 * resign.moves)?;
        // The scores alternate between the sides; the last is from the side that is not on turn.
        let lost = |parity: usize| {
            scores.iter().enumerate().all(|(i, &score)| {
                if i % 2 == parity {
                    score <= -resign.score
                } else {
                    score >= resign.score
                }
            })
        };
        let turn = self.game.position().turn();
        let winner = if lost(0) {
            turn
        } else if lost(1) {
            !turn
        } else {
            return None;
        };
        Some(Result::of(
            Some(winner),
            "adjudication",
            format!("{winner} wins by adjudication"),
        ))
    }

    fn agreed(&self) -> Option<Result> {
        let draw = self.book.draw?;
        let scores = self.last_scores(2 * draw.moves)?;
        let is_drawn = self.moves.len() >= 2 * draw.from
            && scores.iter().all(|score| score.abs() <= draw.score);
        is_drawn.then(|| Result::of(None, "adjudication", "draw by adjudication".to_string()))
    }

    /// The scores of the last moves, latest first, each from its mover's view.
    fn last_scores(&self, count: usize) -> Option<Vec<i32>> {
        let last = self.moves.iter().rev().take(count);
        let scores: Option<Vec<i32>> = last
            .map(|played| played.score.map(Score::centipawns))
            .collect();
        scores.filter(|scores| scores.len() == count && count > 0)
    }

    /// A loss for `loser`, or a draw if the opponent cannot mate by any series of legal moves.
    fn loss(&self, loser: Color, termination: &'static str, why: &str) -> Result {
        let answer = can_mate(self.game.position(), !loser, CAN_MATE_NODES);
        if let Verdict::Unwinnable(proof) = answer.verdict {
            let reason = format!("{loser} {why}, but {} cannot mate: {proof}", !loser);
            Result::of(None, termination, reason)
        } else {
            Result::of(Some(!loser), termination, format!("{loser} {why}"))
        }
    }

    fn on_time(&self, loser: Color) -> Result {
        self.loss(loser, "time forfeit", "loses on time")
            .by(loser, Offence::Time)
    }

    fn illegal(&self, loser: Color, text: &str) -> Result {
        let text: String = text.chars().take(20).collect();
        let why = format!("plays an illegal move ({text})");
        self.loss(loser, "rules infraction", &why)
            .by(loser, Offence::IllegalMove)
    }

    fn failure(&self, loser: Color, fault: Fault) -> Result {
        let offence = match fault {
            Fault::Crash => Offence::Crash,
            Fault::Silence => Offence::Silence,
        };
        Result::of(Some(!loser), "abandoned", format!("{loser} {fault}")).by(loser, offence)
    }

    /// Replays the last variation an engine showed and notes what is wrong with it.
    fn check_variation(&mut self, side: usize, answer: &Answer) {
        if answer.pv.is_empty() {
            return;
        }
        if answer.is_exact && answer.best.as_ref() != answer.pv.first() {
            self.warnings[side].push("the best move is not the first of the variation".to_string());
        }
        let mut game = self.game.clone();
        for (number, text) in answer.pv.iter().enumerate() {
            if number > 0 && game.ending(self.book.rules).is_some() {
                self.warnings[side].push(format!("the variation goes on after the end: {text}"));
                return;
            }
            match parse_move(game.position(), text) {
                Some(m) => game.play(m),
                None => {
                    self.warnings[side].push(format!("illegal move in the variation: {text}"));
                    return;
                }
            }
        }
    }
}

impl Result {
    fn of(winner: Option<Color>, termination: &'static str, reason: String) -> Result {
        Result {
            winner,
            termination,
            reason,
            culprit: None,
        }
    }

    fn by(self, culprit: Color, offence: Offence) -> Result {
        Result {
            culprit: Some((culprit, offence)),
            ..self
        }
    }

    /// The PGN result.
    pub fn text(&self) -> &'static str {
        match self.winner {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        }
    }
}

fn by_rule(ending: Ending) -> Result {
    let reason = match ending.winner() {
        Some(winner) => format!("{winner} mates"),
        None => format!("draw by {ending}"),
    };
    Result::of(ending.winner(), "normal", reason)
}

pub fn index(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}

/// What an engine said during a search.
#[derive(Default)]
struct Answer {
    best: Option<String>,
    time: Duration,
    score: Option<Score>,
    depth: Option<u32>,
    pv: Vec<String>,
    /// The last line was no bound.
    is_exact: bool,
}

impl Answer {
    /// Notes a line; true if it was the answer.
    fn read(&mut self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("bestmove") => {
                self.best = Some(words.next().unwrap_or_default().to_string());
                true
            }
            Some("info") => {
                self.read_info(line);
                false
            }
            _ => false,
        }
    }

    fn read_info(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1).copied()
        };
        let is_string = words.get(1) == Some(&"string");
        if is_string || after("multipv").is_some_and(|line| line != "1") {
            return;
        }
        let score = match after("score") {
            Some("cp") => after("cp")
                .and_then(|n| n.parse().ok())
                .map(Score::Centipawns),
            Some("mate") => after("mate").and_then(|n| n.parse().ok()).map(Score::Mate),
            _ => None,
        };
        if score.is_some() {
            self.score = score;
            self.is_exact = !line.contains("bound");
        }
        self.depth = after("depth").and_then(|n| n.parse().ok()).or(self.depth);
        if let Some(at) = words.iter().position(|word| *word == "pv") {
            self.pv = words[at + 1..].iter().map(ToString::to_string).collect();
        }
    }
}
