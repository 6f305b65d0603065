//! Numbers and times of trees.

use std::fmt;
use std::time::Duration;

use crate::law::charges::Expansion;

/// The size of a tree and the work of its walks, of the last evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TreeReport {
    /// i-particles whose results are wanted.
    pub targets: usize,
    /// j-particles.
    pub sources: usize,
    /// Cells.
    pub cells: usize,
    /// Far particles of all cells.
    pub far_particles: usize,
    /// Groups of i-particles.
    pub groups: usize,
    /// Cells that walks have tested.
    pub tested: u64,
    /// Pairs that were evaluated: of each i-particle with each particle and far particle that acts on its
    /// group. Groups are evaluated whole, also where the results of some of their i-particles are wanted alone.
    pub evaluations: u64,
    /// Memory of the tree in bytes.
    pub bytes: usize,
    /// The far particles.
    pub expansion: Expansion,
    /// The power of the opening angle with which the relative error of the action of a cell falls, of the field of the
    /// result where that is least.
    pub error_order: u32,
    /// Times of the parts, if they are measured.
    pub times: Option<TreeTimes>,
}

/// Times of the parts of an evaluation by a tree. On a GPU these are times of the device, else those of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeTimes {
    /// Time to order the particles.
    pub order: Duration,
    /// Time to make the cells and the far particles.
    pub build: Duration,
    /// Time of the walks with their evaluations, of both walks where
    /// [`Opening::relative`](crate::trees::opening::Opening::relative) has no results yet to compare with.
    pub walk: Duration,
}

impl TreeTimes {
    /// Makes the times of the three parts.
    pub fn new(order: Duration, build: Duration, walk: Duration) -> Self {
        Self { order, build, walk }
    }
}

impl TreeReport {
    /// Returns the number of pairs that were evaluated for a wanted result, on average: those of an i-particle, if all
    /// results are wanted.
    pub fn evaluations_per_target(&self) -> f64 {
        self.evaluations as f64 / self.targets.max(1) as f64
    }

    /// Returns the number of pairs that were evaluated for a group, on average, if all results are wanted: those of an
    /// i-particle times the i-particles of a group.
    pub fn evaluations_per_group(&self) -> f64 {
        self.evaluations as f64 / self.groups.max(1) as f64
    }
}

impl fmt::Display for TreeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, name: &str, value: String| {
            writeln!(f, "{name:<24}{value:>12}")
        };
        line(f, "targets", self.targets.to_string())?;
        line(f, "sources", self.sources.to_string())?;
        line(f, "cells", self.cells.to_string())?;
        line(f, "far particles", self.far_particles.to_string())?;
        line(f, "groups", self.groups.to_string())?;
        line(f, "tested cells", self.tested.to_string())?;
        line(f, "evaluations", self.evaluations.to_string())?;
        line(f, "evaluations per target", format!("{:.0}", self.evaluations_per_target()))?;
        line(f, "evaluations per group", format!("{:.0}", self.evaluations_per_group()))?;
        line(f, "bytes", self.bytes.to_string())?;
        line(f, "expansion", self.expansion.to_string())?;
        line(f, "error falls as", format!("theta^{}", self.error_order))?;
        let Some(TreeTimes { order, build, walk }) = self.times else { return Ok(()) };
        for (name, time) in [("order", order), ("build", build), ("walk", walk)] {
            line(f, &format!("{name} / ms"), format!("{:.3}", 1e3 * time.as_secs_f64()))?;
        }
        Ok(())
    }
}
