//! Follows the statements of a body up to a gradient: the value of each variable as a node.

use std::collections::BTreeMap;
use std::ops::Range;

use super::graph::{Graph, NodeId, Op};
use crate::ir::{
    BinaryOp, Body, Expr, ExprKind, FieldId, Function, Index, Input, List, LocalId, Place, Stmt,
    StmtKind, Type, UnaryOp,
};

/// Largest number of nodes and of evaluated expressions.
pub const LONGEST: usize = 20_000;

/// More is computed than a gradient may need.
pub struct TooLong;

/// The values at a point of a body.
pub struct Trace<'a> {
    functions: &'a List<Function>,
    pub graph: Graph,
    /// Values of the visible variables.
    pub locals: BTreeMap<LocalId, NodeId>,
    /// Values of the fields that the body has changed.
    pub changed: BTreeMap<FieldId, NodeId>,
    evaluated: usize,
    /// Whether fields of the particle may have values of earlier iterations.
    fields_are_unknown: bool,
}

/// A helper function that has returned under a condition.
struct Returned {
    condition: NodeId,
    value: Option<NodeId>,
}

impl<'a> Trace<'a> {
    pub fn new(functions: &'a List<Function>) -> Self {
        Self {
            functions,
            graph: Graph::default(),
            locals: BTreeMap::new(),
            changed: BTreeMap::new(),
            evaluated: 0,
            fields_are_unknown: false,
        }
    }

    /// Follows the statements of an open block.
    pub fn block(&mut self, statements: &[Stmt]) -> Result<(), TooLong> {
        let mut returned = self.nothing();
        self.statements(statements, &mut returned)
    }

    /// Enters an open loop: its variable has any value, and later statements of its body may have
    /// assigned the variables that are declared before it.
    /// Where the body `changes` fields of the particle, the fields are unknown, too.
    pub fn enter_loop(
        &mut self,
        variable: LocalId,
        assignable: impl Fn(LocalId) -> bool,
        changes: bool,
    ) {
        if changes {
            self.fields_are_unknown = true;
            self.changed.clear();
        }
        for (&local, value) in &mut self.locals {
            if assignable(local) {
                let ty = self.graph.ty(*value);
                *value = self.graph.apply(Op::Unknown(local), Vec::new(), ty);
            }
        }
        let node = self.graph.apply(Op::Local(variable), Vec::new(), Type::U32);
        self.locals.insert(variable, node);
    }

    fn nothing(&mut self) -> Returned {
        Returned { condition: self.graph.truth(false), value: None }
    }

    fn count(&mut self) -> Result<(), TooLong> {
        self.evaluated += 1;
        if self.evaluated.max(self.graph.len()) > LONGEST { Err(TooLong) } else { Ok(()) }
    }

    /// Follows statements; none is executed after a return.
    fn statements(&mut self, list: &[Stmt], returned: &mut Returned) -> Result<(), TooLong> {
        list.iter().try_for_each(|statement| self.statement(&statement.kind, returned))
    }

    fn statement(&mut self, kind: &StmtKind, returned: &mut Returned) -> Result<(), TooLong> {
        match kind {
            StmtKind::Let { local, value } => {
                let value = self.expr(value)?;
                self.locals.insert(*local, value);
            }
            StmtKind::Declare { .. } | StmtKind::Accumulate { .. } => {}
            StmtKind::Assign { place, op, value } => {
                let value = self.expr(value)?;
                let before = self.locals.get(&place.of).copied();
                let new = self.assigned(place, before, *op, value)?;
                self.locals.insert(place.of, new);
            }
            StmtKind::Change { place, op, value } => {
                let value = self.expr(value)?;
                let before = self.field(Input::P, place.of, place.whole);
                let new = self.assigned(place, Some(before), *op, value)?;
                self.changed.insert(place.of, new);
            }
            StmtKind::If { condition, yes, no } => {
                let condition = self.expr(condition)?;
                match self.graph.known_truth(condition) {
                    Some(true) => self.inside(yes, returned)?,
                    Some(false) => self.inside(no, returned)?,
                    None => self.branches(condition, [yes, no], returned)?,
                }
            }
            StmtKind::For { local, range, body } => self.turns(*local, range, body, returned)?,
            StmtKind::Return { value } => {
                if let Some(value) = value {
                    let value = self.expr(value)?;
                    returned.value = Some(match returned.value {
                        Some(before) => self.graph.select(returned.condition, before, value),
                        None => value,
                    });
                }
                returned.condition = self.graph.truth(true);
            }
        }
        Ok(())
    }

    /// Follows the statements of a block whose variables end with it.
    fn inside(&mut self, block: &[Stmt], returned: &mut Returned) -> Result<(), TooLong> {
        let outside: Vec<_> = self.locals.keys().copied().collect();
        let declared = declared(block);
        self.statements(block, returned)?;
        self.locals.retain(|local, _| outside.contains(local) || !declared.contains(local));
        Ok(())
    }

    fn turns(
        &mut self,
        local: LocalId,
        range: &Range<u32>,
        body: &[Stmt],
        returned: &mut Returned,
    ) -> Result<(), TooLong> {
        for turn in range.clone() {
            self.count()?;
            let turn = self.graph.integer(turn);
            self.locals.insert(local, turn);
            self.inside(body, returned)?;
        }
        self.locals.remove(&local);
        Ok(())
    }

    /// Follows both branches, and selects between their values.
    fn branches(
        &mut self,
        condition: NodeId,
        [yes, no]: [&[Stmt]; 2],
        returned: &mut Returned,
    ) -> Result<(), TooLong> {
        let before = (self.locals.clone(), self.changed.clone());
        let mut of_yes = Returned { condition: returned.condition, value: returned.value };
        self.inside(yes, &mut of_yes)?;
        let (locals, changed) = (
            std::mem::replace(&mut self.locals, before.0),
            std::mem::replace(&mut self.changed, before.1),
        );
        self.inside(no, returned)?;
        returned.condition = self.graph.select(condition, of_yes.condition, returned.condition);
        returned.value = match (of_yes.value, returned.value) {
            (Some(yes), Some(no)) => Some(self.graph.select(condition, yes, no)),
            (yes, no) => yes.or(no),
        };
        for (local, yes) in locals {
            let no = self.locals.get(&local).copied().unwrap_or(yes);
            let chosen = self.graph.select(condition, yes, no);
            self.locals.insert(local, chosen);
        }
        let fields: Vec<_> = changed.keys().chain(self.changed.keys()).copied().collect();
        for field in fields {
            let ty = changed.get(&field).or(self.changed.get(&field)).map(|&id| self.graph.ty(id));
            let ty = ty.expect("changed in a branch");
            let initial = self.graph.apply(Op::Input(Input::P, field), Vec::new(), ty);
            let of = |map: &BTreeMap<_, _>| map.get(&field).copied().unwrap_or(initial);
            let (yes, no) = (of(&changed), of(&self.changed));
            let chosen = self.graph.select(condition, yes, no);
            self.changed.insert(field, chosen);
        }
        Ok(())
    }

    /// Returns the value of a variable or field after an assignment.
    fn assigned<T>(
        &mut self,
        place: &Place<T>,
        before: Option<NodeId>,
        op: Option<BinaryOp>,
        value: NodeId,
    ) -> Result<NodeId, TooLong> {
        let Some(index) = &place.component else {
            return Ok(match (op, before) {
                (Some(op), Some(before)) => self.graph.binary(op, before, value, place.whole),
                _ => value,
            });
        };
        let before = before.expect("checked: a variable has a value before a component changes");
        let index = self.index(index)?;
        let parts = (0..place.whole.components()).map(|k| {
            let part = self.graph.component(before, k);
            let new = match op {
                Some(op) => self.graph.binary(op, part, value, Type::Real),
                None => value,
            };
            let number = self.graph.integer(k as u32);
            let is_it = self.graph.binary(BinaryOp::Eq, index, number, Type::Bool);
            self.graph.select(is_it, new, part)
        });
        let parts = parts.collect();
        Ok(self.graph.apply(Op::Components, parts, place.whole))
    }

    /// Returns the value of an index.
    pub fn index(&mut self, index: &Index) -> Result<NodeId, TooLong> {
        match index {
            Index::Fixed(k) => Ok(self.graph.integer(*k as u32)),
            Index::Loop(index) => self.expr(index),
        }
    }

    fn field(&mut self, input: Input, field: FieldId, ty: Type) -> NodeId {
        let changed = self.changed.get(&field).filter(|_| input == Input::P);
        match changed {
            Some(&changed) => changed,
            None if input == Input::P && self.fields_are_unknown => {
                self.graph.apply(Op::UnknownField(field), Vec::new(), ty)
            }
            None => self.graph.apply(Op::Input(input, field), Vec::new(), ty),
        }
    }

    /// Returns the value of an expression.
    pub fn expr(&mut self, expr: &Expr) -> Result<NodeId, TooLong> {
        self.count()?;
        let leaf = |this: &mut Self, op| Ok(this.graph.apply(op, Vec::new(), expr.ty));
        let op = match &expr.kind {
            ExprKind::Real(text) => return leaf(self, Op::Real(text.clone())),
            ExprKind::U32(n) => return leaf(self, Op::U32(*n)),
            ExprKind::Bool(value) => return leaf(self, Op::Bool(*value)),
            ExprKind::Constant(id) => return leaf(self, Op::Constant(*id)),
            ExprKind::Input(input, field) => return Ok(self.field(*input, *field, expr.ty)),
            ExprKind::Local(local) => {
                return match self.locals.get(local) {
                    Some(&value) => Ok(value),
                    None => leaf(self, Op::Local(*local)),
                };
            }
            ExprKind::Call(id, arguments) => {
                let arguments = self.exprs(arguments)?;
                let function = &self.functions[*id];
                return self.call(&function.parameters, &function.body, arguments);
            }
            ExprKind::Component(base, index) => {
                let operands = vec![self.expr(base)?, self.index(index)?];
                return Ok(self.graph.apply(Op::At, operands, expr.ty));
            }
            ExprKind::Entry(..) => Op::Entry,
            ExprKind::Gather(_, place, field) => Op::Gather(*place, *field),
            ExprKind::Unary(op, _) => Op::Unary(*op),
            ExprKind::Binary(op, ..) => Op::Binary(*op),
            ExprKind::Math(builtin, _) => Op::Math(*builtin),
            ExprKind::Powi(_, n) => Op::Powi(*n),
            ExprKind::Components(_) => Op::Components,
            ExprKind::Select(_) => Op::Select,
            ExprKind::Convert(_) => Op::Convert,
        };
        let operands = expr.parts().into_iter().map(|part| self.expr(part));
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        // A negative literal is one number.
        if let (Op::Unary(UnaryOp::Neg), [x]) = (&op, &*operands)
            && let Op::Unary(UnaryOp::Neg) = self.graph.node(*x).op
        {
            return Ok(self.graph.node(*x).operands[0]);
        }
        Ok(self.graph.apply(op, operands, expr.ty))
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Result<Vec<NodeId>, TooLong> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// Returns the value of a helper function.
    fn call(
        &mut self,
        parameters: &[LocalId],
        body: &Body,
        arguments: Vec<NodeId>,
    ) -> Result<NodeId, TooLong> {
        let own = parameters.iter().copied().zip(arguments).collect();
        let outside = std::mem::replace(&mut self.locals, own);
        let mut returned = self.nothing();
        self.statements(&body.statements, &mut returned)?;
        let value = body.value.as_ref().expect("a helper function ends with a value");
        let value = self.expr(value)?;
        self.locals = outside;
        Ok(match returned.value {
            Some(before) => self.graph.select(returned.condition, before, value),
            None => value,
        })
    }
}

/// Returns the variables that the statements of a block declare, without inner blocks.
fn declared(block: &[Stmt]) -> Vec<LocalId> {
    let local = |statement: &Stmt| match statement.kind {
        StmtKind::Let { local, .. } | StmtKind::Declare { local } => Some(local),
        _ => None,
    };
    block.iter().filter_map(local).collect()
}
