//! `nbody emit`.

use std::io::Write as _;
use std::process::ExitCode;

use nbody::cuda::{KernelConfig, Program, Schedule, Walk};
use nbody::law::{Charges, Law};
use nbody::{Domain, Error, Expansion, Interaction, Options};
use nbody_interactions::Visitor;

use crate::Outcome;
use crate::select::{self, Numerics};
use crate::table::Table;

#[derive(clap::Args)]
pub struct Arguments {
    /// The interaction.
    #[arg(value_parser = select::interactions())]
    interaction: String,
    #[command(flatten)]
    numerics: Numerics,
    /// The schedule of the program: ordered for every ordered pair, symmetric for both directions
    /// of a pair at once, few for few i-particles.
    #[arg(long, default_value = "ordered")]
    schedule: Schedule,
    /// The program of walks through a tree in place of a schedule: groups for walks by groups of
    /// i-particles, particles for walks by single particles; --program prints it.
    #[arg(long, conflicts_with = "schedule")]
    walk: Option<Walk>,
    /// Emit the program of a periodic box.
    #[arg(long)]
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

/// Generates the program of the visited interaction.
struct Emit {
    schedule: Schedule,
    walk: Option<Walk>,
    options: Options,
    program: Option<Result<Option<Program>, Error>>,
}

impl Visitor for Emit {
    fn visit<X: Interaction>(&mut self, _: X) {
        if let Some(walk) = self.walk {
            self.program = Some(match X::LAW.charges {
                Ok(_) => Program::walk(X::LAW, self.options, walk).map(Some).map_err(Error::from),
                Err(reason) => Err(Error::NoTree { law: X::LAW.name, reason }),
            });
            return;
        }
        let configs = KernelConfig::of(self.schedule, X::LAW, self.options);
        let program = |configs: Vec<KernelConfig>| {
            let config = configs.first()?;
            Some(Program::with_config(X::LAW, self.options, *config))
        };
        self.program = Some(configs.map(program).map_err(Error::from));
    }
}

/// Lists the charges of the visited interaction.
struct Far(Option<Result<String, String>>);

impl Visitor for Far {
    fn visit<X: Interaction>(&mut self, _: X) {
        let name = X::LAW.name;
        self.0 = Some(match X::LAW.charges {
            Ok(charges) => Ok(sums(charges, X::LAW).lines().join("\n") + "\n"),
            Err(reason) => Err(format!("{name} is no sum over charges: {reason}")),
        });
    }
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

fn far(interaction: &str) -> Outcome {
    let mut far = Far(None);
    select::visit_named(&[interaction.to_owned()], &mut far);
    let text = far.0.unwrap_or_else(|| Err(format!("no interaction {interaction}")))?;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

pub fn run(arguments: &Arguments) -> Outcome {
    if arguments.far {
        return far(&arguments.interaction);
    }
    let &Arguments { numerics, schedule, walk, periodic, program: whole, .. } = arguments;
    // The text is the same for every box.
    let domain = if periodic { Domain::periodic([1.0; 3])? } else { Domain::Open };
    let options = numerics.options().domain(domain);
    let mut emit = Emit { schedule, walk, options, program: None };
    select::visit_named(std::slice::from_ref(&arguments.interaction), &mut emit);
    let Some(program) = emit.program.transpose()?.flatten() else {
        let name = &arguments.interaction;
        return Err(
            format!("{name} has no program of the schedule {schedule} with these options").into()
        );
    };
    let text = if whole { &*program.source } else { program.declaration() };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
