//! The loop over tuples that were declared at run time.
#![allow(unsafe_code)]

use libloading::Library;
use nbody_core::loaded::{
    BesideBlocks, LINE, Line, LoadedParticleLoop, NO_SUMS, ParticleSetting, TupleWork,
};

use super::border::{self, Setting, TupleShape};

type Run = unsafe extern "C" fn(&Setting, &border::TupleWork);

/// The functions of a tuple.
pub(super) struct TupleFunctions {
    shape: TupleShape,
    run: Run,
}

impl TupleFunctions {
    pub fn of(library: &'static Library) -> Result<Self, libloading::Error> {
        // SAFETY: `tuples.hpp` declares the function and the shape with these types.
        unsafe {
            let shape = **library.get::<*const TupleShape>(b"nbody_shape\0")?;
            Ok(Self { shape, run: *library.get(b"nbody_tuples\0")? })
        }
    }
}

impl LoadedParticleLoop for TupleFunctions {
    fn update(&self, _: &ParticleSetting, _: &mut [Line<u64>], _: BesideBlocks) {
        unreachable!("checked: the loop of an update")
    }

    fn measure(
        &self,
        _: &ParticleSetting,
        _: &[Line<u64>],
        _: BesideBlocks,
        _: usize,
        _: &mut [Line<u64>],
    ) {
        unreachable!("checked: the loop of a measure")
    }

    fn tuples(&self, setting: &ParticleSetting, work: TupleWork) {
        let shape = self.shape;
        let tuples = work.indices.len() / shape.members;
        assert_eq!(work.places.len(), work.indices.len(), "a place for each particle");
        let particles = work.particles.len() / shape.numbers_of_p.max(1);
        assert!(setting.parameters.len() >= shape.words_of_parameters, "one record");
        let lines = tuples.div_ceil(LINE) * shape.numbers_of_t;
        assert!(work.records.len() >= lines, "a record for each tuple");
        let exist = work.indices.iter().all(|&index| (index as usize) < particles);
        assert!(exist, "checked: the particles of tuples");
        let end = |place: u32| place as usize / LINE + shape.numbers_of_f;
        let fits = |&place: &u32| place == NO_SUMS || end(place) <= work.sums.len();
        assert!(work.places.iter().all(fits), "checked: the places of sums");
        let work = border::TupleWork {
            indices: work.indices.as_ptr(),
            places: work.places.as_ptr(),
            tuples,
            records: work.records.as_ptr().cast(),
            particles: work.particles.as_ptr(),
            sums: work.sums.as_mut_ptr().cast(),
        };
        // SAFETY: the function reads the particles of the tuples and their records, which the
        // assertions say exist, and writes sums at places, which they say exist, too.
        unsafe { (self.run)(&Setting::from(setting), &work) }
    }
}
