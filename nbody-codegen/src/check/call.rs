//! Checks calls of methods and functions.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall};

use crate::check::advice::operators::of_value;
use crate::check::advice::{operand, written};
use crate::check::body::BodyChecker;
use crate::check::constant;
use crate::check::expr::of_branches;
use crate::check::library;
use crate::check::scope::Binding;
use crate::diagnostics::Site;
use crate::ir::{self, Builtin, ExprKind, Type};
use crate::message::{self};
use crate::syntax::without_groups;

impl BodyChecker<'_> {
    pub fn method(&mut self, call: &ExprMethodCall) -> Option<ir::Expr> {
        let name = call.method.to_string();
        if let Some(binding) = self.record(&call.receiver) {
            self.refuse_record_method(call, binding);
            return None;
        }
        let receiver = self.receiver(&call.receiver)?;
        self.turbofish(call);
        let span = call.method.span();
        match (receiver.ty, name.as_str()) {
            (Type::Real, "powi") => return self.powi(call, receiver),
            (Type::Real | Type::Vector(_) | Type::Array(_) | Type::Tensor(_), "rate") => {
                return self.rate(call, &receiver);
            }
            (Type::Real, "gradient") => return self.gradient(call, &receiver),
            (Type::Tensor(_), _) => return self.tensor_method(call, receiver),
            (Type::Bool, "select") => return self.select(call, receiver),
            (Type::Point(_), name) => {
                let help = self.of_point(call, name);
                self.items.cx.error(Site::of(&call.method), &message::POINT_METHOD, &[&help]);
                return None;
            }
            _ => {}
        }
        let ty = receiver.ty;
        let builtin = Builtin::find(ty, &name)
            .filter(|builtin| *builtin != Builtin::Cross || ty == Type::Vector(3));
        let Some(builtin) = builtin else {
            let help = Self::of_method(call, ty);
            let arguments: [&str; 3] = [&ty.to_string(), &name, &help];
            self.items.cx.error(Site::of(&call.method), &message::UNKNOWN_METHOD, &arguments);
            return None;
        };
        let arguments = self.arguments(
            (Site::of(&call.method), &name),
            &call.args,
            &vec![Builtin::argument(ty); builtin.arguments()],
        )?;
        let operands = std::iter::once(receiver).chain(arguments).collect();
        Some(ir::Expr::new(ExprKind::Math(builtin, operands), builtin.output(ty), span))
    }

    /// Checks the receiver of a method: only there may an expression be a spline.
    fn receiver(&mut self, expr: &Expr) -> Option<ir::Expr> {
        let receiver = self.expr_or_table(expr)?;
        if matches!(receiver.ty, Type::Spline(_)) {
            Some(receiver)
        } else {
            self.read(expr, receiver)
        }
    }

    /// Refuses `.sqrt::<f64>()`.
    pub fn turbofish(&self, call: &ExprMethodCall) {
        if let Some(turbofish) = &call.turbofish {
            self.items.cx.error(Site::of(turbofish), &message::GENERICS, &[]);
        }
    }

    fn powi(&mut self, call: &ExprMethodCall, receiver: ir::Expr) -> Option<ir::Expr> {
        let exponent = match call.args.first() {
            Some(exponent) if call.args.len() == 1 => {
                constant::exponent(exponent, self.items.constants)
            }
            _ => None,
        };
        let Some(exponent) = exponent else {
            let help = self.of_exponent(call, &operand(&call.receiver));
            self.items.cx.error(Site::of(call), &message::POWI, &[&help]);
            return None;
        };
        let span = call.method.span();
        let kind = ExprKind::Powi(Box::new(receiver), exponent);
        Some(ir::Expr::new(kind, Type::Real, span))
    }

    fn select(&mut self, call: &ExprMethodCall, condition: ir::Expr) -> Option<ir::Expr> {
        let mut values = Vec::new();
        for argument in &call.args {
            values.push(self.expr(argument)?);
        }
        let cx = self.items.cx;
        let Ok([yes, no]) = <[ir::Expr; 2]>::try_from(values) else {
            let given = given(call.args.len());
            cx.error(Site::of(call), &message::ARITY, &["select", "2 arguments", &given]);
            return None;
        };
        if yes.ty != no.ty {
            let help = of_branches(&yes, &no);
            let (yes, no) = (yes.ty.to_string(), no.ty.to_string());
            cx.error(Site::of(call), &message::BRANCHES, &[&yes, &no, &help]);
            return None;
        }
        let (ty, span) = (yes.ty, call.method.span());
        Some(ir::Expr::new(ExprKind::Select(Box::new([condition, yes, no])), ty, span))
    }

    pub fn call(&mut self, call: &ExprCall) -> Option<ir::Expr> {
        let cx = self.items.cx;
        let site = Site::of(&call.func);
        let Expr::Path(path) = without_groups(&call.func) else {
            cx.error(site, &message::EXPRESSION, &["this call", "call a function of the module"]);
            return None;
        };
        let name = path.to_token_stream().to_string().replace(' ', "");
        if let Some(ty) = vector_constructor(&name, call.args.len()) {
            return self.vector(call, &name, ty);
        }
        if let Some(constructor) = name.strip_prefix("Tensor::") {
            return self.tensor(call, (&name, constructor));
        }
        let Some(signature) = self.items.called(&name, call.args.len()) else {
            let is_refused = path.path.get_ident().is_some_and(|ident| {
                matches!(self.scopes.find(&ident.to_string()), Some(Binding::Unknown))
            });
            if is_refused {
                return None;
            }
            if let Some(takes) = library::arity(&name) {
                cx.error(site, &message::ARITY, &[&name, &takes, &given(call.args.len())]);
                return None;
            }
            let help = self.of_function(path, call);
            cx.error(site, &message::UNKNOWN_FUNCTION, &[&name, &help]);
            return None;
        };
        let Some(expected) = signature.parameters.iter().copied().collect::<Option<Vec<_>>>()
        else {
            // The arguments may be records, of types that were refused in the signature.
            cx.quietly(|| call.args.iter().for_each(|argument| drop(self.expr(argument))));
            return None;
        };
        let arguments = self.arguments((site, &name), &call.args, &expected)?;
        let span = path.span();
        let kind = ExprKind::Call(signature.id, arguments);
        Some(ir::Expr::new(kind, signature.output?, span))
    }

    fn vector(&mut self, call: &ExprCall, name: &str, ty: Type) -> Option<ir::Expr> {
        let expected = vec![Type::Real; ty.components()];
        let components = self.arguments((Site::of(&call.func), name), &call.args, &expected)?;
        Some(ir::Expr::new(ExprKind::Components(components), ty, call.func.span()))
    }

    /// Checks the arguments of a call against the expected types.
    pub fn arguments<'e>(
        &mut self,
        (site, name): (Site, &str),
        arguments: impl IntoIterator<Item = &'e Expr>,
        expected: &[Type],
    ) -> Option<Vec<ir::Expr>> {
        let arguments: Vec<&Expr> = arguments.into_iter().collect();
        let values: Vec<_> = arguments.iter().map(|argument| self.expr(argument)).collect();
        let values: Vec<ir::Expr> = values.into_iter().collect::<Option<_>>()?;
        self.of_types((site, name), (&arguments, values), expected)
    }

    /// Returns the values of arguments if they have the expected types.
    pub fn of_types(
        &self,
        (site, name): (Site, &str),
        (arguments, values): (&[&Expr], Vec<ir::Expr>),
        expected: &[Type],
    ) -> Option<Vec<ir::Expr>> {
        let cx = self.items.cx;
        if values.len() != expected.len() {
            let takes = match expected.len() {
                1 => "1 argument".to_owned(),
                n => format!("{n} arguments"),
            };
            cx.error(site, &message::ARITY, &[name, &takes, &given(values.len())]);
            return None;
        }
        let mut right = true;
        for ((value, argument), ty) in values.iter().zip(arguments).zip(expected) {
            if value.ty != *ty {
                let help = of_value(value, *ty).unwrap_or_default();
                let arguments = [&*value.ty.to_string(), name, &ty.to_string(), &help];
                cx.error(Site::of(argument), &message::ARGUMENT_TYPE, &arguments);
                right = false;
            }
        }
        right.then_some(values)
    }
}

/// Returns the method that was called like a function, as in `sqrt(x)` and `f64::max(a, b)`.
pub(crate) fn as_method(function: &syn::ExprPath, call: &ExprCall) -> Option<String> {
    let name = function.path.segments.last()?.ident.to_string();
    let methods = Builtin::OF_REAL.iter().chain(Builtin::OF_VECTOR).map(|method| method.name());
    let is_real = methods.chain(["powi", "select"]).any(|method| method == name);
    if !is_real {
        Builtin::OF_INTEGER.iter().find(|method| method.name() == name)?;
    }
    let (receiver, arguments) = (call.args.first()?, call.args.iter().skip(1));
    let mut receiver = operand(receiver);
    if is_real && receiver.bytes().all(|c| c.is_ascii_digit()) {
        receiver += ".0";
    }
    let arguments: Vec<_> = arguments.map(written).collect();
    Some(format!("`{name}` is a method: write `{receiver}.{name}({})`", arguments.join(", ")))
}

fn vector_constructor(name: &str, arguments: usize) -> Option<Type> {
    match name {
        "Vector::new" => {
            Some(Type::Vector(if (1..3).contains(&arguments) { arguments } else { 3 }))
        }
        _ => None,
    }
}

pub(crate) fn given(n: usize) -> String {
    match n {
        0 => "none was".to_owned(),
        1 => "1 was".to_owned(),
        n => format!("{n} were"),
    }
}
