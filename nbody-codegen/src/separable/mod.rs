//! Finds whether an interaction is a sum over charges of j, so that a cell of j-particles can be
//! replaced by its charges.
//!
//! The result is then the sum over the charges g of j of g K(i, xⱼ − xᵢ). Each charge is a product
//! of numbers of j without the position, and its kernel K depends on j by the position alone. Sums
//! and differences keep this form, and products, also dot and cross products, distribute over it.
//! A divisor, the argument of a function and a condition must not depend on a charge.

mod charges;
mod form;
mod observer;
mod text;

use crate::ir::{Input, Interaction, Module, Struct, Type};
use crate::values::interpret::Interpreter;

use form::{Forms, Obstacle};
use observer::Found;
use text::Text;

pub use charges::{Carried, ChargeSum, Separable};

/// Finds the charges of an interaction. The error gives the reason why there are none, and the
/// expression.
pub fn separable(module: &Module, interaction: &Interaction) -> Result<Separable, String> {
    if interaction.cutoff.is_some() {
        return Err("it has a cutoff, within which neighbour lists find every pair".to_owned());
    }
    for (named, particle) in [(&interaction.i, "i"), (&interaction.j, "j")] {
        match positions(&module[named.id]) {
            1 => {}
            n => return Err(format!("{particle} has {n} positions instead of one")),
        }
    }
    let is_on_a_line = |field: &crate::ir::Field| field.ty == Type::Point(1);
    if module[interaction.j.id].fields.iter().any(is_on_a_line) {
        return Err("its positions are in one dimension, and trees need two or three".to_owned());
    }
    let pair = &interaction.pair;
    let mut interpreter = Interpreter::new(module, &pair.body, Found::default());
    if interpreter.run().is_none() {
        return Err("`pair` is too long to be searched for charges".to_owned());
    }
    let (graph, found) = (interpreter.graph, interpreter.observer);
    let printed = |node: usize| {
        let (body, expr) = found.origins.get(node).copied().flatten()?;
        Some(Text { module, pair, body }.expr(expr))
    };
    let is_condition = |node: usize| {
        found.origins.get(node).copied().flatten().is_some_and(|(_, expr)| expr.ty == Type::Bool)
    };
    let forms = Forms::of(module, interaction, &graph);
    let sums = forms.sums(module, interaction, &graph, &found.accumulated);
    sums.and_then(|sums| charges::carried(&module[interaction.j.id], &sums))
        .map_err(|obstacle| explain(module, interaction, &obstacle, &printed, &is_condition))
}

fn positions(particle: &Struct) -> usize {
    particle.fields.iter().filter(|field| matches!(field.ty, Type::Point(_))).count()
}

/// Explains the reason, with the expression as far as it was written.
fn explain(
    module: &Module,
    interaction: &Interaction,
    obstacle: &Obstacle,
    printed: &dyn Fn(usize) -> Option<String>,
    is_condition: &dyn Fn(usize) -> bool,
) -> String {
    let j = interaction.pair.roles.input(Input::J);
    let at = |node: usize| match printed(node) {
        Some(text) => format!("`{text}`"),
        None => "an expression".to_owned(),
    };
    match obstacle {
        Obstacle::Reduction => "a result is no sum".to_owned(),
        Obstacle::NoCharge { node } => {
            format!("{} is added for every {j} alike, not by a charge of {j}", at(*node))
        }
        Obstacle::Mixed { node, fields } => {
            let fields: Vec<_> =
                fields.iter().map(|field| format!("`{j}.{}`", module[*field].name)).collect();
            let (one, fields) = (fields.len() == 1, fields.join(" and "));
            if is_condition(*node) {
                return format!("the condition {} depends on {fields}", at(*node));
            }
            let are = if one { "is no factor" } else { "are no factors" };
            format!("{fields} {are} of {}", at(*node))
        }
        Obstacle::Function { node } => {
            format!("the charge {} is no product of fields: make it a field of {j}", at(*node))
        }
        Obstacle::Oscillates { node } => {
            format!("{} oscillates with the position, so that cells converge badly", at(*node))
        }
        Obstacle::Products => {
            format!("its charges are products of fields that no single {j} can carry")
        }
    }
}

#[cfg(test)]
mod tests;
