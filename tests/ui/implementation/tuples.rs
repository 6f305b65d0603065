//! Tuples of particles.

use nbody::interaction;

#[interaction]
mod names {
    struct Bond;
    struct Atom {
        pos: Point,
    }
    struct Force {
        force: Vector,
    }

    impl Tuple for Bond {
        type P = Atom;
        type F = Force;

        fn bond(&self, [a, b]: [&Atom; 2], [f, g]: [&mut Force; 2]) {
            f.force += a.pos - b.pos;
            g.force -= a.pos - b.pos;
        }
    }
}

#[interaction]
mod roles {
    struct Bond;
    struct Atom {
        pos: Point,
    }
    struct Force {
        force: Vector,
    }

    impl Tuple for Bond {
        type P = Atom;
        type Q = Atom;

        fn tuple(&self, [a, b]: [&Atom; 2], [f, g]: [&mut Force; 2]) {
            f.force += a.pos - b.pos;
            g.force -= a.pos - b.pos;
        }
    }
}

#[interaction]
mod signatures {
    struct Pairwise;
    struct Uneven;
    struct Recorded;
    struct Crowd;
    struct Shared;
    struct Atom {
        pos: Point,
    }
    struct Rod {
        length: Real,
    }
    struct Force {
        force: Vector,
    }

    impl Tuple for Pairwise {
        type P = Atom;
        type F = Force;

        fn tuple(&self, i: &Atom, j: &Atom, f: &mut Force) {
            f.force += i.pos - j.pos;
        }
    }

    impl Tuple for Uneven {
        type P = Atom;
        type F = Force;

        fn tuple(&self, [a, b, c]: [&Atom; 3], [f, g]: [&mut Force; 2]) {
            f.force += a.pos - b.pos;
            g.force += c.pos - b.pos;
        }
    }

    impl Tuple for Recorded {
        type P = Atom;
        type T = Rod;
        type F = Force;

        fn tuple(&self, [a, b]: [&Atom; 2], [f, g]: [&mut Force; 2]) {
            f.force += a.pos - b.pos;
            g.force -= a.pos - b.pos;
        }
    }

    impl Tuple for Crowd {
        type P = Atom;
        type F = Force;

        fn tuple(
            &self,
            [a, b, c, d, e, f, g, h, i]: [&Atom; 9],
            [fa, fb, fc, fd, fe, ff, fg, fh, fi]: [&mut Force; 9],
        ) {
            fa.force += a.pos - b.pos;
        }
    }

    impl Tuple for Shared {
        type P = Atom;
        type F = Force;

        fn tuple(&self, [a, b]: [&mut Atom; 2], [f, g]: [&mut Force; 2]) {
            f.force += a.pos - b.pos;
        }
    }
}

#[interaction]
mod results {
    struct Bond;
    struct Sight;
    struct Atom {
        pos: Point,
        mass: Real,
    }
    struct Force {
        force: Vector,
        pot: Real,
    }
    struct Nearest {
        nearest: ArgMin<Real>,
        farthest: ArgMax<Real>,
        few: Nearest<2>,
    }

    impl Tuple for Bond {
        type P = Atom;
        type F = Force;

        fn tuple(&self, [a, b]: [&Atom; 2], [f, g]: [&mut Force; 2]) {
            a.mass += 1.0;
            f = a.pos - b.pos;
            g.force = a.pos - b.pos;
            g.force += f.force;
        }
    }

    impl Tuple for Sight {
        type P = Atom;
        type F = Nearest;

        fn tuple(&self, [a, b]: [&Atom; 2], [f, g]: [&mut Nearest; 2]) {
            f.nearest.min((a.pos - b.pos).norm());
            f.farthest.max((a.pos - b.pos).norm());
            f.few.insert((a.pos - b.pos).norm());
            g.nearest.min((a.pos - b.pos).norm());
        }
    }
}

fn main() {
    // A refused declaration causes no errors where it is used.
    let device = nbody::Device::cpu();
    let mut bonds = nbody::Tuples::new(&device, results::Bond).unwrap();
    bonds.set(&[[0, 1]], &[], 2).unwrap();
}
