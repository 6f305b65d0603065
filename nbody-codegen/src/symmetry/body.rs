//! Derives the body of both directions.
//!
//! The body of `pair` is kept, and each value that changes under the exchange of i and j gets a
//! counterpart: an even value is reused, an odd one with the opposite sign, and any other value is
//! computed twice, from shared parts as far as possible. The even and odd factors of a product are
//! multiplied once.

use std::collections::{HashMap, HashSet};

use crate::ir::{
    Accumulate, BinaryOp, Body, Expr, FieldId, Interaction, LocalId, Module, Place, Roles, Side,
    Stmt, StmtKind,
};
use crate::symmetry::parity::Parities;
use crate::symmetry::signed::{Signed, Two};
use crate::symmetry::symmetrizer::{Symmetrizer, definitions, is_fixed, is_worth_sharing};
use crate::symmetry::{product, tidy};

/// Largest number of variables for which both forms of a product are tried.
const MOST_CHOICES: usize = 12;
/// Largest number of factors of a product that is multiplied out.
const MOST_FACTORS: usize = 16;

/// Function that evaluates both directions.
pub struct Symmetric {
    pub roles: Roles,
    pub body: Body,
}

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

impl<'a> Symmetrizer<'a> {
    fn run(mut self) -> Symmetric {
        let pair = &self.interaction.pair;
        let g = self.names.name("g");
        let mut statements = self.block(&pair.body.statements);
        tidy::remove_unused(&mut statements);
        let is_new = |local| !pair.body.locals.has(local);
        tidy::name(&statements, &mut self.locals, is_new, &mut self.names);
        let Roles { inputs, f, index, others, .. } = &pair.roles;
        let (inputs, f, index) = (inputs.clone(), f.clone(), index.clone());
        let texts = (pair.body.space.clone(), pair.body.comments.clone());
        let body = Body::new(&self.module.functions, self.locals, statements, None, texts);
        let (others, g, members) = (others.clone(), Some(g), Vec::new());
        Symmetric { roles: Roles { inputs, f, index, others, g, members }, body }
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
}
