//! Engines: all pairs, trees and neighbour lists.

use std::sync::{Arc, Mutex};

use nbody::law::Law;
use nbody::untyped::{self, Origin};
use nbody::{Device, Expansion, Opening, Skin, Sources};

use crate::buffer;
use nbody_bindings::{Failure, LawEngine, Shared, parameter_words};

use crate::columns::Column;
use crate::handles::{self, BufferHandle, DeviceHandle, EngineHandle, Kind, LawHandle};
use crate::law::no_record;
use crate::options::{self, Options};
use crate::pointers::{self, Out};
use crate::status::{Status, border};

impl Kind for Shared {
    const TAG: u8 = 5;
}

pub(crate) fn find(engine: EngineHandle) -> Result<Arc<Shared>, Failure> {
    handles::get(engine.id, "engine")
}

pub(crate) use nbody_bindings::lock;

/// Calls a function with an engine.
fn with(engine: EngineHandle, work: impl FnOnce(&mut LawEngine) -> Result<(), Failure>) -> Status {
    border(|| work(&mut *lock(&*find(engine)?)?))
}

/// Creates an engine.
unsafe fn create(
    [device, law]: [u64; 2],
    (parameters, count): (*const f64, usize),
    options: *const Options,
    engine: *mut EngineHandle,
    new: impl FnOnce(&Device, &'static Law, &[u64], nbody::Options) -> Result<LawEngine, Failure>,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(engine, "engine", 0.into()) }?;
        let device = handles::get::<Device>(device, "device")?;
        let law = *handles::get::<&'static Law>(law, "law")?;
        // SAFETY: the header asks for good parameters and options.
        let (parameters, options) = unsafe {
            (pointers::array(parameters, count, "parameters")?, options::options(options)?)
        };
        let parameters = parameter_words(law.parameters, parameters)?;
        let engine = new(&device, law, &parameters, options)?;
        out.set(handles::put(Mutex::new(engine))?.into());
        Ok(())
    })
}

/// Creates an engine of all pairs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_engine_all_pairs(
    device: DeviceHandle,
    law: LawHandle,
    parameters: *const f64,
    count: usize,
    options: *const Options,
    engine: *mut EngineHandle,
) -> Status {
    // SAFETY: the header asks for good pointers.
    unsafe {
        create([device.id, law.id], (parameters, count), options, engine, LawEngine::all_pairs)
    }
}

/// Returns the criterion that opens cells.
fn opening(criterion: i32, value: f64, expansion: i32) -> Result<Opening, Failure> {
    let opening = match criterion {
        1 => Opening::theta(value),
        2 => Opening::relative(value),
        found => return Err(options::unknown("criterion", found, 2)),
    };
    match expansion {
        0 | 2 => Ok(opening.expansion(Expansion::Second)),
        1 => Ok(opening.expansion(Expansion::Monopole)),
        found => Err(options::unknown("expansion", found, 2)),
    }
}

/// Creates an engine that evaluates by a tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_engine_tree(
    device: DeviceHandle,
    law: LawHandle,
    parameters: *const f64,
    count: usize,
    criterion: i32,
    value: f64,
    expansion: i32,
    options: *const Options,
    engine: *mut EngineHandle,
) -> Status {
    // SAFETY: the header asks for good pointers.
    unsafe {
        create(
            [device.id, law.id],
            (parameters, count),
            options,
            engine,
            |device, law, row, options| {
                let opening = opening(criterion, value, expansion)?;
                LawEngine::tree(device, law, row, opening, options)
            },
        )
    }
}

/// Creates an engine that evaluates over neighbour lists of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_engine_lists(
    device: DeviceHandle,
    law: LawHandle,
    parameters: *const f64,
    count: usize,
    skin: f64,
    options: *const Options,
    engine: *mut EngineHandle,
) -> Status {
    // SAFETY: the header asks for good pointers.
    unsafe {
        create(
            [device.id, law.id],
            (parameters, count),
            options,
            engine,
            |device, law, row, options| {
                let skin = if skin == -1.0 { Skin::Auto } else { Skin::Length(skin) };
                LawEngine::lists(device, law, row, Origin::Found(skin), options)
            },
        )
    }
}

/// Sets the parameters of the law.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_engine_set_parameters(
    engine: EngineHandle,
    parameters: *const f64,
    count: usize,
) -> Status {
    with(engine, |engine| {
        // SAFETY: the header asks for this number of parameters.
        let parameters = unsafe { pointers::array(parameters, count, "parameters") }?;
        let engine = engine.get_mut();
        let parameters = parameter_words(engine.law().parameters, parameters)?;
        Ok(engine.set_parameters(&parameters)?)
    })
}

/// Sets the domain: a periodic box, or open space for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_engine_set_domain(
    engine: EngineHandle,
    lengths: *const f64,
) -> Status {
    with(engine, |engine| {
        // SAFETY: the header asks for three lengths or NULL.
        let domain = unsafe { options::domain(lengths) }?;
        Ok(engine.get_mut().set_domain(domain)?)
    })
}

/// Sets a triclinic box.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_engine_set_triclinic(
    engine: EngineHandle,
    vectors: *const f64,
) -> Status {
    with(engine, |engine| {
        // SAFETY: the header asks for nine numbers.
        let domain = unsafe { options::triclinic(vectors) }?;
        Ok(engine.get_mut().set_domain(domain)?)
    })
}

/// Sets the criterion by which a tree opens cells.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_engine_set_opening(
    engine: EngineHandle,
    criterion: i32,
    value: f64,
    expansion: i32,
) -> Status {
    with(engine, |engine| {
        Ok(engine.tree_mut()?.set_opening(opening(criterion, value, expansion)?)?)
    })
}

/// Leaves out pairs of an engine of lists, instead of the pairs that were left out before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_engine_exclude(
    engine: EngineHandle,
    n: usize,
    pairs: *const u32,
) -> Status {
    with(engine, |engine| {
        // SAFETY: the header asks for n pairs of indices.
        let pairs = unsafe { pointers::array(pairs.cast::<[u32; 2]>(), n, "pairs") }?;
        engine.listed_mut()?.exclude(pairs);
        Ok(())
    })
}

/// Copies columns to the device: the i-particles or the j-particles of the law.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_engine_upload(
    engine: EngineHandle,
    record: i32,
    n: usize,
    columns: *const Column,
    count: usize,
    particles: *mut BufferHandle,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(particles, "particles", 0.into()) }?;
        let engine = find(engine)?;
        let engine = lock(&engine)?;
        let law = engine.get().law();
        let fields = match record {
            2 => law.i,
            3 => law.j,
            found => return Err(no_record(found, "NBODY_I or NBODY_J")),
        };
        let precision = engine.get().options().precision;
        // SAFETY: the header asks for good columns.
        let buffer =
            unsafe { buffer::upload(&engine.device, fields, precision, n, columns, count) }?;
        out.set(buffer.into());
        Ok(())
    })
}

/// Allocates results of n i-particles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_engine_results(
    engine: EngineHandle,
    n: usize,
    results: *mut BufferHandle,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(results, "results", 0.into()) }?;
        let engine = find(engine)?;
        let engine = lock(&engine)?;
        let results = engine.get().results(n)?;
        out.set(buffer::put_results(engine.device.clone(), results)?.into());
        Ok(())
    })
}

/// Calls a function with an engine and the buffers of an evaluation.
fn evaluation(
    engine: EngineHandle,
    [i, j, out]: [BufferHandle; 3],
    sources: i32,
    work: impl FnOnce(
        &mut dyn untyped::Engine,
        &dyn untyped::Buffer,
        Sources<'_, dyn untyped::Buffer>,
        &mut dyn untyped::Buffer,
    ) -> Result<(), nbody::Error>,
) -> Result<(), Failure> {
    let engine = find(engine)?;
    // The engine is locked before the buffers in every call.
    let mut engine = lock(&engine)?;
    let engine = engine.get_mut();
    let reads = [Some((i, "i-particles")), Some((j, "j-particles"))];
    buffer::with(reads, Some((out, "results")), |reads, out| {
        let ([Some(i), Some(j)], Some(out)) = (reads, out) else {
            return Err(Failure::argument(
                "an evaluation needs i-particles, j-particles and results",
            ));
        };
        let sources = match sources {
            1 => Sources::Others(j),
            2 => Sources::Same(j),
            3 => Sources::First(j),
            found => return Err(options::unknown("sources", found, 3)),
        };
        Ok(work(engine, i, sources, out)?)
    })
}

/// Evaluates the pairs of i-particles and j-particles, and stores the sums.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_engine_evaluate(
    engine: EngineHandle,
    i: BufferHandle,
    j: BufferHandle,
    sources: i32,
    results: BufferHandle,
    store: i32,
) -> Status {
    border(|| {
        let store = options::store(store)?;
        evaluation(engine, [i, j, results], sources, |engine, i, j, out| {
            engine.evaluate(i, j, out, store)
        })
    })
}

/// Measures the time of one evaluation on the device, in seconds; results are replaced.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_engine_time(
    engine: EngineHandle,
    i: BufferHandle,
    j: BufferHandle,
    sources: i32,
    results: BufferHandle,
    seconds: *mut f64,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let place = unsafe { Out::new(seconds, "seconds", f64::NAN) }?;
        let mut time = f64::NAN;
        evaluation(engine, [i, j, results], sources, |engine, i, j, out| {
            time = engine.time(i, j, out)?.as_secs_f64();
            Ok(())
        })?;
        place.set(time);
        Ok(())
    })
}

/// Frees an engine.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_engine_free(engine: EngineHandle) -> Status {
    border(|| handles::remove::<Shared>(engine.id, "engine"))
}
