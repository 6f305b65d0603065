//! The attribute macro [`interaction`]; the work is done in `nbody-codegen`.

use proc_macro::TokenStream;

/// Turns a module that declares a pairwise interaction into a CUDA kernel and a CPU kernel.
///
/// ```ignore
/// #[nbody::interaction]
/// pub mod gravity {
///     /// Newtonian gravity with Plummer softening; G = 1.
///     pub struct Gravity {
///         /// Squared softening length.
///         pub eps2: Real,
///     }
///     pub struct Body { pub pos: Point, pub mass: Real }
///     pub struct Field { pub acc: Vector, pub pot: Real }
///
///     impl Interaction for Gravity {
///         type I = Body; // what feels
///         type J = Body; // what acts
///         type F = Field; // what is accumulated, one for each i
///
///         fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
///             let d = j.pos - i.pos;
///             let rinv = (d.norm2() + self.eps2).rsqrt();
///             let mr = j.mass * rinv;
///             f.acc += mr * rinv * rinv * d;
///             f.pot -= mr;
///         }
///     }
/// }
/// ```
///
/// The structs become generic over the scalar, with `f64` as the default, and `bytemuck::Pod`
/// where they have no padding. `crate = path` tells the macro where the `nbody` crate is, if
/// it goes by another name.
#[proc_macro_attribute]
pub fn interaction(args: TokenStream, item: TokenStream) -> TokenStream {
    nbody_codegen::interaction(args.into(), item.into()).into()
}
