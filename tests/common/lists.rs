//! Neighbour lists as an engine, for comparison with all pairs.

use nbody::Interaction;
use nbody::prelude::*;

/// Returns an engine over lists of its own, with this skin, in the space of these options.
///
/// # Panics
///
/// Panics if the device refuses the options or the skin.
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
