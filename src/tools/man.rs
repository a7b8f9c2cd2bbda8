//! `saavedra man`: the manual pages, made of the texts of `saavedra help`.

use std::io::Write;

use anyhow::Context;
use clap::CommandFactory;

use crate::cli::{Cli, Man};

pub fn run(args: &Man) -> anyhow::Result<()> {
    let command = Cli::command().disable_help_subcommand(true);
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        std::io::stdout().write_all(&page)?;
        return Ok(());
    };
    let place = || format!("cannot write to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(place)?;
    clap_mangen::generate_to(command, folder).with_context(place)
}
