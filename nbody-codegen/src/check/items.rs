//! Items of the module that bodies can refer to.

use std::collections::HashMap;

use syn::Ident;

use crate::check::library::Library;
use crate::diagnostics::Ctxt;
use crate::ir::{self, FunctionId, List, Type};
use crate::names::Unique;

/// Items that bodies can refer to.
pub(crate) struct Items<'a> {
    pub cx: &'a Ctxt,
    pub structs: &'a List<ir::Struct>,
    pub constants: &'a List<ir::Constant>,
    /// Helper functions by name, with their parameters and result.
    pub signatures: HashMap<String, Signature>,
    /// Functions of the language among them.
    pub library: Library,
    /// Names of the module, which variables must not hide.
    pub names: Unique,
}

impl Items<'_> {
    /// Finds the struct of this name.
    pub fn named(&self, ident: &Ident) -> Option<ir::Named> {
        let (id, _) = self.structs.by_id().find(|(_, item)| item.ident == *ident)?;
        Some(ir::Named { id, ident: ident.clone() })
    }

    /// Finds the function that a call means.
    pub fn called(&self, name: &str, arguments: usize) -> Option<&Signature> {
        let name = self.library.find(name, arguments).map_or(name, String::as_str);
        self.signatures.get(name)
    }

    pub fn signature(&self, function: &Ident) -> Option<&Signature> {
        self.signatures.get(&function.to_string())
    }
}

/// Signature of a helper function for its callers.
pub(crate) struct Signature {
    /// Id in [`ir::Module::functions`], once all functions are checked.
    pub id: FunctionId,
    /// Name in C++.
    pub name: String,
    /// Types of the parameters; `None` for a refused type.
    pub parameters: Vec<Option<Type>>,
    pub output: Option<Type>,
}
