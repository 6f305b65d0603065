//! Checks `if`, `for` and `return`.

use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Block, Expr, ExprIf, Ident};

use crate::check::advice::operators::{of_condition, of_value};
use crate::check::advice::{operand, written};
use crate::check::body::{BodyChecker, Returns};
use crate::check::constant;
use crate::check::expr::of_branches;
use crate::diagnostics::Site;
use crate::ir::{self, Place, Stmt, StmtKind, Type};
use crate::message;
use crate::syntax::{self, without_groups};

impl BodyChecker<'_> {
    pub fn if_(&mut self, choice: &ExprIf) -> Option<()> {
        let condition = self.condition(&choice.cond);
        let comments = std::mem::take(&mut self.pending);
        let yes = self.branch(|this| this.block_without_value(&choice.then_branch)).0;
        let no = match &choice.else_branch {
            None => Vec::new(),
            Some((_, otherwise)) => self.branch(|this| this.expr_statement(otherwise)).0,
        };
        self.pending = comments;
        self.push(StmtKind::If { condition: condition?, yes, no });
        Some(())
    }

    pub fn for_(&mut self, turns: &syn::ExprForLoop) -> Option<()> {
        /// Most iterations of a loop: loops are unrolled.
        const LONGEST: u32 = 1024;
        let cx = self.items.cx;
        let expr = without_groups(&turns.expr);
        let bound = |expr: &Option<Box<Expr>>| {
            let bound = constant::index(expr.as_deref()?, self.items.constants)?;
            u32::try_from(bound).ok()
        };
        let range = match expr {
            Expr::Range(range) if matches!(range.limits, syn::RangeLimits::HalfOpen(_)) => {
                bound(&range.start).zip(bound(&range.end)).map(|(start, end)| start..end)
            }
            _ => None,
        };
        let range = range.filter(|range| !range.is_empty() && range.len() <= LONGEST as usize);
        let name = syntax::plain_name(&turns.pat);
        if range.is_none() {
            cx.error(Site::of(&turns.expr), &message::FOR_RANGE, &[&self.of_range(expr)]);
        }
        if name.is_none() {
            cx.error(Site::of(&turns.pat), &message::FOR_PATTERN, &[]);
        }
        let comments = std::mem::take(&mut self.pending);
        self.scopes.enter();
        // If `for` runs over no range, its variable may have been meant to be of any type.
        let name = name.filter(|_| range.is_some() || matches!(expr, Expr::Range(_)));
        if name.is_none() {
            self.scopes.bind_unknown(turns.pat.to_token_stream());
        }
        let local = name.map(|name| self.declare(&name, Type::U32, false));
        if let Some(local) = local {
            // After an error any range will do, so that the uses of the variable cause no further
            // errors.
            self.locals[local].range = Some(range.clone().unwrap_or(0..1));
        }
        self.loops.extend(local.map(|local| (self.open.len(), local)));
        let body = self.branch(|this| this.block_without_value(&turns.body)).0;
        if local.is_some() {
            self.loops.pop();
        }
        self.scopes.leave();
        self.pending = comments;
        self.push(StmtKind::For { local: local?, range: range?, body });
        Some(())
    }

    /// Advises on an expression that a `for` cannot iterate over.
    fn of_range(&mut self, expr: &Expr) -> String {
        let k = |bound: &Option<Box<Expr>>| bound.as_ref().map(|bound| written(&**bound));
        match expr {
            Expr::Range(range) => {
                let (start, end) = (k(&range.start), k(&range.end));
                let known = |bound: &Option<Box<Expr>>| {
                    bound.as_ref().and_then(|bound| constant::index(bound, self.items.constants))
                };
                match (known(&range.start), known(&range.end), &range.limits) {
                    (Some(start), Some(end), syn::RangeLimits::Closed(_)) => {
                        format!("write `for k in {start}..{} {{ ... }}`", end.saturating_add(1))
                    }
                    (Some(_), Some(_), _) => {
                        "write `for k in 0..3 { ... }`, with 1 to 1024 iterations".to_owned()
                    }
                    _ => {
                        let (start, end) = (start.unwrap_or_default(), end.unwrap_or_default());
                        let test = match known(&range.start) {
                            Some(0) => format!("k < {end}"),
                            _ => format!("k >= {start} && k < {end}"),
                        };
                        format!(
                            "write a `for` to the largest bound, with an `if` inside: `for k in 0..8 {{ if {test} \
                             {{ ... }} }}`"
                        )
                    }
                }
            }
            _ => match self.types_of([expr]) {
                Some([Type::Array(n) | Type::Vector(n)]) => {
                    let element = operand(expr);
                    format!("write `for k in 0..{n} {{ ... }}`, and read elements as `{element}[k]`")
                }
                _ => "write `for k in 0..3 { ... }`; the pairs of a particle are not seen here: `pair` is called \
                      for each"
                    .to_owned(),
            },
        }
    }

    pub fn return_(&mut self, guard: &syn::ExprReturn) -> Option<()> {
        let cx = self.items.cx;
        if self.open.len() == 1 {
            cx.error(Site::of(guard), &message::RETURN_GUARD, &[]);
            return None;
        }
        let value = match (&guard.expr, self.returns) {
            (None, Returns::Nothing) => None,
            (Some(value), Returns::Nothing) => {
                cx.error(Site::of(value), &message::RETURN_VALUE, &[]);
                return None;
            }
            (expr, Returns::Unknown) => {
                self.expr(expr.as_deref()?);
                return None;
            }
            (None, Returns::Value(ty)) => {
                cx.error(Site::of(guard), &message::RETURN_TYPE, &[&ty.to_string()]);
                return None;
            }
            (Some(expr), Returns::Value(ty)) => {
                let value = self.expr(expr)?;
                if value.ty != ty {
                    let help =
                        of_value(&value, ty).unwrap_or_else(|| "convert the value".to_owned());
                    let arguments = [&*value.ty.to_string(), &ty.to_string(), &help];
                    cx.error(Site::of(expr), &message::LET_TYPE, &arguments);
                    return None;
                }
                Some(value)
            }
        };
        self.push(StmtKind::Return { value });
        Some(())
    }

    /// Checks statements into a block of their own.
    fn branch<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> (Vec<Stmt>, T) {
        self.open.push(Vec::new());
        let value = check(self);
        (self.open.pop().expect("a block is closed where it was opened"), value)
    }

    /// Checks an `if` that gives a value: a choice between two expressions if both branches are
    /// single expressions, else a variable that the branches set.
    pub fn choice(&mut self, choice: &ExprIf, name: Option<(&Ident, bool)>) -> Option<ir::Expr> {
        let cx = self.items.cx;
        let condition = self.condition(&choice.cond);
        let Some((_, otherwise)) = &choice.else_branch else {
            cx.error(Site::of(choice), &message::NO_ELSE, &[]);
            return None;
        };
        let comments = std::mem::take(&mut self.pending);
        let (mut yes, yes_value) = self.branch(|this| this.branch_value(&choice.then_branch));
        let (mut no, no_value) = self.branch(|this| match &**otherwise {
            Expr::Block(block) => this.branch_value(&block.block),
            expr => this.expr(expr),
        });
        self.pending = comments;
        let (condition, yes_value, no_value) = (condition?, yes_value?, no_value?);
        let ty = yes_value.ty;
        if ty != no_value.ty {
            let arguments =
                [ty.to_string(), no_value.ty.to_string(), of_branches(&yes_value, &no_value)];
            let arguments = arguments.each_ref().map(String::as_str);
            cx.error(Site::of(choice), &message::BRANCHES, &arguments);
            return None;
        }
        let span = choice.if_token.span();
        if name.is_none() && yes.is_empty() && no.is_empty() {
            let kind = ir::ExprKind::Select(Box::new([condition, yes_value, no_value]));
            return Some(ir::Expr::new(kind, ty, span));
        }
        let unnamed = Ident::new("chosen", span);
        let (name, mutable) = name.unwrap_or((&unnamed, false));
        let local = self.declare(name, ty, mutable);
        for (branch, value) in [(&mut yes, yes_value), (&mut no, no_value)] {
            let place = Place { of: local, whole: ty, component: None };
            let kind = StmtKind::Assign { place, op: None, value };
            branch.push(Stmt { lints: Vec::new(), comments: Vec::new(), behind: None, kind });
        }
        self.push(StmtKind::Declare { local });
        self.push(StmtKind::If { condition, yes, no });
        Some(ir::Expr::new(ir::ExprKind::Local(local), ty, span))
    }

    /// Checks a branch, or a block inside an expression, and returns its value.
    pub fn branch_value(&mut self, block: &Block) -> Option<ir::Expr> {
        let before = std::mem::take(&mut self.pending);
        let value = self.block_value(block, (Site::of(block), &message::BRANCH_VALUE, &[]));
        self.pending.splice(..0, before);
        value
    }

    fn condition(&mut self, expr: &Expr) -> Option<ir::Expr> {
        if let Expr::Let(binding) = expr {
            self.expr(expr);
            self.scopes.bind_unknown(binding.pat.to_token_stream());
            return None;
        }
        let condition = self.expr(expr)?;
        if condition.ty != Type::Bool {
            let found = condition.ty.to_string();
            let help = of_condition((expr, condition.ty));
            self.items.cx.error(Site::of(expr), &message::CONDITION, &[&found, &help]);
            return None;
        }
        Some(condition)
    }
}

/// Tests whether both branches are single expressions.
pub(crate) fn is_simple_if(choice: &ExprIf) -> bool {
    let simple = |block: &Block| matches!(&block.stmts[..], [syn::Stmt::Expr(_, None)]);
    simple(&choice.then_branch)
        && match choice.else_branch.as_ref().map(|(_, otherwise)| &**otherwise) {
            Some(Expr::Block(block)) => simple(&block.block),
            Some(Expr::If(choice)) => is_simple_if(choice),
            _ => true,
        }
}
