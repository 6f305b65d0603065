//! Components of vectors, points and tensors by name, for programs on the host: `v.x` is `v[0]`.
//!
//! Vectors, points and tensors of `f64` and `f32` dereference to these structs. The type must be known, as
//! for a field: `let v: Vector = Vector::new(1.0, 2.0, 3.0);`. Code that is generic over the
//! scalar accesses components by index.

use std::ops::{Deref, DerefMut};

use crate::numeric::tensor::Tensor;
use crate::numeric::vector::{Point, Vector};

macro_rules! named {
    ($($name:ident { $($field:ident)* } of [$($type:ident)*] $real:ident, $d:literal, $what:literal;)*) => {
        $(
            #[doc = $what]
            #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
            #[repr(C)]
            #[allow(missing_docs)]
            pub struct $name {
                $(pub $field: $real,)*
            }

            named!([$($type)*] $name $real $d);
        )*
    };
    ([$($type:ident)*] $name:ident $real:ident $d:literal) => {
        $(impl Deref for $type<$real, $d> {
            type Target = $name;
            #[inline(always)]
            fn deref(&self) -> &$name {
                bytemuck::cast_ref(&self.0)
            }
        }

        impl DerefMut for $type<$real, $d> {
            #[inline(always)]
            fn deref_mut(&mut self) -> &mut $name {
                bytemuck::cast_mut(&mut self.0)
            }
        })*
    };
}

named! {
    XF32 { x } of [Vector Point] f32, 1, "One component in `f32`.";
    XF64 { x } of [Vector Point] f64, 1, "One component in `f64`.";
    XyF32 { x y } of [Vector Point] f32, 2, "Two components in `f32`.";
    XyF64 { x y } of [Vector Point] f64, 2, "Two components in `f64`.";
    XyzF32 { x y z } of [Vector Point] f32, 3, "Three components in `f32`.";
    XyzF64 { x y z } of [Vector Point] f64, 3, "Three components in `f64`.";
    Tensor1F32 { xx } of [Tensor] f32, 1, "A symmetric tensor in one dimension, in `f32`.";
    Tensor1F64 { xx } of [Tensor] f64, 1, "A symmetric tensor in one dimension, in `f64`.";
    Tensor2F32 { xx yy xy } of [Tensor] f32, 2, "A symmetric tensor in two dimensions, in `f32`.";
    Tensor2F64 { xx yy xy } of [Tensor] f64, 2, "A symmetric tensor in two dimensions, in `f64`.";
    Tensor3F32 { xx yy zz xy xz yz } of [Tensor] f32, 3, "A symmetric tensor in `f32`.";
    Tensor3F64 { xx yy zz xy xz yz } of [Tensor] f64, 3, "A symmetric tensor in `f64`.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_read_and_written_by_name() {
        let mut v: Vector = Vector::new(1.0, 2.0, 3.0);
        assert_eq!([v.x, v.y, v.z], v.0);
        v.y = 5.0;
        v.z += 0.5;
        assert_eq!(v, Vector([1.0, 5.0, 3.5]));

        let mut flat = Vector([1.0_f32, 2.0]);
        flat.x -= 4.0;
        assert_eq!([flat.x, flat.y], [-3.0, 2.0]);

        let mut p: Point = Point::new(1.0, 2.0, 3.0);
        p.x = f64::INFINITY;
        assert_eq!([p.x, p.y, p.z], [f64::INFINITY, 2.0, 3.0]);
        let flat: Point<f32, 2> = Point([7.0, 8.0]);
        assert_eq!([flat.x, flat.y], flat.0);
        let mut line: Point<f64, 1> = Point([0.5]);
        line.x += 1.0;
        assert_eq!(line, Point([1.5]));
    }
}
