//! The numbers of a spline among parameters.

use nbody::untyped::spline;

use nbody_bindings::Failure;

use crate::options::unknown;
use crate::pointers;
use crate::status::{Status, border};

/// Writes the numbers of a spline of this kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_spline_numbers(
    kind: i32,
    first: f64,
    last: f64,
    values: *const f64,
    slopes: *const f64,
    knots: usize,
    numbers: *mut f64,
    capacity: usize,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good array of values.
        let values = unsafe { pointers::array(values, knots, "values of a spline") }?;
        let range = first..=last;
        let cubics = match kind {
            1 => spline::linear(range, values)?,
            2 => spline::cubic(range, values)?,
            3 => {
                // SAFETY: the header asks for a good array of slopes.
                let slopes = unsafe { pointers::array(slopes, knots, "slopes of a spline") }?;
                spline::hermite(range, values, slopes)?
            }
            found => return Err(unknown("kind of a spline", found, 3)),
        };
        let found = cubics.as_flattened();
        if capacity != found.len() {
            return Err(Failure::argument(format!(
                "room for {capacity} numbers of a spline with {knots} knots, expected {}",
                found.len()
            )));
        }
        // SAFETY: the header asks for a good array of numbers.
        let numbers = unsafe { pointers::array_mut(numbers, capacity, "numbers of a spline") }?;
        numbers.copy_from_slice(found);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::ptr::null;

    use nbody::Spline;
    use nbody::law::Record as _;

    use super::*;

    /// Parameters that are a spline.
    fn expected(spline: Spline<4>) -> Vec<f64> {
        #[nbody::interaction]
        mod law {
            pub struct Law {
                pub spline: Spline<4>,
            }
            pub struct One {
                pub x: Real,
            }
            impl Interaction for Law {
                type I = One;
                type J = One;
                type F = One;
                fn pair(&self, i: &One, j: &One, f: &mut One) {
                    f.x += self.spline.at(i.x + j.x);
                }
            }
        }
        struct Numbers(Vec<f64>);
        impl nbody::law::Writer<f64> for Numbers {
            fn real(&mut self, value: f64) {
                self.0.push(value);
            }
            fn index(&mut self, _: u32) {}
            fn coordinate(&mut self, _: f64) {}
        }
        let mut numbers = Numbers(Vec::new());
        law::Law { spline }.write(&mut numbers);
        numbers.0
    }

    #[test]
    fn numbers_are_the_numbers_of_the_host() {
        let (values, slopes) = ([1.0, -0.5, 2.0, 0.25], [0.5, 1.0, -2.0, 3.0]);
        let (first, last) = (-1.0, 2.0);
        let spline = |kind: i32, knots: usize, capacity: usize| {
            let mut numbers = vec![f64::NAN; capacity];
            let slopes = if kind == 3 { slopes.as_ptr() } else { null() };
            let (values, out) = (values.as_ptr(), numbers.as_mut_ptr());
            // SAFETY: the arrays have these lengths.
            let status = unsafe {
                nbody_spline_numbers(kind, first, last, values, slopes, knots, out, capacity)
            };
            (status == Status::Ok).then_some(numbers)
        };
        let of = |spline: Result<Spline<4>, _>| Some(expected(spline.unwrap()));
        assert_eq!(spline(1, 4, 24), of(Spline::linear(first..=last, &values)));
        assert_eq!(spline(2, 4, 24), of(Spline::cubic(first..=last, &values)));
        assert_eq!(spline(3, 4, 24), of(Spline::hermite(first..=last, &values, &slopes)));
        for (kind, knots, capacity) in [(0, 4, 24), (4, 4, 24), (2, 4, 23), (2, 3, 24), (2, 1, 12)]
        {
            assert_eq!(spline(kind, knots, capacity), None, "{kind} {knots} {capacity}");
        }
    }
}
