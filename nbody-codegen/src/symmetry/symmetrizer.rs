//! The state while the body of both directions is written: its variables and its statements.

use std::collections::{HashMap, HashSet};

use proc_macro2::Span;

use crate::ir::{
    Body, Expr, ExprKind, Interaction, List, Local, LocalId, Module, Roles, Stmt, StmtKind, Type,
    statements,
};
use crate::names::Unique;
use crate::symmetry::name::Names;
use crate::symmetry::parity::Parities;
use crate::symmetry::signed::Signed;

/// Writes the body of both directions.
pub(super) struct Symmetrizer<'a> {
    pub module: &'a Module,
    pub interaction: &'a Interaction,
    pub parities: &'a Parities,
    /// Variables that are multiplied out; `definitions` has the value of each variable.
    pub inlined: &'a HashSet<LocalId>,
    pub definitions: HashMap<LocalId, &'a Expr>,
    /// Variables of `pair`, followed by the new ones.
    pub locals: List<Local>,
    pub names: Unique,
    /// Counterpart of a variable under the exchange of i and j, where it is a variable too.
    backs: HashMap<LocalId, LocalId>,
    /// Variables that have a value already.
    pub defined: HashSet<LocalId>,
    /// Values computed once for both directions, in the open blocks.
    pub shared: Vec<(Expr, LocalId)>,
    /// Name of the variable or the field that the statement changes.
    pub target: String,
    /// Statements of the innermost block.
    pub out: Vec<Stmt>,
}

impl<'a> Symmetrizer<'a> {
    pub fn new(
        module: &'a Module,
        interaction: &'a Interaction,
        parities: &'a Parities,
        inlined: &'a HashSet<LocalId>,
    ) -> Self {
        let body = &interaction.pair.body;
        Self {
            module,
            interaction,
            parities,
            inlined,
            definitions: definitions(body).collect(),
            locals: body.locals.clone(),
            names: taken(module, interaction),
            backs: HashMap::new(),
            defined: HashSet::new(),
            shared: Vec::new(),
            target: String::new(),
            out: Vec::new(),
        }
    }

    pub fn push(&mut self, kind: StmtKind, behind: Option<&String>) {
        self.out.push(Stmt {
            lints: Vec::new(),
            comments: Vec::new(),
            behind: behind.cloned(),
            kind,
        });
    }

    /// Returns the variable that holds the counterpart of this one.
    pub fn back_of(&mut self, local: LocalId) -> LocalId {
        if let Some(back) = self.backs.get(&local) {
            return *back;
        }
        let Local { name, ty, mutable, .. } = self.locals[local].clone();
        let back = self.new_local(format!("{name}_back"), ty);
        self.locals[back].mutable = mutable;
        self.backs.insert(local, back);
        back
    }

    /// Returns the counterpart of a variable under the exchange of i and j.
    pub fn turned(&mut self, local: LocalId) -> Signed {
        let parity = self.parities.local(local);
        if parity.is_known() {
            return Signed { minus: parity.changes_sign(), expr: self.variable(local) };
        }
        match self.parities.partner(local) {
            Some((partner, minus)) if self.defined.contains(&partner) => {
                Signed { minus, expr: self.variable(partner) }
            }
            _ => {
                let back = self.back_of(local);
                Signed::plus(self.variable(back))
            }
        }
    }

    fn variable(&self, local: LocalId) -> Expr {
        let Local { ty, span, .. } = self.locals[local];
        Expr::new(ExprKind::Local(local), ty, span)
    }

    /// Creates a variable; its name gets a number later if another variable has it.
    fn new_local(&mut self, name: String, ty: Type) -> LocalId {
        let span = Span::call_site();
        self.locals.push(Local::new(name, ty, span))
    }

    /// Returns the variable that holds an even or odd value, and computes it here if needed. The
    /// variable is named after the value if possible, else after the statement's target and
    /// `part`.
    pub fn share(&mut self, value: Expr, part: &str) -> Expr {
        let pair = &self.interaction.pair;
        let names = Names { module: self.module, body: &pair.body, roles: &pair.roles };
        let name = names.of(&value).unwrap_or_else(|| format!("{}_{part}", self.target));
        self.share_as(value, name)
    }

    pub fn share_as(&mut self, value: Expr, name: String) -> Expr {
        if let Some((_, local)) = self.shared.iter().find(|(known, _)| *known == value) {
            return self.variable(*local);
        }
        let local = self.new_local(name, value.ty);
        if is_fixed(&self.locals, &value) {
            self.shared.push((value.clone(), local));
        }
        self.push(StmtKind::Let { local, value }, None);
        self.variable(local)
    }
}

/// Returns every `let` with its value.
pub(super) fn definitions(body: &Body) -> impl Iterator<Item = (LocalId, &Expr)> {
    statements(&body.statements).filter_map(|statement| match &statement.kind {
        StmtKind::Let { local, value } => Some((*local, value)),
        _ => None,
    })
}

/// Tests whether an expression has the same value wherever its variables are in scope.
pub(super) fn is_fixed(locals: &List<Local>, expr: &Expr) -> bool {
    expr.walk().all(|part| match part.kind {
        ExprKind::Local(local) => !locals[local].mutable,
        _ => true,
    })
}

/// Tests whether a value is worth a variable.
pub(super) fn is_worth_sharing(expr: &Expr) -> bool {
    let has_room =
        matches!(expr.ty, Type::Real | Type::Vector(_) | Type::Tensor(_) | Type::Array(_));
    has_room && !is_trivial(expr)
}

/// Tests whether an expression takes no instruction.
pub(super) fn is_trivial(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_)
        | ExprKind::Input(..)
        | ExprKind::Constant(_)
        | ExprKind::Real(_)
        | ExprKind::U32(_)
        | ExprKind::Bool(_) => true,
        ExprKind::Unary(_, part) | ExprKind::Component(part, _) | ExprKind::Convert(part) => {
            is_trivial(part)
        }
        _ => false,
    }
}

/// Returns the names that the function already uses.
fn taken(module: &Module, interaction: &Interaction) -> Unique {
    let mut names = module.names.clone();
    let Roles { inputs, f, index, .. } = &interaction.pair.roles;
    let body = &interaction.pair.body;
    let locals = body.locals.iter().map(|local| &local.name);
    let inputs = inputs.iter().map(|(_, name)| name);
    for name in locals.chain(inputs).chain([f, index, &body.space]) {
        names.keep(name);
    }
    names
}
