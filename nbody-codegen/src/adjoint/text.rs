//! Writes the modules of the adjoint.

use std::collections::HashSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, quote};
use syn::{Expr, Stmt, parse_quote};

use super::body::{Body, written};
use super::names::{Names, words_of};
use super::selection::{Chosen, Field, Sum, ident};
use super::{Gradient, Law};
use crate::gradient::displacement;
use crate::ir::{Input, TENSOR, Type};
use crate::names::snake_case;
use crate::syntax::{Constant, Field as FieldOf, Function, Struct};

/// The particles that results are summed for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Targets,
    Sources,
}

/// Writes modules with these names.
pub(super) struct Writer<'a> {
    pub law: &'a Law<'a>,
    pub chosen: &'a Chosen,
    body: &'a Body,
    /// The parameters of the adjoint of the targets and of the sources.
    parameters: [Ident; 2],
    /// The i-particle with the cotangents.
    target: Ident,
    /// The results.
    results: Ident,
    /// The variable of loops.
    k: Ident,
}

impl<'a> Writer<'a> {
    pub fn new(law: &'a Law, chosen: &'a Chosen, body: &'a Body, names: &mut Names) -> Self {
        let target = &law.written.target;
        let sides = ["OfTargets", "OfSources"];
        Self {
            law,
            chosen,
            body,
            parameters: sides.map(|side| names.new_type(&format!("{target}{side}"))),
            target: names.new_type(&format!("{}WithBars", law.written.i)),
            results: names.new_type("Gradient"),
            k: names.new_name("k"),
        }
    }

    fn parameters(&self, side: Side) -> &Ident {
        &self.parameters[usize::from(side == Side::Sources)]
    }

    /// Returns the name of an interaction.
    pub fn name(&self, side: Side) -> String {
        snake_case(&self.parameters(side).to_string())
    }

    /// Writes the interaction of the derivatives by these variables, with its results.
    pub fn law(&self, side: Side, variables: &[&Field]) -> (String, Vec<Gradient>) {
        let mut taken = Vec::new();
        let names: Vec<_> =
            variables.iter().map(|field| Names::field(&field.name, &mut taken)).collect();
        let phi = &self.body.phi;
        let mut end: Vec<Stmt> = Vec::new();
        if variables.iter().any(|field| matches!(field.ty, Type::Array(_))) {
            // Within a loop there are derivatives of variables that do not change.
            end.push(parse_quote!(let #phi = #phi;));
        }
        end.extend(variables.iter().zip(&names).flat_map(|(field, name)| self.end(field, name)));
        let fields = variables.iter().zip(&names).map(|(field, name)| {
            let (vis, ty) = (self.vis(), written(displacement(field.ty)));
            let doc = format!(" Derivative by `{}`{}.", field.name, of_record(field.input, side));
            quote!(#[doc = #doc] #vis #name: #ty)
        });
        let module = self.module(side, &quote!(#(#fields,)*), &end);
        let gradient = |(field, name): (&&Field, &Ident)| Gradient {
            field: name.to_string(),
            by: field.variable(),
        };
        (print(module), variables.iter().zip(&names).map(gradient).collect())
    }

    /// Returns the interaction of the targets, with φ as its only result.
    pub fn potential(&self) -> TokenStream {
        let (f, phi) = (&self.law.written.names[2], &self.body.phi);
        self.module(Side::Targets, &quote!(phi: Real), &[parse_quote!(#f.phi += #phi;)])
    }

    /// Returns the statements that add the derivative by a variable to a result.
    fn end(&self, field: &Field, name: &Ident) -> Vec<Stmt> {
        let [i, j, f] = &self.law.written.names;
        let (phi, k, member) = (&self.body.phi, &self.k, field.ident());
        let variable: Expr = match field.input {
            Input::I => parse_quote!(#i.#member),
            Input::J => parse_quote!(#j.#member),
            _ => parse_quote!(self.#member),
        };
        match field.ty {
            Type::Tensor(n) => {
                let parts = TENSOR[n - 1].iter().map(|(part, _)| ident(part));
                let add = |part| parse_quote!(#f.#name.#part += #phi.gradient(#variable.#part););
                parts.map(add).collect()
            }
            Type::Array(n) => {
                let n = Literal::usize_unsuffixed(n);
                let add = quote!(#f.#name[#k] += #phi.gradient(#variable[#k]););
                vec![parse_quote!(for #k in 0..#n { #add })]
            }
            _ => vec![parse_quote!(#f.#name += #phi.gradient(#variable);)],
        }
    }

    /// Returns the module of an interaction with these results and these last statements.
    fn module(&self, side: Side, results: &TokenStream, end: &[Stmt]) -> TokenStream {
        let (attrs, vis) = (&self.law.module.attrs, &self.law.module.vis);
        let name = ident(&self.name(side));
        let (structs, pairs) = (self.structs(side, results), self.interaction(side, end));
        let [constants, functions] = self.helpers(quote!(#structs #pairs));
        let docs = self.docs(side);
        quote! {
            #(#[doc = #docs])*
            #(#attrs)*
            #vis mod #name { #constants #structs #functions #pairs }
        }
    }

    fn docs(&self, side: Side) -> Vec<String> {
        let law = &self.law.written.target;
        let (of, by) = match side {
            Side::Targets => ("targets", "the fields of i and by the parameters"),
            Side::Sources => ("sources", "the fields of j, the i-particle here"),
        };
        let mut docs = vec![
            format!(
                " The adjoint of `{law}`, of the {of}: for cotangents of the results of i, the sums of the"
            ),
            format!(" derivatives of φ, cotangents times contributions of a pair, by {by}."),
        ];
        docs.extend((!self.law.module.attrs.is_empty()).then(String::new));
        docs
    }

    fn vis(&self) -> &syn::Visibility {
        &self.structure(&self.law.written.target).vis
    }

    fn structure(&self, name: &Ident) -> &Struct {
        let mut structs = self.law.module.structs.iter();
        structs.find(|item| item.ident == *name).expect("checked: the struct is declared")
    }

    fn structs(&self, side: Side, results: &TokenStream) -> TokenStream {
        let (vis, gradient) = (self.vis(), &self.results);
        let [parameters, i, j] =
            [&self.law.written.target, &self.law.written.i, &self.law.written.j]
                .map(|name| self.structure(name));
        let bars = self.chosen.in_order().map(|(of, Sum { ty, bar })| {
            let (doc, ty) = (format!(" Cotangent of `{of}`."), written(*ty));
            quote!(#[doc = #doc] #vis #bar: #ty)
        });
        let parameters = record(parameters, self.parameters(side), &TokenStream::new());
        let i = record(i, &self.target, &quote!(#(#bars,)*));
        let j = record(j, &j.ident, &TokenStream::new());
        let doc = " Sums of derivatives.";
        quote! {
            #parameters #i #j
            #[doc = #doc]
            #vis struct #gradient { #results }
        }
    }

    fn interaction(&self, side: Side, end: &[Stmt]) -> TokenStream {
        let written = self.law.written;
        let (name, attrs) = (self.parameters(side), &written.attrs);
        let (target, source, results) = (&self.target, &written.j, &self.results);
        let [first, second] = in_order(side, [target, source]);
        let self_pairs = written.self_pairs.iter();
        let cutoff = written.cutoff.iter().map(|cutoff| {
            let [i, j] = &cutoff.names;
            let (attrs, block) = (&cutoff.function.attrs, &cutoff.function.block);
            let [a, b] = in_order(side, [quote!(#i: &#target), quote!(#j: &#source)]);
            quote!(#(#attrs)* fn cutoff(&self, #a, #b) -> Real #block)
        });
        let [i, j, f] = &written.names;
        let [a, b] = in_order(side, [quote!(#i: &#target), quote!(#j: &#source)]);
        let (docs, statements) = (&written.pair.attrs, &self.body.statements);
        quote! {
            #(#attrs)*
            impl Interaction for #name {
                type I = #first;
                type J = #second;
                type F = #results;
                #(const SELF_PAIRS: bool = #self_pairs;)*
                #(#cutoff)*
                #(#docs)*
                fn pair(&self, #a, #b, #f: &mut #results) { #(#statements)* #(#end)* }
            }
        }
    }

    /// Returns the constants and the functions that some syntax uses, directly or through others.
    fn helpers(&self, of: TokenStream) -> [TokenStream; 2] {
        let constants = self.law.module.constants.iter().map(|item| {
            let Constant { attrs, vis, ident, ty, value } = item;
            (ident, quote!(#(#attrs)* #vis const #ident: #ty = #value;))
        });
        let functions = self.law.module.functions.iter().map(|item| {
            let Function { attrs, vis, ident, output, block, .. } = item;
            let parameters = item.parameters.iter().map(|(name, ty)| quote!(#name: #ty));
            (ident, quote!(#(#attrs)* #vis fn #ident(#(#parameters),*) -> #output #block))
        });
        let contractions =
            self.body.contractions.iter().map(|item| (&item.sig.ident, item.to_token_stream()));
        let all: [Vec<_>; 2] = [constants.collect(), functions.chain(contractions).collect()];
        let mut words = HashSet::new();
        words_of(of, &mut words);
        loop {
            let before = words.len();
            for (name, item) in all.iter().flatten() {
                if words.contains(&name.to_string()) {
                    words_of(item.clone(), &mut words);
                }
            }
            if words.len() == before {
                break;
            }
        }
        let is_used = |(name, _): &(&Ident, TokenStream)| words.contains(&name.to_string());
        all.map(|items| items.into_iter().filter(is_used).map(|(_, item)| item).collect())
    }
}

/// Returns the i-particle and the j-particle of one of both interactions.
fn in_order<T>(side: Side, [target, source]: [T; 2]) -> [T; 2] {
    match side {
        Side::Targets => [target, source],
        Side::Sources => [source, target],
    }
}

/// Returns a struct under another name, and with further fields.
fn record(item: &Struct, name: &Ident, more: &TokenStream) -> TokenStream {
    let Struct { attrs, vis, .. } = item;
    if item.fields.is_empty() && more.is_empty() {
        return quote!(#(#attrs)* #vis struct #name;);
    }
    let fields = item
        .fields
        .iter()
        .map(|FieldOf { attrs, vis, ident, ty }| quote!(#(#attrs)* #vis #ident: #ty));
    quote!(#(#attrs)* #vis struct #name { #(#fields,)* #more })
}

/// Names the record of a variable, as a particle of the interaction that has the derivative.
fn of_record(input: Input, side: Side) -> &'static str {
    match (input, side) {
        (Input::Parameters, _) => " of the parameters, summed over the pairs of i",
        (_, Side::Targets) => " of i",
        (_, Side::Sources) => " of j",
    }
}

/// Prints a module, with an empty line before each item but the first.
fn print(module: TokenStream) -> String {
    const ITEMS: [&str; 6] = ["///", "#[", "pub ", "struct ", "fn ", "impl "];
    let file = syn::parse2(module).expect("the syntax tree of a checked module");
    let mut text = String::new();
    let mut before = String::new();
    for line in prettyplease::unparse(&file).lines() {
        let word = line.trim_start();
        let depth = line.len() - word.len();
        let is_item = depth > 0 && depth <= 8 && ITEMS.iter().any(|item| word.starts_with(item));
        // In an `impl`, functions follow types; documentation of a field follows a comma.
        if is_item
            && (before.ends_with('}') || before.ends_with(';') && !word.starts_with("pub const"))
        {
            text.push('\n');
        }
        text.push_str(line);
        text.push('\n');
        line.clone_into(&mut before);
    }
    text
}
