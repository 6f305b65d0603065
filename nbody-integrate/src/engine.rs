//! The engine of a run.

use std::any::TypeId;

use nbody::law::Law;
use nbody::{Device, Engine, Interaction, untyped};

/// An engine without types, and its device.
#[derive(Debug)]
pub(crate) struct RunEngine {
    pub device: Device,
    pub engine: Box<dyn untyped::Engine>,
    /// Whether the i-particles and the j-particles are of one type.
    pub is_one_type: bool,
}

impl RunEngine {
    /// Takes the engine of an interaction.
    pub fn typed<X: Interaction>(engine: impl Engine<X> + 'static) -> Self {
        let device = engine.device().clone();
        let is_one_type = TypeId::of::<X::I>() == TypeId::of::<X::J>();
        Self { device, engine: Box::new(engine).into_untyped(), is_one_type }
    }

    /// Takes the engine of a law. Its i-particles and its j-particles are of one type if they have
    /// the same fields.
    pub fn untyped(device: &Device, engine: Box<dyn untyped::Engine>) -> Self {
        let law = engine.law();
        Self { device: device.clone(), engine, is_one_type: law.i == law.j }
    }

    pub fn law(&self) -> &'static Law {
        self.engine.law()
    }
}
