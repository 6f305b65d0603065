//! Assignments: to variables, and to the sums and other results of `pair`.

use quote::ToTokens;
use syn::{Expr, Ident};

use crate::check::body::BodyChecker;
use crate::check::expr::real_of;
use crate::check::operator;
use crate::check::scope::Binding;
use crate::diagnostics::Site;
use crate::ir::{
    Accumulate, BinaryOp, FieldId, Index, Input, LocalId, Place, Reduction, Side, StmtKind, Type,
};
use crate::message::{self, suggestion};

/// The place that an assignment changes.
enum Target {
    Local(Place<LocalId>),
    /// A field of the particle, in an update.
    Particle(Place<FieldId>),
    Output(Place<FieldId>),
}

impl BodyChecker<'_> {
    pub fn assign(&mut self, left: &Expr, op: Option<BinaryOp>, right: &Expr) -> Option<()> {
        let target = self.target(left, op);
        let value = self.expr(right);
        let (target, value) = (target?, value?);
        let ty = match &target {
            Target::Local(place) => place.ty(),
            Target::Particle(place) | Target::Output(place) => place.ty(),
        };
        // A count increases by integers.
        let ty = if ty == Type::Reduced(Reduction::Count) { Type::U32 } else { ty };
        let result = match (op, &target, ty, value.ty) {
            // A position is displaced.
            (Some(BinaryOp::Add | BinaryOp::Sub), Target::Particle(_), Type::Point(n), by)
                if by == Type::Vector(n) =>
            {
                Some(ty)
            }
            (Some(op), ..) => operator::binary(op, ty, value.ty).ok(),
            (None, ..) => Some(value.ty),
        };
        if result != Some(ty) {
            let help = match (&target, real_of(&value, ty)) {
                (Target::Output(Place { whole: Type::Array(_), component: None, .. }), _) => {
                    let written = left.to_token_stream().to_string().replace(' ', "");
                    format!("write `{written}[k] += ...`")
                }
                (_, Some(real)) => real,
                (Target::Particle(_), None) if matches!(ty, Type::Point(_)) => {
                    "a position is displaced by a vector: `p.pos += self.dt * p.vel`".to_owned()
                }
                _ => "both sides must have one type".to_owned(),
            };
            let arguments = [&*value.ty.to_string(), &ty.to_string(), &help];
            self.items.cx.error(Site::of(right), &message::ASSIGN_TYPE, &arguments);
            return None;
        }
        let kind = match target {
            Target::Local(place) => StmtKind::Assign { place, op, value },
            Target::Particle(place) => StmtKind::Change { place, op, value },
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

    /// Resolves the left side of an assignment.
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
                    match binding {
                        Binding::Output => return self.accumulator(field, op).map(Target::Output),
                        Binding::Input(Input::P) if self.changes => {
                            return self.changed(field).map(Target::Particle);
                        }
                        _ => {}
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
            Some(Binding::Input(Input::P)) if self.changes => {
                self.refuse_whole(site, &name, Input::P);
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

    /// The field of the particle that is changed.
    fn changed(&mut self, field: &syn::ExprField) -> Option<Place<FieldId>> {
        let of = self.field(self.record_of(Input::P), &field.member)?;
        self.accumulated.insert(of);
        Some(Place { of, whole: self.items.structs[of].ty, component: None })
    }

    /// The field of the result that is accumulated into.
    fn accumulator(
        &mut self,
        field: &syn::ExprField,
        op: Option<BinaryOp>,
    ) -> Option<Place<FieldId>> {
        let of = self.field(self.result(), &field.member)?;
        self.accumulated.insert(of);
        let ty = self.items.structs[of].ty;
        if !matches!(op, Some(BinaryOp::Add | BinaryOp::Sub)) {
            let element = if matches!(ty, Type::Array(_)) { "[k]" } else { "" };
            let written = field.to_token_stream().to_string().replace(' ', "") + element;
            let message = &message::ASSIGN_OUTPUT;
            self.items.cx.error(Site::of(field), message, &[&written, &written]);
            return None;
        }
        let written = field.to_token_stream().to_string().replace(' ', "");
        let instead = match ty {
            Type::Reduced(Reduction::Count) if op == Some(BinaryOp::Add) => None,
            Type::Reduced(Reduction::Count) => Some(format!("{written} += 1")),
            Type::Reduced(Reduction::Max) => Some(format!("{written}.max(...)")),
            Type::Reduced(_) => Some(format!("{written}.min(...)")),
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
        matches!(self.record(&field.base), Some(Binding::Output))
    }

    /// `f.nearest.min(e)`.
    pub fn reduce(&mut self, call: &syn::ExprMethodCall) -> Option<()> {
        let Expr::Field(field) = &*call.receiver else { return None };
        let of = self.field(self.result(), &field.member)?;
        self.accumulated.insert(of);
        self.turbofish(call);
        let (ty, method) = (self.items.structs[of].ty, call.method.to_string());
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
        let arguments =
            self.arguments((Site::of(&call.method), takes), &call.args, &[Type::Real])?;
        let value = arguments.into_iter().next()?;
        let place = Place { of, whole: ty, component: None };
        let how = Accumulate::Reduce(reduction);
        self.push(StmtKind::Accumulate { side: Side::I, place, how, value });
        Some(())
    }
}

fn component_of(target: Target, component: impl FnOnce(Type) -> Option<Index>) -> Option<Target> {
    fn of<T>(place: Place<T>, component: impl FnOnce(Type) -> Option<Index>) -> Option<Place<T>> {
        let component = component(place.ty())?;
        Some(Place { component: Some(component), ..place })
    }
    Some(match target {
        Target::Local(place) => Target::Local(of(place, component)?),
        Target::Particle(place) => Target::Particle(of(place, component)?),
        Target::Output(place) => Target::Output(of(place, component)?),
    })
}
