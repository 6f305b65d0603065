//! Functions of the language that are written in the language: a module that calls one gets it as a
//! helper function.
//!
//! Random numbers are words of the Philox generator with four words of 32 bits and ten rounds
//! (Salmon, Moraes, Dror & Shaw 2011, SC11, "Parallel random numbers: as easy as 1, 2, 3"), which
//! encrypts a counter by a key and has no state.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, ItemFn, Token};

use crate::check::scope::calls_in;
use crate::diagnostics::Ctxt;
use crate::syntax::{self, Function};

/// The functions of random numbers.
const NAMES: [&str; 3] = ["random", "gaussian", "random_bits"];
/// The number of words that these take: of the key and the counter.
const WORDS: RangeInclusive<usize> = 2..=6;

/// Functions of the language that a module calls.
#[derive(Default)]
pub(crate) struct Library {
    /// The helper functions.
    pub functions: Vec<Function>,
    /// Their names, by the names that the module calls and the number of arguments.
    names: HashMap<(&'static str, usize), String>,
}

impl Library {
    /// Collects the functions that a module calls and does not declare itself.
    pub fn of(cx: &Ctxt, module: &syntax::Module) -> Self {
        let mut found = BTreeSet::new();
        let helpers = module.functions.iter().map(|function| &function.block);
        let pairs = module.interactions.iter().map(|item| &item.pair.block);
        let cutoffs = module.interactions.iter().filter_map(|item| item.cutoff.as_ref());
        let cutoffs = cutoffs.map(|cutoff| &cutoff.function.block);
        let programs = module.programs.iter().map(|item| &item.function.block);
        for block in helpers.chain(pairs).chain(cutoffs).chain(programs) {
            calls_in(block.to_token_stream(), &mut |name, arguments| {
                let name = known(&name.to_string());
                found.extend(name.zip(list(arguments.stream()).ok()));
            });
        }
        let declared: BTreeSet<_> =
            module.functions.iter().map(|function| function.ident.to_string()).collect();
        let mut library = Self::default();
        for (name, words) in found {
            if declared.contains(name) || !WORDS.contains(&words) {
                continue;
            }
            let mut ident = format!("__{name}_{words}");
            while declared.contains(&ident) {
                ident.push('_');
            }
            let item = function(name, &format_ident!("{ident}"), words);
            library.functions.push(syntax::function(cx, item));
            library.names.insert((name, words), ident);
        }
        library
    }

    /// Returns the name of the helper function for a call with this number of arguments.
    pub fn find(&self, name: &str, arguments: usize) -> Option<&String> {
        self.names.get(&(known(name)?, arguments))
    }

    /// Tests whether a helper function is of the language.
    pub fn has(&self, function: &str) -> bool {
        self.names.values().any(|name| function == name)
    }
}

/// Returns the number of arguments that a function of the language takes, in words.
pub(crate) fn arity(name: &str) -> Option<String> {
    known(name)?;
    Some(format!("{} to {} arguments", WORDS.start(), WORDS.end()))
}

fn known(name: &str) -> Option<&'static str> {
    NAMES.into_iter().find(|known| *known == name)
}

/// Counts the expressions of a list.
fn list(tokens: TokenStream) -> syn::Result<usize> {
    Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens).map(|list| list.len())
}

/// Writes a function of this number of words.
fn function(name: &str, ident: &Ident, words: usize) -> ItemFn {
    let given =
        ["key", "counter", "second", "third", "fourth", "key2"].map(|name| format_ident!("{name}"));
    let word = |k: usize| if k < words { given[k].to_token_stream() } else { quote!(0) };
    let [key, key2] = [word(0), word(5)];
    let [first, second, third, fourth] = [1, 2, 3, 4].map(word);
    let parameters = &given[..words];
    let rounds = quote! {
        let mut k0 = #key;
        let mut k1 = #key2;
        let mut c0 = #first;
        let mut c1 = #second;
        let mut c2 = #third;
        let mut c3 = #fourth;
        for _turn in 0..10 {
            let high0 = c0.mul_high(0xD2511F53);
            let high2 = c2.mul_high(0xCD9E8D57);
            let low0 = c0 * 0xD2511F53;
            let low2 = c2 * 0xCD9E8D57;
            c0 = high2 ^ c1 ^ k0;
            c1 = low2;
            c2 = high0 ^ c3 ^ k1;
            c3 = low0;
            k0 += 0x9E3779B9;
            k1 += 0xBB67AE85;
        }
    };
    // An odd multiple of 2^-32, below the numbers that are 1 in single precision.
    let uniform =
        |word: TokenStream| quote!((#word.min(0xffffff7e) | 1) as Real * 2.3283064365386963e-10);
    let (ty, docs, value) = match name {
        "random_bits" => (quote!(u32), " Returns a random word: Philox4x32-10.", quote!(c0)),
        "random" => (
            quote!(Real),
            " Returns a random number between 0 and 1: Philox4x32-10.",
            uniform(quote!(c0)),
        ),
        _ => {
            let (u, v) = (uniform(quote!(c0)), uniform(quote!(c1)));
            let value = quote! {
                let square = -2.0 * (#u).ln();
                let angle = core::f64::consts::TAU * (#v - 0.5);
                square.sqrt() * angle.cos()
            };
            (
                quote!(Real),
                " Returns a normally distributed number: Philox4x32-10, Box-Muller.",
                value,
            )
        }
    };
    syn::parse_quote! {
        #[doc = #docs]
        fn #ident(#(#parameters: u32),*) -> #ty {
            #rounds
            #value
        }
    }
}

#[cfg(test)]
mod tests {
    /// Returns the CUDA text of a module with these items and this value of a pair.
    fn text(items: &str, value: &str) -> String {
        let module = format!(
            "mod m {{ pub struct Law {{ seed: u32 }} pub struct Body {{ id: u32 }} pub struct Sum {{ s: Real }} {items}
             impl Interaction for Law {{ type I = Body; type J = Body; type F = Sum;
             fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {{ f.s += {value}; }} }} }}"
        );
        let laws = crate::cuda(module.parse().unwrap()).unwrap();
        laws.iter().map(|law| law.law.as_str()).collect()
    }

    const MULTIPLIER: &str = "3528531795u";

    #[test]
    fn functions_are_added_once_for_each_number_of_words() {
        let found =
            text("", "random(i.id, j.id) + random(1, random_bits(2, j.id)) - gaussian(1, 2, j.id)");
        assert_eq!(found.matches(&format!("low0 = c0 * {MULTIPLIER}")).count(), 3, "{found}");
        assert!(!text("", "i.id as Real").contains(MULTIPLIER));
    }

    #[test]
    fn functions_of_the_module_come_first() {
        let own = "fn random(a: u32, b: u32) -> Real { (a + b) as Real }";
        assert!(!text(own, "random(i.id, j.id)").contains(MULTIPLIER));
        let helper = "fn by_name(a: u32) -> Real { random(a, 1) }";
        assert!(text(helper, "by_name(j.id)").contains(MULTIPLIER));
        // Names that the added function has or would have.
        let same = "fn __random_2(random: u32) -> Real { random as Real }";
        assert!(text(same, "__random_2(i.id) + random(self.seed, j.id)").contains(MULTIPLIER));
    }
}
