//! The checked module.

use std::ops::Index;

use syn::{Attribute, Ident, Visibility};

use super::constant::Constant;
use super::function::Function;
use super::id::{ConstantId, FieldId, FunctionId, List, StructId};
use super::interaction::Interaction;
use super::program::Program;
use super::record::{Field, Struct};
use crate::names::Unique;

/// A module, resolved and typed.
pub struct Module {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    /// Names in C++ that are taken in the whole module.
    pub names: Unique,
    pub structs: List<Struct>,
    pub constants: List<Constant>,
    /// Helper functions, each behind the functions that it calls.
    pub functions: List<Function>,
    pub interactions: Vec<Interaction>,
    pub programs: Vec<Program>,
}

macro_rules! of_module {
    ($($id:ident in $list:ident: $item:ident;)*) => {$(
        impl Index<$id> for Module {
            type Output = $item;

            fn index(&self, id: $id) -> &$item {
                &self.$list[id]
            }
        }
    )*};
}

of_module! {
    StructId in structs: Struct;
    FieldId in structs: Field;
    ConstantId in constants: Constant;
    FunctionId in functions: Function;
}
