//! Prints a program per particle or per tuple.

use super::function::{of_space, space_parameter, static_of_space, used};
use super::printer::Printer;
use super::record::records;
use crate::emit_cuda::text::Text;
use crate::emit_cuda::{comment_of_program, function_name, joined, part_of_joined};
use crate::ir::{Input, Module, Program, ProgramKind};
use crate::lanes;

/// Prints the declaration of an update, a measure or a tuple, and the names by which loops know it.
pub fn program(module: &Module, item: &Program) -> String {
    let mut text = Text::of_calls();
    let Program { body, roles, .. } = item;
    text.line("namespace law {");
    text.gap();
    let ids: Vec<_> = item.records().collect();
    records(&mut text, module, &ids);
    used(&mut text, module, std::iter::once(body));
    text.comment(&comment_of_program(item));
    let head = format!("void {}", function_name(item));
    of_space(&mut text, &head, &parameters(module, item), |text| {
        Printer::new(module, body, Some(roles)).body(text, &lanes::body(module, body));
    });
    text.line("} // namespace law");
    text.gap();
    names(&mut text, module, item);
    text.finish()
}

fn parameters(module: &Module, item: &Program) -> Vec<String> {
    let mut parameters = vec![
        format!("const {} &self", module[item.parameters.id].name),
        space_parameter(&item.body),
    ];
    parameters.extend(item.inputs().into_iter().map(|(input, named)| {
        let (constant, name) = (constant(item, input), item.roles.input(input));
        format!("{constant}{} &{name}", module[named.id].name)
    }));
    if item.gathers() > 0 {
        let seconds: Vec<_> = item.q.iter().map(|q| module[q.id].name.clone()).collect();
        parameters.push(format!("const Others<{}> &{}", joined(&seconds), item.roles.others));
    }
    if let ProgramKind::Measure(total) = &item.kind {
        let total = &module[total.id];
        parameters.extend(total.keeps_index().then(|| format!("U32 {}", item.roles.index)));
        parameters.push(format!("{} &{}", total.name, item.roles.f));
    }
    if let ProgramKind::Tuple(_, result) = &item.kind {
        let result = &module[result.id].name;
        parameters.extend(item.roles.members.iter().map(|name| format!("{result} &{name}")));
    }
    parameters
}

/// Returns the qualifier of an input, which is constant unless the program updates it.
fn constant(item: &Program, input: Input) -> &'static str {
    let changes = input == Input::P && matches!(item.kind, ProgramKind::Update(_));
    if changes { "" } else { "const " }
}

/// Prints the names by which loops know the program.
fn names(text: &mut Text, module: &Module, item: &Program) {
    if let ProgramKind::Tuple(members, result) = &item.kind {
        return names_of_tuple(text, module, item, (*members, &module[result.id].name));
    }
    let mut parameters =
        ["const Parameters &self", "const Space &space"].map(str::to_owned).to_vec();
    let mut arguments = ["self", "space", "p"].map(str::to_owned).to_vec();
    text.comment(&["The names by which loops know the program."]);
    text.open("struct Program {");
    text.line(&format!("using Parameters = law::{};", module[item.parameters.id].name));
    text.line(&format!("using P = law::{};", module[item.p.id].name));
    parameters.push(format!("{}P &p", constant(item, Input::P)));
    for (records, role) in item.beside().into_iter().zip(["Q", "F", "G"]) {
        let (name, count) = (role.to_lowercase(), records.len());
        let records = records.iter().map(|(_, named)| format!("law::{}", module[named.id].name));
        let ty = joined(&records.collect::<Vec<_>>());
        text.line(&format!("using {role} = {ty};"));
        parameters.push(format!("const {role} &{name}"));
        arguments.extend((0..count).map(|k| format!("{name}{}", part_of_joined(k, count))));
    }
    parameters.push("const Others<Q> &others".to_owned());
    arguments.extend((item.gathers() > 0).then(|| "others".to_owned()));
    if let ProgramKind::Measure(total) = &item.kind {
        let total = &module[total.id];
        text.line(&format!("using T = law::{};", total.name));
        parameters.extend(["U32 index".to_owned(), "T &t".to_owned()]);
        arguments.extend(total.keeps_index().then(|| "index".to_owned()));
        arguments.push("t".to_owned());
    }
    let updates = matches!(item.kind, ProgramKind::Update(_));
    text.line(&format!("static constexpr bool UPDATES = {updates};"));
    let name = function_name(item);
    let call = format!("law::{name}({});", arguments.join(", "));
    static_of_space(text, &format!("void {name}"), &parameters, &call);
    text.close("};");
}

/// Prints the names by which loops know a tuple of this number of particles, and this result of each.
fn names_of_tuple(
    text: &mut Text,
    module: &Module,
    item: &Program,
    (members, result): (usize, &str),
) {
    let record = item.record.as_ref().map(|named| format!("law::{}", module[named.id].name));
    text.comment(&["The names by which loops know the tuple."]);
    text.open("struct Program {");
    text.line(&format!("using Parameters = law::{};", module[item.parameters.id].name));
    text.line(&format!("using P = law::{};", module[item.p.id].name));
    text.line(&format!("using T = {};", record.as_deref().unwrap_or("Nothing")));
    text.line(&format!("using F = law::{result};"));
    text.line(&format!("static constexpr size_t MEMBERS = {members};"));
    let parameters = [
        "const Parameters &self",
        "const Space &space",
        if record.is_some() { "const T &t" } else { "const T &" },
        "const P *p",
        "F *f",
    ];
    let each = |name: &str| (0..members).map(|k| format!("{name}[{k}]")).collect::<Vec<_>>();
    let mut arguments = vec!["self".to_owned(), "space".to_owned()];
    arguments.extend(record.is_some().then(|| "t".to_owned()));
    arguments.extend(each("p").into_iter().chain(each("f")));
    let call = format!("law::tuple({});", arguments.join(", "));
    static_of_space(text, "void tuple", &parameters.map(str::to_owned), &call);
    text.close("};");
}
