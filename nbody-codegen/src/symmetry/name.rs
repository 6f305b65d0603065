//! Descriptive names of values.

use crate::ir::{
    BinaryOp, Body, Expr, ExprKind, Index, Input, Module, Roles, TENSOR, Type, UnaryOp,
};

/// Longest name; a longer one is less clear than the expression.
const LONGEST: usize = 20;

/// The function whose values are named.
pub(super) struct Names<'a> {
    pub module: &'a Module,
    pub body: &'a Body,
    pub roles: &'a Roles,
}

impl Names<'_> {
    /// Returns a name such as `rinv3` or `inverse_r2`, if a short one describes the value.
    pub fn of(&self, expr: &Expr) -> Option<String> {
        self.part(expr).filter(|name| name.len() <= LONGEST)
    }

    fn part(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            // Variables of both directions have no names yet.
            ExprKind::Local(local) => {
                self.body.locals.has(*local).then(|| self.body.locals[*local].name.clone())
            }
            ExprKind::Constant(id) => Some(self.module[*id].name.to_lowercase()),
            ExprKind::Input(input, field) => {
                let field = &self.module[*field].name;
                Some(match input {
                    Input::Parameters => field.clone(),
                    particle => format!("{field}_{}", self.roles.input(*particle)),
                })
            }
            ExprKind::Component(base, Index::Fixed(k)) => {
                let component = match base.ty {
                    Type::Vector(_) => ["x", "y", "z"][*k].to_owned(),
                    Type::Tensor(n) => TENSOR[n - 1][*k].0.to_owned(),
                    _ => k.to_string(),
                };
                Some(format!("{}_{component}", self.part(base)?))
            }
            ExprKind::Entry(base, _) => self.part(base),
            ExprKind::Unary(UnaryOp::Neg, operand) => {
                Some(format!("minus_{}", self.part(operand)?))
            }
            ExprKind::Convert(integer) => self.part(integer),
            ExprKind::Powi(base, n) => {
                let power = power(&self.part(base)?, n.unsigned_abs());
                Some(if *n < 0 { format!("inverse_{power}") } else { power })
            }
            ExprKind::Math(builtin, operands) => {
                Some(format!("{}_{}", builtin.name(), self.list(operands)?))
            }
            ExprKind::Call(function, arguments) => {
                Some(format!("{}_{}", self.module[*function].name, self.list(arguments)?))
            }
            ExprKind::Binary(BinaryOp::Mul, ..) => self.product(expr),
            ExprKind::Binary(BinaryOp::Div, a, b) if is_one(a) => {
                Some(format!("inverse_{}", self.part(b)?))
            }
            ExprKind::Binary(op, a, b) => {
                let op = match op {
                    BinaryOp::Add => "plus",
                    BinaryOp::Sub => "minus",
                    BinaryOp::Div => "over",
                    _ => return None,
                };
                Some(format!("{}_{op}_{}", self.part(a)?, self.part(b)?))
            }
            _ => None,
        }
    }

    fn list(&self, exprs: &[Expr]) -> Option<String> {
        let names: Vec<_> = exprs.iter().map(|expr| self.part(expr)).collect::<Option<_>>()?;
        Some(names.join("_"))
    }

    /// Names the factors in their order, each once with its power.
    fn product(&self, expr: &Expr) -> Option<String> {
        let mut factors = Vec::new();
        self.factors(expr, &mut factors)?;
        let mut powers: Vec<(String, u32)> = Vec::new();
        for factor in factors {
            match powers.iter_mut().find(|(name, _)| *name == factor) {
                Some((_, n)) => *n += 1,
                None => powers.push((factor, 1)),
            }
        }
        let powers: Vec<_> = powers.iter().map(|(name, n)| power(name, *n)).collect();
        Some(powers.join("_"))
    }

    fn factors(&self, expr: &Expr, list: &mut Vec<String>) -> Option<()> {
        if let ExprKind::Binary(BinaryOp::Mul, a, b) = &expr.kind {
            self.factors(a, list)?;
            return self.factors(b, list);
        }
        list.push(self.part(expr)?);
        Some(())
    }
}

fn is_one(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Real(text) if text.parse() == Ok(1.0))
}

fn power(name: &str, n: u32) -> String {
    match n {
        1 => name.to_owned(),
        n if name.ends_with(|c: char| c.is_ascii_digit()) => format!("{name}_{n}"),
        n => format!("{name}{n}"),
    }
}

#[cfg(test)]
mod tests {
    use super::power;

    #[test]
    fn powers_do_not_run_into_numbers() {
        assert_eq!(power("r", 1), "r");
        assert_eq!(power("r", 3), "r3");
        assert_eq!(power("s2", 3), "s2_3");
    }
}
