//! NaN among parameters, which every engine and every program per particle refuses.

use nbody::law::{Field, FieldKind, Law};
use nbody::prelude::*;
use nbody::untyped::{self, Beside, Buffer};
use nbody::{Error, Interaction, Measure as _, Store, Update as _};
use nbody_integrate::{BlockHermite, Hermite, HermiteOptions, Leapfrog, Motion};
use nbody_interactions::{gravity::Gravity, hermite};

use spring::{Body, Far, Near, Sum, Weigh, Widen};

/// Creates an engine of a law with a row of parameters.
type Create = fn(&Device, &[u64]) -> Result<Box<dyn untyped::Engine>, Error>;

/// Every kind of engine, and the law that it evaluates.
const ENGINES: [(&str, &Law, Create); 6] = [
    ("all pairs", Far::LAW, |device, row| {
        device.untyped().all_pairs(Far::LAW, row, Options::default())
    }),
    ("all pairs within a cutoff", Near::LAW, |device, row| {
        device.untyped().all_pairs(Near::LAW, row, Options::default())
    }),
    ("all pairs, exact", Far::LAW, |device, row| {
        let options = Options::default().precision(Precision::Mixed).math(Math::Exact);
        device.untyped().all_pairs(Far::LAW, row, options)
    }),
    ("tree", Far::LAW, |device, row| {
        let opening = Opening::theta(0.5);
        Ok(device.untyped().tree(Far::LAW, row, opening, Options::default())?)
    }),
    ("tree by errors", Far::LAW, |device, row| {
        let opening = Opening::relative(0.01);
        Ok(device.untyped().tree(Far::LAW, row, opening, Options::default())?)
    }),
    ("lists", Near::LAW, |device, row| {
        Ok(Box::new(device.listed(Near::LAW, row, Options::default())?))
    }),
];

/// Returns good parameters, and for each real number of them a row where it is NaN, and the error.
fn rows(fields: &[Field]) -> (Vec<u64>, Vec<(Vec<u64>, Error)>) {
    let (mut good, mut places) = (Vec::new(), Vec::new());
    for field in fields {
        let is_integer = field.kind == FieldKind::U32;
        for component in 0..field.kind.components() {
            if !is_integer {
                places.push((good.len(), *field, component));
            }
            let number = 0.5 + 0.125 * good.len() as f64;
            good.push(if is_integer { 1 } else { number.to_bits() });
        }
    }
    let bad = places.into_iter().map(|(k, field, component)| {
        let mut row = good.clone();
        row[k] = f64::NAN.to_bits();
        (row, Error::NanParameter { field, component })
    });
    (good.clone(), bad.collect())
}

/// Returns the words of a buffer.
fn words(buffer: &dyn Buffer) -> Vec<u64> {
    let n = buffer.len();
    let numbers: usize = buffer.fields().iter().map(|field| field.kind.components()).sum();
    let mut words = vec![0; n * numbers];
    buffer.read(0..n, &mut |write| write(0..n, &mut words)).unwrap();
    words
}

fn particles() -> Vec<Body> {
    nbody::models::uniform(100, 1)
}

#[test]
fn engines_refuse_nan_and_keep_the_results() {
    for device in nbody_tests::all_devices() {
        for (name, law, create) in ENGINES {
            let (good, bad) = rows(law.parameters);
            let mut engine = create(&device, &good).unwrap();
            let all = particles();
            let all = device.upload(&all, engine.options().precision).unwrap();
            let all = all.untyped();
            let mut out = engine.results(all.len()).unwrap();
            engine.evaluate(all, Sources::Same(all), &mut *out, Store::Replace).unwrap();
            let expected = words(&*out);
            assert!(!bad.is_empty() && expected.iter().any(|word| *word != expected[0]));
            for (row, error) in bad {
                let what = format!("{name} on {device}: {error}");
                assert_eq!(create(&device, &row).err().as_ref(), Some(&error), "{what}");
                assert_eq!(engine.set_parameters(&row).as_ref(), Err(&error), "{what}");
                for sources in [Sources::Same(all), Sources::Others(all)] {
                    for store in [Store::Replace, Store::Add] {
                        let refused = engine.evaluate(all, sources, &mut *out, store);
                        assert_eq!(refused.as_ref(), Err(&error), "{what}");
                    }
                    let refused = engine.time(all, sources, &mut *out);
                    assert_eq!(refused.as_ref(), Err(&error), "{what}");
                }
                assert_eq!(engine.settle(), Ok(()), "{what}");
                assert!(words(&*out) == expected, "{what}");
                engine.set_parameters(&good).unwrap();
                engine.evaluate(all, Sources::Same(all), &mut *out, Store::Replace).unwrap();
                assert!(words(&*out) == expected, "{what}");
            }
        }
    }
}

#[test]
fn programs_per_particle_refuse_nan_and_keep_the_particles() {
    for device in nbody_tests::all_devices() {
        for program in [Widen::PROGRAM, Weigh::PROGRAM] {
            let untyped = device.untyped();
            let (good, bad) = rows(program.parameters);
            let mut engine = untyped.per_particle(program.parameters, &good).unwrap();
            let mut all = untyped.upload(&&particles()[..], Precision::Double).unwrap();
            let before = words(&*all);
            let run = |engine: &mut dyn untyped::PerParticle, all: &mut dyn Buffer| {
                if program.total.is_empty() {
                    return engine.update(program, all, Beside::default(), None);
                }
                engine.measure(program, all, Beside::default()).map(|_| ())
            };
            assert!(!bad.is_empty());
            for (row, error) in &bad {
                let what = format!("{} on {device}: {error}", program.name);
                let refused = untyped.per_particle(program.parameters, row);
                assert_eq!(refused.err().as_ref(), Some(error), "{what}");
                assert_eq!(engine.set_parameters(row).as_ref(), Err(error), "{what}");
                assert_eq!(run(&mut *engine, &mut *all).as_ref(), Err(error), "{what}");
                assert!(words(&*all) == before, "{what}");
            }
            engine.set_parameters(&good).unwrap();
            run(&mut *engine, &mut *all).unwrap();
            assert_eq!(words(&*all) == before, !program.total.is_empty(), "{}", program.name);
        }
    }
}

/// `set_parameters` with types returns nothing: the next evaluation refuses.
#[test]
fn evaluations_refuse_nan_that_was_set() {
    const GOOD: Near = Near { stiffness: 1.0, by_kind: [1.0, 2.0], cutoff: 0.25 };
    let bad = Near { by_kind: [1.0, f64::NAN], ..GOOD };
    let message = "parameter `by_kind[1]` is NaN (a table is counted row by row, from 0); give a finite \
                   or an infinite number";
    let all = particles();
    for device in nbody_tests::all_devices() {
        let refuses = |found: Result<Vec<Sum>, Error>| {
            assert_eq!(found.unwrap_err().to_string(), message, "{device}");
        };
        let mut direct = AllPairs::new(&device, GOOD).unwrap();
        let mut near = ShortRange::new(&device, GOOD).unwrap();
        let expected: Vec<Sum> = near.evaluate_self(&all).unwrap();
        direct.set_parameters(bad);
        near.set_parameters(bad);
        assert!(direct.parameters().by_kind[1].is_nan());
        refuses(direct.evaluate_self(&all));
        refuses(near.evaluate_self(&all));
        // Lists that are shared, and good for these parameters too.
        let mut lists = Neighbours::new(&device, Skin::Auto).unwrap();
        let uploaded = near.upload(&all).unwrap();
        let mut out = near.results(all.len()).unwrap();
        lists.update(&uploaded, &[&near]).unwrap();
        refuses(near.evaluate_over(&lists, &uploaded, &mut out).map(|()| Vec::new()));
        assert!(out.download::<f64>().unwrap().iter().all(|it| *it == Sum::default()), "{device}");
        near.set_parameters(GOOD);
        lists.update(&uploaded, &[&near]).unwrap();
        near.evaluate_over(&lists, &uploaded, &mut out).unwrap();
        assert_eq!(near.evaluate_self::<f64>(&all).unwrap(), expected, "{device}");

        let mut widen =
            PerParticle::new(&device, Widen { by: Vector::new(0.5, 1.0, 2.0) }).unwrap();
        widen.set_parameters(Widen { by: Vector::new(0.5, f64::NAN, 2.0) });
        let mut moved = device.upload(&all, Precision::Double).unwrap();
        let error = widen.update(&mut moved, ()).unwrap_err().to_string();
        assert_eq!(error, "parameter `by.y` is NaN; give a finite or an infinite number");
        assert_eq!(moved.download().unwrap(), all, "{device}");
    }
}

#[test]
fn runs_do_not_begin_with_nan() {
    let bodies = [-0.5, 0.5].map(|x| Motion::new([x, 0.0, 0.0], [0.0, x, 0.0], 0.5));
    for device in nbody_tests::all_devices() {
        let refuses = |run: Result<(), nbody_integrate::Error>| {
            let error = run.unwrap_err().to_string();
            assert_eq!(error, "parameter `eps2` is NaN; give a finite or an infinite number");
        };
        let mut gravity = AllPairs::new(&device, Gravity { eps2: 0.0 }).unwrap();
        gravity.set_parameters(Gravity { eps2: f64::NAN });
        refuses(Leapfrog::new(gravity, &bodies, 0.1).map(|_| ()));
        let law = || {
            let mut law = AllPairs::new(&device, hermite::Hermite { eps2: 0.0 }).unwrap();
            law.set_parameters(hermite::Hermite { eps2: f64::NAN });
            law
        };
        let options = HermiteOptions::default();
        refuses(Hermite::new(law(), &bodies, options).map(|_| ()));
        refuses(BlockHermite::new(law(), &bodies, options).map(|_| ()));
    }
}

#[test]
fn the_reference_refuses_nan() {
    let law = Near { stiffness: f64::NAN, by_kind: [1.0; 2], cutoff: 0.25 };
    let all = particles();
    let error = nbody::check::reference_self(&law, Domain::Open, &all, &all).unwrap_err();
    assert_eq!(
        error.to_string(),
        "parameter `stiffness` is NaN; give a finite or an infinite number"
    );
}

#[nbody::interaction]
mod spring {
    pub struct Far {
        pub strength: Real,
        pub axis: Vector,
        pub kind: u32,
        pub table: [[Real; 2]; 3],
    }
    pub struct Near {
        pub stiffness: Real,
        pub by_kind: [Real; 2],
        pub cutoff: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Sum {
        pub pot: Real,
    }

    impl Interaction for Far {
        type I = Body;
        type J = Body;
        type F = Sum;
        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let d = j.pos - i.pos;
            let strength = self.strength * self.table[self.kind][self.kind] * self.axis.norm2();
            f.pot -= strength * j.mass * (d.norm2() + 0.0625).rsqrt();
        }
    }

    impl Interaction for Near {
        type I = Body;
        type J = Body;
        type F = Sum;
        fn cutoff(&self, i: &Body, j: &Body) -> Real {
            self.cutoff
        }
        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let d = j.pos - i.pos;
            f.pot += self.stiffness * self.by_kind[1] * j.mass * d.norm2();
        }
    }

    pub struct Widen {
        pub by: Vector,
    }
    impl Update for Widen {
        type P = Body;
        fn update(&self, p: &mut Body) {
            p.pos += p.mass * self.by;
        }
    }

    pub struct Weigh {
        pub unit: Real,
        pub by_kind: [Real; 2],
    }
    pub struct Total {
        pub mass: Real,
    }
    impl Measure for Weigh {
        type P = Body;
        type T = Total;
        fn measure(&self, p: &Body, total: &mut Total) {
            total.mass += p.mass * self.unit * self.by_kind[1];
        }
    }
}
