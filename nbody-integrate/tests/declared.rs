//! Laws as text through every integrator: the bits of compiled laws on every device, and particles
//! as rows.

use std::ops::Range;

use nbody::law::{Field, FieldKind, Law, declare, read};
use nbody::untyped::{self, OwnedRows, Rows};
use nbody::{
    AllPairs, Device, Domain, Engine, Math, Opening, Options, Precision, ShortRange, Tree,
};
use nbody_integrate::{
    BlockHermite, Energies, Error, Hermite, HermiteOptions, Integrator, Leapfrog, Motion, Start,
};
use nbody_interactions::gravity::Gravity;
use nbody_interactions::hermite;
use nbody_interactions::lennard_jones::{Atom, ShiftedLennardJones};
use nbody_models::{plummer, uniform};

const STEP: f64 = 0.01;

/// More particles than a batch of an upload.
const N: usize = 300;

/// Returns a law of a file of ready interactions.
fn law(file: &str, name: &str) -> &'static Law {
    let path = format!("{}/../interactions/src/{file}.rs", env!("CARGO_MANIFEST_DIR"));
    read(path).unwrap().law(name).unwrap()
}

fn devices() -> Vec<Device> {
    let devices = Device::all();
    assert!(devices.len() >= 2, "the CPU and the emulator: {devices:?}");
    devices
}

/// Returns stars; the last two are massless and at one place.
fn stars(n: usize) -> Vec<Motion> {
    let particles = plummer(n - 1, 1).unwrap().particles;
    let mut motions: Vec<_> =
        particles.iter().map(|it| Motion::new(it.pos, it.vel, it.mass)).collect();
    motions[n - 2].mass = 0.0;
    motions.push(motions[n - 2]);
    motions
}

/// Takes four steps, replaces the run, and takes five more.
fn interrupted<R: Integrator>(mut run: R, rest: impl FnOnce(&R) -> R) -> (R, Energies) {
    (0..4).try_for_each(|_| run.advance()).unwrap();
    let mut run = rest(&run);
    (0..5).try_for_each(|_| run.advance()).unwrap();
    let energies = run.energies().unwrap();
    (run, energies)
}

/// Takes nine steps.
fn whole<R: Integrator>(mut run: R) -> (R, Energies) {
    (0..9).try_for_each(|_| run.advance()).unwrap();
    let energies = run.energies().unwrap();
    (run, energies)
}

/// Engines of one interaction: of the compiled law, and of the law as text.
struct Pair<X: nbody::Interaction> {
    what: String,
    compiled: Box<dyn Fn() -> Box<dyn Engine<X>>>,
    declared: Box<dyn Fn() -> Box<dyn untyped::Engine>>,
}

/// Returns engines for all pairs and by trees that are opened by an angle.
fn pairs<X: nbody::Interaction>(
    device: &Device,
    law: &'static Law,
    interaction: X,
) -> [Pair<X>; 2] {
    assert!(!std::ptr::eq(law, X::LAW) && law.name == X::LAW.name, "{law:?} is a text");
    let [a, b, c, d] = [(); 4].map(|()| device.clone());
    let options = Options::default().precision(Precision::Mixed);
    let other = interaction.clone();
    let direct = move || AllPairs::with_options(&a, other.clone(), options).unwrap();
    let in_double = Options::default().precision(Precision::Double).math(Math::Exact);
    let opening = Opening::theta(0.7);
    let tree = move || Tree::with_options(&b, interaction.clone(), opening, in_double).unwrap();
    let row = direct().untyped().parameters().to_vec();
    let same_row = row.clone();
    [
        Pair {
            what: format!("{device}, {}, all pairs", law.name),
            compiled: Box::new(move || Box::new(direct())),
            declared: Box::new(move || c.untyped().all_pairs(law, &row, options).unwrap()),
        },
        Pair {
            what: format!("{device}, {}, tree", law.name),
            compiled: Box::new(move || Box::new(tree())),
            declared: Box::new(move || {
                d.untyped().tree(law, &same_row, opening, in_double).unwrap()
            }),
        },
    ]
}

#[test]
fn leapfrog_of_a_text_has_the_bits_of_the_compiled_law() {
    let (law, stars) = (law("gravitation", "gravity"), stars(N));
    for device in &devices() {
        // Zero softening, which integrators raise for bodies at one place.
        for Pair { what, compiled, declared } in pairs(device, law, Gravity { eps2: 0.0 }) {
            let (expected, energies) = whole(Leapfrog::new(compiled(), &stars, STEP).unwrap());
            let run = Leapfrog::of(device, declared(), &stars, STEP).unwrap();
            let (found, found_energies) = interrupted(run, |run| {
                let checkpoint = run.checkpoint().unwrap();
                Leapfrog::resume_of(device, declared(), &stars, &checkpoint, STEP).unwrap()
            });
            assert_eq!(found.time(), expected.time(), "{what}");
            assert!(found.checkpoint().unwrap() == expected.checkpoint().unwrap(), "{what}");
            assert_eq!(found_energies, energies, "{what}");
            let time = 0.5 * (found.time() + found.next_time());
            let expected = expected.motions_at(time).unwrap();
            assert!(found.motions_at(time).unwrap() == expected, "{what}");
            assert!(expected.iter().zip(&stars).all(|(a, b)| a.pos != b.pos), "{what}");
        }
    }
}

#[test]
fn hermite_of_a_text_has_the_bits_of_the_compiled_law() {
    let (law, stars) = (law("gravitation", "hermite"), stars(64));
    for device in &devices() {
        for Pair { what, compiled, declared } in pairs(device, law, hermite::Hermite { eps2: 1e-4 })
        {
            let options = HermiteOptions::default().iterations(2);
            let (expected, energies) = whole(Hermite::new(compiled(), &stars, options).unwrap());
            let run = Hermite::of(device, declared(), &stars, options).unwrap();
            let (found, found_energies) = interrupted(run, |run| {
                let checkpoint = run.checkpoint().unwrap();
                Hermite::resume_of(device, declared(), &stars, &checkpoint, options).unwrap()
            });
            assert!(found.checkpoint().unwrap() == expected.checkpoint().unwrap(), "{what}");
            assert_eq!(found_energies, energies, "{what}");

            let (expected, energies) =
                whole(BlockHermite::new(compiled(), &stars, options).unwrap());
            let run = BlockHermite::of(device, declared(), &stars, options).unwrap();
            let (found, found_energies) = interrupted(run, |run| {
                let checkpoint = run.checkpoint().unwrap();
                BlockHermite::resume_of(device, declared(), &stars, &checkpoint, options).unwrap()
            });
            assert!(found.checkpoint().unwrap() == expected.checkpoint().unwrap(), "{what}, block");
            assert_eq!(found_energies, energies, "{what}, block");
            let steps = expected.steps();
            assert!(steps.particle_steps < 64 * steps.steps, "{what}: {steps:?}");
        }
    }
}

/// Hot atoms on a lattice, which leave the box.
fn atoms() -> (Vec<Atom>, Vec<Motion>) {
    let place = |k: usize| [k % 6, k / 6 % 6, k / 36].map(|k| 1.2 * k as f64 - 0.1).into();
    let atoms = (0..216).map(|k| Atom { pos: place(k), kind: k as u32 % 4 }).collect();
    let speeds = uniform::<Motion>(216, 3);
    let motion = |(k, it): (usize, &Motion)| Motion { pos: place(k), vel: 4.0 * it.vel, mass: 2.0 };
    (atoms, speeds.iter().enumerate().map(motion).collect())
}

/// Forces instead of accelerations, over lists that are rebuilt on the way.
#[test]
fn leapfrog_over_lists_of_a_text_has_the_bits_of_the_compiled_law() {
    let (atoms, motions) = atoms();
    let start = Start::new(&atoms).motions(&motions);
    let law = law("molecular", "shifted_lennard_jones");
    let interaction =
        ShiftedLennardJones { sigma2: [[1.0; 4]; 4], epsilon: [[1.0; 4]; 4], cutoff: 2.0 };
    let options = Options::default().domain(Domain::periodic([7.2; 3]).unwrap());
    for device in &devices() {
        let compiled = ShortRange::with_options(device, interaction, options).unwrap();
        let parameters = compiled.untyped().parameters().to_vec();
        let declared = || Box::new(device.listed(law, &parameters, options).unwrap());
        let mut compiled = Leapfrog::new(compiled, start, 0.004).unwrap();
        compiled.set_wrap(true).unwrap();
        let (expected, energies) = whole(compiled);
        let mut run = Leapfrog::of(device, declared(), start, 0.004).unwrap();
        run.set_wrap(true).unwrap();
        let (found, found_energies) = interrupted(run, |run| {
            let checkpoint = run.checkpoint().unwrap();
            let mut rest =
                Leapfrog::resume_of(device, declared(), &atoms, &checkpoint, 0.004).unwrap();
            rest.set_wrap(true).unwrap();
            rest
        });
        assert!(found.checkpoint().unwrap() == expected.checkpoint().unwrap(), "{device}");
        assert_eq!(found_energies, energies, "{device}");
    }
}

/// Friction: an acceleration that depends on velocities.
#[nbody::interaction]
mod friction {
    pub struct Friction;
    pub struct Body {
        pub vel: Vector,
        pub mass: Real,
        pub pos: Point,
    }
    pub struct Drag {
        pub acc: Vector,
    }

    impl Interaction for Friction {
        type I = Body;
        type J = Body;
        type F = Drag;
        fn pair(&self, i: &Body, j: &Body, f: &mut Drag) {
            f.acc += j.mass * (j.vel - i.vel);
        }
    }
}

#[test]
fn accelerations_may_depend_on_velocities() {
    let text = read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/declared.rs")).unwrap();
    let law = text.law("friction").unwrap();
    let body = |speed: f64| Motion::new([speed, 0.0, 0.0], [speed, 0.0, 0.0], 1.0);
    let bodies = [body(1.0), body(-1.0)];
    for device in &devices() {
        let options = Options::default().precision(Precision::Double);
        let compiled = AllPairs::with_options(device, friction::Friction, options).unwrap();
        let declared = device.untyped().all_pairs(law, &[], options).unwrap();
        let mut compiled = Leapfrog::new(compiled, &bodies, STEP).unwrap();
        let mut declared = Leapfrog::of(device, declared, &bodies, STEP).unwrap();
        compiled.advance_to(1.0).unwrap();
        declared.advance_to(1.0).unwrap();
        let found = declared.motions().unwrap();
        assert_eq!(found, compiled.motions().unwrap(), "{device}");
        let expected = f64::exp(-2.0);
        assert!((found[0].vel.x / expected - 1.0).abs() < 0.03, "{device}: {found:?}");
    }
}

/// Numbers in the memory of another language: an array for each number of a record.
struct Columns {
    fields: &'static [Field],
    numbers: Vec<Vec<u64>>,
}

impl Rows for Columns {
    fn count(&self) -> usize {
        self.numbers[0].len()
    }
    fn fields(&self) -> &'static [Field] {
        self.fields
    }
    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        for (record, row) in records.zip(rows.chunks_exact_mut(self.numbers.len())) {
            for (number, column) in row.iter_mut().zip(&self.numbers) {
                *number = column[record];
            }
        }
    }
}

const fn field(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind }
}

const MASS: Field = field("mass", FieldKind::Real);
const POS: Field = field("pos", FieldKind::Point(3));
const VEL: Field = field("vel", FieldKind::Vector(3));

/// More fields than a law has, in another order.
const WIDE: &[Field] = &[field("id", FieldKind::U32), VEL, MASS, POS];

const ATOM: &[Field] = &[POS, field("kind", FieldKind::U32)];

/// Returns a column for each number of a function.
fn columns<const D: usize>(
    fields: &'static [Field],
    motions: &[Motion],
    numbers: impl Fn(usize, &Motion) -> [u64; D],
) -> Columns {
    let rows: Vec<_> = motions.iter().enumerate().map(|(k, it)| numbers(k, it)).collect();
    let numbers = (0..D).map(|c| rows.iter().map(|row| row[c]).collect()).collect();
    Columns { fields, numbers }
}

fn wide(motions: &[Motion]) -> Columns {
    columns(WIDE, motions, |k, &Motion { pos, vel, mass }| {
        let [[x, y, z], [u, v, w]] = [pos.0, vel.0].map(|three| three.map(f64::to_bits));
        [k as u64, u, v, w, mass.to_bits(), x, y, z]
    })
}

/// Returns rows of these fields with zeros.
fn zeros(fields: &'static [Field], n: usize) -> OwnedRows {
    let numbers = fields.iter().map(|field| field.kind.components()).sum::<usize>();
    OwnedRows::new(fields, vec![0; n * numbers]).unwrap()
}

/// Gravity of sources of another type, whose fields are in another order.
const PULL: &str = "
    struct Pull { eps2: Real }
    struct Target { pos: Point }
    struct Source { mass: Real, pos: Point }
    struct Field { acc: Vector, jerk: Vector }

    impl Interaction for Pull {
        type I = Target;
        type J = Source;
        type F = Field;
        fn pair(&self, i: &Target, j: &Source, f: &mut Field) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let mr = j.mass * rinv;
            f.acc += mr * rinv * rinv * d;
            f.jerk += mr * d;
        }
    }
";

fn direct(device: &Device, law: &'static Law, options: Options) -> Box<dyn untyped::Engine> {
    device.untyped().all_pairs(law, &[1e-4_f64.to_bits()], options).unwrap()
}

fn single(device: &Device, law: &'static Law) -> Box<dyn untyped::Engine> {
    direct(device, law, Options::default())
}

fn motions_after<R: Integrator>(run: Result<R, Error>) -> Vec<Motion> {
    let mut run = run.unwrap();
    (0..9).try_for_each(|_| run.advance()).unwrap();
    run.motions().unwrap()
}

#[test]
fn rows_of_columns_give_the_bits_of_records() {
    let (device, stars) = (&Device::cpu(), stars(N));
    let rows = wide(&stars);
    let options = HermiteOptions::default();
    let law = law("gravitation", "gravity");
    let expected = motions_after(Leapfrog::of(device, single(device, law), &stars, STEP));
    let run = Leapfrog::of(device, single(device, law), Start::rows(&rows), STEP);
    assert!(motions_after(run) == expected);
    let positions = columns(&[POS, MASS], &stars, |_, it| {
        let [x, y, z] = it.pos.0.map(f64::to_bits);
        [x, y, z, it.mass.to_bits()]
    });
    let start = Start::rows(&positions).motion_rows(&rows);
    assert!(motions_after(Leapfrog::of(device, single(device, law), start, STEP)) == expected);
    // The engine of a type takes rows, too.
    let engine = AllPairs::new(device, Gravity { eps2: 1e-4 }).unwrap();
    let run = Leapfrog::new(engine, &rows as &dyn Rows, STEP);
    assert!(motions_after(run) == expected);

    let law = self::law("gravitation", "hermite");
    let expected = motions_after(BlockHermite::of(device, single(device, law), &stars, options));
    let run = BlockHermite::of(device, single(device, law), Start::rows(&rows), options);
    assert!(motions_after(run) == expected);
}

#[test]
fn two_sets_of_rows_give_the_bits_of_records() {
    let (device, stars) = (&Device::cpu(), stars(N));
    let law = declare(PULL).unwrap().only_law().unwrap();
    let rows = wide(&stars);
    let expected = motions_after(Leapfrog::of(device, single(device, law), &stars, STEP));
    let targets = columns(&[POS], &stars, |_, it| it.pos.0.map(f64::to_bits));
    let start = Start::rows(&targets).motion_rows(&rows);
    let sources = start.source_rows(&rows);
    assert!(motions_after(Leapfrog::of(device, single(device, law), sources, STEP)) == expected);
    let lacking = Leapfrog::of(device, single(device, law), start, STEP).unwrap_err().to_string();
    assert!(lacking.contains("needs a field `mass: Real`, found pos: Point"), "{lacking}");
    let few = wide(&stars[1..]);
    let few = Leapfrog::of(device, single(device, law), start.source_rows(&few), STEP);
    let few = few.unwrap_err().to_string();
    assert!(few.starts_with("j-particles of one set: found 299, expected 300"), "{few}");
    let block = BlockHermite::of(device, single(device, law), &stars, HermiteOptions::default());
    assert!(matches!(block, Err(Error::TwoTypes { interaction: "pull" })), "{block:?}");
}

#[test]
fn laws_that_lack_fields_are_refused() {
    let (device, stars) = (&Device::cpu(), stars(8));
    let gravity = law("gravitation", "gravity");
    let options = HermiteOptions::default();
    let shared = Hermite::of(device, single(device, gravity), &stars, options).map(drop);
    let block = BlockHermite::of(device, single(device, gravity), &stars, options).map(drop);
    for refused in [shared, block] {
        let Err(Error::MissingFields { interaction: "gravity", particles, results, .. }) = refused
        else {
            panic!("{refused:?}")
        };
        assert_eq!((&*particles, &*results), (&["vel: Vector"][..], &["jerk: Vector"][..]));
    }
    // Only the j-particles lack a velocity.
    let pull = PULL.replace("struct Target { ", "struct Target { vel: Vector, ");
    let pull = declare(&pull).unwrap().only_law().unwrap();
    let Err(Error::MissingFields { particles, results, .. }) =
        Hermite::of(device, single(device, pull), &stars, options)
    else {
        panic!("no velocity is refused")
    };
    assert_eq!((&*particles, results.len()), (&["vel: Vector"][..], 0));
    let attraction = law("gravitation", "attraction");
    let mut run = Leapfrog::of(device, single(device, attraction), &stars, STEP).unwrap();
    let Err(Error::MissingFields {
        interaction: "attraction", purpose: "energies", results, ..
    }) = run.energies()
    else {
        panic!("{:?}", run.energies())
    };
    assert_eq!(*results, ["pot: Real"]);
}

#[test]
fn particles_that_do_not_suit_the_law_are_refused() {
    let (device, stars) = (&Device::cpu(), stars(8));
    let gravity = law("gravitation", "gravity");
    let motions = wide(&stars);
    let refused = |start: Start<'_, nbody::law::Nothing, nbody::law::Nothing>| {
        Leapfrog::of(device, single(device, gravity), start, STEP).unwrap_err()
    };
    let moving = |rows: &dyn Rows| refused(Start::rows(rows).motion_rows(&motions));
    let error = moving(&zeros(&[POS], 8));
    assert!(matches!(error, Error::Engine(nbody::Error::MissingField { .. })), "{error}");
    let error = moving(&zeros(&[MASS, POS], 7));
    assert!(error.to_string().starts_with("motions: found 8, expected 7"), "{error}");
    let error = refused(Start::rows(&zeros(&[POS, MASS], 8)));
    assert!(matches!(error, Error::NoMotion { field: "vel: Vector" }), "{error}");
    let (bodies, velocities) = (zeros(&[POS, MASS], 8), zeros(&[VEL, MASS], 8));
    let error = refused(Start::rows(&bodies).motion_rows(&velocities));
    assert!(matches!(error, Error::NoMotion { field: "pos: Point" }), "{error}");
    let error = refused(Start::rows(&motions).source_rows(&motions));
    assert!(matches!(error, Error::OneType { interaction: "gravity" }), "{error}");

    let atoms = columns(ATOM, &stars, |k, it| {
        let [x, y, z] = it.pos.0.map(f64::to_bits);
        [x, y, z, if k == 5 { 1 << 32 } else { 0 }]
    });
    let law = law("molecular", "shifted_lennard_jones");
    let engine = device.untyped().all_pairs(law, &[1.0_f64.to_bits(); 33], Options::default());
    let massive: Vec<_> = stars.iter().map(|it| Motion { mass: 1.0, ..*it }).collect();
    let start = Start::rows(&atoms).motions(&massive);
    let error = Leapfrog::of(device, engine.unwrap(), start, STEP).unwrap_err();
    let is_wide = matches!(error, Error::Engine(nbody::Error::WideInteger { index: 5, .. }));
    assert!(is_wide, "{error}");
}

#[test]
fn engines_that_do_not_suit_the_run_are_refused() {
    let [cpu, emulator] = &[Device::cpu(), Device::emulator().unwrap()];
    let (stars, options) = (stars(8), HermiteOptions::default());
    let gravity = law("gravitation", "gravity");
    let error = Leapfrog::of(cpu, single(emulator, gravity), &stars, STEP).unwrap_err();
    assert!(matches!(error, Error::Engine(nbody::Error::ForeignBuffer { .. })), "{error}");

    let tree = || {
        let (law, eps2) = (law("gravitation", "hermite"), [1e-4_f64.to_bits()]);
        cpu.untyped().tree(law, &eps2, Opening::relative(1e-3), Options::default()).unwrap()
    };
    let block = BlockHermite::of(cpu, tree(), &stars, options);
    assert!(matches!(block, Err(Error::NoBlockSteps)), "{block:?}");
    let shared = Hermite::of(cpu, tree(), &stars, options).unwrap();
    assert!(matches!(shared.checkpoint(), Err(Error::NoCheckpoint)));

    // A tree with relative openings continues from the state of the engine.
    let tree = || {
        let opening = Opening::relative(1e-3);
        cpu.untyped().tree(gravity, &[0], opening, Options::default()).unwrap()
    };
    let run = Leapfrog::of(cpu, tree(), &stars, STEP).unwrap();
    let checkpoint = run.checkpoint().unwrap();
    let error = Leapfrog::resume_of(cpu, single(cpu, gravity), &stars, &checkpoint, STEP);
    assert!(matches!(error, Err(Error::Engine(nbody::Error::OtherEngine))), "{error:?}");
    let rest = Leapfrog::resume_of(cpu, tree(), &stars, &checkpoint, STEP);
    assert!(motions_after(rest) == motions_after(Ok(run)));
    let begun = Start::new(&stars).begin(1.0);
    let error = Leapfrog::resume_of(cpu, tree(), begun, &checkpoint, STEP).unwrap_err();
    assert!(matches!(error, Error::Resumed), "{error}");
}

/// Integrators move to another thread.
#[test]
fn integrators_may_be_sent() {
    const fn sent<T: Send + Sync>() {}
    sent::<Leapfrog>();
    sent::<Hermite>();
    sent::<BlockHermite>();
}
