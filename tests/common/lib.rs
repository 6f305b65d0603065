//! Interactions for the tests of engines; together they use the whole language.
#![allow(missing_docs)]

pub mod bodies;
pub mod charged;
pub mod contacts;
pub mod covering;
pub mod derived;
mod indexed;
pub mod inputs;
pub mod line;
pub mod listed;
pub mod lists;
pub mod particle_programs;
pub mod points;
pub mod scales;
pub mod spheres;
pub mod splines;
pub mod steps;
pub mod tuples;
pub mod ways;
pub mod words;

use std::path::PathBuf;

use nbody::law::Law;
use nbody::{Device, Math, Options, Pairs};
use nbody_interactions::Visitor;

pub use indexed::histogram;

/// Interactions of the library in a quick test, and with all ways in the emulator, besides the
/// interactions of this module: a short one, a long one, one with a cutoff and tables, and one of
/// smoothed particle hydrodynamics.
const REPRESENTATIVE: [&str; 4] = ["attraction", "hermite", "lennard_jones", "cubic_momentum3"];

/// Number of interactions of the library that share out the ways to compute.
const TURNS: usize = 3;

/// Number of ways to compute each interaction in a quick test.
const QUICK_WAYS: usize = 2;

/// Returns the folder of compiled programs that all tests share, in cargo's target folder: each
/// program is compiled once for all tests, and again only if its text or the compiler changes.
///
/// # Panics
///
/// Panics if the test does not run from a target folder.
pub fn kernels() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    test.ancestors().nth(3).expect("target/debug/deps/test").join("kernels")
}

/// Returns every device, the CPU first; at least one runs CUDA programs.
///
/// # Panics
///
/// Panics if no device runs CUDA programs, since a test would check nothing.
pub fn all_devices() -> Vec<Device> {
    [Device::cpu()].into_iter().chain(cuda_devices()).collect()
}

/// Returns the devices that run CUDA programs: GPUs and the emulator.
///
/// # Panics
///
/// Panics if there is none, since a test would check nothing.
pub fn cuda_devices() -> Vec<Device> {
    let devices = Device::all().into_iter().filter(|device| !device.is_cpu());
    let devices: Vec<_> = devices.map(|device| device.with_cache_dir(kernels())).collect();
    let is_there = !devices.is_empty();
    assert!(is_there, "no device runs CUDA programs; install a C++ compiler for the emulator");
    devices
}

/// Returns the emulator.
///
/// # Panics
///
/// Panics if there is no C++ compiler.
pub fn emulator() -> Device {
    Device::emulator().expect("a C++ compiler").with_cache_dir(kernels())
}

/// Tests whether this is a quick test, which compiles only some of the programs.
pub fn is_quick() -> bool {
    cfg!(feature = "quick")
}

/// Tests whether an interaction (`library`: of the library, else of this module) is part of this
/// test.
pub fn is_tested(law: &Law, library: bool) -> bool {
    !is_quick() || !library || REPRESENTATIVE.contains(&law.name)
}

/// Selects the ways to test from the ways to compute an interaction, default first: in a quick
/// test the default and a few others, which vary with `turn`.
pub fn tested<W>(law: &Law, library: bool, mut ways: Vec<W>, turn: usize) -> Vec<W> {
    if !is_quick() {
        return ways;
    }
    if !is_tested(law, library) {
        return Vec::new();
    }
    if let [_, others @ ..] = &mut *ways {
        let others_before = turn * (QUICK_WAYS - 1) % others.len().max(1);
        others.rotate_left(others_before);
    }
    ways.truncate(QUICK_WAYS);
    ways
}

/// Selects the ways that an interaction takes in turn with others. Interactions of the library that
/// are alike follow one another: each takes the default, every third way, and symmetric pairs in exact
/// mathematics, so that three of them take all.
pub fn in_turn(law: &Law, library: bool, mut ways: Vec<Options>, turn: usize) -> Vec<Options> {
    if library && !REPRESENTATIVE.contains(&law.name) {
        let mut place = 0..;
        ways.retain(|way| {
            let is_rare = way.math == Math::Exact && way.pairs == Pairs::Symmetric;
            place.next().is_some_and(|k| k == 0 || k % TURNS == turn % TURNS || is_rare)
        });
    }
    ways
}

/// Visits the interactions of the library and of this module.
pub fn visit_all(visitor: &mut impl Visitor) {
    nbody_interactions::visit_all(visitor);
    visit_others(visitor);
}

/// Visits the interactions of this module.
pub fn visit_others(visitor: &mut impl Visitor) {
    visitor.visit(arithmetic::Arithmetic::example());
    let strength = [[0.5, 0.25, 1.0, 2.0], [0.25, 0.125, 0.5, 1.0]].map(|row| row.map(|x| x / 2.0));
    visitor.visit(words::words::Words { salt: 0x9e37_79b9 });
    visitor.visit(derived::derived::Derived::example());
    visitor.visit(words::noise::Noise { seed: 7, step: 11 });
    visitor.visit(control::Control { strength, size: [1.0, 2.0, 0.5, 0.25], reach2: 0.5 });
    visitor.visit(extremes::Extremes { reach2: 0.03125, flag: 2 });
    visitor.visit(splines::splines::Tabulated::example());
    visitor.visit(splines::alloys::Alloy::example());
    visitor.visit(spaces::Spaces { scale: 0.625 });
    visitor.visit(grains::Grains { reach: 0.625 });
    visitor.visit(histogram::Histogram { reach2: 0.375 });
    visitor.visit(histogram::Shells { width: 16.0 });
    visitor.visit(functions::Functions);
    visitor.visit(line::line::Beads { eps2: 0.0625, drag: nbody::Vector([0.75]) });
    visitor.visit(wide::Wide);
    visitor.visit(names::Slot { float: 0.5, self_: 2.0 });
}

/// All operations that IEEE arithmetic defines to the last bit.
#[nbody::interaction]
pub mod arithmetic {
    const THIRD: Real = 1.0 / 3.0;
    const MASK: u32 = 1;
    // Zero and an infinity in single precision.
    const TINY: Real = 1e-46;
    const LARGE: Real = -3.5e38;

    pub struct Arithmetic {
        pub a: Real,
        pub at: Vector,
        pub shear: Tensor,
    }
    pub struct Target {
        pub pos: Point,
        pub kind: u32,
        pub flat: Vector<2>,
    }
    pub struct Source {
        pub flat: Vector<2>,
        pub pos: Point,
        pub raw: [Real; 3],
        pub strain: Tensor,
        pub kind: u32,
    }
    pub struct Sums {
        pub force: Vector,
        pub stress: Tensor,
        pub flat: Vector<2>,
        pub rows: [Real; 4],
        pub count: Real,
    }

    fn weight(x: Real, near: bool) -> Real {
        let mut w = 1.0 + x;
        if near && x < 0.5 {
            w *= 2.0;
        } else if !near {
            w -= x * THIRD;
        } else {
            w /= 2.0 + x;
        }
        w
    }

    /// The part of a tensor without a trace.
    fn deviator(t: Tensor) -> Tensor {
        let p = t.trace() * THIRD;
        t - Tensor::new(p, p, p, 0.0, 0.0, 0.0)
    }

    impl Interaction for Arithmetic {
        type I = Target;
        type J = Source;
        type F = Sums;
        const SELF_PAIRS: bool = true;

        fn pair(&self, i: &Target, j: &Source, f: &mut Sums) {
            let d = j.pos - i.pos;
            let r2 = d.norm2() + 1.0;
            let same = i.kind == j.kind;
            let w = weight(j.raw[0], same);
            let n = if same { r2.sqrt() } else { r2.rsqrt() + r2.recip() };
            f.force += w * n.powi(-3) * d.cross(self.at) / (self.a + d.norm());
            let mut t =
                if same { j.strain } else { Tensor::symmetric(d, self.at) - w * self.shear };
            t.xz += d.y;
            f.stress += deviator(t);
            f.stress -= Tensor::outer(d) / n;
            f.stress.yz += j.strain.dot(self.at).z;
            f.flat += (j.flat + i.flat) * (1.0 + j.raw[1]).powi(5);
            f.flat -= Vector::new(w, self.a * j.raw[2]);
            f.flat.y += j.raw[2].mul_add(self.a, 1.0);
            f.rows[0] += (4.0 * j.raw[0]).floor() + (4.0 * j.raw[1]).ceil();
            f.rows[1] += (8.0 * j.raw[1]).round() + (8.0 * j.raw[2]).trunc() + r2.rsqrt().powi(3);
            f.rows[2] += j.raw[0].min(j.raw[1]).max(j.raw[2].clamp(0.25, 0.75));
            f.rows[3] += (1.0 + n).copysign(1.0 + w) + (j.flat - i.flat).dot(j.flat).abs();
            if (j.kind ^ i.kind) & MASK == 0 {
                f.count += 1.0;
            }
            f.count += (j.raw[0] + 1e-300).max(LARGE) + TINY + 1e-400;
        }
    }
}

impl arithmetic::Arithmetic {
    /// Returns parameters for particles in the unit cube.
    pub fn example() -> Self {
        let at = nbody::Vector::new(0.5, 0.25, 1.0);
        Self { a: 0.75, at, shear: nbody::Tensor([0.5, 0.25, 1.0, 0.75, 0.125, 0.375]) }
    }
}

/// Guards, loops and tables.
#[nbody::interaction]
pub mod control {
    const AXES: u32 = 3;

    pub struct Control {
        /// Strength by the two types of i and the types of j.
        pub strength: [[Real; 4]; 2],
        pub size: [Real; 4],
        pub reach2: Real,
    }
    pub struct Target {
        pub pos: Point,
        pub kind: u32,
    }
    pub struct Source {
        pub pos: Point,
        pub raw: [Real; 6],
        pub kind: u32,
    }
    pub struct Sums {
        pub force: Vector,
        pub moments: [Real; 3],
        pub far: Real,
    }

    /// A kernel of compact support.
    fn weight(q2: Real) -> Real {
        if q2 >= 1.0 {
            return 0.0;
        }
        let rest = 1.0 - q2;
        if rest > 0.5 {
            let twice = rest + rest;
            return twice * rest;
        }
        rest
    }

    impl Interaction for Control {
        type I = Target;
        type J = Source;
        type F = Sums;

        fn pair(&self, i: &Target, j: &Source, f: &mut Sums) {
            let d = j.pos - i.pos;
            let r2 = d.norm2();
            f.far += r2;
            if r2 > self.reach2 {
                return;
            }
            // One row for the even types, one for the odd.
            let strength = self.strength[i.kind & 1][j.kind];
            let mut sum = weight(r2 / self.reach2) * strength;
            for k in 0..AXES {
                let mut product = 1.0 + j.raw[k] * j.raw[2 * k + 1];
                for l in 0..2 {
                    product *= 1.0 + j.raw[k + l];
                }
                f.moments[k] += product * (1.0 + k as Real);
                f.force[k] -= product * d[k];
                if j.raw[k] > 0.5 {
                    sum += d[k];
                    if d[k] > 0.25 && self.size[j.kind] > 0.75 {
                        return;
                    }
                }
            }
            f.force += sum * self.size[i.kind] * d;
        }
    }
}

/// Results that are not sums, beside one that is.
#[nbody::interaction]
pub mod extremes {
    pub struct Extremes {
        pub reach2: Real,
        pub flag: u32,
    }
    pub struct Target {
        pub pos: Point,
    }
    pub struct Source {
        pub pos: Point,
        pub kind: u32,
    }
    pub struct Found {
        pub count: Count,
        pub nearest: ArgMin<Real>,
        pub total: Real,
        pub farthest: Max<Real>,
        pub least: Min<Real>,
        pub flagged: ArgMin<Real>,
        pub outermost: ArgMax<Real>,
        pub closest: Nearest<4>,
    }

    impl Interaction for Extremes {
        type I = Target;
        type J = Source;
        type F = Found;

        fn pair(&self, i: &Target, j: &Source, f: &mut Found) {
            let r2 = (j.pos - i.pos).norm2();
            f.nearest.min(r2);
            f.farthest.max(r2.sqrt() - 2.0);
            if r2 > self.reach2 {
                return;
            }
            f.count += 1;
            f.total += 1.0 + r2;
            if j.kind == self.flag {
                f.flagged.min(r2);
                f.outermost.max(r2);
                f.closest.insert(r2);
                f.least.min(r2 + 1.0);
                f.count += j.kind;
            }
        }
    }
}

/// Positions in functions, a cutoff of each pair, and names that programs use for these.
#[nbody::interaction]
pub mod spaces {
    pub struct Spaces {
        pub scale: Real,
    }
    pub struct Target {
        pub pos: Point,
        pub reach: Real,
    }
    pub struct Source {
        pub pos: Point,
        pub kind: u32,
    }
    pub struct Sums {
        pub space: Vector,
        pub cutoff: Real,
    }

    fn difference(a: Point, b: Point) -> Vector {
        let space = b - a;
        -space
    }
    fn twice(reach: Real, a: Point, b: Point) -> Real {
        let space = difference(a, b);
        if reach > 0.21875 {
            return reach;
        }
        space.norm2() * 2.0
    }

    impl Interaction for Spaces {
        type I = Target;
        type J = Source;
        type F = Sums;

        fn cutoff(&self, i: &Target, j: &Source) -> Real {
            if j.kind == 0 {
                return 0.75;
            }
            // The cutoff has few values, so that no squared distance is within rounding errors of
            // its square.
            let d = j.pos - i.pos;
            if i.reach > 0.1875 && d.norm2() > 0.125 { self.scale } else { 0.5 * self.scale }
        }

        fn pair(&self, space: &Target, cutoff: &Source, reach: &mut Sums) {
            let d = cutoff.pos - space.pos;
            reach.space += difference(space.pos, cutoff.pos) * d.x;
            reach.cutoff += twice(space.reach, space.pos, cutoff.pos);
        }
    }
}

/// An interaction that the symmetric schedule can evaluate, with every kind of result, and
/// self pairs.
#[nbody::interaction]
pub mod grains {
    pub struct Grains {
        pub reach: Real,
    }
    pub struct Grain {
        pub at: Point<2>,
        pub spin: Real,
        pub kind: u32,
    }
    pub struct Felt {
        pub push: Vector<2>,
        pub stress: Tensor<2>,
        pub near: Count,
        pub sums: [Real; 3],
        pub least: Min<Real>,
        pub most: Max<Real>,
    }

    fn weight(r2: Real, spin: Real) -> Real {
        if spin > 0.5 {
            return 1.0 + r2;
        }
        spin
    }

    impl Interaction for Grains {
        type I = Grain;
        type J = Grain;
        type F = Felt;
        const SELF_PAIRS: bool = true;

        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            if i.spin > 0.5 || j.spin > 0.5 { self.reach } else { 0.5 * self.reach }
        }

        fn pair(&self, i: &Grain, j: &Grain, f: &mut Felt) {
            let d = i.at - j.at;
            let r2 = d.norm2();
            let own = weight(r2, i.spin) * j.spin;
            f.sums[0] += own;
            if i.kind == j.kind {
                f.near += 1;
                f.sums[1] += own * i.spin * j.spin;
                f.least.min(r2 + i.spin);
            }
            f.sums[2] -= i.spin - j.spin;
            f.push += own * d;
            f.stress += own * Tensor::symmetric(d, Vector::new(j.spin, i.spin));
            f.stress -= Tensor::outer(d);
            f.most.max(d.x * i.spin);
        }
    }
}

/// The functions whose last bits depend on the platform.
#[nbody::interaction]
pub mod functions {
    const QUARTER: Real = core::f64::consts::PI / 4.0;

    pub struct Functions;
    pub struct Number {
        pub x: Real,
    }
    pub struct Sums {
        pub circular: Real,
        pub inverse: Real,
        pub hyperbolic: Real,
        pub power: Real,
        pub error: Real,
    }

    impl Interaction for Functions {
        type I = Number;
        type J = Number;
        type F = Sums;
        const SELF_PAIRS: bool = true;

        fn pair(&self, i: &Number, j: &Number, f: &mut Sums) {
            let x = 0.25 + 0.25 * (i.x + j.x);
            f.circular += x.sin() + (QUARTER * x).cos() + x.tan();
            f.inverse += x.asin() + x.acos() + x.atan() + x.atan2(1.0 + j.x);
            f.hyperbolic += x.sinh() + x.cosh() + x.tanh();
            f.power += x.exp() + (2.0 + x).ln() + x.cbrt() + x.powf(1.5);
            f.error += x.erf() + x.erfc();
        }
    }
}

/// More accumulators than a thread has registers.
#[nbody::interaction]
pub mod wide {
    pub struct Wide;
    pub struct Number {
        pub x: Real,
    }
    pub struct Sums {
        pub rows: [Real; 160],
        pub more: [Real; 160],
    }

    impl Interaction for Wide {
        type I = Number;
        type J = Number;
        type F = Sums;

        fn pair(&self, i: &Number, j: &Number, f: &mut Sums) {
            f.rows[0] += j.x;
            f.rows[159] += i.x * j.x;
            f.more[80] -= j.x * j.x;
        }
    }
}

/// Names with a meaning in C++, in CUDA, in its headers or in our own program text.
#[nbody::interaction]
#[allow(non_upper_case_globals)]
pub mod names {
    const BAG: Real = 0.5;
    const INFINITY: Real = 2.0;
    const M_PI: Real = 3.0;
    const EOF: Real = 4.0;
    const NULL: Real = 0.25;
    const size_t: Real = 0.125;

    pub struct Slot {
        pub float: Real,
        pub self_: Real,
    }
    pub struct Dim {
        pub double: Point<2>,
        pub x: u32,
    }
    pub struct Launch {
        pub sums: Real,
        pub first: Real,
    }

    fn fold(namespace: Real) -> Real {
        namespace * INFINITY
    }
    fn errno(template: Real) -> Real {
        fold(template) + EOF
    }
    // Three that C++ would take for two.
    fn _step(é: Real) -> Real {
        é + size_t
    }
    fn step(r#type: Real) -> Real {
        _step(r#type) * NULL
    }
    fn assert(ue9: Real, é: Real) -> Real {
        step(ue9) - é
    }

    impl Interaction for Slot {
        type I = Dim;
        type J = Dim;
        type F = Launch;

        fn pair(&self, bag: &Dim, total: &Dim, current: &mut Launch) {
            let unsigned = total.double - bag.double;
            let split = errno(unsigned.norm2()) + self.self_;
            let split = split + BAG + assert(split, 1.0);
            current.sums += split * self.float;
            current.first -= M_PI + (bag.x as Real);
        }
    }
}
