//! Steps of a program; equal steps are shared.

use std::collections::HashMap;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::ir::{Input, high_of_product};

/// Index of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Id(usize);

impl Id {
    /// Returns the place of the step in its program.
    pub fn place(self) -> usize {
        self.0
    }
}

/// A step; corresponds to `Step` of nbody-core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A real number by its bits.
    Real(u64),
    /// An integer constant.
    Integer(u32),
    /// A constant condition.
    Truth(bool),
    /// Any number, or NaN.
    Unknown,
    /// A real number of a record, by its index there.
    Number(Input, usize),
    /// An integer of a record, by its index there.
    Index(Input, usize),
    /// A function by its name in nbody-core.
    Apply(&'static str, Vec<Id>),
    /// A power of a number.
    Power(Id, u32),
    /// The entry of a list at an index.
    Entry(Vec<Id>, Id),
    /// An entry of a table among the parameters.
    Lookup {
        /// The index of the first number.
        first: usize,
        /// Rows and columns.
        size: [usize; 2],
        /// The row and the column.
        at: [Id; 2],
    },
}

impl Step {
    fn operands(&self) -> impl Iterator<Item = Id> {
        self.clone().operands_mut().into_iter().map(|id| *id).collect::<Vec<_>>().into_iter()
    }

    fn operands_mut(&mut self) -> Vec<&mut Id> {
        match self {
            Self::Apply(_, operands) => operands.iter_mut().collect(),
            Self::Power(base, _) => vec![base],
            Self::Entry(among, index) => among.iter_mut().chain([index]).collect(),
            Self::Lookup { at, .. } => at.iter_mut().collect(),
            _ => Vec::new(),
        }
    }
}

/// All steps so far, each behind its operands.
#[derive(Default)]
pub struct Steps {
    steps: Vec<Step>,
    found: HashMap<Step, Id>,
}

impl Steps {
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn push(&mut self, step: Step) -> Id {
        let next = Id(self.steps.len());
        let found = *self.found.entry(step.clone()).or_insert(next);
        if found == next {
            self.steps.push(step);
        }
        found
    }

    pub fn real(&mut self, x: f64) -> Id {
        self.push(if x.is_nan() { Step::Unknown } else { Step::Real(x.to_bits()) })
    }

    pub fn integer(&mut self, n: u32) -> Id {
        self.push(Step::Integer(n))
    }

    pub fn truth(&mut self, holds: bool) -> Id {
        self.push(Step::Truth(holds))
    }

    /// Returns the integer, if it is known.
    pub fn known_integer(&self, id: Id) -> Option<u32> {
        if let Step::Integer(n) = self.steps[id.0] { Some(n) } else { None }
    }

    /// Returns the truth of a condition, if it is known.
    pub fn known_truth(&self, id: Id) -> Option<bool> {
        if let Step::Truth(holds) = self.steps[id.0] { Some(holds) } else { None }
    }

    /// Applies a function. It needs no step of its own where the operands are known from loops.
    pub fn apply(&mut self, function: &'static str, operands: &[Id]) -> Id {
        let truth = |k: usize| operands.get(k).and_then(|id| self.known_truth(*id));
        let integer = |k: usize| operands.get(k).and_then(|id| self.known_integer(*id));
        match (function, truth(0), truth(1)) {
            ("Select" | "SelectInteger", _, _) if operands[1] == operands[2] => return operands[1],
            ("Select" | "SelectInteger", Some(holds), _) => {
                return operands[if holds { 1 } else { 2 }];
            }
            ("Opposite", Some(holds), _) => return self.truth(!holds),
            // A known first condition selects; otherwise the second condition may.
            ("Both", Some(first), _) => return operands[usize::from(first)],
            ("Both", _, Some(second)) => return operands[usize::from(!second)],
            ("Either", Some(first), _) => return operands[usize::from(!first)],
            ("Either", _, Some(second)) => return operands[usize::from(second)],
            ("Differ", Some(a), Some(b)) => return self.truth(a != b),
            _ => {}
        }
        match (integer(0), function) {
            (Some(a), "Converted") => return self.real(f64::from(a)),
            (Some(a), "OnesOfInteger") => return self.integer(a.count_ones()),
            _ => {}
        }
        if let (Some(a), Some(b)) = (integer(0), integer(1)) {
            return match function {
                "LessInteger" => self.truth(a < b),
                "AtMostInteger" => self.truth(a <= b),
                "EqualIntegers" => self.truth(a == b),
                "SumOfIntegers" => self.integer(a.wrapping_add(b)),
                "DifferenceOfIntegers" => self.integer(a.wrapping_sub(b)),
                "ProductOfIntegers" => self.integer(a.wrapping_mul(b)),
                "QuotientOfIntegers" => self.integer(a.checked_div(b).unwrap_or(u32::MAX)),
                "RemainderOfIntegers" => self.integer(a.checked_rem(b).unwrap_or(a)),
                "ShiftedLeft" => self.integer(a.wrapping_shl(b)),
                "ShiftedRight" => self.integer(a.wrapping_shr(b)),
                "AndIntegers" => self.integer(a & b),
                "OrIntegers" => self.integer(a | b),
                "XorIntegers" => self.integer(a ^ b),
                "LeastInteger" => self.integer(a.min(b)),
                "GreatestInteger" => self.integer(a.max(b)),
                "RotatedInteger" => self.integer(a.rotate_left(b % u32::BITS)),
                "HighOfProduct" => self.integer(high_of_product(a, b)),
                _ => unreachable!("a function of two integers"),
            };
        }
        self.push(Step::Apply(function, operands.to_vec()))
    }

    /// Returns the steps that `last` depends on, and `last` at the end.
    pub fn leading_to(&self, last: Id) -> Vec<Step> {
        let mut needed = vec![false; last.0 + 1];
        needed[last.0] = true;
        for place in (0..=last.0).rev() {
            if needed[place] {
                self.steps[place].operands().for_each(|id| needed[id.0] = true);
            }
        }
        let (mut place_of, mut program) = (HashMap::new(), Vec::new());
        for (place, step) in self.steps[..=last.0].iter().enumerate().filter(|(k, _)| needed[*k]) {
            let mut step = step.clone();
            step.operands_mut().into_iter().for_each(|id| *id = place_of[id]);
            place_of.insert(Id(place), Id(program.len()));
            program.push(step);
        }
        program
    }
}

/// Prints a step in Rust.
pub fn tokens(step: &Step) -> TokenStream {
    let place = |id: &Id| Literal::usize_unsuffixed(id.0);
    let index = Literal::usize_unsuffixed;
    match step {
        Step::Real(bits) => {
            let x = f64::from_bits(*bits);
            let infinite = match x {
                f64::INFINITY => quote!(::core::primitive::f64::INFINITY),
                f64::NEG_INFINITY => quote!(::core::primitive::f64::NEG_INFINITY),
                _ => quote!(#x),
            };
            quote!(Real(#infinite))
        }
        Step::Integer(n) => quote!(Integer(#n)),
        Step::Truth(holds) => quote!(Truth(#holds)),
        Step::Unknown => quote!(Unknown),
        Step::Number(input, number) => {
            let (role, number) = (role(*input), index(*number));
            quote!(Number(#role, #number))
        }
        Step::Index(input, number) => {
            let (role, number) = (role(*input), index(*number));
            quote!(Index(#role, #number))
        }
        Step::Apply(function, operands) => {
            let function = format_ident!("{function}");
            let places = (0..3).map(|k| operands.get(k).map_or(Literal::u8_unsuffixed(0), place));
            quote!(Apply(#function, [#(#places),*]))
        }
        Step::Power(base, n) => {
            let base = place(base);
            quote!(Power(#base, #n))
        }
        Step::Entry(among, at) => {
            let (among, at) = (among.iter().map(place), place(at));
            quote!(Entry(&[#(#among),*], #at))
        }
        Step::Lookup { first, size, at } => {
            let (first, size, at) = (index(*first), size.map(index), at.each_ref().map(place));
            quote!(Lookup { first: #first, size: [#(#size),*], at: [#(#at),*] })
        }
    }
}

fn role(input: Input) -> TokenStream {
    match input {
        Input::Parameters => quote!(Parameters),
        Input::I => quote!(I),
        Input::J => quote!(J),
        Input::P | Input::Q(_) | Input::F(_) | Input::G(_) | Input::Member(_) | Input::Tuple => {
            unreachable!("checked: a cutoff sees a pair")
        }
    }
}
