//! Structs that Rust and C++ share, each declared once.

use nbody_core::Domain as Space;
use nbody_core::loaded::ParticleSetting;

/// A type with a name in C++.
pub(super) trait Named {
    /// Returns the declaration of a variable of this type, such as `double x[3]`.
    fn declare(variable: &str) -> String;
}

macro_rules! named {
    ($($type:ty: $name:literal),*) => {
        $(impl Named for $type {
            fn declare(variable: &str) -> String {
                format!(concat!($name, " {}"), variable)
            }
        })*
    };
}
named!(f64: "double", bool: "bool", usize: "size_t", u32: "uint32_t", u64: "uint64_t", Line: "Line");

/// A line of either width.
pub(super) struct Line;

impl<T: Named, const N: usize> Named for [T; N] {
    fn declare(variable: &str) -> String {
        T::declare(&format!("{variable}[{N}]"))
    }
}

impl<T: Named> Named for *const T {
    fn declare(variable: &str) -> String {
        format!("const {}", T::declare(&format!("*{variable}")))
    }
}

impl<T: Named> Named for *mut T {
    fn declare(variable: &str) -> String {
        T::declare(&format!("*{variable}"))
    }
}

/// Declares structs with the layout of C in Rust, and a function that returns them in C++.
macro_rules! border {
    ($text:ident: $($(#[doc = $doc:literal])* struct $name:ident {
        $($(#[doc = $of_field:literal])* $field:ident: $type:ty,)*
    })*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Clone, Copy)]
            #[repr(C)]
            pub(super) struct $name {
                $($(#[doc = $of_field])* pub $field: $type,)*
            }

            impl Named for $name {
                fn declare(variable: &str) -> String {
                    format!(concat!(stringify!($name), " {}"), variable)
                }
            }
        )*

        /// Returns the structs in C++.
        pub(super) fn $text() -> String {
            let mut text = String::new();
            $(
                $(text += concat!("//", $doc, "\n");)*
                text += concat!("struct ", stringify!($name), " {\n");
                $(
                    $(text += concat!("    //", $of_field, "\n");)*
                    text += &format!("    {};\n", <$type>::declare(stringify!($field)));
                )*
                text += "};\n\n";
            )*
            text
        }
    };
}

border! { domain:
    /// A domain in double precision: the lengths of a box and their inverses, both zero in open
    /// directions, and the components bx, cx and cy of the vectors of a triclinic box.
    struct Domain {
        lengths: [f64; 3],
        inverses: [f64; 3],
        tilts: [f64; 3],
        is_periodic: bool,
        is_triclinic: bool,
    }
}

border! { structs:
    /// Constants of all pairs or particles of an evaluation.
    struct Setting {
        /// The parameters, as one record.
        parameters: *const Line,
        domain: Domain,
        /// Whether self pairs are left out.
        skips_self: bool,
    }

    /// Particles of a set, or of a copy of part of it.
    struct View {
        /// The blocks that contain them.
        lines: *const Line,
        /// The index in the set of the first particle of these blocks.
        first: usize,
        /// The range of particles in these blocks.
        begin: usize,
        end: usize,
    }

    /// j-particles of a list.
    struct Listed {
        /// The blocks of the j-particles, 64 particles for each word of `chosen`.
        lines: *const Line,
        /// The j-particles that act on the vector, a bit each.
        chosen: *const u64,
        parts: usize,
        /// The place of each j-particle in its order, in the lower bits.
        entries: *const u32,
        entry_count: usize,
        place_mask: u32,
        /// The index in the set of each place in the order.
        indices: *const u32,
        index_count: usize,
        /// The i-particles that each j-particle acts on, a bit each, and the bit of each i-particle
        /// in blocks; null if it is all of them.
        masks: *const u32,
        bits: *const Line,
    }

    /// The shape of loops, by which Rust checks that both sides agree.
    struct Shape {
        width: usize,
        vectors: usize,
        words_of_parameters: usize,
        words_of_i: usize,
        words_of_j: usize,
        numbers_of_f: usize,
        has_symmetric: bool,
    }

    /// The shape of a program per particle.
    struct ProgramShape {
        words_of_parameters: usize,
        words_of_p: usize,
        words_of_q: usize,
        words_of_f: usize,
        words_of_g: usize,
        numbers_of_total: usize,
    }
}

border! { tuples:
    /// Tuples, with all particles, and the sums of some particles.
    struct TupleWork {
        /// The particles of the tuples, one tuple after another, in whole vectors.
        indices: *const u32,
        /// For each index, the word of the particle's first number in the sums, or `UINT32_MAX`.
        places: *const u32,
        tuples: usize,
        /// The records of the tuples: a line for each number of each block.
        records: *const Line,
        /// All particles, as rows of words.
        particles: *const u64,
        /// The sums of some particles: a line for each number of each block.
        sums: *mut Line,
    }

    /// The shape of a tuple.
    struct TupleShape {
        words_of_parameters: usize,
        members: usize,
        numbers_of_p: usize,
        numbers_of_t: usize,
        numbers_of_f: usize,
    }
}

border! { checks:
    /// A number of a check, and its error.
    struct Number {
        value: f64,
        error: f64,
    }

    /// Constants of all pairs of a check: the parameters, and the space of `Positions`.
    struct CheckSetting {
        parameters: *const Number,
        domain: Domain,
        double_single: bool,
        length: f64,
        sign: f64,
        roundoff: f64,
        error: f64,
    }

    /// The numbers of each record of a pair function, by which Rust checks that both sides agree.
    struct CheckShape {
        parameters: usize,
        i: usize,
        j: usize,
        f: usize,
    }
}

impl From<&Space> for Domain {
    fn from(space: &Space) -> Self {
        let [lengths, inverses] = space.factors();
        let (is_periodic, is_triclinic) = (space.is_periodic(), space.is_triclinic());
        Self { lengths, inverses, tilts: space.tilts(), is_periodic, is_triclinic }
    }
}

impl From<&ParticleSetting<'_>> for Setting {
    fn from(setting: &ParticleSetting) -> Self {
        Self {
            parameters: setting.parameters.as_ptr().cast(),
            domain: Domain::from(&setting.domain),
            skips_self: false,
        }
    }
}
