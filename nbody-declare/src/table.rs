//! From descriptions of nbody-codegen to tables of nbody-core.
#![allow(unsafe_code, reason = "vouches for the CUDA text of the compiler")]

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use nbody_codegen::describe::{
    self, Extremum, Fields, Input, LawDescription, ProgramDescription, Reduction, Separable, Type,
};
use nbody_compile::Cache;
use nbody_core::interval::{Function, Role, Step};
use nbody_core::{
    Carried, ChargeTable, Error, FieldKind, Law, LawTable, Operations, ParticleProgram,
    ProgramRecords, ProgramTable,
};

use crate::cpu::{LawCode, ProgramCode};

/// Returns the law of a description; its loops are kept in this cache.
pub(crate) fn law(description: LawDescription, cache: &Cache) -> Result<&'static Law, Error> {
    let LawDescription { text, self_pairs, cutoff, charges, operations, most_counted, .. } =
        description;
    let (third_law, records) = (description.third_law, description.records);
    let cutoff = cutoff.map(|cutoff| (steps(&cutoff.steps), cutoff.reads));
    let third_law = text.third_law.zip(third_law).map(|(cuda, it)| (cuda, self::operations(it)));
    let table = LawTable {
        name: text.name,
        self_pairs,
        cutoff,
        charges: charges.map(charge_table),
        operations: self::operations(operations),
        most_counted,
        cuda: [text.law, text.sums, text.compensated],
        third_law,
        records: records.map(fields),
    };
    let code = LawCode::new(&table, text.cpp, cache);
    // SAFETY: the text is the compiler's output for these records.
    unsafe { table.intern_with(Box::new(code)) }
}

/// Returns the program of a description; its loop is kept in this cache.
pub(crate) fn program(
    description: ProgramDescription,
    cache: &Cache,
) -> Result<&'static ParticleProgram, Error> {
    let ProgramDescription { text, operations, members, gathers, changes, records, beside } =
        description;
    let [parameters, p, record, total] = records.map(fields);
    let [q, f, g] = beside.map(|records| records.into_iter().map(fields).collect());
    let table = ProgramTable {
        name: text.name,
        operations: self::operations(operations),
        members,
        gathers,
        cuda: [text.law, text.names],
        changes,
        records: ProgramRecords { parameters, p, record, q, f, g, total },
    };
    let code = ProgramCode::new(&table, text.cpp, cache);
    // SAFETY: the text is the compiler's output for these records.
    unsafe { table.intern_with(Box::new(code)) }
}

fn fields(fields: Fields) -> Vec<(String, FieldKind)> {
    let kind = |ty| match ty {
        Type::Real | Type::Bool => FieldKind::Real,
        Type::U32 => FieldKind::U32,
        Type::Vector(n) => FieldKind::Vector(n),
        Type::Tensor(n) => FieldKind::Tensor(n),
        Type::Point(n) => FieldKind::Point(n),
        Type::Array(n) => FieldKind::Array(n),
        Type::Counts(n) => FieldKind::Counts(n),
        Type::Table(rows, columns) => FieldKind::Array(rows * columns),
        Type::Spline(knots) => FieldKind::Spline(knots),
        Type::Splines(n, knots) => FieldKind::Splines(n, knots),
        Type::SplineTable(rows, columns, knots) => FieldKind::Splines(rows * columns, knots),
        Type::Reduced(Reduction::Min) => FieldKind::Min,
        Type::Reduced(Reduction::Max) => FieldKind::Max,
        Type::Reduced(Reduction::Arg(Extremum::Least)) => FieldKind::ArgMin,
        Type::Reduced(Reduction::Arg(Extremum::Greatest)) => FieldKind::ArgMax,
        Type::Reduced(Reduction::Nearest(n)) => FieldKind::Nearest(n),
        Type::Reduced(Reduction::Count) => FieldKind::Count,
    };
    fields.into_iter().map(|(name, ty)| (name, kind(ty))).collect()
}

fn operations(operations: describe::Operations) -> Operations {
    let describe::Operations { add, mul, div, sqrt, special, compare, slots: _ } = operations;
    Operations { add, mul, div, sqrt, special, compare }
}

fn charge_table(separable: Separable) -> ChargeTable {
    let Separable { charges, carried, sums } = separable;
    let carried = carried.into_iter().map(|carried| match carried {
        describe::Carried::Zero => Carried::Zero,
        describe::Carried::One => Carried::One,
        describe::Carried::Charge(q) => Carried::Charge(q),
        describe::Carried::Ratio(q, by) => Carried::Ratio(q, by),
    });
    let sums = sums.into_iter().map(|sum| (sum.charges, sum.depends_on_i));
    ChargeTable { products: charges, carried: carried.collect(), sums: sums.collect() }
}

fn steps(steps: &[describe::Step]) -> Vec<Step> {
    let place = |id: describe::Id| u16::try_from(id.place()).expect("programs are short");
    let role = |input| match input {
        Input::Parameters => Role::Parameters,
        Input::I => Role::I,
        Input::J => Role::J,
        Input::P | Input::Q(_) | Input::F(_) | Input::G(_) | Input::Member(_) | Input::Tuple => {
            unreachable!("checked: a cutoff sees a pair")
        }
    };
    let step = |step: &describe::Step| match step {
        describe::Step::Real(bits) => Step::Real(f64::from_bits(*bits)),
        describe::Step::Integer(n) => Step::Integer(*n),
        describe::Step::Truth(holds) => Step::Truth(*holds),
        describe::Step::Unknown => Step::Unknown,
        describe::Step::Number(input, number) => Step::Number(role(*input), *number),
        describe::Step::Index(input, number) => Step::Index(role(*input), *number),
        describe::Step::Apply(name, operands) => {
            let function = Function::ALL.iter().find(|it| format!("{it:?}") == *name);
            let mut places = [0; 3];
            for (to, from) in places.iter_mut().zip(operands) {
                *to = place(*from);
            }
            Step::Apply(*function.expect("both crates name the same functions"), places)
        }
        describe::Step::Power(base, n) => Step::Power(place(*base), *n),
        describe::Step::Entry(among, at) => {
            Step::Entry(kept(among.iter().map(|id| place(*id)).collect()), place(*at))
        }
        describe::Step::Lookup { first, size, at } => {
            Step::Lookup { first: *first, size: *size, at: at.map(place) }
        }
    };
    steps.iter().map(step).collect()
}

/// Keeps a list for the life of the process, equal lists once.
fn kept(list: Vec<u16>) -> &'static [u16] {
    static KEPT: Mutex<BTreeSet<&[u16]>> = Mutex::new(BTreeSet::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(&*list) {
        return known;
    }
    let list: &'static [u16] = Vec::leak(list);
    kept.insert(list);
    list
}
