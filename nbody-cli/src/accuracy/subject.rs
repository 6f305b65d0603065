//! The interactions whose errors are measured, and their particles.

use std::error::Error;

use nbody::check::Report;
use nbody::check::untyped::{compare, reference};
use nbody::cuda::{Schedule, programs};
use nbody::law::Field;
use nbody::models::{plummer, uniform_rows};
use nbody::untyped::{OwnedRows, Rows as _};
use nbody::{Device, Domain, Options, Sources, Store};
use nbody_interactions::gravity::Attraction;

use crate::interactions::Chosen;

/// Squared softening length of the paper, rounded to `f32`.
pub const EPS2: f64 = 0.01_f32 as f64;
const SEED: u64 = 1;

/// An interaction, and the kind of its particles.
pub struct Subject {
    chosen: Chosen,
    pub particles: Particles,
}

/// The kinds of particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Particles {
    /// Plummer spheres, rounded to `f32`.
    Rounded,
    /// Plummer spheres in `f64`.
    Unrounded,
    /// Uniform in the unit cube, exact in `f32`.
    Uniform,
}

impl Particles {
    /// Names the particles of the reference.
    pub fn name(self) -> &'static str {
        if self == Self::Unrounded { "particles in f64" } else { "the same f32 particles" }
    }
}

impl Subject {
    /// Returns the attraction of the paper in Plummer spheres.
    pub fn of_the_paper(unrounded: bool) -> Self {
        let particles = if unrounded { Particles::Unrounded } else { Particles::Rounded };
        Self { chosen: Chosen::new(Attraction { eps2: EPS2 }), particles }
    }

    /// Returns an interaction with uniform particles.
    pub fn uniform(chosen: Chosen) -> Self {
        Self { chosen, particles: Particles::Uniform }
    }

    pub fn name(&self) -> &'static str {
        self.chosen.law.name
    }

    /// Returns the fields of the results.
    pub fn fields(&self) -> &'static [Field] {
        self.chosen.law.f
    }

    /// Samples particles.
    pub fn sample(&self, n: usize) -> Result<Sample<'_>, Box<dyn Error>> {
        let (law, chosen) = (self.chosen.law, &self.chosen);
        if self.particles == Particles::Uniform {
            let i = uniform_rows(law.i, n, SEED);
            let j = (!chosen.has_one_record()).then(|| uniform_rows(law.j, n, SEED + 1));
            return Ok(Sample { chosen, i, j });
        }
        let is_rounded = self.particles == Particles::Rounded;
        let round = |x: f64| if is_rounded { f64::from(x as f32) } else { x };
        let sphere = plummer(n, SEED)?;
        // The fields of a body are its position and its mass.
        let numbers = sphere.particles.iter().flat_map(|p| [p.pos[0], p.pos[1], p.pos[2], p.mass]);
        let words = numbers.map(|x| round(x).to_bits()).collect();
        Ok(Sample { chosen, i: OwnedRows::new(law.i, words)?, j: None })
    }
}

/// Particles of an interaction.
pub struct Sample<'a> {
    chosen: &'a Chosen,
    i: OwnedRows,
    /// `None` if the i-particles serve as both.
    j: Option<OwnedRows>,
}

impl Sample<'_> {
    /// Returns the results of the first `count` particles by the reference.
    pub fn reference(&self, count: usize, domain: Domain) -> Result<OwnedRows, nbody::Error> {
        let Chosen { law, parameters, .. } = self.chosen;
        let numbers = self.i.words().len() / self.i.count().max(1);
        let targets = OwnedRows::new(law.i, self.i.words()[..count * numbers].to_vec())?;
        let sources = match &self.j {
            Some(j) => Sources::Others(j as _),
            None => Sources::First(&self.i as _),
        };
        reference(law, parameters, domain, &targets, sources)
    }

    /// Compares the results of a device with the first results by the reference; returns the
    /// schedule, too.
    pub fn compare(
        &self,
        device: &Device,
        options: Options,
        truth: &OwnedRows,
    ) -> Result<(Schedule, Report), nbody::Error> {
        let Chosen { law, parameters, .. } = self.chosen;
        let device = device.untyped();
        let mut direct = device.all_pairs(law, parameters, options)?;
        let i = device.upload(&self.i, options.precision)?;
        let j = self.j.as_ref().map(|j| device.upload(j, options.precision)).transpose()?;
        let sources = j.as_deref().map_or(Sources::Same(&*i), Sources::Others);
        let mut out = direct.results(i.len())?;
        direct.evaluate(&*i, sources, &mut *out, Store::Replace)?;
        let mut words = vec![0; truth.words().len()];
        let n = truth.count();
        out.read(0..n, &mut |write| write(0..n, &mut words))?;
        let report = compare(&OwnedRows::new(law.f, words)?, truth, None)?;
        let program = programs::compiled(&*direct);
        let schedule = program.map_or(Schedule::Ordered, |(program, _)| program.config.schedule);
        Ok((schedule, report))
    }
}
