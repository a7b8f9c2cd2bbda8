//! How far a long command is: a bar in a terminal, a line now and then in a log.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::note;

/// Time between two lines in a log.
const INTERVAL: Duration = Duration::from_secs(60);

/// The progress of a command with a known or unknown number of steps.
pub struct Progress {
    bar: ProgressBar,
    /// When the last line was written, where there is no bar.
    logged: Option<Instant>,
}

impl Progress {
    /// Begins after `done` of `steps`.
    pub fn new(steps: Option<u64>, done: u64) -> anyhow::Result<Progress> {
        let (bar, template) = match steps {
            Some(steps) => (
                ProgressBar::new(steps),
                "{bar:20} {pos}/{len} {msg} {eta} left",
            ),
            None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
        };
        bar.set_style(ProgressStyle::with_template(template)?);
        bar.set_position(done);
        Ok(Progress {
            bar,
            logged: (!stderr().is_terminal()).then(Instant::now),
        })
    }

    /// Shows that `done` steps are done and how things stand.
    pub fn show(&mut self, done: u64, state: impl FnOnce() -> String) {
        self.bar.set_position(done);
        match &mut self.logged {
            Some(logged) if logged.elapsed() >= INTERVAL => {
                *logged = Instant::now();
                note(state());
            }
            Some(_) => {}
            None => self.bar.set_message(state()),
        }
    }

    /// Writes a line that stays.
    pub fn note(&self, line: &str) {
        match self.logged {
            Some(_) => note(line),
            None => self.bar.println(line),
        }
    }

    /// Takes the bar out of the way while something else is written to the terminal.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Takes the bar away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}
