//! EPD files.

use std::path::Path;

pub use saavedra::epd::Record;

use super::read_lines;

/// Every record of the file at `path`, with its line number.
pub fn read_file(path: &Path) -> anyhow::Result<Vec<(usize, Record)>> {
    read_lines(path, |line| Ok(Record::read(line)?))
}
