//! Checks indices: known numbers, loop variables, and fields of the data.

use syn::Expr;
use syn::spanned::Spanned as _;

use crate::check::advice::{operand, written};
use crate::check::assign::Target;
use crate::check::body::BodyChecker;
use crate::check::expr::whole_of_part;
use crate::check::scope::Binding;
use crate::diagnostics::Site;
use crate::ir::{
    self, Accumulate, BinaryOp, ExprKind, FieldId, Index, Input, LocalId, Place, Side, Stmt,
    StmtKind, Type, Value,
};
use crate::message;
use crate::syntax::without_groups;

/// A checked index.
enum Checked {
    /// An index that is certainly below the length.
    Known(Index),
    /// An index that depends on the data.
    Data(ir::Expr),
}

impl BodyChecker<'_> {
    /// Checks `q[index].field`, a field of another second particle.
    pub fn gathered(
        &mut self,
        binding: Binding,
        gather: &syn::ExprIndex,
        member: &syn::Member,
    ) -> Option<ir::Expr> {
        let Binding::Input(input @ Input::Q(place)) = binding else {
            self.refuse_gather(gather);
            return None;
        };
        let field = self.field_read(input, member);
        let index = self.expr(&gather.index)?;
        if index.ty != Type::U32 {
            let arguments = [&*index.ty.to_string()];
            self.items.cx.error(Site::of(&gather.index), &message::INDEX_TYPE, &arguments);
            return None;
        }
        let (field, ty) = field?;
        Some(ir::Expr::new(ExprKind::Gather(Box::new(index), place, field), ty, member.span()))
    }

    /// Refuses an index of a record that is not the second particle, or of a whole record.
    fn refuse_gather(&self, gather: &syn::ExprIndex) {
        let name = operand(&gather.expr);
        self.items.cx.error(Site::of(&gather.expr), &message::GATHER, &[&name]);
    }

    /// Checks `base[index]` and `table[index][index]`.
    pub fn indexed(&mut self, access: &syn::ExprIndex) -> Option<ir::Expr> {
        if let Expr::Index(inner) = &*access.expr {
            let base = self.expr_or_table(&inner.expr)?;
            if let Type::Table(rows, columns) | Type::SplineTable(rows, columns, _) = base.ty {
                let row = self.index(rows, &inner.index);
                let column = self.index(columns, &access.index);
                return Some(entry(base, vec![row?.into_expr(), column?.into_expr()]));
            }
        }
        match self.record(&access.expr) {
            Some(Binding::Input(input @ Input::Q(_))) => {
                let name = format!("{}[{}]", operand(&access.expr), written(&access.index));
                self.refuse_whole(Site::of(access), &name, input);
                return None;
            }
            Some(_) => {
                self.refuse_gather(access);
                return None;
            }
            None => {}
        }
        let mut base = self.expr_or_table(&access.expr)?;
        if let Type::Splines(n, _) = base.ty {
            let index = self.index(n, &access.index)?;
            return Some(entry(base, vec![index.into_expr()]));
        }
        let is_part = whole_of_part(&base).is_some();
        if !is_part {
            base = self.read(&access.expr, base)?;
        }
        let n = self.length(base.ty, &access.expr)?;
        match (self.index(n, &access.index)?, base.ty) {
            (Checked::Known(index), _) => Some(component_of(base, index)),
            (Checked::Data(index), Type::Array(_)) if !is_part => Some(entry(base, vec![index])),
            (Checked::Data(_), Type::Array(_) | Type::Counts(_)) => {
                let (base, index) = (operand(&access.expr), written(&access.index));
                let help = format!(
                    "write `for k in 0..{n} {{ if {index} == k {{ ... {base}[k] ... }} }}`"
                );
                self.items.cx.error(Site::of(&access.index), &message::INDEX_DATA, &[&help]);
                None
            }
            (Checked::Data(_), _) => {
                let (base, index) = (operand(&access.expr), written(&access.index));
                let components: Vec<_> =
                    ["x", "y", "z"][..n].iter().map(|name| format!("{base}.{name}")).collect();
                let help = format!("write `[{}][{index}]`", components.join(", "));
                self.items.cx.error(Site::of(&access.index), &message::INDEX_DATA, &[&help]);
                None
            }
        }
    }

    /// Checks the index of an element of a result, which may depend on the data.
    pub fn entry_of_result(
        &mut self,
        side: Side,
        place: &Place<FieldId>,
        (base, index): (&Expr, &Expr),
    ) -> Option<Target> {
        let n = self.length(place.whole, base)?;
        Some(match self.index(n, index)? {
            Checked::Known(index) => {
                Target::Output(side, Place { component: Some(index), ..place.clone() })
            }
            Checked::Data(value) => Target::Entry(side, place.clone(), value),
        })
    }

    /// Returns the loop that adds to the entry of an index from the data: emitters recognise it.
    pub fn add_to_entry(
        &mut self,
        index: ir::Expr,
        (side, place, how, value): (Side, Place<FieldId>, Accumulate, ir::Expr),
    ) -> StmtKind {
        let span = index.span;
        let n = u32::try_from(place.whole.components()).expect("checked: arrays are short");
        let [index, value] =
            [(index, "bin"), (value, "term")].map(|(it, name)| self.once(it, name));
        let turn = self.declare_unnamed("k", Type::U32, span);
        self.locals[turn].range = Some(0..n);
        let local = || ir::Expr::new(ExprKind::Local(turn), Type::U32, span);
        let place = Place { component: Some(Index::Loop(Box::new(local()))), ..place };
        let here = ExprKind::Binary(BinaryOp::Eq, Box::new(index), Box::new(local()));
        let statement = |kind| Stmt { lints: Vec::new(), comments: Vec::new(), behind: None, kind };
        let add = statement(StmtKind::Accumulate { side, place, how, value });
        let condition = ir::Expr::new(here, Type::Bool, span);
        let test = statement(StmtKind::If { condition, yes: vec![add], no: Vec::new() });
        StmtKind::For { local: turn, range: 0..n, body: vec![test] }
    }

    /// Binds a value to a variable, unless it is one number already.
    pub(super) fn once(&mut self, value: ir::Expr, name: &str) -> ir::Expr {
        let is_one = matches!(
            value.kind,
            ExprKind::Local(_)
                | ExprKind::Input(..)
                | ExprKind::Constant(_)
                | ExprKind::U32(_)
                | ExprKind::Real(_)
        );
        if is_one {
            return value;
        }
        let (ty, span) = (value.ty, value.span);
        let local = self.declare_unnamed(name, ty, span);
        let comments = std::mem::take(&mut self.pending);
        self.push(StmtKind::Let { local, value });
        self.pending = comments;
        ir::Expr::new(ExprKind::Local(local), ty, span)
    }

    /// Checks the index of an assigned component, which must be known. `rest` is the text of the
    /// statement after it.
    pub fn known_index(
        &mut self,
        ty: Type,
        (base, index): (&Expr, &Expr),
        rest: &str,
    ) -> Option<Index> {
        let n = self.length(ty, base)?;
        if let Some(real) = self.bin(index) {
            let base = written(base);
            let help = format!(
                "write `for k in 0..{n} {{ if {real} as u32 == k {{ {base}[k] {rest}; }} }}`"
            );
            self.items.cx.error(Site::of(index), &message::INDEX_DATA, &[&help]);
            return None;
        }
        match self.index(n, index)? {
            Checked::Known(index) => Some(index),
            Checked::Data(value) => {
                let (base, text) = (written(base), written(index));
                let words = text.split(|c: char| !c.is_alphanumeric()).collect::<Vec<_>>();
                let k = if words.contains(&"k") { "m" } else { "k" };
                let number = match &value.kind {
                    ExprKind::Local(local) => self.numbers.get(local),
                    _ => None,
                };
                let help = match number {
                    Some((_, number)) => {
                        format!("write `{base}[{number}]`, or a `const` of the module")
                    }
                    None => format!(
                        "write `for {k} in 0..{n} {{ if {text} == {k} {{ {base}[{k}] {rest}; }} }}`"
                    ),
                };
                self.items.cx.error(Site::of(index), &message::INDEX_DATA, &[&help]);
                None
            }
        }
    }

    /// Advises on a `Real` that is truncated to an index, as in `bins[(r / width) as usize]`.
    fn bin(&mut self, index: &Expr) -> Option<String> {
        let (mut inner, mut is_cut) = (index, false);
        loop {
            inner = match inner {
                Expr::Cast(cast) => {
                    is_cut = true;
                    &cast.expr
                }
                Expr::Paren(paren) => &paren.expr,
                Expr::Group(group) => &group.expr,
                _ => break,
            };
        }
        if !is_cut {
            return None;
        }
        let cx = self.items.cx;
        let ty = cx.quietly(|| self.expr(inner)).map(|value| value.ty);
        (ty == Some(Type::Real)).then(|| operand(inner))
    }

    fn length(&self, ty: Type, base: &Expr) -> Option<usize> {
        let (Type::Vector(n) | Type::Array(n) | Type::Counts(n)) = ty else {
            let help = match (ty, base) {
                (Type::Point(_), _) => {
                    "only differences of points have components: `(j.pos - i.pos)[k]`"
                }
                (_, Expr::Index(_)) => {
                    "arrays and vectors have one index, and tables of the parameters two"
                }
                (Type::Tensor(_), _) => "its components have names: `t.xx`",
                _ => "arrays and vectors can",
            };
            let arguments = [&*ty.to_string(), help];
            self.items.cx.error(Site::of(base), &message::NOT_INDEXABLE, &arguments);
            return None;
        };
        Some(n)
    }

    fn index(&mut self, n: usize, written: &Expr) -> Option<Checked> {
        let site = Site::of(written);
        if let Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), .. }) = without_groups(written) {
            self.items.cx.error(site, &message::INDEX, &[&n.to_string()]);
            return None;
        }
        let index = self.expr(written)?;
        if index.ty != Type::U32 {
            self.items.cx.error(site, &message::INDEX_TYPE, &[&index.ty.to_string()]);
            return None;
        }
        let range = self.range(&index);
        let known = self.known_range(&index);
        let is_beyond = range.is_some_and(|(_, most)| most >= n as u64)
            || known.is_some_and(|(least, _)| least >= n as u64);
        if is_beyond {
            self.items.cx.error(site, &message::INDEX, &[&n.to_string()]);
            return None;
        }
        let Some((least, most)) = range else { return Some(Checked::Data(index)) };
        // The variable of a loop with one iteration has a known value, but is printed by name.
        let is_written = !index.walk().any(|part| matches!(part.kind, ExprKind::Local(_)));
        let fixed = usize::try_from(least).ok().filter(|_| least == most && is_written);
        Some(Checked::Known(fixed.map_or_else(|| Index::Loop(Box::new(index)), Index::Fixed)))
    }

    /// Returns the smallest and the largest value of an integer of numbers, constants and variables of
    /// `for`.
    fn range(&self, expr: &ir::Expr) -> Option<(u64, u64)> {
        self.range_of(expr, &|_| None)
    }

    /// Returns the smallest and the largest value of an integer that does not depend on the data.
    pub fn known_range(&self, expr: &ir::Expr) -> Option<(u64, u64)> {
        self.range_of(expr, &|local| self.known.get(&local).copied())
    }

    fn range_of(
        &self,
        expr: &ir::Expr,
        of_let: &dyn Fn(LocalId) -> Option<(u64, u64)>,
    ) -> Option<(u64, u64)> {
        match &expr.kind {
            ExprKind::U32(n) => Some((u64::from(*n), u64::from(*n))),
            ExprKind::Constant(id) => match self.items.constants[*id].value {
                Value::U32(n) => Some((u64::from(n), u64::from(n))),
                Value::Real(_) => None,
            },
            ExprKind::Local(id) => {
                let Some(range) = self.locals[*id].range.as_ref() else { return of_let(*id) };
                Some((u64::from(range.start), u64::from(range.end) - 1))
            }
            ExprKind::Binary(op, a, b) => {
                let ((a, b), (c, d)) = (self.range_of(a, of_let)?, self.range_of(b, of_let)?);
                let (least, most) = match op {
                    BinaryOp::Add => (Some(a + c), b + d),
                    BinaryOp::Mul => (Some(a * c), b * d),
                    BinaryOp::Sub => (a.checked_sub(d), b.saturating_sub(c)),
                    _ => return None,
                };
                // Integer overflow wraps: any value is possible.
                let all = u64::from(u32::MAX);
                Some(least.filter(|_| most <= all).map_or((0, all), |least| (least, most)))
            }
            _ => None,
        }
    }
}

impl Checked {
    fn into_expr(self) -> ir::Expr {
        let span = proc_macro2::Span::call_site();
        match self {
            Self::Known(Index::Fixed(k)) => {
                let k = u32::try_from(k).expect("checked: arrays are shorter than that");
                ir::Expr::new(ExprKind::U32(k), Type::U32, span)
            }
            Self::Known(Index::Loop(index)) => *index,
            Self::Data(index) => index,
        }
    }
}

fn entry(base: ir::Expr, indices: Vec<ir::Expr>) -> ir::Expr {
    let span = base.span;
    let ty = base.ty.entry();
    ir::Expr::new(ExprKind::Entry(Box::new(base), indices), ty, span)
}

/// Takes one component of a vector or an array.
pub(crate) fn component_of(base: ir::Expr, index: Index) -> ir::Expr {
    let span = base.span;
    let ty = base.ty.component();
    ir::Expr::new(ExprKind::Component(Box::new(base), index), ty, span)
}
