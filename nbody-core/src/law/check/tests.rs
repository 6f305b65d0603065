//! Tests of refusals of tables.

use super::*;
use crate::law::interaction::Operations;
use crate::numeric::interval::steps::Function;

fn fields(fields: &[(&str, FieldKind)]) -> Vec<(String, FieldKind)> {
    fields.iter().map(|&(name, kind)| (name.to_owned(), kind)).collect()
}

/// A law with charges: a mass, and its momentum.
fn with_charges() -> LawTable {
    use FieldKind::{Array, Point, Real, U32, Vector};
    let (zero, of) = (Carried::Zero, Carried::Charge(0));
    let particle = fields(&[("pos", Point(3)), ("mass", Real), ("u", Real), ("kind", U32)]);
    LawTable {
        name: "some".to_owned(),
        self_pairs: false,
        cutoff: None,
        charges: Ok(ChargeTable {
            products: vec![vec![3], vec![3, 4]],
            carried: vec![zero, zero, zero, of, Carried::Ratio(1, 0), zero],
            sums: vec![(vec![0, 1], false), (vec![0], true)],
        }),
        operations: Operations::default(),
        most_counted: None,
        cuda: [(); 3].map(|()| String::new()),
        third_law: None,
        records: [
            fields(&[("n", U32), ("table", Array(6))]),
            particle.clone(),
            particle,
            fields(&[("acc", Vector(3)), ("pot", Real)]),
        ],
    }
}

/// A law whose cutoff reads a table, numbers and integers.
fn with_cutoff() -> LawTable {
    let steps = vec![
        Step::Index(Role::I, 5),
        Step::Index(Role::Parameters, 0),
        Step::Lookup { first: 1, size: [2, 3], at: [0, 1] },
        Step::Number(Role::J, 4),
        Step::Entry(&[2, 3], 0),
        Step::Apply(Function::Max, [4, 3, 999]),
        Step::Power(5, 2),
    ];
    let cutoff = Some((steps, [vec![5], vec![4, 5]]));
    LawTable { cutoff, charges: Err("it has a cutoff".to_owned()), ..with_charges() }
}

/// Checks that a change of a table is refused with this message.
fn refused(table: LawTable, change: impl FnOnce(&mut LawTable), message: &str) {
    assert_eq!(table.check(), Ok(()));
    let mut changed = table;
    change(&mut changed);
    let found = changed.check().expect_err(message).to_string();
    assert!(found.starts_with(&format!("table of `some`: {message}")), "{found}\n{message}");
    assert!(found.ends_with("; give the table of a declaration that compiles"), "{found}");
}

#[test]
fn steps_refer_to_earlier_steps_and_to_numbers_of_the_records() {
    let change = |k: usize, step: Step, message: &str| {
        let change = move |table: &mut LawTable| table.cutoff.as_mut().unwrap().0[k] = step;
        refused(with_cutoff(), change, &format!("step {k} of the cutoff is {message}"));
    };
    let number = "expected a real number of";
    let [of, i, j] =
        ["parameters", "i", "j"].map(|it| format!("{number} {it} that the cutoff reads"));
    change(3, Step::Number(Role::Parameters, 7), &format!("`Number(Parameters, 7)`, {of}"));
    change(3, Step::Number(Role::Parameters, 0), &format!("`Number(Parameters, 0)`, {of}"));
    change(3, Step::Number(Role::I, 4), &format!("`Number(I, 4)`, {i}"));
    change(3, Step::Number(Role::J, 5), &format!("`Number(J, 5)`, {j}"));
    change(3, Step::Number(Role::J, 0), &format!("`Number(J, 0)`, {j}"));
    let integer = "expected an integer of i that the cutoff reads";
    change(0, Step::Index(Role::I, 6), &format!("`Index(I, 6)`, {integer}"));
    change(6, Step::Power(6, 2), "`Power(6, 2)`, which takes step 6, expected earlier steps alone");
    change(
        6,
        Step::Power(0, 2),
        "`Power(0, 2)`, which takes Integers from step 0, expected Interval",
    );
    change(4, Step::Entry(&[2, 4], 0), "`Entry([2, 4], 0)`, which takes step 4, expected earlier");
    change(4, Step::Entry(&[], 0), "an empty list, expected an entry at least");
    for (first, size) in [(1, [2, 4]), (7, [1, 1]), (0, [2, 3]), (1, [0, 3]), (9, [usize::MAX; 2])]
    {
        let step = Step::Lookup { first, size, at: [0, 1] };
        let table = "expected a table of real numbers among the 7 of the parameters";
        change(2, step, &format!("`{step:?}`, {table}"));
    }
    let steps = |steps: &[Step], message: &str| {
        let steps = steps.to_vec();
        refused(with_cutoff(), |it| it.cutoff.as_mut().unwrap().0 = steps, message);
    };
    steps(&[], "cutoff is without steps, expected a step at least");
    steps(&[Step::Truth(true)], "last step of the cutoff is Truth, expected Interval");
    for (reads, message) in [
        ([vec![6], vec![]], "numbers of i that the cutoff reads is number 6"),
        ([vec![5], vec![2]], "numbers of j that the cutoff reads is number 2"),
        ([vec![5, 5], vec![4]], "numbers of i that the cutoff reads is 5 before 5"),
    ] {
        let mut table = with_cutoff();
        table.cutoff.as_mut().unwrap().1 = reads;
        let error = table.check().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn results_of_zero_have_no_charges() {
    let mut table = with_charges();
    let charges = table.charges.as_mut().unwrap();
    charges.products.clear();
    charges.carried.fill(Carried::Zero);
    charges.sums.iter_mut().for_each(|(of_sum, _)| of_sum.clear());
    table.check().unwrap();
}

#[test]
fn charges_are_numbers_of_j_and_each_result_is_a_sum() {
    let change = |change: &dyn Fn(&mut ChargeTable), message: &str| {
        let change = |table: &mut LawTable| change(table.charges.as_mut().unwrap());
        refused(with_charges(), change, message);
    };
    let real = "expected real numbers among the 6 of j";
    change(&|it| it.products[0] = vec![6], &format!("charge 0 is [6], {real}"));
    change(&|it| it.products[1] = vec![3, 5], &format!("charge 1 is [3, 5], {real}"));
    change(&|it| it.products[1] = vec![], &format!("charge 1 is [], {real}"));
    change(&|it| it.products.resize(33, vec![3]), "number of charges is 33, expected at most 32");
    let none =
        "carried number 3 is Charge(0), expected zero unless it is a real number, of 0 charges";
    change(&|it| it.products.clear(), none);
    change(&|it| it.carried.truncate(5), "number of carried numbers is 5, expected 6 as of j");
    let zero = "expected zero unless it is a real number, of 2 charges";
    change(
        &|it| it.carried[3] = Carried::Charge(2),
        &format!("carried number 3 is Charge(2), {zero}"),
    );
    change(&|it| it.carried[5] = Carried::One, &format!("carried number 5 is One, {zero}"));
    change(
        &|it| it.carried[4] = Carried::Ratio(0, 0),
        "charge 1 is carried as the product of [Charge(0), Ratio(0, 0)], expected the charge itself",
    );
    change(&|it| it.sums.truncate(1), "number of sums over charges is 1, expected 2 as of results");
    change(&|it| it.sums[1].0 = vec![2], "sum of `pot` is over charge 2, expected charges among 2");
    let point = |it: &mut LawTable| it.records[1].push(("p".to_owned(), FieldKind::Point(3)));
    refused(with_charges(), point, "points of i is 2, expected 1");
}

#[test]
fn records_have_types_and_names() {
    let change = |record: usize, name: &str, kind, message: &str| {
        let field = (name.to_owned(), kind);
        refused(with_cutoff(), |it| it.records[record].insert(0, field), message);
    };
    change(2, "x", FieldKind::Vector(4), "field 0 of j is `x: Vector<4>`, expected one to three");
    change(
        0,
        "x",
        FieldKind::Array(0),
        "field 0 of parameters is `x: [Real; 0]`, expected 1 to 4096",
    );
    change(
        1,
        "x",
        FieldKind::Array(usize::MAX),
        "field 0 of i is `x: [Real; 18446744073709551615]`",
    );
    change(1, "x", FieldKind::Min, "field 0 of i is `x: Min<Real>`, expected a type of particles");
    change(3, "x", FieldKind::U32, "field 0 of results is `x: u32`, expected a type of results");
    change(1, "mass", FieldKind::Real, "field 2 of i is named `mass`, expected a name of its own");
    refused(with_cutoff(), |it| it.records[3].clear(), "results is without fields");
    refused(with_cutoff(), |it| drop(it.records[2].remove(0)), "position of j is missing");
    let third = |it: &mut LawTable| {
        it.third_law = Some((String::new(), Operations::default()));
        it.records[2].pop();
    };
    refused(with_charges(), third, "third law is given for two types of particles");
    let nul = |it: &mut LawTable| it.cuda[1].push('\0');
    refused(with_cutoff(), nul, "CUDA text of sums is a text with a NUL at byte 0");
}
