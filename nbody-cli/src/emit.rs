//! `nbody emit`.

use std::io::Write as _;
use std::process::ExitCode;

use nbody::cuda::{KernelConfig, Program, Schedule, Walk};
use nbody::law::{Charges, Law};
use nbody::{Domain, Error, Expansion};

use crate::Outcome;
use crate::interactions::{InteractionOrFile, named};
use crate::select::Numerics;
use crate::table::Table;
use crate::wrong::Wrong;

#[derive(clap::Args)]
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
}

/// Returns the program that was asked for; `None` if the schedule has none.
fn program(law: &'static Law, arguments: &Arguments) -> Result<Option<Program>, Error> {
    let &Arguments { numerics, schedule, walk, periodic, .. } = arguments;
    // The text is the same for every box.
    let domain = if periodic { Domain::periodic([1.0; 3])? } else { Domain::Open };
    let options = numerics.options().domain(domain);
    if let Some(walk) = walk {
        return match law.charges {
            Ok(_) => Ok(Some(Program::walk(law, options, walk)?)),
            Err(reason) => Err(Error::NoTree { law: law.name, reason }),
        };
    }
    let configs = KernelConfig::of(schedule, law, options)?;
    Ok(configs.first().map(|config| Program::with_config(law, options, *config)))
}

/// Returns a table of the charges that each field of the result sums over, and of the exponents of
/// the errors.
fn sums(charges: Charges, law: &Law) -> Table {
    let names: Vec<_> = charges.names(law.j).map(|name| name.to_string()).collect();
    let mut table = Table::new(&["result", "charges", "error of monopoles", "of the second order"]);
    for (field, sum) in law.f.iter().zip(charges.sums) {
        let of_sum: Vec<_> = sum.charges.iter().map(|&q| &*names[q]).collect();
        let order = |expansion, is_of_one_sign| {
            format!("theta^{}", charges.error_order(sum, expansion, is_of_one_sign))
        };
        let [monopoles, of_both_signs] = [true, false].map(|one| order(Expansion::Monopole, one));
        let monopoles = if monopoles == of_both_signs {
            monopoles
        } else {
            format!("{monopoles}, of both signs {of_both_signs}")
        };
        let second = order(Expansion::Second, true);
        table.row(vec![field.name.to_owned(), of_sum.join(", "), monopoles, second]);
    }
    table
}

/// Returns the text that was asked for.
fn text(law: &'static Law, arguments: &Arguments) -> Result<String, Box<dyn std::error::Error>> {
    let name = law.name;
    if arguments.far {
        return match law.charges {
            Ok(charges) => Ok(sums(charges, law).lines().join("\n") + "\n"),
            Err(reason) => Err(format!("{name} is no sum over charges: {reason}").into()),
        };
    }
    let schedule = arguments.schedule;
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
    for chosen in named(&arguments.interaction)? {
        std::io::stdout().write_all(text(chosen.law, arguments)?.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
