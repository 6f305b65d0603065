//! Laws as text with integrators, selections, excluded pairs and given pairs have the bits of
//! compiled laws, on every device.

use nbody::law::{Declarations, Law, Record as _};
use nbody::models::plummer;
use nbody::prelude::*;
use nbody::untyped::{Beside, First, Origin};
use nbody::{Csr, Interaction, Store, Update};
use nbody_integrate::{BlockHermite, Hermite, HermiteOptions, Integrator, Leapfrog, Motion};
use nbody_interactions::{gravity::Gravity, hermite};
use nbody_tests::inputs::{Digits, Inputs, particles};
use nbody_tests::particle_programs::{Body, Mark, Pull, Runner};

use super::cases::{Case, N, cases, declared, download, upload, words};
use super::laws::difference;

/// Returns the motions of a cluster after some steps of an integrator.
fn moved(mut run: impl Integrator) -> Vec<Motion> {
    for _ in 0..10 {
        run.advance().unwrap();
    }
    run.motions().unwrap()
}

#[test]
fn integrators_have_the_bits_of_compiled_laws() {
    let declared = declared("interactions/src/gravitation.rs");
    let cluster = plummer(48, 1).unwrap().particles;
    let cluster: Vec<_> = cluster.iter().map(|it| Motion::new(it.pos, it.vel, it.mass)).collect();
    let exact = Options::default().precision(Precision::Double).math(Math::Exact);
    for device in nbody_tests::all_devices() {
        for options in [exact, Options::default()] {
            let (begin, eps2) = (HermiteOptions::default(), 1e-2);
            let engine = |law, row: &[u64]| device.untyped().all_pairs(law, row, options).unwrap();
            let run = |gravity: &'static Law, hermite: &'static Law| {
                let row = words(&[hermite::Hermite { eps2 }]);
                let leapfrog = engine(gravity, &words(&[Gravity { eps2 }]));
                let [shared, blocks] = [(); 2].map(|()| engine(hermite, &row));
                [
                    moved(Leapfrog::of(&device, leapfrog, &cluster, 0.01).unwrap()),
                    moved(Hermite::of(&device, shared, &cluster, begin).unwrap()),
                    moved(BlockHermite::of(&device, blocks, &cluster, begin).unwrap()),
                ]
            };
            let of = |name: &str| declared.law(name).unwrap();
            let found = run(of(Gravity::LAW.name), of(hermite::Hermite::LAW.name));
            let expected = run(Gravity::LAW, hermite::Hermite::LAW);
            assert_eq!(found, expected, "{device} {options:?}");
            assert!(expected.iter().all(|motions| *motions != cluster), "{device}");
        }
    }
}

#[test]
fn selected_particles_have_the_bits_of_compiled_laws() {
    let declared = declared("tests/common/particle_programs.rs");
    for device in nbody_tests::all_devices() {
        let (found, expected) = (selected(&device, Some(&declared)), selected(&device, None));
        assert_eq!(found, expected, "{device}");
    }
}

/// Returns the results of selected i-particles, and particles after a program for the selected ones.
fn selected(device: &Device, declared: Option<&Declarations>) -> [Vec<u64>; 2] {
    let untyped = device.untyped();
    let rows = |seed| words(&particles::<Runner>(N, Inputs::Uniform, Digits::All, seed));
    let runners = upload(device, Runner::<f64>::FIELDS, &rows(1), Precision::Single);
    let mut selection = untyped.selection().unwrap();
    let count = selection.select(&*runners, "active").unwrap();
    assert!(0 < count && count < N, "{count}");

    let law = declared.map_or(Pull::LAW, |it| it.law(Pull::LAW.name).unwrap());
    let parameters = words(&[Pull { eps2: 0.25 }]);
    let bodies = words(&particles::<Body>(N, Inputs::Uniform, Digits::All, 2));
    let all = upload(device, law.j, &bodies, Precision::Single);
    let mut first = upload(device, law.i, &[], Precision::Single);
    selection.gather(count, &*all, &mut *first).unwrap();
    let mut engine = untyped.all_pairs(law, &parameters, Options::default()).unwrap();
    let mut out = engine.results(count).unwrap();
    engine.evaluate(&*first, Sources::Others(&*all), &mut *out, Store::Replace).unwrap();

    let program = declared.map_or(Mark::PROGRAM, |it| it.program(Mark::PROGRAM.name).unwrap());
    let mut marked = upload(device, program.p, &rows(3), Precision::Single);
    let mut marks = untyped.per_particle(program.parameters, &[]).unwrap();
    let beside = Beside { q: &[&*runners], ..Beside::default() };
    let chosen = First { selection: &*selection, count, from: None, due: None };
    let before = download(&*marked);
    marks.update(program, &mut *marked, beside, Some(chosen)).unwrap();
    assert_ne!(download(&*marked), before);
    [download(&*out), download(&*marked)]
}

#[test]
fn lists_with_excluded_and_given_pairs_have_the_bits_of_compiled_laws() {
    let laws = ["lennard_jones", "ewald"];
    let all = cases();
    let cases: Vec<&Case> = all.iter().filter(|it| laws.contains(&it.compiled.name)).collect();
    assert_eq!(cases.len(), laws.len());
    for (device, case) in
        nbody_tests::all_devices().iter().flat_map(|it| cases.iter().map(move |case| (it, case)))
    {
        for options in [Options::default(), Options::default().math(Math::Exact)] {
            for is_given in [false, true] {
                let results = |law: &'static Law| {
                    let mut engine = device.listed(law, &case.parameters, options).unwrap();
                    if is_given {
                        let origin = Origin::Given(pairs());
                        let lists =
                            device.untyped().neighbours(Domain::Open, origin, options.precision);
                        engine.set_lists(lists.unwrap());
                    }
                    let every_third = (0..N as u32).filter(|k| k % 3 == 0);
                    let excluded: Vec<_> = every_third.map(|k| [k, (k + 1) % N as u32]).collect();
                    engine.exclude(&excluded);
                    engine.lists().unwrap().exclude(&[[0, 5], [7, 100]]);
                    case.results(device, options, &mut engine, true, Store::Replace)
                };
                let (found, expected) = (results(case.declared), results(case.compiled));
                let expected_words = expected.as_ref().unwrap();
                assert!(expected_words.iter().any(|word| *word != 0), "no pair meets");
                let name = case.compiled.name;
                let fault = difference(&found, &expected);
                assert_eq!(fault, None, "{name} {device} {options:?} given: {is_given}");
            }
        }
    }
}

/// Returns a row of three neighbours for each particle.
fn pairs() -> Csr {
    let n = N as u32;
    let indices = (0..n).flat_map(|k| [1, 2, 40].map(|next| (k + next) % n)).collect();
    Csr { offsets: (0..=u64::from(n)).map(|k| 3 * k).collect(), indices }
}
