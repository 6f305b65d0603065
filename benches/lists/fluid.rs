//! The Lennard-Jones liquid with this crate, over neighbour lists.

use nbody::{
    Device, Domain, Engine as _, Neighbours, Options, Particles, PerParticle, Point, Results,
    ShortRange, Skin, Vector,
};

pub use law::{Atom, Force, LennardJones};

/// The interaction in reduced units, and the leapfrog step.
#[nbody::interaction]
mod law {
    /// The force of the potential 4 (r⁻¹² − r⁻⁶).
    pub struct LennardJones {
        /// Cutoff radius.
        pub cutoff: Real,
    }

    pub struct Atom {
        pub pos: Point,
        pub vel: Vector,
    }

    pub struct Place {
        pub pos: Point,
    }

    pub struct Force {
        pub force: Vector,
    }

    impl Interaction for LennardJones {
        type I = Place;
        type J = Place;
        type F = Force;

        fn cutoff(&self, _i: &Place, _j: &Place) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Place, j: &Place, f: &mut Force) {
            let d = i.pos - j.pos;
            let s2 = 1.0 / d.norm2();
            let s6 = s2.powi(3);
            f.force += 24.0 * s6 * (2.0 * s6 - 1.0) * s2 * d;
        }
    }

    /// Changes velocities by the forces, then positions by the new velocities.
    pub struct Leapfrog {
        pub dt: Real,
    }

    impl Update for Leapfrog {
        type P = Atom;
        type F = Force;

        fn update(&self, p: &mut Atom, f: &Force) {
            p.vel += self.dt * f.force;
            p.pos += self.dt * p.vel;
        }
    }
}

/// The liquid with its lists and forces.
pub struct Fluid {
    near: Neighbours,
    force: ShortRange<LennardJones>,
    step: PerParticle<law::Leapfrog>,
    atoms: Particles<Atom>,
    forces: Results<Force>,
}

impl Fluid {
    /// Places atoms in a periodic cube.
    pub fn new(length: f64, cutoff: f64, dt: f64, atoms: &[Atom]) -> Self {
        let domain = Domain::periodic([length; 3]).expect("a box");
        let near =
            Neighbours::with_options(&Device::cpu(), Skin::Auto, Options::default().domain(domain))
                .expect("a skin");
        let force = ShortRange::new(&Device::cpu(), LennardJones { cutoff }).expect("a cutoff");
        let mut step = PerParticle::new(&Device::cpu(), law::Leapfrog { dt }).expect("the CPU");
        step.set_domain(domain).expect("a box");
        step.set_wrap(true);
        let atoms = near.upload(atoms).expect("room for the atoms");
        let forces = force.results(atoms.len()).expect("room for the forces");
        Self { near, force, step, atoms, forces }
    }

    /// Looks whether the lists are good, and rebuilds them if not.
    pub fn update(&mut self) {
        self.near.update(&self.atoms, &[&self.force]).expect("finite positions");
    }

    /// Evaluates the forces.
    pub fn evaluate(&mut self) {
        self.force.evaluate_over(&self.near, &self.atoms, &mut self.forces).expect("good lists");
    }

    /// Moves the atoms.
    pub fn advance(&mut self) {
        let inputs = &self.forces;
        self.step.update_by_name(&mut self.atoms, inputs).expect("a force for each atom");
    }

    /// Returns the number of rebuilds.
    pub fn rebuilds(&mut self) -> u64 {
        self.near.rebuilds().expect("lists")
    }

    /// Returns the atoms.
    pub fn atoms(&self) -> Vec<Atom> {
        self.atoms.download().expect("atoms")
    }

    /// Returns the forces.
    pub fn forces(&self) -> Vec<[f64; 3]> {
        let forces: Vec<Force> = self.forces.download::<f64>().expect("forces");
        forces.iter().map(|force| force.force.0).collect()
    }
}

/// Returns atoms of an equilibrated liquid of this density at a temperature of 1. A lattice of
/// `cells`³ cubes of four atoms is equilibrated, and copied `copies`³ times; each copy gets
/// different velocities.
pub fn equilibrated(cells: u32, copies: u32, density: f64, cutoff: f64) -> (f64, Vec<Atom>) {
    let edge = (4.0 / density).cbrt();
    let mut random = Random(1);
    let mut atoms = Vec::new();
    for cell in grid(cells) {
        for [x, y, z] in [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]] {
            let pos = [x + 0.25, y + 0.25, z + 0.25];
            let pos = [0, 1, 2].map(|axis| (cell[axis] + pos[axis]) * edge);
            atoms.push(Atom { pos: Point(pos), vel: random.velocity(2f64.sqrt()) });
        }
    }
    let length = f64::from(cells) * edge;
    for _ in 0..20 {
        let mut fluid = Fluid::new(length, cutoff, 0.004, &atoms);
        for _ in 0..20 {
            fluid.update();
            fluid.evaluate();
            fluid.advance();
        }
        atoms = fluid.atoms();
        for atom in &mut atoms {
            atom.vel = random.velocity(1.0);
        }
    }
    let mut all = Vec::new();
    for cell in grid(copies) {
        for atom in &atoms {
            let pos = [0, 1, 2].map(|axis| atom.pos.0[axis] + cell[axis] * length);
            all.push(Atom { pos: Point(pos), vel: random.velocity(1.0) });
        }
    }
    (length * f64::from(copies), all)
}

/// Returns the corners of unit cells.
fn grid(cells: u32) -> impl Iterator<Item = [f64; 3]> {
    let cell = move |k: u32| [k % cells, k / cells % cells, k / cells / cells].map(f64::from);
    (0..cells.pow(3)).map(cell)
}

/// Random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a velocity of an approximate Maxwell distribution.
    fn velocity(&mut self, deviation: f64) -> Vector<f64> {
        let normal = |_| ((0..12).map(|_| self.next()).sum::<f64>() - 6.0) * deviation;
        Vector([0, 1, 2].map(normal))
    }
}
