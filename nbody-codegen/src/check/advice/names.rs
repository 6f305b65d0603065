//! Advice on free functions and on names of constants.

use super::operand_of;
use crate::ir;

/// Advises on a free function by its name.
pub(crate) fn of_function(name: &str, arguments: &[String]) -> Option<String> {
    let (of, last) = name.rsplit_once("::").map_or(("", name), |(of, last)| (of, last));
    let list = arguments.join(", ");
    let of = of.rsplit("::").next().unwrap_or_default();
    let is_vector = is_vector(of) || of.is_empty() && is_vector(last);
    let is_integer = ["u32", "usize", "i32", "u64", "i64", "int"];
    let is_scalar = ["Real", "f64", "f32", "float", "double", "real"];
    let scalar = if of.is_empty() { last } else { of };
    Some(match last {
        _ if of.starts_with("Point") || last.starts_with("Point") => {
            "a fixed position is a `Point` among the parameters: write `i.pos - self.origin`".to_owned()
        }
        "zero" | "zeros" | "default" | "ZERO" if is_vector => {
            "write `Vector::new(0.0, 0.0, 0.0)`".to_owned()
        }
        "splat" | "repeat" | "from_element" if is_vector => {
            let x = arguments.first().map_or("x", String::as_str);
            format!("write `Vector::new({x}, {x}, {x})`")
        }
        "from" | "from_array" | "from_slice" if is_vector => {
            let list = list.trim_start_matches(['&', '[']).trim_end_matches(']');
            format!("write `Vector::new({list})`")
        }
        "new" | "Vector" if is_vector && arguments.len() == 1 => {
            let list = list.trim_start_matches('[').trim_end_matches(']');
            format!("write `Vector::new({list})`")
        }
        _ if is_vector => format!("write `Vector::new({list})`"),
        "from" | "Real" | "f64" | "f32" | "float" | "double" | "real" | "new"
            if is_scalar.contains(&scalar) =>
        {
            let x = operand_of(arguments.first().map_or("n", String::as_str));
            format!("write `{x} as Real` for a `u32`; a `Real` needs no conversion")
        }
        "from" | "int" | "u32" | "usize" | "i32" if is_integer.contains(&scalar) => {
            let x = operand_of(arguments.first().map_or("x", String::as_str));
            format!("write `{x} as u32` for a `Real`; a `u32` needs no conversion")
        }
        "rand" | "random" | "drand48" | "rand_range" | "gen" | "gen_range" | "random_range" | "thread_rng"
        | "rng" | "gaussian" | "uniform" | "normal" | "curand_uniform" | "curand_normal" | "curand_init" => {
            "write `random(key, counter)` between 0 and 1, or `gaussian(key, counter)`, of two to six `u32` such as \
             a seed, a step and the ids of the particles"
                .to_owned()
        }
        "time" | "now" | "clock" | "clock64" => {
            "the time is a field of the parameters: `set_parameters` changes it".to_owned()
        }
        "not" if arguments.len() == 1 => format!("write `!({list})`"),
        "zero" | "default" if is_scalar.contains(&of) => "write `0.0`".to_owned(),
        _ => return None,
    })
}

fn is_vector(name: &str) -> bool {
    let known = [
        "Vector",
        "Vec3",
        "DVec3",
        "Vec3A",
        "Vector3",
        "SVector",
        "vec3",
        "dvec3",
        "make_float3",
        "make_double3",
        "make_real3",
        "float3",
        "double3",
        "real3",
        "Vec2",
        "DVec2",
        "Vector2",
        "make_float2",
        "float2",
    ];
    known.contains(&name)
}

/// Advises on a name or a path that is no variable.
pub(crate) fn of_name(written: &str) -> Option<String> {
    let (of, last) = written.rsplit_once("::").map_or(("", written), |(of, last)| (of, last));
    let of = of.rsplit("::").next().unwrap_or_default();
    let bare = last.strip_prefix("M_").unwrap_or(last);
    let is_constant = |name: &str| ir::CONSTS.iter().any(|(known, _)| *known == name);
    let is_consts = ["", "consts", "f64", "f32"].contains(&of);
    Some(match last {
        _ if is_consts && is_constant(bare) => format!("write `core::f64::consts::{bare}`"),
        "pi" if of.is_empty() => "write `core::f64::consts::PI`".to_owned(),
        "ZERO" if is_vector(of) => "write `Vector::new(0.0, 0.0, 0.0)`".to_owned(),
        "INFINITY" | "NEG_INFINITY" | "MAX" | "MIN" | "FLT_MAX" | "DBL_MAX" if !is_integer(of) => {
            "write a number beyond all others, such as `1.0e30`".to_owned()
        }
        "MAX" if of == "u32" || of == "usize" => "write `0xffffffff`".to_owned(),
        "EPSILON" | "MIN_POSITIVE" | "FLT_EPSILON" | "DBL_EPSILON" => {
            "write the number, such as `1.2e-7`: the options choose the precision, not the declaration".to_owned()
        }
        "NAN" => "write `0.0 / 0.0`".to_owned(),
        "threadIdx" | "blockIdx" | "blockDim" | "gid" | "tid" | "idx" if of.is_empty() => {
            "a pair does not know the indices of i and j: write a field `id: u32`".to_owned()
        }
        "np" | "numpy" | "math" | "cmath" | "torch" if of.is_empty() => {
            "functions are methods, such as `x.sqrt()`, and constants have a path, such as \
             `core::f64::consts::PI`"
                .to_owned()
        }
        _ if of == "Self" => format!("constants belong to the module: write `{last}`"),
        _ => return None,
    })
}

fn is_integer(of: &str) -> bool {
    ["u32", "usize", "i32", "u64", "i64"].contains(&of)
}
