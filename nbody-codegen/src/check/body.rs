//! Checks statements.

use std::collections::{HashMap, HashSet};

use quote::ToTokens;
use syn::{Block, Expr, Ident, Local, Pat};

use crate::check::advice::operators::of_value;
use crate::check::control::is_simple_if;
use crate::check::scope::{Binding, Scopes};
use crate::check::{Items, operator, types};
use crate::comments::Comments;
use crate::diagnostics::Site;
use crate::ir::{
    self, Body, ExprKind, FieldId, Function, Input, List, LocalId, Reduction, Roles, Stmt,
    StmtKind, StructId, Type,
};
use crate::message::{self, Message};
use crate::names::Unique;
use crate::syntax::{self, without_groups};

/// Checks one body, statement by statement.
pub(crate) struct BodyChecker<'a> {
    pub items: &'a Items<'a>,
    pub scopes: Scopes,
    pub locals: List<ir::Local>,
    /// Structs of the parameters, of the particles, and of results that are read.
    pub records: Vec<(Input, StructId)>,
    pub output: Option<StructId>,
    /// Whether the body may change the particle, as an update does.
    pub changes: bool,
    pub returns: Returns,
    names: Unique,
    space: String,
    comments: Comments,
    /// Comments of the statement that is being checked.
    pub pending: Vec<String>,
    /// Statements so far in each open block.
    pub open: Vec<Vec<Stmt>>,
    /// Fields of the result that are accumulated, or fields of the particle that are changed.
    pub accumulated: HashSet<FieldId>,
    /// Variables that a number declared, with the name and the number.
    pub numbers: HashMap<LocalId, (String, String)>,
    /// Whether the value of an assignment to a result, which was refused, may read the result.
    pub reads_output: bool,
    /// Names of records that variables hide.
    pub hidden: HashSet<String>,
}

/// Advice for statements that the language does not have.
const STATEMENTS: &str =
    "a body is made of `let`, assignments, `f.field += ...`, `if`, `for` and `return`";
const CONSTANTS: &str = "write a `let`, or put the constant beside the structs, where all functions of the module see it";
const NO_WHILE: &str =
    "write a `for` to the largest bound, with an `if` inside: `for k in 0..8 { if ... { ... } }`";
const NO_JUMP: &str = "put an `if` around the rest of the iteration";

/// Type that a function returns.
#[derive(Clone, Copy)]
pub(crate) enum Returns {
    Nothing,
    Value(Type),
    /// A type that was refused already.
    Unknown,
}

impl<'a> BodyChecker<'a> {
    pub fn new(items: &'a Items<'a>, block: &Block) -> Self {
        let mut names = items.names.clone();
        let space = names.name("space");
        Self {
            items,
            scopes: Scopes::default(),
            locals: List::default(),
            records: Vec::new(),
            output: None,
            changes: false,
            returns: Returns::Nothing,
            names,
            space,
            comments: Comments::of(block),
            pending: Vec::new(),
            open: vec![Vec::new()],
            accumulated: HashSet::new(),
            numbers: HashMap::new(),
            reads_output: false,
            hidden: HashSet::new(),
        }
    }

    /// Binds the names of a function's parameters: `self`, then one name for each of `records`,
    /// then the result, if there is one.
    pub fn roles(
        &mut self,
        names: &[Ident],
        records: &[(Input, StructId)],
        output: Option<StructId>,
    ) -> Roles {
        self.records = records.to_vec();
        self.output = output;
        self.scopes.bind("self".to_owned(), Binding::Input(Input::Parameters));
        let inputs = records.iter().map(|(input, _)| *input);
        let inputs = inputs.filter(|input| *input != Input::Parameters);
        let mut names = names.iter();
        let mut of_inputs = Vec::new();
        for (input, name) in inputs.zip(&mut names) {
            self.scopes.bind(name.to_string(), Binding::Input(input));
            of_inputs.push((input, self.names.name(&name.to_string())));
        }
        let result = names.next().map(ToString::to_string);
        if let Some(name) = &result {
            self.scopes.bind(name.clone(), Binding::Output);
        }
        let f = self.names.name(result.as_deref().unwrap_or("f"));
        Roles { inputs: of_inputs, f, index: self.names.name("index"), g: None }
    }

    /// Returns the struct of the result.
    pub fn result(&self) -> StructId {
        self.output.expect("a result is bound with its name")
    }

    /// Declares a variable with a name that is unique in the body.
    pub fn declare(&mut self, ident: &Ident, ty: Type, mutable: bool) -> LocalId {
        let name = ident.to_string();
        let unique = self.names.name(&name);
        let span = ident.span();
        let may_be_unused = name.starts_with('_');
        let local = ir::Local { name: unique, may_be_unused, span, ty, mutable, range: None };
        let id = self.locals.push(local);
        self.scopes.bind(name, Binding::Local(id));
        id
    }

    /// Refuses fields of the result that no statement accumulates into. The function calls the
    /// result `name`.
    pub fn refuse_unused(&self, output: StructId, name: &Ident, function: &str) {
        let fields = self.items.structs.fields(output);
        for (_, field) in fields.filter(|(id, _)| !self.accumulated.contains(id)) {
            if field.is_refused {
                continue;
            }
            let how = match field.ty {
                Type::Reduced(Reduction::Count) => " += 1;",
                Type::Reduced(Reduction::Max) => ".max(...);",
                Type::Reduced(_) => ".min(...);",
                Type::Array(_) => "[k] += ...;",
                _ => " += ...;",
            };
            let missing = format!("{name}.{}{how}", field.ident);
            let arguments = [&*field.ident.to_string(), &missing, function];
            self.items.cx.error(Site::of(&field.ident), &message::UNUSED_OUTPUT, &arguments);
        }
    }

    /// Returns the body after all statements are checked; `functions` has all functions that it
    /// may call.
    pub fn finish(
        mut self,
        functions: &List<Function>,
        block: &Block,
        value: Option<ir::Expr>,
    ) -> Body {
        let mut comments = self.pending;
        comments.extend(self.comments.rest_of(block));
        let statements = self.open.pop().expect("the block of the function itself is open");
        Body::new(functions, self.locals, statements, value, (self.space, comments))
    }

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

    /// Adds a statement to the innermost open block.
    pub fn push(&mut self, kind: StmtKind) {
        let comments = std::mem::take(&mut self.pending);
        self.block().push(Stmt { lints: Vec::new(), comments, behind: None, kind });
    }

    /// The statements of the innermost open block.
    fn block(&mut self) -> &mut Vec<Stmt> {
        self.open.last_mut().expect("the block of the function itself is open")
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
            let local = self.declare(name, ty, mutable);
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
            Expr::Binary(binary) if operator::assigned(&binary.op).is_some() => {
                let op = operator::assigned(&binary.op).expect("it is one");
                self.refuse_assignment(binary, &op);
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
