//! The evaluations of a scaling, by one number of ranks each.

use std::time::Duration;

use nbody::trees::TreeTimes;

use super::super::measure::Size;
use super::super::{lists, trees};

/// An evaluation by some ranks.
pub struct Row {
    /// The number of the case, the same for every number of ranks.
    pub case: usize,
    /// The law, or the tree.
    pub what: String,
    pub device: String,
    /// The numbers of particles on all ranks, and the pairs, walks or steps of them.
    pub n: Size,
    pub work: f64,
    pub ranks: usize,
    pub times: [Duration; 3],
    /// The stages of trees, or the parts of a step over lists.
    pub stages: Option<Stages>,
}

/// The stages of an evaluation by a tree, or the parts of a step over lists.
pub struct Stages {
    /// The longest of all ranks.
    pub longest: Vec<Stage>,
    /// The mean time of walks or of forces, in terms of the longest.
    pub balance: f64,
    /// Further figures of lists.
    pub listed: Option<Listed>,
}

/// Figures of lists.
#[derive(Clone, Copy)]
pub struct Listed {
    /// The ghosts for each particle of a rank.
    pub ghosts: f64,
    /// The pairs of a particle within the cutoff.
    pub neighbours: f64,
    /// These pairs of all particles per second of the slowest rank's forces.
    pub pairs_per_second: f64,
}

/// A stage: its name, its column of a CSV file, and its time.
pub type Stage = (&'static str, &'static str, Duration);

/// The stages of trees, and the parts of a step over lists.
const TREE: [(&str, &str); 4] =
    [("sort", "sort_s"), ("build", "build_s"), ("walk", "walk_s"), ("exchange", "exchange_s")];
const LISTS: [(&str, &str); 6] = [
    ("exchange", "exchange_s"),
    ("look", "look_s"),
    ("migrate", "migrate_s"),
    ("order", "order_s"),
    ("list", "list_s"),
    ("force", "force_s"),
];

impl Stages {
    /// Returns the longest of each stage of the ranks, and the balance of the stage `balanced`.
    fn of<const N: usize>(
        names: [(&'static str, &'static str); N],
        of_ranks: &[[Duration; N]],
        balanced: usize,
    ) -> Self {
        let longest = |k: usize| of_ranks.iter().map(|times| times[k]).max().unwrap_or_default();
        let sum: Duration = of_ranks.iter().map(|times| times[balanced]).sum();
        let balance = sum.as_secs_f64() / of_ranks.len() as f64 / longest(balanced).as_secs_f64();
        let stage = |(k, (name, column)): (usize, (_, _))| (name, column, longest(k));
        Self { longest: names.into_iter().enumerate().map(stage).collect(), balance, listed: None }
    }
}

/// Returns the measurements of each case, of each rank.
fn cases<T>(each: &[Vec<T>]) -> impl Iterator<Item = (usize, Vec<&T>)> {
    let count = each.first().map_or(0, Vec::len);
    (0..count).map(|case| (case, each.iter().filter_map(|of_rank| of_rank.get(case)).collect()))
}

/// Returns rows of trees, from the measurements of each rank.
pub fn tree_rows(each: &[Vec<trees::Row>], ranks: usize) -> Vec<Row> {
    let row = |(case, all): (usize, Vec<&trees::Row>)| {
        let times = |row: &&trees::Row| {
            let TreeTimes { order, build, walk, exchange, .. } = row.stages;
            [order, build, walk, exchange]
        };
        let first = all[0];
        Row {
            case,
            what: first.what(),
            device: first.device.clone(),
            n: Size { i: None, n: first.n },
            work: first.n as f64,
            ranks,
            times: first.times,
            stages: Some(Stages::of(TREE, &all.iter().map(times).collect::<Vec<_>>(), 2)),
        }
    };
    cases(each).map(row).collect()
}

/// Returns rows of lists, from the measurements of each rank.
pub fn list_rows(each: &[Vec<lists::Row>], ranks: usize) -> Vec<Row> {
    let row = |(case, all): (usize, Vec<&lists::Row>)| {
        let first = all[0];
        let parts: Vec<_> = all.iter().map(|row| row.parts.all()).collect();
        let stages = Stages::of(LISTS, &parts, 5);
        let ([neighbours, ..], ghosts) = (first.pairs, first.ghosts);
        let force = stages.longest[5].2.as_secs_f64();
        let pairs_per_second = neighbours * first.n as f64 / force;
        let listed = Some(Listed { ghosts, neighbours, pairs_per_second });
        Row {
            case,
            what: first.interaction.to_owned(),
            device: first.device.clone(),
            n: Size { i: None, n: first.n },
            work: first.n as f64,
            ranks,
            times: first.times,
            stages: Some(Stages { listed, ..stages }),
        }
    };
    cases(each).map(row).collect()
}

/// Returns the row of the same case by the fewest ranks.
pub fn first_of<'a>(rows: &'a [Row], row: &Row) -> &'a Row {
    let same = rows.iter().filter(|it| it.case == row.case);
    same.min_by_key(|it| it.ranks).expect("the row itself is among them")
}

impl Row {
    /// Returns the pairs, walks or steps a second in terms of the row with the fewest ranks.
    pub fn speed_up(&self, first: &Self) -> f64 {
        let rate = |row: &Self| row.work / row.times[0].as_secs_f64();
        rate(self) / rate(first)
    }

    /// Returns the speed of a rank in terms of its speed among the fewest ranks.
    pub fn efficiency(&self, first: &Self) -> f64 {
        self.speed_up(first) * first.ranks as f64 / self.ranks as f64
    }
}
