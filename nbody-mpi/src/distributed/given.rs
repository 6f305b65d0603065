//! The particles that the particles of a rank have given pairs with.

use nbody_core::{Csr, Error};

use super::placement::Placement;

/// Returns the numbers of j-particles of other ranks in the rows of this rank, in ascending order.
pub fn missing(rows: &Csr, i: &Placement, j: &Placement) -> Result<Vec<u32>, Error> {
    let own = j.rows()?;
    let met = i.numbers.on_host()?.iter().flat_map(|number| rows.row(*number as usize));
    let mut missing: Vec<_> = met.copied().filter(|number| own.get(*number).is_none()).collect();
    missing.sort_unstable();
    missing.dedup();
    Ok(missing)
}
