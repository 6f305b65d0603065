//! Prints expressions.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::printer::Printer;
use super::types::ident;
use crate::ir::{BinaryOp, Builtin, Expr, ExprKind, Index, Input, Type, UnaryOp, Value};

impl Printer<'_> {
    /// Prints the expression in a form that may follow `=`.
    pub fn expr(&self, expr: &Expr) -> TokenStream {
        match &expr.kind {
            ExprKind::Real(text) => {
                let literal: TokenStream = text.parse().expect("checked: a literal is a number");
                quote!(Real::splat(#literal))
            }
            ExprKind::U32(n) => quote!(Real::splat_u32(#n)),
            ExprKind::Bool(value) => quote!(Real::splat_mask(#value)),
            ExprKind::Local(id) => {
                let name = self.local(*id);
                let counts = self.body.locals[*id].range.is_some();
                if counts { quote!(Real::splat_u32(#name)) } else { quote!(#name) }
            }
            ExprKind::Constant(id) => {
                let constant = &self.module[*id];
                let name = &constant.ident;
                match constant.value {
                    Value::U32(_) => quote!(Real::splat_u32(#name)),
                    Value::Real(_) => quote!(Real::splat(#name)),
                }
            }
            ExprKind::Input(input, field) => {
                let record = self.input(*input);
                let field = &self.module[*field].ident;
                quote!(#record.#field)
            }
            ExprKind::Component(base, Index::Fixed(k)) if matches!(base.ty, Type::Reduced(_)) => {
                let (base, part) = (self.operand(base), ident(["value", "index"][*k]));
                quote!(#base.#part)
            }
            ExprKind::Component(base, index) => {
                let (base, index) = (self.operand(base), self.index(index));
                quote!(#base[#index])
            }
            ExprKind::Entry(base, indices) => {
                let name = ident(if indices.len() == 1 { "gather" } else { "gather_entry" });
                let (base, indices) =
                    (self.operand(base), indices.iter().map(|index| self.expr(index)));
                quote!(Real::#name(&#base, #(#indices),*))
            }
            ExprKind::Unary(UnaryOp::Neg, operand) => {
                let operand = self.operand(operand);
                quote!(-#operand)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let operand = self.operand(operand);
                quote!(!#operand)
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) if matches!(a.ty, Type::Point(_)) => {
                let (space, a, b) = (ident(&self.body.space), self.expr(a), self.expr(b));
                quote!(#space.difference(#a, #b))
            }
            ExprKind::Binary(op, a, b) => self.sum_or_product(*op, a, b),
            ExprKind::Math(builtin, operands) => self.math(*builtin, operands),
            ExprKind::Powi(base, n) => {
                if let Some((x, n)) = power_of_root(expr) {
                    return self.times_power_of_root(&quote!(Real::splat(1.0)), x, n);
                }
                let base = self.operand(base);
                quote!(#base.powi(#n))
            }
            ExprKind::Components(parts) => {
                let krate = self.krate;
                let parts = parts.iter().map(|part| self.expr(part));
                let constructor =
                    matches!(expr.ty, Type::Vector(_)).then(|| quote!(#krate::Vector));
                let parts = quote!([#(#parts),*]);
                constructor.map_or(parts.clone(), |vector| quote!(#vector(#parts)))
            }
            ExprKind::Call(function, arguments) => {
                let function = &self.module[*function];
                let name = &function.ident;
                let arguments = arguments.iter().map(|argument| self.expr(argument));
                if function.body.summary.needs_space {
                    let space = ident(&self.body.space);
                    quote!(#name::<Real, _>(#space, #(#arguments),*))
                } else {
                    quote!(#name::<Real>(#(#arguments),*))
                }
            }
            ExprKind::Select(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.operand(condition);
                self.select(expr.ty, &condition, &self.expr(yes), &self.expr(no))
            }
            ExprKind::Convert(integer) => {
                let integer = self.expr(integer);
                quote!(Real::from_u32(#integer))
            }
        }
    }

    /// Prints an index as an integer of the host.
    pub(super) fn index(&self, index: &Index) -> TokenStream {
        match index {
            Index::Fixed(k) => quote!(#k),
            Index::Loop(index) => {
                let index = self.host_integer(index);
                quote!((#index) as usize)
            }
        }
    }

    fn host_integer(&self, expr: &Expr) -> TokenStream {
        match &expr.kind {
            ExprKind::Local(id) => {
                let name = self.local(*id);
                quote!(#name)
            }
            ExprKind::Constant(id) => {
                let name = &self.module[*id].ident;
                quote!(#name)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.host_integer(a), self.host_integer(b));
                match op {
                    BinaryOp::Add => quote!((#a + #b)),
                    BinaryOp::Sub => quote!((#a - #b)),
                    BinaryOp::Mul => quote!((#a * #b)),
                    _ => unreachable!("checked: loops count in `+ - *`"),
                }
            }
            ExprKind::U32(n) => quote!(#n),
            _ => unreachable!("checked: loops count in numbers, constants and `+ - *`"),
        }
    }

    fn math(&self, builtin: Builtin, operands: &[Expr]) -> TokenStream {
        let name = ident(builtin.name());
        let receiver = self.operand(&operands[0]);
        let arguments = operands[1..].iter().map(|operand| self.expr(operand));
        quote!(#receiver.#name(#(#arguments),*))
    }

    /// Prints the expression, in parentheses unless it is one word or one call.
    fn operand(&self, expr: &Expr) -> TokenStream {
        let tokens = self.expr(expr);
        match expr.kind {
            ExprKind::Unary(..) => quote!((#tokens)),
            ExprKind::Binary(op, ..) if infix(op, expr) => quote!((#tokens)),
            _ => tokens,
        }
    }

    /// Prints an operand like [`operand`](Self::operand), but without parentheses around chains of
    /// sums and products.
    fn left_operand(&self, op: BinaryOp, expr: &Expr) -> TokenStream {
        use BinaryOp::{Add, Div, Mul, Sub};
        let bare = match (&expr.kind, op) {
            (ExprKind::Binary(Mul | Div, a, b), Mul | Div | Add | Sub) => {
                // A scalar factor on the left is moved behind its vector.
                !matches!((a.ty, b.ty), (Type::Real, Type::Vector(_))) || matches!(op, Add | Sub)
            }
            (ExprKind::Binary(Add | Sub, ..), Add | Sub) => true,
            _ => false,
        };
        let is_real = matches!(expr.ty, Type::Real | Type::Vector(_));
        if bare && is_real { self.expr(expr) } else { self.operand(expr) }
    }

    /// Prints an operation, in the fewest instructions where an operand is a product.
    fn sum_or_product(&self, op: BinaryOp, a: &Expr, b: &Expr) -> TokenStream {
        use BinaryOp::{Add, Mul, Sub};
        if let (Mul, Type::Real, Some((x, n))) = (op, a.ty, power_of_root(b)) {
            return self.times_power_of_root(&self.operand(a), x, n);
        }
        let plus_scalar_product = match (op, scalar_product(a), scalar_product(b)) {
            (Add, Some(product), _) => Some((product, b)),
            (Add, _, Some(product)) => Some((product, a)),
            _ => None,
        };
        if let Some(((name, vectors), rest)) = plus_scalar_product {
            let receiver = self.operand(&vectors[0]);
            let arguments = vectors[1..].iter().chain([rest]).map(|operand| self.expr(operand));
            return quote!(#receiver.#name(#(#arguments),*));
        }
        let (left, right) = (product(a), product(b));
        match (op, left, right) {
            (Add, Some((scale, other)), None) => {
                let (b, scale, other) = (self.operand(b), self.expr(scale), self.expr(other));
                quote!(#b.plus_product(#scale, #other))
            }
            (Sub, Some((scale, other)), None) => {
                let (other, scale, b) = (self.operand(other), self.expr(scale), self.expr(b));
                quote!(#other.times_minus(#scale, #b))
            }
            (Add | Sub, _, Some(_)) => self.combined(&self.operand(a), a.ty, op, b),
            _ => Self::binary(op, (self.left_operand(op, a), a.ty), (self.operand(b), b.ty)),
        }
    }

    /// Prints an operation on a variable and a value.
    pub(super) fn combined(
        &self,
        left: &TokenStream,
        ty: Type,
        op: BinaryOp,
        value: &Expr,
    ) -> TokenStream {
        let name = match op {
            BinaryOp::Add => "plus_product",
            BinaryOp::Sub => "minus_product",
            _ => return Self::binary(op, (left.clone(), ty), (self.operand(value), value.ty)),
        };
        match product(value).filter(|_| !matches!(ty, Type::Point(_))) {
            None => Self::binary(op, (left.clone(), ty), (self.operand(value), value.ty)),
            Some((scale, other)) => {
                let (name, scale, other) = (ident(name), self.expr(scale), self.expr(other));
                quote!(#left.#name(#scale, #other))
            }
        }
    }

    /// Prints `a * x.rsqrt().powi(n)`.
    fn times_power_of_root(&self, a: &TokenStream, x: &Expr, n: i32) -> TokenStream {
        let x = self.expr(x);
        quote!(#a.times_rsqrt_powi::<#n>(#x))
    }

    fn binary(
        op: BinaryOp,
        (a, left): (TokenStream, Type),
        (b, right): (TokenStream, Type),
    ) -> TokenStream {
        use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Sub, Xor};
        let sign = match op {
            Add => quote!(+),
            Sub => quote!(-),
            Mul => quote!(*),
            Div => quote!(/),
            And => quote!(&),
            Or => quote!(|),
            Xor | Ne => quote!(^),
            _ => TokenStream::new(),
        };
        match (left, op, right) {
            (Type::U32, Add, _) => quote!(Real::add_u32(#a, #b)),
            (Type::U32, Sub, _) => quote!(Real::sub_u32(#a, #b)),
            (Type::U32, Mul, _) => quote!(Real::mul_u32(#a, #b)),
            (Type::U32, Lt, _) => quote!(Real::lt_u32(#a, #b)),
            (Type::U32, Le, _) => quote!(Real::le_u32(#a, #b)),
            (Type::U32, Gt, _) => quote!(Real::lt_u32(#b, #a)),
            (Type::U32, Ge, _) => quote!(Real::le_u32(#b, #a)),
            (Type::U32, Eq, _) => quote!(Real::eq_u32(#a, #b)),
            (Type::U32, Ne, _) => quote!(!Real::eq_u32(#a, #b)),
            (Type::Bool, Eq, _) => quote!(!(#a ^ #b)),
            (Type::Real, Lt, _) => quote!(Real::lt(#a, #b)),
            (Type::Real, Le, _) => quote!(Real::le(#a, #b)),
            (Type::Real, Gt, _) => quote!(Real::lt(#b, #a)),
            (Type::Real, Ge, _) => quote!(Real::le(#b, #a)),
            (Type::Real, Eq, _) => quote!(Real::eq(#a, #b)),
            (Type::Real, Ne, _) => quote!(!Real::eq(#a, #b)),
            (Type::Real, Mul, Type::Vector(_)) => quote!(#b * (#a)),
            _ => quote!(#a #sign #b),
        }
    }

    fn input(&self, input: Input) -> Ident {
        match input {
            Input::Parameters => ident("this"),
            other => ident(self.roles().input(other)),
        }
    }
}

/// Returns the factors of a product of two reals, or of a real and a vector; the vector comes
/// last.
fn product(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Mul, a, b) => match (a.ty, b.ty) {
            (Type::Real, Type::Real | Type::Vector(_)) => Some((a, b)),
            (Type::Vector(_), Type::Real) => Some((b, a)),
            _ => None,
        },
        _ => None,
    }
}

/// Tests whether the expression is a product whose factors an operation can take directly.
pub(super) fn is_product(expr: &Expr) -> bool {
    product(expr).is_some()
}

/// Returns the vectors of a scalar product, and the name of the function that adds a number to it.
fn scalar_product(expr: &Expr) -> Option<(Ident, &[Expr])> {
    match &expr.kind {
        ExprKind::Math(Builtin::Dot, vectors) => Some((ident("dot_plus"), vectors)),
        ExprKind::Math(Builtin::Norm2, vectors) => Some((ident("norm2_plus"), vectors)),
        _ => None,
    }
}

/// Returns the operand and the exponent of a power of a reciprocal square root.
fn power_of_root(expr: &Expr) -> Option<(&Expr, i32)> {
    match &expr.kind {
        ExprKind::Powi(base, n) if (2..=16).contains(n) => match &base.kind {
            ExprKind::Math(Builtin::Rsqrt, operands) => Some((&operands[0], *n)),
            _ => None,
        },
        _ => None,
    }
}

/// Tests whether the operator is printed between its operands.
fn infix(op: BinaryOp, expr: &Expr) -> bool {
    use BinaryOp::{Add, Mul, Sub};
    let ExprKind::Binary(_, a, _) = &expr.kind else {
        return false;
    };
    let call = op.is_comparison() && a.ty != Type::Bool
        || a.ty == Type::U32 && matches!(op, Add | Sub | Mul)
        || matches!(a.ty, Type::Point(_));
    !call || op == BinaryOp::Ne
}
