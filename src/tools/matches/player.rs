//! A player: an engine as a child process that is spoken to in UCI, and never trusted.
//!
//! Lines are stamped when they arrive, by a thread that does nothing else, so that clocks do not depend
//! on what the referee is busy with.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use thiserror::Error;

use super::time_control::TimeControl;

/// Longer lines are cut; no line of UCI comes near.
const LONGEST_LINE: u64 = 1 << 16;
/// Lines waiting to be looked at; an engine that prints faster has to wait.
const BACKLOG: usize = 4096;
const HANDSHAKE: Duration = Duration::from_secs(10);
const READY: Duration = Duration::from_secs(60);
const GOODBYE: Duration = Duration::from_secs(2);

/// How an engine is started and what limits its searches.
#[derive(Clone, Debug)]
pub struct Spec {
    pub name: String,
    pub command: PathBuf,
    pub arguments: Vec<String>,
    pub folder: Option<PathBuf>,
    pub options: Vec<(String, String)>,
    pub control: TimeControl,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
}

impl Spec {
    /// What it plays with, in the words of `--engine`.
    pub fn settings(&self) -> String {
        let limit = |name, limit: Option<u64>| limit.map(|limit| format!("{name}={limit}"));
        let limits = [
            self.control.setting(),
            limit("nodes", self.nodes),
            limit("depth", self.depth.map(u64::from)),
        ];
        let options = (self.options.iter()).map(|(name, value)| format!("option.{name}={value}"));
        let parts: Vec<String> = limits.into_iter().flatten().chain(options).collect();
        parts.join(",")
    }
}

/// What an engine did wrong.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// The process ended or closed its output.
    #[error("disconnects")]
    Crash,
    /// No answer in time.
    #[error("does not answer")]
    Silence,
}

/// A running engine.
pub struct Player {
    pub spec: Spec,
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<(Instant, String)>,
    /// What it said to its options.
    pub remarks: Vec<String>,
}

impl Player {
    /// Starts the engine and sets its options.
    ///
    /// # Errors
    /// When it cannot be started or does not introduce itself.
    pub fn start(spec: &Spec, chess960: bool) -> anyhow::Result<Player> {
        let mut command = Command::new(&spec.command);
        command
            .args(&spec.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        command.stderr(Stdio::null());
        if let Some(folder) = &spec.folder {
            command.current_dir(folder);
        }
        #[cfg(unix)]
        {
            // Ctrl-C is for the referee, who ends the engines in good order.
            use std::os::unix::process::CommandExt;
            command.process_group(0);
        }
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start {}", spec.command.display()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("no pipe to {}", spec.name);
        };
        let (sender, lines) = bounded(BACKLOG);
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = Vec::new();
            loop {
                line.clear();
                match stdout
                    .by_ref()
                    .take(LONGEST_LINE)
                    .read_until(b'\n', &mut line)
                {
                    Ok(length) if length > 0 => {}
                    _ => return,
                }
                let text = String::from_utf8_lossy(&line).trim_end().to_string();
                if sender.send((Instant::now(), text)).is_err() {
                    return;
                }
            }
        });
        let mut player = Player {
            spec: spec.clone(),
            child,
            stdin,
            lines,
            remarks: Vec::new(),
        };
        player
            .introduce(chess960)
            .with_context(|| format!("{} cannot be used", spec.name))?;
        Ok(player)
    }

    fn introduce(&mut self, chess960: bool) -> anyhow::Result<()> {
        let deaf = "it does not answer to uci";
        self.send("uci").context(deaf)?;
        let mut announced = Vec::new();
        self.wait(HANDSHAKE, |line| {
            let name = line
                .strip_prefix("option name ")
                .and_then(|rest| rest.split(" type ").next());
            announced.extend(name.map(str::to_ascii_lowercase));
            line == "uciok"
        })
        .context(deaf)?;
        // Threads before Hash, because some engines allocate per thread.
        let mut options = self.spec.options.clone();
        options.sort_by_key(|(name, _)| !name.eq_ignore_ascii_case("threads"));
        if chess960 {
            options.push(("UCI_Chess960".to_string(), "true".to_string()));
        }
        for (name, value) in options {
            let is_known = announced.contains(&name.to_ascii_lowercase());
            ensure!(is_known, "it has no option called {name}");
            self.send(&format!("setoption name {name} value {value}"))?;
        }
        let mut remarks = Vec::new();
        self.send("isready")?;
        self.wait(READY, |line| {
            remarks.extend(line.strip_prefix("info string ").map(str::to_string));
            line == "readyok"
        })?;
        self.remarks = remarks;
        Ok(())
    }

    /// Prepares for a new game.
    pub fn new_game(&mut self) -> Result<(), Fault> {
        self.send("ucinewgame")?;
        self.ready()
    }

    /// Waits until the engine has done what it was told.
    pub fn ready(&mut self) -> Result<(), Fault> {
        self.send("isready")?;
        self.wait(READY, |line| line == "readyok").map(|_| ())
    }

    pub fn send(&mut self, line: &str) -> Result<(), Fault> {
        let sent = self.stdin.write_all(format!("{line}\n").as_bytes());
        sent.and_then(|()| self.stdin.flush())
            .map_err(|_| Fault::Crash)
    }

    /// Passes each line to `wanted` until it says true; returns when that line arrived.
    pub fn wait(
        &mut self,
        patience: Duration,
        mut wanted: impl FnMut(&str) -> bool,
    ) -> Result<Instant, Fault> {
        let start = Instant::now();
        loop {
            let left = patience.saturating_sub(start.elapsed());
            match self.lines.recv_timeout(left) {
                Ok((arrived, line)) => {
                    if wanted(&line) {
                        return Ok(arrived);
                    }
                    if start.elapsed() > patience {
                        return Err(Fault::Silence);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Err(Fault::Silence),
                Err(RecvTimeoutError::Disconnected) => return Err(Fault::Crash),
            }
        }
    }
}

impl Drop for Player {
    /// Asks the engine to quit and sees to it that it does.
    fn drop(&mut self) {
        if self.send("quit").is_ok() {
            let start = Instant::now();
            while start.elapsed() < GOODBYE {
                // An engine that still talks must not be stuck for want of a reader.
                while self.lines.try_recv().is_ok() {}
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        // Already gone is as good as killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
