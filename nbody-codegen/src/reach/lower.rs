//! Lowers a cutoff to steps by following its evaluation.

use std::collections::BTreeMap;

use super::math::Numbers;
use super::steps::{Id, Step, Steps};
use crate::ir::{
    BinaryOp, Body, Builtin, Expr, ExprKind, FieldId, FunctionId, Index, Input, Interaction,
    LocalId, Module, Place, Stmt, StmtKind, StructId, Type, UnaryOp, Value,
};

/// Largest number of evaluated expressions, and of steps before unused steps are dropped.
const LIMIT: usize = 100_000;
/// Greatest depth of expressions, including the functions that they call.
const DEEPEST: usize = 1000;

/// A program under construction.
pub struct Lowering<'a> {
    module: &'a Module,
    steps: Steps,
    evaluated: usize,
    depth: usize,
    /// Structs of the parameters, of i and of j.
    records: Vec<(Input, StructId)>,
}

/// A function that is being evaluated.
struct Frame {
    values: BTreeMap<LocalId, Numbers>,
    /// Condition for the particles that have not returned, and the value of the other ones.
    on: Id,
    result: Option<Numbers>,
}

impl<'a> Lowering<'a> {
    pub fn new(module: &'a Module) -> Self {
        let (steps, records) = (Steps::default(), Vec::new());
        Self { module, steps, evaluated: 0, depth: 0, records }
    }

    /// Returns the steps of a cutoff; `None` if there are too many.
    pub fn program(mut self, interaction: &Interaction, body: &'a Body) -> Option<Vec<Step>> {
        let Interaction { parameters, i, j, .. } = interaction;
        self.records = vec![(Input::Parameters, parameters.id), (Input::I, i.id), (Input::J, j.id)];
        let value = self.body(body, BTreeMap::new())?;
        Some(self.steps.leading_to(value[0]))
    }

    fn body(&mut self, body: &'a Body, values: BTreeMap<LocalId, Numbers>) -> Option<Numbers> {
        let mut frame = Frame { values, on: self.steps.truth(true), result: None };
        self.statements(&mut frame, &body.statements, None)?;
        let value = body.value.as_ref().expect("checked: cutoffs and helper functions have values");
        let last = self.expr(&frame, value)?;
        Some(match frame.result {
            None => last,
            Some(result) => self.steps.select(value.ty, frame.on, &last, &result),
        })
    }

    fn statements(
        &mut self,
        frame: &mut Frame,
        statements: &'a [Stmt],
        mask: Option<Id>,
    ) -> Option<()> {
        statements.iter().try_for_each(|statement| self.statement(frame, &statement.kind, mask))
    }

    fn statement(
        &mut self,
        frame: &mut Frame,
        statement: &'a StmtKind,
        mask: Option<Id>,
    ) -> Option<()> {
        match statement {
            StmtKind::Let { local, value } => {
                let value = self.expr(frame, value)?;
                frame.values.insert(*local, value);
            }
            // The first branch gives it a value, whatever the condition is.
            StmtKind::Declare { local } => {
                frame.values.remove(local);
            }
            StmtKind::Assign { place, op, value } => {
                self.assign(frame, place, *op, value, mask)?;
            }
            StmtKind::If { condition, yes, no } => {
                let holds = self.expr(frame, condition)?[0];
                let fails = self.steps.not(holds);
                for (holds, branch) in [(holds, yes), (fails, no)] {
                    match self.steps.known_truth(holds) {
                        Some(true) => self.statements(frame, branch, mask)?,
                        Some(false) => {}
                        None => {
                            let when = mask.map_or(holds, |mask| self.steps.and(mask, holds));
                            self.statements(frame, branch, Some(when))?;
                        }
                    }
                }
            }
            StmtKind::For { local, range, body } => {
                for turn in range.clone() {
                    self.count()?;
                    frame.values.insert(*local, vec![self.steps.integer(turn)]);
                    self.statements(frame, body, mask)?;
                }
            }
            StmtKind::Return { value } => {
                let value = value.as_ref().expect("checked: a cutoff returns values");
                let (ty, value) = (value.ty, self.expr(frame, value)?);
                let mask = mask.unwrap_or_else(|| self.steps.truth(true));
                let here = self.steps.and(mask, frame.on);
                frame.result = Some(match &frame.result {
                    None => value,
                    Some(before) => self.steps.select(ty, here, &value, before),
                });
                let others = self.steps.not(mask);
                frame.on = self.steps.and(frame.on, others);
            }
            StmtKind::Change { .. } | StmtKind::Accumulate { .. } => {
                unreachable!("checked: cutoffs and helper functions change only variables")
            }
        }
        Some(())
    }

    fn assign(
        &mut self,
        frame: &mut Frame,
        place: &'a Place<LocalId>,
        op: Option<BinaryOp>,
        value: &'a Expr,
        mask: Option<Id>,
    ) -> Option<()> {
        let component = match &place.component {
            None => None,
            Some(index) => Some(self.index(frame, index)?),
        };
        let new = self.expr(frame, value)?;
        let Some(before) = frame.values.get(&place.of).cloned() else {
            frame.values.insert(place.of, new);
            return Some(());
        };
        let old = component.map_or(before.clone(), |k| vec![before[k]]);
        let new = match op {
            None => new,
            Some(op) => self.steps.binary((op, place.ty()), &old, &new, is_product(value)),
        };
        let new = match mask {
            None => new,
            Some(mask) => self.steps.select(place.ty(), mask, &new, &old),
        };
        let mut after = before;
        match component {
            None => after = new,
            Some(k) => after[k] = new[0],
        }
        frame.values.insert(place.of, after);
        Some(())
    }

    fn index(&mut self, frame: &Frame, index: &'a Index) -> Option<usize> {
        match index {
            Index::Fixed(k) => Some(*k),
            Index::Loop(index) => {
                let value = self.expr(frame, index)?[0];
                let k = self.steps.known_integer(value).expect("checked: loops tell the index");
                Some(k as usize)
            }
        }
    }

    fn expr(&mut self, frame: &Frame, expr: &'a Expr) -> Option<Numbers> {
        self.count()?;
        self.depth += 1;
        let value = if self.depth > DEEPEST { None } else { self.value(frame, expr) };
        self.depth -= 1;
        value
    }

    /// Counts an evaluation; returns `None` at the limit.
    fn count(&mut self) -> Option<()> {
        self.evaluated += 1;
        (self.evaluated.max(self.steps.len()) <= LIMIT).then_some(())
    }

    fn exprs(&mut self, frame: &Frame, exprs: &'a [Expr]) -> Option<Vec<Numbers>> {
        exprs.iter().map(|expr| self.expr(frame, expr)).collect()
    }

    fn value(&mut self, frame: &Frame, expr: &'a Expr) -> Option<Numbers> {
        Some(vec![match &expr.kind {
            ExprKind::Real(text) => {
                self.steps.real(text.parse().expect("checked: a literal is a number"))
            }
            ExprKind::U32(n) => self.steps.integer(*n),
            ExprKind::Bool(holds) => self.steps.truth(*holds),
            ExprKind::Constant(id) => match self.module[*id].value {
                Value::Real(x) => self.steps.real(x),
                Value::U32(n) => self.steps.integer(n),
            },
            ExprKind::Local(id) => {
                let value = frame.values.get(id);
                return Some(
                    value.expect("checked: a variable has a value before it is read").clone(),
                );
            }
            ExprKind::Input(input, field) => return Some(self.field(*input, *field)),
            ExprKind::Component(base, index) => {
                let k = self.index(frame, index)?;
                self.expr(frame, base)?[k]
            }
            ExprKind::Entry(base, indices) => return self.entry(frame, base, indices),
            ExprKind::Gather(..) => unreachable!("checked: a cutoff gathers no second particles"),
            ExprKind::Unary(op, operand) => {
                let name = if *op == UnaryOp::Neg { "Negative" } else { "Opposite" };
                let operand = self.expr(frame, operand)?;
                return Some(operand.iter().map(|&x| self.steps.apply(name, &[x])).collect());
            }
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.expr(frame, a)?, self.expr(frame, b)?);
                match a.ty {
                    Type::Point(n) => return Some(vec![self.steps.push(Step::Unknown); n]),
                    Type::Bool if op.is_comparison() => {
                        self.steps.compare_truths(*op, left[0], right[0])
                    }
                    ty => {
                        let with_product = is_product(a) || is_product(b);
                        return Some(self.steps.binary((*op, ty), &left, &right, with_product));
                    }
                }
            }
            ExprKind::Math(_, operands) if matches!(operands[0].ty, Type::Spline(_)) => {
                self.steps.push(Step::Unknown)
            }
            ExprKind::Math(builtin, operands) => {
                let operands = self.exprs(frame, operands)?;
                return Some(self.steps.math(*builtin, &operands));
            }
            ExprKind::Powi(base, n) => {
                let is_root = matches!(base.kind, ExprKind::Math(Builtin::Rsqrt, _));
                let base = self.expr(frame, base)?[0];
                let is_approximate = is_root && (2..=16).contains(n);
                if is_approximate {
                    self.steps.power_of_root(base, *n)
                } else {
                    self.steps.powi(base, *n)
                }
            }
            ExprKind::Components(parts) => return Some(self.exprs(frame, parts)?.concat()),
            ExprKind::Call(function, arguments) => {
                let arguments = self.exprs(frame, arguments)?;
                return self.call(*function, arguments);
            }
            ExprKind::Select(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.expr(frame, condition)?[0];
                let (yes, no) = (self.expr(frame, yes)?, self.expr(frame, no)?);
                return Some(self.steps.select(expr.ty, condition, &yes, &no));
            }
            ExprKind::Convert(number) => {
                let name = if expr.ty == Type::U32 { "Truncated" } else { "Converted" };
                let number = self.expr(frame, number)?[0];
                self.steps.apply(name, &[number])
            }
        }])
    }

    fn call(&mut self, function: FunctionId, arguments: Vec<Numbers>) -> Option<Numbers> {
        let function = &self.module[function];
        let values = function.parameters.iter().copied().zip(arguments).collect();
        self.body(&function.body, values)
    }

    /// Returns the index of the first number of a field in its record.
    fn first(&self, input: Input, field: FieldId) -> usize {
        let found = self.records.iter().find(|(known, _)| *known == input);
        let (_, id) = found.expect("checked: a cutoff sees a pair");
        let before = &self.module[*id].fields[..field.place()];
        before.iter().map(|field| field.ty.components()).sum()
    }

    fn field(&mut self, input: Input, field: FieldId) -> Numbers {
        let (first, ty) = (self.first(input, field), self.module[field].ty);
        let step = |number| match ty {
            Type::Point(_) => Step::Unknown,
            Type::U32 => Step::Index(input, number),
            _ => Step::Number(input, number),
        };
        (first..first + ty.components()).map(|number| self.steps.push(step(number))).collect()
    }

    /// Lowers an entry of an array or a table.
    fn entry(&mut self, frame: &Frame, base: &'a Expr, indices: &'a [Expr]) -> Option<Numbers> {
        let mut at: Numbers = self.exprs(frame, indices)?.concat();
        let (rows, columns) = match base.ty {
            Type::Table(rows, columns) => (rows, columns),
            ty => (1, ty.components()),
        };
        if at.len() == 1 {
            at.insert(0, self.steps.integer(0));
        }
        let [row, column] = [at[0], at[1]];
        if let ExprKind::Input(Input::Parameters, field) = base.kind {
            let first = self.first(Input::Parameters, field);
            let (size, at) = ([rows, columns], [row, column]);
            return Some(vec![self.steps.push(Step::Lookup { first, size, at })]);
        }
        let all = self.expr(frame, base)?;
        let of_row = |row: &[Id]| self.steps.push(Step::Entry(row.to_vec(), column));
        let entries: Numbers = all.chunks(columns).map(of_row).collect();
        Some(vec![if rows == 1 { entries[0] } else { self.steps.push(Step::Entry(entries, row)) }])
    }
}

/// Tests for a product of numbers, or of a number and a vector.
fn is_product(expr: &Expr) -> bool {
    let is_real = |part: &Expr| matches!(part.ty, Type::Real | Type::Vector(_));
    matches!(&expr.kind, ExprKind::Binary(BinaryOp::Mul, a, _) if is_real(a))
}
