//! Names that the text does not have yet.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::visit::{self, Visit};

use super::selection::ident;
use crate::syntax;

/// Words of the language that a module need not contain.
const WORDS: [&str; 9] =
    ["Real", "Vector", "Tensor", "Point", "Count", "Min", "Max", "ArgMin", "ArgMax"];

/// The words of a module, and the names that were added.
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Collects the words of a module.
    pub fn of(module: &syntax::Module) -> Self {
        let mut words: HashSet<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
        for item in &module.structs {
            words.insert(item.ident.to_string());
        }
        for item in &module.constants {
            words.insert(item.ident.to_string());
        }
        for item in &module.functions {
            words.insert(item.ident.to_string());
            words_of(item.block.to_token_stream(), &mut words);
        }
        for item in &module.interactions {
            words_of(item.pair.to_token_stream(), &mut words);
        }
        Self(words)
    }

    /// Returns a new name of a variable or a function.
    pub fn new_name(&mut self, name: &str) -> Ident {
        self.add(name, "_")
    }

    /// Returns a new name of a struct.
    pub fn new_type(&mut self, name: &str) -> Ident {
        self.add(name.trim_start_matches("r#"), "")
    }

    fn add(&mut self, name: &str, gap: &str) -> Ident {
        let found = unused(name, gap, |name| self.0.contains(name));
        self.0.insert(found.clone());
        ident(&found)
    }

    /// Returns the name of the derivative by a field or a result, and adds it to the names of a record.
    pub fn field(of: &str, taken: &mut Vec<String>) -> Ident {
        let name = format!("{}_bar", of.trim_start_matches("r#"));
        let found = unused(&name, "_", |name| taken.iter().any(|it| it == name));
        taken.push(found.clone());
        ident(&found)
    }
}

/// Returns the name, or the name with the first number that makes it a new one, behind a gap.
fn unused(name: &str, gap: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|k| format!("{name}{gap}{k}"));
    let mut all = std::iter::once(name.to_owned()).chain(numbered);
    all.find(|name| !is_taken(name)).expect("there are more numbers than names")
}

/// Adds the identifiers of some syntax.
pub(super) fn words_of(tokens: TokenStream, words: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => _ = words.insert(word.to_string()),
            TokenTree::Group(group) => words_of(group.stream(), words),
            _ => {}
        }
    }
}

/// The names that the statements of a body bind.
#[derive(Default)]
pub(super) struct Binders {
    lets: HashSet<String>,
    loops: HashSet<String>,
}

impl Binders {
    pub fn has(&self, name: &Ident) -> bool {
        self.has_let(name) || self.loops.contains(&name.to_string())
    }

    pub fn has_let(&self, name: &Ident) -> bool {
        self.lets.contains(&name.to_string())
    }
}

impl<'ast> Visit<'ast> for Binders {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        // The type of a variable is no name, but does no harm here.
        words_of(local.pat.to_token_stream(), &mut self.lets);
        visit::visit_local(self, local);
    }

    fn visit_expr_for_loop(&mut self, turns: &'ast syn::ExprForLoop) {
        words_of(turns.pat.to_token_stream(), &mut self.loops);
        visit::visit_expr_for_loop(self, turns);
    }
}
