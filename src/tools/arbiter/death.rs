//! Whether a game died: neither side can mate any more (5.2.2).

use saavedra::board::Position;
use saavedra::rules::unwinnable::{self, Verdict};
use shakmaty::Color;

/// Why neither side can mate in `position`, if that is so and is shown by looking at `nodes`
/// positions for each.
pub fn death(position: &Position, nodes: u64) -> Option<String> {
    let mut reasons = Vec::new();
    for side in Color::ALL {
        match unwinnable::can_mate(position, side, nodes).verdict {
            Verdict::Unwinnable(reason) => reasons.push(reason.to_string()),
            Verdict::Winnable(_) | Verdict::Undetermined => return None,
        }
    }
    reasons.dedup();
    Some(reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_dead(fen: &str) -> bool {
        death(&Position::from_fen(fen).unwrap(), 100_000).is_some()
    }

    #[test]
    fn positions_die_of_material_of_walls_and_of_forced_moves() {
        assert!(is_dead("4k3/8/8/8/8/8/8/4KB2 w - - 0 1"));
        assert!(is_dead("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"));
        assert!(
            is_dead("k7/1Q6/8/8/8/8/8/7K b - - 0 1"),
            "the queen must be taken"
        );
        assert!(!is_dead("k7/1Q6/8/8/8/8/8/6RK b - - 0 1"));
        assert!(!is_dead(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        ));
    }
}
