//! Wall clock and CPU time of one measured stretch.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

/// A stretch that has begun.
#[derive(Debug)]
pub struct Stopwatch {
    cpu: ProcessTime,
    wall: Instant,
}

/// The measured time of a section.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Operations in it.
    pub operations: usize,
    /// Wall clock.
    pub wall: Duration,
    /// CPU time of the whole process.
    pub cpu: Duration,
}

impl Stopwatch {
    /// Begins a stretch.
    #[must_use]
    pub fn start() -> Self {
        Self { cpu: ProcessTime::now(), wall: Instant::now() }
    }

    /// Ends it.
    #[must_use]
    pub fn stop(self, operations: usize) -> Measured {
        let wall = self.wall.elapsed();
        Measured { operations, wall, cpu: self.cpu.elapsed() }
    }
}

impl Measured {
    /// Adds another stretch.
    pub fn add(&mut self, other: Self) {
        self.operations += other.operations;
        self.wall += other.wall;
        self.cpu += other.cpu;
    }

    /// The fields of a response, without braces.
    #[must_use]
    pub fn json(&self) -> String {
        let (wall, cpu) = (self.wall.as_nanos(), self.cpu.as_nanos());
        format!("\"operations\":{},\"wallNs\":{wall},\"cpuNs\":{cpu}", self.operations)
    }
}
