//! Prints an interaction.

use super::function::{of_space, space_parameter, static_of_space, used};
use super::printer::Printer;
use super::record::{records, type_name};
use crate::emit_cuda::text::Text;
use crate::emit_cuda::{comment_of_both, comment_of_cutoff, comment_of_pair};
use crate::ir::{Body, Cutoff, Input, Interaction, Module, Roles, Side};
use crate::lanes;
use crate::symmetry::Symmetric;
use crate::texts::Derived;

/// Prints the declaration of an interaction, and the names by which loops know it.
pub fn law(module: &Module, item: &Interaction, derived: &Derived) -> String {
    let mut text = Text::of_calls();
    let both = derived.both.as_ref();
    text.line("namespace law {");
    text.gap();
    records(&mut text, module, &[item.parameters.id, item.i.id, item.j.id, item.f.id]);
    let bodies = item.bodies().chain(both.map(|both| &both.body));
    used(&mut text, module, bodies);
    if let Some(cutoff) = &item.cutoff {
        self::cutoff(&mut text, module, item, cutoff);
    }
    pair(&mut text, module, item);
    if let Some(both) = both {
        pair_symmetric(&mut text, module, item, both);
    }
    text.line("} // namespace law");
    text.gap();
    names(&mut text, module, item, derived);
    text.finish()
}

/// Returns the parameters that all functions share.
fn inputs(module: &Module, item: &Interaction, body: &Body, roles: &Roles) -> Vec<String> {
    vec![
        format!("const {} &self", module[item.parameters.id].name),
        space_parameter(body),
        format!("const {} &{}", module[item.i.id].name, roles.input(Input::I)),
        format!("const {} &{}", module[item.j.id].name, roles.input(Input::J)),
    ]
}

/// Prints the cutoff, and the test whether a pair is closer.
fn cutoff(text: &mut Text, module: &Module, item: &Interaction, cutoff: &Cutoff) {
    let Cutoff { roles, body, points, .. } = cutoff;
    let parameters = inputs(module, item, body, roles);
    text.comment(&comment_of_cutoff(cutoff));
    of_space(text, "Real cutoff", &parameters, |text| {
        Printer::new(module, body, Some(roles)).body(text, &lanes::body(module, body));
    });
    let (space, [i, j]) = (&body.space, [Input::I, Input::J].map(|input| roles.input(input)));
    let [i_point, j_point] = points.map(|point| &module[point]);
    let vector = type_name(i_point.ty).replace("Point", "Vector");
    text.comment(&["Tests whether a pair is closer than its cutoff."]);
    of_space(text, "Mask within", &parameters, |text| {
        text.line(&format!("const Real _reach = law::cutoff(self, {space}, {i}, {j});"));
        let ends = format!("{i}.{}, {j}.{}", i_point.name, j_point.name);
        text.line(&format!("const {vector} _distance = {space}.difference({ends});"));
        text.line("return Real::within_reach(_reach, _distance.norm2());");
    });
}

fn pair(text: &mut Text, module: &Module, item: &Interaction) {
    let pair = &item.pair;
    let output = &module[item.f.id];
    let mut parameters = inputs(module, item, &pair.body, &pair.roles);
    parameters.extend(output.keeps_index().then(|| format!("U32 {}", pair.roles.index)));
    parameters.push(format!("{} &{}", output.name, pair.roles.f));
    text.comment(&comment_of_pair(pair));
    of_space(text, "void pair", &parameters, |text| {
        evaluate(text, module, item, &pair.body, &pair.roles);
    });
}

fn pair_symmetric(text: &mut Text, module: &Module, item: &Interaction, both: &Symmetric) {
    let Symmetric { roles, body } = both;
    let output = &module[item.f.id].name;
    let mut parameters = inputs(module, item, body, roles);
    parameters.extend([Side::I, Side::J].map(|side| format!("{output} &{}", roles.result(side))));
    text.comment(&[comment_of_both(both)]);
    of_space(text, "void pair_symmetric", &parameters, |text| {
        evaluate(text, module, item, body, roles);
    });
}

/// Prints a body, evaluated within the cutoff.
fn evaluate(text: &mut Text, module: &Module, item: &Interaction, body: &Body, roles: &Roles) {
    let within = item.cutoff.is_some();
    let lowered = if within { lanes::body_within(module, body) } else { lanes::body(module, body) };
    Printer::new(module, body, Some(roles)).body(text, &lowered);
}

/// Prints the names by which loops know the law.
fn names(text: &mut Text, module: &Module, item: &Interaction, derived: &Derived) {
    let cutoff = item.cutoff.is_some();
    let (charges, is_symmetric) = (derived.charges.is_ok(), derived.both.is_some());
    let inputs = ["const Parameters &self", "const Space &space", "const I &i", "const J &j"]
        .map(str::to_owned);
    let call = |name: &str, more: &str| format!("law::{name}(self, space, i, j{more});");
    text.comment(&["The names by which loops know the law."]);
    text.open("struct Law {");
    let records = [&item.parameters, &item.i, &item.j, &item.f];
    for (name, record) in ["Parameters", "I", "J", "F"].into_iter().zip(records) {
        text.line(&format!("using {name} = law::{};", module[record.id].name));
    }
    text.line(&format!(
        "static constexpr bool CUTOFF = {cutoff}, CHARGES = {charges}, SYMMETRIC = {is_symmetric};"
    ));
    if cutoff {
        static_of_space(text, "Real cutoff", &inputs, &format!("return {}", call("cutoff", "")));
    }
    let within = if cutoff { call("within", "") } else { "Real::splat_mask(true);".to_owned() };
    static_of_space(text, "Mask within", &inputs, &format!("return {within}"));
    let index = if module[item.f.id].keeps_index() { ", index" } else { "" };
    let results = ["U32 index".to_owned(), "F &f".to_owned()];
    let parameters = [&inputs[..], &results].concat();
    static_of_space(text, "void pair", &parameters, &call("pair", &format!("{index}, f")));
    if is_symmetric {
        let parameters = [&inputs[..], &["F &f".to_owned(), "F &g".to_owned()]].concat();
        static_of_space(
            text,
            "void pair_symmetric",
            &parameters,
            &call("pair_symmetric", ", f, g"),
        );
    }
    text.close("};");
}
