//! `saavedra bench`: the node total of fixed positions, and how fast they were searched.
//!
//! The last line is what OpenBench reads.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use saavedra::eval::nnue::Network;
use saavedra::search::bench;

use crate::cli::Bench;

pub fn run(args: &Bench) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut written = Ok(());
    let total = bench::bench(
        args.depth,
        &Network::builtin(),
        &AtomicBool::new(false),
        |fen, outcome| {
            if written.is_ok() {
                written = writeln!(
                    out,
                    "{:>10} {:>9}  {fen}",
                    outcome.nodes,
                    outcome.score.to_string()
                );
            }
        },
    )?;
    written?;
    writeln!(out, "{} nodes {} nps", total.nodes, total.nps())?;
    Ok(())
}
