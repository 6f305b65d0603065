//! Checks statements.

use quote::ToTokens;
use syn::{Block, Expr, Local, Pat};

use crate::check::advice::operators::of_value;
use crate::check::body::BodyChecker;
use crate::check::control::is_simple_if;
use crate::check::scope::Binding;
use crate::check::{operator, types};
use crate::diagnostics::Site;
use crate::ir::{self, ExprKind, StmtKind};
use crate::message::{self, Message};
use crate::syntax::{self, without_groups};

/// Advice for statements that the language does not have.
const STATEMENTS: &str =
    "a body is made of `let`, assignments, `f.field += ...`, `if`, `for` and `return`";
const CONSTANTS: &str = "write a `let`, or put the constant beside the structs, where all functions of the module see it";
const NO_WHILE: &str =
    "write a `for` to the largest bound, with an `if` inside: `for k in 0..8 { if ... { ... } }`";
const NO_JUMP: &str = "put an `if` around the rest of the iteration";

impl BodyChecker<'_> {
    /// Checks a block that gives no value.
    pub fn block_without_value(&mut self, block: &Block) {
        self.scopes.enter();
        for statement in &block.stmts {
            self.statement(statement);
        }
        self.scopes.leave();
    }

    /// Checks a block that ends with a value; `message` is reported for a block without one. The
    /// comments before the value stay pending.
    pub fn block_value(
        &mut self,
        block: &Block,
        (site, missing, arguments): (Site, &Message, &[&str]),
    ) -> Option<ir::Expr> {
        self.scopes.enter();
        let (value, before) = match block.stmts.split_last() {
            Some((syn::Stmt::Expr(value, None), before)) if !is_statement(value) => {
                (Some(value), before)
            }
            _ => (None, &block.stmts[..]),
        };
        for statement in before {
            self.statement(statement);
        }
        let checked = if let Some(value) = value {
            self.pending = self.comments.before(value);
            self.expr(value)
        } else {
            self.items.cx.error(site, missing, arguments);
            None
        };
        self.scopes.leave();
        checked
    }

    fn statement(&mut self, statement: &syn::Stmt) {
        self.pending = self.comments.before(statement);
        let last = self.block().last();
        if last.is_some_and(|last| matches!(last.kind, StmtKind::Return { .. })) {
            self.items.cx.error(Site::of(statement), &message::UNREACHABLE, &[]);
        }
        let lints = syntax::statement_attributes(self.items.cx, statement);
        let before = self.block().len();
        match statement {
            syn::Stmt::Local(local) => {
                self.let_(local);
            }
            // A lone semicolon.
            syn::Stmt::Expr(Expr::Verbatim(nothing), _) if nothing.is_empty() => {}
            syn::Stmt::Expr(expr, _) => self.expr_statement(expr),
            syn::Stmt::Item(syn::Item::Const(item)) => {
                self.refuse_statement(item, "a constant in a body", CONSTANTS);
            }
            syn::Stmt::Item(item) => self.refuse_statement(item, "an item", STATEMENTS),
            syn::Stmt::Macro(call) => self.refuse_statement(call, "a macro call", STATEMENTS),
        }
        // Lowering may turn one statement into several.
        let is_let = matches!(statement, syn::Stmt::Local(_));
        for stmt in &mut self.block()[before..] {
            if !is_let || matches!(stmt.kind, StmtKind::Let { .. } | StmtKind::Declare { .. }) {
                stmt.lints.splice(..0, lints.iter().cloned());
            }
        }
        let end = Site::of(statement).end();
        if let Some(behind) = self.comments.behind(end)
            && let Some(last) = self.block().last_mut()
        {
            last.behind = Some(behind);
        }
    }

    fn refuse_statement(&self, at: &impl ToTokens, name: &str, help: &str) {
        self.items.cx.error(Site::of(at), &message::STATEMENT, &[name, help]);
    }

    fn let_(&mut self, local: &Local) -> Option<()> {
        let cx = self.items.cx;
        let (pattern, written) = match &local.pat {
            Pat::Type(pattern) => (&*pattern.pat, Some(&pattern.ty)),
            pattern => (pattern, None),
        };
        let declared = written.map(|ty| types::check(cx, ty, self.items.constants));
        let Pat::Ident(binding) = pattern else {
            cx.error(Site::of(pattern), &message::LET_PATTERN, &[]);
            self.scopes.bind_unknown(pattern.to_token_stream());
            return None;
        };
        if binding.by_ref.is_some() || binding.subpat.is_some() {
            cx.error(Site::of(pattern), &message::LET_PATTERN, &[]);
        }
        let name = &binding.ident;
        let init = local.init.as_ref().filter(|init| init.diverge.is_none());
        let Some(init) = init else {
            cx.error(Site::of(name), &message::LET_INIT, &[&name.to_string()]);
            self.scopes.bind_unknown(pattern.to_token_stream());
            return None;
        };
        let mutable = binding.mutability.is_some();
        let checked = match &*init.expr {
            Expr::If(choice) if !is_simple_if(choice) => {
                self.choice(choice, Some((name, mutable))).map(|chosen| (None, chosen.ty))
            }
            expr => self.expr(expr).map(|value| {
                let ty = value.ty;
                (Some(value), ty)
            }),
        };
        let declared_unknown = declared == Some(None);
        let declared = declared.flatten();
        let Some((value, ty)) = checked.filter(|_| !declared_unknown) else {
            // The name is still bound, so that its uses cause no further errors.
            if let Some(ty) = declared {
                self.declare(name, ty, true);
            } else {
                self.scopes.bind(name.to_string(), Binding::Unknown);
            }
            return None;
        };
        if let Some(declared) = declared.filter(|declared| *declared != ty) {
            let help = value.as_ref().and_then(|value| of_value(value, declared));
            let help = help.unwrap_or_else(|| "remove the type, or convert the value".to_owned());
            let arguments = [&*ty.to_string(), &declared.to_string(), &help];
            cx.error(Site::of(&init.expr), &message::LET_TYPE, &arguments);
            self.declare(name, declared, mutable);
            return None;
        }
        if let Some(value) = value {
            let number = match &value.kind {
                ExprKind::U32(n) => Some(n.to_string()),
                ExprKind::Real(text) => Some(text.clone()),
                _ => None,
            };
            let known = self.known_range(&value).filter(|_| !mutable && ty == ir::Type::U32);
            let local = self.declare(name, ty, mutable);
            self.known.extend(known.map(|range| (local, range)));
            if let Some(number) = number {
                self.numbers.insert(local, (name.to_string(), number));
            }
            self.push(StmtKind::Let { local, value });
        }
        Some(())
    }

    pub fn expr_statement(&mut self, expr: &Expr) {
        match expr {
            Expr::Group(group) => self.expr_statement(&group.expr),
            Expr::If(choice) => {
                self.if_(choice);
            }
            Expr::Block(block) if block.label.is_none() => self.block_without_value(&block.block),
            Expr::Assign(assign) => {
                self.assign(&assign.left, None, &assign.right);
            }
            Expr::Binary(binary) if operator::assignment(&binary.op).is_some() => {
                let op = operator::assignment(&binary.op);
                self.assign(&binary.left, op, &binary.right);
            }
            Expr::ForLoop(turns) if turns.label.is_none() => {
                self.for_(turns);
            }
            Expr::Return(guard) => {
                self.return_(guard);
            }
            Expr::Break(_) => self.refuse_statement(expr, "`break`", NO_JUMP),
            Expr::Continue(_) => self.refuse_statement(expr, "`continue`", NO_JUMP),
            Expr::While(_) => self.refuse_statement(expr, "`while`", NO_WHILE),
            Expr::Loop(_) => self.refuse_statement(expr, "`loop`", NO_WHILE),
            Expr::Macro(_) => self.refuse_statement(expr, "a macro call", STATEMENTS),
            Expr::Match(_) => self.refuse_statement(expr, "`match`", "use `if` and `else`"),
            Expr::MethodCall(call) if self.is_result(&call.receiver) => {
                self.reduce(call);
            }
            Expr::Call(call) if self.is_unknown_function(call) => {
                self.expr(expr);
            }
            _ => self.items.cx.error(Site::of(expr), &message::NO_EFFECT, &[]),
        }
    }
}

/// Tests whether an expression is a statement even where a value is expected: a loop, or an `if`
/// that guards.
fn is_statement(expr: &Expr) -> bool {
    match without_groups(expr) {
        Expr::ForLoop(_) => true,
        Expr::If(guard) => {
            let last = guard.then_branch.stmts.last();
            let gives = |last| matches!(last, &syn::Stmt::Expr(ref e, None) if !matches!(e, Expr::Return(_)));
            guard.else_branch.is_none() && !last.is_some_and(gives)
        }
        _ => false,
    }
}
