//! Functions of the language on intervals.

use super::steps::{Id, Step, Steps};
use crate::ir::{BinaryOp, Builtin, Type};

/// The numbers that make up a value.
pub type Numbers = Vec<Id>;

impl Steps {
    pub fn not(&mut self, a: Id) -> Id {
        self.apply("Opposite", &[a])
    }

    pub fn and(&mut self, a: Id, b: Id) -> Id {
        self.apply("Both", &[a, b])
    }

    /// Selects between values of this type.
    pub fn select(&mut self, ty: Type, condition: Id, yes: &Numbers, no: &Numbers) -> Numbers {
        let mut one = |(&yes, &no): (&Id, &Id)| match ty {
            Type::Bool => {
                let otherwise = self.not(condition);
                let [yes, no] = [self.and(condition, yes), self.and(otherwise, no)];
                self.apply("Either", &[yes, no])
            }
            Type::U32 => self.apply("SelectInteger", &[condition, yes, no]),
            _ => self.apply("Select", &[condition, yes, no]),
        };
        yes.iter().zip(no).map(&mut one).collect()
    }

    fn difference(&mut self, a: Id, b: Id) -> Id {
        let minus = self.apply("Negative", &[b]);
        self.apply("Sum", &[a, minus])
    }

    fn over(&mut self, a: Id) -> Id {
        let one = self.real(1.0);
        self.apply("Quotient", &[one, a])
    }

    /// Adds products; engines may add them in another order.
    fn sum_of(&mut self, products: &[Id]) -> Id {
        let add = |sum, product| self.apply("RoundedSum", &[sum, product]);
        products.iter().copied().reduce(add).expect("a vector has components")
    }

    fn dot(&mut self, a: &Numbers, b: &Numbers) -> Id {
        let product = |(&a, &b): (&Id, &Id)| self.apply("Product", &[a, b]);
        let products: Numbers = a.iter().zip(b).map(product).collect();
        self.sum_of(&products)
    }

    fn norm2(&mut self, a: &Numbers) -> Id {
        let squares: Numbers = a.iter().map(|&x| self.push(Step::Power(x, 2))).collect();
        self.sum_of(&squares)
    }

    fn cross(&mut self, a: &Numbers, b: &Numbers) -> Numbers {
        let minor = |(k, l): (usize, usize)| {
            let [ab, ba] = [[a[k], b[l]], [a[l], b[k]]].map(|of| self.apply("Product", &of));
            self.difference(ab, ba)
        };
        [(1, 2), (2, 0), (0, 1)].map(minor).to_vec()
    }

    /// Lowers a power by repeated squaring.
    pub fn powi(&mut self, base: Id, n: i32) -> Id {
        let power = match n.unsigned_abs() {
            1 => base,
            n => self.push(Step::Power(base, n)),
        };
        if n < 0 { self.over(power) } else { power }
    }

    /// Lowers a power of a reciprocal root, which GPUs approximate as a whole.
    pub fn power_of_root(&mut self, root: Id, n: i32) -> Id {
        let power = self.powi(root, n);
        let one = self.real(1.0);
        self.apply("Product", &[one, power])
    }

    /// Lowers an operation; the type is the type of the first operand. A sum that contains a
    /// product is rounded, since engines may add the products of a scalar product in another
    /// order.
    pub fn binary(
        &mut self,
        (op, ty): (BinaryOp, Type),
        a: &Numbers,
        b: &Numbers,
        with_product: bool,
    ) -> Numbers {
        let is_integer = ty == Type::U32;
        let count = a.len().max(b.len());
        // A scalar next to a vector applies to each component.
        let at = |numbers: &Numbers, k: usize| numbers[if numbers.len() == 1 { 0 } else { k }];
        (0..count)
            .map(|k| self.of_numbers(op, is_integer, at(a, k), at(b, k), with_product))
            .collect()
    }

    fn of_numbers(
        &mut self,
        op: BinaryOp,
        is_integer: bool,
        a: Id,
        b: Id,
        with_product: bool,
    ) -> Id {
        use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor};
        let of = |number: &'static str, integer: &'static str| {
            if is_integer { integer } else { number }
        };
        match op {
            Add if with_product => self.apply(of("RoundedSum", "SumOfIntegers"), &[a, b]),
            Add => self.apply(of("Sum", "SumOfIntegers"), &[a, b]),
            Sub if is_integer => self.apply("DifferenceOfIntegers", &[a, b]),
            Sub => self.difference(a, b),
            Mul => self.apply(of("Product", "ProductOfIntegers"), &[a, b]),
            Div => self.apply(of("Quotient", "QuotientOfIntegers"), &[a, b]),
            Rem => self.apply("RemainderOfIntegers", &[a, b]),
            Shl => self.apply("ShiftedLeft", &[a, b]),
            Shr => self.apply("ShiftedRight", &[a, b]),
            And => self.apply(of("Both", "AndIntegers"), &[a, b]),
            Or => self.apply(of("Either", "OrIntegers"), &[a, b]),
            Xor => self.apply(of("Differ", "XorIntegers"), &[a, b]),
            Lt => self.apply(of("Less", "LessInteger"), &[a, b]),
            Gt => self.apply(of("Less", "LessInteger"), &[b, a]),
            Le => self.apply(of("AtMost", "AtMostInteger"), &[a, b]),
            Ge => self.apply(of("AtMost", "AtMostInteger"), &[b, a]),
            Eq => self.apply(of("Equal", "EqualIntegers"), &[a, b]),
            Ne => {
                let equal = self.of_numbers(Eq, is_integer, a, b, false);
                self.not(equal)
            }
        }
    }

    /// Compares two conditions.
    pub fn compare_truths(&mut self, op: BinaryOp, a: Id, b: Id) -> Id {
        let differ = self.apply("Differ", &[a, b]);
        if op == BinaryOp::Eq { self.not(differ) } else { differ }
    }

    /// Lowers a function of the language.
    pub fn math(&mut self, builtin: Builtin, operands: &[Numbers]) -> Numbers {
        let x = &operands[0];
        let numbers: Numbers = operands.iter().map(|numbers| numbers[0]).collect();
        vec![match builtin {
            Builtin::Cross => return self.cross(x, &operands[1]),
            Builtin::Dot => self.dot(x, &operands[1]),
            Builtin::Norm2 => self.norm2(x),
            Builtin::Norm => {
                let square = self.norm2(x);
                self.apply("Sqrt", &[square])
            }
            Builtin::Recip => self.over(x[0]),
            Builtin::Rsqrt => {
                let root = self.apply("Sqrt", &numbers);
                self.over(root)
            }
            Builtin::Clamp => {
                let raised = self.apply("Max", &numbers[..2]);
                self.apply("Min", &[raised, numbers[2]])
            }
            Builtin::MulAdd => {
                let product = self.apply("Product", &numbers[..2]);
                self.apply("RoundedSum", &[numbers[2], product])
            }
            Builtin::Tan => self.push(Step::Unknown),
            _ => self.apply(name(builtin), &numbers),
        }]
    }
}

/// Returns the name of the function of numbers in nbody-core.
fn name(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Sqrt => "Sqrt",
        Builtin::Powf => "Powf",
        Builtin::Cbrt => "Cbrt",
        Builtin::Exp => "Exp",
        Builtin::Ln => "Ln",
        Builtin::Sin | Builtin::Cos => "Wave",
        Builtin::Asin => "Asin",
        Builtin::Acos => "Acos",
        Builtin::Atan => "Atan",
        Builtin::Atan2 => "Atan2",
        Builtin::Sinh => "Sinh",
        Builtin::Cosh => "Cosh",
        Builtin::Tanh => "Tanh",
        Builtin::Erf => "Erf",
        Builtin::Erfc => "Erfc",
        Builtin::Abs => "Abs",
        Builtin::Min => "Min",
        Builtin::Max => "Max",
        Builtin::Floor => "Floor",
        Builtin::Ceil => "Ceil",
        Builtin::Round => "Round",
        Builtin::Trunc => "Trunc",
        Builtin::Copysign => "Copysign",
        Builtin::Least => "LeastInteger",
        Builtin::Greatest => "GreatestInteger",
        Builtin::RotateLeft => "RotatedInteger",
        Builtin::CountOnes => "OnesOfInteger",
        Builtin::MulHigh => "HighOfProduct",
        Builtin::Dot
        | Builtin::Cross
        | Builtin::Norm
        | Builtin::Norm2
        | Builtin::Rsqrt
        | Builtin::Recip
        | Builtin::Tan
        | Builtin::Clamp
        | Builtin::MulAdd
        | Builtin::At
        | Builtin::Slope
        | Builtin::Curvature
        | Builtin::Third => unreachable!("made of others, or without bounds"),
    }
}
