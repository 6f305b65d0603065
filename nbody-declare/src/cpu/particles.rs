//! The loop of a program per particle that was declared at run time, and the code of all programs.
#![allow(unsafe_code)]

use std::sync::{Mutex, PoisonError};

use libloading::Library;
use nbody_compile::Cache;
use nbody_core::loaded::{
    BesideBlocks, LINE, Line, LoadParticleLoop, LoadedParticleLoop, ParticleCode, ParticleLoop,
    ParticleSetting, TupleWork,
};
use nbody_core::{Error, ProgramTable};

use super::border::{self, ProgramShape, Setting};
use super::lane::Lane;
use super::tuples::TupleFunctions;
use super::{library, program};

/// The C++ of a program per particle or per tuple, and its loop once it is compiled.
pub(crate) struct ProgramCode {
    name: String,
    is_tuple: bool,
    text: String,
    cache: Cache,
    loaded: Mutex<Option<&'static dyn LoadedParticleLoop>>,
}

impl ProgramCode {
    /// Keeps the C++ of a table.
    pub fn new(table: &ProgramTable, text: String, cache: &Cache) -> Self {
        let (name, is_tuple) = (table.name.clone(), table.members > 0);
        Self { name, is_tuple, text, cache: cache.clone(), loaded: Mutex::new(None) }
    }

    fn compile(&self) -> Result<&'static dyn LoadedParticleLoop, Error> {
        let (lane, text) = if self.is_tuple {
            let title = format!("{}: loop over tuples", self.name);
            (Lane::of_tuples(), program::of_tuples(&title, &self.text))
        } else {
            let title = format!("{}: loop over particles", self.name);
            (Lane::OF_PARTICLES, program::of_particles(&title, &self.text))
        };
        let library = library::load(&text, lane, &self.cache);
        let library = library.map_err(Error::of_device)?;
        let failed = |error| Error::of_device(library::failed(&error));
        if self.is_tuple {
            return Ok(Box::leak(Box::new(TupleFunctions::of(library).map_err(failed)?)));
        }
        Ok(Box::leak(Box::new(Functions::of(library).map_err(failed)?)))
    }
}

impl LoadParticleLoop for ProgramCode {
    fn load(&self) -> Result<ParticleLoop, Error> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let functions = match *loaded {
            Some(functions) => functions,
            None => *loaded.insert(self.compile()?),
        };
        Ok(ParticleLoop(ParticleCode::Loaded(functions)))
    }
}

type Run = unsafe extern "C" fn(
    &Setting,
    *mut border::Line,
    *const border::Line,
    *const border::Line,
    *const border::Line,
    *const border::Line,
    usize,
    usize,
    usize,
    *mut border::Line,
);

struct Functions {
    shape: ProgramShape,
    run: Run,
}

impl Functions {
    fn of(library: &'static Library) -> Result<Self, libloading::Error> {
        // SAFETY: `particles.hpp` declares the function and the shape with these types.
        unsafe {
            let shape = **library.get::<*const ProgramShape>(b"nbody_shape\0")?;
            Ok(Self { shape, run: *library.get(b"nbody_particles\0")? })
        }
    }

    fn run(
        &self,
        setting: &ParticleSetting,
        p: (*mut border::Line, usize),
        beside: BesideBlocks,
        first: usize,
        totals: (*mut border::Line, usize),
    ) {
        let shape = self.shape;
        let ((p, p_lines), (totals, total_lines)) = (p, totals);
        let blocks = p_lines / shape.words_of_p.max(1);
        let exist = |lines: usize, words: usize| lines >= blocks * words;
        assert!(setting.parameters.len() >= shape.words_of_parameters, "one record");
        assert!(exist(beside.q.len(), shape.words_of_q), "a second record for each particle");
        assert!(exist(beside.f.len(), shape.words_of_f), "results for each particle");
        assert!(beside.g.len() >= shape.words_of_g, "one total for all particles");
        assert!(exist(total_lines, shape.numbers_of_total), "a total for each particle");
        let (seconds, number) = beside.others;
        assert!(
            seconds.len() >= number.div_ceil(LINE) * shape.words_of_q || number == 0,
            "every second particle"
        );
        let [q, f, g] = [beside.q, beside.f, beside.g].map(|lines| lines.as_ptr().cast());
        let setting = Setting::from(setting);
        // SAFETY: the function reads and writes the lines of these blocks alone, which the
        // assertions say exist; an update writes `p`, a measure `totals`.
        unsafe {
            (self.run)(
                &setting,
                p,
                q,
                f,
                g,
                seconds.as_ptr().cast(),
                number,
                blocks,
                first,
                totals,
            );
        }
    }
}

impl LoadedParticleLoop for Functions {
    fn update(&self, setting: &ParticleSetting, p: &mut [Line<u64>], beside: BesideBlocks) {
        assert_eq!(self.shape.numbers_of_total, 0, "checked: the loop of an update");
        let p = (p.as_mut_ptr().cast(), p.len());
        self.run(setting, p, beside, 0, (std::ptr::null_mut(), 0));
    }

    fn measure(
        &self,
        setting: &ParticleSetting,
        p: &[Line<u64>],
        beside: BesideBlocks,
        first: usize,
        totals: &mut [Line<u64>],
    ) {
        assert_ne!(self.shape.numbers_of_total, 0, "checked: the loop of a measure");
        let p = (p.as_ptr().cast_mut().cast(), p.len());
        self.run(setting, p, beside, first, (totals.as_mut_ptr().cast(), totals.len()));
    }

    fn tuples(&self, _: &ParticleSetting, _: TupleWork) {
        unreachable!("checked: the loop of a tuple")
    }
}

const _: () = assert!(size_of::<Line<u64>>() == 8 * LINE, "lines of both sides are equal");
