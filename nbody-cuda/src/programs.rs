//! The CUDA programs of engines, and their kernel configurations and walks.

use std::any::Any;

use nbody_core::{Error, Sources, untyped};

use crate::compile::build::Build;
use crate::compile::program::Program;
use crate::config::{KernelConfig, Walk};
use crate::lists::short_range::ListEngine;
use crate::pairs::engine::CudaEngine;
use crate::totals::TotalsEngine;
use crate::trees::engine::TreeEngine;
use crate::tuning::measured::Tuned;

/// Returns the CUDA program of the last evaluation of an engine, and its build. Before the first
/// evaluation an engine of all pairs returns its program for many particles, and other engines
/// return `None`. Engines on the CPU return `None`.
pub fn compiled(engine: &dyn Any) -> Option<(&Program, &Build)> {
    let kernel = if let Some(engine) = engine.downcast_ref::<CudaEngine>() {
        Some(engine.kernel())
    } else if let Some(engine) = engine.downcast_ref::<TotalsEngine>() {
        Some(engine.kernel())
    } else if let Some(engine) = engine.downcast_ref::<TreeEngine>() {
        engine.kernel()
    } else {
        engine.downcast_ref::<ListEngine>().and_then(ListEngine::kernel)
    };
    kernel.map(|kernel| (&kernel.program, &kernel.build))
}

/// Sets the kernel configuration of an engine of all pairs; `None` returns the choice to the
/// model. Has no effect on the CPU.
pub fn set_kernel_config(
    engine: &mut dyn untyped::Engine,
    config: Option<KernelConfig>,
) -> Result<(), Error> {
    if let Some(inner) = engine.inner_mut() {
        return set_kernel_config(inner, config);
    }
    let engine = (engine as &mut dyn Any).downcast_mut::<CudaEngine>();
    Ok(engine.map_or(Ok(()), |engine| engine.set_kernel_config(config))?)
}

/// Measures kernel configurations for these particles and returns the fastest, which the engine of
/// all pairs uses from then on. `tell` receives each measurement and the number of all
/// measurements. Measures nothing and returns `None` on the CPU, and if the configuration or the
/// summation order is fixed.
pub fn tune(
    engine: &mut dyn untyped::Engine,
    i: &dyn untyped::Buffer,
    j: Sources<'_, dyn untyped::Buffer>,
    out: &mut dyn untyped::Buffer,
    tell: &mut dyn FnMut(&Tuned, usize),
) -> Result<Option<Tuned>, Error> {
    let engine = (engine as &mut dyn Any).downcast_mut::<CudaEngine>();
    Ok(engine.map_or(Ok(None), |engine| engine.tune(i, j, out, tell))?)
}

/// Returns the walk of a tree.
pub fn walk(engine: &dyn untyped::Engine) -> Walk {
    if let Some(inner) = engine.inner() {
        return walk(inner);
    }
    let engine = (engine as &dyn Any).downcast_ref::<TreeEngine>();
    engine.map_or(Walk::Groups, |engine| engine.walk)
}

/// Sets the walk of a tree. Other engines than trees of CUDA programs walk by groups; `device` names
/// their device in messages.
pub fn set_walk(
    engine: &mut dyn untyped::Engine,
    device: &dyn untyped::Device,
    walk: Walk,
) -> Result<(), Error> {
    if let Some(inner) = engine.inner_mut() {
        return set_walk(inner, device, walk);
    }
    match (engine as &mut dyn Any).downcast_mut::<TreeEngine>() {
        Some(engine) => engine.walk = walk,
        None if walk == Walk::Groups => {}
        None => return Err(crate::error::Error::NoWalk { device: device.name() }.into()),
    }
    Ok(())
}
