//! Symmetric tensors: their constructors, operations and methods.
//!
//! An operation becomes the operations of its components here, so that no later stage knows it.
//! There, a tensor is an array of numbers.

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprCall, ExprMethodCall};

use crate::check::body::BodyChecker;
use crate::check::call::given;
use crate::check::index::component_of;
use crate::diagnostics::Site;
use crate::ir::{
    self, Accumulate, BinaryOp, ExprKind, FieldId, Index, Place, Side, StmtKind, TENSOR, Type,
    UnaryOp,
};
use crate::message::{self, suggestion};

/// The factor of the symmetric part of a product.
const HALF: &str = "0.5";

impl BodyChecker<'_> {
    /// Checks `Tensor::new(...)`, `Tensor::outer(a)` and `Tensor::symmetric(a, b)`.
    pub fn tensor(
        &mut self,
        call: &ExprCall,
        (name, constructor): (&str, &str),
    ) -> Option<ir::Expr> {
        let vectors = match constructor {
            "new" => return self.tensor_of_components(call, name),
            "outer" => 1,
            "symmetric" => 2,
            _ => {
                let known = ["Tensor::new", "Tensor::outer", "Tensor::symmetric"];
                let help = suggestion(name, known);
                let site = Site::of(&call.func);
                self.items.cx.error(site, &message::UNKNOWN_FUNCTION, &[name, &help]);
                return None;
            }
        };
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let values: Vec<_> = arguments.iter().map(|argument| self.expr(argument)).collect();
        let values: Vec<ir::Expr> = values.into_iter().collect::<Option<_>>()?;
        let dimension = values.iter().find_map(|value| match value.ty {
            Type::Vector(n) => Some(n),
            _ => None,
        });
        let expected = vec![Type::Vector(dimension.unwrap_or(3)); vectors];
        let site = Site::of(&call.func);
        let values = self.of_types((site, name), (&arguments, values), &expected)?;
        let values: Vec<_> = values.into_iter().map(|value| self.once(value, "side")).collect();
        let [a, b] = [&values[0], &values[vectors - 1]];
        Some(outer([a, b], dimension?, call.func.span()))
    }

    fn tensor_of_components(&mut self, call: &ExprCall, name: &str) -> Option<ir::Expr> {
        let n = call.args.len();
        let Some(dimension) = (1..=3).find(|&dimension| Type::Tensor(dimension).components() == n)
        else {
            let takes = "6 arguments (xx, yy, zz, xy, xz, yz), 3 (xx, yy, xy) or 1 (xx)";
            let site = Site::of(&call.func);
            self.items.cx.error(site, &message::ARITY, &[name, takes, &given(n)]);
            return None;
        };
        let expected = vec![Type::Real; n];
        let components = self.arguments((Site::of(&call.func), name), &call.args, &expected)?;
        Some(of_parts(components, Type::Tensor(dimension), call.func.span()))
    }

    /// Returns the components of a tensor.
    pub fn tensor_parts(&mut self, tensor: ir::Expr) -> Vec<ir::Expr> {
        if let ExprKind::Components(parts) = tensor.kind {
            return parts;
        }
        let tensor = self.once(tensor, "tensor");
        let parts = 0..tensor.ty.components();
        parts.map(|k| component_of(tensor.clone(), Index::Fixed(k))).collect()
    }

    /// Returns the components of a tensor as values that may stand several times.
    fn shared_parts(&mut self, tensor: ir::Expr) -> Vec<ir::Expr> {
        let tensor = self.once(tensor, "tensor");
        self.tensor_parts(tensor)
    }

    pub fn negative_tensor(&mut self, tensor: ir::Expr, span: Span) -> ir::Expr {
        let ty = tensor.ty;
        let negative = |part: ir::Expr| {
            ir::Expr::new(ExprKind::Unary(UnaryOp::Neg, Box::new(part)), Type::Real, span)
        };
        of_parts(self.tensor_parts(tensor).into_iter().map(negative).collect(), ty, span)
    }

    /// Returns a sum or a difference of tensors, or a multiple of one.
    pub fn tensor_operation(
        &mut self,
        op: BinaryOp,
        [a, b]: [ir::Expr; 2],
        ty: Type,
        span: Span,
    ) -> ir::Expr {
        let n = ty.components();
        let [a, b] = [a, b].map(|operand| {
            if operand.ty == Type::Real {
                vec![self.once(operand, "scale"); n]
            } else {
                self.tensor_parts(operand)
            }
        });
        let parts = a.into_iter().zip(b).map(|(a, b)| match op {
            BinaryOp::Mul => product(a, b, span),
            _ => real(op, a, b, span),
        });
        of_parts(parts.collect(), ty, span)
    }

    /// Checks a method of a tensor.
    pub fn tensor_method(&mut self, call: &ExprMethodCall, tensor: ir::Expr) -> Option<ir::Expr> {
        let (ty, name, span) = (tensor.ty, call.method.to_string(), call.method.span());
        let Type::Tensor(n) = ty else { unreachable!("called for tensors") };
        let expected = match name.as_str() {
            "trace" => vec![],
            "dot" => vec![Type::Vector(n)],
            _ => {
                let help = of_method(&name);
                let arguments: [&str; 3] = [&ty.to_string(), &name, &help];
                self.items.cx.error(Site::of(&call.method), &message::UNKNOWN_METHOD, &arguments);
                return None;
            }
        };
        let site = Site::of(&call.method);
        let mut arguments = self.arguments((site, &name), &call.args, &expected)?;
        let Some(vector) = arguments.pop() else {
            let diagonal = self.tensor_parts(tensor).into_iter().take(n);
            return diagonal.reduce(|sum, part| real(BinaryOp::Add, sum, part, span));
        };
        let (parts, vector) = (self.shared_parts(tensor), self.once(vector, "side"));
        let rows = (0..n).map(|row| {
            let terms = (0..n).map(|column| {
                let part = parts[place(n, [row, column])].clone();
                let along = component_of(vector.clone(), Index::Fixed(column));
                real(BinaryOp::Mul, part, along, span)
            });
            terms.reduce(|sum, term| real(BinaryOp::Add, sum, term, span)).expect("n is not 0")
        });
        Some(ir::Expr::new(ExprKind::Components(rows.collect()), Type::Vector(n), span))
    }

    /// Adds a tensor to a result, component by component. Returns the last statement.
    pub fn add_to_tensor(
        &mut self,
        value: ir::Expr,
        (side, place, how): (Side, Place<FieldId>, Accumulate),
    ) -> StmtKind {
        let parts = self.tensor_parts(value).into_iter().enumerate();
        let mut statements = parts.map(|(k, value)| {
            let place = Place { component: Some(Index::Fixed(k)), ..place.clone() };
            StmtKind::Accumulate { side, place, how, value }
        });
        let last = statements.next_back().expect("a tensor has components");
        statements.for_each(|statement| self.push(statement));
        last
    }
}

/// Returns the symmetric part of the outer product of two vectors, each of which may stand several
/// times.
fn outer([a, b]: [&ir::Expr; 2], dimension: usize, span: Span) -> ir::Expr {
    let entry = |[row, column]: [usize; 2]| {
        let [a, b] = [(a, row), (b, column)];
        let [a, b] = [a, b].map(|(side, k)| component_of(side.clone(), Index::Fixed(k)));
        real(BinaryOp::Mul, a, b, span)
    };
    let parts = TENSOR[dimension - 1].iter().map(|&(_, [row, column])| {
        if row == column || a == b {
            return entry([row, column]);
        }
        let sum = real(BinaryOp::Add, entry([row, column]), entry([column, row]), span);
        let half = ir::Expr::new(ExprKind::Real(HALF.to_owned()), Type::Real, span);
        real(BinaryOp::Mul, half, sum, span)
    });
    of_parts(parts.collect(), Type::Tensor(dimension), span)
}

/// Returns the place of a component.
fn place(dimension: usize, [row, column]: [usize; 2]) -> usize {
    let place = [row.min(column), row.max(column)];
    let found = TENSOR[dimension - 1].iter().position(|(_, known)| *known == place);
    found.expect("each component has a place")
}

fn of_parts(parts: Vec<ir::Expr>, ty: Type, span: Span) -> ir::Expr {
    ir::Expr::new(ExprKind::Components(parts), ty, span)
}

fn real(op: BinaryOp, a: ir::Expr, b: ir::Expr, span: Span) -> ir::Expr {
    ir::Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), Type::Real, span)
}

/// Returns a product. A number takes the half of a symmetric product as a factor, which is exact.
fn product(a: ir::Expr, b: ir::Expr, span: Span) -> ir::Expr {
    if let (ExprKind::Real(text), ExprKind::Binary(BinaryOp::Mul, half, sum)) = (&a.kind, &b.kind)
        && half.kind == ExprKind::Real(HALF.to_owned())
        && let Some(number) = text.parse::<f64>().ok().map(|number| 0.5 * number)
        && number.is_normal()
    {
        let number = ir::Expr { kind: ExprKind::Real(format!("{number:?}")), ..a };
        return real(BinaryOp::Mul, number, (**sum).clone(), span);
    }
    real(BinaryOp::Mul, a, b, span)
}

/// Advises on a method that tensors lack.
fn of_method(name: &str) -> String {
    match name {
        "gradient" => {
            "a `Real` has a gradient: take a component, such as `t.xx`, or its `trace()`".to_owned()
        }
        "transpose" => "a tensor is symmetric: remove the call".to_owned(),
        "clone" | "to_owned" | "into" => "every value is a copy: remove the call".to_owned(),
        _ => suggestion(name, ["trace", "dot", "rate"]),
    }
}
