//! Gravity as `#[nbody::interaction]` expands it, to test the core without the macro.
#![allow(dead_code, unsafe_code)]

use nbody_core as nbody;

/// Newtonian gravity with Plummer softening; G = 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Gravity<L: ::nbody_core::Lane = f64> {
    /// Squared softening length.
    pub eps2: L,
}

/// The same, in which a particle acts on itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Whole<L: ::nbody_core::Lane = f64> {
    /// Squared softening length.
    pub eps2: L,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Body<L: ::nbody_core::Lane = f64> {
    pub pos: ::nbody_core::Point<L>,
    pub mass: L,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Field<L: ::nbody_core::Lane = f64> {
    pub acc: ::nbody_core::Vector<L>,
    pub pot: L,
}

macro_rules! record {
    ($name:ident, $fields:expr, $($field:ident: $read:expr, $write:expr);*) => {
        // SAFETY: `$fields` has the fields in the order that they are read and written in.
        unsafe impl<L: nbody::Lane> nbody::Record for $name<L> {
            type Lane = L;
            type With<M: nbody::Lane> = $name<M>;
            type Host = $name<f64>;
            const FIELDS: &'static [nbody::Field] = $fields;
            const DIM: usize = nbody::__private::dim(Self::FIELDS);
            fn read<R: nbody::Reader<L>>(from: &mut R) -> Self {
                Self { $($field: $read(from)),* }
            }
            fn write<W: nbody::Writer<L>>(&self, to: &mut W) {
                $($write(self.$field, to);)*
            }
        }
        // SAFETY: `repr(C)` over scalars of one width, so there is no padding, and any bits
        // are a value.
        unsafe impl bytemuck::Zeroable for $name<f64> {}
        unsafe impl bytemuck::Pod for $name<f64> {}
        unsafe impl bytemuck::Zeroable for $name<f32> {}
        unsafe impl bytemuck::Pod for $name<f32> {}
    };
}

use nbody::FieldKind::{Point, Real, Vector};
const fn field(name: &'static str, kind: nbody::FieldKind) -> nbody::Field {
    nbody::Field { name, kind }
}
fn read_real<L: nbody::Lane, R: nbody::Reader<L>>(from: &mut R) -> L {
    from.real()
}
fn write_real<L: nbody::Lane, W: nbody::Writer<L>>(x: L, to: &mut W) {
    to.real(x);
}
record!(Gravity, &[field("eps2", Real)], eps2: read_real, write_real);
record!(Whole, &[field("eps2", Real)], eps2: read_real, write_real);
record!(Body, &[field("pos", Point(3)), field("mass", Real)],
    pos: nbody::Point::read, |x: nbody::Point<L>, to| x.write(to);
    mass: read_real, write_real);
record!(Field, &[field("acc", Vector(3)), field("pot", Real)],
    acc: nbody::Vector::read, |x: nbody::Vector<L>, to| x.write(to);
    pot: read_real, write_real);

impl nbody::Output for Field {
    fn compensate<L: nbody::Lane, S: nbody::Space<L>>(
        term: &Field<L>,
        total: &mut Field<L>,
        lost: &mut Field<L>,
    ) {
        for k in 0..3 {
            nbody::__private::compensate(term.acc[k], &mut total.acc[k], &mut lost.acc[k]);
        }
        nbody::__private::compensate(term.pot, &mut total.pot, &mut lost.pot);
    }
    fn select<L: nbody::Lane>(mask: L::Mask, yes: &Field<L>, no: &Field<L>) -> Field<L> {
        let acc = nbody::Vector::select(mask, yes.acc, no.acc);
        Field { acc, pot: L::select(mask, yes.pot, no.pot) }
    }
}

macro_rules! law {
    ($law:ident, $name:expr, $self_pairs:expr) => {
        // SAFETY: the text is empty.
        unsafe impl nbody::Interaction for $law {
            type I = Body;
            type J = Body;
            type F = Field;
            const LAW: &'static nbody::Law = &nbody::__private::Declaration {
                name: $name,
                self_pairs: $self_pairs,
                cutoff: false,
                cutoff_reads: [&[], &[]],
                reach: &[],
                charges: Err("it is written by hand"),
                operations: nbody::Operations {
                    add: 10,
                    mul: 11,
                    div: 0,
                    sqrt: 1,
                    special: 0,
                    compare: 0,
                },
                most_counted: None,
                cuda: nbody::CudaText { law: "", sums: "", compensated: "" },
                third_law: None,
            }
            .law::<Self>();
            fn pair<L: nbody::Lane, S: nbody::Space<L>>(
                this: &$law<L>,
                space: &S,
                i: &Body<L>,
                j: &Body<L>,
                _index: L::U32,
                f: &mut Field<L>,
            ) {
                let d = space.difference(j.pos, i.pos);
                let rinv = (d.norm2() + this.eps2).rsqrt();
                let mr = j.mass * rinv;
                f.acc += d * (mr * rinv * rinv);
                f.pot -= mr;
            }
            fn cpu_loops(variant: nbody::__private::Variant) -> nbody::__private::Compiled {
                struct Unit;
                variant.of::<Self, Unit, Unit, Unit>()
            }
        }
    };
}
law!(Gravity, "gravity", false);
law!(Whole, "whole", true);

/// Returns bodies in the unit cube, exact in `f32`, which depend on the seed alone.
pub fn bodies(n: usize, seed: u64) -> Vec<Body> {
    let mut state = seed;
    let mut uniform = || {
        // SplitMix64 (Steele, Lea & Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f64 / f64::from(1 << 24)
    };
    let mut body =
        || Body { pos: nbody::Point::new(uniform(), uniform(), uniform()), mass: 0.5 + uniform() };
    (0..n).map(|_| body()).collect()
}
