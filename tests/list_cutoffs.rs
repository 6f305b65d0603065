//! Neighbour lists of cutoffs that depend on particles: the same on every device.

use nbody::prelude::*;
use nbody::{Error, HasCutoff, Interaction, ListState, Neighbours, Record, ShortRange, Skin};

#[nbody::interaction]
mod grains {
    pub struct Grain {
        pub h: Real,
        pub pos: Point,
        pub kind: u32,
        pub limits: [Real; 2],
        pub vel: Vector,
    }
    pub struct Wall {
        pub pos: Point,
        pub radius: Real,
    }
    pub struct Number {
        pub count: Count,
    }

    pub struct Uniform {
        pub cutoff: Real,
    }
    /// A cutoff for each pair of types.
    pub struct ByTypes {
        pub cutoffs: [[Real; 3]; 3],
    }
    /// A cutoff for each type of j.
    pub struct ByType {
        pub cutoffs: [Real; 3],
    }
    pub struct OfI {
        pub factor: Real,
    }
    pub struct Greater;
    pub struct Radii;
    /// A cutoff that grows with two numbers of a particle.
    pub struct Sums;
    /// A cutoff with branches and a helper function.
    pub struct Branches {
        pub threshold: Real,
    }
    /// A cutoff with an early return, of what moves.
    pub struct Moving {
        pub time: Real,
    }
    pub struct Powers {
        pub exponent: Real,
    }
    pub struct OfWall;

    const KINDS: u32 = 3;
    const HALF: Real = 0.5;

    fn mean(a: Real, b: Real) -> Real {
        HALF * (a + b)
    }
    fn least(a: Real, b: Real, threshold: Real) -> Real {
        if a < threshold {
            return mean(a, b);
        }
        a.min(b)
    }

    impl Interaction for Uniform {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, _i: &Grain, _j: &Grain) -> Real {
            self.cutoff
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for ByTypes {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            self.cutoffs[i.kind][j.kind]
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for ByType {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, _i: &Grain, j: &Grain) -> Real {
            self.cutoffs[j.kind]
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for OfI {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, _j: &Grain) -> Real {
            self.factor * i.h
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Greater {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            2.0 * i.h.max(j.h)
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Radii {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            i.h + j.h
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Sums {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            i.h.max(j.h) + i.limits[0].max(j.limits[0])
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Branches {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            let mut reach = least(i.h, j.limits[1], self.threshold);
            if i.kind == j.kind && i.kind + 1 < KINDS {
                reach *= 1.5;
            } else if j.kind == 0 {
                reach += 0.25 * i.limits[0];
            }
            let farther = if reach > self.threshold { 1.25 * reach } else { self.threshold };
            farther
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Moving {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            if j.kind == 2 {
                return i.h;
            }
            let mut reach = 0.5 * j.h;
            for k in 0..2 {
                reach += 0.125 * j.limits[k];
            }
            reach + self.time * (i.vel - j.vel).norm()
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Powers {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            (i.h * j.h).cbrt().powf(self.exponent) * (-i.h).exp().sqrt()
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for OfWall {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            i.h + j.radius
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
}
use grains::{
    Branches, ByType, ByTypes, Grain, Greater, Moving, OfI, OfWall, Powers, Radii, Sums, Uniform,
    Wall,
};

/// Pseudo-random numbers below 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Grains in a box of length 2, with smoothing lengths 100:1, similar ones side by side.
    fn grains(&mut self, n: usize) -> Vec<Grain> {
        let grain = |_| {
            let [x, y, z] = [0; 3].map(|_| 2.0 * self.next());
            let h = 0.3 * 100.0_f64.powf(-0.9 * x / 2.0 - 0.1 * self.next());
            let vel = nbody::Vector::new(self.next(), self.next(), self.next());
            let kind = [0, 1, 2].into_iter().find(|_| self.next() < 0.5).unwrap_or(2);
            Grain { h, pos: nbody::Point::new(x, y, z), kind, limits: [0.1 * y + 0.01, h], vel }
        };
        (0..n).map(grain).collect()
    }
}

/// Lists of the same particles on every device.
struct Lists(Vec<Neighbours>);

impl Lists {
    fn new(devices: &[Device], domain: Domain, skin: Skin) -> Self {
        Self(devices.iter().map(|it| Neighbours::new(it, domain, skin).unwrap()).collect())
    }

    /// Updates the lists of one set, or of two, and checks that they are those of the CPU. Returns the
    /// number of rebuilds, or the error.
    fn update<P, Q>(&mut self, i: &[P], j: Option<&[Q]>, of: &Engines) -> Result<u64, String>
    where
        P: Record<Lane = f64, Host = P>,
        Q: Record<Lane = f64, Host = Q>,
    {
        let mut first = None;
        for (k, near) in self.0.iter_mut().enumerate() {
            let of: Vec<_> = of.iter().map(|engines| &*engines[k]).collect();
            let particles = near.upload(i).unwrap();
            let updated = match j {
                None => near.update(&particles, &of),
                Some(j) => {
                    let j = near.upload(j).unwrap();
                    near.update_with(&particles, Sources::Others(&j), &of)
                }
            };
            let found = match updated.and_then(|()| near.stats()) {
                Err(error) => Err(error.to_string()),
                Ok(stats) => {
                    let figures = [stats.entries, stats.neighbours, stats.tested];
                    Ok((stats.rebuilds, stats.age, figures, near.to_csr().unwrap()))
                }
            };
            let expected = first.get_or_insert_with(|| found.clone());
            let is_same = found == *expected;
            let print = |it| match it {
                Ok((rebuilds, age, figures, _)) => format!("{rebuilds}, {age}, {figures:?}"),
                Err(error) => error,
            };
            assert!(is_same, "{}: {}; {}", near.device(), print(found), print(expected.clone()));
        }
        first.unwrap().map(|(rebuilds, ..)| rebuilds)
    }
}

/// Interactions, each on every device.
type Engines = [Vec<Box<dyn HasCutoff>>];

fn engines<X: Interaction>(devices: &[Device], x: X) -> Vec<Box<dyn HasCutoff>> {
    let engine = |device| -> Box<dyn HasCutoff> { Box::new(ShortRange::new(device, x).unwrap()) };
    devices.iter().map(engine).collect()
}

const ALONE: Option<&[Grain]> = None;

#[test]
fn lists_of_every_form_of_cutoff_are_those_of_the_cpu() {
    let devices = nbody_tests::all_devices();
    let cutoffs = [[0.05, 0.1, 0.2], [0.1, 0.15, 0.01], [0.2, 0.01, 0.3]];
    let laws = [
        vec![engines(&devices, ByTypes { cutoffs })],
        vec![engines(&devices, Branches { threshold: 0.02 })],
        vec![engines(&devices, Moving { time: 0.05 })],
        // Several at once, one of them constant.
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
    // A tree of several levels.
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
    // What the cutoff does not depend on.
    grains[7].kind = 1;
    grains[7].limits[1] = f64::NAN;
    assert_eq!(lists.update(&grains, ALONE, &law), Ok(1));
    let greatest = grains.iter().map(|grain| grain.h).fold(0.0, f64::max);
    grains[700].h = 1.5 * greatest;
    assert_eq!(lists.update(&grains, ALONE, &law), Ok(2));
    // Smaller, but within the bounds of its group.
    grains[700].h = 1.4 * greatest;
    assert_eq!(lists.update(&grains, ALONE, &law), Ok(2));
    // The cutoff is twice as long, and half of the skin is 0.005.
    // Negative numbers, of which there were none, may have longer cutoffs however small they are.
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
        // Beyond the bounds of all.
        (grown[7].h, grown[7].limits[0]) = (0.5, 0.5);
        assert_eq!(lists.update(&grown, ALONE, &law), Ok(1));
        grown[7].h += by;
        if k > 0 {
            grown[7].limits[0] += by;
        }
        assert_eq!(lists.update(&grown, ALONE, &law), Ok(if k < 2 { 1 } else { 2 }), "{by}");
    }
}

/// Within the skin cutoffs may not grow to half of the box, nor the box shrink to twice the cutoffs.
#[test]
fn cutoffs_of_half_of_the_box_are_refused_within_the_skin() {
    let devices = nbody_tests::all_devices();
    let law = [engines(&devices, Greater)];
    let cube = |length| Domain::periodic([length; 3]).unwrap();
    let mut grains = Random(10).grains(60);
    for grain in &mut grains {
        grain.h = 0.4375;
    }
    for (h, length, refused) in
        [(0.4375, 1.875, false), (0.45, 2.0, false), (0.5, 2.0, true), (0.4375, 1.625, true)]
    {
        let mut lists = Lists::new(&devices, cube(2.0), Skin::Length(1.0));
        assert_eq!(lists.update(&grains, ALONE, &law), Ok(1));
        for near in &mut lists.0 {
            near.set_domain(cube(length)).unwrap();
        }
        let mut now = grains.clone();
        for grain in &mut now {
            grain.pos = nbody::Point(grain.pos.0.map(|x| x * length / 2.0));
        }
        now[3].h = h;
        let updated = lists.update(&now, ALONE, &law);
        if refused {
            let error = updated.unwrap_err();
            assert!(error.contains("half"), "{h} in {length}: {error}");
        } else {
            assert_eq!(updated, Ok(1), "{h} in {length}");
        }
    }
}

/// Steps of a random history.
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

/// Within the margin, and then beyond, where the device builds the lists and the host does not know yet.
#[test]
fn states_have_the_cutoffs_and_the_box_that_lists_were_built_with() {
    let devices = nbody_tests::all_devices();
    let mut expected = None;
    for device in &devices {
        let of_lengths = |[x, _, z]: [f64; 3]| Domain::periodic([x, f64::INFINITY, z]).unwrap();
        let greater = ShortRange::new(device, Greater).unwrap();
        let mut lengths = [2.0, 1.0, 2.5];
        let new =
            |lengths| Neighbours::new(device, of_lengths(lengths), Skin::Length(0.04)).unwrap();
        let update = |near: &mut Neighbours, grains: &[Grain], cutoff: f64| {
            let uniform = ShortRange::new(device, Uniform { cutoff }).unwrap();
            let particles = near.upload(grains).unwrap();
            near.update(&particles, &[&greater, &uniform]).unwrap();
        };
        let mut near = new(lengths);
        let mut grains = Random(40).grains(300);
        update(&mut near, &grains, 0.1);
        let mut found = Vec::new();
        for (cutoff, moved) in [(0.11, 0.0), (0.12, 0.05)] {
            for axis in [0, 2] {
                lengths[axis] *= 0.999;
                for grain in &mut grains {
                    grain.pos[axis] *= 0.999;
                }
            }
            for grain in &mut grains {
                grain.h *= 1.001;
            }
            grains[5].pos.y += moved;
            near.set_domain(of_lengths(lengths)).unwrap();
            update(&mut near, &grains, cutoff);
            let (csr, state) = (near.to_csr().unwrap(), near.state().unwrap().unwrap());
            let rebuilds = near.rebuilds().unwrap();
            assert_eq!(rebuilds, if moved > 0.0 { 2 } else { 1 }, "{device}");
            assert_eq!(state.domain == near.domain(), rebuilds == 2, "{device}");
            assert!(near.state().unwrap() == Some(state.clone()), "{device}");
            let mut again = new(lengths);
            again.restore(&state).unwrap();
            update(&mut again, &grains, cutoff);
            assert_eq!(again.rebuilds().unwrap(), 1, "{device}");
            assert!(again.to_csr().unwrap() == csr, "{device}");
            // The entries of the build are known since the update.
            let state = ListState { room: [0; 2], ..state };
            let again = ListState { room: [0; 2], ..again.state().unwrap().unwrap() };
            assert!(again == state, "{device}");
            found.push((csr, state));
        }
        let expected = expected.get_or_insert_with(|| found.clone());
        assert!(found == *expected, "{device}");
    }
}

#[test]
fn states_of_other_interactions_are_refused() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let radii = ShortRange::new(device, Radii).unwrap();
        let uniform = ShortRange::new(device, Uniform { cutoff: 0.1 }).unwrap();
        let mut near = Neighbours::new(device, Domain::Open, Skin::Auto).unwrap();
        let particles = near.upload(&Random(41).grains(50)).unwrap();
        near.update(&particles, &[&radii]).unwrap();
        let state = near.state().unwrap().unwrap();
        let short = |mut state: ListState| {
            state.numbers[0][0].pop();
            state
        };
        for (state, of) in [
            (state.clone(), [&uniform as &dyn HasCutoff].as_slice()),
            (state.clone(), &[&radii, &uniform]),
            (short(state.clone()), &[&radii]),
            (ListState { numbers: Default::default(), ..state.clone() }, &[&radii]),
        ] {
            near.restore(&state).unwrap();
            let error = near.update(&particles, of).unwrap_err().to_string();
            assert!(error.contains("of lists"), "{device}: {error}");
        }
        near.restore(&state).unwrap();
        near.update(&particles, &[&radii]).unwrap();
    }
}

/// Another parameter of a constant cutoff: 0.04 is the margin.
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
        // More numbers of a particle than one.
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

/// Records with the numbers of two cutoffs, or of one of them.
#[nbody::interaction]
mod records {
    pub struct Both {
        pub pos: Point,
        pub h: Real,
        pub g: Real,
    }
    pub struct Exchanged {
        pub pos: Point,
        pub g: Real,
        pub h: Real,
    }
    pub struct OfH {
        pub h: Real,
        pub pos: Point,
    }
    pub struct OfG {
        pub pos: Point,
        pub g: Real,
    }
    pub struct Number {
        pub count: Count,
    }
    pub struct ByH;
    pub struct ByG;
    pub struct Exchange;

    impl Update for Exchange {
        type P = Both;
        type Q = Exchanged;
        fn update(&self, p: &mut Both, q: &Exchanged) {
            p.h = q.g;
            p.g = q.h;
        }
    }

    impl Interaction for ByH {
        type I = OfH;
        type J = OfH;
        type F = Number;
        fn cutoff(&self, i: &OfH, j: &OfH) -> Real {
            i.h.max(j.h)
        }
        fn pair(&self, _i: &OfH, _j: &OfH, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for ByG {
        type I = OfG;
        type J = OfG;
        type F = Number;
        fn cutoff(&self, i: &OfG, j: &OfG) -> Real {
            i.g.max(j.g)
        }
        fn pair(&self, _i: &OfG, _j: &OfG, f: &mut Number) {
            f.count += 1;
        }
    }
}

use records::{Both, ByG, ByH, Exchanged, OfG, OfH};

/// Returns the neighbours of particles, by these cutoffs.
fn neighbours(of: &[Both], cutoff: fn(&Both) -> f64) -> usize {
    let near = |a: &Both, b: &Both| (a.pos - b.pos).norm() < cutoff(a).max(cutoff(b));
    let pairs = of
        .iter()
        .enumerate()
        .flat_map(|(k, a)| of.iter().enumerate().filter(move |&(l, b)| k != l && near(a, b)));
    pairs.count()
}

/// Returns the neighbours by lists.
fn counted<X, P>(engine: &mut ShortRange<X>, near: &Neighbours, of: &[P]) -> Result<usize, Error>
where
    X: Interaction<F = records::Number>,
    P: Record<Lane = f64, Host = P>,
{
    let particles = near.upload(of)?;
    let mut out = engine.results(of.len())?;
    engine.evaluate_into(near, &particles, &mut out)?;
    let found = engine.download::<f64>(&out)?;
    Ok(found.iter().map(|it| it.count as usize).sum())
}

#[test]
fn cutoffs_are_found_in_the_records_of_each_buffer() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut random = Random(11);
        let mut both: Vec<_> = (0..400)
            .map(|_| Both {
                pos: Point([0; 3].map(|_| random.next())),
                h: 0.02 + 0.02 * random.next(),
                g: 0.2 + 0.1 * random.next(),
            })
            .collect();
        let exchanged = |both: &[Both]| -> Vec<_> {
            both.iter().map(|it| Exchanged { pos: it.pos, g: it.g, h: it.h }).collect()
        };
        let of_h = |both: &[Both]| -> Vec<_> {
            both.iter().map(|it| OfH { h: it.h, pos: it.pos }).collect()
        };
        let of_g = |both: &[Both]| -> Vec<_> {
            both.iter().map(|it| OfG { pos: it.pos, g: it.g }).collect()
        };
        let mut by_h = ShortRange::new(device, ByH).unwrap();
        let mut by_g = ShortRange::new(device, ByG).unwrap();
        let mut near = Neighbours::new(device, Domain::Open, Skin::Length(0.001)).unwrap();
        let expected = |both: &[Both]| [neighbours(both, |it| it.h), neighbours(both, |it| it.g)];
        let first = near.upload(&both).unwrap();
        near.update(&first, &[&by_h, &by_g]).unwrap();
        // The same numbers in other records, and then greater ones.
        let mut before = both.clone();
        for _ in 0..2 {
            before.clone_from(&both);
            let others = near.upload(&exchanged(&both)).unwrap();
            near.update(&others, &[&by_h, &by_g]).unwrap();
            let found = [
                counted(&mut by_h, &near, &exchanged(&both)).unwrap(),
                counted(&mut by_g, &near, &exchanged(&both)).unwrap(),
            ];
            assert_eq!(found, expected(&both), "{device}");
            // Each interaction needs its own alone.
            let found = [
                counted(&mut by_h, &near, &of_h(&both)).unwrap(),
                counted(&mut by_g, &near, &of_g(&both)).unwrap(),
            ];
            assert_eq!(found, expected(&both), "{device}");
            for it in &mut both {
                (it.h, it.g) = (1.5 * it.h, 1.25 * it.g);
            }
        }
        let grown = expected(&both);
        assert!(grown[1] > grown[0] && grown[0] > 50, "{grown:?}");
        let old = counted(&mut by_h, &near, &of_h(&both)).unwrap_err().to_string();
        assert!(old.contains("their cutoffs depend on has changed"), "{device}: {old}");
        // What another cutoff depends on makes no difference.
        for it in &mut before {
            it.g = 9.0;
        }
        let found = counted(&mut by_h, &near, &exchanged(&before)).unwrap();
        assert_eq!(found, expected(&before)[0], "{device}");
        let old = counted(&mut by_g, &near, &exchanged(&before)).unwrap_err().to_string();
        assert!(old.contains("their cutoffs depend on has changed"), "{device}: {old}");
        // Records that have one of the numbers.
        let short = near.upload(&of_g(&both)).unwrap();
        near.update(&short, &[&by_g]).unwrap();
        assert_eq!(counted(&mut by_g, &near, &of_g(&both)).unwrap(), grown[1], "{device}");
        let short = near.upload(&of_h(&both)).unwrap();
        near.update(&short, &[&by_h]).unwrap();
        assert_eq!(counted(&mut by_h, &near, &of_h(&both)).unwrap(), grown[0], "{device}");
    }
}

#[test]
fn cutoffs_without_bounds_are_refused() {
    let devices = nbody_tests::all_devices();
    let by_type = engines(&devices, ByType { cutoffs: [0.1, 0.2, 0.3] });
    let law = [engines(&devices, Greater), by_type];
    let mut lists = Lists::new(&devices, Domain::Open, Skin::Auto);
    let good = Random(4).grains(200);
    assert_eq!(lists.update(&good, ALONE, &law), Ok(1));
    for (h, kind, named) in
        [(f64::NAN, 0, "greater"), (f64::INFINITY, 0, "greater"), (0.1, 3, "by_type")]
    {
        let mut bad = good.clone();
        (bad[77].h, bad[77].kind) = (h, kind);
        let error = lists.update(&bad, ALONE, &law).unwrap_err();
        assert!(error.contains(named), "{error}");
    }
    assert_eq!(lists.update(&good, ALONE, &law), Ok(2));
    let mut lists = Lists::new(&devices, Domain::periodic([2.0; 3]).unwrap(), Skin::Auto);
    assert_eq!(lists.update(&good, ALONE, &law), Ok(1));
    let mut bad = good.clone();
    bad[3].h = 0.625;
    let error = lists.update(&bad, ALONE, &law).unwrap_err();
    assert!(error.contains("1.25"), "{error}");
    assert_eq!(lists.update(&good, ALONE, &law), Ok(2));
}
