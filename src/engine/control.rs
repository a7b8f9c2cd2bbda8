//! How a running job is stopped, told of a ponderhit, and kept from answering too early.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::limits::Limits;

/// The strings by which a running job is held.
pub struct Control {
    pub stop: AtomicBool,
    pub clock: Clock,
    /// Whether the job ends without `stop`, once it does not ponder any more.
    has_end: bool,
    gate: Mutex<()>,
    released: Condvar,
}

impl Control {
    pub fn new(clock: Clock, has_end: bool) -> Arc<Control> {
        Arc::new(Control {
            stop: AtomicBool::new(false),
            clock,
            has_end,
            gate: Mutex::new(()),
            released: Condvar::new(),
        })
    }

    pub fn unlimited() -> Arc<Control> {
        let clock = Clock::new(&Limits::default(), Duration::ZERO, Instant::now());
        Control::new(clock, true)
    }

    /// Whether the job, as things stand, ends without `stop`.
    pub fn is_finite(&self) -> bool {
        self.has_end && !self.clock.is_pondering()
    }

    pub fn stop(&self) {
        self.release(|| self.stop.store(true, Ordering::Release));
    }

    pub fn ponderhit(&self) {
        self.release(|| self.clock.ponderhit());
    }

    fn release(&self, change: impl FnOnce()) {
        let guard = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        change();
        drop(guard);
        self.released.notify_all();
    }

    /// Sleeps until the answer may be given: not before `stop` when infinite, not before `stop` or
    /// `ponderhit` when pondering.
    pub fn wait_until_due(&self, infinite: bool) {
        let mut guard = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.stop.load(Ordering::Acquire) && (infinite || self.clock.is_pondering()) {
            guard = self
                .released
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
