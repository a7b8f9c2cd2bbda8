//! How long the parts take: move generation, making moves, evaluation, and a search to fixed depth.

#![allow(missing_docs)] // Criterion's macros write public functions.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use saavedra::board::{Changes, Position, movegen};
use saavedra::clock::Clock;
use saavedra::eval::nnue::{Accumulators, Network};
use saavedra::limits::Limits;
use saavedra::rules::{Game, unwinnable};
use saavedra::search::{Silent, Task, Team};
use saavedra::tt::Table;

const MIDDLEGAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const ENDGAME: &str = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";

fn positions() -> [(&'static str, Position); 2] {
    let read = |fen| Position::from_fen(fen).expect("a legal position");
    [("middlegame", read(MIDDLEGAME)), ("endgame", read(ENDGAME))]
}

fn generation(c: &mut Criterion) {
    for (name, pos) in positions() {
        c.bench_function(&format!("noisy moves, {name}"), |b| {
            b.iter(|| movegen::noisy(black_box(&pos), |m| _ = black_box(m)));
        });
        c.bench_function(&format!("quiet moves, {name}"), |b| {
            b.iter(|| movegen::quiets(black_box(&pos), |m| _ = black_box(m)));
        });
        c.bench_function(&format!("legal moves, {name}"), |b| {
            b.iter(|| black_box(&pos).legal_moves().len());
        });
    }
}

fn making(c: &mut Criterion) {
    for (name, pos) in positions() {
        let moves = pos.legal_moves();
        c.bench_function(&format!("make every move with its key, {name}"), |b| {
            b.iter(|| {
                moves
                    .iter()
                    .fold(0, |sum, &m| sum ^ black_box(&pos).after(m).key())
            });
        });
        c.bench_function(&format!("null move, {name}"), |b| {
            b.iter(|| black_box(&pos).after_null().map(|pos| pos.key()));
        });
    }
}

fn evaluation(c: &mut Criterion) {
    for (name, pos) in positions() {
        let network = Network::builtin();
        c.bench_function(&format!("evaluation from scratch, {name}"), |b| {
            b.iter(|| network.evaluate(black_box(pos.board()), pos.turn()));
        });
        let moves = pos.legal_moves();
        let mut accumulators = Accumulators::new(&network, &pos);
        accumulators.evaluate(&pos, 0);
        c.bench_function(&format!("evaluation after every move, {name}"), |b| {
            b.iter(|| {
                let after = moves.iter().map(|&m| {
                    accumulators.descend(pos.turn(), Changes::of(pos.turn(), m), 0);
                    accumulators.evaluate(&pos.after(m), 1).raw()
                });
                after.sum::<i32>()
            });
        });
    }
}

fn searching(c: &mut Criterion) {
    let limits = Limits {
        depth: Some(8),
        ..Limits::default()
    };
    let network = Network::builtin();
    let mut group = c.benchmark_group("search");
    group.sample_size(20);
    for (name, pos) in positions() {
        let game = Game::new(pos);
        group.bench_function(format!("depth 8, {name}"), |b| {
            b.iter_batched(
                || (Table::new(4).expect("memory"), Team::default()),
                |(table, mut team)| {
                    let clock = Clock::new(&limits, Duration::ZERO, Instant::now());
                    let stop = AtomicBool::new(false);
                    let task = Task::new(&game, &limits, &clock, &stop, &table, &network);
                    team.search(&task, &mut Silent).nodes
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// A wall of pawns that nobody can open: the costly case of the quick answer.
const BLOCKED: &str = "2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1";

fn unwinnability(c: &mut Criterion) {
    let blocked = Position::from_fen(BLOCKED).expect("a legal position");
    let positions = positions().into_iter().chain([("blocked", blocked)]);
    for (name, pos) in positions {
        c.bench_function(&format!("quick unwinnability, {name}"), |b| {
            b.iter(|| unwinnable::quick(black_box(&pos), pos.turn()));
        });
        c.bench_function(&format!("unwinnability, {name}"), |b| {
            b.iter(|| unwinnable::can_mate(black_box(&pos), pos.turn(), 100_000).nodes);
        });
    }
}

criterion_group!(
    benches,
    generation,
    making,
    evaluation,
    searching,
    unwinnability
);
criterion_main!(benches);
