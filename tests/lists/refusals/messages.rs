//! Inputs that neighbour lists refuse: the message says found, expected and remedy, and the
//! results keep their values.

use nbody::prelude::*;
use nbody::{Error, Neighbours, Particles, Results, ShortRange, Skin};
use nbody_interactions::gravity::{Body, Gravity};
use nbody_interactions::lennard_jones::Atom;
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Ball, Either, Near, Uniform};

use super::UNIFORM;

/// Valid lists, with the results of an evaluation over them.
struct Good {
    near: Neighbours,
    engine: ShortRange<Uniform>,
    balls: Vec<Ball>,
    out: Results<Near>,
    before: Vec<Near>,
}

impl Good {
    fn new() -> Self {
        let mut engine = ShortRange::new(&Device::cpu(), UNIFORM).unwrap();
        let balls = Random(1).balls(100);
        let mut near = Neighbours::new(&Device::cpu(), Skin::Auto).unwrap();
        let particles = near.upload(&balls).unwrap();
        near.update(&particles, &[&engine]).unwrap();
        let mut out = engine.results(balls.len()).unwrap();
        engine.evaluate_over(&near, &particles, &mut out).unwrap();
        let before = out.download::<f64>().unwrap();
        Self { near, engine, balls, out, before }
    }

    fn upload(&self, balls: &[Ball]) -> Particles<Ball> {
        self.near.upload(balls).unwrap()
    }

    /// Checks the message of an evaluation, and that the results stay.
    fn refuses(&mut self, what: impl FnOnce(&mut Self) -> Result<(), Error>, message: &str) {
        let error = what(self).expect_err(message);
        assert_eq!(error.to_string(), message);
        let after = self.out.download::<f64>().unwrap();
        assert!(after == self.before, "{message}: the results have changed");
    }

    /// Checks the message of an evaluation of particles over the lists.
    fn refuses_to_evaluate(&mut self, particles: &Particles<Ball>, message: &str) {
        let evaluate = |it: &mut Self| it.engine.evaluate_over(&it.near, particles, &mut it.out);
        self.refuses(evaluate, message);
        let add = |it: &mut Self| it.engine.add_over(&it.near, particles, &mut it.out);
        self.refuses(add, message);
    }
}

#[test]
fn positions_that_are_not_finite_are_named() {
    let mut good = Good::new();
    for (x, found) in
        [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf"), (1e300, "inf")]
    {
        let mut balls = good.balls.clone();
        (balls[41].pos, balls[42].pos.x) = (Point::new(0.5, 1.0, x), x);
        let particles = good.upload(&balls);
        let message = format!("particles[41] at [0.5, 1.0, {found}]: expected finite coordinates");
        good.refuses(|it| it.near.update(&particles, &[&it.engine]), &message);
        good.refuses_to_evaluate(&particles, &message);
        let others = good.upload(&good.balls);
        let both = |it: &mut Good| {
            it.near.update_with(&others, Sources::Others(&particles), &[&it.engine])
        };
        good.refuses(both, &format!("j-{message}"));
    }
    // The lists are unchanged since the last successful update.
    let particles = good.upload(&good.balls);
    good.near.update(&particles, &[&good.engine]).unwrap();
    assert_eq!(good.near.stats().unwrap().rebuilds, 1);
}

#[test]
fn cutoffs_without_bounds_and_beyond_half_a_box_are_refused() {
    let mut good = Good::new();
    let unbounded = |law: &str| {
        format!(
            "the cutoff of `{law}` may be infinite or NaN for these particles; make it finite for \
             every pair, or evaluate all pairs, which do not end there"
        )
    };
    let particles = good.upload(&good.balls);
    for cutoff in [f64::INFINITY, f64::NEG_INFINITY, 1e39] {
        let engine = ShortRange::new(&Device::cpu(), Uniform { cutoff }).unwrap();
        good.refuses(|it| it.near.update(&particles, &[&engine]), &unbounded("uniform"));
    }
    let either = ShortRange::new(&Device::cpu(), Either { factor: 2.0 }).unwrap();
    for h in [f64::NAN, f64::INFINITY] {
        let mut balls = good.balls.clone();
        balls[77].h = h;
        let particles = good.upload(&balls);
        good.refuses(|it| it.near.update(&particles, &[&either]), &unbounded("either"));
    }
    good.near.set_domain(Domain::periodic([4.0, 0.5, f64::INFINITY]).unwrap()).unwrap();
    good.refuses(
        |it| it.near.update(&particles, &[&it.engine]),
        "the cutoff of `uniform` is up to 0.25 in a periodic box of length 0.5 along y: expected less \
         than half of the length; take a larger box or a shorter cutoff, or evaluate all pairs, which have all images",
    );
    // No lists remain that could be used.
    good.refuses_to_evaluate(
        &particles,
        "neighbour lists that are not built, or not since their box was changed, given to `uniform`; \
         update them first",
    );
    good.near.set_domain(Domain::periodic([4.0, 0.51, f64::INFINITY]).unwrap()).unwrap();
    good.near.update(&particles, &[&good.engine]).unwrap();
}

#[test]
fn lists_of_others_are_refused() {
    let mut good = Good::new();
    let (all, some) = (good.upload(&good.balls), good.upload(&good.balls[..99]));
    let other = "neighbour lists that were updated for other interactions than `uniform`, or for other \
         parameters of it; update them for it";
    good.engine.set_parameters(Uniform { cutoff: 0.125 });
    good.refuses_to_evaluate(&all, other);
    good.engine.set_parameters(UNIFORM);
    good.refuses(
        |it| it.engine.evaluate_over(&it.near, &some, &mut it.out),
        "results: found 100, expected 99; give one for each particle",
    );
    let mut fewer = good.engine.results(99).unwrap();
    good.refuses(
        |it| it.engine.evaluate_over(&it.near, &some, &mut fewer),
        "99 particles given to neighbour lists of 100; update them for these",
    );
    let mut more = good.engine.results(101).unwrap();
    good.refuses(
        |it| {
            let first = Sources::First(&all);
            it.engine.evaluate_over_with(&it.near, &all, first, &mut more, nbody::Store::Replace)
        },
        "particles of one set: found 100, expected at least 101; give every particle of the set",
    );
    let sets = "neighbour lists of one set of particles given two sets, or those of two given one; update \
         them for these";
    for j in [&all, &some] {
        good.refuses(
            |it| {
                let j = Sources::Others(j);
                it.engine.evaluate_over_with(&it.near, &all, j, &mut it.out, nbody::Store::Replace)
            },
            sets,
        );
    }
    let either = ShortRange::new(&Device::cpu(), Either { factor: 2.0 }).unwrap();
    good.near.update(&all, &[&either]).unwrap();
    good.refuses_to_evaluate(&all, other);
    good.near.update_with(&all, Sources::Others(&some), &[&good.engine]).unwrap();
    good.refuses_to_evaluate(&all, sets);
    good.refuses(
        |it| {
            let j = Sources::Others(&all);
            it.engine.evaluate_over_with(&it.near, &all, j, &mut it.out, nbody::Store::Replace)
        },
        "100 j-particles given to neighbour lists of 99; update them for these",
    );
    good.near = Neighbours::new(&Device::cpu(), Skin::Auto).unwrap();
    good.refuses_to_evaluate(
        &all,
        "neighbour lists that are not built, or not since their box was changed, given to `uniform`; \
         update them first",
    );
}

#[test]
fn lists_that_are_too_old_are_refused() {
    let mut good = Good::new();
    let mut balls = good.balls.clone();
    let old = |what: &str| {
        format!(
            "{what} have moved by more than half of the skin since the neighbour lists were updated, \
             or something that their cutoffs depend on has changed; update the lists"
        )
    };
    // A fifth of the cutoff is 0.05.
    balls[3].pos.y += 0.0249;
    let moved = good.upload(&balls);
    good.engine.evaluate_over(&good.near, &moved, &mut good.out).unwrap();
    good.before = good.out.download::<f64>().unwrap();
    balls[3].pos.y += 0.0002;
    let moved = good.upload(&balls);
    good.refuses_to_evaluate(&moved, &old("particles"));
    let others = good.upload(&good.balls);
    good.near.update_with(&others, Sources::Others(&others), &[&good.engine]).unwrap();
    good.refuses(
        |it| {
            let j = Sources::Others(&moved);
            it.engine.evaluate_over_with(&it.near, &others, j, &mut it.out, nbody::Store::Add)
        },
        &old("j-particles"),
    );
    let mut either = ShortRange::new(&Device::cpu(), Either { factor: 2.0 }).unwrap();
    balls.clone_from(&good.balls);
    good.near.update(&others, &[&either]).unwrap();
    balls[50].h = 5.0;
    let grown = good.upload(&balls);
    good.refuses(|it| either.evaluate_over(&it.near, &grown, &mut it.out), &old("particles"));
    either.set_parameters(Either { factor: 2.0 });
    good.near.update(&grown, &[&either]).unwrap();
    either.evaluate_over(&good.near, &grown, &mut good.out).unwrap();
}

#[test]
fn other_precisions_are_refused() {
    let mut good = Good::new();
    let double = Options::default().precision(Precision::Double);
    let mut near = Neighbours::with_options(
        &Device::cpu(),
        Skin::Auto,
        Options::default().precision(Precision::Double),
    )
    .unwrap();
    let in_double = near.upload(&good.balls).unwrap();
    let message = |what: &str| {
        format!(
            "{what} in double precision given to an engine in single precision; make them with the engine that uses them"
        )
    };
    good.refuses(|it| it.near.update(&in_double, &[&it.engine]), &message("particles"));
    good.refuses_to_evaluate(&in_double, &message("particles"));
    let single = good.upload(&good.balls);
    good.refuses(
        |it| it.near.update_with(&single, Sources::Others(&in_double), &[&it.engine]),
        &message("j-particles"),
    );
    near.update(&in_double, &[&good.engine]).unwrap();
    let mut engine = ShortRange::with_options(&Device::cpu(), UNIFORM, double).unwrap();
    let mut out = engine.results(good.balls.len()).unwrap();
    good.refuses(
        |it| it.engine.evaluate_over(&near, &in_double, &mut it.out),
        &message("particles"),
    );
    engine.evaluate_over(&near, &in_double, &mut out).unwrap();
    assert!(good.near.set_domain(Domain::periodic([1e300; 3]).unwrap()).is_err());
    assert_eq!(good.near.domain(), Domain::Open);
}

#[test]
fn lists_and_interactions_that_cannot_be_are_refused() {
    for found in [-1.0, -f64::MIN_POSITIVE, f64::NAN, f64::INFINITY] {
        let error = Neighbours::new(&Device::cpu(), Skin::Length(found)).unwrap_err();
        let message = format!("skin of {found}: expected a finite length of at least 0");
        assert_eq!(error.to_string(), message);
    }
    let gravity = ShortRange::new(&Device::cpu(), Gravity { eps2: 0.25 }).unwrap();
    let mut near = Neighbours::new(&Device::cpu(), Skin::Auto).unwrap();
    let bodies = near.upload::<Body>(&[]).unwrap();
    let message = "`gravity` has no cutoff; declare `fn cutoff`, give the pairs of the lists, or \
                   evaluate all pairs";
    assert_eq!(near.update(&bodies, &[&gravity]).unwrap_err().to_string(), message);
    let options = Options::default().domain(Domain::periodic([2.0; 3]).unwrap());
    let mut boxed = ShortRange::with_options(&Device::cpu(), UNIFORM, options).unwrap();
    let (balls, mut out) = (near.upload::<Ball>(&[]).unwrap(), boxed.results(0).unwrap());
    let error = boxed.evaluate_over(&near, &balls, &mut out).unwrap_err();
    let message = "neighbour lists in another space than that of the options of the engine; give both the \
                   same, or the engine none";
    assert_eq!(error.to_string(), message);
}

#[test]
fn particles_without_the_fields_are_refused() {
    let mut good = Good::new();
    let atoms: Vec<_> = good.balls.iter().map(|it| Atom { pos: it.pos, kind: 0 }).collect();
    let atoms = good.near.upload(&atoms).unwrap();
    let either = ShortRange::new(&Device::cpu(), Either { factor: 2.0 }).unwrap();
    let missing = |law: &str, field: &str| {
        format!(
            "`{law}` needs a field `{field}`, found pos: Point, kind: u32; give it records that have it"
        )
    };
    good.refuses(|it| it.near.update(&atoms, &[&either]), &missing("either", "h: Real"));
    // Both buffers of one set have the same positions.
    let mut elsewhere = good.balls.clone();
    elsewhere[8].pos.x += 0.25;
    let [a, b] = [&good.balls, &elsewhere].map(|balls| good.upload(balls));
    good.refuses(
        |it| it.near.update_with(&a, Sources::Same(&b), &[&it.engine]),
        "i-particles and j-particles of one set at different positions; give both the same",
    );
    let fewer = good.upload(&good.balls[1..]);
    good.refuses(
        |it| it.near.update_with(&a, Sources::Same(&fewer), &[&it.engine]),
        "j-particles of one set: found 99, expected 100; give one for each particle",
    );
}
