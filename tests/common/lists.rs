//! Neighbour lists as an engine, which is compared with all pairs.

use nbody::Interaction;
use nbody::prelude::*;

/// Returns an engine over lists of its own with this skin, in the space of these options.
///
/// # Panics
///
/// Panics if the device refuses them.
pub fn over_lists<X: Interaction>(
    device: &Device,
    x: X,
    options: Options,
    skin: Skin,
) -> ShortRange<X> {
    let (domain, precision) = (options.domain, options.precision);
    let lists = Neighbours::with_options(
        device,
        skin,
        Options::default().precision(precision).domain(domain),
    )
    .unwrap();
    ShortRange::with_options(device, x, options).unwrap().with_lists(lists)
}
