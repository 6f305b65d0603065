//! The reference: a double loop in `f64`.
//!
//! Particles may come in either scalar. Given the particles rounded to `f32`, as a kernel in
//! single precision sees them, it tells the error of the kernel alone; given the particles
//! themselves, it tells the error with that rounding.

use rayon::prelude::*;

use crate::{Interaction, Output as _, Reader, Record, Scalar, Writer, pack};

/// The results of all j-particles on each i-particle.
pub fn reference<X, S>(
    interaction: &X,
    i: &[<X::I as Record>::With<S>],
    j: &[<X::J as Record>::With<S>],
) -> Vec<X::F>
where
    X: Interaction,
    S: Scalar,
{
    double_loop(interaction, &pack::cast(i), &pack::cast(j), |_, _| true)
}

/// The results of one set of particles on itself, given as what feels and as what acts.
pub fn reference_self<X, S>(
    interaction: &X,
    i: &[<X::I as Record>::With<S>],
    j: &[<X::J as Record>::With<S>],
) -> Vec<X::F>
where
    X: Interaction,
    S: Scalar,
{
    double_loop(interaction, &pack::cast(i), &pack::cast(j), |k, l| X::SELF_PAIRS || k != l)
}

fn double_loop<X: Interaction>(
    interaction: &X,
    i: &[X::I],
    j: &[X::J],
    meets: impl Fn(usize, usize) -> bool + Sync,
) -> Vec<X::F> {
    i.par_iter()
        .enumerate()
        .map(|(k, i)| {
            let mut f = X::F::default();
            for (l, j) in j.iter().enumerate() {
                if meets(k, l) {
                    X::pair::<f64>(interaction, i, j, l as u32, &mut f);
                }
            }
            f
        })
        .collect()
}

/// The sums of the magnitudes of what [`reference()`] sums, component by component: the scale
/// that rounding errors are measured by where terms cancel.
pub fn magnitudes<X, S>(
    interaction: &X,
    i: &[<X::I as Record>::With<S>],
    j: &[<X::J as Record>::With<S>],
) -> Vec<X::F>
where
    X: Interaction,
    S: Scalar,
{
    sum_magnitudes(interaction, &pack::cast(i), &pack::cast(j), |_, _| true)
}

/// The sums of the magnitudes of what [`reference_self`] sums.
pub fn magnitudes_self<X, S>(
    interaction: &X,
    i: &[<X::I as Record>::With<S>],
    j: &[<X::J as Record>::With<S>],
) -> Vec<X::F>
where
    X: Interaction,
    S: Scalar,
{
    sum_magnitudes(interaction, &pack::cast(i), &pack::cast(j), |k, l| X::SELF_PAIRS || k != l)
}

fn sum_magnitudes<X: Interaction>(
    interaction: &X,
    i: &[X::I],
    j: &[X::J],
    meets: impl Fn(usize, usize) -> bool + Sync,
) -> Vec<X::F> {
    i.par_iter()
        .enumerate()
        .map(|(k, i)| {
            let mut sum = vec![0.0; X::F::DIM];
            let mut total = X::F::default();
            for (l, j) in j.iter().enumerate().filter(|&(l, _)| meets(k, l)) {
                let mut term = X::F::default();
                X::pair::<f64>(interaction, i, j, l as u32, &mut term);
                term.write(&mut AddMagnitudes(sum.iter_mut()));
                X::F::fold::<f64, f64>(&mut total, &term);
            }
            // What is no sum has no other scale than itself.
            let kinds = X::F::FIELDS.iter().map(|field| field.kind);
            let is_sum =
                kinds.flat_map(|kind| std::iter::repeat_n(kind.is_sum(), kind.components()));
            let totals = pack::flatten(&[total]);
            let scale = is_sum.zip(sum.into_iter().zip(totals));
            let scale = scale.map(|(is_sum, (sum, total))| if is_sum { sum } else { total.abs() });
            X::F::read(&mut Numbers(scale.collect::<Vec<_>>().into_iter()))
        })
        .collect()
}

struct AddMagnitudes<'a>(std::slice::IterMut<'a, f64>);

impl Writer<f64> for AddMagnitudes<'_> {
    fn real(&mut self, value: f64) {
        if let Some(sum) = self.0.next() {
            *sum += value.abs();
        }
    }
    fn index(&mut self, value: u32) {
        self.real(value.into());
    }
}

struct Numbers(std::vec::IntoIter<f64>);

impl Reader<f64> for Numbers {
    fn real(&mut self) -> f64 {
        self.0.next().unwrap_or_default()
    }
    // Magnitudes are never negative.
    #[allow(clippy::cast_sign_loss)]
    fn index(&mut self) -> u32 {
        self.real() as u32
    }
}
