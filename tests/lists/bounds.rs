//! Bounds of declared cutoffs for groups of particles, compared with the cutoffs of particles in
//! the groups.

use nbody::Interaction;
use nbody::law::{FieldKind, Interval, Law, Open, Reader, Record, Scalar, Writer};
use nbody_interactions::{Visitor, visit_all};

#[nbody::interaction]
mod cutoffs {
    pub struct Grain {
        pub pos: Point,
        pub vel: Vector,
        pub kind: u32,
        pub h: Real,
        pub mass: Real,
    }
    pub struct Wall {
        pub h: Real,
        pub normal: [Real; 2],
        pub pos: Point,
        pub kind: u32,
    }
    pub struct Number {
        pub count: Count,
    }

    pub struct Uniform {
        pub reach: Real,
    }
    pub struct ByTypes {
        pub reach: [[Real; 4]; 4],
    }
    pub struct ByType {
        pub reach: [Real; 4],
    }
    pub struct OfI;
    pub struct OfEither;
    pub struct OfBoth;
    pub struct Branches;
    pub struct Returns;
    pub struct Helps;
    pub struct Root;
    pub struct Moving {
        pub time: Real,
    }
    pub struct Positioned;
    pub struct Composed {
        pub axis: Vector,
        pub weights: [Real; 6],
        pub table: [[Real; 4]; 2],
    }
    pub struct Functions {
        pub shift: Real,
    }
    pub struct Ranges;
    pub struct Whole {
        pub reach: [Real; 8],
    }

    const TERMS: u32 = 6;

    /// The first terms of a series.
    fn series(x: Real, terms: u32) -> Real {
        let mut sum = 0.25;
        for k in 0..TERMS {
            if terms == k {
                return sum;
            }
            sum += x / (1.0 + k as Real);
        }
        sum - 0.125
    }
    fn turned(v: Vector, by: Real) -> Vector {
        let mut w = v * by;
        w.x -= v.y;
        w / 2.0
    }
    fn is_far(x: Real, near: bool) -> bool {
        x > 1.5 && !near || x >= 2.5
    }

    fn mean(a: Real, b: Real) -> Real {
        0.5 * (a + b)
    }

    impl Interaction for Uniform {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, _i: &Grain, _j: &Wall) -> Real {
            self.reach
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for ByTypes {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            self.reach[i.kind][j.kind]
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for ByType {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, _i: &Grain, j: &Wall) -> Real {
            self.reach[j.kind]
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for OfI {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, _j: &Wall) -> Real {
            2.1 * i.h
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for OfEither {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            i.h.max(j.h)
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for OfBoth {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            i.h + j.h
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Branches {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            if i.kind == j.kind { i.h } else { 3.0 }
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Returns {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            if i.h < j.normal[1] {
                return 0.3;
            }
            let mut reach = j.h;
            if i.kind > 1 {
                reach *= 1.7;
            }
            reach
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Helps {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            mean(i.h, mean(j.h, j.normal[0]))
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Root {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            (i.h * j.h).sqrt()
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Moving {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            j.h + self.time * i.vel.norm()
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Positioned {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            i.h + (i.pos - j.pos).norm()
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Composed {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            let across = turned(i.vel, self.weights[1]).cross(self.axis);
            let mut modes = [j.normal[0], i.h, j.normal[1], i.mass];
            for k in 0..4 {
                modes[k] *= self.weights[k + 1];
            }
            let far = is_far(i.h, j.kind == i.kind);
            let first = if i.kind > j.kind {
                let mode = modes[i.kind];
                mode + self.weights[j.kind]
            } else if j.kind == 3 && far {
                self.table[1][i.kind & 1] * 2.0
            } else {
                let mut sum = 0.5;
                for k in 1..4 {
                    if k != 2 || i.h < j.h {
                        sum += modes[k].abs().sqrt();
                    }
                }
                sum
            };
            let mut kind = i.kind;
            if !far {
                kind = (i.kind * 3 - j.kind) & 3;
                if j.kind > 1 {
                    kind = 3 - kind;
                }
            }
            let second = if far != (kind <= 1) { across.norm() } else { across.dot(i.vel).abs() };
            first + second + series(j.h, kind) + self.table[j.kind & 1][(kind ^ 1) & 3]
                - (kind | 4) as Real * 0.125
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Functions {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            let a = i.h;
            let b = j.h;
            let c = i.mass;
            let roots = a.sqrt() + b.rsqrt() + c.recip() + a.cbrt() + b * a.rsqrt().powi(3);
            let powers =
                a.powi(3) + (a - b).powi(2) + c.powi(-2) + a.powf(b) + a.powi(0) + b.powi(1);
            let exponentials = a.exp() + b.ln() + a.sinh() + b.cosh() + c.tanh();
            let whole = (a * 3.0).floor() + b.ceil() + (c * 2.0).round() + (a - b).trunc();
            let chosen = a.min(b).max(c) + a.clamp(0.5, b.max(0.5)) + (b - 1.0).copysign(a - c);
            let sums = a.mul_add(b, c) + i.vel.norm2() + self.shift - i.vel.dot(i.vel) * 0.5;
            roots + powers + exponentials + whole + chosen + sums
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Ranges {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            let a = i.h;
            let b = j.h;
            let c = (a - b) / 4.0;
            a.sin() - b.cos() + c.asin() - c.acos() + b.atan() + a.atan2(b) + c.erf() - b.erfc()
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Whole {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            let bin = (2.0 * i.h) as u32;
            let spread = (i.kind + 1).mul_high(0x55555556 * j.kind);
            let bits = (bin * 3 ^ j.kind).count_ones() + (i.kind.rotate_left(30) >> 31);
            let chosen = bin.min(j.kind).max((j.h * 1e10) as u32 >> 30) + (j.h - 2.0) as u32;
            self.reach[bin.min(7)] + (spread + bits * 2 + chosen) as Real
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
}
use cutoffs::{
    Branches, ByType, ByTypes, Composed, Functions, Helps, Moving, OfBoth, OfEither, OfI,
    Positioned, Ranges, Returns, Root, Uniform, Whole,
};

/// Numbers of a record, integers among them.
#[derive(Default)]
struct Numbers(Vec<f64>);

impl Writer<f64> for Numbers {
    fn real(&mut self, value: f64) {
        self.0.push(value);
    }
    fn index(&mut self, value: u32) {
        self.0.push(value.into());
    }
    fn coordinate(&mut self, value: f64) {
        self.0.push(value);
    }
}

struct From<'a>(std::slice::Iter<'a, f64>);

impl<S: Scalar> Reader<S> for From<'_> {
    fn real(&mut self) -> S {
        S::from_f64(*self.0.next().unwrap())
    }
    fn index(&mut self) -> u32 {
        let number = *self.0.next().unwrap();
        (0..64).find(|&n| f64::from(n) == number).unwrap()
    }
    fn coordinate(&mut self) -> S::Coordinate {
        S::coordinate(*self.0.next().unwrap())
    }
}

fn record<P: Record>(numbers: &[f64]) -> P
where
    P::Lane: Scalar,
{
    P::read(&mut From(numbers.iter()))
}

fn numbers<P: Record<Lane = f64>>(record: &P) -> Vec<f64> {
    let mut numbers = Numbers::default();
    record.write(&mut numbers);
    numbers.0
}

/// Returns the cutoff of two particles in arithmetic of `S`.
fn cutoff<X: Interaction, S: Scalar>(parameters: &[f64], i: &[f64], j: &[f64]) -> f64 {
    let parameters = record::<X::With<S>>(parameters);
    let (i, j) = (record::<<X::I as Record>::With<S>>(i), record(j));
    X::cutoff::<S, Open>(&parameters, &Open, &i, &j).to_f64()
}

fn reach(law: &Law, parameters: &[f64], i: &[Interval], j: &[Interval]) -> Interval {
    let parameters: Vec<_> = parameters.iter().map(|&x| Interval::from(x)).collect();
    law.reach(&parameters, i, j)
}

/// Random numbers: `SplitMix64` (Steele, Lea & Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(n)) as f64
    }

    fn within(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.below(1 << 30) / f64::from(1 << 30)
    }

    /// Returns bounds of each number of a particle; the bounds coincide if `is_one`.
    fn bounds<P: Record>(&mut self, is_one: bool) -> Vec<Interval> {
        let kinds = P::FIELDS.iter().flat_map(|field| vec![field.kind; field.kind.components()]);
        let number = |kind| {
            let mut one = || match kind {
                FieldKind::U32 => self.below(4),
                FieldKind::Vector(_) => self.within(-2.0, 2.0),
                _ => self.within(0.125, 3.0),
            };
            let (a, b) = (one(), one());
            let b = if is_one { a } else { b };
            Interval::new(a.min(b), a.max(b))
        };
        kinds.map(number).collect()
    }

    /// Returns a particle of a group, often at the bounds of its numbers.
    fn particle<P: Record>(&mut self, bounds: &[Interval]) -> Vec<f64> {
        let kinds = P::FIELDS.iter().flat_map(|field| vec![field.kind; field.kind.components()]);
        let number = |(kind, &Interval { lo, hi, .. }): (_, &_)| {
            let inside = match kind {
                FieldKind::U32 => self.within(lo, hi + 1.0).floor(),
                _ => self.within(lo, hi),
            };
            let which = self.within(0.0, 3.0);
            if which < 1.0 {
                lo
            } else if which < 2.0 {
                hi
            } else {
                inside
            }
        };
        kinds.zip(bounds).map(number).collect()
    }
}

/// Checks bounds for random groups.
struct Groups {
    laws: usize,
    tightness: Tightness,
}

/// Groups whose bounds must be close to the cutoffs of particles.
#[derive(Clone, Copy, PartialEq)]
enum Tightness {
    /// All groups.
    Groups,
    /// Groups with one value for each number. Wider bounds are loose where a number occurs twice
    /// in a cutoff, since both occurrences are bounded independently.
    Points,
    /// No group: only the ranges of functions are known.
    Loose,
}

impl Groups {
    fn new(tightness: Tightness) -> Self {
        Self { laws: 0, tightness }
    }
}

impl Visitor for Groups {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        let law = X::LAW;
        let parameters = numbers(&interaction);
        let mut random = Random(law.name.len() as u64);
        if !law.cutoff {
            let [i, j] = [random.bounds::<X::I>(false), random.bounds::<X::J>(false)];
            assert_eq!(reach(law, &parameters, &i, &j), Interval::from(f64::INFINITY));
            assert_eq!(law.cutoff_reads, [&[]; 2]);
            return;
        }
        self.laws += 1;
        for group in 0..40 {
            let is_one = group % 4 == 0;
            let [i, j] = [random.bounds::<X::I>(is_one), random.bounds::<X::J>(is_one)];
            let bounds = reach(law, &parameters, &i, &j);
            let name = law.name;
            assert!(bounds.is_finite(), "{name}: {bounds:?}");
            let mut most = f64::NEG_INFINITY;
            for _ in 0..1000 {
                let [i, j] = [random.particle::<X::I>(&i), random.particle::<X::J>(&j)];
                for found in
                    [cutoff::<X, f64>(&parameters, &i, &j), cutoff::<X, f32>(&parameters, &i, &j)]
                {
                    assert!(bounds.contains(found), "{name}: {found} {bounds:?} {i:?} {j:?}");
                    most = most.max(found);
                }
            }
            let is_tight = match self.tightness {
                Tightness::Groups => true,
                Tightness::Points => is_one,
                Tightness::Loose => false,
            };
            let is_most = bounds.hi <= most * (1.0 + 1e-5);
            assert!(!is_tight || is_most, "{name}: {most} {bounds:?} {i:?} {j:?}");
            let is_least = bounds.lo >= most * (1.0 - 1e-5);
            assert!(!(is_one && is_tight) || is_least, "{name}: {most} {bounds:?}");
            // The bounds read no other number.
            let read = |bounds: Vec<Interval>, read: &[usize]| -> Vec<_> {
                let other = |k| if read.contains(&k) { bounds[k] } else { Interval::WHOLE };
                (0..bounds.len()).map(other).collect()
            };
            let [of_i, of_j] = law.cutoff_reads;
            assert_eq!(reach(law, &parameters, &read(i, of_i), &read(j, of_j)), bounds, "{name}");
        }
    }
}

#[test]
fn bounds_hold_for_the_interactions_of_the_package() {
    let mut groups = Groups::new(Tightness::Groups);
    visit_all(&mut groups);
    assert_eq!(groups.laws, 19);
}

#[test]
fn bounds_hold_for_every_form_of_cutoff() {
    let entry = |k: usize, l: usize| 0.1 * (1 + k.max(l)) as f64 + 0.7 * k.min(l) as f64;
    let mut groups = Groups::new(Tightness::Groups);
    groups.visit(Uniform { reach: 0.1 });
    let table = std::array::from_fn(|k| std::array::from_fn(|l| entry(k, l)));
    groups.visit(ByTypes { reach: table });
    groups.visit(ByType { reach: [0.1, 2.0, 0.7, 1.0] });
    groups.visit(OfI);
    groups.visit(OfEither);
    groups.visit(OfBoth);
    groups.visit(Branches);
    groups.visit(Returns);
    groups.visit(Helps);
    groups.visit(Root);
    groups.visit(Moving { time: 0.3 });
    assert_eq!(groups.laws, 11);
    let mut groups = Groups::new(Tightness::Points);
    groups.visit(Composed {
        axis: nbody::Vector([0.3, -0.4, 0.7]),
        weights: [1.0, 0.5, 1.25, 0.75, 2.0, 0.9],
        table: std::array::from_fn(|k| std::array::from_fn(|l| 0.5 + entry(k, l))),
    });
    groups.visit(Functions { shift: 9.0 });
    groups.visit(Whole { reach: [0.5, 0.75, 0.25, 1.0, 1.5, 0.125, 2.0, 3.0] });
    groups.tightness = Tightness::Loose;
    groups.visit(Ranges);
    assert_eq!(groups.laws, 4);
}

#[test]
fn numbers_that_a_cutoff_reads_are_known() {
    fn reads<X: Interaction>() -> [&'static [usize]; 2] {
        X::LAW.cutoff_reads
    }
    assert_eq!(reads::<Uniform>(), [&[], &[]] as [&[usize]; 2]);
    assert_eq!(reads::<ByTypes>(), [&[6], &[6]]);
    assert_eq!(reads::<OfI>(), [&[7][..], &[]]);
    assert_eq!(reads::<OfBoth>(), [&[7], &[0]]);
    assert_eq!(reads::<Returns>(), [&[6, 7][..], &[0, 1, 2]]);
    assert_eq!(reads::<Helps>(), [&[7][..], &[0, 1, 2]]);
    assert_eq!(reads::<Moving>(), [&[3, 4, 5][..], &[0]]);
    // Positions are left out.
    assert_eq!(reads::<Positioned>(), [&[7][..], &[]]);
}

#[test]
fn cutoffs_without_bounds_are_told() {
    let mut random = Random(1);
    let [i, j] = [true, true].map(|is_one| random.bounds::<cutoffs::Grain>(is_one));
    let j = [&[Interval::from(1.0); 6][..], &j[6..7]].concat();
    let bounds = reach(Positioned::LAW, &[], &i, &j);
    assert!(bounds.hi == f64::INFINITY && bounds.may_be_nan, "{bounds:?}");
    // A type beyond the end of the table.
    let mut beyond = j.clone();
    beyond[6] = Interval::new(3.0, 4.0);
    let bounds = reach(ByType::LAW, &[1.0; 4], &i, &beyond);
    assert!(bounds.may_be_nan && !bounds.is_finite(), "{bounds:?}");
    let mut negative = i.clone();
    negative[7] = Interval::new(-1.0, 1.0);
    assert!(reach(Root::LAW, &[], &negative, &j).may_be_nan);
    assert!(!reach(Uniform::LAW, &[f64::NAN], &i, &j).is_finite());
    assert!(!reach(Uniform::LAW, &[1e39], &i, &j).is_finite());
}
