//! Advice on types that the language lacks.

use syn::{GenericArgument, PathArguments, Type as Written};

use super::written;
use crate::check::constant;
use crate::ir::{Constant, Type};
use crate::syntax;

const ALL: &str = "the types are `Real`, `Vector`, `Tensor`, `Point`, `[Real; N]`, `u32` and, in functions, `bool`";

/// Advises on a type that the language lacks.
pub(crate) fn of_type(ty: &Written) -> String {
    match ty {
        Written::Group(group) => of_type(&group.elem),
        Written::Paren(paren) => of_type(&paren.elem),
        Written::Reference(_) | Written::Ptr(_) => {
            "everything is passed by value: pass the fields that it needs, without `&`".to_owned()
        }
        Written::Tuple(_) => "write several fields, a `Vector` or a `[Real; N]`".to_owned(),
        Written::Slice(_) => "an array has a length: write `[Real; N]`".to_owned(),
        Written::Array(array) => of_array(array),
        Written::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last();
            last.map_or_else(|| ALL.to_owned(), |last| of_name(&last.ident.to_string(), last))
        }
        _ => ALL.to_owned(),
    }
}

fn of_array(array: &syn::TypeArray) -> String {
    let n = written(&array.len);
    let element = syntax::type_name(&array.elem).map(|name| name.to_string());
    match element.as_deref() {
        Some("u32" | "bool" | "usize" | "i32" | "u8" | "u64") => format!(
            "write {n} fields of type `u32`, or `[Real; {n}]`, in which whole numbers below 2^24 are exact"
        ),
        Some("Vector" | "Point") => {
            format!("write {n} fields, or for vectors a `[Real; N]` of all components")
        }
        _ if matches!(&*array.elem, Written::Path(path) if is_reduction(path)) => {
            format!("write {n} fields, each of a name of its own")
        }
        _ => ALL.to_owned(),
    }
}

fn is_reduction(path: &syn::TypePath) -> bool {
    path.path.segments.last().is_some_and(|last| {
        ["Min", "Max", "ArgMin", "ArgMax", "Nearest"].iter().any(|n| last.ident == n)
    })
}

fn of_name(name: &str, segment: &syn::PathSegment) -> String {
    let advice = match name {
        "f64" | "f32" | "float" | "double" | "real" | "f16" => {
            "write `Real`: the options of an evaluation choose the precision"
        }
        "usize" | "u8" | "u16" | "u64" | "u128" | "uint" | "int" | "U32" => "write `u32`",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            "integers are `u32`; a number with a sign is a `Real`"
        }
        "Vec3" | "DVec3" | "Vec3A" | "Vector3" | "SVector" | "float3" | "double3" | "real3"
        | "Vect3" | "vec3" | "float4" | "double4" | "Vec4" | "Vector4" => {
            "write `Vector`, or `Point` for a position"
        }
        "Vec2" | "DVec2" | "Vector2" | "float2" | "double2" | "vec2" => {
            "write `Vector<2>`, or `Point<2>` for a position"
        }
        "Point3" => "write `Point`",
        "Point2" => "write `Point<2>`",
        "Mat3" | "DMat3" | "Matrix3" | "Matrix" | "SMatrix" | "Mat3A" => {
            "write `Tensor` if it is symmetric, else three `Vector`s, its rows, or a `[Real; 9]`"
        }
        "Complex" | "Complex64" | "Complex32" | "Quat" | "Quaternion" => {
            "write a `Real` for each part"
        }
        "Vec" | "VecDeque" | "Box" | "ArrayVec" => {
            "particles and parameters have a fixed size: write `[Real; N]`"
        }
        "Option" => "write the value, and a `u32` that tells whether it is there",
        "String" | "str" | "char" => "a kind or a name is a `u32`",
        "Sum" | "Add" => "a sum has the type of what it adds: `Real`, `Vector` or `[Real; N]`",
        "Min" | "Max" | "ArgMin" | "ArgMax" => return format!("write `{name}<Real>`"),
        "Count" => "write `Count`",
        _ if !matches!(segment.arguments, PathArguments::None) => ALL,
        _ => {
            return format!(
                "{ALL}; a struct holds no others, and a function takes the fields that it needs"
            );
        }
    };
    advice.to_owned()
}

/// Returns the type that was certainly meant, so that its uses can be checked.
pub(crate) fn meant(ty: &Written, constants: &[Constant]) -> Option<Type> {
    match ty {
        Written::Group(group) => meant(&group.elem, constants),
        Written::Paren(paren) => meant(&paren.elem, constants),
        Written::Array(array) => {
            let n = constant::index(&array.len, constants)?;
            match meant(&array.elem, constants)? {
                Type::Real => Some(Type::Array(n)),
                Type::Array(columns) => Some(Type::Table(n, columns)),
                _ => None,
            }
        }
        _ => {
            let name = syntax::type_name(ty)?;
            ["f32", "f64", "float", "double"].iter().any(|real| name == real).then_some(Type::Real)
        }
    }
}

/// Advises on an invalid dimension: `Vector<f64>`, `Vector<Real, 3>` and the like.
pub(crate) fn of_dimension(name: &str, arguments: &PathArguments) -> String {
    let is_type = matches!(arguments, PathArguments::AngleBracketed(list)
        if matches!(list.args.first(), Some(GenericArgument::Type(_))));
    let scalar = if is_type { ", without the scalar" } else { "" };
    format!("write `{name}`, `{name}<2>` or `{name}<1>`{scalar}")
}
