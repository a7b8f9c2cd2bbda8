//! An engine that plays the first legal move and misbehaves as its arguments say, for the tests of the
//! match runner: `fake_engine crash 3` crashes when asked for its third move.

use std::io::{BufRead, Write};
use std::time::Duration;

use saavedra::board::{Position, parse_move, uci_text};
use saavedra::rules::Game;
use shakmaty::CastlingMode;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let fault = arguments.first().map_or("", String::as_str);
    let when: usize = arguments.get(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut out = std::io::stdout();
    let mut say = |text: &str| {
        // Nobody may be listening any more.
        let _ = writeln!(out, "{text}");
        let _ = out.flush();
    };
    let mut game = Game::new(Position::startpos());
    let mut asked = 0;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uci"] if fault == "mute" => {}
            ["uci"] => {
                say("id name fake");
                say("option name Hash type spin default 1 min 1 max 10");
                say("uciok");
            }
            ["isready"] => say("readyok"),
            ["ucinewgame"] => asked = 0,
            ["position", ..] => game = read(&words),
            ["go", ..] => {
                asked += 1;
                if asked == when {
                    misbehave(fault, &game, &mut say);
                } else {
                    say(&format!(
                        "info depth 1 score cp 10 pv {}",
                        first_move(&game)
                    ));
                    say(&format!("bestmove {}", first_move(&game)));
                }
            }
            ["quit"] if fault != "ignore-quit" => return,
            _ => {}
        }
    }
    if fault == "ignore-quit" {
        // Much longer than anybody waits.
        std::thread::sleep(Duration::from_secs(600));
    }
}

fn misbehave(fault: &str, game: &Game, say: &mut impl FnMut(&str)) {
    let m = first_move(game);
    match fault {
        "crash" => std::process::exit(3),
        "hang" => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        "late" => std::thread::sleep(Duration::from_millis(700)),
        "illegal" => return say("bestmove a1a1"),
        "garbage" => return say("bestmove \u{1}\u{2} score pv"),
        "no-move" => return say("bestmove"),
        "resign" => return say("bestmove (none)"),
        "flood" => {
            for _ in 0..1_000_000 {
                say("info string nothing to see here");
            }
        }
        "long-line" => say(&"x".repeat(10_000_000)),
        "bad-line" => say(&format!("info depth 5 score cp 20 pv {m} a1a1")),
        "other-line" => say("info depth 5 score cp 20 pv a2a3"),
        _ => {}
    }
    say(&format!("bestmove {m}"));
}

fn first_move(game: &Game) -> String {
    let moves = game.position().legal_moves();
    moves
        .first()
        .map_or("(none)".into(), |&m| uci_text(m, CastlingMode::Standard))
}

fn read(words: &[&str]) -> Game {
    let at = words
        .iter()
        .position(|word| *word == "moves")
        .unwrap_or(words.len());
    let start = match words[1] {
        "fen" => Position::from_fen(&words[2..at].join(" ")).expect("the referee sends legal FENs"),
        _ => Position::startpos(),
    };
    let mut game = Game::new(start);
    for text in words.iter().skip(at + 1) {
        let m = parse_move(game.position(), text).expect("the referee sends legal moves");
        game.play(m);
    }
    game
}
