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
                let begin = concat!(
                    $("//", $doc, "\n",)*
                    "struct ", $("alignas(", $align, ") ",)? stringify!($name), " {\n"
                );
                let mut text = begin.to_owned();
                $(
                    let comment = concat!($("    //", $comment, "\n",)*);
                    let field = <$kind as $crate::border::Named>::declare(stringify!($field));
                    $crate::border::add_field(&mut text, comment, &field);
                )*
                $crate::border::end_struct(&mut text, stringify!($name), size_of::<Self>());
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
                let mut text = concat!($("//", $doc, "\n",)*).to_owned();
                $(
                    let comment = concat!($($comment),*);
                    let name = stringify!($constant);
                    $crate::border::add_constant(&mut text, name, &$constant, comment);
                )*
                text.push('\n');
                text
            }
        }
    )*};
}

pub(crate) use border;

/// Adds the declaration of a field, after its comment.
pub(crate) fn add_field(text: &mut String, comment: &str, field: &str) {
    for part in [comment, "    ", field, ";\n"] {
        text.push_str(part);
    }
}

/// Adds the end of a struct, which has this size on the host.
pub(crate) fn end_struct(text: &mut String, name: &str, size: usize) {
    let check = format!("static_assert(sizeof({name}) == {size}, \"the layout of the host\");");
    for part in ["};\n", &check, "\n\n"] {
        text.push_str(part);
    }
}

/// Adds the declaration of a constant. The comment is behind it or, if it is long, before it.
pub(crate) fn add_constant<T: Literal>(text: &mut String, name: &str, value: &T, comment: &str) {
    let declaration = format!("constexpr {} = {};", T::declare(name), value.literal());
    add_declaration(text, declaration, comment);
}

fn add_declaration(text: &mut String, mut declaration: String, comment: &str) {
    const WIDTH: usize = 110;
    let mut letters = comment.trim().trim_end_matches('.').chars();
    if let Some(first) = letters.next() {
        let line = format!("{declaration} // {}{}", first.to_lowercase(), letters.as_str());
        if line.len() < WIDTH {
            declaration = line;
        } else {
            text.push_str("//");
            text.push_str(comment);
            text.push('\n');
        }
    }
    declaration.push('\n');
    text.push_str(&declaration);
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
mod tests;
