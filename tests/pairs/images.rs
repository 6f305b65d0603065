//! Boxes shorter than two cutoffs, on every device, against direct sums over images.

use nbody::check::{ErrorBounds, range, range_self, reference, reference_self};
use nbody::law::Record;
use nbody::prelude::*;
use nbody::{ArgMax, ArgMin, Engine, Interaction, Nearest, Sources, Store};
use nbody_tests::contacts::contact::{Ball, Near, Uniform};
use nbody_tests::contacts::{Random, contact};
use nbody_tests::covering::Covering;
use nbody_tests::line::line::{Bead, Push as Touched, Touch};
use nbody_tests::listed::laws::{Disc, Flat, Grain, Push, Rank, Ranked};
use nbody_tests::points::points::{Anchor, NearCentre};
use nbody_tests::ways::{bits, check_rows, levels, message, numbers};
use nbody_tests::{all_devices, cuda_devices};

/// Lengths of the box in greatest cutoffs.
const RATIOS: [f64; 6] = [0.25, 0.7, 1.0, 1.5, 1.99, 2.01];
const SIZES: [[usize; 2]; 5] = [[37, 20], [1, 3], [24, 33], [2, 1], [33, 40]];
/// Number of choices of each option of a row: the law, the precision, mathematics, accumulation,
/// a given order, the relation of the sets, the space, and the ratio.
const OPTIONS: [usize; 8] = [4, 3, 2, 4, 2, 3, 3, RATIOS.len()];

type Vectors = [Option<[f64; 3]>; 3];

/// A law by plain formulas.
trait Plain: Interaction<J = <Self as Interaction>::I> + Clone {
    const DIMENSIONS: usize;
    const COUNTS_ARE_BOUNDED: bool = true;

    /// Returns a particle at a position with three other numbers, from 0 to 1.
    fn particle(position: [f64; 3], numbers: [f64; 3]) -> Self::I;
    fn position(particle: &Self::I) -> [f64; 3];
    fn cutoff_of(&self, i: &Self::I, j: &Self::I) -> f64;
    /// Adds the effect of an image of j, which is displaced from i by `d`.
    fn add(&self, i: &Self::I, j: &Self::I, d: [f64; 3], index: u32, f: &mut Self::F);
}

fn take(least: &mut ArgMin, value: f64, index: u32) {
    if value < least.value || (value == least.value && index < least.index) {
        (least.value, least.index) = (value, index);
    }
}

fn insert<const K: usize>(near: &mut Nearest<K>, value: f64, index: u32) {
    let entries = near.values.into_iter().zip(near.indices);
    let mut entries: Vec<_> = entries.chain([(value, index)]).collect();
    entries.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    for (k, &entry) in entries.iter().take(K).enumerate() {
        (near.values[k], near.indices[k]) = entry;
    }
}

fn norm2(d: [f64; 3]) -> f64 {
    d.iter().map(|x| x * x).sum()
}

impl Plain for Ranked {
    const DIMENSIONS: usize = 3;
    const COUNTS_ARE_BOUNDED: bool = false;

    fn particle(position: [f64; 3], [h, charge, kind]: [f64; 3]) -> Grain {
        let kind = if kind < 0.5 { 1 } else { 3 };
        Grain { h: 0.05 + 0.1 * h, pos: Point(position), kind, charge: charge - 0.25 }
    }
    fn position(particle: &Grain) -> [f64; 3] {
        particle.pos.0
    }
    fn cutoff_of(&self, i: &Grain, j: &Grain) -> f64 {
        self.factor * i.h.max(j.h)
    }
    fn add(&self, i: &Grain, j: &Grain, d: [f64; 3], index: u32, f: &mut Rank) {
        take(&mut f.nearest, norm2(d), index);
        let mut kind = ArgMin { value: -f.kind.value, index: f.kind.index };
        take(&mut kind, -f64::from(j.kind), index);
        f.kind = ArgMax { value: -kind.value, index: kind.index };
        insert(&mut f.near, norm2(d), index);
        f.least = f.least.min(i.charge - j.charge);
        f.most = f.most.max(i.charge * j.charge);
        f.sum += j.charge / (norm2(d) + i.h * j.h);
        f.count += j.kind;
    }
}

impl Plain for Flat {
    const DIMENSIONS: usize = 2;

    fn particle([x, y, _]: [f64; 3], [h, charge, _]: [f64; 3]) -> Disc {
        Disc { pos: Point([x, y]), h: 0.05 + 0.1 * h, charge: charge - 0.25 }
    }
    fn position(particle: &Disc) -> [f64; 3] {
        [particle.pos.0[0], particle.pos.0[1], 0.0]
    }
    fn cutoff_of(&self, i: &Disc, _: &Disc) -> f64 {
        self.factor * i.h
    }
    fn add(&self, i: &Disc, j: &Disc, d: [f64; 3], index: u32, f: &mut Push) {
        let weight = j.charge / (i.h * i.h + norm2(d));
        f.push.x -= weight * d[0];
        f.push.y -= weight * d[1];
        insert(&mut f.nearest, norm2(d), index);
        f.count += 1;
    }
}

impl Plain for Touch {
    const DIMENSIONS: usize = 1;

    fn particle([x, ..]: [f64; 3], [v, charge, _]: [f64; 3]) -> Bead {
        Bead { pos: Point([x]), vel: Vector([v]), charge: charge - 0.25 }
    }
    fn position(particle: &Bead) -> [f64; 3] {
        [particle.pos.0[0], 0.0, 0.0]
    }
    fn cutoff_of(&self, _: &Bead, _: &Bead) -> f64 {
        self.reach
    }
    fn add(&self, _: &Bead, j: &Bead, d: [f64; 3], _: u32, f: &mut Touched) {
        f.force.x += j.charge * d[0];
        f.stress.xx -= j.charge;
        f.pot += j.charge;
        f.near += 1;
    }
}

impl Plain for Uniform {
    const DIMENSIONS: usize = 3;

    fn particle(position: [f64; 3], [h, mass, _]: [f64; 3]) -> Ball {
        Ball { pos: Point(position), h, mass }
    }
    fn position(particle: &Ball) -> [f64; 3] {
        particle.pos.0
    }
    fn cutoff_of(&self, _: &Ball, _: &Ball) -> f64 {
        self.cutoff
    }
    fn add(&self, _: &Ball, j: &Ball, _: [f64; 3], _: u32, f: &mut Near) {
        f.count += 1;
        f.mass += j.mass;
    }
}

/// Returns the sums over all images within the cutoffs, by a plain loop.
fn direct<X: Plain>(law: &X, vectors: Vectors, i: &[X::I], j: &[X::I], one_set: bool) -> Vec<X::F> {
    const FAR: i32 = 7;
    let along = |axis: usize| {
        let vector = vectors[axis].filter(|_| axis < X::DIMENSIONS);
        let range = if vector.is_some() { -FAR..=FAR } else { 0..=0 };
        range.map(move |n| vector.map_or([0.0; 3], |v| v.map(|x| f64::from(n) * x)))
    };
    let plus = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| a[k] + b[k]);
    let mut all = Vec::new();
    for (k, of_i) in i.iter().enumerate() {
        let mut f = X::F::default();
        for (l, of_j) in j.iter().enumerate() {
            let limit = law.cutoff_of(of_i, of_j);
            let [from, to] = [of_i, of_j].map(X::position);
            let d = [0, 1, 2].map(|k| to[k] - from[k]);
            for c in along(2) {
                for b in along(1) {
                    for a in along(0) {
                        let shift = plus(a, plus(b, c));
                        let itself = one_set && !X::LAW.self_pairs && k == l && norm2(shift) == 0.0;
                        let d = plus(d, shift);
                        if !itself && norm2(d) < limit * limit {
                            law.add(of_i, of_j, d, l as u32, &mut f);
                        }
                    }
                }
            }
        }
        all.push(f);
    }
    all
}

#[derive(Clone, Debug)]
struct Way {
    row: Vec<usize>,
    n: [usize; 2],
    seed: u64,
}

impl Way {
    fn of(row: &[usize], turn: usize) -> Self {
        Self { row: row.to_vec(), n: SIZES[turn % SIZES.len()], seed: turn as u64 + 7 }
    }

    fn check(&self, device: &Device) -> Result<usize, String> {
        match self.row[0] {
            0 => self.check_law(device, Ranked { factor: 2.5 }),
            1 => self.check_law(device, Flat { factor: 2.0 }),
            2 => self.check_law(device, Touch { reach: 0.375 }),
            _ => self.check_law(device, Uniform { cutoff: 0.3 }),
        }
    }

    /// Returns the vectors of a box of this length.
    fn vectors(&self, length: f64) -> Vectors {
        let [x, y, z] = [1.0, 1.3, 1.1].map(|factor| factor * length);
        match self.row[6] {
            0 => [Some([x, 0.0, 0.0]), Some([0.0, y, 0.0]), Some([0.0, 0.0, z])],
            1 => [Some([x, 0.0, 0.0]), None, Some([0.0, 0.0, z])],
            _ => [Some([x, 0.0, 0.0]), Some([-0.5 * x, y, 0.0]), Some([0.3 * x, -0.4 * y, z])],
        }
    }

    fn options(&self, vectors: Vectors) -> Options {
        let row = &self.row;
        let length = |k: usize| vectors[k].map_or(f64::INFINITY, |vector| vector[k]);
        let domain = match row[6] {
            2 => Domain::triclinic(vectors.map(Option::unwrap)).unwrap(),
            _ => Domain::periodic([0, 1, 2].map(length)).unwrap(),
        };
        Options::default()
            .precision(Precision::ALL[row[1]])
            .math(Math::ALL[row[2]])
            .accumulation(Accumulation::ALL[row[3]])
            .order((row[4] == 1).then_some(SummationOrder { bag: 32, splits: 2 }))
            .domain(domain)
    }

    fn check_law<X: Plain>(&self, device: &Device, law: X) -> Result<usize, String> {
        let mut random = Random(self.seed);
        let mut unit = move || random.below(1 << 20) as f64 / f64::from(1 << 20);
        let mut some = |n: usize| -> Vec<[[f64; 3]; 2]> {
            (0..n).map(|_| [(); 2].map(|()| [(); 3].map(|()| unit()))).collect()
        };
        let (of_i, of_j) = (some(self.n[0]), some(self.n[1]));
        let at = |place: [f64; 3], numbers| X::particle(place, numbers);
        let everyone = || of_i.iter().chain(&of_j).map(|[_, of]| at([0.0; 3], *of));
        let reach = |a: &X::I| everyone().map(|b| law.cutoff_of(a, &b)).fold(0.0, f64::max);
        let is_one = self.row[5] < 2;
        let greatest = if is_one {
            let set: Vec<_> = of_i.iter().map(|[_, of]| at([0.0; 3], *of)).collect();
            let of = |a: &X::I| set.iter().map(|b| law.cutoff_of(a, b)).fold(0.0, f64::max);
            set.iter().map(of).fold(0.0, f64::max)
        } else {
            everyone().map(|a| reach(&a)).fold(0.0, f64::max)
        };
        let length = RATIOS[self.row[7]] * greatest;
        let vectors = self.vectors(length);
        // Some particles are outside of the box.
        let place = |[place, of]: &[[f64; 3]; 2]| {
            at(place.map(|x| length * (if of[2] < 0.2 { 2.6 * x - 0.8 } else { x })), *of)
        };
        let i: Vec<_> = of_i.iter().map(place).collect();
        let j: Vec<_> = if is_one { i.clone() } else { of_j.iter().map(place).collect() };
        let options = self.options(vectors);
        let (checked, domain) = (if is_one { range_self } else { range }, options.domain);
        checked(&law, &options, &i, &j).map_err(message)?;
        let expected = direct(&law, vectors, &i, &j, is_one);
        let (truth, bounds) = if is_one {
            (
                reference_self::<_, f64>(&law, domain, &i, &j),
                ErrorBounds::one_set(&law, domain, &i, &j),
            )
        } else {
            (reference::<_, f64>(&law, domain, &i, &j), ErrorBounds::new(&law, domain, &i, &j))
        };
        let bounds = bounds.map_err(message)?.bounds(&options);
        near("the reference", &truth.map_err(message)?, &expected, None)?;
        let mut engine = AllPairs::with_options(device, law.clone(), options).map_err(message)?;
        let found = self.evaluate(&mut engine, [&i, &j])?;
        if RATIOS[self.row[7]] < 2.0 {
            let mut engine =
                ShortRange::with_options(device, law.clone(), options).map_err(message)?;
            let listed = self.evaluate(&mut engine, [&i, &j]);
            let is_constant = X::LAW.cutoff_reads.iter().all(|reads| reads.is_empty());
            if is_constant && X::DIMENSIONS > 1 {
                if bits(&listed?) != bits(&found) {
                    return Err("other bits by lists".to_owned());
                }
            } else if is_one && listed.is_ok() {
                return Err("lists of one dimension or of cutoffs by particles".to_owned());
            }
        }
        near("results", &found, &expected[..found.len()], Some(&bounds[..found.len()]))?;
        if X::COUNTS_ARE_BOUNDED
            && self.row[5] != 1
            && (device.is_cpu() || self.seed.is_multiple_of(2))
        {
            let mut engine = PairTotals::with_options(device, law, options).map_err(message)?;
            let uploaded = [engine.upload(&i), engine.upload(&j)].map(|it| it.map_err(message));
            let [i, j] = uploaded;
            let (i, j) = (i?, j?);
            let j = if is_one { Sources::Same(&j) } else { Sources::Others(&j) };
            let total = engine.total_of(&i, j).map_err(message)?;
            crate::totals::compare::<X::F>(&total, &expected, &bounds)?;
        }
        Ok(found.len())
    }

    fn evaluate<X: Plain>(
        &self,
        engine: &mut impl Engine<X>,
        [i, j]: [&[X::I]; 2],
    ) -> Result<Vec<X::F>, String> {
        let domain = engine.options().domain;
        let (i, j) = (engine.upload(i).map_err(message)?, engine.upload(j).map_err(message)?);
        let (sources, n) = match self.row[5] {
            0 => (Sources::Same(&j), i.len()),
            1 => (Sources::First(&j), i.len().div_ceil(2)),
            _ => (Sources::Others(&j), i.len()),
        };
        let mut once = |store| {
            let mut out = engine.results(n).map_err(message)?;
            engine.evaluate_with(&i, sources, &mut out, store).map_err(message)?;
            out.download::<f64>().map_err(message)
        };
        let (found, added) = (once(Store::Replace)?, once(Store::Add)?);
        if bits(&found) != bits(&added) {
            return Err("other bits if added to nothing".to_owned());
        }
        if engine.options().domain != domain {
            return Err("another domain after an evaluation".to_owned());
        }
        Ok(found)
    }
}

/// Compares results with direct sums: integers exactly, unless a bound allows more.
fn near<F: Record<Lane = f64>>(
    what: &str,
    found: &[F],
    expected: &[F],
    bounds: Option<&[F]>,
) -> Result<(), String> {
    let (found, expected) = (numbers(found), numbers(expected));
    let bounds = bounds.map_or(vec![0.0; found.len()], numbers);
    let largest =
        expected.iter().filter(|x| x.is_finite()).fold(0.0, |most: f64, x| most.max(x.abs()));
    for (k, ((found, expected), bound)) in found.iter().zip(&expected).zip(&bounds).enumerate() {
        let error = (found - expected).abs();
        let is_near = error <= bound + 1e-13 * largest.min(1e3);
        if found != expected && !is_near {
            return Err(format!("{what}, number {k}: {found}, expected {expected} ± {bound}"));
        }
    }
    Ok(())
}

/// Fails if a copy of the box is left out, if the image of a particle counts as the particle
/// itself, if displacements have other axes, and if the reference takes nearest images alone.
#[test]
fn all_images_within_the_cutoff_act_in_every_way() {
    let covering = Covering { choices: &OPTIONS, strength: 2, allows: &|_| true };
    let mut devices = levels();
    devices.extend(cuda_devices());
    check_rows(&covering, &devices, 0, &Way::of, &|device, way| way.check(device));
}

/// On a lattice many images are equally near: the lowest index counts, whatever its image.
#[test]
fn the_nearest_image_has_the_lowest_index() {
    let ball = |x: f64| Ball { pos: Point::new(x, 0.0, 0.0), h: 0.0, mass: 1.0 };
    // Lengths in cutoffs: 0.75, so that there are images on both sides.
    let balls = [0.5, 0.25, 0.0, 0.0625].map(ball);
    let domain = Domain::periodic([0.75, f64::INFINITY, f64::INFINITY]).unwrap();
    let law = contact::Nearest { cutoff: 1.0 };
    let alone = [ball(0.125)];
    for device in all_devices() {
        for &precision in Precision::ALL {
            let options = Options::default().precision(precision).domain(domain);
            let mut engine = AllPairs::with_options(&device, law, options).unwrap();
            let found = engine.evaluate_self::<f64>(&balls).unwrap();
            // The images of ball 0 are at -0.25, -1 and 1.25: as near to ball 2 as ball 1.
            let nearest: Vec<_> =
                found.iter().map(|f| (f.nearest.value, f.nearest.index)).collect();
            let expected = [(0.0625, 1), (0.035_156_25, 3), (0.003_906_25, 3), (0.003_906_25, 2)];
            assert_eq!(nearest, expected, "{device}");
            // From ball 2, ball 0 is at 0.5 and -0.25, and ball 1 at 0.25 and -0.5.
            let two: Vec<_> = balls[..3].to_vec();
            let found = engine.evaluate_self::<f64>(&two).unwrap();
            assert_eq!((found[2].nearest.value, found[2].nearest.index), (0.0625, 0), "{device}");
            // A particle alone meets its own images, and not itself.
            let found = engine.evaluate_self::<f64>(&alone).unwrap();
            assert_eq!((found[0].nearest.value, found[0].nearest.index), (0.5625, 0), "{device}");
            assert_eq!(found[0].count, 2, "{device}");
            // No row of the covering array needs one set, totals and own images at once.
            let mut totals = PairTotals::with_options(&device, law, options).unwrap();
            assert_eq!(totals.total_self::<f64>(&alone).unwrap().count, 2, "{device}");
        }
    }
}

/// Programs move particles between evaluations, and boxes change.
#[test]
fn images_follow_moving_particles_and_changing_boxes() {
    let law = Touch { reach: 1.0 };
    let beads = [0.0, 0.375].map(|x| Bead { pos: Point([x]), vel: Vector([0.125]), charge: 1.0 });
    let boxed = |length: f64| Domain::periodic([length, 1.0, 1.0]).unwrap();
    for device in all_devices() {
        let mut engine = AllPairs::new(&device, law).unwrap();
        let mut particles = engine.upload(&beads).unwrap();
        let mut out = engine.results(2).unwrap();
        let mut slide =
            PerParticle::new(&device, nbody_tests::line::line::Slide { dt: 1.0 }).unwrap();
        for length in [0.75, 4.0, 0.5] {
            engine.set_domain(boxed(length)).unwrap();
            slide.update(&mut particles, ()).unwrap();
            engine.evaluate_self_into(&particles, &particles, &mut out).unwrap();
            let (found, now) = (out.download::<f64>().unwrap(), particles.download().unwrap());
            let expected = direct(&law, [Some([length, 0.0, 0.0]), None, None], &now, &now, true);
            assert_eq!(numbers(&found), numbers(&expected), "{device} {length}");
        }
    }
}

#[test]
fn cutoffs_without_a_bound_and_too_many_images_are_refused() {
    let ball = Ball { pos: Point::new(0.0, 0.0, 0.0), h: 1.0, mass: 1.0 };
    let options = Options::default().domain(Domain::periodic([1.0; 3]).unwrap());
    let either = contact::Either { factor: 1.0 };
    let refused = |h: f64| {
        let balls = [Ball { h, ..ball }];
        let mut errors =
            vec![reference_self::<_, f64>(&either, options.domain, &balls, &balls).unwrap_err()];
        for device in all_devices() {
            let mut engine = AllPairs::with_options(&device, either, options).unwrap();
            errors.push(engine.evaluate_self::<f64>(&balls).unwrap_err());
            let mut engine = PairTotals::with_options(&device, either, options).unwrap();
            errors.push(engine.total_self::<f64>(&balls).unwrap_err());
            // Open space has no images.
            engine.set_domain(Domain::Open).unwrap();
            engine.total_self::<f64>(&balls).unwrap();
        }
        let first = errors[0].to_string();
        assert!(errors.iter().all(|error| error.to_string() == first), "{errors:?}");
        first
    };
    assert_eq!(
        refused(f64::INFINITY),
        "the cutoff of `either` may be infinite or NaN in a periodic box: expected a bound, within \
         which the images of a pair are summed; make it finite for every pair and independent of \
         positions, or leave the space open"
    );
    assert_eq!(refused(f64::NAN), refused(f64::INFINITY));
    assert_eq!(
        refused(10.0),
        "the cutoff of `either` is up to 10, within which a pair has images in 8000 copies of the \
         periodic box: expected up to 4096; take a larger box or a shorter cutoff"
    );
    let mut near = Neighbours::with_options(&Device::cpu(), nbody::Skin::Auto, options).unwrap();
    let uniform = ShortRange::new(&Device::cpu(), Uniform { cutoff: 0.5 }).unwrap();
    let shared = near.update(&near.upload(&[ball]).unwrap(), &[&uniform]).unwrap_err().to_string();
    assert!(shared.ends_with("or evaluate all pairs, which have all images"), "{shared}");
    let centred = NearCentre { centre: Point([0.0; 3]), cutoff: 0.75 };
    let anchor = [Anchor { at: Point([0.0; 3]), weight: 1.0 }];
    let mut errors =
        vec![reference_self::<_, f64>(&centred, options.domain, &anchor, &anchor).unwrap_err()];
    for device in all_devices() {
        let mut engine = AllPairs::with_options(&device, centred, options).unwrap();
        errors.push(engine.evaluate_self::<f64>(&anchor).unwrap_err());
    }
    for error in errors {
        assert_eq!(
            error.to_string(),
            "`near_centre` has a point among its parameters, which has no images, and a cutoff of up \
             to 0.75, more than half of the periodic box; take a larger box or a shorter cutoff"
        );
    }
    let balls = [Ball { h: 8.0, ..ball }];
    let found = reference_self::<_, f64>(&either, options.domain, &balls, &balls).unwrap();
    assert_eq!(found[0].count, 2102);
}
