//! Refuses tables of laws that contradict themselves.

use std::fmt::Display;

use crate::error::Error;
use crate::field::FieldKind;
use crate::law::charges::Carried;
use crate::law::table::{ChargeTable, LawTable};
use crate::numeric::interval::steps::{Kind, Role, Step};
use crate::records::pack::Number;

/// The names of the records in messages.
const RECORDS: [&str; 4] = ["parameters", "i", "j", "results"];
/// The longest array, as in declarations.
const LONGEST: usize = 4096;
/// The largest number of charges, as in declarations.
const MOST_CHARGES: usize = 32;

impl LawTable {
    /// Refuses a table that engines cannot evaluate.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.check_texts()?;
        self.check_records()?;
        if let Some((steps, reads)) = &self.cutoff {
            self.check_points()?;
            self.check_reads(reads)?;
            self.check_steps(steps, reads)?;
        }
        match &self.charges {
            Ok(charges) => self.check_charges(charges),
            Err(reason) => self.check_text("reason without charges", reason),
        }
    }

    fn refuse<T>(
        &self,
        part: impl Display,
        found: impl Display,
        expected: impl Display,
    ) -> Result<T, Error> {
        let law = self.name.clone();
        let [part, found, expected] = [part.to_string(), found.to_string(), expected.to_string()];
        Err(Error::LawTable { law, part, found, expected })
    }

    /// Refuses a text that compilers would cut off.
    fn check_text(&self, part: &str, text: &str) -> Result<(), Error> {
        match text.find('\0') {
            Some(at) => self.refuse(part, format!("a text with a NUL at byte {at}"), "none"),
            None => Ok(()),
        }
    }

    fn check_texts(&self) -> Result<(), Error> {
        self.check_text("name", &self.name)?;
        if self.name.is_empty() {
            return self.refuse("name", "empty", "a name");
        }
        for (part, text) in ["CUDA text", "CUDA text of sums", "CUDA text of compensated sums"]
            .into_iter()
            .zip(&self.cuda)
        {
            self.check_text(part, text)?;
        }
        let Some((text, _)) = &self.third_law else { return Ok(()) };
        let [_, i, j, _] = &self.records;
        if i != j {
            return self.refuse("third law", "given for two types of particles", "one type");
        }
        self.check_text("CUDA text of the third law", text)
    }

    fn check_records(&self) -> Result<(), Error> {
        for (fields, record) in self.records.iter().zip(RECORDS) {
            for (k, (name, kind)) in fields.iter().enumerate() {
                let part = || format!("field {k} of {record}");
                let (is_known, expected) = match *kind {
                    FieldKind::Point(_) if record == "results" => (false, "a type of results"),
                    FieldKind::Vector(n) | FieldKind::Point(n) => {
                        ([2, 3].contains(&n), "two or three components")
                    }
                    FieldKind::Array(n) => ((1..=LONGEST).contains(&n), "1 to 4096 numbers"),
                    FieldKind::Real => (true, ""),
                    FieldKind::U32 => (record != "results", "a type of results"),
                    FieldKind::Min | FieldKind::Max | FieldKind::ArgMin | FieldKind::Count => {
                        (record == "results", "a type of particles")
                    }
                };
                if !is_known {
                    return self.refuse(part(), format!("`{name}: {kind}`"), expected);
                }
                self.check_text(&part(), name)?;
                if name.is_empty() || fields[..k].iter().any(|(other, _)| other == name) {
                    return self.refuse(part(), format!("named `{name}`"), "a name of its own");
                }
            }
        }
        if self.records[3].is_empty() {
            return self.refuse("results", "without fields", "a field at least");
        }
        Ok(())
    }

    /// Returns the types of the numbers of a record.
    fn numbers(&self, record: usize) -> Vec<Number> {
        crate::records::pack::numbers_of_kinds(self.records[record].iter().map(|(_, kind)| *kind))
            .collect()
    }

    /// Refuses particles without positions, or with positions in different dimensions.
    fn check_points(&self) -> Result<(), Error> {
        let point = |record: usize| {
            let mut kinds = self.records[record].iter().map(|(_, kind)| *kind);
            kinds.find(|kind| matches!(kind, FieldKind::Point(_)))
        };
        match [point(1), point(2)] {
            [Some(i), Some(j)] if i == j => Ok(()),
            [Some(i), Some(j)] => self.refuse("position of j", j, format!("{i} as of i")),
            [i, _] => {
                let record = if i.is_none() { "i" } else { "j" };
                self.refuse(format!("position of {record}"), "missing", "a point")
            }
        }
    }

    /// Refuses numbers that a cutoff cannot depend on.
    fn check_reads(&self, reads: &[Vec<usize>; 2]) -> Result<(), Error> {
        for (k, reads) in reads.iter().enumerate() {
            let (numbers, record) = (self.numbers(k + 1), RECORDS[k + 1]);
            let part = || format!("numbers of {record} that the cutoff reads");
            let is_number =
                |n: &usize| numbers.get(*n).is_some_and(|number| *number != Number::Coordinate);
            if let Some(n) = reads.iter().find(|n| !is_number(n)) {
                let expected = format!("numbers of {} that are no coordinates", numbers.len());
                return self.refuse(part(), format!("number {n}"), expected);
            }
            let mut pairs = reads.iter().zip(reads.iter().skip(1));
            if let Some((first, second)) = pairs.find(|(first, second)| first >= second) {
                let found = format!("{first} before {second}");
                return self.refuse(part(), found, "ascending numbers");
            }
        }
        Ok(())
    }

    /// Refuses steps that read values or numbers which do not exist, or which have another type.
    fn check_steps(&self, steps: &[Step], reads: &[Vec<usize>; 2]) -> Result<(), Error> {
        let numbers = [0, 1, 2].map(|record| self.numbers(record));
        let mut known: Vec<Kind> = Vec::new();
        for (k, step) in steps.iter().enumerate() {
            let part = || format!("step {k} of the cutoff");
            let takes = |place: u16, kind: Kind| match known.get(usize::from(place)) {
                Some(found) if *found == kind => Ok(()),
                Some(found) => {
                    let found = format!("`{step:?}`, which takes {found:?} from step {place}");
                    self.refuse(part(), found, format!("{kind:?}"))
                }
                None => {
                    let found = format!("`{step:?}`, which takes step {place}");
                    self.refuse(part(), found, "earlier steps alone")
                }
            };
            let reads = |role: Role, number: usize, kind: Number| {
                let record = role as usize;
                let is_kind = numbers[record].get(number) == Some(&kind);
                let is_read = record == 0 || reads[record - 1].contains(&number);
                if is_kind && is_read {
                    return Ok(());
                }
                let what = if kind == Number::Index { "an integer" } else { "a real number" };
                let expected = format!("{what} of {} that the cutoff reads", RECORDS[record]);
                self.refuse(part(), format!("`{step:?}`"), expected)
            };
            known.push(match *step {
                Step::Real(_) | Step::Unknown => Kind::Interval,
                Step::Integer(_) => Kind::Integers,
                Step::Truth(_) => Kind::Truth,
                Step::Number(Role::Parameters, number)
                    if numbers[0].get(number) == Some(&Number::Coordinate) =>
                {
                    Kind::Interval
                }
                Step::Number(role, number) => {
                    reads(role, number, Number::Real)?;
                    Kind::Interval
                }
                Step::Index(role, number) => {
                    reads(role, number, Number::Index)?;
                    Kind::Integers
                }
                Step::Apply(function, operands) => {
                    let mut each = operands.into_iter().zip(function.inputs());
                    each.try_for_each(|(place, &kind)| takes(place, kind))?;
                    function.output()
                }
                Step::Power(base, _) => {
                    takes(base, Kind::Interval)?;
                    Kind::Interval
                }
                Step::Entry(among, index) => {
                    if among.is_empty() {
                        return self.refuse(part(), "an empty list", "an entry at least");
                    }
                    among.iter().try_for_each(|&place| takes(place, Kind::Interval))?;
                    takes(index, Kind::Integers)?;
                    Kind::Interval
                }
                Step::Lookup { first, size: [rows, columns], at } => {
                    let end = rows.checked_mul(columns).and_then(|n| first.checked_add(n));
                    let table = end.and_then(|end| numbers[0].get(first..end));
                    let is_table = table.is_some_and(|table| {
                        !table.is_empty() && table.iter().all(|it| *it == Number::Real)
                    });
                    if !is_table {
                        let expected = format!(
                            "a table of real numbers among the {} of the parameters",
                            numbers[0].len()
                        );
                        return self.refuse(part(), format!("`{step:?}`"), expected);
                    }
                    at.into_iter().try_for_each(|place| takes(place, Kind::Integers))?;
                    Kind::Interval
                }
            });
        }
        match known.last() {
            Some(Kind::Interval) => Ok(()),
            Some(kind) => self.refuse("last step of the cutoff", format!("{kind:?}"), "Interval"),
            None => self.refuse("cutoff", "without steps", "a step at least"),
        }
    }

    /// Refuses charges that are no products of numbers of j, or that a j-particle does not carry.
    fn check_charges(&self, charges: &ChargeTable) -> Result<(), Error> {
        let ChargeTable { products, carried, sums } = charges;
        if self.cutoff.is_some() {
            return self.refuse("charges", "given with a cutoff", "a reason why there are none");
        }
        self.check_points()?;
        for record in [1, 2] {
            let is_point = |(_, kind): &&(String, FieldKind)| matches!(kind, FieldKind::Point(_));
            let found = self.records[record].iter().filter(is_point).count();
            if found != 1 {
                return self.refuse(format!("points of {}", RECORDS[record]), found, 1);
            }
        }
        let numbers = self.numbers(2);
        if !(1..=MOST_CHARGES).contains(&products.len()) {
            return self.refuse(
                "number of charges",
                products.len(),
                format!("1 to {MOST_CHARGES}"),
            );
        }
        let is_real = |n: &usize| numbers.get(*n) == Some(&Number::Real);
        for (q, product) in products.iter().enumerate() {
            if product.is_empty() || !product.iter().all(is_real) {
                let expected = format!("real numbers among the {} of j", numbers.len());
                return self.refuse(format!("charge {q}"), format!("{product:?}"), expected);
            }
        }
        if carried.len() != numbers.len() {
            let (found, expected) = (carried.len(), format!("{} as of j", numbers.len()));
            return self.refuse("number of carried numbers", found, expected);
        }
        for (n, value) in carried.iter().enumerate() {
            let of = match *value {
                Carried::Zero => continue,
                Carried::One => [0, 0],
                Carried::Charge(q) => [q, q],
                Carried::Ratio(q, by) => [q, by],
            };
            if !is_real(&n) || of.into_iter().any(|q| q >= products.len()) {
                let expected =
                    format!("zero unless it is a real number, of {} charges", products.len());
                return self.refuse(format!("carried number {n}"), format!("{value:?}"), expected);
            }
        }
        for (q, product) in products.iter().enumerate() {
            if !carries(carried, product, q) {
                let values: Vec<_> = product.iter().map(|&n| carried[n]).collect();
                let found = format!("carried as the product of {values:?}");
                return self.refuse(format!("charge {q}"), found, "the charge itself");
            }
        }
        let results = &self.records[3];
        if sums.len() != results.len() {
            let expected = format!("{} as of results", results.len());
            return self.refuse("number of sums over charges", sums.len(), expected);
        }
        for ((charges, _), (name, kind)) in sums.iter().zip(results) {
            let part = || format!("sum of `{name}`");
            if !kind.is_sum() {
                return self.refuse(part(), kind, "a sum of real numbers");
            }
            if let Some(q) = charges.iter().find(|q| **q >= products.len()) {
                let expected = format!("charges among {}", products.len());
                return self.refuse(part(), format!("over charge {q}"), expected);
            }
        }
        Ok(())
    }
}

/// Returns whether the product of carried numbers is this charge.
fn carries(carried: &[Carried], product: &[usize], charge: usize) -> bool {
    let (mut over, mut under) = (Vec::new(), Vec::new());
    for &n in product {
        match carried[n] {
            Carried::Zero => return false,
            Carried::One => {}
            Carried::Charge(q) => over.push(q),
            Carried::Ratio(q, by) => {
                over.push(q);
                under.push(by);
            }
        }
    }
    for by in under {
        match over.iter().position(|q| *q == by) {
            Some(at) => over.swap_remove(at),
            None => return false,
        };
    }
    over == [charge]
}

#[cfg(test)]
mod tests {
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
        change(
            6,
            Step::Power(6, 2),
            "`Power(6, 2)`, which takes step 6, expected earlier steps alone",
        );
        change(
            6,
            Step::Power(0, 2),
            "`Power(0, 2)`, which takes Integers from step 0, expected Interval",
        );
        change(
            4,
            Step::Entry(&[2, 4], 0),
            "`Entry([2, 4], 0)`, which takes step 4, expected earlier",
        );
        change(4, Step::Entry(&[], 0), "an empty list, expected an entry at least");
        for (first, size) in
            [(1, [2, 4]), (7, [1, 1]), (0, [2, 3]), (1, [0, 3]), (9, [usize::MAX; 2])]
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
    fn charges_are_numbers_of_j_and_each_result_is_a_sum() {
        let change = |change: &dyn Fn(&mut ChargeTable), message: &str| {
            let change = |table: &mut LawTable| change(table.charges.as_mut().unwrap());
            refused(with_charges(), change, message);
        };
        let real = "expected real numbers among the 6 of j";
        change(&|it| it.products[0] = vec![6], &format!("charge 0 is [6], {real}"));
        change(&|it| it.products[1] = vec![3, 5], &format!("charge 1 is [3, 5], {real}"));
        change(&|it| it.products[1] = vec![], &format!("charge 1 is [], {real}"));
        change(&|it| it.products.clear(), "number of charges is 0, expected 1 to 32");
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
        change(
            &|it| it.sums.truncate(1),
            "number of sums over charges is 1, expected 2 as of results",
        );
        change(
            &|it| it.sums[1].0 = vec![2],
            "sum of `pot` is over charge 2, expected charges among 2",
        );
        let point = |it: &mut LawTable| it.records[1].push(("p".to_owned(), FieldKind::Point(3)));
        refused(with_charges(), point, "points of i is 2, expected 1");
    }

    #[test]
    fn records_have_types_and_names() {
        let change = |record: usize, name: &str, kind, message: &str| {
            let field = (name.to_owned(), kind);
            refused(with_cutoff(), |it| it.records[record].insert(0, field), message);
        };
        change(
            2,
            "x",
            FieldKind::Vector(4),
            "field 0 of j is `x: Vector<4>`, expected two or three",
        );
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
        change(
            1,
            "x",
            FieldKind::Min,
            "field 0 of i is `x: Min<Real>`, expected a type of particles",
        );
        change(
            3,
            "x",
            FieldKind::U32,
            "field 0 of results is `x: u32`, expected a type of results",
        );
        change(
            1,
            "mass",
            FieldKind::Real,
            "field 2 of i is named `mass`, expected a name of its own",
        );
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
}
