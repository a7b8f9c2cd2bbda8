//! The binary: reads the command line and hands over to the tool it names.

mod cli;
mod tools;

use std::process::ExitCode;

use clap::Parser;
use cli::{Cli, Command};

fn main() -> ExitCode {
    // Silent unless RUST_LOG asks for more: GUIs show what engines write to standard error.
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            tools::note(format_args!("saavedra: {error:#}"));
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command.unwrap_or(Command::Uci) {
        Command::Uci => saavedra::uci::converse()?,
        Command::Go(args) => {
            args.check()?;
            return uci_commands(&args.commands());
        }
        Command::UciCommands(commands) => return uci_commands(&commands),
        Command::Bench(args) => tools::bench::run(&args)?,
        Command::Speedtest(args) => return uci_commands(&args.commands()),
        Command::Perft(args) => return tools::perft::run(&args),
        Command::Solve(args) => tools::solve::run(&args)?,
        Command::Analyse(args) => return tools::analyse::run(&args),
        Command::Match(args) => tools::matches::run(&args)?,
        Command::Arbiter(args) => return tools::arbiter::run(&args),
        Command::Book(command) => return tools::book::run(&command),
        Command::Datagen(args) => tools::datagen::run(&args)?,
        Command::Man(args) => tools::man::run(&args)?,
        Command::Completions(args) => tools::completions::run(&args)?,
        #[cfg(feature = "tune")]
        Command::Spsa => tools::spsa::run()?,
        Command::Wdl(args) => tools::wdl::run(&args)?,
        Command::Train(args) => tools::train::run(&args)?,
        Command::Data(command) => return tools::data::run(&command),
    }
    Ok(ExitCode::SUCCESS)
}

fn uci_commands(commands: &[String]) -> anyhow::Result<ExitCode> {
    let complaints = saavedra::uci::run(commands)?;
    anyhow::ensure!(complaints.is_empty(), complaints.join("; "));
    Ok(ExitCode::SUCCESS)
}

/// Whoever read our output has gone away; that is no fault.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
