//! Structs that host and device share, each declared once.
//!
//! [`border!`] makes a Rust struct with the layout of C, whose pointers are addresses in device memory, and the
//! declaration of the same struct in CUDA C. A launch takes the struct as an argument ([`Launch::value`]).
//!
//! [`Launch::value`]: crate::backend::Launch::value

use std::marker::PhantomData;

/// A value with one layout on both sides of the border.
pub(crate) trait Border: Copy {
    /// Returns the declaration in CUDA C of a variable of this type, such as `double x[3]`.
    fn declare(name: &str) -> String;

    /// Appends the value. Padding is zero.
    fn write(&self, to: &mut Writer);
}

/// Values in the layout of C, as words.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    words: &'a mut Vec<u64>,
    /// The bytes that are written.
    bytes: usize,
}

impl<'a> Writer<'a> {
    /// Appends values to words.
    pub fn new(words: &'a mut Vec<u64>) -> Self {
        Self { words, bytes: 0 }
    }

    /// The bytes that are written.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends padding up to this byte, which the layout aligns to 4.
    pub fn pad(&mut self, end: usize) {
        assert!(self.bytes <= end, "fields do not overlap");
        while self.bytes < end {
            self.half(0);
        }
    }

    fn half(&mut self, half: u32) {
        match self.words.last_mut() {
            Some(word) if self.bytes % 8 == 4 => *word |= u64::from(half) << u32::BITS,
            _ => self.words.push(half.into()),
        }
        self.bytes += 4;
    }

    fn word(&mut self, word: u64) {
        assert!(self.bytes.is_multiple_of(8), "the layout aligns words");
        self.words.push(word);
        self.bytes += 8;
    }
}

/// A struct that [`border!`] declares.
pub(crate) trait Declared: Border {
    /// Returns the declaration of the struct in CUDA C.
    fn text() -> String;
}

/// An address in device memory, of one or more values.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Address<T>(u64, PhantomData<T>);

impl<T> Address<T> {
    /// The null pointer.
    pub const NULL: Self = Self(0, PhantomData);

    /// Returns the address with this number.
    pub fn at(address: u64) -> Self {
        Self(address, PhantomData)
    }
}

impl<T: Border> Border for Address<T> {
    fn declare(name: &str) -> String {
        T::declare(&format!("*{name}"))
    }

    fn write(&self, to: &mut Writer) {
        to.word(self.0);
    }
}

impl<T: Border, const N: usize> Border for [T; N] {
    fn declare(name: &str) -> String {
        T::declare(&format!("{name}[{N}]"))
    }

    fn write(&self, to: &mut Writer) {
        for element in self {
            element.write(to);
        }
    }
}

macro_rules! number {
    ($($rust:ty: $cuda:literal, |$value:ident, $to:ident| $write:expr;)*) => {$(
        impl Border for $rust {
            fn declare(name: &str) -> String {
                format!(concat!($cuda, " {}"), name)
            }

            fn write(&self, $to: &mut Writer) {
                let $value = *self;
                $write;
            }
        }
    )*};
}

number! {
    u32: "u32", |number, to| to.half(number);
    u64: "u64", |number, to| to.word(number);
    f64: "double", |number, to| to.word(number.to_bits());
}

/// Returns the words of a value, the last one padded with zeros.
pub(crate) fn words(value: &impl Border) -> Vec<u64> {
    let mut words = Vec::with_capacity(16);
    value.write(&mut Writer::new(&mut words));
    words
}

/// Declares structs for both sides. Their comments go to both, too.
macro_rules! border {
    ($(
        $(#[doc = $doc:literal])*
        pub struct $name:ident {
            $($(#[doc = $comment:literal])* pub $field:ident: $kind:ty,)*
        }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub struct $name {
            $($(#[doc = $comment])* pub $field: $kind,)*
        }

        impl $crate::border::Border for $name {
            fn declare(name: &str) -> String {
                format!(concat!(stringify!($name), " {}"), name)
            }

            fn write(&self, to: &mut $crate::border::Writer) {
                let begin = to.bytes();
                $(
                    to.pad(begin + std::mem::offset_of!(Self, $field));
                    self.$field.write(to);
                )*
                to.pad(begin + size_of::<Self>());
            }
        }

        impl $crate::border::Declared for $name {
            fn text() -> String {
                let mut text = String::new();
                $(text.push_str(concat!("//", $doc, "\n"));)*
                text.push_str(concat!("struct ", stringify!($name), " {\n"));
                $(
                    $(text.push_str(concat!("    //", $comment, "\n"));)*
                    let field = <$kind as $crate::border::Border>::declare(stringify!($field));
                    text.push_str(&format!("    {field};\n"));
                )*
                let size = size_of::<Self>();
                text.push_str(&format!(
                    "}};\nstatic_assert(sizeof({name}) == {size}, \"the layout of the host\");\n\n",
                    name = stringify!($name)
                ));
                text
            }
        }
    )*};
}

pub(crate) use border;

/// Returns the text of declarations in the namespace of kernels.
pub(crate) fn text(declarations: &[String]) -> String {
    let declarations = declarations.concat();
    format!(
        "namespace nbody {{\n\nusing u64 = unsigned long long;\n\n{declarations}}} // namespace nbody\n\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    border! {
        /// A point.
        pub struct Point {
            pub x: [f64; 3],
        }
        /// Some points,
        /// and how many there are.
        pub struct Points {
            /// The first one.
            pub first: Address<Point>,
            pub count: u32,
            pub each: [Point; 2],
            pub last: u32,
        }
    }

    #[test]
    fn a_struct_is_declared_for_both_sides() {
        assert_eq!(
            Points::text(),
            "// Some points,
// and how many there are.
struct Points {
    // The first one.
    Point *first;
    u32 count;
    Point each[2];
    u32 last;
};
static_assert(sizeof(Points) == 72, \"the layout of the host\");

"
        );
        assert!(Point::text().contains("    double x[3];\n"));
    }

    #[test]
    fn bytes_are_those_of_c() {
        let each = [1.0, 2.0].map(|x| Point { x: [x, 0.0, -x] });
        let points = Points { first: Address::NULL, count: 7, each, last: 9 };
        let [one, two] = [1.0_f64, 2.0].map(f64::to_bits);
        let [minus_one, minus_two] = [-1.0_f64, -2.0].map(f64::to_bits);
        assert_eq!(words(&points), [0, 7, one, 0, minus_one, two, 0, minus_two, 9]);
    }
}
