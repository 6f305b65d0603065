//! Names that are safe in both languages.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// Names that the emitted text cannot use: keywords of C++ and Rust, macros, and the words of the
/// emitted text itself. Other names may hide names of the surrounding program, since the emitted
/// text has a namespace of its own.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    // C++17 and later, and the alternative tokens.
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
    "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
    "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
    "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
    "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert",
    "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try",
    "typedef", "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq",
    // Macros of C; NVRTC and nvcc predefine some of them.
    "NULL", "assert", "errno", "alloca", "offsetof", "EOF", "INFINITY", "NAN", "HUGE", "MAXFLOAT",
    "DECIMAL_DIG", "RAND_MAX", "EXIT_SUCCESS", "EXIT_FAILURE", "BUFSIZ", "CLOCKS_PER_SEC", "stdin",
    "stdout", "stderr", "linux", "unix",
    // Keywords of Rust: the emitted Rust has variables with the same names.
    "abstract", "as", "async", "await", "become", "box", "crate", "dyn", "final", "fn", "gen",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "Self", "super", "trait", "type", "unsafe", "unsized", "use", "where", "yield",
    // Types, functions and parameters of the emitted text.
    "real", "u32", "Vector", "Point", "Array", "Counts", "Table", "Splines", "Chosen", "ArgMin", "ArgMax", "Extremum", "NONE", "Entries", "Nearest", "Space", "packing", "COORDINATE",
    "pair", "pair_symmetric", "update", "measure", "entry", "take", "add_at", "infinity", "rounded", "divide",
    "quotient", "remainder", "to_u32",
    "dot_plus", "norm2_plus", "powi", "rsqrt_powi", "Interval", "Integers", "Truth", "Entries",
    // Types, functions and members of the emitted text for the CPU.
    "Real", "U32", "Mask", "Others", "law", "nbody", "within", "select", "visit", "Visit", "compensate",
    "COORDINATES", "NUMBERS", "size_t", "uint32_t",
    // The functions of the language.
    "dot", "cross", "norm", "norm2", "sqrt", "rsqrt", "recip", "powf", "cbrt", "exp", "ln", "sin",
    "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "erf", "erfc", "abs",
    "min", "max", "clamp", "floor", "ceil", "round", "trunc", "copysign", "mul_add",
    "rotate_left", "count_ones", "mul_high",
];

/// Prefixes of macros of C and CUDA.
const FAMILIES: &[&str] = &[
    "NBODY_", "CUDA", "CU_", "NV_", "cuda", "va_", "M_", "FP_", "FLT_", "DBL_", "LDBL_",
    "HUGE_VAL", "CHAR_", "SCHAR_", "UCHAR_", "SHRT_", "USHRT_", "INT_", "UINT_", "LONG_", "ULONG_",
    "LLONG_", "ULLONG_", "INT8_", "INT16_", "INT32_", "INT64_", "UINT8_", "UINT16_", "UINT32_",
    "UINT64_",
];

/// Turns a name into an identifier of C++: in ASCII, without `r#`, and not reserved. Several names
/// may get the same identifier: [`Unique`] distinguishes them.
fn safe(ident: &str) -> String {
    let mut name = String::new();
    for c in ident.trim_start_matches("r#").chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            name.push(c);
        } else {
            let _ = write!(name, "u{:x}", u32::from(c));
        }
    }
    // Names with two underscores, or with one before a capital, belong to C++ compilers.
    while name.contains("__") {
        name = name.replace("__", "_");
    }
    // A leading underscore has no meaning in C++.
    let mut name = name.trim_start_matches('_').to_owned();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'x');
    }
    if is_reserved(&name) {
        name.push('_');
    }
    name
}

fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family))
}

/// Hands out each name of C++ once. All names of a program come from one such set: a function
/// takes a copy of the set of its module, so that its variables hide nothing.
#[derive(Clone, Default)]
pub struct Unique {
    taken: HashSet<String>,
    /// For each identifier that was taken, the first number that may be free.
    next: HashMap<String, usize>,
}

impl Unique {
    /// Reserves a name, so that it is not handed out.
    pub fn keep(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// Returns the safe form of the name, with a number appended if it is taken already.
    pub fn name(&mut self, ident: &str) -> String {
        let base = safe(ident);
        if self.taken.insert(base.clone()) {
            return base;
        }
        let stem = base.trim_end_matches('_').to_owned();
        let next = self.next.entry(base).or_insert(2);
        loop {
            let name = format!("{stem}_{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Converts a name such as `SphDensity` to `sph_density`.
pub fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut before = '_';
    for c in name.trim_start_matches("r#").chars() {
        if c.is_uppercase() && before != '_' && !before.is_uppercase() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
        before = c;
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Builtin;

    #[test]
    fn reserved_and_foreign_names_are_escaped() {
        assert_eq!(safe("float"), "float_");
        assert_eq!(safe("r#type"), "type_");
        assert_eq!(safe("r#struct"), "struct_");
        assert_eq!(safe("norm2"), "norm2_");
        assert_eq!(safe("ε2"), "u3b52");
        assert_eq!(safe("__x"), "x");
        assert_eq!(safe("_1"), "x1");
        assert_eq!(safe("rinv"), "rinv");
    }

    #[test]
    fn functions_of_the_language_are_reserved() {
        let of_numbers = Builtin::OF_REAL.iter().chain(Builtin::OF_INTEGER);
        for function in of_numbers.chain(Builtin::OF_VECTOR) {
            assert!(is_reserved(function.name()), "{}", function.name());
        }
    }

    #[test]
    fn shadowed_names_get_numbers() {
        let mut names = Unique::default();
        assert_eq!(names.name("x"), "x");
        assert_eq!(names.name("x"), "x_2");
        assert_eq!(names.name("new"), "new_");
        assert_eq!(names.name("new"), "new_2");
        // In time that does not grow with their square.
        for k in 3..200_000 {
            assert_eq!(names.name("x"), format!("x_{k}"));
        }
    }

    #[test]
    fn struct_names_become_command_names() {
        assert_eq!(snake_case("Gravity"), "gravity");
        assert_eq!(snake_case("SphDensity"), "sph_density");
        assert_eq!(snake_case("LJ126"), "lj126");
    }
}
