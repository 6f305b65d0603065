//! Pointers of the caller: each is checked before it is used.

use std::ffi::{CStr, c_char};
use std::slice;

use nbody_bindings::Failure;

/// A place for an output.
pub(crate) struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    /// Takes the place and writes a first value, which stays if the call fails.
    ///
    /// # Safety
    ///
    /// The pointer is NULL, or good for writes of a `T`.
    pub unsafe fn new(pointer: *mut T, what: &str, first: T) -> Result<Self, Failure> {
        check(pointer, what)?;
        // SAFETY: the pointer is neither NULL nor misaligned, and the caller promises the rest.
        unsafe { pointer.write(first) };
        Ok(Self(pointer))
    }

    /// Writes the output.
    pub fn set(self, value: T) {
        // SAFETY: `new` was promised that the pointer is good for writes.
        unsafe { self.0.write(value) };
    }
}

/// Refuses NULL and misaligned pointers.
fn check<T>(pointer: *const T, what: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        Err(Failure::argument(format!("{what} is NULL; give the address of a variable")))
    } else if pointer.is_aligned() {
        Ok(())
    } else {
        let to = align_of::<T>();
        Err(Failure::argument(format!("{what} is not aligned to {to} bytes: {pointer:p}")))
    }
}

/// Returns a string.
///
/// # Safety
///
/// The pointer is NULL, or the string ends with a zero and does not change while it is used.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Failure> {
    // SAFETY: as the caller promises.
    let text = unsafe { optional_text(pointer, what) }?;
    text.ok_or_else(|| Failure::argument(format!("{what} is NULL; give a string")))
}

/// Returns a string; `None` for NULL.
///
/// # Safety
///
/// As for [`text`].
pub(crate) unsafe fn optional_text<'a>(
    pointer: *const c_char,
    what: &str,
) -> Result<Option<&'a str>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the pointer is not NULL, and the caller promises the rest.
    let text = unsafe { CStr::from_ptr(pointer) };
    let text = text.to_str().map_err(|_| Failure::argument(format!("{what} is not UTF-8")))?;
    Ok(Some(text))
}

/// Returns `n` rows of `width` indices, one row after another; rows begin `stride` bytes apart, without
/// gaps for 0. The pointer may be NULL if there are none.
///
/// # Safety
///
/// The pointer is NULL, or good for reads of these rows, which do not change while they are read.
pub(crate) unsafe fn rows_of_indices(
    pointer: *const u32,
    [n, width]: [usize; 2],
    stride: isize,
    what: &str,
) -> Result<Vec<u32>, Failure> {
    if n == 0 || width == 0 {
        return Ok(Vec::new());
    }
    check(pointer, what)?;
    let size = size_of::<u32>();
    if !stride.unsigned_abs().is_multiple_of(size) {
        return Err(Failure::argument(format!(
            "{what} at a stride of {stride} bytes: expected a multiple of {size}"
        )));
    }
    let step = if stride == 0 { width.cast_signed() } else { stride / size.cast_signed() };
    let is_possible = || {
        let last = (n - 1).checked_mul(step.unsigned_abs())?;
        let bytes = last.checked_add(width)?.checked_mul(size)?;
        let bytes = isize::try_from(bytes).ok()?;
        pointer.addr().checked_add_signed(if step < 0 { -bytes } else { bytes })
    };
    if is_possible().is_none() {
        return Err(Failure::argument(format!(
            "{what}: {n} rows at a stride of {stride} bytes are beyond any memory; strides are in bytes"
        )));
    }
    let row = |k: usize| {
        // SAFETY: as the caller promises; the pointer is aligned, and the offset does not overflow.
        (0..width).map(move |m| unsafe {
            pointer.offset(k.cast_signed() * step + m.cast_signed()).read()
        })
    };
    Ok((0..n).flat_map(row).collect())
}

/// Returns the elements of an array. The pointer may be NULL if there are none.
///
/// # Safety
///
/// The pointer is NULL, or good for reads of `n` elements that do not change while they are used.
pub(crate) unsafe fn array<'a, T>(
    pointer: *const T,
    n: usize,
    what: &str,
) -> Result<&'a [T], Failure> {
    if n == 0 {
        return Ok(&[]);
    }
    check(pointer, what)?;
    let is_possible =
        n.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if !is_possible {
        return Err(Failure::argument(format!("{what}: {n} elements are beyond any memory")));
    }
    // SAFETY: the pointer is neither NULL nor misaligned, the size is possible, and the caller
    // promises the rest.
    Ok(unsafe { slice::from_raw_parts(pointer, n) })
}

/// Returns the elements of an array that the call writes. The pointer may be NULL if there are none.
///
/// # Safety
///
/// The pointer is NULL, or good for writes of `n` initialised elements that no one else uses.
pub(crate) unsafe fn array_mut<'a, T>(
    pointer: *mut T,
    n: usize,
    what: &str,
) -> Result<&'a mut [T], Failure> {
    if n == 0 {
        return Ok(&mut []);
    }
    // SAFETY: as the caller promises; the slice checks pointer and size, and is not used.
    unsafe { array(pointer.cast_const(), n, what) }?;
    // SAFETY: the pointer and the size are checked, and the caller promises the rest.
    Ok(unsafe { slice::from_raw_parts_mut(pointer, n) })
}

/// Returns a struct that begins with its size, as the caller knows it. Fields that the caller does not
/// know are taken from `zero`.
///
/// # Safety
///
/// The pointer is NULL, or the struct is as long as it says. Any bits are good fields of `T`, which
/// begins with its size.
pub(crate) unsafe fn sized<T: Copy>(
    pointer: *const T,
    zero: T,
    what: &str,
    initial: &str,
) -> Result<T, Failure> {
    check(pointer, what)?;
    // SAFETY: the pointer is good for the size at least.
    let size = unsafe { pointer.cast::<usize>().read() };
    let known = size_of::<T>();
    // A struct of another version is longer or shorter by some fields, and never tiny or huge.
    if !(size_of::<usize>()..=1 << 12).contains(&size) {
        return Err(Failure::argument(format!(
            "{what} of {size} bytes, expected {known}; begin with {initial}, which sets the size"
        )));
    }
    // SAFETY: the struct is as long as it says, and all its bytes are initialised.
    let bytes = unsafe { array(pointer.cast::<u8>(), size, what) }?;
    if bytes[known.min(size)..].iter().any(|byte| *byte != 0) {
        return Err(Failure::unsupported(format!(
            "{what} of {size} bytes, of which this library knows {known}; leave the later ones 0, or \
             install the library of the header"
        )));
    }
    let mut given = zero;
    // SAFETY: both are good for this many bytes, do not overlap, and any bits are good fields.
    unsafe {
        let to = (&raw mut given).cast::<u8>();
        to.copy_from_nonoverlapping(bytes.as_ptr(), known.min(size));
    }
    Ok(given)
}

/// Copies a string and a zero into the memory of the caller as far as it has room, and always a
/// zero; returns the length of the whole string in bytes.
///
/// # Safety
///
/// The pointer is NULL, or good for writes of `capacity` bytes.
pub(crate) unsafe fn copy_text(
    text: &str,
    pointer: *mut c_char,
    capacity: usize,
) -> Result<usize, Failure> {
    if capacity > 0 {
        check(pointer, "the buffer of the text")?;
        let mut n = text.len().min(capacity - 1);
        while !text.is_char_boundary(n) {
            n -= 1;
        }
        // SAFETY: the pointer is not NULL, n + 1 <= capacity, and the caller promises the rest; a
        // string of the library does not overlap memory of the caller.
        unsafe {
            pointer.copy_from_nonoverlapping(text.as_ptr().cast(), n);
            pointer.add(n).write(0);
        }
    }
    Ok(text.len())
}
