//! `nbody emit`.

use std::io::Write as _;
use std::process::ExitCode;

use nbody::{Domain, Interaction, KernelConfig, Law, Options, Pairs, Program};
use nbody_interactions::Visitor;

use crate::Outcome;
use crate::select::{self, Numerics};

#[derive(clap::Args)]
pub struct Arguments {
    /// The interaction.
    #[arg(value_parser = select::interactions())]
    interaction: String,
    #[command(flatten)]
    numerics: Numerics,
    /// The pairs of one set: auto and ordered for ordered pairs, symmetric for both directions of a
    /// pair at once, where the interaction allows it.
    #[arg(long, default_value_t)]
    pairs: Pairs,
    /// Emit the program of a periodic box.
    #[arg(long)]
    periodic: bool,
    /// Print the whole program, as it is compiled: the kernel configuration, the types of numbers,
    /// the interaction and the kernels.
    #[arg(long)]
    program: bool,
}

/// Generates the program of the visited interaction.
struct Emit {
    options: Options,
    program: Option<Result<Program, nbody::Error>>,
}

impl Visitor for Emit {
    fn visit<X: Interaction>(&mut self, _: X) {
        self.program = Some(program(X::LAW, self.options));
    }
}

/// Generates the program for many particles, symmetric where the options ask for it.
fn program(law: &Law, options: Options) -> Result<Program, nbody::Error> {
    let symmetric = KernelConfig::symmetric(law, options);
    match symmetric.filter(|_| options.pairs == Pairs::Symmetric) {
        Some(config) => Ok(Program::with_config(law, options, config)),
        None => Program::new(law, options),
    }
}

pub fn run(arguments: &Arguments) -> Outcome {
    let &Arguments { numerics, pairs, periodic, program: whole, .. } = arguments;
    // The text is the same for every box.
    let domain = if periodic { Domain::periodic([1.0; 3])? } else { Domain::Open };
    let options = numerics.options().domain(domain).pairs(pairs);
    let mut emit = Emit { options, program: None };
    select::visit_named(std::slice::from_ref(&arguments.interaction), &mut emit);
    if let Some(program) = emit.program {
        let program = program?;
        let text = if whole { &*program.source } else { program.declaration() };
        std::io::stdout().write_all(text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
