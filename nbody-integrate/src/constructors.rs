//! Constructors of the integrators: with the engine of an interaction, and with an engine without
//! types. Everything after them is compiled once for all laws.

use nbody::law::Record;
use nbody::{Device, Engine, Interaction, untyped};

use crate::engine::RunEngine;
use crate::{BlockCheckpoint, BlockHermite, Hermite, HermiteCheckpoint, HermiteOptions};
use crate::{Error, Leapfrog, LeapfrogCheckpoint, Start};

impl Leapfrog {
    /// Begins with these particles (see [`Start`]), and evaluates their forces.
    pub fn new<'a, X: Interaction, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        engine: impl Engine<X> + 'static,
        start: impl Into<Start<'a, P, Q>>,
        step: f64,
    ) -> Result<Self, Error> {
        Self::begin(RunEngine::typed(engine), start.into().untyped(), step)
    }

    /// Begins as [`new`](Self::new) does with an engine without types on this device, of a law that
    /// may be text.
    pub fn of<'a, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        device: &Device,
        engine: Box<dyn untyped::Engine>,
        start: impl Into<Start<'a, P, Q>>,
        step: f64,
    ) -> Result<Self, Error> {
        Self::begin(RunEngine::untyped(device, engine), start.into().untyped(), step)
    }

    /// Resumes a run from a checkpoint, with the step that it had. Positions and velocities come
    /// from the checkpoint, other fields from the particles. Positions are wrapped only after
    /// another call of [`set_wrap`](Self::set_wrap).
    pub fn resume<'a, X: Interaction, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        engine: impl Engine<X> + 'static,
        particles: impl Into<Start<'a, P, Q>>,
        checkpoint: &LeapfrogCheckpoint,
        step: f64,
    ) -> Result<Self, Error> {
        Self::continued(RunEngine::typed(engine), particles.into().untyped(), checkpoint, step)
    }

    /// Resumes a run as [`resume`](Self::resume) does, with an engine without types on this device.
    pub fn resume_of<'a, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        device: &Device,
        engine: Box<dyn untyped::Engine>,
        particles: impl Into<Start<'a, P, Q>>,
        checkpoint: &LeapfrogCheckpoint,
        step: f64,
    ) -> Result<Self, Error> {
        let engine = RunEngine::untyped(device, engine);
        Self::continued(engine, particles.into().untyped(), checkpoint, step)
    }
}

impl Hermite {
    /// Begins with these particles (see [`Start`]), evaluates their forces and chooses the first
    /// step.
    pub fn new<'a, X: Interaction, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        engine: impl Engine<X> + 'static,
        start: impl Into<Start<'a, P, Q>>,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        Self::begin(RunEngine::typed(engine), start.into().untyped(), options)
    }

    /// Begins as [`new`](Self::new) does with an engine without types on this device, of a law that
    /// may be text.
    pub fn of<'a, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        device: &Device,
        engine: Box<dyn untyped::Engine>,
        start: impl Into<Start<'a, P, Q>>,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        Self::begin(RunEngine::untyped(device, engine), start.into().untyped(), options)
    }

    /// Resumes a run from a checkpoint, with the options that it had. Positions and velocities
    /// come from the checkpoint, other fields from the particles.
    pub fn resume<'a, X: Interaction, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        engine: impl Engine<X> + 'static,
        particles: impl Into<Start<'a, P, Q>>,
        checkpoint: &HermiteCheckpoint,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        Self::continued(RunEngine::typed(engine), particles.into().untyped(), checkpoint, options)
    }

    /// Resumes a run as [`resume`](Self::resume) does, with an engine without types on this device.
    pub fn resume_of<'a, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        device: &Device,
        engine: Box<dyn untyped::Engine>,
        particles: impl Into<Start<'a, P, Q>>,
        checkpoint: &HermiteCheckpoint,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        let engine = RunEngine::untyped(device, engine);
        Self::continued(engine, particles.into().untyped(), checkpoint, options)
    }
}

impl BlockHermite {
    /// Begins with these particles (see [`Start`]), evaluates their forces and chooses their first
    /// steps.
    pub fn new<'a, X, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        engine: impl Engine<X> + 'static,
        start: impl Into<Start<'a, P, Q>>,
        options: HermiteOptions,
    ) -> Result<Self, Error>
    where
        X: Interaction<J = <X as Interaction>::I>,
    {
        Self::begin(RunEngine::typed(engine), start.into().untyped(), options)
    }

    /// Begins as [`new`](Self::new) does with an engine without types on this device, of a law that
    /// may be text. The i-particles and the j-particles of the law have the same fields.
    pub fn of<'a, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        device: &Device,
        engine: Box<dyn untyped::Engine>,
        start: impl Into<Start<'a, P, Q>>,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        Self::begin(RunEngine::untyped(device, engine), start.into().untyped(), options)
    }

    /// Resumes a run from a checkpoint, with the options that it had. Positions and velocities
    /// come from the checkpoint, other fields from the particles.
    pub fn resume<'a, X, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        engine: impl Engine<X> + 'static,
        particles: impl Into<Start<'a, P, Q>>,
        checkpoint: &BlockCheckpoint,
        options: HermiteOptions,
    ) -> Result<Self, Error>
    where
        X: Interaction<J = <X as Interaction>::I>,
    {
        Self::continued(RunEngine::typed(engine), particles.into().untyped(), checkpoint, options)
    }

    /// Resumes a run as [`resume`](Self::resume) does, with an engine without types on this device.
    pub fn resume_of<'a, P: Record<Lane = f64>, Q: Record<Lane = f64>>(
        device: &Device,
        engine: Box<dyn untyped::Engine>,
        particles: impl Into<Start<'a, P, Q>>,
        checkpoint: &BlockCheckpoint,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        let engine = RunEngine::untyped(device, engine);
        Self::continued(engine, particles.into().untyped(), checkpoint, options)
    }
}
