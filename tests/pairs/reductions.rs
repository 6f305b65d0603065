//! Extremes and counts against a plain search, on every device.

use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{ArgMin, Engine};

#[nbody::interaction]
pub mod nearest {
    /// The nearest neighbour, and the neighbours within a radius.
    pub struct Nearest {
        pub radius2: Real,
    }
    pub struct Place {
        pub pos: Point,
    }
    pub struct Neighbours {
        pub nearest: ArgMin<Real>,
        pub farthest: Max<Real>,
        pub near: Nearest<5>,
        pub count: Count,
    }

    impl Interaction for Nearest {
        type I = Place;
        type J = Place;
        type F = Neighbours;

        fn pair(&self, i: &Place, j: &Place, f: &mut Neighbours) {
            let r2 = (j.pos - i.pos).norm2();
            f.nearest.min(r2);
            f.farthest.max(r2);
            f.near.insert(r2);
            if r2 < self.radius2 {
                f.count += 1;
            }
        }
    }
}
use nearest::{Nearest, Neighbours, Place};

/// A result with an `ArgMin` as its only field.
#[nbody::interaction]
mod closest {
    pub struct Closest;
    pub struct Number {
        pub x: Real,
    }
    pub struct Found {
        pub other: ArgMin<Real>,
    }

    impl Interaction for Closest {
        type I = Number;
        type J = Number;
        type F = Found;

        fn pair(&self, i: &Number, j: &Number, f: &mut Found) {
            f.other.min((i.x - j.x).abs());
        }
    }
}

/// A pair that inserts several values.
#[nbody::interaction]
mod several {
    pub struct Several;
    pub struct Number {
        pub x: Real,
    }
    pub struct Least {
        pub few: Nearest<3>,
    }

    impl Interaction for Several {
        type I = Number;
        type J = Number;
        type F = Least;

        fn pair(&self, i: &Number, j: &Number, f: &mut Least) {
            f.few.insert(j.x + i.x);
            f.few.insert(j.x - i.x);
            f.few.insert(j.x);
        }
    }
}

#[test]
fn a_pair_may_insert_several_values() {
    let number = |x| several::Number { x };
    for device in nbody_tests::all_devices() {
        for &accumulation in Accumulation::ALL {
            let options = Options::default().accumulation(accumulation);
            let mut direct = AllPairs::with_options(&device, several::Several, options).unwrap();
            let mut few = |j: &[f64]| {
                let j: Vec<_> = j.iter().copied().map(number).collect();
                direct.evaluate(&[number(0.25)], &j).unwrap()[0].few
            };
            let nbody::Nearest { values, indices } = few(&[0.5]);
            assert_eq!((values, indices), ([0.25, 0.5, 0.75], [0; 3]), "{device}");
            let nbody::Nearest { values, indices } = few(&[1.0, 0.5, 8.0]);
            assert_eq!((values, indices), ([0.25, 0.5, 0.75], [1, 1, 0]), "{device}");
        }
    }
}

#[test]
fn results_of_one_extreme_are_compared() {
    let numbers: Vec<closest::Number> = uniform(3, 1);
    let mut direct = AllPairs::new(&Device::cpu(), closest::Closest).unwrap();
    let found = direct.evaluate(&numbers, &numbers).unwrap();
    let other = |k: u32| closest::Found { other: ArgMin { value: 0.0, index: k } };
    assert_eq!(found, [0, 1, 2].map(other));
    assert_ne!(found, [0, 1, 1].map(other));
}

const LAW: Nearest = Nearest { radius2: 0.125 };

/// Searches all particles, with distances that are exact in both precisions.
fn search(i: &Place, j: &[Place], skip: Option<usize>) -> Neighbours {
    let r2 = |j: &Place| (0..3).map(|c| (j.pos[c] - i.pos[c]).powi(2)).sum::<f64>();
    let others = j.iter().enumerate().filter(|(k, _)| Some(*k) != skip);
    let others: Vec<(usize, f64)> = others.map(|(k, j)| (k, r2(j))).collect();
    let nearest = others.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    Neighbours {
        nearest: nearest.map_or(ArgMin::default(), |&(k, value)| ArgMin { value, index: k as u32 }),
        near: first_of(&others),
        farthest: others.iter().map(|other| other.1).fold(f64::NEG_INFINITY, f64::max),
        count: others.iter().filter(|other| other.1 < LAW.radius2).count() as u32,
    }
}

/// Returns the nearest of these particles, by sorting.
fn first_of<const K: usize>(others: &[(usize, f64)]) -> nbody::Nearest<K> {
    let mut all: Vec<_> = others.iter().filter(|other| other.1 < f64::INFINITY).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let mut near = nbody::Nearest::default();
    for (k, &&(index, value)) in all.iter().take(K).enumerate() {
        (near.values[k], near.indices[k]) = (value, index as u32);
    }
    near
}

fn engines() -> impl Iterator<Item = AllPairs<Nearest>> {
    let choices = Precision::ALL.iter().flat_map(|&precision| {
        Accumulation::ALL.iter().map(move |&accumulation| (precision, accumulation))
    });
    nbody_tests::all_devices().into_iter().flat_map(move |device| {
        choices.clone().map(move |(precision, accumulation)| {
            let options = Options::default().precision(precision).accumulation(accumulation);
            AllPairs::with_options(&device, LAW, options).unwrap()
        })
    })
}

#[test]
fn neighbours_are_those_of_a_search() {
    let (i, j) = (uniform::<Place>(150, 1), uniform::<Place>(1100, 2));
    let expected: Vec<_> = i.iter().map(|i| search(i, &j, None)).collect();
    for mut direct in engines() {
        assert_eq!(direct.evaluate(&i, &j).unwrap(), expected, "{direct:?}");
    }
}

#[test]
fn a_particle_is_not_its_own_neighbour() {
    let places = uniform::<Place>(700, 3);
    let search = |(k, i)| search(i, &places, Some(k));
    let expected: Vec<_> = places.iter().enumerate().map(search).collect();
    for mut direct in engines() {
        assert_eq!(direct.evaluate_self(&places).unwrap(), expected, "{direct:?}");
    }
}

#[test]
fn the_first_of_equal_values_counts() {
    let j = vec![Place { pos: Point::new(0.5, 0.0, 0.0) }; 1000];
    let i = [Place::default()];
    for mut direct in engines() {
        let found: Neighbours = direct.evaluate(&i, &j).unwrap()[0];
        assert_eq!(found.nearest, ArgMin { value: 0.25, index: 0 }, "{direct:?}");
        assert_eq!((found.farthest, found.count), (0.25, 0));
        assert_eq!((found.near.values, found.near.indices), ([0.25; 5], [0, 1, 2, 3, 4]));
    }
}

#[test]
fn extremes_without_neighbours_are_infinite() {
    let nothing = Neighbours::default();
    assert_eq!((nothing.nearest.index, nothing.count), (u32::MAX, 0));
    for mut direct in engines() {
        assert_eq!(direct.evaluate(&[Place::default(); 3], &[]).unwrap(), [nothing; 3]);
        assert_eq!(direct.evaluate_self(&[Place::default()]).unwrap(), [nothing]);
        let fields = direct.results(2).unwrap();
        assert_eq!(fields.download::<f64>().unwrap(), [nothing; 2], "{direct:?}");
    }
}

#[test]
fn nan_is_no_neighbour() {
    let mut j = uniform::<Place>(10, 4);
    j[3].pos[1] = f64::NAN;
    let i = [Place { pos: j[3].pos }, j[5]];
    for mut direct in engines() {
        let found: Vec<Neighbours> = direct.evaluate(&i, &j).unwrap();
        assert_eq!(found[0], Neighbours::default(), "{direct:?}");
        assert_eq!(found[1].nearest, ArgMin { value: 0.0, index: 5 }, "{direct:?}");
        assert!(found[1].near.values.is_sorted() && !found[1].near.indices.contains(&3));
    }
}

#[test]
fn extremes_beyond_the_range_of_a_precision_are_found() {
    let place = |x: f64| Place { pos: Point::new(x, 0.0, 0.0) };
    let check = |x: f64, precision| {
        let options = Options::default().precision(precision);
        nbody::check::range(&LAW, &options, &[place(0.0)], &[place(x)])
    };
    for precision in [Precision::Single, Precision::Mixed] {
        assert_eq!(check(1e18, precision), Ok(()));
        let error = check(1e20, precision).unwrap_err().to_string();
        assert!(
            error.starts_with("results[0]: nearest: ArgMin<Real> of 1e40 becomes inf"),
            "{error}"
        );
    }
    assert_eq!(check(1e20, Precision::Double), Ok(()));
}
