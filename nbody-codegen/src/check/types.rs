//! Types of fields, parameters and variables.

use std::ops::RangeInclusive;

use quote::ToTokens;
use syn::{Expr, GenericArgument, PathArguments};

use crate::check::{advice, constant};
use crate::diagnostics::{Ctxt, Site};
use crate::ir::{Constant, Extremum, Reduction, Type};
use crate::message;

/// Largest length of an array: far beyond the registers of a thread, and short enough for
/// compilers.
const LONGEST: usize = 4096;
/// Most knots of all splines of an array, whose numbers are in memory: 64 of the longest splines.
const MOST_KNOTS: usize = 262_144;
/// Most least values of a result, which a GPU keeps in registers.
const MOST_NEAREST: usize = 16;

/// Returns the type that this syntax names. A refused type is replaced by the type that was meant,
/// if that is clear.
pub(crate) fn check(cx: &Ctxt, ty: &syn::Type, constants: &[Constant]) -> Option<Type> {
    exact(cx, ty, constants).or_else(|| advice::types::meant(ty, constants))
}

/// Returns the type that this syntax names.
pub(crate) fn exact(cx: &Ctxt, ty: &syn::Type, constants: &[Constant]) -> Option<Type> {
    let found = match ty {
        syn::Type::Path(path) if path.qself.is_none() && path.path.segments.len() == 1 => {
            let segment = &path.path.segments[0];
            let name = segment.ident.to_string();
            match (name.as_str(), &segment.arguments) {
                ("Real", PathArguments::None) => Some(Type::Real),
                ("u32", PathArguments::None) => Some(Type::U32),
                ("bool", PathArguments::None) => Some(Type::Bool),
                ("Count", PathArguments::None) => Some(Type::Reduced(Reduction::Count)),
                ("Min", arguments) if of_real(arguments) => Some(Type::Reduced(Reduction::Min)),
                ("Max", arguments) if of_real(arguments) => Some(Type::Reduced(Reduction::Max)),
                ("ArgMin", arguments) if of_real(arguments) => {
                    Some(Type::Reduced(Reduction::Arg(Extremum::Least)))
                }
                ("ArgMax", arguments) if of_real(arguments) => {
                    Some(Type::Reduced(Reduction::Arg(Extremum::Greatest)))
                }
                ("Nearest", arguments) => {
                    let number = number(arguments, constants, 1..=MOST_NEAREST);
                    if number.is_none() {
                        cx.error(Site::of(segment), &message::NEAREST_NUMBER, &[]);
                    }
                    Some(Type::Reduced(Reduction::Nearest(number?)))
                }
                ("Vector", arguments) => Some(Type::Vector(dimension(cx, &name, arguments)?)),
                ("Tensor", arguments) => Some(Type::Tensor(dimension(cx, &name, arguments)?)),
                ("Spline", arguments) => {
                    Some(Type::Spline(knots(cx, segment, arguments, constants)?))
                }
                ("Point", arguments) => Some(Type::Point(dimension(cx, &name, arguments)?)),
                _ => None,
            }
        }
        syn::Type::Array(array) => {
            let element = exact(cx, &array.elem, constants)?;
            if element.is_of_splines() {
                return splines(cx, array, element, constants);
            }
            let whole = constant::index(&array.len, constants)
                .filter(|n| (1..=LONGEST / element.components()).contains(n));
            match (element, whole) {
                (Type::Real, Some(n)) => Some(Type::Array(n)),
                (Type::Reduced(Reduction::Count), Some(n)) => Some(Type::Counts(n)),
                (Type::Array(columns), Some(rows)) => Some(Type::Table(rows, columns)),
                (Type::Real | Type::Array(_) | Type::Reduced(Reduction::Count), None) => {
                    cx.error(Site::of(&array.len), &message::ARRAY_LENGTH, &[]);
                    return None;
                }
                _ => None,
            }
        }
        syn::Type::Group(group) => return exact(cx, &group.elem, constants),
        syn::Type::Paren(paren) => return exact(cx, &paren.elem, constants),
        _ => None,
    };
    if found.is_none() {
        let written = ty.to_token_stream().to_string();
        let written = written.replace(" < ", "<").replace(" >", ">").replace(" ;", ";");
        let written = written.replace("& ", "&").replace(" ,", ",");
        cx.error(Site::of(ty), &message::TYPE, &[&written, &advice::types::of_type(ty)]);
    }
    found
}

/// Tests whether these arguments are `<Real>`.
fn of_real(arguments: &PathArguments) -> bool {
    arguments.to_token_stream().to_string().replace(' ', "") == "<Real>"
}

/// Returns an array of splines, or of rows of splines.
fn splines(
    cx: &Ctxt,
    array: &syn::TypeArray,
    element: Type,
    constants: &[Constant],
) -> Option<Type> {
    let (columns, knots) = match element {
        Type::Spline(knots) => (None, knots),
        Type::Splines(columns, knots) => (Some(columns), knots),
        _ => {
            cx.error(Site::of(array), &message::SPLINES_NUMBER, &[]);
            return None;
        }
    };
    let most = MOST_KNOTS / knots / columns.unwrap_or(1);
    let Some(n) = constant::index(&array.len, constants).filter(|n| (1..=most).contains(n)) else {
        cx.error(Site::of(&array.len), &message::SPLINES_NUMBER, &[]);
        return None;
    };
    Some(match columns {
        None => Type::Splines(n, knots),
        Some(columns) => Type::SplineTable(n, columns, knots),
    })
}

/// Returns the number of knots of a spline.
fn knots(
    cx: &Ctxt,
    segment: &syn::PathSegment,
    arguments: &PathArguments,
    constants: &[Constant],
) -> Option<usize> {
    let number = number(arguments, constants, 2..=LONGEST);
    if number.is_none() {
        cx.error(Site::of(segment), &message::SPLINE_KNOTS, &[]);
    }
    number
}

/// Returns the number among the arguments of a type, if it is in this range.
fn number(
    arguments: &PathArguments,
    constants: &[Constant],
    range: RangeInclusive<usize>,
) -> Option<usize> {
    let number = match arguments {
        PathArguments::AngleBracketed(list) if list.args.len() == 1 => match &list.args[0] {
            GenericArgument::Const(expr) => constant::index(expr, constants),
            // The name of a constant has the syntax of a type.
            GenericArgument::Type(syn::Type::Path(path)) => {
                constant::index(&syn::parse_quote!(#path), constants)
            }
            _ => None,
        },
        _ => None,
    };
    number.filter(|n| range.contains(n))
}

fn dimension(cx: &Ctxt, name: &str, arguments: &PathArguments) -> Option<usize> {
    let dimension = match arguments {
        PathArguments::None => Some(3),
        PathArguments::AngleBracketed(list) if list.args.len() == 1 => match &list.args[0] {
            GenericArgument::Const(expr @ Expr::Lit(_)) => constant::index(expr, &[]),
            _ => None,
        },
        _ => None,
    };
    let dimension = dimension.filter(|n| (1..=3).contains(n));
    if dimension.is_none() {
        let help = advice::types::of_dimension(name, arguments);
        cx.error(Site::of(arguments), &message::DIMENSION, &[name, &help]);
    }
    dimension
}
