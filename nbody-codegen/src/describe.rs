//! Describes the declarations of a text as values, for laws that are made at run time.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{File, Item, ItemMod};

use crate::check;
use crate::diagnostics::{Ctxt, Site};
use crate::ir::{self, Module, Named, ProgramKind};
use crate::texts::Derived;
use crate::{Cuda, ParticleCuda, fragments, message, nesting, reach, syntax};

pub use crate::diagnostics::Diagnostic;
pub use crate::ir::{Extremum, Input, Operations, Reduction, Type};
pub use crate::reach::{Id, Step};
pub use crate::separable::{Carried, ChargeSum, Separable};

/// The longest text, in bytes.
const LONGEST: usize = 1 << 18;
/// The most items of all modules: names are looked up among all of them.
const MOST_ITEMS: usize = 1000;
/// The longest number or name, in characters: numbers are read digit by digit.
const LONGEST_WORD: usize = 1000;
/// The stack of the thread that compiles, in bytes: several times the stack of the deepest
/// expression without optimisation.
const STACK: usize = 64 << 20;

/// The declarations of a text.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The interactions.
    pub laws: Vec<LawDescription>,
    /// The updates, measures and tuples.
    pub programs: Vec<ProgramDescription>,
}

/// An interaction.
#[derive(Clone, Debug)]
pub struct LawDescription {
    /// Its name and texts.
    pub text: Cuda,
    /// Whether a particle interacts with itself.
    pub self_pairs: bool,
    /// The cutoff, if there is one.
    pub cutoff: Option<CutoffDescription>,
    /// The charges of j, or the reason why there are none.
    pub charges: Result<Separable, String>,
    /// The cost of one ordered pair.
    pub operations: Operations,
    /// A bound of the numbers that one pair adds to counts, if it is known.
    pub most_counted: Option<u32>,
    /// The cost of both directions at once, where such a form exists.
    pub third_law: Option<Operations>,
    /// The parameters, the i-particle, the j-particle and the result.
    pub records: [Fields; 4],
}

/// A cutoff.
#[derive(Clone, Debug)]
pub struct CutoffDescription {
    /// The program of interval arithmetic that bounds it.
    pub steps: Vec<Step>,
    /// The numbers of an i-particle and of a j-particle that it reads.
    pub reads: [Vec<usize>; 2],
}

/// An update, a measure or a tuple.
#[derive(Clone, Debug)]
pub struct ProgramDescription {
    /// Its name and texts.
    pub text: ParticleCuda,
    /// The cost for one particle.
    pub operations: Operations,
    /// The number of particles of a tuple; 0 for a program per particle.
    pub members: usize,
    /// The number of expressions that read second particles by an index.
    pub gathers: usize,
    /// Whether an update assigns each field of the particle; empty for others.
    pub changes: Vec<bool>,
    /// The parameters, the particle, the record of a tuple, and the total of a measure or the result
    /// of a particle of a tuple; empty where there is none.
    pub records: [Fields; 4],
    /// The second particles, the results and the totals that it reads.
    pub beside: [Vec<Fields>; 3],
}

/// The fields of a struct: names and types.
pub type Fields = Vec<(String, Type)>;

/// Compiles the declarations of a text.
///
/// A text is the inside of a module, or one or more modules. In a source file of Rust the modules
/// with the attribute `#[nbody::interaction]` count, and everything else is ignored.
pub fn describe(text: &str) -> Result<Description, Vec<Diagnostic>> {
    in_thread(|| compile(text), |message| vec![message])
}

/// Compiles in a thread with a large stack; its error is the message that there is none.
pub(crate) fn in_thread<T: Send, E: Send>(
    compile: impl FnOnce() -> Result<T, E> + Send,
    no_thread: impl FnOnce(Diagnostic) -> E,
) -> Result<T, E> {
    // The parser keeps the places of tokens for each thread: they go with the thread.
    let compiled = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn_scoped(scope, compile).map(std::thread::ScopedJoinHandle::join)
    });
    match compiled {
        Ok(Ok(compiled)) => compiled,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => {
            let message = format!("there is no thread to compile with: {error}");
            Err(no_thread(Diagnostic { line: 1, column: 1, end: [1, 1], message }))
        }
    }
}

/// A module of a text, as it was written and as it was checked.
pub(crate) struct Source {
    pub written: syntax::Module,
    pub checked: Module,
}

impl Source {
    /// Reads a module; `None` after errors.
    pub fn of(cx: &Ctxt, module: TokenStream) -> Option<Self> {
        let written = syntax::Module::parse(cx, module)?;
        let checked = check::check(cx, &written)?;
        Some(Self { written, checked })
    }
}

/// Reads the modules of a text, and refuses two declarations of one name.
pub(crate) fn sources(cx: &Ctxt, text: &str) -> Vec<Source> {
    let modules = modules(cx, text).into_iter();
    let sources: Vec<_> =
        modules.filter_map(|module| Source::of(cx, module.into_token_stream())).collect();
    for (k, source) in sources.iter().enumerate() {
        let others = sources[..k].iter().flat_map(|source| names(&source.checked));
        let others: Vec<_> = others.map(|(name, _)| name).collect();
        for (name, struct_) in names(&source.checked).filter(|(name, _)| others.contains(name)) {
            cx.error(Site::of(struct_), &message::TWO_LAWS, &[name]);
        }
    }
    sources
}

fn compile(text: &str) -> Result<Description, Vec<Diagnostic>> {
    let cx = Ctxt::new();
    let sources = sources(&cx, text);
    if !cx.messages().is_empty() {
        return Err(cx.diagnostics());
    }
    let _none = cx.finish();
    let modules = || sources.iter().map(|source| &source.checked);
    Ok(Description {
        laws: modules().flat_map(laws).collect(),
        programs: modules().flat_map(programs).collect(),
    })
}

/// Returns the modules of the text.
fn modules(cx: &Ctxt, text: &str) -> Vec<ItemMod> {
    let all = Site::at(Span::call_site());
    if text.len() > LONGEST {
        cx.error(all, &message::TEXT_LENGTH, &[&LONGEST.to_string()]);
        return Vec::new();
    }
    let tokens: TokenStream = match text.parse() {
        Ok(tokens) => tokens,
        Err(error) => {
            let error: proc_macro2::LexError = error;
            cx.error(Site::at(error.span()), &message::TOKEN, &[]);
            return Vec::new();
        }
    };
    if let Some(span) = long_word(tokens.clone()) {
        cx.error(Site::at(span), &message::WORD_LENGTH, &[&LONGEST_WORD.to_string()]);
        return Vec::new();
    }
    let tokens = nesting::check(cx, tokens);
    if !cx.messages().is_empty() {
        return Vec::new();
    }
    let file: File = match syn::parse2(fragments::spliced(tokens)) {
        Ok(file) => file,
        Err(error) => {
            cx.syn_error(&error);
            return Vec::new();
        }
    };
    let mut marked = Vec::new();
    find_marked(&file.items, &mut marked);
    let is_module = |item: &Item| matches!(item, Item::Mod(module) if module.content.is_some());
    let found = if !marked.is_empty() {
        marked
    } else if file.items.iter().any(is_module)
        && file.items.iter().all(|item| is_module(item) || matches!(item, Item::Use(_)))
    {
        let module = |item| if let Item::Mod(module) = item { Some(module) } else { None };
        file.items.into_iter().filter_map(module).collect()
    } else if file.items.is_empty() {
        Vec::new()
    } else {
        let (name, items) = (Ident::new("declarations", Span::call_site()), file.items);
        vec![syn::parse_quote!(mod #name { #(#items)* })]
    };
    if found.is_empty() {
        cx.error(all, &message::NO_DECLARATION, &[]);
    }
    let mut items = found.iter().flat_map(|module| &module.content).flat_map(|(_, items)| items);
    if let Some(first) = items.nth(MOST_ITEMS) {
        cx.error(Site::of(first), &message::ITEMS, &[&MOST_ITEMS.to_string()]);
        return Vec::new();
    }
    found
}

/// Finds a number or name that is too long.
fn long_word(tokens: TokenStream) -> Option<Span> {
    let mut open = vec![tokens.into_iter()];
    while let Some(innermost) = open.last_mut() {
        match innermost.next() {
            None => _ = open.pop(),
            Some(TokenTree::Group(group)) => open.push(group.stream().into_iter()),
            Some(TokenTree::Punct(_)) => {}
            Some(word) => {
                let text = word.to_string();
                // Comments are strings.
                let is_word =
                    text.starts_with(char::is_alphanumeric) && !text.ends_with(['"', '#']);
                if is_word && text.len() > LONGEST_WORD {
                    return Some(word.span());
                }
            }
        }
    }
    None
}

/// Finds the modules with the attribute `interaction`, and removes the attribute.
fn find_marked(items: &[Item], found: &mut Vec<ItemMod>) {
    for item in items {
        let Item::Mod(module) = item else { continue };
        let mut module = module.clone();
        let all = module.attrs.len();
        let names =
            |path: &syn::Path| path.segments.last().is_some_and(|it| it.ident == "interaction");
        module.attrs.retain(|attr| !names(attr.path()));
        if module.attrs.len() < all {
            found.push(module);
        } else if let Some((_, items)) = &module.content {
            find_marked(items, found);
        }
    }
}

/// Returns the names of the declarations of a module, with their structs.
fn names(module: &Module) -> impl Iterator<Item = (&str, &Ident)> {
    let laws = module.interactions.iter().map(|it| (&*it.name, &it.parameters.ident));
    laws.chain(module.programs.iter().map(|it| (&*it.name, &it.parameters.ident)))
}

fn laws(module: &Module) -> impl Iterator<Item = LawDescription> {
    module.interactions.iter().map(|it| {
        let derived = Derived::of(module, it);
        LawDescription {
            text: Cuda::of(module, it, &derived),
            self_pairs: it.self_pairs,
            cutoff: reach::program(module, it)
                .map(|steps| CutoffDescription { steps, reads: it.cutoff_reads(module) }),
            operations: it.operations(&it.pair.body),
            most_counted: it.most_counted(module),
            third_law: derived.both.map(|both| it.operations(&both.body)),
            charges: derived.charges,
            records: [&it.parameters, &it.i, &it.j, &it.f].map(|named| fields(module, named)),
        }
    })
}

fn programs(module: &Module) -> impl Iterator<Item = ProgramDescription> {
    module.programs.iter().map(|it| {
        let changes = match &it.kind {
            ProgramKind::Update(changes) => changes.clone(),
            ProgramKind::Measure(_) | ProgramKind::Tuple(..) => Vec::new(),
        };
        let records = [Some(&it.parameters), Some(&it.p), it.record.as_ref(), it.output()];
        let several = |named: &[Named]| named.iter().map(|it| fields(module, it)).collect();
        ProgramDescription {
            text: ParticleCuda::of(module, it),
            operations: it.body.summary.operations,
            members: it.members(),
            gathers: it.gathers(),
            changes,
            records: records.map(|named| named.map_or_else(Vec::new, |it| fields(module, it))),
            beside: [several(&it.q), several(&it.f), several(&it.g)],
        }
    })
}

fn fields(module: &Module, named: &Named) -> Fields {
    let ir::Struct { fields, .. } = &module[named.id];
    fields.iter().map(|field| (field.ident.to_string(), field.ty)).collect()
}
