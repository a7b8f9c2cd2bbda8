//! `saavedra completions`: scripts by which shells complete commands and options.

use std::io::Write;

use clap::CommandFactory;

use crate::cli::{Cli, Completions};

pub fn run(args: &Completions) -> anyhow::Result<()> {
    // The generator takes a pipe that nobody reads for a bug, so it does not write to it.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "saavedra", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(())
}
