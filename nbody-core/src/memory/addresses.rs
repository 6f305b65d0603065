//! Addresses of rows that are written into a buffer, and rows that are appended to it.

use std::borrow::Cow;

use crate::error::Error;
use crate::memory::buffer::Buffer;
use crate::memory::buffers::{check_count, check_precision};

/// The particles to append, in messages.
pub const APPENDED: &str = "particles to append";

/// Returns the number of rows that a buffer of `n` rows has after rows are written at these
/// addresses. Refuses an address that is given twice, and addresses beyond the end that leave a
/// row without contents.
pub fn rows_after(addresses: &[u32], n: usize) -> Result<usize, Error> {
    let Some(&largest) = addresses.iter().max() else { return Ok(n) };
    let end = n.max(largest as usize + 1);
    check_count(end)?;
    // Most callers give addresses in ascending order.
    let mut sorted = Cow::Borrowed(addresses);
    if !addresses.is_sorted_by(|a, b| a < b) {
        sorted.to_mut().sort_unstable();
    }
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let mut places = (0..addresses.len()).filter(|&at| addresses[at] == pair[0]);
        let at = [places.next(), places.next()].map(Option::unwrap_or_default);
        return Err(Error::RepeatedAddress { address: pair[0], at });
    }
    let beyond = &sorted[sorted.partition_point(|&address| (address as usize) < n)..];
    let missing = (n..end).zip(beyond).find(|&(row, &address)| row != address as usize);
    match missing {
        None => Ok(end),
        Some((missing, _)) => Err(Error::MissingAddress { missing, n, largest }),
    }
}

/// Returns the number of rows that a buffer has after others are appended. Refuses others of another
/// record or precision, and rows without an index.
pub fn rows_with(buffer: &dyn Buffer, others: &dyn Buffer) -> Result<usize, Error> {
    Error::check_record(APPENDED, others.fields(), buffer.fields())?;
    check_precision(APPENDED, others.precision(), buffer.precision())?;
    let n = buffer.len().saturating_add(others.len());
    check_count(n)?;
    Ok(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_within_a_buffer_and_behind_it_are_counted() {
        assert_eq!(rows_after(&[], 0), Ok(0));
        assert_eq!(rows_after(&[], 7), Ok(7));
        assert_eq!(rows_after(&[6, 0, 3], 7), Ok(7));
        assert_eq!(rows_after(&[8, 0, 7], 7), Ok(9));
        assert_eq!(rows_after(&[2, 1, 0], 0), Ok(3));
    }

    #[test]
    fn repeated_and_missing_addresses_are_named() {
        let repeated = |address, at| Err(Error::RepeatedAddress { address, at });
        assert_eq!(rows_after(&[4, 1, 3, 1, 1], 5), repeated(1, [1, 3]));
        assert_eq!(rows_after(&[9, 9], 5), repeated(9, [0, 1]));
        let missing = |missing, n, largest| Err(Error::MissingAddress { missing, n, largest });
        assert_eq!(rows_after(&[6, 0], 5), missing(5, 5, 6));
        assert_eq!(rows_after(&[5, 8, 7], 5), missing(6, 5, 8));
        assert_eq!(rows_after(&[1], 0), missing(0, 0, 1));
        assert_eq!(rows_after(&[u32::MAX - 1], 2), missing(2, 2, u32::MAX - 1));
        let (found, limit) = (u32::MAX as usize + 1, u32::MAX as usize);
        assert_eq!(rows_after(&[u32::MAX], 2), Err(Error::TooManyParticles { found, limit }));
        let message = repeated(1, [1, 3]).unwrap_err().to_string();
        assert_eq!(message, "addresses[1] and addresses[3] are both 1; give each address once");
    }
}
