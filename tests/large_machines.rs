//! More threads than this machine has use for. A file of its own, because it runs alone then and leaves
//! the clocks of other tests in peace. Numbers in brackets are those of the list of behaviours.

mod common;

use common::Engine;

/// [70] How fast they start is for a machine with as many cores to
/// show.
#[test]
fn hundreds_of_threads_start_answer_and_stop() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 256");
    engine.is_ready();
    for _ in 0..3 {
        engine.search("startpos", "go wtime 2000 btime 2000");
    }
    engine.send("position startpos");
    engine.send("go infinite");
    engine.until(|line| line.starts_with("info depth 1 "));
    #[cfg(target_os = "linux")]
    {
        let threads = std::fs::read_dir(format!("/proc/{}/task", engine.id()));
        assert!(threads.expect("alive").count() > 256);
    }
    engine.send("stop");
    engine.best_move().check("startpos");
    assert!(engine.quit().success());
}
