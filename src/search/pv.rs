//! Principal variations: one line per ply, each the best line from there.

use shakmaty::Move;

use crate::score::MAX_PLY;

/// The best lines found so far below each ply of the current line.
pub struct PvTable {
    lines: Vec<Vec<Move>>,
}

impl PvTable {
    pub fn new() -> PvTable {
        PvTable {
            lines: vec![Vec::new(); MAX_PLY + 2],
        }
    }

    /// Nothing is known yet at `ply`.
    pub fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// The best line at `ply` is `m` and then the best line of its child.
    pub fn update(&mut self, ply: usize, m: Move) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(m);
        line.extend_from_slice(&lower[0]);
    }

    /// The best line at `ply`.
    pub fn line(&self, ply: usize) -> &[Move] {
        &self.lines[ply]
    }
}
