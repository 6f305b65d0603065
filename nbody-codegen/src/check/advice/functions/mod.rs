//! Functions that the language lacks, by their names in Rust, C, CUDA and vector libraries.

#[cfg(test)]
mod tests;

use super::operand_of;
use crate::ir::{Builtin, Type};
use crate::message::suggestion;

/// Replacements of functions of a `Real`: the names, the number of arguments besides `x`, and the
/// text. `{0}` and `{1}` stand for these arguments.
const OF_REAL: &[(&str, usize, &str)] = &[
    ("exp2", 0, "({x} * core::f64::consts::LN_2).exp()"),
    ("exp10 pow10", 0, "({x} * core::f64::consts::LN_10).exp()"),
    ("log2", 0, "{x}.ln() / core::f64::consts::LN_2"),
    ("log10", 0, "{x}.ln() / core::f64::consts::LN_10"),
    ("log", 0, "{x}.ln()"),
    ("log", 1, "{x}.ln() / {0}.ln()"),
    ("pow powr powd", 1, "{x}.powf({0})"),
    ("pown", 1, "{x}.powi({0})"),
    ("sq square squared pow2 abs2", 0, "{x}.powi(2)"),
    ("cube cubed pow3", 0, "{x}.powi(3)"),
    ("rcbrt", 0, "{x}.cbrt().recip()"),
    ("inv inverse reciprocal rcp", 0, "{x}.recip()"),
    ("inv_sqrt inverse_sqrt inversesqrt invsqrt recip_sqrt", 0, "{x}.rsqrt()"),
    ("hypot", 1, "Vector::new({x}, {0}).norm()"),
    ("rhypot", 1, "Vector::new({x}, {0}).norm2().rsqrt()"),
    ("signum", 0, "(1.0).copysign({x})"),
    ("sgn sign", 0, "({x} > 0.0).select(1.0, ({x} < 0.0).select(-1.0, 0.0))"),
    ("fract frac modf", 0, "{x} - {x}.trunc()"),
    ("rem fmod mod", 1, "{x} - {0} * ({x} / {0}).trunc()"),
    ("modulo", 1, "{x} - {0} * ({x} / {0}).floor()"),
    ("rem_euclid", 1, "{x} - {0}.abs() * ({x} / {0}.abs()).floor()"),
    ("div_euclid", 1, "({x} / {0}.abs()).floor().copysign({x} / {0})"),
    ("to_radians radians deg2rad", 0, "{x} * (core::f64::consts::PI / 180.0)"),
    ("to_degrees degrees rad2deg", 0, "{x} * (180.0 / core::f64::consts::PI)"),
    ("sind", 0, "({x} * (core::f64::consts::PI / 180.0)).sin()"),
    ("cosd", 0, "({x} * (core::f64::consts::PI / 180.0)).cos()"),
    ("tand", 0, "({x} * (core::f64::consts::PI / 180.0)).tan()"),
    ("sinpi", 0, "({x} * core::f64::consts::PI).sin()"),
    ("cospi", 0, "({x} * core::f64::consts::PI).cos()"),
    ("tanpi", 0, "({x} * core::f64::consts::PI).tan()"),
    ("cot", 0, "{x}.tan().recip()"),
    ("sec", 0, "{x}.cos().recip()"),
    ("csc cosec", 0, "{x}.sin().recip()"),
    ("coth", 0, "{x}.tanh().recip()"),
    ("sech", 0, "{x}.cosh().recip()"),
    ("csch", 0, "{x}.sinh().recip()"),
    ("acot", 0, "{x}.recip().atan()"),
    ("asec", 0, "{x}.recip().acos()"),
    ("acsc", 0, "{x}.recip().asin()"),
    ("asinh arcsinh arsinh", 0, "({x}.abs() + ({x} * {x} + 1.0).sqrt()).ln().copysign({x})"),
    ("acosh arccosh arcosh", 0, "({x} + ({x} * {x} - 1.0).sqrt()).ln()"),
    ("atanh arctanh artanh", 0, "0.5 * ((1.0 + {x}) / (1.0 - {x})).ln()"),
    ("arcsin", 0, "{x}.asin()"),
    ("arccos", 0, "{x}.acos()"),
    ("arctan", 0, "{x}.atan()"),
    ("arctan2", 1, "{x}.atan2({0})"),
    ("erfcx", 0, "({x} * {x}).exp() * {x}.erfc()"),
    ("fabs absolute magnitude", 0, "{x}.abs()"),
    ("fmax maximum maxnum", 1, "{x}.max({0})"),
    ("fmin minimum minnum", 1, "{x}.min({0})"),
    ("fdim abs_sub dim", 1, "({x} - {0}).max(0.0)"),
    ("abs_diff", 1, "({x} - {0}).abs()"),
    ("fma mad", 2, "{x}.mul_add({0}, {1})"),
    ("lerp mix", 2, "{x} + {1} * ({0} - {x})"),
    ("midpoint", 1, "0.5 * ({x} + {0})"),
    ("clip", 2, "{x}.clamp({0}, {1})"),
    ("saturate", 0, "{x}.clamp(0.0, 1.0)"),
    ("ceiling", 0, "{x}.ceil()"),
    ("truncate fix aint", 0, "{x}.trunc()"),
    ("is_nan isnan", 0, "{x} != {x}"),
    ("is_finite isfinite", 0, "{x} - {x} == 0.0"),
    ("is_infinite isinf", 0, "{x} == {x} && {x} - {x} != 0.0"),
    ("is_sign_negative signbit", 0, "(1.0).copysign({x}) < 0.0"),
    ("is_sign_positive", 0, "(1.0).copysign({x}) > 0.0"),
    ("is_positive", 0, "{x} > 0.0"),
    ("is_negative", 0, "{x} < 0.0"),
    ("to_u32 as_u32 to_int_unchecked to_usize as_usize", 0, "{x} as u32"),
    ("add", 1, "{x} + {0}"),
    ("sub", 1, "{x} - {0}"),
    ("mul", 1, "{x} * {0}"),
    ("div", 1, "{x} / {0}"),
    ("neg", 0, "-{x}"),
    ("lt", 1, "{x} < {0}"),
    ("le", 1, "{x} <= {0}"),
    ("gt", 1, "{x} > {0}"),
    ("ge", 1, "{x} >= {0}"),
    ("eq", 1, "{x} == {0}"),
    ("ne", 1, "{x} != {0}"),
];

/// Advice on functions of a `Real` that no expression can replace.
const ON_REAL: &[(&str, &str)] = &[
    ("sqr", "`{x}.powi(2)` is the square, `{x}.sqrt()` the root"),
    (
        "ln_1p log1p",
        "write a helper function of `x`: `let u = 1.0 + x; if u == 1.0 { x } else { x * u.ln() / (u - 1.0) }`",
    ),
    (
        "exp_m1 expm1",
        "write a helper function of `x`: `if x.abs() < 0.5 { 2.0 * (0.5 * x).sinh() * (0.5 * x).exp() } \
         else { x.exp() - 1.0 }`",
    ),
    (
        "remainder drem",
        "`x - y * (x / y).trunc()` has the sign of `x`; with `round` for `trunc` it is the nearest to 0",
    ),
    (
        "rint nearbyint round_ties_even roundeven nint anint lround",
        "`{x}.round()` is the nearest integer, but takes halves away from zero",
    ),
    ("sin_cos sincos sincospi", "write `{x}.sin()` and `{x}.cos()`, each with a `let`"),
    ("sinc", "write a helper function of `x`: `if x == 0.0 { 1.0 } else { x.sin() / x }`"),
    (
        "gamma tgamma ln_gamma lgamma digamma beta erfinv erfcinv erfi normcdf norm_cdf expint expi exp1 \
         j0 j1 jn y0 y1 yn i0 i1 k0 k1 bessel cyl_bessel_i0 legendre dawson zeta",
        "write an approximation as a helper function, or let the host compute what depends on one particle",
    ),
    ("step heaviside smoothstep", "write a helper function with `if` and `else`"),
    ("total_cmp partial_cmp cmp", "compare with `<`, `<=`, `>`, `>=`, `==` or `!=`"),
    ("clone to_owned copied into as_ref borrow deref", "every value is a copy: remove the call"),
    (
        "to_bits from_bits next_up next_down nextafter ldexp frexp scalbn ilogb logb classify is_normal is_subnormal",
        "the language does not see the bits of a `Real`",
    ),
];

/// Replacements of functions of a `Vector`.
const OF_VECTOR: &[(&str, usize, &str)] = &[
    (
        "normalize normalized normalise normalised unit unit_vector hat direction",
        0,
        "{x} / {x}.norm()",
    ),
    ("length len magnitude mag modulus norm_l2 l2_norm euclidean_norm", 0, "{x}.norm()"),
    (
        "length_squared norm_squared norm_sqr norm_sq normsq sq_norm sqnorm squared_norm squaredNorm \
         magnitude_squared magnitude2 mag2 length2 len2 abs2 sqr sq square normSquared lengthSq",
        0,
        "{x}.norm2()",
    ),
    ("length_recip inv_norm rnorm", 0, "{x}.norm2().rsqrt()"),
    ("norm1 norm_1 norm_l1 l1_norm manhattan", 0, "{each:abs:+}"),
    ("norm_inf max_norm linf_norm", 0, "{each:abs:max}"),
    ("distance dist distance_to", 1, "({x} - {0}).norm()"),
    ("distance_squared distance2 dist2 metric_distance", 1, "({x} - {0}).norm2()"),
    ("inner inner_product dot_product scalar_product", 1, "{x}.dot({0})"),
    ("cross_product vector_product", 1, "{x}.cross({0})"),
    ("project project_onto", 1, "{x}.dot({0}) / {0}.norm2() * {0}"),
    ("powi pow powf", 1, "{x}.norm2()"),
    ("x", 0, "{x}.x"),
    ("y", 0, "{x}.y"),
    ("z", 0, "{x}.z"),
    ("sum element_sum", 0, "{each::+}"),
    ("product element_product", 0, "{each::*}"),
    ("max_element", 0, "{each::max}"),
    ("min_element", 0, "{each::min}"),
    ("add", 1, "{x} + {0}"),
    ("sub", 1, "{x} - {0}"),
    ("mul scale", 1, "{x} * {0}"),
    ("div unscale", 1, "{x} / {0}"),
    ("neg", 0, "-{x}"),
];

/// Replacements of functions of a `u32`.
const OF_INTEGER: &[(&str, usize, &str)] = &[
    ("abs_diff", 1, "{x}.max({0}) - {x}.min({0})"),
    ("clamp", 2, "{x}.max({0}).min({1})"),
    ("saturating_add", 1, "{x} + {0}.min(!{x})"),
    ("saturating_sub", 1, "{x} - {x}.min({0})"),
    ("add wrapping_add", 1, "{x} + {0}"),
    ("sub wrapping_sub", 1, "{x} - {0}"),
    ("mul wrapping_mul", 1, "{x} * {0}"),
    ("div wrapping_div div_euclid", 1, "{x} / {0}"),
    ("rem wrapping_rem rem_euclid", 1, "{x} % {0}"),
    ("shl wrapping_shl", 1, "{x} << {0}"),
    ("shr wrapping_shr", 1, "{x} >> {0}"),
    ("is_multiple_of", 1, "{x} % {0} == 0"),
    ("div_ceil", 1, "({x} + {0} - 1) / {0}"),
    ("rotl rol rotateleft", 1, "{x}.rotate_left({0})"),
    ("rotate_right rotr ror", 1, "{x}.rotate_left(32 - {0})"),
    ("popcount popcnt popc bit_count", 0, "{x}.count_ones()"),
    ("count_zeros", 0, "32 - {x}.count_ones()"),
    ("trailing_zeros ctz", 0, "(!{x} & ({x} - 1)).count_ones()"),
    ("is_power_of_two", 0, "{x}.count_ones() == 1"),
    ("mulhi mul_hi umulhi mulhilo widening_mul carrying_mul", 1, "{x}.mul_high({0})"),
    ("to_f64 to_f32 as_f64 as_f32 as_real to_real into", 0, "{x} as Real"),
];

/// Writes out a pattern for all components of a vector: `{each:abs:+}` is the sum of their
/// absolute values.
fn each(text: &str, x: &str, dimension: usize) -> String {
    let Some((_, rest)) = text.split_once("{each:") else { return text.to_owned() };
    let (method, operator) = rest.trim_end_matches('}').split_once(':').unwrap_or(("", "+"));
    let method = if method.is_empty() { String::new() } else { format!(".{method}()") };
    let components = ["x", "y", "z"][..dimension].iter().map(|name| format!("{x}.{name}{method}"));
    let components: Vec<String> = components.collect();
    match operator {
        "max" | "min" => {
            let (first, others) = components.split_first().expect("a vector has components");
            others.iter().fold(first.clone(), |text, next| format!("{text}.{operator}({next})"))
        }
        operator => components.join(&format!(" {operator} ")),
    }
}

/// A call: the receiver and the other arguments as they are written.
pub(crate) struct Call<'a> {
    pub name: &'a str,
    pub receiver: &'a str,
    pub arguments: &'a [String],
}

impl Call<'_> {
    /// Finds the entry of this name, preferably with this number of arguments.
    fn find(&self, table: &'static [(&str, usize, &str)]) -> Option<&'static str> {
        let named = || table.iter().filter(|(names, ..)| names.split(' ').any(|n| n == self.name));
        let exact = named().find(|(_, arguments, _)| *arguments == self.arguments.len());
        exact.or(named().next()).map(|(.., text)| *text)
    }

    fn filled(&self, text: &str) -> String {
        let argument = |k: usize| self.arguments.get(k).map_or(["y", "z"][k], String::as_str);
        let (a, b) = (argument(0), argument(1));
        // Between commas and parentheses the arguments stand as written, elsewhere as operands.
        let text = text.replace("({0})", &format!("({a})"));
        let text = text.replace("({0}, {1})", &format!("({a}, {b})"));
        let text = text.replace(", {0})", &format!(", {a})"));
        let text = text.replace("{0}", &operand_of(a)).replace("{1}", &operand_of(b));
        text.replace("{x}", self.receiver)
    }

    fn write(&self, text: &str) -> String {
        format!("write `{}`", self.filled(text))
    }

    /// Advises on a function that no value of this type has.
    pub fn advice(&self, ty: Type) -> Option<String> {
        match ty {
            Type::Real => self.of_real(),
            Type::Vector(n) => self.of_vector(n),
            Type::U32 => Some(self.of_integer()),
            Type::Bool => Some(self.of_bool()),
            Type::Array(n) => Some(self.of_array(n)),
            _ => None,
        }
    }

    /// Advises on a function of a `Real`, also by its name in C, such as `fabsf` or `__expf`.
    pub fn of_real(&self) -> Option<String> {
        let bare = self.name.trim_start_matches('_');
        let shorter = bare.strip_suffix(['f', 'l']).unwrap_or(bare);
        [self.name, bare, shorter]
            .into_iter()
            .find_map(|name| Call { name, ..*self }.known_of_real())
    }

    fn known_of_real(&self) -> Option<String> {
        if self.name == "pow"
            && self.arguments.first().is_some_and(|n| is_whole(n.trim_start_matches('-')))
        {
            return Some(self.write("{x}.powi({0})"));
        }
        if let Some(text) = self.find(OF_REAL) {
            let is_number = self.arguments.first().is_some_and(|n| is_whole(&n.replace('.', "")));
            let text = if is_number { text.replace("{0}.abs()", "{0}") } else { text.to_owned() };
            return Some(self.write(&text));
        }
        let on = ON_REAL.iter().find(|(names, _)| names.split(' ').any(|n| n == self.name));
        if let Some((_, text)) = on {
            return Some(self.filled(text));
        }
        let is_method = self.name == "powi" || Builtin::find(Type::Real, self.name).is_some();
        is_method.then(|| {
            let (x, arguments) = (self.receiver, self.arguments.join(", "));
            format!("write `{x}.{}({arguments})`", self.name)
        })
    }

    fn of_vector(&self, dimension: usize) -> Option<String> {
        let x = self.receiver;
        if self.name == "cross" {
            let y = self.arguments.first().map_or_else(|| "b".to_owned(), |y| operand_of(y));
            return Some(format!("write `{x}.x * {y}.y - {x}.y * {y}.x`"));
        }
        let is_power = ["pow", "powi", "powf"].contains(&self.name);
        let is_square = self.arguments.first().is_some_and(|n| n == "2" || n == "2.0");
        let known = self.find(OF_VECTOR).filter(|_| !is_power || is_square);
        if let Some(text) = known {
            return Some(self.write(&each(text, x, dimension)));
        }
        if ["clone", "to_owned", "into"].contains(&self.name) {
            return Some("every value is a copy: remove the call".to_owned());
        }
        if self.name == "outer" {
            return Some(match self.arguments.first().filter(|y| **y != x) {
                None => format!("write `Tensor::outer({x})`"),
                Some(y) => format!(
                    "write `Tensor::symmetric({x}, {y})`, the symmetric part of the product"
                ),
            });
        }
        if ["map", "iter", "component_mul", "zip_map"].contains(&self.name) {
            return Some("write the components out: `Vector::new(a.x * b.x, ...)`".to_owned());
        }
        let is_real = self.name == "powi" || Builtin::find(Type::Real, self.name).is_some();
        is_real.then(|| {
            let arguments = self.arguments.join(", ");
            let components = ["x", "y", "z"][..dimension].iter();
            let components = components.map(|c| format!("{x}.{c}.{}({arguments})", self.name));
            let components: Vec<_> = components.collect();
            format!(
                "a function of each component is `Vector::new({})`, and `{x}.norm()` is the length",
                components.join(", ")
            )
        })
    }

    fn of_integer(&self) -> String {
        if self.name == "pow" {
            return "write the product: `n * n` for `n.pow(2)`".to_owned();
        }
        if let Some(text) = self.find(OF_INTEGER) {
            return self.write(text);
        }
        let x = if self.receiver.bytes().all(|c| c.is_ascii_digit()) {
            format!("{}.0", self.receiver)
        } else {
            format!("({} as Real)", self.receiver.trim_start_matches('(').trim_end_matches(')'))
        };
        let real = Call { receiver: &x, ..*self }.of_real();
        real.unwrap_or_else(|| {
            let methods: Vec<_> = Builtin::OF_INTEGER.iter().map(|method| method.name()).collect();
            misspelt(self.name, &methods)
        })
    }

    fn of_bool(&self) -> String {
        let x = self.receiver;
        match self.name {
            "not" => format!("write `!{x}`"),
            "then" | "then_some" => format!("write `{x}.select(a, b)`"),
            _ => format!("its only method is `{x}.select(a, b)`"),
        }
    }

    fn of_array(&self, n: usize) -> String {
        let x = self.receiver;
        match self.name {
            "len" => format!("write `{n}`"),
            "clone" | "to_owned" | "into" => "every value is a copy: remove the call".to_owned(),
            "dot" | "norm" | "norm2" | "cross" | "length" => {
                "arrays have no arithmetic: a quantity with a direction is a `Vector`".to_owned()
            }
            _ => format!("arrays have no methods: write `for k in 0..{n} {{ ... {x}[k] ... }}`"),
        }
    }
}

fn is_whole(text: &str) -> bool {
    text.bytes().all(|c| c.is_ascii_digit())
}

/// Advises on a method that this type does not have: suggests the method that was misspelt, or
/// lists all methods.
pub(crate) fn misspelt(name: &str, methods: &[&'static str]) -> String {
    match methods.iter().find(|method| is_misspelt(name, method)) {
        Some(method) => format!("did you mean `{method}`?"),
        // A merely similar name is another function: `coth` is not a misspelt `cosh`.
        None => suggestion("", methods.iter().copied()),
    }
}

/// Tests whether a name can only be a misspelt one: two letters exchanged, a letter doubled, or
/// another case. In long names one letter may be wrong.
fn is_misspelt(name: &str, method: &str) -> bool {
    let plain = |text: &str| text.replace('_', "").to_lowercase();
    let (name, method) = (plain(name), plain(method));
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let single = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.dedup();
        letters
    };
    let distance = strsim::damerau_levenshtein(&name, &method);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let is_permuted = distance <= 1 && sorted(&name) == sorted(&method);
    let is_long = method.len() >= 5 && name.len() >= 5 && digits(&name) == digits(&method);
    is_permuted || single(&name) == single(&method) || is_long && distance <= 1
}
