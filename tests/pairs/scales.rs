//! Boxes at every power of ten: results over all pairs are right, or every device refuses them in
//! the same way.

use nbody::prelude::*;
use nbody_tests::contacts::contact::Uniform;
use nbody_tests::scales::{CUTOFF, LENGTH, balls, cube, is_right, powers, ten_to, told};

#[test]
fn all_pairs_in_a_box_are_right_or_refused_at_every_scale() {
    let devices = nbody_tests::all_devices();
    for &precision in Precision::ALL {
        let law = |unit: f64| Uniform { cutoff: CUTOFF * unit };
        let domain = cube(LENGTH).unwrap();
        let expected =
            nbody::check::reference_self(&law(1.0), domain, &balls(1.0), &balls(1.0)).unwrap();
        let options = Options::default().precision(precision).domain(domain);
        let engine = |device| AllPairs::with_options(device, law(1.0), options).unwrap();
        let mut engines: Vec<_> = devices.iter().map(engine).collect();
        let right = powers(precision).filter(|&power| {
            let unit = ten_to(power);
            let evaluate = |engine: &mut AllPairs<Uniform>| {
                engine.set_domain(cube(LENGTH * unit)?)?;
                engine.set_parameters(law(unit));
                engine.evaluate_self(&balls(unit))
            };
            let found: Vec<_> = engines.iter_mut().map(|engine| told(evaluate(engine))).collect();
            is_right(&found, &expected, &format!("all pairs at 1e{power} in {precision}"))
        });
        let expected = if precision == Precision::Double { -146..=153 } else { -15..=18 };
        assert_eq!(right.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{precision}");
    }
}
