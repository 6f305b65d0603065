//! The choice of results and of variables.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span};

use super::names::Names;
use super::refusal::Refusal;
use super::{Cotangent, Law, Variable};
use crate::ir::{self, Input, Reduction, StructId, Type};

/// The results that have cotangents, and the variables that derivatives are by; `None` chooses all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Results, which are sums. Other results do not take part, as if they had the cotangent zero.
    pub results: Option<Vec<String>>,
    /// Fields of the i-particle.
    pub i: Option<Vec<String>>,
    /// Fields of the j-particle.
    pub j: Option<Vec<String>>,
    /// Parameters.
    pub parameters: Option<Vec<String>>,
}

/// A variable, with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub input: Input,
    pub name: String,
    pub ty: Type,
}

impl Field {
    pub fn variable(&self) -> Variable {
        let name = self.name.clone();
        match self.input {
            Input::I => Variable::I(name),
            Input::J => Variable::J(name),
            _ => Variable::Parameter(name),
        }
    }

    pub fn ident(&self) -> Ident {
        ident(&self.name)
    }
}

/// Returns an identifier, which may be raw.
pub(super) fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

/// A sum that has a cotangent.
pub(super) struct Sum {
    pub ty: Type,
    /// The name of its cotangent.
    pub bar: Ident,
}

/// The choice of a selection.
pub(super) struct Chosen {
    /// The chosen sums by their names, and their order.
    pub sums: BTreeMap<String, Sum>,
    order: Vec<String>,
    /// The chosen variables: fields of i, parameters, fields of j.
    pub variables: Vec<Field>,
    /// The variables without derivatives.
    pub constant: Vec<Field>,
}

impl Chosen {
    pub fn of(law: &Law, selection: &Selection) -> Result<Self, Refusal> {
        let order = sums(law, selection.results.as_deref())?;
        let mut chosen =
            Self { sums: BTreeMap::new(), order, variables: Vec::new(), constant: Vec::new() };
        let ir::Interaction { i, j, parameters, .. } = law.interaction;
        for (input, id, record, names) in [
            (Input::I, i.id, "the i-particle", &selection.i),
            (Input::Parameters, parameters.id, "the record of parameters", &selection.parameters),
            (Input::J, j.id, "the j-particle", &selection.j),
        ] {
            chosen.add(law, (input, id, record), names.as_deref())?;
        }
        Ok(chosen)
    }

    fn add(
        &mut self,
        law: &Law,
        (input, id, record): (Input, StructId, &'static str),
        names: Option<&[String]>,
    ) -> Result<(), Refusal> {
        let field =
            |field: &ir::Field| Field { input, name: field.ident.to_string(), ty: field.ty };
        let fields = law.checked[id].fields.iter().map(field);
        let (real, constant): (Vec<_>, Vec<_>) =
            fields.partition(|field| is_differentiable(field.ty));
        if let Some(names) = names {
            let expected: Vec<_> = real.iter().map(|field| field.name.clone()).collect();
            known(record, names, &expected)?;
        } else {
            self.constant.extend(constant);
        }
        let is_chosen = |field: &Field| names.is_none_or(|names| names.contains(&field.name));
        self.variables.extend(real.into_iter().filter(is_chosen));
        Ok(())
    }

    /// Names the cotangents.
    pub fn name_cotangents(&mut self, law: &Law) {
        let fields = law.checked[law.interaction.i.id].fields.iter();
        let mut taken: Vec<_> = fields.map(|field| field.ident.to_string()).collect();
        for (name, ty) in results(law).filter(|(name, _)| self.order.contains(name)) {
            let bar = Names::field(&name, &mut taken);
            self.sums.insert(name, Sum { ty, bar });
        }
    }

    /// Returns the chosen sums in order, with their names.
    pub fn in_order(&self) -> impl Iterator<Item = (&String, &Sum)> {
        self.order.iter().filter_map(|name| self.sums.get_key_value(name))
    }

    pub fn cotangents(&self) -> Vec<Cotangent> {
        let cotangent =
            |(of, sum): (&String, &Sum)| Cotangent { field: sum.bar.to_string(), of: of.clone() };
        self.in_order().map(cotangent).collect()
    }
}

fn is_differentiable(ty: Type) -> bool {
    matches!(ty, Type::Real | Type::Vector(_) | Type::Tensor(_) | Type::Point(_) | Type::Array(_))
}

fn results<'a>(law: &Law<'a>) -> impl Iterator<Item = (String, Type)> + 'a {
    law.checked[law.interaction.f.id].fields.iter().map(|field| (field.ident.to_string(), field.ty))
}

/// Returns the names of the chosen sums; refuses other results than sums and counts.
fn sums(law: &Law, names: Option<&[String]>) -> Result<Vec<String>, Refusal> {
    let of_sums = results(law).filter(|(_, ty)| !is_reduced(*ty) && !is_count(*ty));
    let sums: Vec<_> = of_sums.map(|(name, _)| name).collect();
    if let Some(names) = names {
        known("the result", names, &sums)?;
        return Ok(sums.into_iter().filter(|name| names.contains(name)).collect());
    }
    match results(law).find(|(_, ty)| is_reduced(*ty)) {
        None => Ok(sums),
        Some((result, ty)) => Err(Refusal::NotASum { result, ty: ty.to_string(), sums }),
    }
}

fn is_count(ty: Type) -> bool {
    matches!(ty, Type::Reduced(Reduction::Count) | Type::Counts(_))
}

fn is_reduced(ty: Type) -> bool {
    matches!(ty, Type::Reduced(_)) && !is_count(ty)
}

/// Refuses names that are not among the expected ones.
fn known(record: &'static str, names: &[String], expected: &[String]) -> Result<(), Refusal> {
    match names.iter().find(|name| !expected.contains(name)) {
        None => Ok(()),
        Some(found) => {
            Err(Refusal::Unknown { record, found: found.clone(), expected: expected.to_vec() })
        }
    }
}
