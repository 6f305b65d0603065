//! Meaning of names inside a body, and the order in which functions call each other.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;

use crate::diagnostics::{Ctxt, Site};
use crate::ir::{Input, LocalId, Side};
use crate::message;
use crate::syntax::Function;

/// Meaning of a name in a body.
#[derive(Clone, Copy)]
pub(crate) enum Binding {
    Local(LocalId),
    /// The parameters, the i-particle or the j-particle.
    Input(Input),
    /// The result, or the result of a particle of a tuple.
    Output(Side),
    /// A variable whose value was refused already.
    Unknown,
}

/// Visible names, innermost block last.
#[derive(Default)]
pub(crate) struct Scopes {
    blocks: Vec<HashMap<String, Binding>>,
}

impl Scopes {
    pub fn enter(&mut self) {
        self.blocks.push(HashMap::new());
    }

    pub fn leave(&mut self) {
        self.blocks.pop();
    }

    pub fn bind(&mut self, name: String, binding: Binding) {
        if self.blocks.is_empty() {
            self.enter();
        }
        if let Some(block) = self.blocks.last_mut() {
            block.insert(name, binding);
        }
    }

    /// Binds every name of a refused pattern, so that their uses cause no further errors.
    pub fn bind_unknown(&mut self, pattern: TokenStream) {
        for token in pattern {
            match token {
                TokenTree::Ident(name) => self.bind(name.to_string(), Binding::Unknown),
                TokenTree::Group(group) => self.bind_unknown(group.stream()),
                _ => {}
            }
        }
    }

    pub fn find(&self, name: &str) -> Option<Binding> {
        self.blocks.iter().rev().find_map(|block| block.get(name)).copied()
    }

    /// Returns the meaning of a name outside the block that hides it.
    pub fn hidden(&self, name: &str) -> Option<Binding> {
        self.blocks.first().and_then(|block| block.get(name)).copied()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(|block| block.keys().map(String::as_str))
    }
}

/// Refuses a parameter that has the name of an earlier one.
pub(crate) fn names_differ<'n>(
    cx: &Ctxt,
    names: impl IntoIterator<Item = &'n Ident>,
) -> Option<()> {
    let mut seen = HashSet::new();
    let mut differ = Some(());
    for name in names {
        let text = name.to_string();
        if !seen.insert(text.trim_start_matches("r#").to_owned()) {
            cx.error(Site::of(name), &message::DUPLICATE, &[&text]);
            differ = None;
        }
    }
    differ
}

/// Sorts the functions so that each follows the functions that it calls, and returns whether such
/// an order exists. Refuses recursion.
pub(crate) fn call_order<'a>(cx: &Ctxt, functions: &[&'a Function]) -> (Vec<&'a Function>, bool) {
    let calls: Vec<Vec<usize>> = functions
        .iter()
        .map(|function| {
            let mut names = Vec::new();
            calls_in(function.block.to_token_stream(), &mut |name, _| names.push(name.to_string()));
            (0..functions.len())
                .filter(|&k| names.contains(&functions[k].ident.to_string()))
                .collect()
        })
        .collect();
    let mut order = Vec::new();
    let mut is_order = true;
    let mut state = vec![State::New; functions.len()];
    // Stack of callers of the visited function, each with its remaining calls.
    let mut way = Vec::new();
    for first in 0..functions.len() {
        visit(first, &calls, &mut state, &mut way);
        while let Some((function, rest)) = way.pop() {
            let Some((&callee, others)) = rest.split_first() else {
                state[function] = State::Done;
                order.push(functions[function]);
                continue;
            };
            way.push((function, others));
            if state[callee] == State::Open {
                let ident = &functions[callee].ident;
                cx.error(Site::of(ident), &message::RECURSION, &[&ident.to_string()]);
                is_order = false;
            }
            visit(callee, &calls, &mut state, &mut way);
        }
    }
    (order, is_order)
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Visits a function that was not visited yet.
fn visit<'c>(
    function: usize,
    calls: &'c [Vec<usize>],
    state: &mut [State],
    way: &mut Vec<(usize, &'c [usize])>,
) {
    if state[function] == State::New {
        state[function] = State::Open;
        way.push((function, &calls[function]));
    }
}

/// Visits every name before parentheses that is not a method, and the parentheses.
pub(crate) fn calls_in(tokens: TokenStream, visit: &mut dyn FnMut(&Ident, &Group)) {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_method = false;
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Ident(ident) if !is_method => {
                if let Some(TokenTree::Group(group)) = tokens.peek()
                    && group.delimiter() == Delimiter::Parenthesis
                {
                    visit(ident, group);
                }
            }
            TokenTree::Group(group) => calls_in(group.stream(), visit),
            _ => {}
        }
        is_method = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
    }
}
