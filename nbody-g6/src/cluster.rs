//! A cluster: j-particles, and the evaluation of their forces on i-particles.

use nbody::prelude::*;
use nbody::{Particles, Results};

use crate::config::Setup;
use crate::error::Error;
use crate::law::{Field, Forces, Found, Nearest, State, Target};
use crate::neighbours::{Lists, Sphere};
use crate::resident::Resident;
use crate::sources::Sources;

/// The state behind a cluster id: a board of the GRAPE-6.
#[derive(Debug)]
pub struct Cluster {
    sources: Sources,
    time: f64,
    resident: Resident,
    forces: AllPairs<Forces>,
    nearest: AllPairs<Nearest>,
    targets: Particles<Target>,
    results: (Results<Field>, Results<Found>),
    /// Whether the last results were with the nearest particle: a guess at the next.
    wants_nearest: bool,
    evaluation: Begun,
    lists: Option<Lists>,
}

/// The i-particles of an evaluation.
#[derive(Debug)]
pub struct Targets {
    pub particles: Vec<Target>,
    pub eps2: f64,
    /// The squared radii of neighbour lists; empty without lists.
    pub h2: Vec<f64>,
}

/// The last evaluation that began.
#[derive(Debug)]
enum Begun {
    None,
    Refused,
    Evaluation(Evaluation),
}

#[derive(Debug)]
struct Evaluation {
    targets: Targets,
    done: Done,
}

/// The results that the device has or computes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Done {
    Nothing,
    Forces,
    Nearest,
}

/// The results of an i-particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Output {
    pub acc: [f64; 3],
    pub jerk: [f64; 3],
    pub pot: f64,
    /// The identity of the nearest particle; `None` if there is none, or if it was not asked for.
    pub nearest: Option<u32>,
}

impl Output {
    /// The results of a call that failed.
    pub const NAN: Self =
        Self { acc: [f64::NAN; 3], jerk: [f64::NAN; 3], pot: f64::NAN, nearest: None };
}

impl Cluster {
    /// Creates a cluster without particles. Compiles the programs of a GPU, or loads them from
    /// the cache.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let Setup { device, precision } = setup;
        let options = Options::default().precision(*precision);
        let forces = AllPairs::with_options(device, Forces { eps2: 0.0 }, options)?;
        let nearest = AllPairs::with_options(device, Nearest { eps2: 0.0 }, options)?;
        Ok(Self {
            sources: Sources::default(),
            time: 0.0,
            resident: Resident::new(device, *precision)?,
            targets: forces.upload::<Target>(&[])?,
            results: (forces.results(0)?, nearest.results(0)?),
            forces,
            nearest,
            wants_nearest: false,
            evaluation: Begun::None,
            lists: None,
        })
    }

    /// Sets the time to which j-particles are predicted.
    pub fn set_time(&mut self, time: f64) -> Result<(), Error> {
        if !time.is_finite() {
            return Err(Error::BadNumber { what: "ti", found: time });
        }
        self.time = time;
        Ok(())
    }

    /// Sets the j-particle at this address.
    pub fn set_source(&mut self, address: u32, state: State) -> Result<(), Error> {
        self.sources.set(address, state)
    }

    /// Begins the evaluation of the first `nj` j-particles; a GPU computes while the caller
    /// continues.
    pub fn begin(&mut self, nj: usize, targets: Targets) -> Result<(), Error> {
        self.evaluation = Begun::Refused;
        self.lists = None;
        let eps2 = targets.eps2;
        if !(eps2.is_finite() && eps2 >= 0.0) {
            return Err(Error::BadNumber { what: "eps2", found: eps2 });
        }
        self.resident.bring(&mut self.sources, nj, self.time)?;
        self.targets.replace(&targets.particles)?;
        let mut evaluation = Evaluation { targets, done: Done::Nothing };
        // The CPU would not compute while the caller continues, and the caller may want no results.
        if !self.forces.device().is_cpu() {
            self.evaluate(&mut evaluation, self.wants_nearest)?;
        }
        // The GPU computes meanwhile.
        self.sources.settle();
        self.evaluation = Begun::Evaluation(evaluation);
        Ok(())
    }

    /// Forgets the last evaluation, since another one was refused before it began.
    pub fn refuse(&mut self) {
        self.evaluation = Begun::Refused;
        self.lists = None;
    }

    /// Returns the results of the first `ni` i-particles.
    pub fn finish(&mut self, ni: usize, with_nearest: bool) -> Result<Vec<Output>, Error> {
        let mut evaluation = self.take()?;
        let outputs = self.outputs(&mut evaluation, ni, with_nearest);
        self.evaluation = Begun::Evaluation(evaluation);
        outputs
    }

    fn take(&mut self) -> Result<Evaluation, Error> {
        match std::mem::replace(&mut self.evaluation, Begun::Refused) {
            Begun::Evaluation(evaluation) => Ok(evaluation),
            Begun::Refused => Err(Error::Refused),
            Begun::None => {
                self.evaluation = Begun::None;
                Err(Error::NotBegun)
            }
        }
    }

    fn outputs(
        &mut self,
        evaluation: &mut Evaluation,
        ni: usize,
        with_nearest: bool,
    ) -> Result<Vec<Output>, Error> {
        let expected = evaluation.targets.particles.len();
        if ni > expected {
            return Err(Error::OtherTargets { found: ni, expected });
        }
        self.wants_nearest = with_nearest;
        let lacks_nearest = with_nearest && evaluation.done == Done::Forces;
        if evaluation.done == Done::Nothing || lacks_nearest {
            self.evaluate(evaluation, with_nearest)?;
        }
        let mut outputs: Vec<_> = if evaluation.done == Done::Nearest {
            let ids = self.resident.ids();
            let output = |found: Found| {
                // Without a nearest particle there is none at its place.
                let nearest = ids.get(found.near.index as usize).copied();
                Output { nearest, ..output(found.acc, found.jerk, found.pot) }
            };
            self.results.1.download::<f64>()?.into_iter().map(output).collect()
        } else {
            let fields = self.results.0.download::<f64>()?.into_iter();
            fields.map(|field| output(field.acc, field.jerk, field.pot)).collect()
        };
        outputs.truncate(ni);
        Ok(outputs)
    }

    fn evaluate(&mut self, evaluation: &mut Evaluation, nearest: bool) -> Result<(), Error> {
        let (i, j) = (&self.targets, self.resident.predicted());
        let eps2 = evaluation.targets.eps2;
        if nearest {
            self.results.1.resize(i.len())?;
            self.nearest.set_parameters(Nearest { eps2 });
            self.nearest.evaluate_into(i, j, &mut self.results.1)?;
            evaluation.done = Done::Nearest;
        } else {
            self.results.0.resize(i.len())?;
            self.forces.set_parameters(Forces { eps2 });
            self.forces.evaluate_into(i, j, &mut self.results.0)?;
            evaluation.done = Done::Forces;
        }
        Ok(())
    }

    /// Finds the neighbours of the i-particles of the last evaluation. Returns whether an
    /// i-particle has more than a list holds.
    pub fn find_neighbours(&mut self) -> Result<bool, Error> {
        let evaluation = match &self.evaluation {
            Begun::Evaluation(evaluation) => evaluation,
            Begun::Refused => return Err(Error::Refused),
            Begun::None => return Err(Error::NotBegun),
        };
        let Targets { particles, h2, .. } = &evaluation.targets;
        if h2.len() < particles.len() {
            return Err(Error::NoRadii);
        }
        let positions: Vec<Point> = self.resident.predicted().download_field("pos")?;
        let sphere = |(i, &h2): (&Target, &f64)| Sphere { pos: i.pos, id: i.id, h2 };
        let spheres: Vec<_> = particles.iter().zip(h2).map(sphere).collect();
        let lists = Lists::find(&spheres, &positions, self.resident.ids());
        let overflow = lists.overflow();
        self.lists = Some(lists);
        Ok(overflow)
    }

    /// Returns the neighbour lists of the last evaluation.
    pub fn lists(&self) -> Result<&Lists, Error> {
        self.lists.as_ref().ok_or(Error::NoLists)
    }
}

fn output(acc: Vector, jerk: Vector, pot: f64) -> Output {
    let array = |v: Vector| [v.x, v.y, v.z];
    Output { acc: array(acc), jerk: array(jerk), pot, nearest: None }
}
