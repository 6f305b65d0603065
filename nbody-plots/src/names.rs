//! Names of curves, beside their right ends.

use crate::Error;
use crate::curve::Style;
use crate::sheet::{LINE, MARGIN, Place, SMALL, Sheet, width};

/// Length of the sample of a style, in pixels, and space before and behind it.
const SAMPLE: u32 = 30;
const SPACE: u32 = 8;
/// Length of the lines from ends of curves to their names, which bend to keep names apart.
const LEADER: u32 = 22;
/// Widest column of names.
const WIDEST: u32 = 380;

/// A name with its style, and the place of the end of its curve.
pub struct Name<'a> {
    pub text: &'a str,
    pub style: Style,
    pub end: Option<Place>,
    pub has_line: bool,
}

/// Returns the width of the column of names.
pub fn column<'a>(names: impl Iterator<Item = &'a str>) -> u32 {
    let longest = names.map(|it| width(it, SMALL)).max().unwrap_or(0);
    (LEADER + SAMPLE + 2 * SPACE + longest + MARGIN).min(WIDEST)
}

/// Returns the least height of a chart with this number of names.
pub fn height(names: usize) -> u32 {
    LINE * names as u32
}

/// Draws names to the right of `left`, from `top` on: beside the ends of their curves if all ends
/// are near `left`, otherwise one below another.
pub fn draw(
    sheet: &Sheet,
    names: &[Name],
    left: i32,
    [top, bottom]: [i32; 2],
) -> Result<(), Error> {
    let is_near = |end: Place| left - end.0 < 60;
    let are_near = names.iter().all(|name| name.end.is_none_or(is_near));
    let ends = names.iter().map(|name| match name.end {
        Some((_, y)) if are_near => y,
        _ => top + (LINE / 2).cast_signed(),
    });
    let places = spread(&ends.collect::<Vec<_>>(), LINE.cast_signed(), [top, bottom]);
    let signed = |x: u32| x.cast_signed();
    for (name, y) in names.iter().zip(places) {
        let begin = left + signed(LEADER);
        if let Some((x, from)) = name.end.filter(|_| are_near)
            && (y - from).abs() > 2
        {
            let leader = vec![(x + 6, from), (left, from), (begin - 4, y)];
            sheet.line(leader, &Style::thin())?;
        }
        let end = begin + signed(SAMPLE);
        if name.has_line {
            sheet.line(vec![(begin, y), (end, y)], &name.style)?;
        }
        sheet.mark((i32::midpoint(begin, end), y), &name.style)?;
        sheet.text((end + signed(SPACE), y), name.text, SMALL)?;
    }
    Ok(())
}

/// Moves places, which fall in no particular order, until each is this far from the next one and
/// all are within limits, if there is room.
fn spread(wanted: &[i32], apart: i32, [top, bottom]: [i32; 2]) -> Vec<i32> {
    let mut order: Vec<_> = (0..wanted.len()).collect();
    order.sort_by_key(|&k| wanted[k]);
    let mut places = wanted.to_vec();
    let mut least = top;
    for &k in &order {
        places[k] = places[k].max(least);
        least = places[k] + apart;
    }
    let mut most = bottom;
    for &k in order.iter().rev() {
        places[k] = places[k].min(most);
        most = places[k] - apart;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_apart_and_near_their_curves() {
        assert_eq!(spread(&[50, 200, 120], 18, [0, 300]), [50, 200, 120]);
        assert_eq!(spread(&[100, 101, 99], 18, [0, 300]), [117, 135, 99]);
        assert_eq!(spread(&[295, 296], 18, [0, 300]), [282, 300]);
        assert_eq!(spread(&[-5, 0], 18, [0, 300]), [0, 18]);
        assert!(spread(&[], 18, [0, 300]).is_empty());
    }
}
