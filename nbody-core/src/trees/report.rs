//! Statistics and times of trees.

use std::fmt;
use std::time::Duration;

use crate::law::charges::Expansion;

/// The size of a tree and the work of its walks in the last evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TreeReport {
    /// Number of i-particles whose results are wanted.
    pub targets: usize,
    /// Number of j-particles.
    pub sources: usize,
    /// Number of cells.
    pub cells: usize,
    /// Number of far particles of all cells.
    pub far_particles: usize,
    /// Number of groups of i-particles.
    pub groups: usize,
    /// Number of cells tested in walks.
    pub tested: u64,
    /// Number of evaluated pairs: each i-particle with each particle and far particle that acts on
    /// its group. Groups are evaluated whole, even if only some of their results are wanted.
    pub evaluations: u64,
    /// Memory of the tree in bytes.
    pub bytes: usize,
    /// The kind of far particles.
    pub expansion: Expansion,
    /// Exponent p of the error bound θᵖ, the smallest over all fields.
    pub error_order: u32,
    /// Times of the parts, if measured.
    pub times: Option<TreeTimes>,
}

/// Times of the parts of an evaluation by a tree: device time on a GPU, else wall-clock time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeTimes {
    /// Time to order the particles.
    pub order: Duration,
    /// Time to build the cells and the far particles.
    pub build: Duration,
    /// Time of the walks with their evaluations, of both walks where
    /// [`Opening::relative`](crate::trees::opening::Opening::relative) has no results yet to
    /// compare with.
    pub walk: Duration,
    /// Time in which ranks exchange their results, and wait for each other.
    pub exchange: Duration,
}

impl TreeTimes {
    /// Creates the times of the three parts of one rank.
    pub fn new(order: Duration, build: Duration, walk: Duration) -> Self {
        Self { order, build, walk, exchange: Duration::ZERO }
    }
}

impl TreeReport {
    /// Returns the mean number of evaluated pairs for each wanted result: the pairs of one
    /// i-particle, if all results are wanted.
    pub fn evaluations_per_target(&self) -> f64 {
        self.evaluations as f64 / self.targets.max(1) as f64
    }

    /// Returns the mean number of evaluated pairs for each group, if all results are wanted: the
    /// pairs of one i-particle times the number of i-particles in a group.
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
        let Some(TreeTimes { order, build, walk, exchange }) = self.times else { return Ok(()) };
        let exchange = (!exchange.is_zero()).then_some(("exchange", exchange));
        let parts = [("order", order), ("build", build), ("walk", walk)].into_iter();
        for (name, time) in parts.chain(exchange) {
            line(f, &format!("{name} / ms"), format!("{:.3}", 1e3 * time.as_secs_f64()))?;
        }
        Ok(())
    }
}
