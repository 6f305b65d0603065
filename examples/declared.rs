//! An interaction from text at run time: a screened Coulomb force.
//!
//! `cargo run --release --features declare --example declared [-- [FILE] [--device NAME]]`

use std::error::Error;
use std::process::ExitCode;

use nbody::Store;
use nbody::law::{declare, read};
use nbody::prelude::*;
use nbody::untyped::OwnedRows;

use arguments::{Arguments, Usage, end};

mod arguments;

/// The inside of a module of `#[nbody::interaction]`.
const TEXT: &str = "
    /// The potential and the field of screened charges.
    struct Screened { kappa: Real }
    struct Charge { pos: Point, q: Real }
    struct Field { e: Vector, potential: Real }

    impl Interaction for Screened {
        type I = Charge;
        type J = Charge;
        type F = Field;
        fn pair(&self, i: &Charge, j: &Charge, f: &mut Field) {
            let d = i.pos - j.pos;
            let r = d.norm();
            let phi = j.q * (-self.kappa * r).exp() / r;
            f.potential += phi;
            f.e += phi * (1.0 + self.kappa * r) / (r * r) * d;
        }
    }
";

fn main() -> ExitCode {
    let arguments = Arguments::read(Usage {
        name: "declared",
        about: "Evaluate an interaction that is declared as text at run time.",
        words: &[["FILE", "a declaration [default: a screened Coulomb force]"]],
    });
    end(run(arguments.parsed(|words| Ok(words.next())), &arguments))
}

fn run(file: Option<String>, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let declared = match file {
        Some(file) => read(file)?,
        None => declare(TEXT)?,
    };
    let law = declared.only_law()?;
    let device = arguments.device()?.unwrap_or_else(Device::best);
    // One row for each charge: x, y, z and q.
    let rows = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, -1.0], [0.0, 2.0, 0.0, 2.0]];
    let words = rows.as_flattened().iter().map(|x: &f64| x.to_bits()).collect();
    let parameters = [0.5_f64.to_bits()];
    let mut direct = device.untyped().all_pairs(law, &parameters, Options::default())?;
    let charges = device.untyped().upload(&OwnedRows::new(law.i, words)?, Precision::Single)?;
    let mut results = direct.results(rows.len())?;
    direct.evaluate(&*charges, Sources::Same(&*charges), &mut *results, Store::Replace)?;
    let mut fields = vec![0; 4 * rows.len()];
    results.read(0..rows.len(), &mut |write| write(0..rows.len(), &mut fields))?;
    println!("{} on {}", law.name, device.name());
    for row in fields.chunks(4) {
        let [x, y, z, potential] = [0, 1, 2, 3].map(|k| f64::from_bits(row[k]));
        println!("e ({x:9.6}, {y:9.6}, {z:9.6})  potential {potential:9.6}");
    }
    Ok(())
}
