//! Random numbers against the generator written out here, on every device, and their statistics.

use nbody::prelude::*;

#[nbody::interaction]
mod draws {
    pub struct Draws {
        pub key: u32,
    }
    /// The counter, and the second word of the key.
    pub struct Block {
        pub first: u32,
        pub second: u32,
        pub third: u32,
        pub fourth: u32,
        pub key2: u32,
    }
    pub struct One {
        pub zero: u32,
    }
    pub struct Drawn {
        pub bits: Count,
        pub uniform: Real,
        pub normal: Real,
        /// From two to five words.
        pub fewer: [Real; 4],
    }

    impl Interaction for Draws {
        type I = Block;
        type J = One;
        type F = Drawn;

        fn pair(&self, i: &Block, j: &One, f: &mut Drawn) {
            let counter = i.first ^ j.zero;
            f.bits += random_bits(self.key, counter, i.second, i.third, i.fourth, i.key2);
            f.uniform += random(self.key, counter, i.second, i.third, i.fourth, i.key2);
            f.normal += gaussian(self.key, counter, i.second, i.third, i.fourth, i.key2);
            f.fewer[0] += random(self.key, counter);
            f.fewer[1] += random(self.key, counter, i.second);
            f.fewer[2] += random(self.key, counter, i.second, i.third);
            f.fewer[3] += random(self.key, counter, i.second, i.third, i.fourth);
        }
    }
}
use draws::{Block, Drawn, Draws, One};

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const KEYS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: u32 = 10;

fn halves(a: u32, b: u32) -> [u32; 2] {
    let product = u64::from(a) * u64::from(b);
    [(product >> 32) as u32, product as u32]
}

/// Returns the key of a round.
fn key_of([a, b]: [u32; 2], round: u32) -> [u32; 2] {
    [a.wrapping_add(KEYS[0].wrapping_mul(round)), b.wrapping_add(KEYS[1].wrapping_mul(round))]
}

/// The generator of Salmon et al. 2011.
fn philox(key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
    (0..ROUNDS).fold(counter, |[a, b, c, d], round| {
        let [k, l] = key_of(key, round);
        let [high_a, low_a] = halves(a, MULTIPLIERS[0]);
        let [high_c, low_c] = halves(c, MULTIPLIERS[1]);
        [high_c ^ b ^ k, low_c, high_a ^ d ^ l, low_a]
    })
}

/// Returns the counter whose block is this.
fn counter_of(key: [u32; 2], block: [u32; 4]) -> [u32; 4] {
    // The inverse of an odd number, by Newton's method.
    let [p, q] = MULTIPLIERS
        .map(|m| (0..5).fold(m, |x, _| x.wrapping_mul(2_u32.wrapping_sub(m.wrapping_mul(x)))));
    (0..ROUNDS).rev().fold(block, |[a, b, c, d], round| {
        let [k, l] = key_of(key, round);
        let (first, third) = (d.wrapping_mul(p), b.wrapping_mul(q));
        let [high_a, _] = halves(first, MULTIPLIERS[0]);
        let [high_c, _] = halves(third, MULTIPLIERS[1]);
        [first, a ^ high_c ^ k, third, c ^ high_a ^ l]
    })
}

/// Returns the number between 0 and 1 of a word.
fn uniform(word: u32) -> f64 {
    f64::from(word.min(0xFFFF_FF7E) | 1) / 2.0_f64.powi(32)
}

/// Returns the normally distributed number of a block.
fn normal([a, b, ..]: [u32; 4]) -> f64 {
    let angle = std::f64::consts::TAU * (uniform(b) - 0.5);
    (-2.0 * uniform(a).ln()).sqrt() * angle.cos()
}

fn block([first, second, third, fourth]: [u32; 4], key2: u32) -> Block {
    Block { first, second, third, fourth, key2 }
}

/// The published vectors: key, counter and block.
const KNOWN: [([u32; 2], [u32; 4], [u32; 4]); 3] = [
    ([0; 2], [0; 4], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
    ([u32::MAX; 2], [u32::MAX; 4], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
    (
        [0xa409_3822, 0x299f_31d0],
        [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
    ),
];

#[test]
fn the_generator_has_the_published_blocks() {
    for (key, counter, expected) in KNOWN {
        assert_eq!(philox(key, counter), expected);
        assert_eq!(counter_of(key, expected), counter);
    }
}

/// Checks blocks on every device, in every precision and mathematics.
fn check(key: u32, blocks: &[Block]) {
    let one = [One { zero: 0 }];
    let words = |block: &Block, n: usize| {
        let all = [block.first, block.second, block.third, block.fourth];
        std::array::from_fn(|k| if k < n { all[k] } else { 0 })
    };
    for device in nbody_tests::all_devices() {
        for (&precision, math) in
            Precision::ALL.iter().flat_map(|p| [Math::Exact, Math::Fast].map(|math| (p, math)))
        {
            let options = Options::default().precision(precision).math(math);
            let mut engine = AllPairs::with_options(&device, Draws { key }, options).unwrap();
            let found: Vec<Drawn> = engine.evaluate(blocks, &one).unwrap();
            let is_double = precision == Precision::Double;
            // The CPU may compute in double precision what is mixed.
            let is = |found: f64, x: f64| {
                !is_double && found == f64::from(x as f32)
                    || precision != Precision::Single && found == x
            };
            for (found, block) in found.iter().zip(blocks) {
                let of = philox([key, block.key2], words(block, 4));
                let place = format!("{engine:?}: {key} {block:?}");
                assert_eq!(found.bits, of[0], "{place}");
                assert!(is(found.uniform, uniform(of[0])), "{place}: {}", found.uniform);
                assert!(found.uniform > 0.0 && found.uniform < 1.0, "{place}");
                for (n, found) in found.fewer.iter().enumerate() {
                    let [word, ..] = philox([key, 0], words(block, n + 1));
                    assert!(is(*found, uniform(word)), "{place}: {found}");
                }
                let near = if is_double { 1e-12 } else { 2e-4 };
                let normal = normal(of);
                assert!((found.normal - normal).abs() < near, "{place}: {} {normal}", found.normal);
            }
        }
    }
}

#[test]
fn numbers_are_those_of_the_generator() {
    for (key, counter, _) in KNOWN {
        check(key[0], &[block(counter, key[1])]);
    }
    let blocks: Vec<_> = (0..300).map(|k| block(philox([k, 1], [k, 2, 3, 4]), k % 3)).collect();
    check(17, &blocks);
}

/// Numbers are neither 0 nor 1, whatever the word is.
#[test]
fn numbers_of_extreme_words_are_inside() {
    let words = [0, 1, 2, 255, 1 << 24, (1 << 25) + 2, 1 << 31, u32::MAX - 256, u32::MAX - 127];
    let words = words.into_iter().chain([u32::MAX - 1, u32::MAX]);
    let blocks: Vec<_> =
        words.map(|word| block(counter_of([9, 5], [word, !word, 3, 7]), 5)).collect();
    check(9, &blocks);
}

/// Returns the probability of normally distributed numbers below x (Marsaglia 2004, J. Stat. Softw. 11,
/// 4).
fn share_below(x: f64) -> f64 {
    let terms = (1..200).scan(x, |term, k| {
        *term *= x * x / f64::from(2 * k + 1);
        Some(*term)
    });
    let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
    (0.5 + density * (x + terms.sum::<f64>())).clamp(0.0, 1.0 - f64::EPSILON)
}

const N: u32 = 1 << 16;

/// Returns numbers of the keys and counters.
fn numbers(key: u32, counters: impl Iterator<Item = u32>) -> Vec<Drawn> {
    let blocks: Vec<_> = counters.map(|counter| block([counter, 0, 0, 0], 0)).collect();
    let mut engine = AllPairs::new(&Device::cpu(), Draws { key }).unwrap();
    engine.evaluate(&blocks, &[One { zero: 0 }]).unwrap()
}

/// Checks a mean of N values of this variance, to four standard deviations.
fn is_mean(what: &str, values: impl Iterator<Item = f64>, expected: f64, variance: f64) {
    let mean = values.sum::<f64>() / f64::from(N);
    let error = (variance / f64::from(N)).sqrt();
    assert!((mean - expected).abs() < 4.0 * error, "{what}: {mean} {error}");
}

/// Returns the bin of a value between 0 and 1, of n bins.
#[allow(clippy::cast_sign_loss, reason = "the value is positive")]
fn bin(x: f64, n: usize) -> usize {
    (x * n as f64) as usize
}

/// Checks that values are spread over n bins of equal probability: χ² has n - 1 degrees of freedom, and a
/// variance of twice that number.
fn is_spread(what: &str, bins: impl Iterator<Item = usize>, n: usize) {
    let mut counts = vec![0.0; n];
    bins.for_each(|bin| counts[bin] += 1.0);
    let expected = f64::from(N) / n as f64;
    let square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
    let freedom = n as f64 - 1.0;
    assert!((square - freedom).abs() < 4.0 * (2.0 * freedom).sqrt(), "{what}: {square}");
}

#[test]
fn uniform_numbers_have_no_structure() {
    let drawn = numbers(1, 0..N);
    let x: Vec<f64> = drawn.iter().map(|drawn| drawn.uniform).collect();
    is_mean("mean", x.iter().copied(), 0.5, 1.0 / 12.0);
    is_mean("variance", x.iter().map(|x| (x - 0.5).powi(2)), 1.0 / 12.0, 1.0 / 180.0);
    is_spread("bins", x.iter().map(|x| bin(*x, 256)), 256);
    for bit in 0..32 {
        let set = |drawn: &Drawn| f64::from(drawn.bits >> bit & 1);
        is_mean("bit", drawn.iter().map(set), 0.5, 0.25);
    }
    // Neighbours among the counters, the keys and both, in pairs.
    let others = [
        numbers(1, 1..=N),
        numbers(2, 0..N),
        numbers(2, 1..=N),
        numbers(1 << 31 | 1, 0..N),
        numbers(1, (0..N).map(|k| k << 16)),
    ];
    for (k, other) in others.iter().enumerate() {
        let pairs =
            || x.iter().zip(other).map(|(x, other)| (x, other.uniform)).skip(usize::from(k == 4));
        is_mean("product", pairs().map(|(x, y)| (x - 0.5) * (y - 0.5)), 0.0, 1.0 / 144.0);
        let both = |(x, y): (&f64, f64)| bin(*x, 16) * 16 + bin(y, 16);
        is_spread("pairs", pairs().map(both), 256);
    }
}

#[test]
fn normal_numbers_have_the_moments_of_the_distribution() {
    let drawn = numbers(3, 0..N);
    let x: Vec<f64> = drawn.iter().map(|drawn| drawn.normal).collect();
    for (n, moment, next) in
        [(1, 0.0, 1.0), (2, 1.0, 3.0), (3, 0.0, 15.0), (4, 3.0, 105.0), (6, 15.0, 10395.0)]
    {
        is_mean("moment", x.iter().map(|x| x.powi(n)), moment, next - moment * moment);
    }
    is_spread("bins", x.iter().map(|x| bin(share_below(*x), 64)), 64);
    // Neither next to one another nor beside uniform numbers of other counters.
    is_mean("product", x.windows(2).map(|x| x[0] * x[1]), 0.0, 1.0);
    let after = numbers(3, 1..=N);
    is_mean("other", x.iter().zip(&after).map(|(x, y)| x * (y.uniform - 0.5)), 0.0, 1.0 / 12.0);
}
