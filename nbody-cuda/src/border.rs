//! Structs that host and device share, each declared once.
//!
//! [`border!`] declares a Rust struct with the layout of C, whose pointers are addresses in device
//! memory, and the same struct in CUDA C. A launch takes the struct as an argument
//! ([`Launch::value`]).
//!
//! [`Launch::value`]: crate::backend::Launch::value

use std::fmt::Write as _;
use std::marker::PhantomData;

/// A type with a name in CUDA C.
pub(crate) trait Named {
    /// Returns the declaration in CUDA C of a variable of this type, such as `double x[3]`.
    fn declare(name: &str) -> String;
}

/// A value with the same layout on host and device.
pub(crate) trait Border: Named + Copy {
    /// Appends the value. Padding is zero.
    fn write(&self, to: &mut Writer);

    /// Reads the value.
    fn read(from: &mut Reader) -> Self;
}

/// Appends values in the layout of C to words.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    words: &'a mut Vec<u64>,
    /// The number of bytes written.
    bytes: usize,
}

impl<'a> Writer<'a> {
    /// Creates a writer that appends to these words.
    pub fn new(words: &'a mut Vec<u64>) -> Self {
        Self { words, bytes: 0 }
    }

    /// Returns the number of bytes written.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends padding up to this byte.
    pub fn pad(&mut self, end: usize) {
        assert!(self.bytes <= end, "fields do not overlap");
        while self.bytes < end {
            self.put(0, 1);
        }
    }

    /// Appends a number of `bytes` bytes.
    pub fn put(&mut self, number: u64, bytes: usize) {
        assert!(self.bytes.is_multiple_of(bytes), "the layout aligns numbers");
        match self.words.last_mut() {
            Some(word) if !self.bytes.is_multiple_of(8) => {
                *word |= number << (8 * (self.bytes % 8));
            }
            _ => self.words.push(number),
        }
        self.bytes += bytes;
    }
}

/// Reads values in the layout of C from words.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    words: &'a [u64],
    /// The number of bytes read.
    bytes: usize,
}

impl Reader<'_> {
    /// Returns the number of bytes read.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Continues at this byte.
    pub fn skip(&mut self, end: usize) {
        assert!(self.bytes <= end, "fields do not overlap");
        self.bytes = end;
    }

    /// Reads a number of `bytes` bytes.
    pub fn take(&mut self, bytes: usize) -> u64 {
        let word = self.words[self.bytes / 8] >> (8 * (self.bytes % 8));
        self.bytes += bytes;
        word & (u64::MAX >> (64 - 8 * bytes))
    }
}

/// A struct that [`border!`] declares.
pub(crate) trait Declared: Border {
    /// Returns the declaration of the struct in CUDA C.
    fn text() -> String;
}

/// A value that kernels do not change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Const<T>(PhantomData<T>);

impl<T: Named> Named for Const<T> {
    fn declare(name: &str) -> String {
        format!("const {}", T::declare(name))
    }
}

/// An address in device memory, of one or more values.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub(crate) struct Address<T>(u64, PhantomData<T>);

impl<T> Address<T> {
    /// The null pointer.
    pub const NULL: Self = Self(0, PhantomData);

    /// Returns the address with this number.
    pub fn at(address: u64) -> Self {
        Self(address, PhantomData)
    }

    /// Returns the address of the part of a value at this byte.
    pub fn part<U>(self, byte: usize) -> Address<U> {
        Address::at(self.0 + byte as u64)
    }
}

impl<T: Named> Named for Address<T> {
    fn declare(name: &str) -> String {
        T::declare(&format!("*{name}"))
    }
}

impl<T: Named + Copy> Border for Address<T> {
    fn write(&self, to: &mut Writer) {
        to.put(self.0, size_of::<u64>());
    }

    fn read(from: &mut Reader) -> Self {
        Self::at(from.take(size_of::<u64>()))
    }
}

impl<T: Named, const N: usize> Named for [T; N] {
    fn declare(name: &str) -> String {
        T::declare(&format!("{name}[{N}]"))
    }
}

impl<T: Border, const N: usize> Border for [T; N] {
    fn write(&self, to: &mut Writer) {
        for element in self {
            element.write(to);
        }
    }

    fn read(from: &mut Reader) -> Self {
        [(); N].map(|()| T::read(from))
    }
}

macro_rules! named {
    ($($rust:ty: $cuda:literal;)*) => {$(
        impl Named for $rust {
            fn declare(name: &str) -> String {
                format!(concat!($cuda, " {}"), name)
            }
        }
    )*};
}

named! {
    u8: "Byte";
    u32: "u32";
    u64: "u64";
    f32: "float";
    f64: "double";
}

macro_rules! number {
    ($($kind:ty: |$number:ident| $to_bits:expr, |$bits:ident| $of_bits:expr;)*) => {$(
        impl Border for $kind {
            fn write(&self, to: &mut Writer) {
                let $number = *self;
                to.put($to_bits, size_of::<Self>());
            }

            fn read(from: &mut Reader) -> Self {
                let $bits = from.take(size_of::<Self>());
                $of_bits
            }
        }
    )*};
}

number! {
    u32: |number| number.into(), |bits| bits as u32;
    u64: |number| number, |bits| bits;
    f32: |number| number.to_bits().into(), |bits| f32::from_bits(bits as u32);
    f64: |number| number.to_bits(), |bits| f64::from_bits(bits);
}

/// Returns the words of a value, the last one padded with zeros.
pub(crate) fn words(value: &impl Border) -> Vec<u64> {
    let mut words = Vec::with_capacity(16);
    value.write(&mut Writer::new(&mut words));
    words
}

/// Returns the value at the beginning of words.
pub(crate) fn value<T: Border>(words: &[u64]) -> T {
    T::read(&mut Reader { words, bytes: 0 })
}

/// A number that can be a constant.
pub(crate) trait Literal: Named {
    /// Returns the number in CUDA C.
    fn literal(&self) -> String;
}

impl Literal for u32 {
    fn literal(&self) -> String {
        const NEAR: u32 = 16;
        const LARGE: u32 = 1 << 16;
        match *self {
            Self::MAX => "~0u".to_owned(),
            number if number > Self::MAX - NEAR => format!("~0u - {}", Self::MAX - number),
            number if number > LARGE && number.is_power_of_two() => {
                format!("1u << {}", number.trailing_zeros())
            }
            number => number.to_string(),
        }
    }
}

impl Literal for f32 {
    fn literal(&self) -> String {
        format!("{self:?}f")
    }
}

impl Literal for f64 {
    fn literal(&self) -> String {
        format!("{self:?}")
    }
}

/// Declares structs, or the constants of a module, for host and device. Doc comments become
/// comments in CUDA C. In CUDA C, a struct with a type parameter is declared for one type.
macro_rules! border {
    ($(
        $(#[doc = $doc:literal])*
        $(#[align($align:literal)])?
        pub struct $name:ident $(<$of:ident>)? {
            $($(#[doc = $comment:literal])* pub $field:ident: $kind:ty,)*
        }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C $(, align($align))?)]
        #[allow(clippy::struct_field_names, reason = "names are those of the kernels")]
        pub struct $name $(<$of>)? {
            $($(#[doc = $comment])* pub $field: $kind,)*
        }

        impl $(<$of: $crate::border::Border>)? $crate::border::Named for $name $(<$of>)? {
            fn declare(name: &str) -> String {
                format!(concat!(stringify!($name), " {}"), name)
            }
        }

        impl $(<$of: $crate::border::Border>)? $crate::border::Border for $name $(<$of>)? {
            fn write(&self, to: &mut $crate::border::Writer) {
                let begin = to.bytes();
                $(
                    to.pad(begin + std::mem::offset_of!(Self, $field));
                    self.$field.write(to);
                )*
                to.pad(begin + size_of::<Self>());
            }

            fn read(from: &mut $crate::border::Reader) -> Self {
                let begin = from.bytes();
                $(
                    from.skip(begin + std::mem::offset_of!(Self, $field));
                    let $field = <$kind as $crate::border::Border>::read(from);
                )*
                from.skip(begin + size_of::<Self>());
                Self { $($field),* }
            }
        }

        impl $(<$of: $crate::border::Border>)? $crate::border::Declared for $name $(<$of>)? {
            fn text() -> String {
                let mut text = String::new();
                $(text.push_str(concat!("//", $doc, "\n"));)*
                text.push_str("struct ");
                $(text.push_str(concat!("alignas(", $align, ") "));)?
                text.push_str(concat!(stringify!($name), " {\n"));
                $(
                    $(text.push_str(concat!("    //", $comment, "\n"));)*
                    let field = <$kind as $crate::border::Named>::declare(stringify!($field));
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
    ($(
        $(#[doc = $doc:literal])*
        pub mod $name:ident {
            $($(#[doc = $comment:literal])* pub const $constant:ident: $kind:ty = $value:expr;)*
        }
    )*) => {$(
        $(#[doc = $doc])*
        pub mod $name {
            #[allow(unused_imports, reason = "values may be of names outside")]
            use super::*;

            $($(#[doc = $comment])* pub const $constant: $kind = $value;)*

            /// Returns the declarations in CUDA C.
            pub fn text() -> String {
                let mut text = String::new();
                $(text.push_str(concat!("//", $doc, "\n"));)*
                $(
                    let comment = concat!("", $($comment),*);
                    let name = stringify!($constant);
                    text.push_str(&$crate::border::constant(name, &$constant, comment));
                )*
                text.push('\n');
                text
            }
        }
    )*};
}

pub(crate) use border;

/// Returns the declaration of a constant. The comment is behind it or, if it is long, before it.
pub(crate) fn constant<T: Literal>(name: &str, value: &T, comment: &str) -> String {
    const WIDTH: usize = 110;
    let declaration = format!("constexpr {} = {};", T::declare(name), value.literal());
    let mut letters = comment.trim().trim_end_matches('.').chars();
    let Some(first) = letters.next() else { return declaration + "\n" };
    let line = format!("{declaration} // {}{}\n", first.to_lowercase(), letters.as_str());
    if line.len() > WIDTH { format!("//{comment}\n{declaration}\n") } else { line }
}

/// Returns the text of declarations in the namespace of kernels.
pub(crate) fn text(declarations: &[String]) -> String {
    let declarations = declarations.concat();
    let names = [("u64", "unsigned long long"), ("Byte", "unsigned char")];
    let mut used = String::new();
    for (name, kind) in names {
        let mut words = declarations.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.any(|word| word == name) {
            let _ = writeln!(used, "using {name} = {kind};");
        }
    }
    if !used.is_empty() {
        used.push('\n');
    }
    format!("namespace nbody {{\n\n{used}{declarations}}} // namespace nbody\n\n")
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
        /// and their number.
        pub struct Points {
            /// The first one.
            pub first: Address<Point>,
            pub count: u32,
            pub each: [Point; 2],
            pub last: u32,
        }
        /// Numbers in halves of words.
        pub struct Halves {
            pub numbers: [u32; 3],
            pub last: f64,
        }
        /// A byte of others.
        #[align(16)]
        pub struct Others {
            pub bytes: Address<Const<u8>>,
        }
    }

    #[test]
    fn a_struct_is_declared_for_both_sides() {
        assert_eq!(
            Points::text(),
            "// Some points,
// and their number.
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
        assert_eq!(
            Others::text(),
            "// A byte of others.
struct alignas(16) Others {
    const Byte *bytes;
};
static_assert(sizeof(Others) == 16, \"the layout of the host\");

"
        );
    }

    border! {
        /// Numbers of a thing.
        pub mod things {
            /// The edges of a thing.
            pub const EDGES: u32 = 12;
            pub const NONE: u32 = u32::MAX;
            /// None of them is known.
            pub const UNKNOWN: u32 = u32::MAX - 2;
            pub const ELSEWHERE: u32 = 1 << 31;
            pub const LENGTH: f64 = 2.0 - 1.0 / 2048.0;
            /// The longest of several long comments of constants, which is before the constant
            /// that it is about.
            pub const SLACK: f32 = 4.0 * f32::EPSILON;
        }
    }

    #[test]
    fn constants_are_declared_for_both_sides() {
        assert_eq!(
            things::text(),
            "// Numbers of a thing.
constexpr u32 EDGES = 12; // the edges of a thing
constexpr u32 NONE = ~0u;
constexpr u32 UNKNOWN = ~0u - 2; // none of them is known
constexpr u32 ELSEWHERE = 1u << 31;
constexpr double LENGTH = 1.99951171875;
// The longest of several long comments of constants, which is before the constant that it is about.
constexpr float SLACK = 4.7683716e-7f;

"
        );
        // The text has the numbers of the host.
        let [length, slack] = ["1.99951171875", "4.7683716e-7"];
        assert_eq!(length.parse(), Ok(things::LENGTH));
        assert_eq!(slack.parse(), Ok(things::SLACK));
    }

    #[test]
    fn values_are_read_as_they_were_written() {
        let each = [1.0, 2.0].map(|x| Point { x: [x, 0.0, -x] });
        let points = Points { first: Address::at(5), count: 7, each, last: 9 };
        let found: Points = value(&words(&points));
        assert_eq!(format!("{found:?}"), format!("{points:?}"));
        let halves = Halves { numbers: [0x8765_4321, 0xfedc_ba98, 0x1357_9bdf], last: -0.1 };
        let words = words(&halves);
        assert_eq!(words, [0xfedc_ba98_8765_4321, 0x1357_9bdf, (-0.1_f64).to_bits()]);
        let found: Halves = value(&words);
        assert_eq!((found.numbers, found.last), (halves.numbers, halves.last));
    }

    #[test]
    fn declarations_name_the_types_that_they_need() {
        let text = text(&[Others::text()]);
        assert!(text.contains("using Byte = unsigned char;\n\n//"), "{text}");
        assert!(!text.contains("u64"), "{text}");
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
