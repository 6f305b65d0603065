//! The pair function of a law that was declared at run time, on the numbers of checks.
#![allow(unsafe_code)]

use libloading::Library;
use nbody_compile::Cache;
use nbody_core::Error;
use nbody_core::loaded::{self, Bounded, CheckNumbers, LoadedPair};

use super::border::{CheckSetting, CheckShape, Domain, Number};
use super::lane::Lane;
use super::{library, program};

type Pair = unsafe extern "C" fn(&CheckSetting, *const Number, *const Number, u32, *mut Number);
type Cutoff = unsafe extern "C" fn(&CheckSetting, *const Number, *const Number, *mut Number);
type Within = unsafe extern "C" fn(&CheckSetting, *const Number, *const Number) -> bool;

/// The functions of a library.
pub(super) struct PairFunctions {
    shape: CheckShape,
    pair: Pair,
    cutoff: Cutoff,
    within: Within,
}

impl PairFunctions {
    /// Compiles the C++ of a law, or takes it from the cache.
    pub fn compile(
        name: &str,
        text: &str,
        numbers: CheckNumbers,
        cache: &Cache,
    ) -> Result<&'static Self, Error> {
        let lane = Lane::of_checks(numbers);
        let title = match numbers {
            CheckNumbers::Bounded => format!("{name}: error bounds of a pair"),
            CheckNumbers::Narrow => format!("{name}: a pair in the range of float"),
        };
        let text = program::of_checks(&title, lane, text);
        let library = library::load(&text, lane, cache).map_err(Error::of_device)?;
        let functions = Self::of(library);
        let functions = functions.map_err(|error| Error::of_device(library::failed(&error)))?;
        Ok(Box::leak(Box::new(functions)))
    }

    fn of(library: &'static Library) -> Result<Self, libloading::Error> {
        // SAFETY: `checks.hpp` declares the functions and the shape with these types.
        unsafe {
            Ok(Self {
                shape: **library.get::<*const CheckShape>(b"nbody_shape\0")?,
                pair: *library.get(b"nbody_pair\0")?,
                cutoff: *library.get(b"nbody_cutoff\0")?,
                within: *library.get(b"nbody_within\0")?,
            })
        }
    }

    fn setting(&self, setting: &loaded::CheckSetting<'_>) -> CheckSetting {
        let loaded::CheckSetting { parameters, positions } = setting;
        let stretch = positions.stretch;
        CheckSetting {
            parameters: numbers(parameters, self.shape.parameters),
            domain: Domain::from(&positions.domain),
            double_single: positions.double_single,
            length: positions.length,
            sign: stretch.sign,
            roundoff: stretch.roundoff,
            error: stretch.error,
        }
    }

    fn particles(&self, i: &[Bounded], j: &[Bounded]) -> [*const Number; 2] {
        [numbers(i, self.shape.i), numbers(j, self.shape.j)]
    }
}

/// Returns the numbers of a record, which has `expected` numbers.
fn numbers(record: &[Bounded], expected: usize) -> *const Number {
    assert_eq!(record.len(), expected, "a number for each component");
    record.as_ptr().cast()
}

const _: () = assert!(
    size_of::<Number>() == size_of::<Bounded>() && align_of::<Number>() == align_of::<Bounded>(),
    "both are a value and its error"
);

/// The functions read and write the numbers of the records alone: the assertion of `numbers` says
/// that they exist. They keep no pointer and call nothing back.
impl LoadedPair for PairFunctions {
    fn pair(
        &self,
        setting: &loaded::CheckSetting<'_>,
        i: &[Bounded],
        j: &[Bounded],
        index: u32,
        f: &mut [Bounded],
    ) {
        let (setting, [i, j]) = (self.setting(setting), self.particles(i, j));
        assert_eq!(f.len(), self.shape.f, "a number for each component");
        let f = f.as_mut_ptr().cast();
        // SAFETY: see the `impl`; `f` is exclusively borrowed.
        unsafe { (self.pair)(&setting, i, j, index, f) }
    }

    fn cutoff(&self, setting: &loaded::CheckSetting<'_>, i: &[Bounded], j: &[Bounded]) -> Bounded {
        let (setting, [i, j]) = (self.setting(setting), self.particles(i, j));
        let mut reach = Number { value: 0.0, error: 0.0 };
        // SAFETY: see the `impl`.
        unsafe { (self.cutoff)(&setting, i, j, &raw mut reach) }
        Bounded { value: reach.value, error: reach.error }
    }

    fn within(&self, setting: &loaded::CheckSetting<'_>, i: &[Bounded], j: &[Bounded]) -> bool {
        let (setting, [i, j]) = (self.setting(setting), self.particles(i, j));
        // SAFETY: see the `impl`.
        unsafe { (self.within)(&setting, i, j) }
    }
}
