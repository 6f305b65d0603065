//! Prints the declaration of an interaction.

use crate::emit_cuda::expr::Printer;
use crate::emit_cuda::function::used;
use crate::emit_cuda::statement::body;
use crate::emit_cuda::structure::structure;
use crate::emit_cuda::text::{Text, docs_or};
use crate::ir::{Body, Cutoff, Input, Interaction, Module, Pair, Roles, Side, StructId};
use crate::symmetry::Symmetric;

/// Prints the structs, the constants and functions in use, the cutoff and `pair`.
pub fn law(module: &Module, interaction: &Interaction) -> String {
    let mut text = Text::default();
    let particles = [interaction.i.id, interaction.j.id];
    let others = [interaction.parameters.id, interaction.f.id];
    for (id, item) in module.structs.by_id() {
        let is_particle = particles.contains(&id);
        if is_particle || others.contains(&id) {
            structure(&mut text, item, is_particle);
        }
    }
    used(&mut text, module, interaction.bodies());
    if let Some(cutoff) = &interaction.cutoff {
        self::cutoff(&mut text, module, interaction, cutoff);
    }
    pair(&mut text, module, interaction);
    text.finish()
}

/// Returns the parameters that `cutoff` and `pair` share. All are printed, used or not, so that
/// kernels can call any interaction in the same way.
fn inputs(module: &Module, interaction: &Interaction, body: &Body, roles: &Roles) -> Vec<String> {
    let name = |id: StructId| &module[id].name;
    let space = if body.summary.needs_space { &*body.space } else { "" };
    vec![
        format!("const {} &self", name(interaction.parameters.id)),
        format!("const Space &{space}"),
        format!("const {} &{}", name(interaction.i.id), roles.input(Input::I)),
        format!("const {} &{}", name(interaction.j.id), roles.input(Input::J)),
    ]
}

fn cutoff(text: &mut Text, module: &Module, interaction: &Interaction, cutoff: &Cutoff) {
    let Cutoff { roles, body, .. } = cutoff;
    text.comment(&comment_of_cutoff(cutoff));
    text.function("real cutoff", &inputs(module, interaction, body, roles));
    text.open("{");
    let printer = Printer::new(module, body, Some(roles));
    self::body(text, &printer, body);
    text.close("}");
    text.gap();
}

fn pair(text: &mut Text, module: &Module, interaction: &Interaction) {
    let pair = &interaction.pair;
    let roles = &pair.roles;
    text.comment(&comment_of_pair(pair));
    let output = &module[interaction.f.id];
    let mut parameters = inputs(module, interaction, &pair.body, roles);
    parameters.extend(output.keeps_index().then(|| format!("u32 {}", roles.index)));
    parameters.push(format!("{} &{}", output.name, roles.f));
    text.function("void pair", &parameters);
    text.open("{");
    let printer = Printer::new(module, &pair.body, Some(roles));
    body(text, &printer, &pair.body);
    text.close("}");
    text.gap();
}

/// Returns the comment of a cutoff.
pub fn comment_of_cutoff(cutoff: &Cutoff) -> Vec<String> {
    docs_or(&cutoff.attrs, || "The distance beyond which a pair contributes nothing.".to_owned())
}

/// Returns the comment of `pair`.
pub fn comment_of_pair(pair: &Pair) -> Vec<String> {
    let [i, j] = [Input::I, Input::J].map(|particle| pair.roles.input(particle));
    docs_or(&pair.attrs, || format!("Adds to {} what {j} does to {i}.", pair.roles.f))
}

/// Returns the comment of the function for both directions.
pub fn comment_of_both(Symmetric { roles, .. }: &Symmetric) -> String {
    let [i, j] = [Input::I, Input::J].map(|particle| roles.input(particle));
    let (f, g) = (&roles.f, roles.result(Side::J));
    format!("Adds to {f} what {j} does to {i}, and to {g} what {i} does to {j}.")
}

/// Prints the function for both directions of a pair, which follows the declaration.
pub fn pair_symmetric(module: &Module, interaction: &Interaction, both: &Symmetric) -> String {
    let mut text = Text::default();
    let Symmetric { roles, body } = both;
    let (f, g) = (&roles.f, roles.result(Side::J));
    text.comment(&[comment_of_both(both)]);
    let output = &module[interaction.f.id].name;
    let mut parameters = inputs(module, interaction, body, roles);
    parameters.extend([f.as_str(), g].map(|result| format!("{output} &{result}")));
    text.function("void pair_symmetric", &parameters);
    text.open("{");
    let printer = Printer::new(module, body, Some(roles));
    self::body(&mut text, &printer, body);
    text.close("}");
    text.gap();
    text.finish()
}
