//! Constants of the module.

use syn::{Attribute, Ident, Visibility};

use super::id::{ConstantId, Item};
use super::types::Type;

/// A constant of the module, computed in `f64`.
pub struct Constant {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub name: String,
    pub value: Value,
    /// Whether the type was refused, so that uses of the constant are not checked.
    pub is_refused: bool,
}

impl Item for Constant {
    type Id = ConstantId;
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Real(f64),
    U32(u32),
}

impl Value {
    pub fn ty(self) -> Type {
        match self {
            Self::Real(_) => Type::Real,
            Self::U32(_) => Type::U32,
        }
    }
}
