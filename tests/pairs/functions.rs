//! Roots and quotients of extreme numbers: on every device, in every precision.

use nbody::Interaction;
use nbody::prelude::*;

/// Roots and quotients of the numbers of i and j.
#[nbody::interaction]
pub mod quotients {
    pub struct Quotients;
    pub struct Number {
        pub x: Real,
    }
    pub struct Found {
        pub root: Real,
        pub square: Real,
        pub fifth: Real,
        pub quotient: Real,
        pub scaled: Vector<2>,
    }

    impl Interaction for Quotients {
        type I = Number;
        type J = Number;
        type F = Found;

        fn pair(&self, i: &Number, j: &Number, f: &mut Found) {
            f.root += j.x.rsqrt();
            f.square += j.x.rsqrt().powi(2);
            f.fifth += j.x.rsqrt().powi(5);
            let mut quotient = i.x / j.x;
            quotient /= 3.0;
            f.quotient += quotient;
            f.scaled += Vector::new(i.x, 1.0) / j.x;
        }
    }
}
use quotients::{Number, Quotients};

/// Returns engines on every device with these options, in every precision and mathematics, with
/// their names.
pub fn engines<X: Interaction>(
    interaction: X,
    options: Options,
) -> impl Iterator<Item = (String, AllPairs<X>)> {
    let numerics = Precision::ALL.iter().flat_map(move |&precision| {
        [Math::Fast, Math::Exact].map(|math| options.precision(precision).math(math))
    });
    nbody_tests::all_devices().into_iter().flat_map(move |device| {
        let interaction = interaction.clone();
        numerics.clone().map(move |options| {
            let name = format!("{device}, {options}");
            (name, AllPairs::with_options(&device, interaction.clone(), options).unwrap())
        })
    })
}

#[test]
fn roots_and_quotients_are_right_to_the_last_places() {
    for (name, mut direct) in engines(Quotients, Options::default()) {
        let Options { precision, .. } = direct.options();
        let (ulp, exponent) = if precision == Precision::Double {
            (f64::EPSILON, 200)
        } else {
            (2_f64.powi(-23), 24)
        };
        for x in [1.0, 1.5, 3.0, 2_f64.powi(exponent), 1.75 * 2_f64.powi(-exponent), 0.7, 1e-3] {
            let found = direct.evaluate(&[Number { x: 5.0 }], &[Number { x }]).unwrap()[0];
            // Rounded to the precision.
            let x = if precision == Precision::Double { x } else { f64::from(x as f32) };
            let near = |found: f64, expected: f64, ulps: f64| {
                assert!((found / expected - 1.0).abs() < ulps * ulp, "{x}: {found} {name}");
            };
            near(found.root, x.sqrt().recip(), 3.0);
            near(found.square, x.recip(), 6.0);
            near(found.fifth, (x * x * x.sqrt()).recip(), 14.0);
            near(found.quotient, 5.0 / x / 3.0, 4.0);
            near(found.scaled[0], 5.0 / x, 3.0);
            near(found.scaled[1], x.recip(), 3.0);
        }
    }
}

#[test]
fn roots_of_zero_infinity_and_negative_numbers_are_those_of_ieee() {
    for (name, mut direct) in engines(Quotients, Options::default()) {
        let Options { precision, .. } = direct.options();
        let mut found = |x| direct.evaluate(&[Number { x: 1.0 }], &[Number { x }]).unwrap()[0];
        let (zero, infinite, none) = (found(0.0), found(f64::INFINITY), found(-1.0));
        assert_eq!([zero.root, zero.square, zero.fifth], [f64::INFINITY; 3], "{name}");
        assert_eq!([infinite.root, infinite.square, infinite.fifth], [0.0; 3], "{name}");
        assert_eq!([infinite.quotient, infinite.scaled[0]], [0.0; 2], "{name}");
        assert!([none.root, none.square, none.fifth].iter().all(|x| x.is_nan()), "{name}");
        if precision == Precision::Double {
            // The power overflows and the root does not, with seeds that are too small, too large
            // and exact.
            for x in [1.0, 1.1, 1.3, 1.5, 1.7, 1.9] {
                let large = found(x * 2_f64.powi(-440));
                assert_eq!(large.fifth, f64::INFINITY, "{x}: {name}");
                assert!(large.square.is_finite() && large.root.is_finite(), "{x}: {name}");
            }
        }
    }
}
