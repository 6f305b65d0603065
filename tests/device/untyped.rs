//! Engines without types: their parameters, and rows that they refuse.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nbody::cpu::SimdLevel;
use nbody::law::{Field, FieldKind, Law, ParticleProgram};
use nbody::prelude::*;
use nbody::untyped::{self, Buffer, Origin, OwnedRows, Rows};
use nbody::{Error, Measure as _, Store};
use nbody_interactions::gravity::Gravity;
use nbody_tests::bodies::{GRAVITY, bodies};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Ball, Near, Uniform};
use nbody_tests::particle_programs::{Energy, Relax, Star};

const WIDE: u64 = u32::MAX as u64 + 1;
const FIELDS: &[Field] = &[
    Field { name: "x", kind: FieldKind::Real },
    Field { name: "kind", kind: FieldKind::U32 },
    Field { name: "id", kind: FieldKind::U32 },
];

/// Parameters that are set on the untyped engine of a shell are parameters of the shell.
#[test]
fn shells_have_the_parameters_of_their_engines() {
    for device in nbody_tests::all_devices() {
        let row = [0.75_f64.to_bits()];
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        direct.untyped_mut().set_parameters(&row).unwrap();
        assert_eq!(
            (direct.parameters(), direct.untyped().parameters()),
            (Gravity { eps2: 0.75 }, &row[..])
        );
        let mut tree = Tree::new(&device, GRAVITY, Opening::theta(0.7)).unwrap();
        tree.untyped_mut().set_parameters(&row).unwrap();
        assert_eq!(tree.parameters(), Gravity { eps2: 0.75 });
        tree.untyped_mut().set_parameters(&[0, 0]).unwrap_err();
        assert_eq!(tree.parameters(), Gravity { eps2: 0.75 });
        let mut near = ShortRange::new(&device, Uniform { cutoff: 0.125 }).unwrap();
        let balls = Random(1).balls(50);
        near.evaluate_self::<f64>(&balls).unwrap();
        near.untyped_mut().set_parameters(&row).unwrap();
        let law = near.parameters();
        assert_eq!(law, Uniform { cutoff: 0.75 });
        let expected: Vec<Near> =
            nbody::check::reference_self(&law, Domain::Open, &balls, &balls).unwrap();
        assert_eq!(near.evaluate_self::<f64>(&balls).unwrap(), expected, "{device}");
        near.set_parameters(Uniform { cutoff: 0.5 });
        assert_eq!(near.untyped().parameters(), [0.5_f64.to_bits()]);
    }
}

/// Integers that need more than 32 bits are refused where rows enter, on each device alike.
#[test]
fn wide_integers_are_refused() {
    for device in nbody_tests::all_devices() {
        let untyped = device.untyped();
        for precision in [Precision::Single, Precision::Mixed, Precision::Double] {
            let mut words = [0.5_f64.to_bits(), u32::MAX.into(), 0].repeat(7);
            let rows = OwnedRows::new(FIELDS, words.clone()).unwrap();
            let found = untyped.upload(&rows, precision).unwrap();
            let mut read = vec![0; words.len()];
            found.read(0..7, &mut |write| write(0..7, &mut read)).unwrap();
            assert_eq!(read, words, "{device}");
            (words[3 * 6 + 1], words[3 * 5 + 2]) = (u64::MAX, WIDE);
            let rows = OwnedRows::new(FIELDS, words).unwrap();
            let error = untyped.upload(&rows, precision).unwrap_err();
            let (what, field) = ("particles", FIELDS[2]);
            assert_eq!(
                error,
                Error::WideInteger { what, index: 5, field, found: WIDE },
                "{device}"
            );
        }
        let (what, field) = ("parameters", FIELDS[1]);
        let expected = Error::WideInteger { what, index: 0, field, found: WIDE };
        let error = untyped.per_particle(FIELDS, &[0, WIDE, 1]).unwrap_err();
        assert_eq!(error, expected, "{device}");
        let mut engine = untyped.per_particle(FIELDS, &[0, 1, 1]).unwrap();
        assert_eq!(engine.set_parameters(&[0, WIDE, 1]), Err(expected), "{device}");
    }
}

/// Parameters of laws that are integers have 32 bits, too.
#[test]
fn wide_parameters_of_laws_are_refused() {
    let law = <counted::Counted as nbody::Interaction>::LAW;
    let (good, wide) = ([3], [WIDE + 3]);
    let (what, field) = ("parameters", Field { name: "times", kind: FieldKind::U32 });
    let expected = Error::WideInteger { what, index: 0, field, found: WIDE + 3 };
    let options = Options::default();
    for device in nbody_tests::all_devices() {
        let untyped = device.untyped();
        let opening = Opening::theta(0.5);
        let errors = [
            untyped.all_pairs(law, &wide, options).unwrap_err(),
            untyped.short_range(law, &wide, options).unwrap_err(),
            untyped.tree(law, &wide, opening, options).unwrap_err(),
            untyped.all_pairs(law, &good, options).unwrap().set_parameters(&wide).unwrap_err(),
            untyped.short_range(law, &good, options).unwrap().set_parameters(&wide).unwrap_err(),
            untyped.tree(law, &good, opening, options).unwrap().set_parameters(&wide).unwrap_err(),
        ];
        assert!(errors.iter().all(|error| *error == expected), "{device}: {errors:?}");
    }
}

#[nbody::interaction]
mod counted {
    pub struct Counted {
        pub times: u32,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Sum {
        pub pot: Real,
    }

    impl Interaction for Counted {
        type I = Body;
        type J = Body;
        type F = Sum;
        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let one = if self.times == 3 { 1.0 } else { 2.0 };
            f.pot += one * j.mass * ((j.pos - i.pos).norm2() + 1.0).rsqrt();
        }
    }
}

/// Records whose number and fields differ at each call.
struct Restless(AtomicUsize);

impl Restless {
    fn next(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

impl Rows for Restless {
    fn count(&self) -> usize {
        5 + self.next()
    }
    fn fields(&self) -> &'static [Field] {
        &FIELDS[..4 - self.next().clamp(1, 3)]
    }
    fn write(&self, _: Range<usize>, rows: &mut [u64]) {
        rows.fill(7);
    }
}

#[test]
fn uploads_read_the_fields_of_rows_once() {
    for device in nbody_tests::all_devices() {
        for precision in [Precision::Single, Precision::Mixed, Precision::Double] {
            let rows = Restless(AtomicUsize::new(0));
            let found = device.untyped().upload(&rows, precision).unwrap();
            assert_eq!((found.len(), found.fields()), (5, FIELDS), "{device}");
            let mut read = vec![0; 15];
            found.read(0..5, &mut |write| write(0..5, &mut read)).unwrap();
            assert_eq!(read[1..3], [7, 7], "{device}");
        }
    }
}

/// Some rows of results are these rows of all results.
#[test]
fn parts_of_results_are_read() {
    let bodies = bodies(37);
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            let options = Options::default().precision(precision);
            let mut direct = AllPairs::with_options(&device, GRAVITY, options).unwrap();
            let particles = direct.upload(&bodies).unwrap();
            let mut out = direct.results(37).unwrap();
            direct.evaluate_self_into(&particles, &particles, &mut out).unwrap();
            let out = out.untyped();
            let words: usize = out.fields().iter().map(|field| field.kind.components()).sum();
            let read = |rows: Range<usize>| {
                let mut read = vec![0; rows.len() * words];
                out.read(rows.clone(), &mut |write| write(0..rows.len(), &mut read)).unwrap();
                read
            };
            let all = read(0..37);
            assert!(all.iter().all(|word| *word != 0));
            for rows in [0..1, 5..6, 3..20, 36..37, 1..37, 9..9] {
                let of_all = &all[rows.start * words..rows.end * words];
                assert_eq!(read(rows.clone()), of_all, "{rows:?} {precision} {device}");
            }
            assert!(out.read(30..38, &mut |_| {}).is_err());
        }
    }
}

/// Particles in place of results are called particles, and not results of another device.
#[test]
fn particles_are_no_results() {
    let is = |found: Result<_, Error>, what, kind| {
        assert_eq!(found, Err(Error::OtherBuffer { what, found: kind }));
    };
    for device in nbody_tests::all_devices() {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let bodies = direct.upload(&bodies(3)).unwrap();
        // Results have the fields of particles that are uploaded as rows of them.
        let rows = OwnedRows::new(direct.untyped().law().f, vec![0; 12]).unwrap();
        let mut out = device.untyped().upload(&rows, Precision::Single).unwrap();
        let i = bodies.untyped();
        let done = direct.untyped_mut().evaluate(i, Sources::Same(i), &mut *out, Store::Replace);
        is(done, "results", "particles");
        let program = Energy::PROGRAM;
        let mut energy = device.untyped().per_particle(program.parameters, &[0]).unwrap();
        let stars = device.upload(&[Star::<f64>::default(); 3], Precision::Single).unwrap();
        let results = direct.results(3).unwrap();
        let mut measure = |p: &dyn Buffer, q: &dyn Buffer, f: &dyn Buffer| {
            energy.measure(program, p, untyped::Beside { q: &[q], f: &[f], g: &[] })
        };
        let (bodies, stars, results) = (bodies.untyped(), stars.untyped(), results.untyped());
        is(measure(bodies, results, results).map(drop), "second particles", "results");
        is(measure(bodies, stars, stars).map(drop), "results", "particles");
        is(measure(results, stars, results).map(drop), "particles", "results");
    }
}

/// Buffers of another device are called by its name.
#[test]
fn buffers_of_another_device_are_named() {
    let [cpu, emulator] = [Device::cpu(), nbody_tests::emulator()];
    for (here, there) in [(&cpu, &emulator), (&emulator, &cpu)] {
        let mut direct = AllPairs::new(here, GRAVITY).unwrap();
        let theirs = there.upload(&bodies(3), Precision::Single).unwrap();
        let mut out = direct.results(3).unwrap();
        let error = direct.evaluate_self_into(&theirs, &theirs, &mut out).unwrap_err();
        let expected = format!("i-particles of {there} given to {here}; ");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

/// A walk is refused in the name of the device.
#[test]
fn walks_are_refused_in_the_name_of_the_device() {
    let device = Device::cpu_with(SimdLevel::Scalar).unwrap();
    let mut tree = Tree::new(&device, GRAVITY, Opening::theta(0.7)).unwrap();
    let error = tree.set_walk(nbody::cuda::Walk::Particles).unwrap_err().to_string();
    assert!(error.contains(&format!("on {device};")), "{error}");
}

/// A device that uploads other records than it is given.
#[derive(Debug)]
struct Liar(Device);

impl untyped::Device for Liar {
    fn name(&self) -> String {
        "liar".to_owned()
    }
    fn simd_level(&self) -> Option<SimdLevel> {
        None
    }
    fn trim(&self) -> Result<(), Error> {
        Ok(())
    }
    fn upload(&self, _: &dyn Rows, precision: Precision) -> Result<Box<dyn Buffer>, Error> {
        self.0.untyped().upload(&OwnedRows::new(FIELDS, Vec::new())?, precision)
    }
    fn all_pairs(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn untyped::Engine>, Error> {
        self.0.untyped().all_pairs(law, parameters, options)
    }
    fn tree(
        &self,
        law: &'static Law,
        parameters: &[u64],
        opening: Opening,
        options: Options,
    ) -> Result<Box<dyn untyped::Tree>, Error> {
        self.0.untyped().tree(law, parameters, opening, options)
    }
    fn short_range(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn untyped::ShortRange>, Error> {
        self.0.untyped().short_range(law, parameters, options)
    }
    fn neighbours(
        &self,
        domain: Domain,
        origin: Origin,
        precision: Precision,
    ) -> Result<Box<dyn untyped::Neighbours>, Error> {
        self.0.untyped().neighbours(domain, origin, precision)
    }
    fn per_particle(
        &self,
        fields: &'static [Field],
        parameters: &[u64],
    ) -> Result<Box<dyn untyped::PerParticle>, Error> {
        self.0.untyped().per_particle(fields, parameters)
    }
    fn total(&self, fields: &'static [Field]) -> Result<Box<dyn Buffer>, Error> {
        self.0.untyped().total(fields)
    }
    fn pair_totals(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn untyped::PairTotals>, Error> {
        self.0.untyped().pair_totals(law, parameters, options)
    }
    fn tuples(
        &self,
        program: &'static ParticleProgram,
        parameters: &[u64],
    ) -> Result<Box<dyn untyped::Tuples>, Error> {
        self.0.untyped().tuples(program, parameters)
    }
    fn selection(&self) -> Result<Box<dyn untyped::Selection>, Error> {
        self.0.untyped().selection()
    }
    fn sequence(&self) -> Option<Box<dyn untyped::Sequence>> {
        None
    }
    fn connect(
        &self,
        communicator: &Arc<dyn untyped::Communicator>,
    ) -> Result<untyped::Connection, Error> {
        self.0.untyped().connect(communicator)
    }
}

#[test]
fn particles_of_a_device_have_the_fields_of_their_type() {
    let device = Device::new(Arc::new(Liar(Device::cpu())));
    let error = device.upload(&[Ball::<f64>::default()], Precision::Single).unwrap_err();
    assert!(
        matches!(error, Error::OtherRecord { what: "particles", found: FIELDS, .. }),
        "{error}"
    );
    assert!(PerParticle::new(&device, Relax { rate: 0.5 }).is_ok());
}
