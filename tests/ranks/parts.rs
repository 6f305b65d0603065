//! Parts of particles that move between ranks, found and moved on a device, against the same on the
//! host.

use std::sync::Arc;

use nbody::untyped::{
    self, Across, Binding, Bounds, Buffer, Kept, Moves, OwnedRows, Points, Regions, TargetBox,
    Weighted, replaced,
};
use nbody::{Error, Interaction as _, Precision};
use nbody_interactions::gravity::Gravity;
use nbody_mpi::{Communicator, threads};

use super::of_rank;

/// Numbers of particles of a rank: none, one, and around blocks of threads.
const COUNTS: [usize; 7] = [255, 1, 600, 0, 257, 33, 256];
/// Numbers of a particle: a position, and its own number as its mass.
const WIDTH: usize = 4;
/// Lengths of space, with an open axis.
const LENGTHS: [f64; 3] = [1.0, 1.0, 0.0];

/// Particles of a rank: rows of a position and a number.
fn particles(rank: usize, shift: usize) -> Vec<[f64; WIDTH]> {
    let n = COUNTS[(rank + shift) % COUNTS.len()];
    let mut state = (rank * 7 + shift + 1) as u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..n).map(|k| [next(), next(), next(), (rank * 1000 + k) as f64]).collect()
}

fn point([x, y, z, _]: &[f64; WIDTH]) -> [f64; 3] {
    [*x, *y, *z]
}

fn words(rows: &[[f64; WIDTH]]) -> Result<OwnedRows, Error> {
    let words = rows.iter().flatten().map(|number| number.to_bits());
    OwnedRows::new(Gravity::LAW.j, words.collect())
}

fn rows(buffer: &dyn Buffer) -> Result<Vec<[f64; WIDTH]>, Error> {
    let mut words = vec![0; buffer.len() * WIDTH];
    buffer.read(0..buffer.len(), &mut |write| write(0..buffer.len(), &mut words))?;
    Ok(words.as_chunks().0.iter().map(|row| row.map(f64::from_bits)).collect())
}

/// Returns the indices of particles for each rank.
fn lists(ranks: usize, of: impl Fn(usize) -> Vec<u32>) -> Vec<Vec<u32>> {
    (0..ranks).map(of).collect()
}

fn chosen(all: &[[f64; WIDTH]], is_chosen: impl Fn(&[f64; 3]) -> bool) -> Vec<u32> {
    let chosen = (0..).zip(all).filter(|(_, row)| is_chosen(&point(row)));
    chosen.map(|(k, _)| k).collect()
}

fn picked(all: &[[f64; WIDTH]], list: &[u32]) -> Vec<[f64; WIDTH]> {
    list.iter().map(|k| all[*k as usize]).collect()
}

/// Lists of up to 64 ranks fit in one launch.
#[test]
fn parts_are_as_on_the_host() {
    for device in nbody_tests::cuda_devices() {
        for (ranks, shift) in [(1, 0), (2, 0), (2, 2), (3, 3), (7, 0), (70, 1)] {
            let run = |all: Arc<dyn Communicator>| {
                let device = of_rank(&device, all.rank());
                check(device.untyped(), &all, shift).map_err(|error| error.to_string())
            };
            threads(ranks, run).into_iter().for_each(Result::unwrap);
        }
    }
}

fn check(
    device: &dyn untyped::Device,
    communicator: &Arc<dyn Communicator>,
    shift: usize,
) -> Result<(), Error> {
    let (own, ranks) = (communicator.rank(), communicator.size());
    let all: Vec<_> = (0..ranks).map(|rank| particles(rank, shift)).collect();
    let mine = &all[own];
    let weighted = |row: &[f64; WIDTH]| Weighted { at: point(row), weight: 1.0 };
    let mut sample: Vec<_> = all.iter().flatten().map(weighted).collect();
    let regions = Regions::new(&mut sample, ranks, Across::Last);

    let mut parts = device.connect(communicator)?.parts.expect("a GPU moves parts by itself");
    let upload = |rows: &[[f64; WIDTH]]| device.upload(&words(rows)?, Precision::Double);
    let buffer = upload(mine)?;
    let position = Binding::new("test", &Gravity::LAW.j[..1], Gravity::LAW.j)?;
    let (n, lengths) = (mine.len(), LENGTHS);
    let points = Points { particles: &*buffer, n, position: &position, lengths };

    let region_of = |point: &[f64; 3]| regions.rank(point);
    let found = parts.in_region(points, &regions)?;
    let in_region =
        |rank| if rank == own { chosen(mine, |it| region_of(it) == own) } else { vec![] };
    assert_eq!(found.rows()?, lists(ranks, in_region));

    let leaving = parts.leaving(points, &regions)?;
    let leaves = |rows: &[[f64; WIDTH]], from: usize, to: usize| {
        chosen(rows, |it| region_of(it) != from && (to == from || region_of(it) == to))
    };
    assert_eq!(leaving.rows()?, lists(ranks, |rank| leaves(mine, own, rank)));
    let counts: Vec<_> = leaving.rows()?.iter().map(Vec::len).collect();
    assert_eq!(leaving.counts(), counts);

    // The boxes around the particles in each region, and their least lengths.
    let length = |k: usize| if k == 77 { f64::NAN } else { 1.0 + (k * 7 % 31) as f64 };
    let words: Vec<_> = (0..n).map(|k| length(k).to_bits()).collect();
    let of_results = device.upload(&OwnedRows::new(untyped::LENGTHS, words)?, Precision::Double)?;
    let unknown = parts.boxes(points, &regions, None)?;
    let known = parts.boxes(points, &regions, Some(&*of_results))?;
    for (rank, (unknown, known)) in unknown.into_iter().zip(known).enumerate() {
        let list = chosen(mine, |it| region_of(it) == rank);
        let points: Vec<_> = picked(mine, &list).iter().map(point).collect();
        let lengths = list.iter().map(|k| length(*k as usize));
        let lengths = lengths.map(|length| if length.is_nan() { 0.0 } else { length });
        let bounds = Bounds::of(&points);
        assert_eq!(unknown, TargetBox { bounds, least: f64::INFINITY });
        assert_eq!(known, TargetBox { bounds, least: lengths.fold(f64::INFINITY, f64::min) });
    }

    // Rows that arrive take the places of others, in place and beside the rows.
    let arriving = |from: usize| if from == own { vec![] } else { leaves(&all[from], from, own) };
    let arriving: Vec<_> = (0..ranks).map(|from| picked(&all[from], &arriving(from))).collect();
    let moves = Moves { received: arriving.iter().map(Vec::len).collect(), lists: leaving };
    let leaving = &moves.lists;
    let mut expected = mine.clone();
    replaced(&mut expected, &leaving.rows()?[own], &arriving.concat());
    let mut to = upload(&[])?;
    parts.reserve(Some(&*buffer), &*to, Kept::Staying, &moves)?;
    parts.exchange(Some(&*buffer), &mut *to, Kept::Staying, &moves)?;
    assert_eq!(rows(&*to)?, expected);
    assert_eq!(rows(&*buffer)?, *mine);
    let mut to = upload(mine)?;
    parts.exchange(None, &mut *to, Kept::Staying, &moves)?;
    assert_eq!(rows(&*to)?, expected);

    // Ghosts follow the rows.
    let bounds = |rows: &[[f64; WIDTH]]| Bounds::of(&rows.iter().map(point).collect::<Vec<_>>());
    let box_of = |rank: usize| {
        let region = regions.bounds(rank);
        let [lo, hi] = [region.lo.map(|x| x.max(0.0)), region.hi.map(|x| x.min(1.0))];
        if all[rank].is_empty() { Bounds::NOTHING } else { Bounds { lo, hi } }
    };
    let boxes: Vec<_> = (0..ranks).map(box_of).collect();
    let near = parts.near(points, &bounds(mine), &boxes, 0.125)?;
    let is_near = |rows: &[[f64; WIDTH]], to: usize| {
        chosen(rows, |it| boxes[to].is_near(it, 0.125, &lengths))
    };
    let near_of = |rank| if rank == own { vec![] } else { is_near(mine, rank) };
    assert_eq!(near.rows()?, lists(ranks, near_of));
    let ghosts = |from: usize| if from == own { vec![] } else { is_near(&all[from], own) };
    let ghosts: Vec<_> = (0..ranks).map(|from| picked(&all[from], &ghosts(from))).collect();
    let moves = Moves { received: ghosts.iter().map(Vec::len).collect(), lists: near };
    let mut to = upload(mine)?;
    parts.exchange(None, &mut *to, Kept::First(n), &moves)?;
    assert_eq!(rows(&*to)?, [mine.clone(), ghosts.concat()].concat());
    Ok(())
}
