//! Programs per particle as text give the bits of their compiled forms.

use nbody::law::{Declarations, ParticleProgram, Record};
use nbody::prelude::*;
use nbody::untyped::{Beside, Buffer};
use nbody::{Interaction, Measure, Store, Update};
use nbody_tests::inputs::{Digits, Inputs, particles};
use nbody_tests::particle_programs::{
    Advance, Body, Drift, Energy, Kick, Mark, Pull, Relax, Runner, Spread, Star,
};
use nbody_tests::steps::programs::{
    Attract, Census, Course, Guide, Impulse, Item, Lamp, Merge, Mirror, Paced, Rescale, Retally,
    Shine, Spacing, Take,
};

use super::cases::{declared, download, upload, words};

/// No multiple of the particles of a block.
const N: usize = 301;
const COURSE: Course = Course { scale: 0.7 };

fn rows<P: Record<Lane = f64>>(seed: u64) -> Vec<u64> {
    words(&particles::<P>(N, Inputs::Uniform, Digits::All, seed))
}

/// Runs programs on particles of a device.
struct Runs<'a> {
    device: &'a Device,
    domain: Domain,
    precision: Precision,
    declared: &'a Declarations,
}

impl Runs<'_> {
    /// Compares a program with its declared form; returns the words of both.
    fn both<X: Record<Lane = f64>, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        &self,
        program: &'static ParticleProgram,
        parameters: X,
    ) {
        let q = upload(self.device, Q::FIELDS, &rows::<Q>(5), self.precision);
        let f = self.results(Pull { eps2: 0.25 });
        let g: Vec<_> = program.g.iter().map(|_| self.total(COURSE)).collect();
        let g: Vec<_> = g.iter().map(|it| &**it).collect();
        let beside = Beside { q: &[&*q][..program.q.len()], f: &[&*f][..program.f.len()], g: &g };
        self.same::<X, P>(program, parameters, beside);
    }

    /// Compares a program with its declared form, for these buffers besides the particles.
    fn same<X: Record<Lane = f64>, P: Record<Lane = f64>>(
        &self,
        program: &'static ParticleProgram,
        parameters: X,
        beside: Beside,
    ) {
        let device = self.device.untyped();
        let run = |program: &'static ParticleProgram| {
            let mut p = upload(self.device, P::FIELDS, &rows::<P>(7), self.precision);
            let mut runner =
                device.per_particle(X::FIELDS, &words(std::slice::from_ref(&parameters))).unwrap();
            runner.set_domain(self.domain).unwrap();
            if program.total.is_empty() {
                runner.update(program, &mut *p, beside, None).unwrap();
                download(&*p)
            } else {
                runner.measure(program, &*p, beside).unwrap()
            }
        };
        let declared = self.declared.program(program.name).unwrap();
        assert_eq!(declared.changes, program.changes);
        let (found, expected) = (run(declared), run(program));
        let Self { domain, precision, .. } = self;
        assert_eq!(found, expected, "{} {domain:?} {precision:?}", program.name);
    }

    /// Returns the total of a measure as text, which the host has not seen.
    fn total<M: Measure>(&self, measure: M) -> Box<dyn Buffer> {
        let device = self.device.untyped();
        let items = upload(self.device, M::PROGRAM.p, &rows::<Item>(7), self.precision);
        let mut course = device.per_particle(M::PROGRAM.parameters, &words(&[measure]));
        let course = course.as_mut().unwrap();
        let declared = self.declared.program(M::PROGRAM.name).unwrap();
        let [found, expected] = [declared, M::PROGRAM].map(|program| {
            let mut total = device.total(program.total).unwrap();
            course.measure_into(program, &*items, Beside::default(), &mut *total).unwrap();
            total
        });
        assert_eq!(download(&*found), download(&*expected));
        found
    }

    /// Returns results of an interaction for the particles.
    fn results<X: Interaction>(&self, law: X) -> Box<dyn Buffer> {
        let options = Options::default().precision(self.precision);
        let (parameters, law) = (words(&[law]), X::LAW);
        let mut engine = self.device.untyped().all_pairs(law, &parameters, options).unwrap();
        let bodies = upload(self.device, law.i, &rows::<X::I>(7), self.precision);
        let mut out = engine.results(N).unwrap();
        engine.evaluate(&*bodies, Sources::Same(&*bodies), &mut *out, Store::Replace).unwrap();
        out
    }
}

#[test]
fn totals_as_text_have_the_bits_of_compiled_totals() {
    let declared = &declared("tests/common/steps.rs");
    let device = &Device::cpu();
    let domain = Domain::periodic([1.0, 0.5, 2.0]).unwrap();
    for &precision in Precision::ALL {
        let runs = Runs { device, domain, precision, declared };
        runs.both::<_, Item, Guide>(Paced::PROGRAM, Paced { rate: 0.3 });
        runs.both::<_, Item, Guide>(Retally::PROGRAM, Retally { scale: 0.7 });
        let last = N as u32 - 1;
        runs.both::<_, Item, Guide>(Mirror::PROGRAM, Mirror { rate: 0.3, last });
        runs.both::<_, Item, Guide>(Spacing::PROGRAM, Spacing { last });
        runs.both::<_, Item, Item>(Take::PROGRAM, Take);
        runs.both::<_, Item, Guide>(Rescale::PROGRAM, Rescale { heat: 0.5 });
    }
}

/// Programs that read several records of each kind.
#[test]
fn programs_of_several_records_as_text_have_the_bits_of_compiled_programs() {
    let declared = &declared("tests/common/steps.rs");
    let domain = Domain::periodic([1.0, 0.5, 2.0]).unwrap();
    for device in &nbody_tests::all_devices() {
        for (k, &precision) in Precision::ALL.iter().enumerate() {
            let runs = Runs { device, domain, precision, declared };
            let other = Precision::ALL[(k + 1) % Precision::ALL.len()];
            let guides = upload(device, Guide::<f64>::FIELDS, &rows::<Guide>(5), precision);
            let lamps = upload(device, Lamp::<f64>::FIELDS, &rows::<Lamp>(3), other);
            let pulled = [0.25, 1.5].map(|eps2| runs.results(Attract { eps2 }));
            let glow = Runs { precision: other, ..runs }.results(Shine { scale: 0.3 });
            let (pace, impulse) = (runs.total(COURSE), runs.total(Impulse { dt: 0.2 }));
            let beside = Beside {
                q: &[&*guides, &*lamps],
                f: &[&*pulled[0], &*glow, &*pulled[1]],
                g: &[&*pace, &*impulse],
            };
            let (rate, last) = (0.3, N as u32 - 1);
            runs.same::<_, Item>(Merge::PROGRAM, Merge { rate, last }, beside);
            runs.same::<_, Item>(Census::PROGRAM, Census { rate, last }, beside);
        }
    }
}

#[test]
fn programs_as_text_have_the_bits_of_compiled_programs() {
    let declared = &declared("tests/common/particle_programs.rs");
    let device = &Device::cpu();
    for domain in [Domain::Open, Domain::periodic([1.0, 0.5, 2.0]).unwrap()] {
        for &precision in Precision::ALL {
            let runs = Runs { device, domain, precision, declared };
            runs.both::<_, Body, Star>(Kick::PROGRAM, Kick { dt: 0.125 });
            runs.both::<_, Body, Star>(Drift::PROGRAM, Drift { dt: 0.3 });
            runs.both::<_, Body, Star>(Relax::PROGRAM, Relax { rate: 0.7 });
            runs.both::<_, Body, Star>(Energy::PROGRAM, Energy { scale: 0.5 });
            runs.both::<_, Star, Star>(Spread::PROGRAM, Spread { scale: 0.5 });
            if domain.is_open() {
                runs.both::<_, Runner, Runner>(Advance::PROGRAM, Advance { dt: 0.1 });
                runs.both::<_, Runner, Runner>(Mark::PROGRAM, Mark);
            }
        }
    }
}
