//! Provides the attribute macro [`interaction`]; `nbody-codegen` does the work.

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
///         type I = Body; // i-particles: the targets
///         type J = Body; // j-particles: the sources
///         type F = Field; // results: sums over j, for each i
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
/// # Generated code
///
/// The structs become `#[repr(C)]`, generic over the scalar with `f64` as the default, and
/// `bytemuck::Pod` where they have no padding; `Gravity` implements `nbody::Interaction`, with
/// the CUDA text of `pair` and the same `pair` in Rust. `crate = path` as an argument tells the
/// macro where the `nbody` crate is, if it goes by another name.
///
/// # The language
///
/// The module holds structs, constants, helper functions and `impl Interaction for ...`. Several
/// interactions may share a module. `impl Update for ...` and `impl Measure for ...` declare
/// programs per particle in the same language: `fn update(&self, p: &mut P, q: &Q, f: &F)` changes
/// each particle, `fn measure(&self, p: &P, q: &Q, f: &F, t: &mut T)` adds up a property of all
/// particles.
///
/// - **Fields**: `Real`; `Vector` and `Vector<2>`; `Point` and `Point<2>` for positions, which
///   can only be subtracted; `[Real; N]`; `u32` for types, flags and ids; among the parameters,
///   tables `[[Real; M]; N]`. A result is a sum, `Real`, `Vector` or `[Real; N]`, to which
///   `pair` adds with `+=` and `-=`; or `Min<Real>` or `ArgMin<Real>` (the least value, and the
///   index of its j-particle), which take `f.x.min(e)`; or `Max<Real>` or `ArgMax<Real>`, `f.x.max(e)`; or `Nearest<K>`
///   (the K least values), `f.x.insert(e)`; or `Count`,
///   `f.n += 1`. All are computed in one pass.
/// - **`pair`** reads `self` (the parameters), `i` and `j`, and writes to `f`.
///   `const SELF_PAIRS: bool = true;` lets a particle meet itself when i and j are one set.
///   `fn cutoff(&self, i: &I, j: &J) -> Real` returns the distance beyond which a pair
///   contributes nothing.
/// - **Space**: in a periodic box (`Options::domain`) the difference of two points is taken to the
///   nearest image, and with a cutoff every image within it contributes; the declaration stays the
///   same.
/// - **Statements**: `let` and `let mut`, assignment to variables and components, `if`/`else`,
///   `for k in 0..N` with a constant N, `return` as a guard inside an `if`.
/// - **Expressions**: arithmetic, comparison, `&&`, `||`, `!`, `if`/`else`, components (`.x`,
///   `[k]`; of arrays and tables also by `u32` fields, with NaN beyond the end), constants of the
///   module and of `core::f64::consts`, calls of the module's functions, `as Real`,
///   `Vector::new(x, y, z)`; integers may be combined with `+ - * & | ^`.
/// - **Functions** of a `Real`: `sqrt rsqrt recip powi powf cbrt exp ln sin cos tan asin acos atan
///   atan2 sinh cosh tanh erf erfc abs min max clamp floor ceil round trunc copysign mul_add`; of
///   a `Vector`: `dot cross norm norm2`; of a `bool`: `select`.
///
/// `docs/language.md` is the full reference. Anything else is refused at its place, with a hint,
/// and all errors of a module are reported at once.
#[proc_macro_attribute]
pub fn interaction(args: TokenStream, item: TokenStream) -> TokenStream {
    nbody_codegen::interaction(args.into(), item.into()).into()
}
