//! Second particles that programs read by an index.

use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{PerParticle, Selection};
use nbody_tests::steps::programs::{Item, Take};

const N: u32 = 70;

/// Returns items that read the item at these indices, by turns.
fn items(indices: &[u32]) -> Vec<Item> {
    let mut items = uniform::<Item>(N as usize, 4);
    for (item, index) in items.iter_mut().zip(indices.iter().cycle()) {
        (item.kind, item.active) = (*index, index % 2);
    }
    items
}

/// Indices reach every second particle; beyond them there are NaN and the greatest integer.
#[test]
fn indices_beyond_the_particles_show() {
    let indices = [3, N - 1, N, 0, u32::MAX, 64, 1 << 31, 63, N + 1];
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            let start = items(&indices);
            let mut moved = device.upload(&start, Precision::Double).unwrap();
            let others = device.upload(&start, precision).unwrap();
            let stored = others.download().unwrap();
            let mut take = PerParticle::new(&device, Take).unwrap();
            take.update(&mut moved, &others).unwrap();
            for (k, new) in moved.download().unwrap().iter().enumerate() {
                let (old, place) = (&start[k], format!("{device}, {precision}, {k}"));
                let Some(other) = stored.get(old.kind as usize) else {
                    let written = new.pos.0.iter().chain([&new.table[0]]);
                    assert!(written.copied().all(f64::is_nan), "{place}: {new:?}");
                    assert_eq!((new.kind, new.vel), (u32::MAX, old.vel), "{place}");
                    continue;
                };
                assert_eq!(new.pos, old.pos + other.vel, "{place}");
                assert_eq!((new.table[0], new.kind), (other.mass, other.kind), "{place}");
            }
        }
    }
}

/// The index counts all second particles, where some particles take part.
#[test]
fn selected_particles_read_others_that_take_no_part() {
    let indices = [2, 65, 44, 1, 8, 3];
    for device in nbody_tests::all_devices() {
        let start = items(&indices);
        let mut moved = device.upload(&start, Precision::Double).unwrap();
        let others = device.upload(&start, Precision::Double).unwrap();
        let mut selection = Selection::new(&device).unwrap();
        let count = selection.select(&moved, "active").unwrap();
        assert_eq!(count, N as usize / 2);
        let mut take = PerParticle::new(&device, Take).unwrap();
        let mut copies = device.upload::<Item>(&[], Precision::Double).unwrap();
        take.update_copies(&selection, count, &moved, &mut copies, &others).unwrap();
        take.update_selected(&selection, count, &mut moved, &others).unwrap();
        let taken = |old: &Item| {
            let other = &start[old.kind as usize];
            let mut new = *old;
            new.pos += other.vel;
            (new.table[0], new.kind) = (other.mass, other.kind);
            new
        };
        let is_taken = |old: &&Item| old.active == 1;
        let expected: Vec<_> = start.iter().filter(is_taken).map(taken).collect();
        assert_eq!(copies.download().unwrap(), expected, "{device}");
        let expected = start.iter().map(|old| if is_taken(&old) { taken(old) } else { *old });
        assert_eq!(moved.download().unwrap(), expected.collect::<Vec<_>>(), "{device}");
    }
}
