//! Gravity.

use nbody::check::reference;
use nbody::{Domain, Point, Vector};
use nbody_interactions::{gravity, hermite, softened};

use crate::near;
use crate::shapes::{cubic, disorder, gradient, norm, sphere};

fn field(eps2: f64, bodies: &[gravity::Body], at: [f64; 3]) -> gravity::Field {
    let target = [gravity::Body { pos: Point(at), mass: 0.0 }];
    reference::<_, f64>(&gravity::Gravity { eps2 }, Domain::Open, &target, bodies).unwrap()[0]
}

/// A Plummer sphere is made of shells of equal mass, each at its half-mass radius (Plummer 1911):
/// φ = −M / √(r² + a²), and the acceleration is −∇φ.
///
/// Fails with `f.pot += mr`, with `rinv` in place of `rinv * rinv` and with `i.pos - j.pos`.
#[test]
fn plummer_sphere() {
    const SHELLS: usize = 600;
    let mut bodies = Vec::new();
    for shell in 0..SHELLS {
        let inside = (shell as f64 + 0.5) / SHELLS as f64;
        // The radius that encloses this fraction of the mass.
        let r = (inside.powf(-2.0 / 3.0) - 1.0).sqrt().recip();
        // Shells have different numbers of points, so that the points do not line up.
        let directions = sphere(200 + shell);
        let mass = 1.0 / (SHELLS * directions.len()) as f64;
        let at = |p: [f64; 3]| gravity::Body { pos: Point(p.map(|x| x * r)), mass };
        bodies.extend(directions.into_iter().map(at));
    }
    // Near a body its own field dominates: average over many points.
    let places = sphere(150);
    for r in [0.7_f64, 1.5, 4.0] {
        let b2: f64 = 1.0 + r * r;
        let (mut pot, mut pull) = (0.0, 0.0);
        for p in &places {
            let found = field(1e-3, &bodies, p.map(|x| x * r));
            pot += found.pot / places.len() as f64;
            pull -= found.acc.dot(Vector(*p)) / places.len() as f64;
        }
        near(pot, -b2.powf(-0.5), 1.0, 3e-3);
        near(pull, r * b2.powf(-1.5), 1.0, 1e-2);
    }
}

/// Inside a homogeneous sphere φ = −M (3R² − r²) / 2R³ and the acceleration is −M r / R³.
/// A softening length far below the radius changes little.
///
/// Fails with `f.pot += mr`, with `rinv` in place of `rinv * rinv` and with a softening of
/// `64.0 * self.eps2`.
#[test]
fn homogeneous_sphere() {
    const RADIUS: f64 = 30.0;
    let points = cubic(RADIUS, 0.5);
    let mass = 1.0 / points.len() as f64;
    let bodies: Vec<_> = points.iter().map(|p| gravity::Body { pos: Point(*p), mass }).collect();
    for at in [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [6.0, -12.0, 3.0]] {
        let found = field(0.25, &bodies, at);
        let pot = -0.5 * (3.0 - (norm(at) / RADIUS).powi(2)) / RADIUS;
        near(found.pot, pot, pot.abs(), 4e-3);
        for (found, x) in found.acc.0.into_iter().zip(at) {
            near(found, -x / RADIUS.powi(3), RADIUS.powi(-2), 1e-2);
        }
    }
}

fn moving() -> (hermite::Body, Vec<hermite::Body>) {
    let source = |k: usize| {
        let x = |l: usize| disorder(k, l);
        let (pos, vel) = ([x(0), x(1), x(2)], [x(3), x(4), x(5)]);
        hermite::Body { pos: Point(pos), vel: Vector(vel), mass: 1.0 + x(6) }
    };
    let (pos, vel) = (Point::new(0.1, -0.2, 0.3), Vector::new(0.4, 0.5, -0.6));
    let target = hermite::Body { pos, vel, mass: 0.0 };
    (target, (0..40).map(source).collect())
}

fn after(time: f64, pos: Point, vel: Vector) -> Point {
    Point(std::array::from_fn(|k| pos[k] + time * vel[k]))
}

/// The jerk is the time derivative of the acceleration; acceleration and potential equal the
/// results of `gravity`.
///
/// Fails with `v + approach * d`, with `2.0 * d.dot(v)` and with `f.pot += mr`.
#[test]
fn jerk_is_the_derivative_of_the_acceleration() {
    const STEP: f64 = 1e-4;
    let (target, sources) = moving();
    let eps2 = 0.01;
    let at = |time: f64| {
        let body =
            |s: &hermite::Body| gravity::Body { pos: after(time, s.pos, s.vel), mass: s.mass };
        let bodies: Vec<_> = sources.iter().map(body).collect();
        field(eps2, &bodies, after(time, target.pos, target.vel).0)
    };
    let still = |body: &hermite::Body| gravity::Body { pos: body.pos, mass: body.mass };
    let still: (_, Vec<_>) = (still(&target), sources.iter().map(still).collect());
    let attraction = gravity::Attraction { eps2 };
    let alone = reference::<_, f64>(&attraction, Domain::Open, &[still.0], &still.1).unwrap()[0];
    let hermite = hermite::Hermite { eps2 };
    let found = reference::<_, f64>(&hermite, Domain::Open, &[target], &sources).unwrap()[0];
    let (before, now, then) = (at(-STEP), at(0.0), at(STEP));
    near(found.pot, now.pot, now.pot.abs(), 1e-14);
    for k in 0..3 {
        let jerk = (then.acc[k] - before.acc[k]) / (2.0 * STEP);
        near(found.acc[k], now.acc[k], now.acc.norm(), 1e-14);
        near(alone.acc[k], now.acc[k], now.acc.norm(), 1e-14);
        near(found.jerk[k], jerk, found.jerk.norm(), 1e-6);
    }
}

/// With different softening lengths the force is still the gradient of the potential and obeys
/// Newton's third law. The softening length of two coincident bodies is the root of the sum of the
/// squares, 3² + 4² = 5².
///
/// Fails with `i.eps * i.eps` alone, with `f.pot += mr` and with `rinv` in place of
/// `rinv * rinv`.
#[test]
fn softening_of_each_particle() {
    let body = |pos, mass, eps| softened::Body { pos: Point(pos), mass, eps };
    let field = |i: softened::Body, j: softened::Body| {
        reference::<_, f64>(&softened::Softened, Domain::Open, &[i], &[j]).unwrap()[0]
    };
    let (a, b) = ([0.0; 3], [1.0, -2.0, 0.5]);
    near(field(body(a, 1.0, 3.0), body(a, 2.0, 4.0)).pot, -0.4, 1.0, 1e-15);
    let (i, j) = (body(a, 1.0, 0.7), body(b, 2.0, 0.2));
    let slope = gradient(|at| field(body(at, 1.0, 0.7), j).pot, a);
    let (on_i, on_j) = (field(i, j).acc, field(j, i).acc);
    for k in 0..3 {
        near(on_i[k], -slope[k], on_i.norm(), 1e-7);
        near(i.mass * on_i[k], -j.mass * on_j[k], on_i.norm(), 1e-14);
    }
}
