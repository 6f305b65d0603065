//! Collects the `//` comments of a function body. They are not tokens, so they are read from the
//! source text and handed out again as the statements are lowered.

use std::collections::VecDeque;

use proc_macro2::Span;
use syn::Block;
use syn::spanned::Spanned;

/// Comments of one body that were not handed out yet, in order of lines.
#[derive(Default)]
pub struct Comments {
    rest: VecDeque<Comment>,
}

struct Comment {
    line: usize,
    text: String,
    after_code: bool,
}

impl Comments {
    /// Reads the comments of a body; finds none where the compiler keeps no source text.
    pub fn of(block: &Block) -> Self {
        let span = block.brace_token.span.join();
        let first = span.start().line;
        let source = span.source_text().filter(|_| first > 0).unwrap_or_default();
        let rest =
            source.lines().enumerate().filter_map(|(k, line)| comment(first + k, line)).collect();
        Self { rest }
    }

    /// Takes the comments on lines of their own before this piece of code.
    pub fn before(&mut self, code: &impl Spanned) -> Vec<String> {
        self.until(code.span().start().line)
    }

    /// Takes the comment after this piece of code, if it has one.
    pub fn behind(&mut self, end: Span) -> Option<String> {
        let line = end.end().line;
        let next = self.rest.front()?;
        if next.line == line && next.after_code {
            return self.rest.pop_front().map(|comment| comment.text);
        }
        None
    }

    /// Takes the remaining comments up to the end of a block.
    pub fn rest_of(&mut self, block: &Block) -> Vec<String> {
        self.until(block.brace_token.span.close().end().line)
    }

    fn until(&mut self, line: usize) -> Vec<String> {
        let count = self.rest.iter().take_while(|comment| comment.line < line).count();
        self.rest.drain(..count).map(|comment| comment.text).collect()
    }
}

/// Returns the `//` comment on a line. Bodies contain no strings: `//` always starts a comment.
fn comment(line: usize, source: &str) -> Option<Comment> {
    let (code, text) = source.split_once("//")?;
    let text = text.trim_start_matches('/').trim().to_owned();
    Some(Comment { line, text, after_code: !code.trim().is_empty() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_with_their_lines() {
        let block: Block =
            syn::parse_str("{\n// first\nlet a = 1.0; // behind\n\n    // last\n}").unwrap();
        let mut comments = Comments::of(&block);
        let stmt = &block.stmts[0];
        assert_eq!(comments.before(stmt), ["first"]);
        assert_eq!(comments.behind(stmt.span()), Some("behind".to_owned()));
        assert_eq!(comments.rest_of(&block), ["last"]);
    }
}
