//! Symmetric tensors.

use std::fmt::Debug;
use std::ops::{Index, IndexMut};

use crate::numeric::lane::Lane;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::vector::select_array;

/// Space of a dimension.
#[derive(Clone, Copy, Debug)]
pub struct Dimension<const D: usize>;

/// A dimension whose symmetric tensors have components: one, two or three.
pub trait Symmetric {
    /// The components: one, three or six.
    type Components<L: Lane>: Components<L>;
}

/// The components of a symmetric tensor.
pub trait Components<L: Lane>: Copy + Debug + Default + AsRef<[L]> + AsMut<[L]> {
    /// Returns `yes` where the mask is true, `no` elsewhere.
    #[must_use]
    fn select(mask: L::Mask, yes: Self, no: Self) -> Self;
}

macro_rules! symmetric {
    ($($d:literal $n:literal)*) => {
        $(impl Symmetric for Dimension<$d> {
            type Components<L: Lane> = [L; $n];
        }

        impl<L: Lane> Components<L> for [L; $n] {
            #[inline(always)]
            fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
                select_array(mask, yes, no)
            }
        }

        impl<L: Lane> From<[L; $n]> for Tensor<L, $d> {
            #[inline(always)]
            fn from(components: [L; $n]) -> Self {
                Self(components)
            }
        }

        impl<L: Lane> From<Tensor<L, $d>> for [L; $n] {
            #[inline(always)]
            fn from(tensor: Tensor<L, $d>) -> Self {
                tensor.0
            }
        })*
    };
}
symmetric!(1 1 2 3 3 6);

/// A symmetric tensor, such as a stress or a virial, in space of three dimensions by default. Its
/// components are in the order of LAMMPS: xx, yy, zz, xy, xz, yz (in two dimensions xx, yy, xy; in
/// one xx). They are `t.xx` to `t.yz` in `f64` and `f32`, and `t[0]` to `t[5]` in general.
#[repr(transparent)]
pub struct Tensor<L: Lane = f64, const D: usize = 3>(
    pub <Dimension<D> as Symmetric>::Components<L>,
)
where
    Dimension<D>: Symmetric;

impl<L: Lane, const D: usize> Tensor<L, D>
where
    Dimension<D>: Symmetric,
{
    /// Returns the sum of the diagonal, added up in the order xx, yy, zz.
    #[must_use]
    pub fn trace(self) -> L {
        let diagonal = self.0.as_ref()[..D].iter().copied();
        diagonal.reduce(|sum, x| sum + x).unwrap_or_default()
    }

    /// Returns `yes` where the mask is true, `no` elsewhere.
    #[must_use]
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self(Components::select(mask, yes.0, no.0))
    }

    /// Reads the components in order.
    #[inline(always)]
    pub fn read<R: Reader<L>>(from: &mut R) -> Self {
        let mut tensor = Self::default();
        for x in tensor.0.as_mut() {
            *x = from.real();
        }
        tensor
    }

    /// Writes the components in order.
    #[inline(always)]
    pub fn write<W: Writer<L>>(&self, to: &mut W) {
        for x in self.0.as_ref() {
            to.real(*x);
        }
    }
}

#[allow(
    clippy::expl_impl_clone_on_copy,
    reason = "a derived impl would ask for clones of the array"
)]
impl<L: Lane, const D: usize> Clone for Tensor<L, D>
where
    Dimension<D>: Symmetric,
{
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Lane, const D: usize> Copy for Tensor<L, D> where Dimension<D>: Symmetric {}

impl<L: Lane, const D: usize> Debug for Tensor<L, D>
where
    Dimension<D>: Symmetric,
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tensor").field(&self.0).finish()
    }
}

impl<L: Lane + PartialEq, const D: usize> PartialEq for Tensor<L, D>
where
    Dimension<D>: Symmetric,
{
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref() == other.0.as_ref()
    }
}

impl<L: Lane, const D: usize> Default for Tensor<L, D>
where
    Dimension<D>: Symmetric,
{
    #[inline(always)]
    fn default() -> Self {
        Self(Default::default())
    }
}

impl<L: Lane, const D: usize> Index<usize> for Tensor<L, D>
where
    Dimension<D>: Symmetric,
{
    type Output = L;
    #[inline(always)]
    fn index(&self, k: usize) -> &L {
        &self.0.as_ref()[k]
    }
}

impl<L: Lane, const D: usize> IndexMut<usize> for Tensor<L, D>
where
    Dimension<D>: Symmetric,
{
    #[inline(always)]
    fn index_mut(&mut self, k: usize) -> &mut L {
        &mut self.0.as_mut()[k]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_has_components_in_order() {
        let t: Tensor = Tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!([t.xx, t.yy, t.zz, t.xy, t.xz, t.yz], t.0);
        assert_eq!((t.trace(), t[4]), (6.0, 5.0));
        let mut flat: Tensor<f32, 2> = [1.0, 2.0, 4.0].into();
        flat.xy += 1.0;
        flat[0] = 7.0;
        assert_eq!((flat.trace(), <[f32; 3]>::from(flat)), (9.0, [7.0, 2.0, 5.0]));
        assert_eq!(Tensor::<f64, 1>::default().xx.to_bits(), 0);
        assert_ne!(t, Tensor::select(true, Tensor::default(), t));
        assert_eq!(t, Tensor::select(false, Tensor::default(), t));
    }
}
