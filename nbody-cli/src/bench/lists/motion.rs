//! The motion of the particles of `nbody bench --lists`: each has a constant velocity.

use nbody::law::ParticleProgram;
use nbody::untyped::{Beside, Buffer, PerParticle};
use nbody::{Device, Error, Measure as _, Update as _};

use moved::{Drift, Drift2, Speed, Speed2};

#[nbody::interaction]
mod moved {
    pub struct Body {
        pub pos: Point,
        pub vel: Vector,
    }
    pub struct Body2 {
        pub pos: Point<2>,
        pub vel: Vector<2>,
    }
    pub struct Drift {
        pub dt: Real,
    }
    impl Update for Drift {
        type P = Body;
        fn update(&self, p: &mut Body) {
            p.pos += self.dt * p.vel;
        }
    }
    pub struct Drift2 {
        pub dt: Real,
    }
    impl Update for Drift2 {
        type P = Body2;
        fn update(&self, p: &mut Body2) {
            p.pos += self.dt * p.vel;
        }
    }
    pub struct Sum {
        pub speed2: Real,
    }
    pub struct Speed;
    impl Measure for Speed {
        type P = Body;
        type T = Sum;
        fn measure(&self, p: &Body, total: &mut Sum) {
            total.speed2 += p.vel.norm2();
        }
    }
    pub struct Speed2;
    impl Measure for Speed2 {
        type P = Body2;
        type T = Sum;
        fn measure(&self, p: &Body2, total: &mut Sum) {
            total.speed2 += p.vel.norm2();
        }
    }
}

/// Moves particles on a device by their fields `pos` and `vel`.
#[derive(Debug)]
pub struct Motion {
    drift: Box<dyn PerParticle>,
    speed: Box<dyn PerParticle>,
    programs: [&'static ParticleProgram; 2],
}

impl Motion {
    /// Creates the motion in steps of this time, in two or three dimensions.
    pub fn new(device: &Device, dimensions: usize, dt: f64) -> Result<Self, Error> {
        let programs = match dimensions {
            2 => [Drift2::PROGRAM, Speed2::PROGRAM],
            _ => [Drift::PROGRAM, Speed::PROGRAM],
        };
        let device = device.untyped();
        Ok(Self {
            drift: device.per_particle(programs[0].parameters, &[dt.to_bits()])?,
            speed: device.per_particle(programs[1].parameters, &[])?,
            programs,
        })
    }

    /// Moves the particles by a step.
    pub fn drift(&mut self, particles: &mut dyn Buffer) -> Result<(), Error> {
        self.drift.update(self.programs[0], particles, Beside::default(), None)
    }

    /// Waits for the device, and for all ranks: a total is known when all work before has ended.
    pub fn wait(&mut self, particles: &dyn Buffer) -> Result<(), Error> {
        self.speed.measure(self.programs[1], particles, Beside::default()).map(drop)
    }
}
