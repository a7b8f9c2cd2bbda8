//! The UCI protocol: text in, text out, and nothing else.
//!
//! One loop reads lines and the engine's events and is alone in writing to standard output, so that
//! commands are answered at any moment and lines never mix. What a command means to the engine is left
//! to `engine`.
//!
//! The protocol: <https://www.chessprogramming.org/UCI>

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod command;
mod evaluation;
pub mod info;
mod opening;
pub mod option;
mod session;
mod strength;

use std::io::{self, BufRead, Write};
use std::time::Instant;

use crossbeam_channel::{Receiver, bounded, never, select};

use crate::engine::{self, Event};
pub use session::SPEEDTEST_SECONDS;
use session::{Session, Verdict};

/// Where answers go. A closed pipe ends the conversation.
type Written = io::Result<()>;

/// Holds a conversation with standard input and output until `quit` or end of file.
///
/// # Errors
/// When the system refuses a thread.
pub fn converse() -> io::Result<()> {
    let (engine, events) = engine::start()?;
    let lines = read_lines()?;
    let mut session = Session::new(engine, io::stdout());
    // Nobody reads our answers any more: there is nobody left to talk to.
    let _closed = session_loop(&mut session, lines, &events);
    Ok(())
}

fn session_loop(
    session: &mut Session<impl Write>,
    mut lines: Receiver<(Instant, String)>,
    events: &Receiver<Event>,
) -> Written {
    let mut at_end = false;
    loop {
        select! {
            recv(lines) -> line => match line {
                Ok((arrived, line)) => {
                    if session.command(&line, arrived)? == Verdict::Quit {
                        return Ok(());
                    }
                }
                Err(_) => {
                    // End of file: no more commands. What would never end is ended, the rest finished.
                    session.stop_endless();
                    lines = never();
                    at_end = true;
                }
            },
            recv(events) -> event => match event {
                Ok(event) => session.event(event)?,
                Err(_) => return Ok(()),
            },
        }
        if at_end && !session.is_waiting() {
            return Ok(());
        }
    }
}

/// Runs `commands` one after the other, each to the end of its search.
///
/// # Errors
/// When the system refuses a thread or nobody reads the answers. What was wrong with the commands is
/// reported like in a conversation, and returned.
pub fn run(commands: &[String]) -> io::Result<Vec<String>> {
    let (engine, events) = engine::start()?;
    let mut session = Session::new(engine, io::stdout());
    for command in commands {
        if session.command(command, Instant::now())? == Verdict::Quit {
            return Ok(session.complaints());
        }
        while session.is_waiting() && session.is_finite() {
            wait(&mut session, &events)?;
        }
    }
    session.stop_endless();
    while session.is_waiting() {
        wait(&mut session, &events)?;
    }
    Ok(session.complaints())
}

fn wait(session: &mut Session<impl Write>, events: &Receiver<Event>) -> Written {
    match events.recv() {
        Ok(event) => session.event(event),
        Err(_) => Err(io::Error::other("the search thread is gone")),
    }
}

/// Lines of standard input with the time of their arrival. Bytes that are not UTF-8 are replaced.
fn read_lines() -> io::Result<Receiver<(Instant, String)>> {
    let (sender, receiver) = bounded(1024);
    std::thread::Builder::new()
        .name("stdin".into())
        .spawn(move || {
            let mut input = io::stdin().lock();
            let mut line = Vec::new();
            while input
                .read_until(b'\n', &mut line)
                .is_ok_and(|length| length > 0)
            {
                let text = String::from_utf8_lossy(&line).into_owned();
                if sender.send((Instant::now(), text)).is_err() {
                    return;
                }
                line.clear();
            }
        })?;
    Ok(receiver)
}
