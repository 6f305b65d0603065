//! Derives products; their even and odd factors are multiplied once for both directions.

use std::collections::HashMap;

use proc_macro2::Span;

use crate::ir::{BinaryOp, Expr, ExprKind, LocalId, Type, UnaryOp};
use crate::symmetry::parity::Parity;
use crate::symmetry::signed::{Signed, Two};
use crate::symmetry::symmetrizer::{Symmetrizer, is_trivial};

/// A factor of a product in `pair`.
#[derive(Clone, Copy)]
struct Factor<'a> {
    expr: &'a Expr,
    divides: bool,
    parity: Parity,
}

/// A product as a list of factors.
#[derive(Default)]
struct Product<'a> {
    minus: bool,
    scalars: Vec<Factor<'a>>,
    vector: Option<Factor<'a>>,
}

/// Tests whether an expression multiplies or divides real numbers or vectors.
pub(super) fn is_product(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div, ..) => expr.ty != Type::U32,
        ExprKind::Unary(UnaryOp::Neg, part) => is_product(part),
        _ => false,
    }
}

/// Counts the factors if these variables are multiplied out, given the number of factors of each
/// variable.
pub(super) fn factors(expr: &Expr, of: &HashMap<LocalId, usize>) -> usize {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Mul, a, b) => factors(a, of) + factors(b, of),
        ExprKind::Binary(BinaryOp::Div, a, _) => factors(a, of) + 1,
        ExprKind::Unary(UnaryOp::Neg, part) => factors(part, of),
        ExprKind::Local(local) => of.get(local).copied().unwrap_or(1),
        _ => 1,
    }
}

impl<'a> Symmetrizer<'a> {
    /// Tests for a product, after variables are multiplied out.
    pub fn is_product(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => self.inlined.contains(local),
            ExprKind::Unary(UnaryOp::Neg, part) => self.is_product(part),
            _ => is_product(expr),
        }
    }

    /// Derives both directions of a product.
    pub fn product(&mut self, expr: &'a Expr, fused: bool) -> Two {
        let mut product = Product::default();
        self.take_apart(expr, &mut product);
        let parity = self.parities.expr(expr);
        if parity.is_known() {
            self.known_product(expr, parity, &product, fused)
        } else {
            self.other_product(&product)
        }
    }

    fn take_apart(&self, expr: &'a Expr, product: &mut Product<'a>) {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Mul, a, b) if expr.ty != Type::U32 => {
                self.take_apart(a, product);
                self.take_apart(b, product);
            }
            ExprKind::Binary(BinaryOp::Div, a, b) => {
                self.take_apart(a, product);
                let parity = self.parities.expr(b);
                product.scalars.push(Factor { expr: b, divides: true, parity });
            }
            ExprKind::Unary(UnaryOp::Neg, part) if self.is_product(part) => {
                product.minus = !product.minus;
                self.take_apart(part, product);
            }
            ExprKind::Local(local) if self.inlined.contains(local) => {
                self.take_apart(self.definitions[local], product);
            }
            _ => {
                let factor = Factor { expr, divides: false, parity: self.parities.expr(expr) };
                match expr.ty {
                    Type::Real => product.scalars.push(factor),
                    _ => product.vector = Some(factor),
                }
            }
        }
    }

    /// Derives a product that is even or odd as a whole.
    fn known_product(
        &mut self,
        expr: &'a Expr,
        parity: Parity,
        Product { minus, scalars, vector }: &Product<'a>,
        fused: bool,
    ) -> Two {
        // Everything is computed once, except a last multiplication that is fused into an
        // addition.
        let last = match vector {
            Some(vector) => Some(*vector),
            None if scalars.len() < 2 || scalars.iter().any(|factor| factor.divides) => None,
            None => scalars.last().copied(),
        };
        let last = last.filter(|last| fused && last.parity.is_known());
        let Some(last) = last else {
            let shared = self.share(expr.clone(), "part");
            return Two::known(Signed::plus(shared), parity);
        };
        let first = if vector.is_some() { scalars } else { &scalars[..scalars.len() - 1] };
        let first = self.shared_factor(first);
        let last = self.factor(last.expr).forth;
        let forth = Signed { minus: *minus != last.minus, expr: mul(first, last.expr) };
        Two::known(forth, parity)
    }

    /// Multiplies these factors, and stores the product in a variable if it is more than one word.
    fn shared_factor(&mut self, factors: &[Factor<'a>]) -> Expr {
        let of = |divides| factors.iter().filter(move |factor| factor.divides == divides);
        let over: Vec<_> = of(false).map(|factor| factor.expr.clone()).collect();
        let under: Vec<_> = of(true).map(|factor| factor.expr.clone()).collect();
        let factor = chain(over, under, None);
        if is_trivial(&factor) { factor } else { self.share(factor, "factor") }
    }

    fn other_product(&mut self, Product { minus, scalars, vector }: &Product<'a>) -> Two {
        let (known, others): (Vec<_>, Vec<_>) =
            scalars.iter().partition::<Vec<Factor>, _>(|factor| factor.parity.is_known());
        let minus = *minus;
        let mut chain = TwoChains::default();
        let pays = match &known[..] {
            [] => false,
            // A division becomes a multiplication by the inverse where there are other factors.
            [one] => {
                let multiplies = vector.is_some() || others.iter().any(|other| !other.divides);
                one.divides && multiplies && !matches!(one.expr.kind, ExprKind::Real(_))
            }
            _ => true,
        };
        let factors = if pays { &others } else { scalars };
        for factor in factors {
            let two = self.factor(factor.expr);
            chain.push(two, factor.divides);
        }
        if pays {
            let changes = known.iter().fold(false, |odd, one| odd != one.parity.changes_sign());
            let shared = Signed::plus(self.shared_factor(&known));
            let back = shared.clone().times(changes);
            chain.push(Two { forth: shared, back }, false);
        }
        let vector = vector.map(|vector| self.factor(vector.expr));
        chain.finish(vector.as_ref(), minus)
    }
}

/// Factors of a product in both directions.
#[derive(Default)]
struct TwoChains {
    over: Vec<Two>,
    under: Vec<Two>,
}

impl TwoChains {
    fn push(&mut self, two: Two, divides: bool) {
        if divides { self.under.push(two) } else { self.over.push(two) }
    }

    fn finish(&self, vector: Option<&Two>, minus: bool) -> Two {
        let side = |of: fn(&Two) -> &Signed| {
            let all = self.over.iter().chain(&self.under).chain(vector);
            let minus = all.fold(minus, |minus, two| minus != of(two).minus);
            let bare = |list: &[Two]| list.iter().map(|two| of(two).expr.clone()).collect();
            let vector = vector.map(|two| of(two).expr.clone());
            Signed { minus, expr: chain(bare(&self.over), bare(&self.under), vector) }
        };
        Two { forth: side(|two| &two.forth), back: side(|two| &two.back) }
    }
}

/// Multiplies the numbers `over`, divides by the numbers `under`, and multiplies by a vector.
fn chain(over: Vec<Expr>, under: Vec<Expr>, vector: Option<Expr>) -> Expr {
    let (first, vector) = match (over.into_iter().reduce(mul), vector) {
        (Some(first), vector) => (first, vector),
        // The vector itself is divided.
        (None, Some(vector)) => (vector, None),
        (None, None) => {
            let kind = ExprKind::Real("1.0".to_owned());
            (Expr::new(kind, Type::Real, Span::call_site()), None)
        }
    };
    let quotient = under.into_iter().fold(first, |a, b| binary(BinaryOp::Div, a, b));
    match vector {
        Some(vector) => mul(quotient, vector),
        None => quotient,
    }
}

fn mul(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Mul, a, b)
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let ty = if matches!(b.ty, Type::Vector(_)) { b.ty } else { a.ty };
    let span = a.span;
    Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span)
}
