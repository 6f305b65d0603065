//! A Plummer sphere on every available engine: its error against the f64 reference, its pairs
//! per second, and the path of its CUDA program.
//!
//! `cargo run --release --example quickstart [-- [N] [--device NAME]]`

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use nbody::prelude::*;
use nbody_models::{Particle, plummer};

use arguments::{Arguments, Usage, count, end};

mod arguments;

#[nbody::interaction]
mod gravity {
    /// Newtonian gravity with Plummer softening; G = 1.
    pub struct Gravity {
        /// Squared softening length.
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Gravity {
        type I = Body; // i-particles: the targets
        type J = Body; // j-particles: the sources
        type F = Field; // results: sums over j, for each i

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let mr = j.mass * rinv;
            f.acc += mr * rinv * rinv * d;
            f.pot -= mr;
        }
    }
}
use gravity::{Body, Field, Gravity};

const N: usize = 16384;
const EPS: f64 = 1.0 / 256.0;

fn main() -> ExitCode {
    let arguments = Arguments::read(Usage {
        name: "quickstart",
        about: "Measure gravity in a Plummer sphere on every available engine.",
        words: &[["N", "the number of bodies [default: 16384]"]],
    });
    let n = arguments.parsed(|words| count(words.next(), "number of bodies", N, 2));
    end(run(n, &arguments))
}

fn run(n: usize, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let given = arguments.device()?;
    let gravity = Gravity { eps2: EPS * EPS };
    let mut sphere = plummer(n, 1)?;
    sphere.virialise()?;
    // Round to f32, so that errors come from the kernels, not from rounding the particles.
    let round = |x: f64| f64::from(x as f32);
    let body = |p: &Particle| Body { pos: Point(p.pos.map(round)), mass: round(p.mass) };
    let bodies: Vec<Body> = sphere.particles.iter().map(body).collect();
    println!("Plummer sphere of {n} bodies, softening {EPS}, f32 arithmetic, f64 accumulation\n");

    // The emulator checks programs, and is slow.
    let is_fast = |device: &Device| n <= N || device.name() != "emulator";
    let devices: Vec<_> = match given {
        Some(device) => vec![device],
        None => Device::all().into_iter().filter(is_fast).collect(),
    };
    let truth: Vec<Field> = nbody::check::reference_self(&gravity, Domain::Open, &bodies, &bodies)?;
    print_row(["engine", "pairs/s", "time", "rms error of acc", "of pot", "kernel"]);
    let mut programs = Vec::new();
    for device in &devices {
        let mut direct = AllPairs::new(device, gravity)?;
        let results = direct.evaluate_self(&bodies)?;
        let report = nbody::check::compare(&results, &truth, None)?;
        let time = time(&mut direct, &bodies)?;
        let rate = (n * n) as f64 / time.as_secs_f64();
        let kernel = direct.build().map_or("Rust".to_owned(), |build| {
            programs.extend(build.source.as_ref().map(|path| (device.name(), path.clone())));
            format!("{:?}, {}", build.origin, build.compiler).to_lowercase()
        });
        print_row([
            &device.name(),
            &format!("{:.3} G", rate / 1e9),
            &format!("{:.3} ms", time.as_secs_f64() * 1e3),
            &format!("{:.1e}", report.fields[0].rms),
            &format!("{:.1e}", report.fields[1].rms),
            &kernel,
        ]);
    }
    println!();
    if let Some(reason) = Device::best().fallback_reason() {
        println!("No GPU: {reason}");
    }
    for (device, path) in programs {
        println!("The CUDA program of {device}: {}", path.display());
    }
    Ok(())
}

fn print_row([engine, rate, time, acc, pot, kernel]: [&str; 6]) {
    println!("{engine:<9} {rate:>10} {time:>13}  {acc:>16}  {pot:>7}  {kernel}");
}

/// Returns the median time of a few runs on resident data.
fn time(direct: &mut AllPairs<Gravity>, bodies: &[Body]) -> Result<Duration, nbody::Error> {
    let particles = direct.upload(bodies)?;
    let mut out = direct.results(bodies.len())?;
    let mut times = Vec::new();
    for _ in 0..3 {
        times.push(direct.time(&particles, Sources::Others(&particles), &mut out)?);
    }
    times.sort();
    Ok(times[1])
}
