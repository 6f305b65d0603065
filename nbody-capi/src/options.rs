//! Options of engines, as a struct that may grow.

use std::ffi::c_void;

use nbody::{Accumulation, Domain, Math, Pairs, Precision, Store, SummationOrder};

use nbody_bindings::Failure;

use crate::pointers;

/// Options of an engine: `nbody_options` of the header. Zero is the default of each.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The size of the struct in bytes, as the caller knows it.
    pub size: usize,
    /// The arithmetic of one pair.
    pub precision: i32,
    /// The method of summation.
    pub accumulation: i32,
    /// The accuracy of the arithmetic.
    pub math: i32,
    /// The evaluation of the pairs of one set.
    pub pairs: i32,
    /// The number of j-particles of a bag; 0 leaves it to the engine.
    pub bag: u64,
    /// The number of splits; 0 leaves it to the engine.
    pub splits: u64,
    /// The lengths of a periodic box along x, y and z; NULL for open space.
    pub lengths: *const f64,
}

/// Returns options; NULL for the defaults.
///
/// # Safety
///
/// The pointer is NULL, or the struct is as long as it says, and its pointers are NULL or good.
pub(crate) unsafe fn options(pointer: *const Options) -> Result<nbody::Options, Failure> {
    if pointer.is_null() {
        return Ok(nbody::Options::default());
    }
    let zero = Options {
        size: 0,
        precision: 0,
        accumulation: 0,
        math: 0,
        pairs: 0,
        bag: 0,
        splits: 0,
        lengths: std::ptr::null(),
    };
    // SAFETY: as the caller promises; integers and a pointer have no bad bits.
    let given = unsafe { pointers::sized(pointer, zero, "options", "NBODY_OPTIONS") }?;
    let Options { precision, accumulation, math, pairs, bag, splits, lengths, .. } = given;
    let mut options = nbody::Options::default();
    if precision != 0 {
        options.precision = self::precision(precision)?;
    }
    options.accumulation = match accumulation {
        0 => options.accumulation,
        1 => Accumulation::Direct,
        2 => Accumulation::Blocked,
        3 => Accumulation::BlockedF64,
        4 => Accumulation::Compensated,
        found => return Err(unknown("accumulation", found, 4)),
    };
    options.math = match math {
        0 => options.math,
        1 => Math::Fast,
        2 => Math::Exact,
        found => return Err(unknown("math", found, 2)),
    };
    options.pairs = match pairs {
        0 | 1 => Pairs::Auto,
        2 => Pairs::Ordered,
        3 => Pairs::Symmetric,
        found => return Err(unknown("pairs", found, 3)),
    };
    if [bag, splits] != [0; 2] {
        let number = |number: u64| {
            usize::try_from(number)
                .map_err(|_| Failure::argument(format!("a summation order of {number}")))
        };
        options.order = Some(SummationOrder { bag: number(bag)?, splits: number(splits)? });
    }
    // SAFETY: as the caller promises.
    options.domain = unsafe { domain(lengths) }?;
    Ok(options)
}

/// Returns the precision of a number of the header.
pub(crate) fn precision(found: i32) -> Result<Precision, Failure> {
    match found {
        1 => Ok(Precision::Single),
        2 => Ok(Precision::Mixed),
        3 => Ok(Precision::Double),
        found => Err(unknown("precision", found, 3)),
    }
}

/// Returns what becomes of earlier results.
pub(crate) fn store(found: i32) -> Result<Store, Failure> {
    match found {
        1 => Ok(Store::Replace),
        2 => Ok(Store::Add),
        found => Err(unknown("store", found, 2)),
    }
}

/// Returns the box of three lengths; open space for NULL.
///
/// # Safety
///
/// The pointer is NULL, or good for reads of three numbers.
pub(crate) unsafe fn domain(lengths: *const f64) -> Result<Domain, Failure> {
    if lengths.cast::<c_void>().is_null() {
        return Ok(Domain::Open);
    }
    // SAFETY: as the caller promises.
    let lengths = unsafe { pointers::array(lengths, 3, "lengths") }?;
    Ok(Domain::periodic([lengths[0], lengths[1], lengths[2]])?)
}

/// Returns the triclinic box of three vectors.
///
/// # Safety
///
/// The pointer is good for reads of nine numbers, or NULL, which is refused.
pub(crate) unsafe fn triclinic(vectors: *const f64) -> Result<Domain, Failure> {
    // SAFETY: as the caller promises.
    let numbers = unsafe { pointers::array(vectors, 9, "vectors") }?;
    let row = |k: usize| [numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]];
    Ok(Domain::triclinic([row(0), row(1), row(2)])?)
}

/// Returns the failure of a number that the header does not name.
pub(crate) fn unknown(what: &str, found: i32, last: i32) -> Failure {
    Failure::argument(format!("{what} {found}: expected 1 to {last}; use the names of nbody.h"))
}

/// Returns whether a flag of the caller is set.
pub(crate) fn flag(what: &str, found: i32) -> Result<bool, Failure> {
    match found {
        0 => Ok(false),
        1 => Ok(true),
        found => Err(Failure::argument(format!("{what} {found}: expected 0 or 1"))),
    }
}
