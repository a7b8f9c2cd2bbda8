//! The team: the threads of a search and what each has learned.
//!
//! The first thread is the caller's. The others live from one search to the next, because starting
//! them would take its share of a short clock.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::history::History;
use super::worker::Worker;
use super::{Counters, Observer, Outcome, STACK_SIZE, Shared, Silent, Task};

/// The threads of a search.
#[derive(Default)]
pub struct Team {
    first: History,
    helpers: Vec<History>,
    /// A thread for each helper.
    pool: Option<ThreadPool>,
}

impl Team {
    /// A team of `threads`, at least one, that has learned nothing.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn new(threads: usize) -> Result<Team, ThreadPoolBuildError> {
        let mut team = Team::default();
        team.resize(threads)?;
        Ok(team)
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        1 + self.helpers.len()
    }

    /// Lets threads go or takes on new ones, which have learned nothing.
    ///
    /// # Errors
    /// When the system refuses a thread; then the team stays as it was.
    pub fn resize(&mut self, threads: usize) -> Result<(), ThreadPoolBuildError> {
        let helpers = threads.saturating_sub(1);
        if helpers == self.helpers.len() {
            return Ok(());
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(helpers)
            .stack_size(STACK_SIZE)
            .thread_name(|index| format!("helper {}", index + 1));
        // To rayon no threads mean as many as there are cores.
        self.pool = (helpers > 0).then(|| pool.build()).transpose()?;
        self.helpers.resize_with(helpers, History::new);
        Ok(())
    }

    /// Forgets everything learned.
    pub fn forget(&mut self) {
        self.first.forget();
        self.helpers.iter_mut().for_each(History::forget);
    }

    /// Searches and returns when a limit is reached. The first thread decides and reports; the others
    /// search the same position and help through the hash (lazy SMP).
    pub fn search(&mut self, task: &Task, observer: &mut dyn Observer) -> Outcome {
        // With more threads the result of a handicap would depend on the moment, and the strength on
        // the machine.
        let pool = self.pool.as_ref().filter(|_| task.handicap.is_none());
        let counted = pool.map_or(1, |_| self.helpers.len() + 1);
        let shared = Shared {
            task,
            halt: AtomicBool::new(false),
            counters: std::iter::repeat_with(Counters::default)
                .take(counted)
                .collect(),
        };
        let Some(pool) = pool else {
            return Worker::new(&shared, &mut self.first, observer, 0).deepen();
        };
        pool.in_place_scope(|scope| {
            for (index, history) in (1..).zip(&mut self.helpers) {
                let shared = &shared;
                scope.spawn(move |_| {
                    Worker::new(shared, history, &mut Silent, index).deepen();
                });
            }
            let outcome = Worker::new(&shared, &mut self.first, observer, 0).deepen();
            shared.halt.store(true, Ordering::Relaxed);
            outcome
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::board::Position;
    use crate::clock::Clock;
    use crate::eval::nnue::Network;
    use crate::limits::Limits;
    use crate::rules::Game;
    use crate::search::Handicap;
    use crate::tt::Table;

    /// Nodes of a search to depth 6.
    fn nodes(team: &mut Team, handicap: Option<Handicap>) -> u64 {
        let game = Game::new(Position::startpos());
        let limits = Limits {
            depth: Some(6),
            ..Limits::default()
        };
        let clock = Clock::new(&limits, Duration::ZERO, Instant::now());
        let (stop, network) = (AtomicBool::new(false), Network::builtin());
        let table = Table::new(1).unwrap();
        let task = Task {
            handicap,
            ..Task::new(&game, &limits, &clock, &stop, &table, &network)
        };
        team.search(&task, &mut Silent).nodes
    }

    #[test]
    fn a_team_that_forgets_is_like_a_new_one() {
        let mut team = Team::default();
        let fresh = nodes(&mut team, None);
        assert_ne!(nodes(&mut team, None), fresh);
        team.forget();
        assert_eq!(nodes(&mut team, None), fresh);
    }

    #[test]
    fn helpers_come_and_go() {
        let mut team = Team::new(3).unwrap();
        assert_eq!(team.threads(), 3);
        for threads in [1, 4, 2] {
            team.resize(threads).unwrap();
            assert_eq!(team.threads(), threads);
            assert!(nodes(&mut team, None) > 0);
        }
    }

    #[test]
    fn a_handicap_is_played_by_one_thread() {
        let handicap = Some(Handicap::of_elo(1700, 1));
        let alone = nodes(&mut Team::default(), handicap);
        assert_eq!(nodes(&mut Team::new(3).unwrap(), handicap), alone);
    }
}
