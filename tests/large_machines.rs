//! More threads than this machine has use for. A file of its own, because it runs alone then and leaves
//! the clocks of other tests in peace. Numbers in brackets are those of the list of behaviours.

mod common;

use std::time::{Duration, Instant};

use common::Engine;

/// [70]
#[test]
fn a_thousand_threads_start_and_answer_inside_the_clock() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 1024");
    engine.is_ready();
    for _ in 0..3 {
        let start = Instant::now();
        let search = engine.search("startpos", "go wtime 2000 btime 2000");
        let time = start.elapsed();
        assert!(time < Duration::from_millis(2000), "{time:?}");
        assert!(search.last().nodes.is_some_and(|nodes| nodes > 1024));
    }
    assert!(engine.quit().success());
}
