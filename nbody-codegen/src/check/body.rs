//! Statements.

use std::collections::HashSet;

use quote::ToTokens;
use syn::{Block, Expr, Ident, Local, Pat};

use crate::check::control::is_simple_if;
use crate::check::expr::real_of;
use crate::check::scope::{Binding, Scopes};
use crate::check::{Items, operator, types};
use crate::comments::Comments;
use crate::diagnostics::Site;
use crate::ir::{
    self, Accumulate, BinaryOp, Body, FieldName, Index, Input, LocalId, Place, Reduction, Roles,
    Side, Stmt, StmtKind, Struct, Type,
};
use crate::message::{self, Message, suggestion};
use crate::names::Unique;
use crate::syntax::{self, without_groups};

/// Checks one body, statement by statement.
pub(crate) struct BodyChecker<'a> {
    pub items: &'a Items<'a>,
    pub scopes: Scopes,
    pub locals: Vec<ir::Local>,
    /// The structs behind the parameters, i and j, in `pair`.
    pub records: Option<[&'a Struct; 3]>,
    pub output: Option<&'a Struct>,
    pub returns: Returns,
    names: Unique,
    space: String,
    comments: Comments,
    /// The comments of the statement that is being checked.
    pub pending: Vec<String>,
    /// The statements so far of each block that is open.
    pub open: Vec<Vec<Stmt>>,
    accumulated: HashSet<String>,
}

/// What to write instead of statements that the language does not have.
const STATEMENTS: &str =
    "a body is made of `let`, assignments, `f.field += ...`, `if`, `for` and `return`";
const NO_WHILE: &str =
    "write a `for` to the largest bound, with an `if` inside: `for k in 0..8 { if ... { ... } }`";
const NO_JUMP: &str = "put an `if` around the rest of the turn";

/// What a function gives back.
#[derive(Clone, Copy)]
pub(crate) enum Returns {
    Nothing,
    Value(Type),
    /// A type that was refused already.
    Unknown,
}

/// What an assignment changes.
enum Target {
    Local(Place<LocalId>),
    Output(Place<FieldName>),
}

impl<'a> BodyChecker<'a> {
    pub fn new(items: &'a Items<'a>, block: &Block) -> Self {
        let mut names = items.names.clone();
        let space = names.name("space");
        Self {
            items,
            scopes: Scopes::default(),
            locals: Vec::new(),
            records: None,
            output: None,
            returns: Returns::Nothing,
            names,
            space,
            comments: Comments::of(block),
            pending: Vec::new(),
            open: vec![Vec::new()],
            accumulated: HashSet::new(),
        }
    }

    /// Binds the names of the parameters of `pair`, or of those that it has.
    pub fn roles(
        &mut self,
        names: &[Ident],
        records: [&'a Struct; 3],
        output: Option<&'a Struct>,
    ) -> Roles {
        self.records = Some(records);
        self.output = output;
        self.scopes.bind("self".to_owned(), Binding::Input(Input::Parameters));
        let bindings = [Binding::Input(Input::I), Binding::Input(Input::J), Binding::Output];
        for (name, binding) in names.iter().zip(bindings) {
            self.scopes.bind(name.to_string(), binding);
        }
        let mut names = names.iter();
        let mut name = |otherwise: &str| {
            let name = names.next().map_or(otherwise.to_owned(), ToString::to_string);
            self.names.name(&name)
        };
        Roles { i: name("i"), j: name("j"), f: name("f"), index: name("index"), g: None }
    }

    /// A new variable under a name that nothing else in the body has.
    pub fn declare(&mut self, ident: &Ident, ty: Type, mutable: bool) -> LocalId {
        let name = ident.to_string();
        let id = self.locals.len();
        let unique = self.names.name(&name);
        let span = ident.span();
        let may_be_unused = name.starts_with('_');
        let local = ir::Local { name: unique, may_be_unused, span, ty, mutable, range: None };
        self.locals.push(local);
        self.scopes.bind(name, Binding::Local(id));
        id
    }

    /// The fields of the result that nothing was accumulated into.
    pub fn unused_outputs(&self, output: &'a Struct) -> impl Iterator<Item = &'a ir::Field> {
        let fields = output.fields.iter();
        fields.filter(|field| !self.accumulated.contains(&field.ident.to_string()))
    }

    /// The statements, once all are checked.
    pub fn finish(mut self, block: &Block) -> Body {
        let mut comments = self.pending;
        comments.extend(self.comments.rest_of(block));
        let (locals, space) = (self.locals, self.space);
        Body { locals, statements: self.open.pop().unwrap_or_default(), space, comments }
    }

    /// Checks a block that gives no value.
    pub fn block_without_value(&mut self, block: &Block) {
        self.scopes.enter();
        for statement in &block.stmts {
            self.statement(statement);
        }
        self.scopes.leave();
    }

    /// Checks a block that ends with a value; the message is for one that does not. The comments
    /// before the value stay pending.
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
        let last = self.open.last().and_then(|block| block.last());
        if last.is_some_and(|last| matches!(last.kind, StmtKind::Return { .. })) {
            self.items.cx.error(Site::of(statement), &message::UNREACHABLE, &[]);
        }
        let lints = syntax::statement_attributes(self.items.cx, statement);
        let before = self.open.last().map_or(0, Vec::len);
        match statement {
            syn::Stmt::Local(local) => {
                self.let_(local);
            }
            // A semicolon by itself.
            syn::Stmt::Expr(Expr::Verbatim(nothing), _) if nothing.is_empty() => {}
            syn::Stmt::Expr(expr, _) => self.expr_statement(expr),
            syn::Stmt::Item(item) => self.refuse_statement(item, "an item", STATEMENTS),
            syn::Stmt::Macro(call) => self.refuse_statement(call, "a macro call", STATEMENTS),
        }
        // One statement may have become several.
        let is_let = matches!(statement, syn::Stmt::Local(_));
        for stmt in self.open.last_mut().iter_mut().flat_map(|block| block.iter_mut().skip(before))
        {
            if !is_let || matches!(stmt.kind, StmtKind::Let { .. } | StmtKind::Declare { .. }) {
                stmt.lints.splice(..0, lints.iter().cloned());
            }
        }
        let end = Site::of(statement).end();
        if let Some(behind) = self.comments.behind(end)
            && let Some(last) = self.open.last_mut().and_then(|block| block.last_mut())
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
        if let Some(block) = self.open.last_mut() {
            block.push(Stmt { lints: Vec::new(), comments, behind: None, kind });
        }
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
            // The name is bound all the same, so that its uses are not errors too.
            if let Some(ty) = declared {
                self.declare(name, ty, true);
            } else {
                self.scopes.bind(name.to_string(), Binding::Unknown);
            }
            return None;
        };
        if let Some(declared) = declared.filter(|declared| *declared != ty) {
            let (found, declared) = (ty.to_string(), declared.to_string());
            cx.error(Site::of(&init.expr), &message::LET_TYPE, &[&found, &declared]);
        }
        if let Some(value) = value {
            let local = self.declare(name, ty, mutable);
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
            _ => self.items.cx.error(Site::of(expr), &message::NO_EFFECT, &[]),
        }
    }

    fn assign(&mut self, left: &Expr, op: Option<BinaryOp>, right: &Expr) -> Option<()> {
        let target = self.target(left, op);
        let value = self.expr(right);
        let (target, value) = (target?, value?);
        let ty = match &target {
            Target::Local(place) => place.ty(),
            Target::Output(place) => place.ty(),
        };
        // A count goes up by integers.
        let ty = if ty == Type::Reduced(Reduction::Count) { Type::U32 } else { ty };
        let result = match op {
            Some(op) => operator::binary(op, ty, value.ty).ok(),
            None => Some(value.ty),
        };
        if result != Some(ty) {
            let help = match (&target, real_of(&value, ty)) {
                (Target::Output(Place { whole: Type::Array(_), component: None, .. }), _) => {
                    let written = left.to_token_stream().to_string().replace(' ', "");
                    format!("write `{written}[k] += ...`")
                }
                (_, Some(real)) => real,
                _ => "both sides must have one type".to_owned(),
            };
            let arguments = [&*value.ty.to_string(), &ty.to_string(), &help];
            self.items.cx.error(Site::of(right), &message::ASSIGN_TYPE, &arguments);
            return None;
        }
        let kind = match target {
            Target::Local(place) => StmtKind::Assign { place, op, value },
            Target::Output(place) => {
                let how = match (place.whole, op) {
                    (Type::Reduced(reduction), _) => Accumulate::Reduce(reduction),
                    (_, Some(BinaryOp::Sub)) => Accumulate::Sub,
                    _ => Accumulate::Add,
                };
                StmtKind::Accumulate { side: Side::I, place, how, value }
            }
        };
        self.push(kind);
        Some(())
    }

    /// What the left side of an assignment stands for.
    fn target(&mut self, left: &Expr, op: Option<BinaryOp>) -> Option<Target> {
        let cx = self.items.cx;
        let site = Site::of(left);
        match left {
            Expr::Path(path) => {
                let ident = path.path.get_ident()?;
                self.variable(ident).map(Target::Local)
            }
            Expr::Field(field) => {
                if let Some(binding) = self.record(&field.base) {
                    if matches!(binding, Binding::Output) {
                        return self.accumulator(field, op).map(Target::Output);
                    }
                    let written = left.to_token_stream().to_string();
                    cx.error(site, &message::ASSIGN_INPUT, &[&written.replace(' ', "")]);
                    return None;
                }
                let base = self.target(&field.base, op)?;
                let component = |ty| self.component_index(ty, &field.member);
                component_of(base, |ty| component(ty).map(Index::Fixed))
            }
            Expr::Index(index) => {
                let base = self.target(&index.expr, op)?;
                component_of(base, |ty| self.known_index(ty, &index.expr, &index.index))
            }
            Expr::Paren(paren) => self.target(&paren.expr, op),
            Expr::Group(group) => self.target(&group.expr, op),
            _ => {
                cx.error(site, &message::ASSIGN_TARGET, &[]);
                None
            }
        }
    }

    fn variable(&self, ident: &Ident) -> Option<Place<LocalId>> {
        let cx = self.items.cx;
        let (site, name) = (Site::of(ident), ident.to_string());
        match self.scopes.find(&name) {
            Some(Binding::Local(local)) if self.locals[local].mutable => {
                Some(Place { of: local, whole: self.locals[local].ty, component: None })
            }
            Some(Binding::Local(local)) if self.locals[local].range.is_some() => {
                cx.error(site, &message::FOR_ASSIGN, &[&name]);
                None
            }
            Some(Binding::Local(_)) => {
                cx.error(site, &message::IMMUTABLE, &[&name, &name]);
                None
            }
            Some(Binding::Input(_)) => {
                cx.error(site, &message::ASSIGN_INPUT, &[&name]);
                None
            }
            Some(Binding::Output) => {
                let field = format!("{name}.field");
                cx.error(site, &message::ASSIGN_OUTPUT, &[&field, &field]);
                None
            }
            Some(Binding::Unknown) => None,
            None => {
                let help = self.of_record(&name);
                let help = help.unwrap_or_else(|| suggestion(&name, self.scopes.names()));
                cx.error(site, &message::UNKNOWN_NAME, &[&name, &help]);
                None
            }
        }
    }

    /// The field of the result that is accumulated into.
    fn accumulator(
        &mut self,
        field: &syn::ExprField,
        op: Option<BinaryOp>,
    ) -> Option<Place<FieldName>> {
        let output = self.output?;
        let found = self.field(output, &field.member)?;
        self.accumulated.insert(found.ident.to_string());
        if !matches!(op, Some(BinaryOp::Add | BinaryOp::Sub)) {
            let element = if matches!(found.ty, Type::Array(_)) { "[k]" } else { "" };
            let written = field.to_token_stream().to_string().replace(' ', "") + element;
            let message = &message::ASSIGN_OUTPUT;
            self.items.cx.error(Site::of(field), message, &[&written, &written]);
            return None;
        }
        let written = field.to_token_stream().to_string().replace(' ', "");
        let instead = match found.ty {
            Type::Reduced(Reduction::Count) if op == Some(BinaryOp::Add) => None,
            Type::Reduced(Reduction::Count) => Some(format!("{written} += 1")),
            Type::Reduced(Reduction::Max) => Some(format!("{written}.max(...)")),
            Type::Reduced(_) => Some(format!("{written}.min(...)")),
            _ => None,
        };
        if let Some(instead) = instead {
            let arguments = [&*found.ty.to_string(), &instead];
            self.items.cx.error(Site::of(field), &message::NOT_A_SUM, &arguments);
            return None;
        }
        let of = FieldName { ident: found.ident.clone(), name: found.name.clone() };
        Some(Place { of, whole: found.ty, component: None })
    }

    fn is_result(&self, receiver: &Expr) -> bool {
        let Expr::Field(field) = receiver else { return false };
        matches!(self.record(&field.base), Some(Binding::Output))
    }

    /// `f.nearest.min(e)`.
    fn reduce(&mut self, call: &syn::ExprMethodCall) -> Option<()> {
        let Expr::Field(field) = &*call.receiver else { return None };
        let found = self.field(self.output?, &field.member)?;
        self.accumulated.insert(found.ident.to_string());
        self.turbofish(call);
        let (ty, method) = (found.ty, call.method.to_string());
        let takes = match ty {
            Type::Reduced(Reduction::Min | Reduction::ArgMin) => "min",
            Type::Reduced(Reduction::Max) => "max",
            _ => "",
        };
        let Type::Reduced(reduction) = ty else {
            let help = "write `+= ...`, or declare the field as a `Min<Real>` or a `Max<Real>`";
            let arguments = [&*ty.to_string(), &method, help];
            self.items.cx.error(Site::of(&call.method), &message::REDUCE, &arguments);
            return None;
        };
        if takes != method {
            let help = match takes {
                "" => "write `+= 1`".to_owned(),
                takes => format!("write `.{takes}(...)`"),
            };
            let arguments = [&*ty.to_string(), &method, &help];
            self.items.cx.error(Site::of(&call.method), &message::REDUCE, &arguments);
            return None;
        }
        let of = FieldName { ident: found.ident.clone(), name: found.name.clone() };
        let arguments =
            self.arguments((Site::of(&call.method), takes), &call.args, &[Type::Real])?;
        let value = arguments.into_iter().next()?;
        let place = Place { of, whole: ty, component: None };
        let how = Accumulate::Reduce(reduction);
        self.push(StmtKind::Accumulate { side: Side::I, place, how, value });
        Some(())
    }
}

/// Whether an expression is a statement even where a value is expected: a loop, or a guard.
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

fn component_of(target: Target, component: impl FnOnce(Type) -> Option<Index>) -> Option<Target> {
    fn of<T>(place: Place<T>, component: impl FnOnce(Type) -> Option<Index>) -> Option<Place<T>> {
        let component = component(place.ty())?;
        Some(Place { component: Some(component), ..place })
    }
    Some(match target {
        Target::Local(place) => Target::Local(of(place, component)?),
        Target::Output(place) => Target::Output(of(place, component)?),
    })
}
