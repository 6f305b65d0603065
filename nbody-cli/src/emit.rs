//! `nbody emit`.

use std::io::Write as _;
use std::process::ExitCode;

use nbody::cuda::{Program, Schedule, Walk};
use nbody::law::Law;
use nbody::{Domain, Error, Expansion};

use crate::Outcome;
use crate::interactions::{InteractionOrFile, named};
use crate::record::{self, Record, record};
use crate::select::Numerics;
use crate::table::{Page, Table};
use crate::wrong::Wrong;

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct Arguments {
    /// The interaction, or a file of declarations that ends in .rs: each of its interactions.
    #[arg(value_parser = InteractionOrFile)]
    interaction: String,
    #[command(flatten)]
    numerics: Numerics,
    /// The schedule of the program: ordered for every ordered pair, symmetric for both directions
    /// of a pair at once, few for few i-particles.
    #[arg(long, default_value = "ordered")]
    schedule: Schedule,
    /// The program of walks through a tree in place of a schedule: groups for walks by groups of
    /// i-particles, particles for walks by single particles; --program prints it.
    #[arg(long, conflicts_with = "schedule", requires = "program")]
    walk: Option<Walk>,
    /// Emit the program of a periodic box.
    #[arg(long, requires = "program")]
    periodic: bool,
    /// Print the whole program, as it is compiled: the kernel configuration, the types of numbers,
    /// the interaction and the kernels.
    #[arg(long)]
    program: bool,
    /// List the charges of j that each field of the result is a sum over, which a tree needs, and
    /// how the errors of a tree fall with the opening angle, instead; fails, with the reason, for
    /// an interaction that has none.
    #[arg(long, conflicts_with_all = ["schedule", "walk", "periodic", "program"])]
    far: bool,
    /// Print the charges as one JSON document in place of a table.
    #[arg(long, requires = "far", conflicts_with_all = ["schedule", "walk", "periodic", "program"])]
    json: bool,
}

/// Returns the program that was asked for; `None` if the schedule has none.
fn program(law: &'static Law, arguments: &Arguments) -> Result<Option<Program>, Error> {
    let &Arguments { numerics, schedule, walk, periodic, .. } = arguments;
    // The text is the same for every box.
    let domain = if periodic { Domain::periodic([1.0; 3])? } else { Domain::Open };
    let options = numerics.options().domain(domain);
    Ok(match walk {
        Some(walk) => Some(Program::walk(law, options, walk)?),
        None => Program::of_schedule(law, options, schedule)?,
    })
}

/// The charges that a field of the result sums over, and the exponents of its errors.
struct Sum {
    law: &'static str,
    field: &'static str,
    charges: Vec<String>,
    /// The orders of monopoles, with charges of one sign and of both signs, and of the second order.
    orders: [u32; 3],
}

impl Sum {
    /// Returns the sums of a law; the error is the reason why it has none.
    fn all(law: &'static Law) -> Result<Vec<Self>, String> {
        let name = law.name;
        let charges =
            law.charges.map_err(|reason| format!("{name} is no sum over charges: {reason}"))?;
        let names: Vec<_> = charges.names(law.j).map(|name| name.to_string()).collect();
        let kinds =
            [(Expansion::Monopole, true), (Expansion::Monopole, false), (Expansion::Second, true)];
        let sums = law.f.iter().zip(charges.sums).map(|(field, sum)| Self {
            law: name,
            field: field.name,
            charges: sum.charges.iter().map(|&q| names[q].clone()).collect(),
            orders: kinds.map(|(expansion, one)| charges.error_order(sum, expansion, one)),
        });
        Ok(sums.collect())
    }

    fn record(&self) -> Record {
        let [one_sign, both_signs, second] = self.orders;
        record! {
            interaction: self.law,
            result: self.field,
            charges: self.charges.clone(),
            order_of_monopoles: one_sign,
            order_of_monopoles_of_both_signs: both_signs,
            order_of_second_order: second,
        }
    }
}

/// Formats the sums of a law.
fn page(sums: &[Sum]) -> String {
    let mut table = Table::new(&["result", ">monopole", ">both signs", ">second", "charges"]);
    for Sum { field, charges, orders, .. } in sums {
        let mut row = vec![(*field).to_owned()];
        row.extend(orders.map(|order| format!("theta^{order}")));
        row.push(charges.join(", "));
        table.row(row);
    }
    let mut page = Page::new("");
    page.table("", &table);
    page.legend(&[
        ("monopole", "the fall of the errors of a tree with its opening angle"),
        ("both signs", "the same, where the charges have both signs"),
        ("second", "the same with moments of the second order"),
        ("charges", "the products of fields of j that the result sums over"),
    ]);
    format!("{page}\n")
}

/// Returns the text that was asked for.
fn text(law: &'static Law, arguments: &Arguments) -> Result<String, Box<dyn std::error::Error>> {
    if arguments.far {
        return Ok(page(&Sum::all(law)?));
    }
    let (name, schedule) = (law.name, arguments.schedule);
    let none = || format!("{name} has no program of the schedule {schedule} with these options");
    let program = program(law, arguments)?.ok_or_else(none)?;
    let text = if arguments.program { &*program.source } else { program.declaration() };
    Ok(text.to_owned())
}

impl Arguments {
    /// Refuses options of the program where it is not printed.
    fn check(&self) -> Result<(), Wrong> {
        let of_the_program = self.numerics.are_given() || self.schedule == Schedule::Few;
        Wrong::if_so(
            of_the_program && !self.program,
            "--precision, --accumulation, --math and --schedule few are of the program, and change \
             nothing else: give --program, or leave them out",
        )
    }
}

pub fn run(arguments: &Arguments) -> Outcome {
    arguments.check()?;
    if arguments.json {
        let mut rows = Vec::new();
        for chosen in named(&arguments.interaction)? {
            rows.extend(Sum::all(chosen.law)?.iter().map(Sum::record));
        }
        record::print("emit", record! { rows: rows })?;
        return Ok(ExitCode::SUCCESS);
    }
    for chosen in named(&arguments.interaction)? {
        std::io::stdout().write_all(text(chosen.law, arguments)?.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
