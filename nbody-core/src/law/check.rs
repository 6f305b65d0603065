//! Refuses tables of laws that contradict themselves.

use std::fmt::Display;

use crate::error::Error;
use crate::field::FieldKind;
use crate::law::charges::Carried;
use crate::law::records::{self, Use};
use crate::law::table::{ChargeTable, LawTable};
use crate::numeric::interval::steps::{Kind, Role, Step};
use crate::records::numbers::Number;

/// The names of the records in messages.
const RECORDS: [&str; 4] = ["parameters", "i", "j", "results"];
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

    fn refuse(
        &self,
        part: impl Display,
        found: impl Display,
        expected: impl Display,
    ) -> Result<(), Error> {
        self.refuse_dyn([&part, &found, &expected])
    }

    // One function for all types of messages: it compiles once.
    fn refuse_dyn(&self, texts: [&dyn Display; 3]) -> Result<(), Error> {
        let (law, [part, found, expected]) = (self.name.clone(), texts.map(ToString::to_string));
        Err(Error::LawTable { law, part, found, expected })
    }

    /// Refuses a text that compilers would cut off.
    fn check_text(&self, part: &str, text: &str) -> Result<(), Error> {
        records::text(part, text).map_err(|refusal| refusal.of(&self.name))
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
            let usage = if record == "results" { Use::Output } else { Use::Input };
            let checked = records::check(record, usage, fields);
            checked.map_err(|refusal| refusal.of(&self.name))?;
        }
        if self.records[3].is_empty() {
            return self.refuse("results", "without fields", "a field at least");
        }
        Ok(())
    }

    /// Returns the types of the numbers of a record.
    fn numbers(&self, record: usize) -> Vec<Number> {
        crate::records::numbers::numbers_of_kinds(
            self.records[record].iter().map(|(_, kind)| *kind),
        )
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
        // Results that are all zero have none.
        if products.len() > MOST_CHARGES {
            return self.refuse(
                "number of charges",
                products.len(),
                format!("at most {MOST_CHARGES}"),
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
mod tests;
