//! The functions of the library. Only this file has pointers.
#![allow(unsafe_code)]
// Fortran passes addresses of everything, and names of its functions end in an underscore.
#![allow(clippy::too_many_arguments)]

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use nbody::prelude::{Point, Vector};

use crate::cluster::{Cluster, Output, Targets};
use crate::clusters;
use crate::error::{Error, NPIPES, tell};
use crate::law::{State, Target};

/// The status of a call that failed.
const FAILED: c_int = -1;

/// Runs a call. Returns its status, after its error has been told; no panic reaches the caller.
fn run(call: &'static str, work: impl FnOnce() -> Result<c_int, Error>) -> c_int {
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Error::Panic));
    done.unwrap_or_else(|error| {
        tell(call, &error);
        FAILED
    })
}

/// Reads `n` values, which need no alignment: a COMMON block may have none.
///
/// # Safety
///
/// `pointer` is NULL, or `n` values are there until the last is read.
unsafe fn values<T: Copy>(
    argument: &'static str,
    pointer: *const T,
    n: usize,
) -> Result<impl Iterator<Item = T>, Error> {
    if pointer.is_null() {
        return Err(Error::Null { argument });
    }
    // SAFETY: the caller says that `n` values are there.
    Ok((0..n).map(move |k| unsafe { pointer.add(k).read_unaligned() }))
}

/// Reads a value.
///
/// # Safety
///
/// `pointer` is NULL, or a value is there.
unsafe fn value<T: Copy>(argument: &'static str, pointer: *const T) -> Result<T, Error> {
    if pointer.is_null() {
        return Err(Error::Null { argument });
    }
    // SAFETY: the caller says that a value is there.
    Ok(unsafe { pointer.read_unaligned() })
}

/// Reads the id of a cluster.
///
/// # Safety
///
/// `pointer` is NULL, or a value is there.
unsafe fn cluster(pointer: *const c_int) -> c_int {
    // SAFETY: the contract is the same.
    unsafe { value("id", pointer) }.unwrap_or(0)
}

/// Reads a number of particles.
///
/// # Safety
///
/// `pointer` is NULL, or a value is there.
unsafe fn count(argument: &'static str, pointer: *const c_int) -> Result<usize, Error> {
    // SAFETY: the contract is the same.
    let found = unsafe { value(argument, pointer) }?;
    usize::try_from(found).map_err(|_| Error::Negative { argument, found })
}

/// Writes values.
///
/// # Safety
///
/// There is memory for them, or `pointer` is NULL.
unsafe fn write<T>(pointer: *mut T, values: impl Iterator<Item = T>) {
    if pointer.is_null() {
        return;
    }
    for (k, value) in values.enumerate() {
        // SAFETY: the caller says that there is memory.
        unsafe { pointer.add(k).write_unaligned(value) };
    }
}

/// Opens a cluster.
///
/// # Safety
///
/// `id` is NULL or an address of an `int`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_open_(id: *const c_int) -> c_int {
    // SAFETY: the caller keeps the contract.
    let id = unsafe { cluster(id) };
    run("g6_open_", || clusters::open(id).map(|()| 0))
}

/// Closes a cluster.
///
/// # Safety
///
/// `id` is NULL or an address of an `int`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_close_(id: *const c_int) -> c_int {
    // SAFETY: the caller keeps the contract.
    let id = unsafe { cluster(id) };
    run("g6_close_", || clusters::close(id).map(|()| 0))
}

/// Returns the most i-particles of an evaluation.
#[unsafe(no_mangle)]
pub extern "C" fn g6_npipes_() -> c_int {
    integer(NPIPES)
}

/// Does nothing: the unit of time is the caller's. The argument may be of any type.
#[unsafe(no_mangle)]
pub extern "C" fn g6_set_tunit_(_: *const c_void) -> c_int {
    0
}

/// Does nothing: the unit of length is the caller's. The argument may be of any type.
#[unsafe(no_mangle)]
pub extern "C" fn g6_set_xunit_(_: *const c_void) -> c_int {
    0
}

/// Sets the time of the next evaluations.
///
/// # Safety
///
/// Each pointer is NULL or an address of its type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_set_ti_(id: *const c_int, ti: *const f64) -> c_int {
    run("g6_set_ti_", || {
        // SAFETY: the caller keeps the contract.
        let (id, ti) = unsafe { (cluster(id), value("ti", ti)?) };
        clusters::with(id, |cluster| cluster.set_time(ti)).map(|()| 0)
    })
}

/// Sets a j-particle.
///
/// # Safety
///
/// Each pointer is NULL or an address of its type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_set_j_particle_(
    id: *const c_int,
    address: *const c_int,
    index: *const c_int,
    tj: *const f64,
    _dtj: *const f64,
    mass: *const f64,
    _k18: *const [f64; 3],
    j6: *const [f64; 3],
    a2: *const [f64; 3],
    v: *const [f64; 3],
    x: *const [f64; 3],
) -> c_int {
    run("g6_set_j_particle_", || {
        // SAFETY: the caller keeps the contract.
        let (id, address, state) = unsafe {
            let [pos, vel, a2, j6] =
                [value("x", x)?, value("v", v)?, value("a2", a2)?, value("j6", j6)?];
            let state = State {
                pos: point(pos),
                vel: vector(vel),
                acc: 2.0 * vector(a2),
                jerk: 6.0 * vector(j6),
                mass: value("mass", mass)?,
                time: value("tj", tj)?,
                id: value("index", index)?.cast_unsigned(),
            };
            (cluster(id), count("address", address)?, state)
        };
        clusters::with(id, |cluster| cluster.set_source(address as u32, state)).map(|()| 0)
    })
}

/// Begins an evaluation.
///
/// # Safety
///
/// Each pointer is NULL or an address of its type, and arrays have `ni` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6calc_firsthalf_(
    id: *const c_int,
    nj: *const c_int,
    ni: *const c_int,
    index: *const c_int,
    xi: *const [f64; 3],
    vi: *const [f64; 3],
    _aold: *const [f64; 3],
    _j6old: *const [f64; 3],
    _phiold: *const f64,
    eps2: *const f64,
    h2: *const f64,
) {
    run("g6calc_firsthalf_", || {
        // SAFETY: the caller keeps the contract.
        let (id, arguments) =
            unsafe { (cluster(id), evaluation([nj, ni], index, [xi, vi], eps2, h2)) };
        clusters::with(id, |cluster| match arguments {
            Ok((nj, targets)) => cluster.begin(nj, targets),
            Err(error) => {
                cluster.refuse();
                Err(error)
            }
        })
        .map(|()| 0)
    });
}

/// Reads the number of j-particles and the i-particles of an evaluation.
///
/// # Safety
///
/// As for [`g6calc_firsthalf_`].
unsafe fn evaluation(
    [nj, ni]: [*const c_int; 2],
    index: *const c_int,
    [xi, vi]: [*const [f64; 3]; 2],
    eps2: *const f64,
    h2: *const f64,
) -> Result<(usize, Targets), Error> {
    // SAFETY: the caller keeps the contract.
    unsafe {
        let (nj, ni, eps2) = (count("nj", nj)?, count("ni", ni)?, value("eps2", eps2)?);
        // No array is read beyond the pipes.
        if ni > NPIPES {
            return Err(Error::TooManyTargets { found: ni });
        }
        let (ids, h2) = (values("index", index, ni)?, values("h2", h2, ni));
        let moving = values("xi", xi, ni)?.zip(values("vi", vi, ni)?);
        let particles = moving.zip(ids).map(|((xi, vi), id)| Target {
            pos: point(xi),
            vel: vector(vi),
            id: id.cast_unsigned(),
        });
        let h2 = h2.map(Iterator::collect).unwrap_or_default();
        Ok((nj, Targets { particles: particles.collect(), eps2, h2 }))
    }
}

/// Returns accelerations, jerks and potentials.
///
/// # Safety
///
/// Each pointer is NULL or an address of its type, and arrays have `ni` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6calc_lasthalf_(
    id: *const c_int,
    _nj: *const c_int,
    ni: *const c_int,
    _index: *const c_int,
    _xi: *const [f64; 3],
    _vi: *const [f64; 3],
    _eps2: *const f64,
    _h2: *const f64,
    acc: *mut [f64; 3],
    jerk: *mut [f64; 3],
    pot: *mut f64,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    unsafe { finish("g6calc_lasthalf_", [id, ni], [acc, jerk], pot, None) }
}

/// Returns accelerations, jerks, potentials and the nearest particles.
///
/// # Safety
///
/// Each pointer is NULL or an address of its type, and arrays have `ni` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6calc_lasthalf2_(
    id: *const c_int,
    _nj: *const c_int,
    ni: *const c_int,
    _index: *const c_int,
    _xi: *const [f64; 3],
    _vi: *const [f64; 3],
    _eps2: *const f64,
    _h2: *const f64,
    acc: *mut [f64; 3],
    jerk: *mut [f64; 3],
    pot: *mut f64,
    inn: *mut c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    unsafe { finish("g6calc_lasthalf2_", [id, ni], [acc, jerk], pot, Some(inn)) }
}

/// Returns the results of an evaluation; NaN after an error, since many callers ignore the status.
///
/// # Safety
///
/// As for [`g6calc_lasthalf2_`]. `acc` and `jerk` may be one array.
unsafe fn finish(
    call: &'static str,
    [id, ni]: [*const c_int; 2],
    [acc, jerk]: [*mut [f64; 3]; 2],
    pot: *mut f64,
    inn: Option<*mut c_int>,
) -> c_int {
    let nearest = inn.unwrap_or(std::ptr::null_mut());
    let deliver = |outputs: &[Output]| {
        // SAFETY: the caller keeps the contract, and there are at most `ni` outputs. No reference
        // to the arrays exists, so that they may be one array.
        unsafe {
            write(acc, outputs.iter().map(|output| output.acc));
            write(jerk, outputs.iter().map(|output| output.jerk));
            write(pot, outputs.iter().map(|output| output.pot));
            let identity = |id: Option<u32>| id.map_or(-1, u32::cast_signed);
            write(nearest, outputs.iter().map(|output| identity(output.nearest)));
        }
    };
    // SAFETY: the caller keeps the contract.
    let (id, ni) = unsafe { (cluster(id), count("ni", ni)) };
    // Arrays need not be longer than the pipes.
    let n = ni.as_ref().map_or(0, |&ni| ni.min(NPIPES));
    let status = run(call, || {
        let arrays = [("acc", acc.is_null()), ("jerk", jerk.is_null()), ("pot", pot.is_null())];
        let inn = ("inn", inn.is_some_and(<*mut c_int>::is_null));
        if let Some((argument, _)) = arrays.into_iter().chain([inn]).find(|(_, is_null)| *is_null) {
            return Err(Error::Null { argument });
        }
        let ni = ni?;
        let outputs = clusters::with(id, |cluster| cluster.finish(ni, !nearest.is_null()))?;
        deliver(&outputs);
        Ok(0)
    });
    if status != 0 {
        deliver(&vec![Output::NAN; n]);
    }
    status
}

/// Does nothing: particles are sent with the next evaluation.
#[unsafe(no_mangle)]
pub extern "C" fn g6_initialize_jp_buffer_(_: *const c_int, _: *const c_int) -> c_int {
    0
}

/// Does nothing: particles are sent with the next evaluation.
#[unsafe(no_mangle)]
pub extern "C" fn g6_flush_jp_buffer_(_: *const c_int) -> c_int {
    0
}

/// Does nothing: particles stay.
#[unsafe(no_mangle)]
pub extern "C" fn g6_reset_(_: *const c_int) -> c_int {
    0
}

/// Does nothing: particles stay.
#[unsafe(no_mangle)]
pub extern "C" fn g6_reset_fofpga_(_: *const c_int) -> c_int {
    0
}

/// Finds neighbours. Returns 1 if an i-particle has more than a list holds.
///
/// # Safety
///
/// `id` is NULL or an address of an `int`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_read_neighbour_list_(id: *const c_int) -> c_int {
    // SAFETY: the caller keeps the contract.
    let id = unsafe { cluster(id) };
    run("g6_read_neighbour_list_", || clusters::with(id, Cluster::find_neighbours).map(c_int::from))
}

/// Returns the neighbours of an i-particle.
///
/// # Safety
///
/// Each pointer is NULL or an address of its type, and the list has room for `maxlength` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_get_neighbour_list_(
    id: *const c_int,
    ipipe: *const c_int,
    maxlength: *const c_int,
    n_neighbours: *mut c_int,
    neighbour_list: *mut c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    unsafe { write(n_neighbours, [0].into_iter()) };
    run("g6_get_neighbour_list_", || {
        // SAFETY: the caller keeps the contract.
        let (id, pipe, length) =
            unsafe { (cluster(id), value("ipipe", ipipe)?, count("maxlength", maxlength)?) };
        for (argument, pointer) in
            [("n_neighbours", n_neighbours), ("neighbour_list", neighbour_list)]
        {
            if pointer.is_null() {
                return Err(Error::Null { argument });
            }
        }
        clusters::with(id, |cluster| {
            let lists = cluster.lists()?;
            let list = usize::try_from(pipe).ok().and_then(|pipe| lists.of(pipe));
            let (list, overflow) = list.ok_or(Error::NoPipe { found: pipe, pipes: lists.len() })?;
            let copied = &list[..list.len().min(length)];
            // SAFETY: the caller keeps the contract.
            unsafe {
                write(n_neighbours, [integer(copied.len())].into_iter());
                write(neighbour_list, copied.iter().copied());
            }
            Ok(c_int::from(overflow || copied.len() < list.len()))
        })
    })
}

/// Returns a number of pipes or of neighbours, which is small.
fn integer(number: usize) -> c_int {
    c_int::try_from(number).unwrap_or(c_int::MAX)
}

fn point([x, y, z]: [f64; 3]) -> Point {
    Point::new(x, y, z)
}

fn vector([x, y, z]: [f64; 3]) -> Vector {
    Vector::new(x, y, z)
}
