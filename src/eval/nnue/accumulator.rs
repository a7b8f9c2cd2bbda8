//! The first layer along a line of moves.
//!
//! A move changes two to four features, so its child's first layer is that of its parent with a few
//! rows added and removed. [`Accumulators`] notes what each move changes and does the arithmetic only
//! when a position is evaluated, since many are not.

use shakmaty::{Board, Color, Role};

use super::Network;
use super::features::View;
use super::kernels::{Block, Kernel};
use crate::board::{Changes, Man, Position};
use crate::score::Score;

/// What a move changes, and how far its child is computed.
#[derive(Clone)]
struct Step {
    changes: Changes,
    /// How each side looks at the board after it.
    views: [View; 2],
    /// Whether each side's layer is up to date.
    is_done: [bool; 2],
}

/// A layer that was computed for some board, from which a similar one is near.
struct Known {
    board: Board,
    layer: Vec<Block>,
}

/// The first layers of the positions of a line, by ply.
pub struct Accumulators<'n> {
    network: &'n Network,
    kernel: Kernel,
    steps: Vec<Step>,
    /// `[ply][side][block]`
    layers: Vec<Block>,
    /// `[side][view flipped]`
    known: [[Known; 2]; 2],
}

impl<'n> Accumulators<'n> {
    /// For lines that begin at `root`.
    pub fn new(network: &'n Network, root: &Position) -> Accumulators<'n> {
        let blocks = network.feature_biases.len();
        let views = Color::ALL.map(|side| View::of(root.board(), side, network.mirrored));
        let step = Step {
            changes: Changes::default(),
            views: [views[1], views[0]],
            is_done: [false; 2],
        };
        let blank = || Known {
            board: Board::empty(),
            layer: network.feature_biases.clone(),
        };
        Accumulators {
            network,
            kernel: Kernel::best(),
            steps: vec![step],
            layers: vec![Block::ZERO; 2 * blocks],
            known: std::array::from_fn(|_| std::array::from_fn(|_| blank())),
        }
    }

    /// Notes that `us` makes `changes` at `ply`.
    pub fn descend(&mut self, us: Color, changes: Changes, ply: usize) {
        let mirrored = self.network.mirrored;
        let step = self.next_step(ply);
        step.changes = changes;
        let arrived = step.changes.added.iter();
        for &(square, _) in arrived.filter(|(_, piece)| piece.role == Role::King) {
            step.views[us as usize] = View::new(us, square, mirrored);
        }
    }

    /// Notes that the turn is passed at `ply`.
    pub fn descend_null(&mut self, ply: usize) {
        self.next_step(ply);
    }

    /// The step from `ply` to the next, with nothing changed yet.
    fn next_step(&mut self, ply: usize) -> &mut Step {
        let views = self.steps[ply].views;
        if self.steps.len() <= ply + 1 {
            self.steps.push(self.steps[ply].clone());
            let len = self.layers.len() + 2 * self.network.feature_biases.len();
            self.layers.resize(len, Block::ZERO);
        }
        let step = &mut self.steps[ply + 1];
        step.changes = Changes::default();
        step.is_done = [false; 2];
        step.views = views;
        step
    }

    /// The value of `pos`, which stands at `ply` of the line, for the side to move in centipawns.
    pub fn evaluate(&mut self, pos: &Position, ply: usize) -> Score {
        for side in Color::ALL {
            self.bring_up_to_date(pos.board(), side, ply);
        }
        let layers = [pos.turn(), !pos.turn()].map(|side| self.layer(side, ply));
        self.network.output(self.kernel, layers, pos.board())
    }

    fn layer(&self, side: Color, ply: usize) -> &[Block] {
        let blocks = self.network.feature_biases.len();
        &self.layers[(2 * ply + side as usize) * blocks..][..blocks]
    }

    /// Computes the layer of `side` at `ply`: from the nearest one above it that is up to date, or if
    /// the view has changed since, from one that was known with the same view.
    fn bring_up_to_date(&mut self, board: &Board, side: Color, ply: usize) {
        let view = self.steps[ply].views[side as usize];
        let same_view = |step: &Step| step.views[side as usize] == view;
        let is_done = |step: &Step| step.is_done[side as usize];
        let mut from = ply;
        while !is_done(&self.steps[from]) {
            if from == 0 || !same_view(&self.steps[from - 1]) {
                self.refresh(board, side, ply);
                return;
            }
            from -= 1;
        }
        for ply in from + 1..=ply {
            self.apply_step(view, side, ply);
        }
    }

    /// Computes a layer from that of the ply before.
    fn apply_step(&mut self, view: View, side: Color, ply: usize) {
        let blocks = self.network.feature_biases.len();
        let (before, after) = self.layers.split_at_mut(2 * ply * blocks);
        let from = &before[(2 * (ply - 1) + side as usize) * blocks..][..blocks];
        let to = &mut after[side as usize * blocks..][..blocks];
        let step = &mut self.steps[ply];
        step.is_done[side as usize] = true;
        let row = |&(square, piece): &Man| self.network.row(view.feature(square, piece));
        match (&step.changes.added[..], &step.changes.removed[..]) {
            ([a], [b]) => self.kernel.update(to, from, [row(a)], [row(b)]),
            ([a], [b, c]) => self.kernel.update(to, from, [row(a)], [row(b), row(c)]),
            ([a, b], [c, d]) => {
                self.kernel
                    .update(to, from, [row(a), row(b)], [row(c), row(d)]);
            }
            _ => to.copy_from_slice(from),
        }
    }

    /// Computes a layer from the one last known with the same view, man by man.
    fn refresh(&mut self, board: &Board, side: Color, ply: usize) {
        let step = &mut self.steps[ply];
        step.is_done[side as usize] = true;
        let view = step.views[side as usize];
        let known = &mut self.known[side as usize][usize::from(view.is_flipped())];
        let blocks = known.layer.len();
        let to = &mut self.layers[(2 * ply + side as usize) * blocks..][..blocks];
        let row = |square, piece| self.network.row(view.feature(square, piece));
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = role.of(color);
                let (now, before) = (board.by_piece(piece), known.board.by_piece(piece));
                for square in now & !before {
                    to.copy_from_slice(&known.layer);
                    self.kernel
                        .update(&mut known.layer, to, [row(square, piece)], []);
                }
                for square in before & !now {
                    to.copy_from_slice(&known.layer);
                    self.kernel
                        .update(&mut known.layer, to, [], [row(square, piece)]);
                }
            }
        }
        to.copy_from_slice(&known.layer);
        known.board = board.clone();
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::super::features::FEATURES;
    use super::super::format::blocks;
    use super::*;

    fn network(mirrored: bool) -> Network {
        let (hidden, buckets) = (64, 4);
        let mut rng = Rng::with_seed(11);
        let mut draw = |count: usize| blocks((0..count).map(|_| rng.i16(-90..=90)));
        Network {
            hidden,
            buckets,
            mirrored,
            scale: 400,
            note: String::new(),
            feature_weights: draw(FEATURES * hidden),
            feature_biases: draw(hidden),
            output_weights: draw(buckets * 2 * hidden),
            output_biases: vec![100, -200, 300, -400],
        }
    }

    /// Evaluates every position of a move tree, some of them only after their children.
    fn walk(accumulators: &mut Accumulators, pos: &Position, ply: usize, depth: usize) -> usize {
        let scratch = accumulators.network.evaluate(pos.board(), pos.turn());
        if ply % 3 != 1 {
            assert_eq!(accumulators.evaluate(pos, ply), scratch, "{pos:?}");
        }
        let mut count = 1;
        if depth > 0 {
            for m in pos.legal_moves() {
                accumulators.descend(pos.turn(), Changes::of(pos.turn(), m), ply);
                count += walk(accumulators, &pos.after(m), ply + 1, depth - 1);
            }
            if let Some(passed) = pos.after_null() {
                accumulators.descend_null(ply);
                count += walk(accumulators, &passed, ply + 1, depth - 1);
            }
        }
        assert_eq!(accumulators.evaluate(pos, ply), scratch, "{pos:?}");
        count
    }

    #[test]
    fn updates_along_a_tree_equal_a_computation_from_scratch() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nPPp4/BB2P3/q4N2/Pp1P2PP/R3K2R w KQkq d6 0 1",
            "bnrkrnqb/pppppppp/8/8/8/8/PPPPPPPP/1RK1R3 w EBec - 0 1",
            "4k3/8/8/8/4r3/8/8/R2KR3 w AE - 0 1",
        ] {
            let root = Position::from_fen(fen).unwrap();
            for mirrored in [false, true] {
                let network = network(mirrored);
                let mut accumulators = Accumulators::new(&network, &root);
                assert!(walk(&mut accumulators, &root, 0, 2) > 100);
            }
        }
    }

    #[test]
    fn updates_along_random_games_equal_a_computation_from_scratch() {
        let mut rng = Rng::with_seed(12);
        for game in 0..60 {
            let network = network(game % 2 == 0);
            let mut pos = Position::startpos();
            let mut accumulators = Accumulators::new(&network, &pos);
            for ply in 0..200 {
                let Some(m) = rng.choice(pos.legal_moves()) else {
                    break;
                };
                accumulators.descend(pos.turn(), Changes::of(pos.turn(), m), ply);
                pos.play(m);
                // Now and then, so that several plies are made good at once.
                if rng.u8(..3) == 0 {
                    let scratch = network.evaluate(pos.board(), pos.turn());
                    assert_eq!(accumulators.evaluate(&pos, ply + 1), scratch, "{pos:?}");
                }
            }
        }
    }
}
