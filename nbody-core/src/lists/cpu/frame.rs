//! The cells of the order of lists on the CPU.

use crate::domain::Domain;
use crate::lists::cutoff::Watched;
use crate::numeric::vector::Point;
use crate::order::frame::Frame;

/// The numbers of i- and j-particles, the dimensions and the space that a frame was chosen for.
pub type FrameKey = ([usize; 2], usize, Domain);

/// Returns the kept cells of the order, or chooses them from these positions. They stay while the
/// particles move, and follow a box whose lengths change.
pub fn choose_frame(
    domain: Domain,
    places: &[(Watched, Vec<[f64; 3]>)],
    kept: &mut Option<(FrameKey, Frame)>,
) -> Frame {
    let of_i = &places[0].1;
    let of_j = places.get(1).map_or(&[][..], |(_, positions)| positions);
    let dimensions = places[0].0.position.places().len().max(2);
    let key = ([of_i.len(), of_j.len()], dimensions, domain);
    if let Some((known, frame)) = kept
        && (known.0, known.1) == (key.0, key.1)
        && let Some(resized) = frame.resized(&known.2, &domain)
    {
        (*known, *frame) = (key, resized);
        return resized;
    }
    let position = |k: usize| {
        let position = of_i.get(k).unwrap_or_else(|| &of_j[k - of_i.len()]);
        domain.wrap(Point(*position)).0
    };
    let frame = Frame::of(of_i.len() + of_j.len(), &position, &domain, dimensions);
    *kept = Some((key, frame));
    frame
}
