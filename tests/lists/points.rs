//! Points other than the position of a particle, in given lists, against the reference.

use nbody::check::{ErrorBounds, compare, reference};
use nbody::law::Record;
use nbody::prelude::*;
use nbody::{Csr, Interaction, Store};
use nbody_tests::contacts::Random;
use nbody_tests::points::points::{
    Atom, ByAnchor, ByBare, ByCentre, ByFlat, ByMoved, ByPlane, FromPlaceless, Moved, NearCentre,
};

use super::plain::{boxes, devices_and_ways, rows};

/// An interaction over given rows, in one way.
struct Given<'a, X> {
    device: &'a Device,
    x: X,
    options: Options,
    domain: Domain,
}

impl<X: Interaction<I: Copy, J: Copy>> Given<'_, X> {
    fn lists(&self, rows: Csr) -> (Neighbours, ShortRange<X>) {
        let Self { device, ref x, options, domain } = *self;
        let near = Neighbours::with_options(device, rows, options.domain(domain));
        (near.unwrap(), ShortRange::with_options(device, x.clone(), options).unwrap())
    }

    /// Evaluates particles of one set, stored in a buffer of other records.
    fn check_one_set<P>(&self, particles: &[X::I], buffer: &[P])
    where
        X: Interaction<J = <X as Interaction>::I>,
        P: Record<Lane = f64, Host = P>,
    {
        let rows = rows(&mut Random(3), particles.len(), particles.len());
        let (mut near, mut engine) = self.lists(rows.clone());
        let buffer = near.upload(buffer).unwrap();
        near.update(&buffer, &[&engine]).unwrap();
        let mut out = engine.results(particles.len()).unwrap();
        engine.evaluate_over(&near, &buffer, &mut out).unwrap();
        let found = out.download::<f64>().unwrap();
        self.compare(particles, particles, |k, l| k != l, &rows, &found);
    }

    fn check_two_sets(&self, i: &[X::I], j: &[X::J]) {
        let rows = rows(&mut Random(4), i.len(), j.len());
        let (mut near, mut engine) = self.lists(rows.clone());
        let (a, b) = (near.upload(i).unwrap(), near.upload(j).unwrap());
        let of_j = Sources::Others(&b);
        near.update_with(&a, of_j, &[&engine]).unwrap();
        let mut out = engine.results(i.len()).unwrap();
        engine.evaluate_over_with(&near, &a, of_j, &mut out, Store::Replace).unwrap();
        let found = out.download::<f64>().unwrap();
        self.compare(i, j, |_, _| true, &rows, &found);
    }

    /// Compares results with the reference over the acting pairs.
    fn compare(
        &self,
        i: &[X::I],
        j: &[X::J],
        acts: impl Fn(usize, usize) -> bool,
        rows: &Csr,
        found: &[X::F],
    ) {
        let Self { device, x, options, domain } = self;
        let (mut expected, mut bounds) = (Vec::new(), Vec::new());
        for (k, i) in i.iter().enumerate() {
            let of_row = rows.row(k).iter().map(|&l| l as usize).filter(|&l| acts(k, l));
            let of_row: Vec<_> = of_row.map(|l| j[l]).collect();
            expected.extend(reference::<X, f64>(x, *domain, &[*i], &of_row).unwrap());
            bounds.extend(ErrorBounds::new(x, *domain, &[*i], &of_row).unwrap().bounds(options));
        }
        let report = compare::<X::F, f64>(found, &expected, Some(&bounds)).unwrap();
        assert!(report.passes(), "{device} {} {domain:?} {options:?}\n{report}", X::LAW.name);
    }
}

/// The second point of a particle may be anywhere in the record. Its differences take the nearest
/// images, as over all pairs, independently of the image of the position.
#[test]
fn points_beside_the_position_have_images_of_their_own() {
    let devices = devices_and_ways();
    let boxes = boxes().map(|lengths| Domain::periodic(lengths).unwrap());
    for (device, ways) in &devices {
        for (turn, &options) in ways.iter().enumerate() {
            // Other devices test fewer programs.
            let is_mixed = options.precision == Precision::Mixed;
            let of_turn = if device.is_cpu() { 0..3 } else { 1 + turn % 2..2 + turn % 2 };
            for &domain in &boxes[of_turn] {
                let n = [33, 70][turn % 2];
                let mut random = Random(turn as u64);
                let moved = random.moved(n);
                let atoms: Vec<_> = moved.iter().map(in_other_order).collect();
                let of_moved = Given { device, x: ByMoved, options, domain };
                of_moved.check_one_set(&moved, &moved);
                of_moved.check_one_set(&moved, &atoms);
                of_moved.check_two_sets(&moved, &random.moved(50));
                if !device.is_cpu() && !is_mixed {
                    continue;
                }
                let bare = random.bare(n);
                Given { device, x: ByBare, options, domain }.check_one_set(&bare, &bare);
                let flat = random.flat(n);
                Given { device, x: ByFlat, options, domain }.check_one_set(&flat, &flat);
                let anchors = random.anchors(40);
                Given { device, x: ByAnchor, options, domain }.check_two_sets(&moved, &anchors);
                let placeless = random.placeless(40);
                let x = FromPlaceless;
                Given { device, x, options, domain }.check_two_sets(&moved, &placeless);
                Given { device, x: ByPlane, options, domain }.check_two_sets(&moved, &flat);
                // A fixed point that belongs to no particle.
                let centre = Point::new(0.75, -3.0, 40.0);
                let x = ByCentre { centre, factor: 0.5 };
                Given { device, x, options, domain }.check_one_set(&anchors, &anchors);
                let x = NearCentre { cutoff: 0.625, centre };
                Given { device, x, options, domain }.check_one_set(&anchors, &anchors);
            }
        }
    }
}

/// A number follows a point of a j-particle in a plane, where points of i-particles have a third
/// coordinate.
#[test]
fn what_follows_a_point_in_a_plane_is_no_coordinate() {
    let devices = devices_and_ways();
    let all =
        devices.iter().flat_map(|(device, _)| Precision::ALL.iter().map(move |&it| (device, it)));
    for (device, precision) in all {
        let mut random = Random(5);
        let (moved, mut flat) = (random.moved(3), random.flat(2));
        flat[1].weight = f64::INFINITY;
        let domain = Domain::periodic([1.0; 3]).unwrap();
        let rows = Csr { offsets: vec![0, 1, 2, 2], indices: vec![0, 1] };
        let mut near = Neighbours::with_options(
            device,
            rows,
            Options::default().precision(precision).domain(domain),
        )
        .unwrap();
        let options = Options::default().precision(precision);
        let mut engine = ShortRange::with_options(device, ByPlane, options).unwrap();
        let (i, j) = (near.upload(&moved).unwrap(), near.upload(&flat).unwrap());
        let of_j = Sources::Others(&j);
        near.update_with(&i, of_j, &[&engine]).unwrap();
        let mut out = engine.results(3).unwrap();
        engine.evaluate_over_with(&near, &i, of_j, &mut out, Store::Replace).unwrap();
        let found = out.download::<f64>().unwrap();
        assert_eq!(found.iter().map(|it| it.count).collect::<Vec<_>>(), [1, 1, 0]);
        assert_eq!([0, 1, 2].map(|k| found[k].by.is_finite()), [true, false, true]);
    }
}

/// Returns an atom with the fields of a particle and others.
fn in_other_order(it: &Moved) -> Atom {
    let vel = Vector::new(0.5, 1e6, -3.0);
    Atom { kind: 7, im: it.im, was: it.was, vel, pos: it.pos }
}
