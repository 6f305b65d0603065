//! Assignments: to variables, and to the sums and other results of `pair`.

use proc_macro2::Span;
use syn::{Expr, Ident, Token};

use crate::check::advice::operators::{of_binary, of_unary, of_value};
use crate::check::advice::written;
use crate::check::body::BodyChecker;
use crate::check::operator;
use crate::check::scope::Binding;
use crate::diagnostics::Site;
use crate::ir::{
    self, Accumulate, BinaryOp, FieldId, Index, Input, LocalId, Place, Reduction, Side, StmtKind,
    Type,
};
use crate::message::{self, suggestion};

/// Target of an assignment.
pub(super) enum Target {
    Local(Place<LocalId>),
    /// A field of the particle, in an update.
    Particle(Place<FieldId>),
    Output(Side, Place<FieldId>),
    /// An element of a result, by an index that depends on the data.
    Entry(Side, Place<FieldId>, ir::Expr),
}

impl BodyChecker<'_> {
    pub fn assign(&mut self, left: &Expr, op: Option<BinaryOp>, right: &Expr) -> Option<()> {
        let rest = operator::written_assignment(op).to_owned() + &written(right);
        let target = self.target(left, op, &rest);
        let value = self.expr(right);
        self.reads_output = false;
        let (target, value) = (target?, value?);
        let ty = match &target {
            Target::Local(place) => place.ty(),
            Target::Particle(place) | Target::Output(_, place) => place.ty(),
            Target::Entry(_, place, _) => place.whole.component(),
        };
        // A count increases by integers.
        let ty = if ty == Type::Reduced(Reduction::Count) { Type::U32 } else { ty };
        let result = match (op, &target, ty, value.ty) {
            // Adding to a position displaces it.
            (Some(BinaryOp::Add | BinaryOp::Sub), Target::Particle(_), Type::Point(n), by)
                if by == Type::Vector(n) =>
            {
                Some(ty)
            }
            (Some(op), ..) => operator::binary(op, ty, value.ty),
            (None, ..) => Some(value.ty),
        };
        let of_integers = match op {
            Some(BinaryOp::Rem) => Some(syn::BinOp::Rem(Token![%](Span::call_site()))),
            Some(BinaryOp::Shl) => Some(syn::BinOp::Shl(Token![<<](Span::call_site()))),
            Some(BinaryOp::Shr) => Some(syn::BinOp::Shr(Token![>>](Span::call_site()))),
            _ => None,
        };
        let is_redeclared = matches!(&target, Target::Local(Place { of, component: None, .. })
            if self.redeclared(*of, value.ty).is_some());
        if let Some(plain) = of_integers
            && result.is_none()
            && !is_redeclared
        {
            let help = of_binary(&plain, (left, ty), (right, value.ty));
            let sign = operator::written_assignment(op).trim_end();
            let arguments = [&*ty.to_string(), sign, &value.ty.to_string(), &help];
            self.items.cx.error(Site::of(right), &message::BINARY, &arguments);
            return None;
        }
        if result != Some(ty) {
            let help = self.help_of_assignment(&target, left, &value, ty);
            let arguments = [&*value.ty.to_string(), &ty.to_string(), &help];
            self.items.cx.error(Site::of(right), &message::ASSIGN_TYPE, &arguments);
            return None;
        }
        let (op, value) = match (op, ty, &target) {
            (Some(op), Type::Tensor(_), Target::Local(_) | Target::Particle(_)) => {
                let before = whole(&target, ty, value.span);
                let span = value.span;
                (None, self.tensor_operation(op, [before, value], ty, span))
            }
            _ => (op, value),
        };
        let kind = match target {
            Target::Local(place) => {
                if value.ty == Type::U32 {
                    // The variable is meant to be an integer.
                    self.numbers.remove(&place.of);
                }
                StmtKind::Assign { place, op, value }
            }
            Target::Particle(place) => StmtKind::Change { place, op, value },
            Target::Output(side, place) if matches!(ty, Type::Tensor(_)) => {
                let how = how(place.whole, op);
                self.add_to_tensor(value, (side, place, how))
            }
            Target::Output(side, place) => {
                let how = how(place.whole, op);
                StmtKind::Accumulate { side, place, how, value }
            }
            Target::Entry(side, place, index) => {
                let how = how(place.whole, op);
                self.add_to_entry(index, (side, place, how, value))
            }
        };
        self.push(kind);
        Some(())
    }

    /// Returns the help for an assignment of a value of another type than `ty`.
    fn help_of_assignment(
        &mut self,
        target: &Target,
        left: &Expr,
        value: &ir::Expr,
        ty: Type,
    ) -> String {
        match (target, of_value(value, ty)) {
            (Target::Local(Place { of, component: None, .. }), _)
                if self.redeclared(*of, value.ty).is_some() =>
            {
                self.redeclare(*of, value.ty)
            }
            (Target::Output(..) | Target::Entry(..), Some(real))
                if value.ty == Type::U32 && ty == Type::Real =>
            {
                let count = match target {
                    Target::Output(_, Place { whole: Type::Array(n), .. })
                    | Target::Entry(_, Place { whole: Type::Array(n), .. }, _) => {
                        format!("[Count; {n}]")
                    }
                    _ => "Count".to_owned(),
                };
                format!("{real}, or declare the field as a `{count}`")
            }
            (Target::Output(_, Place { whole: Type::Array(_), component: None, .. }), _) => {
                format!("write `{}[k] += ...`", written(left))
            }
            (Target::Output(_, Place { whole: Type::Counts(_), component: None, .. }), _) => {
                format!("write `{}[k] += 1`", written(left))
            }
            (_, Some(real)) => real,
            (Target::Particle(_), None) if matches!(ty, Type::Point(_)) => {
                "a position is displaced by a vector: `p.pos += self.dt * p.vel`".to_owned()
            }
            _ => "both sides must have one type".to_owned(),
        }
    }

    /// Resolves the left side of an assignment.
    fn target(&mut self, left: &Expr, op: Option<BinaryOp>, rest: &str) -> Option<Target> {
        let cx = self.items.cx;
        let site = Site::of(left);
        match left {
            Expr::Path(path) => {
                let ident = path.path.get_ident()?;
                self.variable(ident).map(Target::Local)
            }
            Expr::Field(field) => {
                if let Some(binding) = self.record(&field.base) {
                    match binding {
                        Binding::Output(side) => {
                            let place = self.accumulator(field, op, rest)?;
                            return Some(Target::Output(side, place));
                        }
                        Binding::Input(Input::P) if self.changes => {
                            return self.changed(field).map(Target::Particle);
                        }
                        Binding::Input(input) => {
                            cx.error(
                                site,
                                &message::ASSIGN_INPUT,
                                &[&written(left), of_input(input)],
                            );
                        }
                        _ => {}
                    }
                    return None;
                }
                if self.refuse_hidden(&field.base, &field.member) {
                    return None;
                }
                let base = self.target(&field.base, op, rest)?;
                if let Target::Particle(Place { whole: Type::Point(_), .. }) = base {
                    self.refuse_component(&field.base, &field.member);
                    return None;
                }
                let component = |ty| self.component_index(ty, &field.member);
                component_of(base, |ty| component(ty).map(Index::Fixed))
            }
            Expr::Index(index) => {
                let base = self.target(&index.expr, op, rest)?;
                if let Target::Output(side, place) = &base
                    && matches!(place.whole, Type::Array(_) | Type::Counts(_))
                    && place.component.is_none()
                {
                    return self.entry_of_result(*side, place, (&index.expr, &index.index));
                }
                component_of(base, |ty| self.known_index(ty, (&index.expr, &index.index), rest))
            }
            Expr::Paren(paren) => self.target(&paren.expr, op, rest),
            Expr::Group(group) => self.target(&group.expr, op, rest),
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
                let help = of_unary(unary.op, (&unary.expr, Type::Real));
                cx.error(site, &message::UNARY, &["*", &written(&unary.expr), &help]);
                self.target(&unary.expr, op, rest);
                None
            }
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
            Some(Binding::Input(Input::P)) if self.changes => {
                self.refuse_whole(site, &name, Input::P);
                None
            }
            Some(Binding::Input(input)) => {
                cx.error(site, &message::ASSIGN_INPUT, &[&name, of_input(input)]);
                None
            }
            Some(Binding::Output(_)) => {
                let help = format!("write `{name}.field += ...` or `{name}.field -= ...`");
                cx.error(site, &message::ASSIGN_OUTPUT, &[&help]);
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

    /// Returns the declaration that a variable should have had, if a number of another type
    /// declared it.
    fn redeclared(&self, local: LocalId, needed: Type) -> Option<String> {
        let (name, number) = self.numbers.get(&local)?;
        let value = match (self.locals[local].ty, needed, number.parse::<f64>().ok()?) {
            (Type::U32, Type::Real, _) => format!("{number}.0"),
            (Type::U32 | Type::Real, Type::Vector(n), 0.0) => {
                format!("Vector::new({})", vec!["0.0"; n].join(", "))
            }
            _ => return None,
        };
        let mutable = if self.locals[local].mutable { "mut " } else { "" };
        Some(format!("declare it as `let {mutable}{name} = {value};`"))
    }

    /// Corrects the type of a variable, so that its other uses cause no errors, and returns the
    /// declaration.
    pub fn redeclare(&mut self, local: LocalId, needed: Type) -> String {
        let help = self.redeclared(local, needed).unwrap_or_default();
        self.locals[local].ty = needed;
        help
    }

    /// Advises on an operand that is an integer: returns the declaration of the variable, if a
    /// number declared it.
    pub fn redeclared_operand(&mut self, expr: &crate::ir::Expr) -> Option<String> {
        let crate::ir::ExprKind::Local(local) = expr.kind else { return None };
        self.redeclared(local, Type::Real)?;
        Some(self.redeclare(local, Type::Real))
    }

    /// Resolves the field of the particle that is changed.
    fn changed(&mut self, field: &syn::ExprField) -> Option<Place<FieldId>> {
        let of = self.field(self.record_of(Input::P), &field.member)?;
        self.accumulated.insert(of);
        let field = &self.items.structs[of];
        (!field.is_refused).then_some(Place { of, whole: field.ty, component: None })
    }

    /// Resolves the field of the result that is accumulated into.
    fn accumulator(
        &mut self,
        field: &syn::ExprField,
        op: Option<BinaryOp>,
        rest: &str,
    ) -> Option<Place<FieldId>> {
        let of = self.field(self.result(), &field.member)?;
        self.accumulated.insert(of);
        let ty = self.items.structs[of].ty;
        if self.items.structs[of].is_refused {
            return None;
        }
        let written = written(field);
        if !matches!(op, Some(BinaryOp::Add | BinaryOp::Sub)) {
            let help = match ty {
                Type::Counts(_) => format!("write `{written}[k] += 1`"),
                Type::Reduced(reduction) => reduced(&written, reduction),
                Type::Array(_) => format!("write `{written}[k] += ...` or `{written}[k] -= ...`"),
                _ => format!("write `{written} += ...` or `{written} -= ...`"),
            };
            self.items.cx.error(Site::of(field), &message::ASSIGN_OUTPUT, &[&help]);
            // The value reads the result where the user means to accumulate into it.
            self.reads_output = rest.contains(&written);
            return None;
        }
        let instead = match ty {
            Type::Reduced(Reduction::Count) | Type::Counts(_) if op == Some(BinaryOp::Add) => None,
            Type::Reduced(Reduction::Count) => Some(format!(
                "a count only grows: write `{written} += 1`, or declare the field as a `Real`"
            )),
            Type::Counts(_) => Some(format!(
                "a count only grows: write `{written}[k] += 1`, or declare the field as an array of `Real`"
            )),
            Type::Reduced(reduction) => Some(reduced(&written, reduction)),
            _ => None,
        };
        if let Some(instead) = instead {
            let arguments = [&*ty.to_string(), &instead];
            self.items.cx.error(Site::of(field), &message::NOT_A_SUM, &arguments);
            return None;
        }
        Some(Place { of, whole: ty, component: None })
    }

    pub fn is_result(&self, receiver: &Expr) -> bool {
        let Expr::Field(field) = receiver else { return false };
        matches!(self.record(&field.base), Some(Binding::Output(_)))
    }

    /// Checks a reduction such as `f.nearest.min(e)`.
    pub fn reduce(&mut self, call: &syn::ExprMethodCall) -> Option<()> {
        let Expr::Field(field) = &*call.receiver else { return None };
        let Some(Binding::Output(side)) = self.record(&field.base) else { return None };
        let of = self.field(self.result(), &field.member)?;
        self.accumulated.insert(of);
        self.turbofish(call);
        if self.items.structs[of].is_refused {
            call.args.iter().for_each(|argument| drop(self.expr(argument)));
            return None;
        }
        let (ty, method) = (self.items.structs[of].ty, call.method.to_string());
        let Type::Reduced(reduction) = ty else {
            let help = "write `+= ...`, or declare the field as a `Min<Real>` or a `Max<Real>`";
            let arguments = [&*ty.to_string(), &method, help];
            self.items.cx.error(Site::of(&call.method), &message::REDUCE, &arguments);
            return None;
        };
        let Some(takes) = reduction.method().filter(|takes| *takes == method) else {
            let help = reduced("", reduction);
            let arguments = [&*ty.to_string(), &method, &help];
            self.items.cx.error(Site::of(&call.method), &message::REDUCE, &arguments);
            return None;
        };
        let arguments =
            self.arguments((Site::of(&call.method), takes), &call.args, &[Type::Real])?;
        let value = arguments.into_iter().next()?;
        let place = Place { of, whole: ty, component: None };
        let how = Accumulate::Reduce(reduction);
        self.push(StmtKind::Accumulate { side, place, how, value });
        Some(())
    }
}

/// Returns the advice how to accumulate into a result.
fn reduced(target: &str, reduction: Reduction) -> String {
    match reduction.method() {
        Some(method) => format!("write `{target}.{method}(...)`"),
        None => format!("write `{target} += 1`"),
    }
}

/// Returns the operation of an assignment to a result of this type.
fn how(whole: Type, op: Option<BinaryOp>) -> Accumulate {
    match (whole, op) {
        (Type::Reduced(reduction), _) => Accumulate::Reduce(reduction),
        (Type::Counts(_), _) => Accumulate::Reduce(Reduction::Count),
        (_, Some(BinaryOp::Sub)) => Accumulate::Sub,
        _ => Accumulate::Add,
    }
}

/// Returns the value of a variable or of a field of the particle before it is assigned.
fn whole(target: &Target, ty: Type, span: Span) -> ir::Expr {
    let kind = match target {
        Target::Local(place) => ir::ExprKind::Local(place.of),
        Target::Particle(place) => ir::ExprKind::Input(Input::P, place.of),
        Target::Output(..) | Target::Entry(..) => unreachable!("results are accumulated"),
    };
    ir::Expr::new(kind, ty, span)
}

/// Advises on an assignment to an input of this kind.
fn of_input(input: Input) -> &'static str {
    match input {
        Input::J => {
            "a pair acts on i alone: the action of i on j is that of the pair of j and i, which is evaluated too"
        }
        Input::I => {
            "accumulate into the result; an `impl Update` changes particles, or bind the new value to a name"
        }
        _ => "bind the new value to a name of its own",
    }
}

fn component_of(target: Target, component: impl FnOnce(Type) -> Option<Index>) -> Option<Target> {
    fn of<T>(place: Place<T>, component: impl FnOnce(Type) -> Option<Index>) -> Option<Place<T>> {
        let component = component(place.ty())?;
        Some(Place { component: Some(component), ..place })
    }
    Some(match target {
        Target::Entry(..) => return None,
        Target::Local(place) => Target::Local(of(place, component)?),
        Target::Particle(place) => Target::Particle(of(place, component)?),
        Target::Output(side, place) => Target::Output(side, of(place, component)?),
    })
}
