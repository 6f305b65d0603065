//! Errors: their places in the source, and the context that collects them.

use std::cell::RefCell;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use crate::message::Message;

/// A place in the user's source, from its first to its last token.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    start: Span,
    end: Span,
}

impl Site {
    /// Covers all tokens of a piece of syntax.
    pub fn of(syntax: &impl ToTokens) -> Self {
        let mut tokens = syntax.to_token_stream().into_iter();
        let start = tokens.next().map_or_else(Span::call_site, |token| token.span());
        let end = tokens.last().map_or(start, |token| token.span());
        Self { start, end }
    }

    /// Covers one token.
    pub fn at(span: Span) -> Self {
        Self { start: span, end: span }
    }

    /// Returns the span of the last token.
    pub fn end(self) -> Span {
        self.end
    }
}

/// A message, and the place in a text that it is about.
#[cfg(feature = "describe")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The line of the first character, from 1 on.
    pub line: usize,
    /// The column of the first character, from 1 on.
    pub column: usize,
    /// The line of the last character, and the column behind it.
    pub end: [usize; 2],
    /// The message; its remedy follows in a line that begins with `help:`.
    pub message: String,
}

/// Collects errors, so that a user sees all of them at once.
///
/// Call [`finish`](Self::finish) at the end: a context that is dropped without it loses errors,
/// which is a bug in this crate and panics in its tests.
pub struct Ctxt {
    errors: RefCell<Option<Vec<(Site, String)>>>,
}

impl Ctxt {
    pub fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Reports an error at `site`. The arguments fill the message's placeholders.
    pub fn error(&self, site: Site, message: &Message, arguments: &[&str]) {
        self.push(site, message.render(arguments));
    }

    /// Passes on an error of the parser.
    pub fn syn_error(&self, error: &syn::Error) {
        for error in error.clone() {
            self.push(Site::at(error.span()), error.to_string());
        }
    }

    /// Runs `act` and forgets the errors that it reports.
    pub fn quietly<T>(&self, act: impl FnOnce() -> T) -> T {
        let before = self.messages().len();
        let done = act();
        self.forget(before);
        done
    }

    /// Forgets all errors after the first `first` ones.
    pub fn forget(&self, first: usize) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.truncate(first);
        }
    }

    fn push(&self, site: Site, text: String) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push((site, text));
        }
    }

    /// Returns the texts of the errors so far.
    pub fn messages(&self) -> Vec<String> {
        let errors = self.errors.borrow();
        errors.iter().flatten().map(|(_, text)| text.clone()).collect()
    }

    /// Returns the errors with their places in the text that was parsed in this thread.
    #[cfg(feature = "describe")]
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        let diagnostic = |(site, message): (Site, String)| {
            let (start, end) = (site.start.start(), site.end.end());
            let end = [end.line, end.column + 1];
            Diagnostic { line: start.line, column: start.column + 1, end, message }
        };
        errors.into_iter().map(diagnostic).collect()
    }

    /// Returns `Err` with a `compile_error!` for each error, if there are any.
    pub fn finish(self) -> Result<(), TokenStream> {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        if errors.is_empty() {
            return Ok(());
        }
        Err(errors.iter().map(|(site, text)| compile_error(*site, text)).collect())
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        debug_assert!(
            std::thread::panicking() || self.errors.borrow().is_none(),
            "errors were collected and not looked at"
        );
    }
}

fn compile_error(site: Site, text: &str) -> TokenStream {
    let path = quote_spanned!(site.start=> ::core::compile_error);
    let call = quote_spanned!(site.end=> !{ #text });
    quote::quote!(#path #call)
}
