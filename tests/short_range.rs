//! Neighbour lists against all pairs: for every interaction with a cutoff, on every kind of input.

use std::time::{Duration, Instant};

use nbody::prelude::*;
use nbody::{
    Accumulation, Case, CoreError, CpuNeighbours, CpuParticles, CpuResults, CpuShortRange, Engine,
    Interaction, Math, Reader, Record, Scalar, Skin, Store,
};
use nbody_interactions::Visitor;

/// Lists that are built for each evaluation.
struct Lists<X> {
    engine: CpuShortRange<X>,
    domain: Domain,
    skin: Skin,
}

impl<X: Interaction> Lists<X> {
    fn new(x: X, options: Options, skin: Skin) -> Self {
        let engine = CpuShortRange::with_options(x, options.domain(Domain::Open)).unwrap();
        Self { engine, domain: options.domain, skin }
    }
}

impl<X: Interaction> Engine<X> for Lists<X> {
    type Error = CoreError;
    type Particles<P: Record<Lane = f64>> = CpuParticles<P>;
    type Results = CpuResults<X::F>;

    fn upload<P>(&self, particles: &[P]) -> Result<CpuParticles<P::Host>, CoreError>
    where
        P: Record,
        P::Lane: Scalar,
    {
        CpuParticles::pack(particles, self.engine.options().precision)
    }

    fn results(&self, n: usize) -> Result<CpuResults<X::F>, CoreError> {
        self.engine.results(n)
    }

    fn evaluate_with(
        &mut self,
        i: &CpuParticles<X::I>,
        j: Sources<'_, CpuParticles<X::J>>,
        out: &mut CpuResults<X::F>,
        store: Store,
    ) -> Result<(), CoreError> {
        let precision = self.engine.options().precision;
        let mut near = CpuNeighbours::with_precision(self.domain, self.skin, precision)?;
        near.update_with(i, j, &[&self.engine])?;
        self.engine.evaluate_with(&near, i, j, out, store)
    }

    fn time(
        &mut self,
        i: &CpuParticles<X::I>,
        j: Sources<'_, CpuParticles<X::J>>,
        out: &mut CpuResults<X::F>,
    ) -> Result<Duration, CoreError> {
        let start = Instant::now();
        self.evaluate_with(i, j, out, Store::Replace)?;
        Ok(start.elapsed())
    }

    fn download<S: Scalar>(
        &self,
        results: &CpuResults<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, CoreError> {
        self.engine.download::<S>(results)
    }
}

/// Random numbers, of which coordinates are distributed in one of several ways. All are multiples of
/// 2^-10 and small enough that differences and squares of distances are exact in `f32`.
struct Random {
    state: u64,
    inputs: Inputs,
    coordinate: usize,
    /// The particle is in a dense part, or far away.
    special: bool,
}

/// The distributions of particles.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Inputs {
    Uniform,
    /// Most particles in a thousandth of the volume.
    Dense,
    Slab,
    Plane,
    /// Some particles very far away.
    Far,
    Point,
}

impl Random {
    fn new(inputs: Inputs, seed: u64) -> Self {
        Self { state: seed, inputs, coordinate: 0, special: false }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) % n
    }
}

impl Reader<f64> for Random {
    /// Returns a number in (0, 1/4], such as a smoothing length.
    fn real(&mut self) -> f64 {
        (self.below(256) + 1) as f64 / 1024.0
    }

    fn index(&mut self) -> u32 {
        self.below(4) as u32
    }

    fn coordinate(&mut self) -> f64 {
        let axis = self.coordinate % 3;
        self.coordinate += 1;
        if axis == 0 {
            self.special = self.below(16) == 0;
        }
        let x = self.below(2048) as f64 / 1024.0;
        match self.inputs {
            Inputs::Dense if !self.special => self.below(205) as f64 / 1024.0,
            Inputs::Slab if axis == 2 => x / 16.0 - x / 16.0 % (1.0 / 1024.0),
            Inputs::Plane if axis == 1 => 0.5,
            Inputs::Far if self.special => 262_144.0 + self.below(2048) as f64 / 32.0,
            Inputs::Point => 1.0,
            _ => x,
        }
    }
}

fn particles<P: Record<Lane = f64>>(n: usize, inputs: Inputs, seed: u64) -> Vec<P> {
    let mut random = Random::new(inputs, seed);
    (0..n).map(|_| P::read(&mut random)).collect()
}

/// Checks the cases of an interaction.
struct Check {
    sizes: &'static [usize],
    laws: usize,
}

impl Visitor for Check {
    fn visit<X: Interaction>(&mut self, x: X) {
        if !X::LAW.cutoff {
            return;
        }
        self.laws += 1;
        let domains = [
            Domain::Open,
            Domain::periodic([2.0; 3]).unwrap(),
            Domain::periodic([2.0, f64::INFINITY, 4.0]).unwrap(),
        ];
        let each = [
            Inputs::Uniform,
            Inputs::Dense,
            Inputs::Slab,
            Inputs::Plane,
            Inputs::Far,
            Inputs::Point,
        ];
        for (turn, inputs) in each.into_iter().enumerate() {
            for (k, &n) in self.sizes.iter().enumerate() {
                let domain = domains[(turn + k + self.laws) % domains.len()];
                let (i, j) = (particles(n, inputs, 1), particles(n, inputs, 2));
                let one =
                    Case::one_set(&x, domain, particles(n, inputs, 3), particles(n, inputs, 3));
                for case in [Case::two_sets(&x, domain, i, j), one.unwrap()] {
                    check(&x, domain, inputs, &case, turn + k);
                }
            }
        }
    }
}

fn check<X: Interaction>(x: &X, domain: Domain, inputs: Inputs, case: &Case<X>, turn: usize) {
    let precision = [Precision::Single, Precision::Double, Precision::Mixed][turn % 3];
    let accumulation = [Accumulation::BlockedF64, Accumulation::Direct, Accumulation::Compensated];
    let math = [Math::Fast, Math::Exact][turn / 2 % 2];
    let options = Options::default().precision(precision).domain(domain).math(math);
    let options = options.accumulation(accumulation[turn % 3]);
    let skin = [Skin::Auto, Skin::Length(0.0), Skin::Length(0.375)][turn % 3];
    let mut lists = Lists::new(*x, options, skin);
    if let Err(CoreError::CutoffBeyondBox { .. }) = case.evaluate(&mut lists) {
        return;
    }
    let report = case.check(&mut lists, &options).unwrap();
    // Some interactions are infinite where particles coincide.
    let infinite =
        inputs == Inputs::Point && report.fields.iter().any(|field| field.non_finite > 0);
    assert!(
        report.passes() || infinite,
        "{} {} {inputs:?} {domain:?} {options:?} {skin:?}\n{report}",
        X::LAW.name,
        case.name()
    );
}

#[test]
fn lists_give_the_results_of_all_pairs() {
    let mut check = Check { sizes: &[0, 1, 2, 31, 32, 33, 257], laws: 0 };
    nbody_tests::visit_all(&mut check);
    assert!(check.laws > 12, "{} laws with a cutoff", check.laws);
}
