//! Neighbour lists for cutoffs that depend on particles: the same on every device.

use nbody::Skin;
use nbody::prelude::*;

use super::grains::grains::{
    Branches, ByType, ByTypes, Greater, Moving, OfI, OfWall, Powers, Radii, Sums, Uniform, Wall,
};
use super::grains::{ALONE, Lists, Random, engines};

#[test]
fn lists_of_every_form_of_cutoff_are_those_of_the_cpu() {
    let devices = nbody_tests::all_devices();
    let cutoffs = [[0.05, 0.1, 0.2], [0.1, 0.15, 0.01], [0.2, 0.01, 0.3]];
    let laws = [
        vec![engines(&devices, ByTypes { cutoffs })],
        vec![engines(&devices, Branches { threshold: 0.02 })],
        vec![engines(&devices, Moving { time: 0.05 })],
        // Several interactions at once, one with a constant cutoff.
        vec![
            engines(&devices, Powers { exponent: 1.7 }),
            engines(&devices, Uniform { cutoff: 0.04 }),
            engines(&devices, Radii),
            engines(&devices, ByType { cutoffs: [0.01, 0.05, 0.02] }),
            engines(&devices, OfI { factor: 0.5 }),
        ],
    ];
    let domains = [Domain::Open, Domain::periodic([2.0, f64::INFINITY, 2.5]).unwrap()];
    for (turn, law) in laws.iter().enumerate() {
        let mut lists = Lists::new(&devices, domains[turn % 2], Skin::Auto);
        let grains = Random(turn as u64).grains([33, 700, 1500][turn % 3]);
        assert_eq!(lists.update(&grains, ALONE, law), Ok(1));
    }
}

#[test]
fn lists_of_two_sets_are_those_of_the_cpu() {
    let devices = nbody_tests::all_devices();
    let mut random = Random(5);
    let wall = |_| Wall {
        pos: nbody::Point::new(2.0 * random.next(), 0.5, 2.0 * random.next()),
        radius: 0.01 + 0.1 * random.next(),
    };
    let walls: Vec<_> = (0..33_000).map(wall).collect();
    let law = [engines(&devices, OfWall)];
    let mut lists = Lists::new(&devices, Domain::Open, Skin::Auto);
    let grains = Random(6).grains(500);
    assert_eq!(lists.update(&grains, Some(&walls[..1100]), &law), Ok(1));
    assert_eq!(lists.update(&grains, Some(&walls[..10]), &law), Ok(2));
    assert_eq!(lists.update(&grains, Some(&walls[..0]), &law), Ok(3));
    assert_eq!(lists.update(&grains[..0], Some(&walls[..10]), &law), Ok(4));
    // Enough for a tree of several levels.
    assert_eq!(lists.update(&grains[..40], Some(&walls[..]), &law), Ok(5));
}

#[test]
fn a_changed_number_marks_lists_as_old() {
    let devices = nbody_tests::all_devices();
    let law = [engines(&devices, Greater)];
    let mut lists = Lists::new(&devices, Domain::Open, Skin::Length(0.01));
    let mut grains = Random(3).grains(1200);
    assert_eq!(lists.update(&grains, ALONE, &law), Ok(1));
    assert_eq!(lists.update(&grains, ALONE, &law), Ok(1));
    // Numbers that the cutoff does not depend on.
    grains[7].kind = 1;
    grains[7].limits[1] = f64::NAN;
    assert_eq!(lists.update(&grains, ALONE, &law), Ok(1));
    let greatest = grains.iter().map(|grain| grain.h).fold(0.0, f64::max);
    grains[700].h = 1.5 * greatest;
    assert_eq!(lists.update(&grains, ALONE, &law), Ok(2));
    // The number is smaller, but within the bounds of its group.
    grains[700].h = 1.4 * greatest;
    assert_eq!(lists.update(&grains, ALONE, &law), Ok(2));
    // The cutoff is twice as long, and half of the skin is 0.005. There were no negative numbers
    // before: however small they are, their cutoffs may be longer.
    for (factor, rebuilds) in [(1.001, 2), (0.5, 2), (0.0, 2), (1.1, 3), (-0.001, 4)] {
        let mut grown = grains.clone();
        for grain in &mut grown {
            grain.h *= factor;
        }
        assert_eq!(lists.update(&grown, ALONE, &law), Ok(rebuilds), "{factor}");
    }
}

/// Half of the skin is 0.02.
#[test]
fn growths_of_several_numbers_add_up() {
    let devices = nbody_tests::all_devices();
    let law = [engines(&devices, Sums)];
    let grains = Random(9).grains(100);
    for (k, by) in [0.015, 0.009, 0.011].into_iter().enumerate() {
        let mut lists = Lists::new(&devices, Domain::Open, Skin::Length(0.04));
        let mut grown = grains.clone();
        // Beyond the bounds of all groups.
        (grown[7].h, grown[7].limits[0]) = (0.5, 0.5);
        assert_eq!(lists.update(&grown, ALONE, &law), Ok(1));
        grown[7].h += by;
        if k > 0 {
            grown[7].limits[0] += by;
        }
        assert_eq!(lists.update(&grown, ALONE, &law), Ok(if k < 2 { 1 } else { 2 }), "{by}");
    }
}

/// Updates lists along a random history on every device.
#[test]
fn margins_are_those_of_the_cpu() {
    let devices = nbody_tests::all_devices();
    for turn in 0..4 {
        let law = match turn {
            0 => vec![engines(&devices, Greater)],
            1 => vec![engines(&devices, Radii), engines(&devices, Uniform { cutoff: 0.1 })],
            2 => vec![engines(&devices, Branches { threshold: 0.02 })],
            _ => vec![engines(&devices, Uniform { cutoff: 0.2 })],
        };
        let mut lengths = [2.0, f64::INFINITY, 2.5];
        let mut lists =
            Lists::new(&devices, Domain::periodic(lengths).unwrap(), Skin::Length(0.04));
        let mut random = Random(30 + turn);
        let mut grains = random.grains(250);
        let mut rebuilds = lists.update(&grains, ALONE, &law).unwrap();
        let steps = 8;
        for step in 0..steps {
            let factor = 1.0 + 0.02 * (random.next() - 0.5);
            for axis in [0, 2].into_iter().filter(|_| step % 3 > 0) {
                lengths[axis] *= factor;
                for grain in &mut grains {
                    grain.pos[axis] *= factor;
                }
            }
            for grain in &mut grains {
                grain.pos.y += 0.01 * (random.next() - 0.5);
                grain.h *= 1.0 + 0.01 * (random.next() - 0.5);
            }
            for near in &mut lists.0 {
                near.set_domain(Domain::periodic(lengths).unwrap()).unwrap();
            }
            rebuilds = lists.update(&grains, ALONE, &law).unwrap();
        }
        assert!(turn == 2 || rebuilds < steps / 2, "{rebuilds} rebuilds of law {turn}");
    }
}

/// Constant cutoffs with another parameter: the margin is 0.04.
#[test]
fn other_constant_cutoffs_are_those_of_the_cpu() {
    let devices = nbody_tests::all_devices();
    let mut lists = Lists::new(&devices, Domain::periodic([2.0; 3]).unwrap(), Skin::Length(0.04));
    let mut grains = Random(8).grains(300);
    let steps = [(0.2, 1), (0.21, 1), (0.1, 1), (0.2399, 1), (0.2401, 2), (0.27, 2), (0.29, 3)];
    for (cutoff, rebuilds) in steps {
        let law = [engines(&devices, Radii), engines(&devices, Uniform { cutoff })];
        assert_eq!(lists.update(&grains, ALONE, &law), Ok(rebuilds), "{cutoff}");
    }
    let law = [engines(&devices, Radii), engines(&devices, Uniform { cutoff: 0.3 })];
    assert_eq!(lists.update(&grains, ALONE, &law), Ok(3));
    grains[5].pos.x += 0.016;
    assert_eq!(lists.update(&grains, ALONE, &law), Ok(4));
}

#[test]
fn there_may_be_no_particles() {
    let devices = nbody_tests::all_devices();
    let laws = [
        vec![engines(&devices, Greater)],
        vec![engines(&devices, ByTypes { cutoffs: [[0.1; 3]; 3] })],
        // Cutoffs that read several numbers of a particle.
        vec![engines(&devices, Branches { threshold: 0.02 })],
        vec![engines(&devices, Powers { exponent: 1.7 }), engines(&devices, Radii)],
    ];
    for law in &laws {
        let mut lists = Lists::new(&devices, Domain::Open, Skin::Auto);
        let grains = Random(8).grains(40);
        assert_eq!(lists.update(&grains[..0], ALONE, law), Ok(1));
        assert_eq!(lists.update(&grains, Some(&grains[..0]), law), Ok(2));
        assert_eq!(lists.update(&grains[..0], Some(&grains), law), Ok(3));
        assert_eq!(lists.update(&grains, ALONE, law), Ok(4));
        assert_eq!(lists.update(&grains[..0], ALONE, law), Ok(5));
    }
}
