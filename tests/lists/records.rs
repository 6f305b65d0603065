//! Cutoffs that depend on numbers of particles, found by name in the records of each buffer.

use nbody::law::Record;
use nbody::prelude::*;
use nbody::{Error, Interaction, Neighbours, ShortRange, Skin};

use super::grains::Random;

/// Records with the numbers of two cutoffs, or of one of them.
#[nbody::interaction]
mod records {
    pub struct Both {
        pub pos: Point,
        pub h: Real,
        pub g: Real,
    }
    pub struct Exchanged {
        pub pos: Point,
        pub g: Real,
        pub h: Real,
    }
    pub struct OfH {
        pub h: Real,
        pub pos: Point,
    }
    pub struct OfG {
        pub pos: Point,
        pub g: Real,
    }
    pub struct Number {
        pub count: Count,
    }
    pub struct ByH;
    pub struct ByG;
    pub struct Exchange;

    impl Update for Exchange {
        type P = Both;
        type Q = Exchanged;
        fn update(&self, p: &mut Both, q: &Exchanged) {
            p.h = q.g;
            p.g = q.h;
        }
    }

    impl Interaction for ByH {
        type I = OfH;
        type J = OfH;
        type F = Number;
        fn cutoff(&self, i: &OfH, j: &OfH) -> Real {
            i.h.max(j.h)
        }
        fn pair(&self, _i: &OfH, _j: &OfH, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for ByG {
        type I = OfG;
        type J = OfG;
        type F = Number;
        fn cutoff(&self, i: &OfG, j: &OfG) -> Real {
            i.g.max(j.g)
        }
        fn pair(&self, _i: &OfG, _j: &OfG, f: &mut Number) {
            f.count += 1;
        }
    }
}
use records::{Both, ByG, ByH, Exchanged, OfG, OfH};

/// Returns the neighbours of particles, by these cutoffs.
fn neighbours(of: &[Both], cutoff: fn(&Both) -> f64) -> usize {
    let near = |a: &Both, b: &Both| (a.pos - b.pos).norm() < cutoff(a).max(cutoff(b));
    let pairs = of
        .iter()
        .enumerate()
        .flat_map(|(k, a)| of.iter().enumerate().filter(move |&(l, b)| k != l && near(a, b)));
    pairs.count()
}

/// Returns the neighbours by lists.
fn counted<X, P>(engine: &mut ShortRange<X>, near: &Neighbours, of: &[P]) -> Result<usize, Error>
where
    X: Interaction<F = records::Number>,
    P: Record<Lane = f64, Host = P>,
{
    let particles = near.upload(of)?;
    let mut out = engine.results(of.len())?;
    engine.evaluate_over(near, &particles, &mut out)?;
    let found = out.download::<f64>()?;
    Ok(found.iter().map(|it| it.count as usize).sum())
}

#[test]
fn cutoffs_are_found_in_the_records_of_each_buffer() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut random = Random(11);
        let mut both: Vec<_> = (0..400)
            .map(|_| Both {
                pos: Point([0; 3].map(|_| random.next())),
                h: 0.02 + 0.02 * random.next(),
                g: 0.2 + 0.1 * random.next(),
            })
            .collect();
        let exchanged = |both: &[Both]| -> Vec<_> {
            both.iter().map(|it| Exchanged { pos: it.pos, g: it.g, h: it.h }).collect()
        };
        let of_h = |both: &[Both]| -> Vec<_> {
            both.iter().map(|it| OfH { h: it.h, pos: it.pos }).collect()
        };
        let of_g = |both: &[Both]| -> Vec<_> {
            both.iter().map(|it| OfG { pos: it.pos, g: it.g }).collect()
        };
        let mut by_h = ShortRange::new(device, ByH).unwrap();
        let mut by_g = ShortRange::new(device, ByG).unwrap();
        let mut near = Neighbours::new(device, Skin::Length(0.001)).unwrap();
        let expected = |both: &[Both]| [neighbours(both, |it| it.h), neighbours(both, |it| it.g)];
        let first = near.upload(&both).unwrap();
        near.update(&first, &[&by_h, &by_g]).unwrap();
        // The same numbers in other records, and then greater ones.
        let mut before = both.clone();
        for _ in 0..2 {
            before.clone_from(&both);
            let others = near.upload(&exchanged(&both)).unwrap();
            near.update(&others, &[&by_h, &by_g]).unwrap();
            let found = [
                counted(&mut by_h, &near, &exchanged(&both)).unwrap(),
                counted(&mut by_g, &near, &exchanged(&both)).unwrap(),
            ];
            assert_eq!(found, expected(&both), "{device}");
            // Each interaction needs its own alone.
            let found = [
                counted(&mut by_h, &near, &of_h(&both)).unwrap(),
                counted(&mut by_g, &near, &of_g(&both)).unwrap(),
            ];
            assert_eq!(found, expected(&both), "{device}");
            for it in &mut both {
                (it.h, it.g) = (1.5 * it.h, 1.25 * it.g);
            }
        }
        let grown = expected(&both);
        assert!(grown[1] > grown[0] && grown[0] > 50, "{grown:?}");
        let old = counted(&mut by_h, &near, &of_h(&both)).unwrap_err().to_string();
        assert!(old.contains("their cutoffs depend on has changed"), "{device}: {old}");
        // What another cutoff depends on makes no difference.
        for it in &mut before {
            it.g = 9.0;
        }
        let found = counted(&mut by_h, &near, &exchanged(&before)).unwrap();
        assert_eq!(found, expected(&before)[0], "{device}");
        let old = counted(&mut by_g, &near, &exchanged(&before)).unwrap_err().to_string();
        assert!(old.contains("their cutoffs depend on has changed"), "{device}: {old}");
        // Records that have one of the numbers.
        let short = near.upload(&of_g(&both)).unwrap();
        near.update(&short, &[&by_g]).unwrap();
        assert_eq!(counted(&mut by_g, &near, &of_g(&both)).unwrap(), grown[1], "{device}");
        let short = near.upload(&of_h(&both)).unwrap();
        near.update(&short, &[&by_h]).unwrap();
        assert_eq!(counted(&mut by_h, &near, &of_h(&both)).unwrap(), grown[0], "{device}");
    }
}
