//! Random numbers of the language: their rate, and their words for batteries of statistical tests.
//!
//! `cargo bench -p nbody-benches --bench random` draws a number for each of 16384² pairs, and prints
//! the median of the times with the shortest and the longest one, and the numbers per second, on the
//! CPU and on the GPUs. `-- words` writes words of 32 bits to the standard output until it is closed,
//! lowest byte first, for the counters 0, 1, 2, .. of one key; `-- uniform`, `-- pairs` and
//! `-- normal` write the words that uniform numbers of these counters, uniform numbers of two
//! counters, and probabilities of normal numbers begin with. Batteries such as `TestU01` and
//! `PractRand` read them.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::time::Instant;

use nbody::prelude::*;
use nbody::{Error, Math};

/// Number of i-particles and of j-particles.
const SIZE: u32 = 16384;
const RUNS: usize = 11;
/// Words of one evaluation.
const WORDS: u32 = 1 << 18;
/// Number of words.
const RANGE: f64 = 4_294_967_296.0;

#[nbody::interaction]
mod draws {
    pub struct Counter {
        pub at: u32,
    }

    /// A number for each pair.
    pub struct Pairs {
        pub key: u32,
    }
    pub struct Sum {
        pub sum: Real,
    }

    impl Interaction for Pairs {
        type I = Counter;
        type J = Counter;
        type F = Sum;

        fn pair(&self, i: &Counter, j: &Counter, f: &mut Sum) {
            f.sum += random(self.key, i.at, j.at);
        }
    }

    /// Numbers for each i-particle beside one j-particle.
    pub struct Stream {
        pub key: u32,
    }
    pub struct Drawn {
        pub bits: Count,
        pub uniform: Real,
        pub pair: Real,
        pub normal: Real,
    }

    impl Interaction for Stream {
        type I = Counter;
        type J = Counter;
        type F = Drawn;

        fn pair(&self, i: &Counter, j: &Counter, f: &mut Drawn) {
            f.bits += random_bits(self.key, i.at + j.at);
            f.uniform += random(self.key, i.at + j.at);
            f.pair += random(self.key, i.at, j.at);
            let normal = gaussian(self.key, i.at + j.at);
            f.normal += 0.5 * (-normal * core::f64::consts::FRAC_1_SQRT_2).erfc();
        }
    }
}
use draws::{Counter, Drawn, Pairs, Stream};

type Word = fn(&Drawn) -> u32;

fn main() -> Result<(), Error> {
    const WORDS_OF: [(&str, Word); 4] = [
        ("words", |drawn| drawn.bits),
        ("uniform", |drawn| word(drawn.uniform)),
        ("pairs", |drawn| word(drawn.pair)),
        ("normal", |drawn| word(drawn.normal)),
    ];
    let is_wanted = |name: &str| std::env::args().any(|argument| argument == name);
    match WORDS_OF.iter().find(|(name, _)| is_wanted(name)) {
        Some((_, word)) => write_words(*word),
        None => measure(),
    }
}

/// Returns the word that a number between 0 and 1 begins with.
#[expect(clippy::cast_sign_loss, reason = "a number between 0 and 1")]
fn word(number: f64) -> u32 {
    (number * RANGE) as u32
}

/// Writes words until the output is closed.
fn write_words(word: Word) -> Result<(), Error> {
    let options = Options::default().precision(Precision::Double).math(Math::Exact);
    let mut engine = AllPairs::with_options(&Device::cpu(), Stream { key: 1 }, options)?;
    let mut output = io::stdout().lock();
    for turn in 0_u32.. {
        let i: Vec<Counter> = (0..WORDS).map(|at| Counter { at }).collect();
        let j = [Counter { at: turn.wrapping_mul(WORDS) }];
        let drawn: Vec<Drawn> = engine.evaluate(&i, &j)?;
        let bytes: Vec<u8> = drawn.iter().flat_map(|drawn| word(drawn).to_le_bytes()).collect();
        if output.write_all(&bytes).is_err() {
            break;
        }
    }
    Ok(())
}

fn measure() -> Result<(), Error> {
    println!(
        "{:<32} {:>12} {:>12} {:>12} {:>12}",
        "device", "median", "least", "most", "numbers/s"
    );
    let counters: Vec<Counter> = (0..SIZE).map(|at| Counter { at }).collect();
    for device in Device::all().into_iter().filter(|device| device.name() != "emulator") {
        let mut engine = AllPairs::new(&device, Pairs { key: 1 })?;
        let counters = engine.upload(&counters)?;
        let mut sums = engine.results(counters.len())?;
        let mut run = || {
            let start = Instant::now();
            engine.evaluate_into(&counters, &counters, &mut sums)?;
            black_box(sums.download::<f64>()?);
            Ok(start.elapsed().as_secs_f64())
        };
        run()?;
        let mut times = (0..RUNS).map(|_| run()).collect::<Result<Vec<_>, Error>>()?;
        times.sort_by(f64::total_cmp);
        let [median, least, most] = [RUNS / 2, 0, RUNS - 1].map(|k| times[k]);
        let rate = f64::from(SIZE).powi(2) / median;
        let [median, least, most] =
            [median, least, most].map(|time| format!("{:.3} ms", time * 1e3));
        println!("{:<32} {median:>12} {least:>12} {most:>12} {rate:>12.2e}", device.name());
    }
    Ok(())
}
