//! Counts what ranks exchange when they distribute the particles of a tree, for any number of ranks,
//! in one process and rank after rank, with the decomposition and the trees of a real run.
//!
//! `cargo run --release -p nbody-mpi --example scaling -- plummer 1000000 8,64,576,1000` prints, for each
//! number of ranks, the particles of a rank, the sources that it receives from others, the messages and
//! the bytes, and the evaluations of a particle in both trees; each the mean over ranks and the
//! greatest.

use std::error::Error;

use nbody::models::{Snapshot, fractal, galaxy, plummer, uniform_sphere};
use nbody::prelude::*;
use nbody::untyped::{
    Across, Bounds, Essential, OwnedRows, Regions, TargetBox, TreePart, Weighted,
};
use nbody::{Interaction, Opening, Sources, Store};
use nbody_interactions::gravity::{Body, Gravity};

/// The boxes of a rank, as the device over ranks has them.
const BOXES: usize = 8;
const THETA: f64 = 0.6;

/// The numbers of a rank.
#[derive(Clone, Copy, Default)]
struct Counts {
    own: f64,
    received: f64,
    /// The ranks that it receives sources from.
    messages: f64,
    evaluations: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let model = arguments.next().unwrap_or_else(|| "plummer".to_owned());
    let n = arguments.next().map_or(Ok(100_000), |n| n.parse())?;
    let all = arguments.next().unwrap_or_else(|| "2,8,64".to_owned());
    let bodies = bodies(&model, n)?;
    println!(
        "{model}, {n} particles, theta {THETA}, second order; mean and greatest of ranks\n\n{:>6} {:>9} {:>9} \
         {:>9} {:>9} {:>8} {:>8} {:>9} {:>9} {:>12} {:>9}",
        "ranks",
        "own",
        "most",
        "received",
        "most",
        "messages",
        "most",
        "kB",
        "most",
        "evaluations",
        "balance"
    );
    for ranks in all.split(',') {
        let counts = count(&bodies, ranks.parse()?)?;
        let of = |number: fn(&Counts) -> f64| {
            let numbers = counts.iter().map(number);
            [numbers.clone().sum::<f64>() / counts.len() as f64, numbers.fold(0.0, f64::max)]
        };
        let row_bytes = (words(&[Body::default()]).len() * size_of::<f32>()) as f64;
        let ([own, most], [received, most_received]) = (of(|it| it.own), of(|it| it.received));
        let ([messages, most_messages], work) =
            (of(|it| it.messages), of(|it| it.own * it.evaluations));
        println!(
            "{:>6} {own:>9.0} {most:>9.0} {received:>9.0} {most_received:>9.0} {messages:>8.0} {most_messages:>8.0} \
             {:>9.1} {:>9.1} {:>12.0} {:>9.2}",
            counts.len(),
            received * row_bytes / 1e3,
            most_received * row_bytes / 1e3,
            work[0] / own,
            work[0] / work[1],
        );
    }
    Ok(())
}

fn bodies(model: &str, n: usize) -> Result<Vec<Body>, Box<dyn Error>> {
    let Snapshot { particles, .. } = match model {
        "plummer" => plummer(n, 1)?,
        "uniform" => uniform_sphere(n, 1)?,
        "galaxy" => galaxy(n, 1)?,
        "fractal" => fractal(n, 1.6, 1)?,
        other => {
            return Err(format!("no model `{other}`: plummer, uniform, galaxy or fractal").into());
        }
    };
    Ok(particles.iter().map(|it| Body { pos: Point(it.pos), mass: it.mass }).collect())
}

/// Returns the regions of equal numbers of particles.
fn regions(bodies: &[Body], count: usize) -> Regions {
    let weighted = |body: &Body| Weighted { at: body.pos.0, weight: 1.0 };
    Regions::new(&mut bodies.iter().map(weighted).collect::<Vec<_>>(), count, Across::Longest)
}

/// Divides the particles among ranks, and evaluates rank after rank.
fn count(bodies: &[Body], ranks: usize) -> Result<Vec<Counts>, Box<dyn Error>> {
    let cuts = regions(bodies, ranks);
    let mut parts = vec![Vec::new(); ranks];
    for body in bodies {
        parts[cuts.rank(&body.pos.0)].push(*body);
    }
    let around = |part: &Vec<Body>| {
        let nothing = TargetBox { bounds: Bounds::NOTHING, least: f64::INFINITY };
        let (regions, mut boxes) = (regions(part, BOXES), vec![nothing; BOXES]);
        for body in part {
            boxes[regions.rank(&body.pos.0)].bounds.add(&body.pos.0);
        }
        boxes
    };
    let boxes: Vec<_> = parts.iter().map(around).collect();
    let cpu = Device::cpu();
    let (device, options) = (cpu.untyped(), Options::default());
    let mut tree =
        device.tree(Gravity::LAW, &[1e-8_f64.to_bits()], Opening::theta(THETA), options)?;
    let upload =
        |words: Vec<u64>| device.upload(&OwnedRows::new(Gravity::LAW.j, words)?, options.precision);
    let mut counts = vec![Counts::default(); ranks];
    let mut received = vec![Vec::new(); ranks];
    for (rank, part) in parts.iter().enumerate() {
        let mut boxes = boxes.clone();
        boxes[rank].clear();
        let (particles, mut out) = (upload(words(part))?, tree.results(part.len())?);
        let to = (&mut *out, Store::Replace);
        let of_tree = TreePart { boxes: &boxes, lengths: None };
        let found = tree.evaluate_part(&*particles, Sources::Same(&*particles), to, of_tree)?;
        for (to, rows) in sent(&found)?.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty())
        {
            counts[to].messages += 1.0;
            received[to].extend(rows);
        }
        counts[rank].own = part.len() as f64;
        counts[rank].evaluations = tree.report()?.evaluations_per_target();
    }
    for ((part, rows), counts) in parts.iter().zip(received).zip(&mut counts) {
        let (particles, sources) = (upload(words(part))?, upload(rows)?);
        counts.received = sources.len() as f64;
        let mut out = tree.results(part.len())?;
        tree.evaluate(&*particles, Sources::Others(&*sources), &mut *out, Store::Replace)?;
        counts.evaluations += tree.report()?.evaluations_per_target();
    }
    Ok(counts)
}

/// Returns particles as words of rows.
fn words(bodies: &[Body]) -> Vec<u64> {
    let row = |body: &Body| [body.pos.0[0], body.pos.0[1], body.pos.0[2], body.mass];
    bodies.iter().flat_map(row).map(f64::to_bits).collect()
}

/// Returns the rows for each rank.
fn sent(found: &Essential<'_>) -> Result<Vec<Vec<u64>>, nbody::Error> {
    let (n, width) = (found.sources.len(), words(&[Body::default()]).len());
    let mut all = vec![0; n * width];
    found.sources.read(0..n, &mut |write| write(0..n, &mut all))?;
    let row = |row: u32| all[row as usize * width..][..width].iter().copied();
    Ok(found
        .lists
        .rows()?
        .into_iter()
        .map(|rows| rows.into_iter().flat_map(row).collect())
        .collect())
}
