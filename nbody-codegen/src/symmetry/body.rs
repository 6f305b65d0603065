//! Derives the body of both directions.
//!
//! The body of `pair` is kept, and each value that changes under the exchange of i and j gets a
//! counterpart: an even value is reused, an odd one with the opposite sign, and any other value is
//! computed twice, from shared parts as far as possible. The even and odd factors of a product are
//! multiplied once.

use std::collections::{HashMap, HashSet};

use proc_macro2::Span;

use crate::ir::{
    Accumulate, BinaryOp, Body, Expr, ExprKind, FieldId, Interaction, List, Local, LocalId, Module,
    Place, Roles, Side, Stmt, StmtKind, Type, statements,
};
use crate::names::Unique;
use crate::symmetry::expr::{Signed, Two};
use crate::symmetry::name::Names;
use crate::symmetry::parity::Parities;
use crate::symmetry::{Symmetric, product, tidy};

/// Largest number of variables for which both forms of a product are tried.
const MOST_CHOICES: usize = 12;
/// Largest number of factors of a product that is multiplied out.
const MOST_FACTORS: usize = 16;

/// Finds the form of both directions with the fewest issue slots.
pub(super) fn cheapest(
    module: &Module,
    interaction: &Interaction,
    parities: &Parities,
) -> Symmetric {
    let body = &interaction.pair.body;
    let build = |inlined: &HashSet<LocalId>| {
        let both = Symmetrizer::new(module, interaction, parities, inlined).run();
        (both.body.summary.operations.slots, both)
    };
    // A named product is either kept or multiplied out wherever it is a factor.
    let mut inlined: HashSet<_> = products(body, parities).into_iter().collect();
    let mut choices: Vec<_> = inlined.iter().copied().collect();
    choices.sort_unstable();
    let mut best = build(&inlined);
    for local in choices {
        inlined.remove(&local);
        let kept = build(&inlined);
        if kept.0 <= best.0 {
            best = kept;
        } else {
            inlined.insert(local);
        }
    }
    best.1
}

/// Returns the variables that are products and differ in the two directions.
fn products(body: &Body, parities: &Parities) -> Vec<LocalId> {
    let mut found = Vec::new();
    let mut factors = HashMap::new();
    for (local, value) in definitions(body) {
        let fixed = !body.locals[local].mutable && is_fixed(&body.locals, value);
        let count = product::factors(value, &factors);
        if fixed
            && !parities.local(local).is_known()
            && product::is_product(value)
            && count <= MOST_FACTORS
        {
            found.push(local);
            factors.insert(local, count);
        }
    }
    found.truncate(MOST_CHOICES);
    found
}

/// Returns every `let` with its value.
fn definitions(body: &Body) -> impl Iterator<Item = (LocalId, &Expr)> {
    statements(&body.statements).filter_map(|statement| match &statement.kind {
        StmtKind::Let { local, value } => Some((*local, value)),
        _ => None,
    })
}

/// Tests whether an expression has the same value wherever its variables are in scope.
fn is_fixed(locals: &List<Local>, expr: &Expr) -> bool {
    expr.walk().all(|part| match part.kind {
        ExprKind::Local(local) => !locals[local].mutable,
        _ => true,
    })
}

/// Writes the body of both directions.
pub(super) struct Symmetrizer<'a> {
    module: &'a Module,
    interaction: &'a Interaction,
    pub parities: &'a Parities,
    /// Variables that are multiplied out; `definitions` has the value of each variable.
    pub inlined: &'a HashSet<LocalId>,
    pub definitions: HashMap<LocalId, &'a Expr>,
    /// Variables of `pair`, followed by the new ones.
    locals: List<Local>,
    names: Unique,
    /// Counterpart of a variable under the exchange of i and j, where it is a variable too.
    backs: HashMap<LocalId, LocalId>,
    /// Variables that have a value already.
    defined: HashSet<LocalId>,
    /// Values computed once for both directions, in the open blocks.
    shared: Vec<(Expr, LocalId)>,
    /// Name of the variable or the field that the statement changes.
    target: String,
    /// Statements of the innermost block.
    out: Vec<Stmt>,
}

impl<'a> Symmetrizer<'a> {
    fn new(
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

    fn run(mut self) -> Symmetric {
        let pair = &self.interaction.pair;
        let g = self.names.name("g");
        let mut statements = self.block(&pair.body.statements);
        tidy::remove_unused(&mut statements);
        let is_new = |local| !pair.body.locals.has(local);
        tidy::name(&statements, &mut self.locals, is_new, &mut self.names);
        let Roles { inputs, f, index, .. } = &pair.roles;
        let (inputs, f, index) = (inputs.clone(), f.clone(), index.clone());
        let texts = (pair.body.space.clone(), pair.body.comments.clone());
        let body = Body::new(&self.module.functions, self.locals, statements, None, texts);
        Symmetric { roles: Roles { inputs, f, index, g: Some(g) }, body }
    }

    /// Writes the statements of a block in both directions.
    fn block(&mut self, statements: &'a [Stmt]) -> Vec<Stmt> {
        let outer = std::mem::take(&mut self.out);
        let shared = self.shared.len();
        for statement in statements {
            let first = self.out.len();
            self.statement(statement);
            if let Some(first) = self.out.get_mut(first) {
                first.comments.clone_from(&statement.comments);
            }
        }
        self.shared.truncate(shared);
        std::mem::replace(&mut self.out, outer)
    }

    fn statement(&mut self, statement: &'a Stmt) {
        let behind = statement.behind.as_ref();
        match &statement.kind {
            StmtKind::Let { local, value } => {
                self.target.clone_from(&self.locals[*local].name);
                self.let_(*local, value, behind);
            }
            StmtKind::Declare { local } => {
                self.push(StmtKind::Declare { local: *local }, behind);
                if !self.parities.local(*local).is_known() {
                    let back = self.back_of(*local);
                    self.push(StmtKind::Declare { local: back }, None);
                }
            }
            StmtKind::Assign { place, op, value } => {
                self.target.clone_from(&self.locals[place.of].name);
                self.assign(place, *op, value, behind);
            }
            StmtKind::Change { .. } => unreachable!("checked: only updates change a particle"),
            StmtKind::Accumulate { place, how, value, .. } => {
                self.target.clone_from(&self.module[place.of].name);
                self.accumulate(place, *how, value, behind);
            }
            StmtKind::If { condition, yes, no } => {
                let (yes, no) = (self.block(yes), self.block(no));
                self.push(StmtKind::If { condition: condition.clone(), yes, no }, behind);
            }
            StmtKind::For { local, range, body } => {
                let body = self.block(body);
                let (local, range) = (*local, range.clone());
                self.push(StmtKind::For { local, range, body }, behind);
            }
            StmtKind::Return { .. } => self.push(StmtKind::Return { value: None }, behind),
        }
    }

    fn push(&mut self, kind: StmtKind, behind: Option<&String>) {
        self.out.push(Stmt {
            lints: Vec::new(),
            comments: Vec::new(),
            behind: behind.cloned(),
            kind,
        });
    }

    fn let_(&mut self, local: LocalId, value: &'a Expr, behind: Option<&String>) {
        if self.parities.local(local).is_known() {
            self.push(StmtKind::Let { local, value: value.clone() }, behind);
        } else {
            let Two { forth, back } = self.two(value, false);
            self.push(StmtKind::Let { local, value: forth.explicit() }, behind);
            let turned = self.back_of(local);
            self.push(StmtKind::Let { local: turned, value: back.explicit() }, None);
        }
        self.defined.insert(local);
    }

    fn assign(
        &mut self,
        place: &'a Place<LocalId>,
        op: Option<BinaryOp>,
        value: &'a Expr,
        behind: Option<&String>,
    ) {
        if self.parities.local(place.of).is_known() {
            let (place, value) = (place.clone(), value.clone());
            self.push(StmtKind::Assign { place, op, value }, behind);
            return;
        }
        let Two { forth, back } = self.two(value, op.is_some());
        let turned = Place { of: self.back_of(place.of), ..place.clone() };
        // A variable that the counterpart reads must not be changed before.
        let back_first = back.expr.reads(place.of);
        let mut both = [(place.clone(), forth, behind), (turned, back, None)];
        if back_first {
            both.reverse();
        }
        for (place, value, behind) in both {
            let opposite = match op {
                Some(BinaryOp::Add) => Some(BinaryOp::Sub),
                Some(BinaryOp::Sub) => Some(BinaryOp::Add),
                _ => None,
            };
            let (op, value) = match opposite {
                Some(opposite) if value.minus => (Some(opposite), value.expr),
                _ => (op, value.explicit()),
            };
            self.push(StmtKind::Assign { place, op, value }, behind);
        }
    }

    fn accumulate(
        &mut self,
        place: &'a Place<FieldId>,
        how: Accumulate,
        value: &'a Expr,
        behind: Option<&String>,
    ) {
        let is_sum = matches!(how, Accumulate::Add | Accumulate::Sub);
        let Two { forth, back } = self.contribution(value, is_sum);
        for (side, value, behind) in [(Side::I, forth, behind), (Side::J, back, None)] {
            let (how, value) = match how {
                Accumulate::Add if value.minus => (Accumulate::Sub, value.expr),
                Accumulate::Sub if value.minus => (Accumulate::Add, value.expr),
                _ => (how, value.explicit()),
            };
            self.push(StmtKind::Accumulate { side, place: place.clone(), how, value }, behind);
        }
    }

    /// Returns the accumulated value in both directions. A value that is the same in both up to
    /// the sign takes the name of the result.
    fn contribution(&mut self, value: &'a Expr, is_sum: bool) -> Two {
        let parity = self.parities.expr(value);
        let is_product = is_sum && self.is_product(value);
        if parity.is_known() && !is_product && is_worth_sharing(value) {
            let shared = self.share_as(value.clone(), self.target.clone());
            return Two::known(Signed::plus(shared), parity);
        }
        self.two(value, is_sum)
    }

    /// Returns the variable that holds the counterpart of this one.
    fn back_of(&mut self, local: LocalId) -> LocalId {
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
        let (may_be_unused, mutable) = (false, false);
        self.locals.push(Local { name, may_be_unused, span, ty, mutable, range: None })
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

    fn share_as(&mut self, value: Expr, name: String) -> Expr {
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

/// Tests whether a value is worth a variable.
pub(super) fn is_worth_sharing(expr: &Expr) -> bool {
    let has_room = matches!(expr.ty, Type::Real | Type::Vector(_) | Type::Array(_));
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
