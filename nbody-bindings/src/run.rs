//! Runs of integrators: an engine, and its particles with their motions and their time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use nbody::Error;
use nbody::law::{Field, FieldKind, Law};
use nbody::untyped::{Engine as _, OwnedRows, Rows};
use nbody_integrate::{BlockHermite, Hermite, HermiteOptions, Integrator, Leapfrog, Motion, Start};

use crate::checkpoint::{self, Checkpoint, State};
use crate::columns::width;
use crate::engine::{Lent, Shared};
use crate::failure::{Failure, UnknownState};

/// The integrator of a run, and its steps.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// The integrator.
    pub method: Method,
    /// The time at which the run begins.
    pub begin: f64,
    /// The step of a leapfrog.
    pub step: f64,
    /// The steps of a Hermite integrator.
    pub options: HermiteOptions,
}

/// An integrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Steps of one length: [`Leapfrog`].
    Leapfrog,
    /// Shared steps: [`Hermite`].
    Hermite,
    /// Individual steps: [`BlockHermite`].
    BlockHermite,
}

/// The integrator of a run, and what its checkpoint leaves out.
enum OfMethod {
    /// With whether positions are wrapped.
    Leapfrog(Box<Leapfrog>, bool),
    Hermite(Box<Hermite>, HermiteOptions),
    BlockHermite(Box<BlockHermite>, HermiteOptions),
}

/// A run of an integrator.
pub struct Run {
    integrator: OfMethod,
    law: &'static Law,
    /// The fields of the particles besides their motions, row by row.
    others: Vec<u64>,
    /// The numbers of steps, and of steps of single particles, before the run was resumed.
    before: [u64; 2],
}

impl Run {
    /// Begins a run of particles that have the fields of [`moving_fields`], and evaluates their forces.
    pub fn begin(engine: Arc<Shared>, rows: &dyn Rows, steps: Steps) -> Result<Self, Failure> {
        let (device, lent) = lend(engine)?;
        let law = lent.law();
        let Steps { method, begin, step, options } = steps;
        let start = Start::rows(rows).begin(begin);
        let integrator = match method {
            Method::Leapfrog => {
                OfMethod::Leapfrog(Box::new(Leapfrog::of(&device, lent, start, step)?), false)
            }
            Method::Hermite => {
                OfMethod::Hermite(Box::new(Hermite::of(&device, lent, start, options)?), options)
            }
            Method::BlockHermite => {
                let run = BlockHermite::of(&device, lent, start, options)?;
                OfMethod::BlockHermite(Box::new(run), options)
            }
        };
        Ok(Self { integrator, law, others: others(rows), before: [0; 2] })
    }

    /// Resumes a run from the file at a path.
    pub fn resume(engine: Arc<Shared>, path: &str) -> Result<Self, Failure> {
        let (device, lent) = lend(engine)?;
        let law = lent.law();
        let Checkpoint { law: of, steps: before, others, state } = Checkpoint::load(path)?;
        let expected = described(law)?;
        if of != expected {
            return Err(Failure::argument(format!(
                "{path} is a run of {of}, given an engine of {expected}; create the engine of the law of the run"
            )));
        }
        let rows = moving_rows(moving_fields(law)?, &state.motions()?, &others);
        let rows = rows.ok_or_else(|| checkpoint::damaged(path))??;
        let start = Start::rows(&rows);
        let integrator = match state {
            State::Leapfrog { step, wraps, checkpoint } => {
                let mut run = Leapfrog::resume_of(&device, lent, start, &checkpoint, step)?;
                run.set_wrap(wraps)?;
                OfMethod::Leapfrog(Box::new(run), wraps)
            }
            State::Hermite { options, checkpoint } => {
                let run = Hermite::resume_of(&device, lent, start, &checkpoint, options)?;
                OfMethod::Hermite(Box::new(run), options)
            }
            State::BlockHermite { options, checkpoint } => {
                let run = BlockHermite::resume_of(&device, lent, start, &checkpoint, options)?;
                OfMethod::BlockHermite(Box::new(run), options)
            }
        };
        Ok(Self { integrator, law, others, before })
    }

    /// Saves the run to a file, which is replaced when all is written.
    pub fn save(&self, path: &str) -> Result<(), Failure> {
        self.checkpoint()?.save(path)
    }

    /// Returns the method of the integrator.
    pub fn method(&self) -> Method {
        match self.integrator {
            OfMethod::Leapfrog(..) => Method::Leapfrog,
            OfMethod::Hermite(..) => Method::Hermite,
            OfMethod::BlockHermite(..) => Method::BlockHermite,
        }
    }

    /// Returns the law.
    pub fn law(&self) -> &'static Law {
        self.law
    }

    /// Returns the fields of the particles besides their motions, row by row.
    pub fn others(&self) -> &[u64] {
        &self.others
    }

    /// Sets whether a leapfrog wraps positions into the periodic box.
    pub fn set_wrap(&mut self, wraps: bool) -> Result<(), Failure> {
        let (run, kept) = self.leapfrog("positions in a box")?;
        run.set_wrap(wraps)?;
        *kept = wraps;
        Ok(())
    }

    /// Sets the step of a leapfrog.
    pub fn set_step(&mut self, step: f64) -> Result<(), Failure> {
        Ok(self.leapfrog("a constant step")?.0.set_step(step)?)
    }
    /// Returns the integrator.
    pub fn get(&self) -> &dyn Integrator {
        match &self.integrator {
            OfMethod::Leapfrog(run, _) => &**run,
            OfMethod::Hermite(run, _) => &**run,
            OfMethod::BlockHermite(run, _) => &**run,
        }
    }

    /// Returns the integrator, for changes.
    pub fn get_mut(&mut self) -> &mut dyn Integrator {
        match &mut self.integrator {
            OfMethod::Leapfrog(run, _) => &mut **run,
            OfMethod::Hermite(run, _) => &mut **run,
            OfMethod::BlockHermite(run, _) => &mut **run,
        }
    }

    /// Returns a leapfrog, and whether it wraps positions.
    fn leapfrog(&mut self, what: &str) -> Result<(&mut Leapfrog, &mut bool), Failure> {
        match &mut self.integrator {
            OfMethod::Leapfrog(run, wraps) => Ok((run, wraps)),
            _ => {
                Err(Failure::argument(format!("{what} of a Hermite integrator; create a leapfrog")))
            }
        }
    }

    /// Returns the numbers of steps, and of steps of single particles.
    pub fn steps(&self) -> [u64; 2] {
        let found = self.get().steps();
        let [steps, particle_steps] = self.before;
        [steps.saturating_add(found.steps), particle_steps.saturating_add(found.particle_steps)]
    }

    fn checkpoint(&self) -> Result<Checkpoint, Failure> {
        let state = match &self.integrator {
            OfMethod::Leapfrog(run, wraps) => {
                State::Leapfrog { step: run.step(), wraps: *wraps, checkpoint: run.checkpoint()? }
            }
            OfMethod::Hermite(run, options) => {
                State::Hermite { options: *options, checkpoint: run.checkpoint()? }
            }
            OfMethod::BlockHermite(run, options) => {
                State::BlockHermite { options: *options, checkpoint: run.checkpoint()? }
            }
        };
        let (law, steps) = (described(self.law)?, self.steps());
        Ok(Checkpoint { law, steps, others: self.others.clone(), state })
    }
}

/// Returns the device of an engine, and the engine for a run.
fn lend(engine: Arc<Shared>) -> Result<(nbody::Device, Box<Lent>), Failure> {
    let device = engine.lock().map_err(|_| Error::of_device(UnknownState))?.device.clone();
    Ok((device, Box::new(Lent::new(engine)?)))
}

/// Returns motions as rows of [`MOTION`].
pub fn rows_of(motions: &[Motion]) -> Result<OwnedRows, Failure> {
    let row = |it: &Motion| {
        [it.pos.x, it.pos.y, it.pos.z, it.vel.x, it.vel.y, it.vel.z, it.mass].map(f64::to_bits)
    };
    Ok(OwnedRows::new(&MOTION, motions.iter().flat_map(row).collect())?)
}

/// The fields of a motion.
pub static MOTION: [Field; 3] = [
    Field { name: "pos", kind: FieldKind::Point(3) },
    Field { name: "vel", kind: FieldKind::Vector(3) },
    Field { name: "mass", kind: FieldKind::Real },
];

/// Returns the fields of moving particles of a law: the fields of its i-particles and j-particles, and
/// of motions, each once.
pub fn moving_fields(law: &'static Law) -> Result<&'static [Field], Failure> {
    static KNOWN: Mutex<Option<HashMap<usize, &'static [Field]>>> = Mutex::new(None);
    let mut fields: Vec<Field> = Vec::new();
    for field in law.i.iter().chain(law.j).chain(&MOTION) {
        match fields.iter().find(|other| other.name == field.name) {
            None => fields.push(*field),
            Some(other) if other == field => {}
            Some(other) => {
                return Err(Failure::unsupported(format!(
                    "`{}` has `{other}` and `{field}` in its moving particles, expected one kind of field \
                     for a name; rename one",
                    law.name
                )));
            }
        }
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    let key = std::ptr::from_ref(law).addr();
    Ok(known.entry(key).or_insert_with(|| Vec::leak(fields)))
}

/// Returns a law and the fields of its moving particles, which the file of a run names.
fn described(law: &'static Law) -> Result<String, Failure> {
    let fields: Vec<_> = moving_fields(law)?.iter().map(ToString::to_string).collect();
    Ok(format!("`{}` with {}", law.name, fields.join(", ")))
}

/// Returns whether a field is not one of a motion.
fn is_other(field: &Field) -> bool {
    !MOTION.iter().any(|motion| motion.name == field.name)
}

/// Returns the fields of particles besides their motions, row by row.
fn others(rows: &dyn Rows) -> Vec<u64> {
    let (n, fields) = (rows.count(), rows.fields());
    let mut others = Vec::new();
    if fields.iter().any(is_other) {
        // A row at a time, so that the motions take no memory.
        let mut row = vec![0; width(fields)];
        for k in 0..n {
            rows.write(k..k + 1, &mut row);
            let mut words = &row[..];
            for field in fields {
                let (numbers, rest) = words.split_at(field.kind.components());
                words = rest;
                if is_other(field) {
                    others.extend(numbers);
                }
            }
        }
    }
    others
}

/// Returns rows of moving particles of these motions and other fields; `None` if the numbers of both
/// differ.
fn moving_rows(
    fields: &'static [Field],
    motions: &[Motion],
    others: &[u64],
) -> Option<Result<OwnedRows, Error>> {
    let numbers = fields.iter().filter(|it| is_other(it)).map(|it| it.kind.components()).sum();
    if others.len() != motions.len().checked_mul(numbers)? {
        return None;
    }
    let mut others = others.iter().copied();
    let mut words = Vec::with_capacity(motions.len() * width(fields));
    for motion in motions {
        for field in fields {
            match field.name {
                "pos" => words.extend(motion.pos.0.map(f64::to_bits)),
                "vel" => words.extend(motion.vel.0.map(f64::to_bits)),
                "mass" => words.push(motion.mass.to_bits()),
                _ => words.extend(others.by_ref().take(field.kind.components())),
            }
        }
    }
    Some(OwnedRows::new(fields, words))
}
