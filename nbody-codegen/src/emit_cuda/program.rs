//! Prints the generated part of the CUDA program of a program per particle or per tuple: its
//! declaration, and the names by which kernels refer to it.

use crate::emit_cuda::expr::{Printer, component};
use crate::emit_cuda::function::used;
use crate::emit_cuda::joined::{joined, part_of_joined};
use crate::emit_cuda::statement::body;
use crate::emit_cuda::structure::structure;
use crate::emit_cuda::sums::accumulation;
use crate::emit_cuda::text::{Text, docs_or};
use crate::ir::{
    Input, LONGEST_UNROLLED, Module, Named, Program, ProgramKind, Reduction, Struct, Type,
};

/// Prints the declaration of an update, a measure or a tuple.
pub fn program(module: &Module, program: &Program) -> String {
    let mut text = Text::default();
    let records: Vec<_> = program.records().collect();
    for (id, item) in module.structs.by_id() {
        if records.contains(&id) {
            structure(&mut text, item, false);
        }
    }
    used(&mut text, module, std::iter::once(&program.body));
    text.comment(&comment_of_program(program));
    if program.gathers() > 0 {
        text.line("template <typename Others>");
    }
    text.function(&format!("void {}", function_name(program)), &parameters(module, program));
    text.open("{");
    let printer = Printer::new(module, &program.body, Some(&program.roles));
    body(&mut text, &printer, &program.body);
    text.close("}");
    text.gap();
    text.finish()
}

/// Returns the comment of the function of a program.
pub fn comment_of_program(program: &Program) -> Vec<String> {
    let roles = &program.roles;
    docs_or(&program.fn_attrs, || match program.kind {
        ProgramKind::Update(_) => format!("Changes {}.", roles.input(Input::P)),
        ProgramKind::Measure(_) => {
            format!("Adds to {} what {} contributes.", roles.f, roles.input(Input::P))
        }
        ProgramKind::Tuple(..) => {
            format!("Adds the results of the particles of a tuple: {}.", roles.members.join(", "))
        }
    })
}

/// Returns the name of the function of a program.
pub fn function_name(program: &Program) -> &'static str {
    match program.kind {
        ProgramKind::Update(_) => "update",
        ProgramKind::Measure(_) => "measure",
        ProgramKind::Tuple(..) => "tuple",
    }
}

fn parameters(module: &Module, program: &Program) -> Vec<String> {
    let space = if program.body.summary.needs_space { &*program.body.space } else { "" };
    let mut parameters = vec![
        format!("const {} &self", module[program.parameters.id].name),
        format!("const Space &{space}"),
    ];
    parameters.extend(program.inputs().into_iter().map(|(input, named)| {
        let changes = input == Input::P && matches!(program.kind, ProgramKind::Update(_));
        let constant = if changes { "" } else { "const " };
        format!("{constant}{} &{}", module[named.id].name, program.roles.input(input))
    }));
    if program.gathers() > 0 {
        parameters.push(format!("const Others &{}", program.roles.others));
    }
    if let ProgramKind::Measure(total) = &program.kind {
        let total = &module[total.id];
        parameters.extend(total.keeps_index().then(|| format!("u32 {}", program.roles.index)));
        parameters.push(format!("{} &{}", total.name, program.roles.f));
    }
    if let ProgramKind::Tuple(_, result) = &program.kind {
        let result = &module[result.id].name;
        parameters.extend(program.roles.members.iter().map(|name| format!("{result} &{name}")));
    }
    parameters
}

/// Prints the names by which kernels refer to the program.
pub fn names<'a>(module: &Module, program: &'a Program) -> String {
    let mut text = Text::default();
    let beside = program.beside();
    if beside.iter().any(|records| records.len() > 1) {
        text.line("template <typename First, typename Rest> struct Joined {");
        text.line("    First first;");
        text.line("    Rest rest;");
        text.line("};");
    }
    text.comment(&["The names by which kernels know the program."]);
    text.line(&format!("using Parameters = law::{};", module[program.parameters.id].name));
    let p = vec![&program.p];
    let of = |records: &[(Input, &'a Named)]| records.iter().map(|(_, named)| *named).collect();
    let roles: Vec<(Vec<&Named>, &str, &str)> = if program.members() > 0 {
        vec![(p, "ParticleP", "PDIM"), (program.record.iter().collect(), "TupleT", "TDIM")]
    } else {
        let [q, f, g] = beside.each_ref().map(|records| of(records));
        vec![
            (p, "ParticleP", "PDIM"),
            (q, "ParticleQ", "QDIM"),
            (f, "ResultsF", "RDIM"),
            (g, "TotalG", "GDIM"),
        ]
    };
    for (records, role, _) in &roles {
        let records: Vec<_> =
            records.iter().map(|named| format!("law::{}", module[named.id].name)).collect();
        text.line(&format!("using {role} = {};", joined(&records)));
    }
    for (records, _, dim) in &roles {
        let sum: usize = records.iter().map(|named| module[named.id].dim()).sum();
        text.line(&format!("constexpr int {dim} = {sum};"));
    }
    if program.members() == 0 {
        let gathers = program.gathers();
        text.line(&format!(
            "constexpr int GATHERS = {gathers}; // of second particles by an index"
        ));
    }
    match &program.kind {
        ProgramKind::Update(changes) => {
            changed_numbers(&mut text, &module[program.p.id], changes);
        }
        ProgramKind::Measure(output) | ProgramKind::Tuple(_, output) => {
            let output = &module[output.id];
            text.line(&format!("using Accumulators = law::{};", output.name));
            text.line(&format!("constexpr int FDIM = {};", output.dim()));
        }
    }
    if let ProgramKind::Tuple(members, _) = program.kind {
        text.line(&format!("constexpr int MEMBERS = {members}; // particles of a tuple"));
    }
    text.gap();
    let mut done = Vec::new();
    for (_, named) in program.inputs() {
        if !done.contains(&named.id) {
            done.push(named.id);
            each_number(&mut text, &module[named.id]);
        }
    }
    if let ProgramKind::Tuple(members, _) = program.kind {
        act_on_tuple(&mut text, program, members);
    } else {
        act(&mut text, module, program);
    }
    if let Some(output) = program.output() {
        accumulation(&mut text, &module[output.id]);
    }
    text.finish()
}

/// Prints which numbers of the particle an update assigns.
fn changed_numbers(text: &mut Text, item: &Struct, changes: &[bool]) {
    let numbers = item.fields.iter().zip(changes);
    let numbers = numbers
        .flat_map(|(field, change)| std::iter::repeat_n(change.to_string(), field.ty.components()));
    let numbers: Vec<_> = numbers.collect();
    text.line("// Whether the update assigns each number of the particle.");
    text.line(&format!("constexpr bool CHANGES[PDIM] = {{{}}};", numbers.join(", ")));
}

/// Prints a function that visits the numbers of a record.
fn each_number(text: &mut Text, item: &Struct) {
    text.comment(&["Calls a function of `visit` with each number of a record, and its place."]);
    text.line("template <typename Visit>");
    let record = format!("law::{} &record", item.name);
    text.function("void each_number", &[record, "Visit &visit".to_owned()]);
    text.open("{");
    let mut at = 0;
    for field in &item.fields {
        let whole = format!("record.{}", field.name);
        match field.ty {
            Type::U32 | Type::Reduced(Reduction::Count) => {
                text.line(&format!("visit.index({at}, {whole});"));
            }
            Type::Reduced(Reduction::Arg(_)) => {
                text.line(&format!("visit.real({at}, {whole}.value);"));
                text.line(&format!("visit.index({}, {whole}.index);", at + 1));
            }
            Type::Reduced(Reduction::Nearest(n)) => {
                text.directive("#pragma unroll");
                text.open(&format!("for (u32 k = 0; k < {n}; ++k) {{"));
                text.line(&format!("visit.real({at} + k, {whole}.values[k]);"));
                text.line(&format!("visit.index({} + k, {whole}.indices[k]);", at + n));
                text.close("}");
            }
            Type::Real | Type::Bool | Type::Reduced(_) => {
                text.line(&format!("visit.real({at}, {whole});"));
            }
            Type::Counts(n) | Type::Array(n) => {
                let kind = if matches!(field.ty, Type::Counts(_)) { "index" } else { "real" };
                let pragma =
                    if n <= LONGEST_UNROLLED { "#pragma unroll" } else { "#pragma unroll 1" };
                text.directive(pragma);
                let visit = format!("visit.{kind}({at} + k, {whole}[k]);");
                text.line(&format!("for (u32 k = 0; k < {n}; ++k) {visit}"));
            }
            ty => {
                let kind = if matches!(ty, Type::Point(_)) { "coordinate" } else { "real" };
                for k in 0..ty.components() {
                    let number = component(&whole, ty, k);
                    text.line(&format!("visit.{kind}({}, {number});", at + k));
                }
            }
        }
        at += field.ty.components();
    }
    text.close("}");
    text.gap();
}

/// Prints the call of the program for one particle.
fn act(text: &mut Text, module: &Module, program: &Program) {
    let keeps_index = match &program.kind {
        ProgramKind::Measure(total) => module[total.id].keeps_index(),
        ProgramKind::Update(_) | ProgramKind::Tuple(..) => false,
    };
    let is_measure = matches!(program.kind, ProgramKind::Measure(_));
    let constant = if is_measure { "const " } else { "" };
    let gathers = program.gathers() > 0;
    let [q, f, g] = program.beside().map(|records| records.len());
    let name = |count, name| if count > 0 { name } else { "" };
    let mut parameters = vec![
        "const Parameters &self".to_owned(),
        "const Space &space".to_owned(),
        format!("{constant}ParticleP &p"),
        format!("const ParticleQ &{}", name(q, "q")),
        format!("const ResultsF &{}", name(f, "f")),
        format!("const TotalG &{}", name(g, "g")),
        format!("const Others &{}", if gathers { "others" } else { "" }),
    ];
    let mut arguments = ["self", "space", "p"].map(str::to_owned).to_vec();
    for (count, name) in [(q, "q"), (f, "f"), (g, "g")] {
        arguments.extend((0..count).map(|k| format!("{name}{}", part_of_joined(k, count))));
    }
    arguments.extend(gathers.then(|| "others".to_owned()));
    if is_measure {
        parameters.push(if keeps_index { "u32 index" } else { "u32" }.to_owned());
        parameters.push("Accumulators &t".to_owned());
        arguments.extend(keeps_index.then(|| "index".to_owned()));
        arguments.push("t".to_owned());
    }
    text.comment(&["Runs the program for one particle."]);
    text.line("template <typename Others>");
    text.function("void act", &parameters);
    text.open("{");
    text.line(&format!("law::{}({});", function_name(program), arguments.join(", ")));
    text.close("}");
    text.gap();
}

/// Prints the call of the program for one tuple.
fn act_on_tuple(text: &mut Text, program: &Program, members: usize) {
    let record = program.record.is_some();
    let parameters = [
        "const Parameters &self",
        "const Space &space",
        if record { "const TupleT &t" } else { "const TupleT &" },
        "const ParticleP (&p)[MEMBERS]",
        "Accumulators (&f)[MEMBERS]",
    ];
    let each = |name: &str| (0..members).map(|k| format!("{name}[{k}]")).collect::<Vec<_>>();
    let mut arguments = vec!["self".to_owned(), "space".to_owned()];
    arguments.extend(record.then(|| "t".to_owned()));
    arguments.extend(each("p").into_iter().chain(each("f")));
    text.comment(&["Runs the program for one tuple."]);
    text.function("void act", &parameters.map(str::to_owned));
    text.open("{");
    text.line(&format!("law::{}({});", function_name(program), arguments.join(", ")));
    text.close("}");
    text.gap();
}
