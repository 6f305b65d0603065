//! Measures the energy and the pressure of the Lennard-Jones fluid at a published state point, and
//! the drift of the energy.

use std::error::Error;
use std::f64::consts::PI;

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use nbody::{Device, Domain, Engine as _, Options, Precision, ShortRange};
use nbody_interactions::lennard_jones::{Atom, SwitchedLennardJones};

use crate::liquid::{Liquid, System, truncated};
use crate::measure::mean_and_error;

/// Density 0.776.
const SYSTEM: System = System { cells: 8, edge: 13.819_407_088, cutoff: 3.0 };
const TEMPERATURE: f64 = 0.85;

/// Energy per atom and pressure at this density and at temperatures 0.85 and 0.90, with
/// corrections for the interactions beyond the cutoff, and their standard deviations at 0.85 (NIST
/// Standard Reference Simulation Website, Lennard-Jones fluid, Monte Carlo).
const PUBLISHED: [[f64; 2]; 2] = [[-5.5121, 6.7714e-3], [-5.4689, 0.240_56]];
const UNCERTAINTY: [f64; 2] = [4.6e-4, 1.72e-3];

const STEP: f64 = 0.004;
const SCALINGS: u32 = 200;
const SCALING: u32 = 20;
const PARTS: usize = 16;
const SAMPLES: usize = 250;
const SAMPLING: u32 = 10;

/// Number of steps, and the time step, of the run that shows the drift of the energy.
const DRIFT: (u32, f64) = (100_000, 0.002);
const DRIFT_SAMPLING: u32 = 1000;

/// Returns the contributions of pairs beyond the cutoff to the energy per atom and to the
/// pressure, for a uniform distribution of atoms there.
fn tail(system: &System) -> [f64; 2] {
    let (density, r3) = (system.density(), system.cutoff.powi(-3));
    let energy = 8.0 / 3.0 * PI * density * (r3.powi(3) / 3.0 - r3);
    let pressure = 16.0 / 3.0 * PI * density * density * (2.0 / 3.0 * r3.powi(3) - r3);
    [energy, pressure]
}

/// Measures the state point and prints it beside the published one.
pub fn compare(device: &Device) -> Result<(), Box<dyn Error>> {
    let law = truncated(SYSTEM.cutoff);
    let mut liquid = Liquid::new(device, law, SYSTEM, STEP)?;
    let bar = bar(u64::from(SCALINGS * SCALING) + (PARTS * SAMPLES) as u64 * u64::from(SAMPLING))?;
    for _ in 0..SCALINGS {
        liquid.scale_to(TEMPERATURE)?;
        liquid.advance(SCALING)?;
        bar.inc(SCALING.into());
    }
    let domain = Domain::periodic([SYSTEM.edge; 3])?;
    let options = Options::default().precision(Precision::Double).domain(domain);
    let mut engine = ShortRange::with_options(device, law, options)?;
    let [energy_tail, pressure_tail] = tail(&SYSTEM);
    let (mut temperatures, mut energies, mut pressures) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..PARTS {
        let (mut temperature, mut energy, mut pressure) = (0.0, energy_tail, pressure_tail);
        for _ in 0..SAMPLES {
            liquid.advance(SAMPLING)?;
            bar.inc(SAMPLING.into());
            let atom = |pos: [f64; 3]| Atom { pos: pos.into(), kind: 0 };
            let atoms: Vec<_> = liquid.positions()?.into_iter().map(atom).collect();
            let forces = engine.evaluate_self::<f64>(&atoms)?;
            let now = liquid.state()?[0];
            let weight = 1.0 / SAMPLES as f64;
            let per_atom = weight / SYSTEM.atoms() as f64;
            temperature += weight * now;
            energy += per_atom * forces.iter().map(|force| 0.5 * force.pot).sum::<f64>();
            let virial = per_atom * forces.iter().map(|force| force.virial / 6.0).sum::<f64>();
            pressure += SYSTEM.density() * (weight * now + virial);
        }
        // Correct the values to the temperature of the published ones, with the published change.
        let beyond = (temperature - TEMPERATURE) / 0.05;
        let shift = [0, 1].map(|k| beyond * (PUBLISHED[1][k] - PUBLISHED[0][k]));
        temperatures.push(temperature);
        energies.push(energy - shift[0]);
        pressures.push(pressure - shift[1]);
    }
    bar.finish_and_clear();
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["", "measured", "standard error", "NIST", "uncertainty"]);
    let (mean, error) = mean_and_error(&temperatures);
    table.add_row(["temperature", &format!("{mean:.4}"), &format!("{error:.4}"), "0.85", ""]);
    for (k, (name, values)) in
        [("energy of an atom", &energies), ("pressure", &pressures)].into_iter().enumerate()
    {
        let (mean, error) = mean_and_error(values);
        let numbers = [mean, error, PUBLISHED[0][k], UNCERTAINTY[k]];
        let cells = numbers.map(|number| format!("{number:.5}"));
        table.add_row([&[name.to_owned()], &cells[..]].concat());
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines = table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    println!(
        "{} atoms on {device}, density {:.4}\n\n{}",
        SYSTEM.atoms(),
        SYSTEM.density(),
        lines.join("\n")
    );
    Ok(())
}

/// Measures and prints the drift of the energy over many steps with continuous forces.
pub fn drift(device: &Device) -> Result<(), Box<dyn Error>> {
    let law = SwitchedLennardJones {
        sigma2: [[1.0; 4]; 4],
        epsilon: [[1.0; 4]; 4],
        switch: 2.0,
        cutoff: 2.5,
    };
    let system = System { cells: 5, edge: 8.637_129, cutoff: 2.5 };
    let (steps, step) = DRIFT;
    let mut liquid = Liquid::new(device, law, system, step)?;
    let bar = bar(u64::from(SCALINGS * SCALING + steps))?;
    for _ in 0..SCALINGS {
        liquid.scale_to(TEMPERATURE)?;
        liquid.advance(SCALING)?;
        bar.inc(SCALING.into());
    }
    let per_atom = 1.0 / system.atoms() as f64;
    let mut energies = Vec::new();
    for sample in 0..=steps / DRIFT_SAMPLING {
        if sample > 0 {
            liquid.advance(DRIFT_SAMPLING)?;
            bar.inc(DRIFT_SAMPLING.into());
        }
        energies.push((f64::from(sample * DRIFT_SAMPLING) * step, per_atom * liquid.state()?[1]));
    }
    bar.finish_and_clear();
    let drift = crate::measure::slope(&energies);
    let end = energies.last().map_or(0.0, |(time, _)| drift * time);
    let mean = energies.iter().map(|(_, energy)| energy).sum::<f64>() / energies.len() as f64;
    let square =
        |&(time, energy): &(f64, f64)| (energy - mean - drift * (time - 0.5 * end / drift)).powi(2);
    let noise = (energies.iter().map(square).sum::<f64>() / energies.len() as f64).sqrt();
    let momentum = liquid.momentum()?.map(f64::abs).into_iter().fold(0.0, f64::max);
    println!(
        "{} atoms on {device}, {steps} steps of {step}: energy of an atom {mean:.6}, drift {end:.1e} in \
         all ({drift:.1e} a unit of time), fluctuation {noise:.1e}; total momentum {momentum:.1e}",
        system.atoms()
    );
    Ok(())
}

fn bar(steps: u64) -> Result<ProgressBar, Box<dyn Error>> {
    let bar = ProgressBar::new(steps);
    bar.set_style(ProgressStyle::with_template("{bar:40} {percent:>3}%")?);
    Ok(bar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_has_the_published_density() {
        assert!((SYSTEM.density() - 0.776).abs() < 1e-8, "{}", SYSTEM.density());
        let [energy, pressure] = tail(&SYSTEM);
        assert!(
            (energy + 0.2404).abs() < 1e-3 && (pressure + 0.3728).abs() < 1e-3,
            "{energy} {pressure}"
        );
    }
}
