//! `saavedra spsa`: the numbers of the search, a line each, as OpenBench's SPSA tuner takes them:
//! name, type, value, least, greatest, step at the end, learning rate at the end.
//! <https://github.com/AndyGrant/OpenBench/wiki/SPSA-Tuning-Workloads>

use std::io::Write;

use saavedra::params::{self, Param};

/// What the tuner's authors recommend.
const RATE: f64 = 0.002;

pub fn run() -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    for param in params::ALL {
        let Param {
            name,
            default,
            min,
            max,
            step,
        } = param;
        writeln!(out, "{name}, int, {default}, {min}, {max}, {step}, {RATE}")?;
    }
    Ok(())
}
