//! Neighbour lists in triclinic boxes against plain loops over images, on every device.

use nbody::prelude::*;
use nbody::{Csr, Neighbours, ShortRange, Skin};
use nbody_tests::contacts::contact::{Ball, Either, Near, Uniform};
use nbody_tests::contacts::{Random, UNIT};

const UNIFORM: Uniform = Uniform { cutoff: 0.375 };
const EITHER: Either = Either { factor: 2.0 };

/// Boxes of different shapes; components are multiples of [`UNIT`].
const BOXES: [[[f64; 3]; 3]; 4] = [
    [[2.0, 0.0, 0.0], [1.0, 1.75, 0.0], [-1.0, 0.875, 1.5]],
    [[2.0, 0.0, 0.0], [0.984_375, 1.75, 0.0], [-1.0, 0.875, 1.5]],
    [[1.0, 0.0, 0.0], [-0.5, 4.0, 0.0], [0.25, -2.0, 1.0]],
    [[4.0, 0.0, 0.0], [2.0, 1.0, 0.0], [2.0, 0.5, 1.0]],
];

/// Returns the number and the mass of all images within the cutoffs, of each particle.
fn plain_loop(
    balls: &[Ball],
    [a, b, c]: [[f64; 3]; 3],
    cutoff: &dyn Fn(&Ball, &Ball) -> f64,
) -> Vec<(u32, f64)> {
    const FAR: i32 = 12;
    let mut all = Vec::new();
    for (k, i) in balls.iter().enumerate() {
        let (mut count, mut mass) = (0, 0.0);
        for (_, j) in balls.iter().enumerate().filter(|(l, _)| *l != k) {
            let d = (j.pos - i.pos).0;
            let limit = cutoff(i, j);
            // Most images along z and y are too far for any along x.
            for w in -FAR..=FAR {
                let z = d[2] + f64::from(w) * c[2];
                for v in (-FAR..=FAR).filter(|_| z.abs() < limit) {
                    let y = d[1] + f64::from(w) * c[1] + f64::from(v) * b[1];
                    for u in (-FAR..=FAR).filter(|_| y.abs() < limit) {
                        let [u, v, w] = [u, v, w].map(f64::from);
                        let x = d[0] + w * c[0] + v * b[0] + u * a[0];
                        let is_near = x * x + y * y + z * z < limit * limit;
                        count += u32::from(is_near);
                        mass += if is_near { j.mass } else { 0.0 };
                    }
                }
            }
        }
        all.push((count, mass));
    }
    all
}

fn evaluate<X>(engine: &mut ShortRange<X>, near: &Neighbours, balls: &[Ball]) -> Vec<(u32, f64)>
where
    X: nbody::Interaction<I = Ball, J = Ball, F = Near>,
{
    let particles = near.upload(balls).unwrap();
    let mut out = engine.results(balls.len()).unwrap();
    engine.evaluate_over(near, &particles, &mut out).unwrap();
    out.download::<f64>().unwrap().iter().map(|near| (near.count, near.mass)).collect()
}

/// Moves particles, out of the box and beyond the skin, and changes the box: lists have each image
/// within the cutoffs once, and devices rebuild them at the same steps.
#[test]
fn lists_have_each_image_while_particles_and_boxes_change() {
    let (devices, mut expected, mut pairs) = (nbody_tests::all_devices(), Vec::new(), 0);
    for (turn, device) in devices.iter().enumerate() {
        let mut found = Vec::new();
        for (number, &precision) in Precision::ALL.iter().enumerate() {
            let options = Options::default().precision(precision);
            let mut uniform = ShortRange::with_options(device, UNIFORM, options).unwrap();
            let mut either = ShortRange::with_options(device, EITHER, options).unwrap();
            let of = |vectors| Domain::triclinic(vectors).unwrap();
            let skin = Skin::Length(0.0625);
            let boxed = options.domain(of(BOXES[number]));
            let [mut one, mut two] =
                [(); 2].map(|()| Neighbours::with_options(device, skin, boxed).unwrap());
            let mut random = Random(number as u64 + 3);
            let mut balls = random.balls(130);
            for step in 0..8 {
                let vectors = BOXES[(number + step / 4) % BOXES.len()];
                for near in [&mut one, &mut two] {
                    // A rectangular box between two triclinic ones.
                    if step == 4 {
                        near.set_domain(Domain::periodic([1.0; 3]).unwrap()).unwrap();
                        near.update(&near.upload(&balls).unwrap(), &[&uniform]).unwrap();
                    }
                    near.set_domain(of(vectors)).unwrap();
                }
                let particles = one.upload(&balls).unwrap();
                one.update(&particles, &[&uniform]).unwrap();
                two.update(&particles, &[&either, &uniform]).unwrap();
                let of_uniform = plain_loop(&balls, vectors, &|_, _| UNIFORM.cutoff);
                let of_either = plain_loop(&balls, vectors, &|i, j| 2.0 * i.h.max(j.h));
                let name = format!("{device} {precision} step {step}");
                assert_eq!(evaluate(&mut uniform, &one, &balls), of_uniform, "{name}");
                assert_eq!(evaluate(&mut uniform, &two, &balls), of_uniform, "{name}");
                assert_eq!(evaluate(&mut either, &two, &balls), of_either, "{name}");
                pairs += of_uniform.iter().chain(&of_either).map(|(count, _)| count).sum::<u32>();
                let rebuilds = [one.rebuilds().unwrap(), two.rebuilds().unwrap()];
                found.push((rebuilds, one.to_csr().unwrap(), two.to_csr().unwrap()));
                for ball in &mut balls {
                    for (axis, x) in ball.pos.0.iter_mut().enumerate() {
                        // Whole vectors are no motion.
                        let whole =
                            if step == 1 { vectors[2][axis] - 3.0 * vectors[1][axis] } else { 0.0 };
                        *x += random.around(if step == 2 { 400 } else { 12 }) + whole;
                    }
                }
            }
            let [of_one, _] = found[found.len() - 1].0;
            assert!((2..8).contains(&of_one), "{of_one} rebuilds");
        }
        if turn == 0 {
            expected = found;
        } else {
            assert!(found == expected, "{device}");
        }
    }
    assert!(pairs > 10_000, "{pairs}");
}

/// Lists continue from their state, in the box of then.
#[test]
fn lists_continue_from_a_state() {
    for device in nbody_tests::all_devices() {
        let of = |k: usize| Options::default().domain(Domain::triclinic(BOXES[k]).unwrap());
        let new = |k| Neighbours::with_options(&device, Skin::Length(0.0625), of(k)).unwrap();
        let either = ShortRange::new(&device, EITHER).unwrap();
        let update = |near: &mut Neighbours, balls: &[Ball]| {
            near.update(&near.upload(balls).unwrap(), &[&either]).unwrap();
        };
        let (mut near, mut balls) = (new(0), Random(5).balls(100));
        update(&mut near, &balls);
        balls[7].pos.x += 16.0 * UNIT;
        update(&mut near, &balls);
        let state = near.state().unwrap().unwrap();
        assert_eq!(state.domain, near.domain());
        // Lists of another box take the state, and then follow their own box.
        let mut again = new(0);
        again.restore(&state).unwrap();
        update(&mut again, &balls);
        assert_eq!(again.to_csr().unwrap(), near.to_csr().unwrap(), "{device}");
        assert_eq!(again.rebuilds().unwrap(), 1, "{device}");
        let mut other = new(2);
        other.restore(&state).unwrap();
        update(&mut other, &balls);
        assert_eq!(other.rebuilds().unwrap(), 2, "{device}");
    }
}

/// Pairs that are given act through the image that differences lead to.
#[test]
fn given_pairs_act_once() {
    let pairs: Vec<[u32; 2]> =
        (0..60).flat_map(|k| [[k, (k + 1) % 60], [k, (7 * k + 3) % 60]]).collect();
    let balls = Random(11).balls(60);
    for device in nbody_tests::all_devices() {
        let options = Options::default().domain(Domain::triclinic(BOXES[3]).unwrap());
        let rows = Csr::from_pairs(60, &pairs).unwrap();
        let mut near = Neighbours::with_options(&device, rows.clone(), options).unwrap();
        let mut uniform = ShortRange::new(&device, Uniform { cutoff: 0.48 }).unwrap();
        near.update(&near.upload(&balls).unwrap(), &[&uniform]).unwrap();
        let found = evaluate(&mut uniform, &near, &balls);
        for (k, i) in balls.iter().enumerate() {
            let mut expected = 0;
            for &l in rows.row(k) {
                let two = [*i, balls[l as usize]];
                expected +=
                    if k == l as usize { 0 } else { plain_loop(&two, BOXES[3], &|_, _| 0.48)[0].0 };
            }
            assert_eq!(found[k].0, expected, "{device} {k}");
        }
    }
}

/// A reach beyond half of the box would need more images.
#[test]
fn a_long_skin_ends_at_half_of_the_box() {
    for device in nbody_tests::all_devices() {
        let options = Options::default().domain(Domain::triclinic(BOXES[3]).unwrap());
        let mut uniform = ShortRange::new(&device, UNIFORM).unwrap();
        let mut either = ShortRange::new(&device, EITHER).unwrap();
        let [mut one, mut two] = [(); 2]
            .map(|()| Neighbours::with_options(&device, Skin::Length(5.0), options).unwrap());
        let mut balls = Random(8).balls(90);
        // Cutoffs of 3/8 and 1/4 leave skins of 1/8 and 1/4.
        for (step, rebuilds) in [(0.0, [1, 1]), (0.0625, [1, 1]), (0.0625 + 16.0 * UNIT, [2, 2])] {
            balls[3].pos.x += step;
            one.update(&one.upload(&balls).unwrap(), &[&uniform]).unwrap();
            two.update(&two.upload(&balls).unwrap(), &[&either]).unwrap();
            let of_uniform = plain_loop(&balls, BOXES[3], &|_, _| UNIFORM.cutoff);
            let of_either = plain_loop(&balls, BOXES[3], &|i, j| 2.0 * i.h.max(j.h));
            assert_eq!(evaluate(&mut uniform, &one, &balls), of_uniform, "{device} {step}");
            assert_eq!(evaluate(&mut either, &two, &balls), of_either, "{device} {step}");
            assert_eq!([one.rebuilds().unwrap(), two.rebuilds().unwrap()], rebuilds, "{device}");
        }
    }
}

#[test]
fn cutoffs_of_half_a_vector_are_refused() {
    for device in nbody_tests::all_devices() {
        let options = Options::default().domain(Domain::triclinic(BOXES[3]).unwrap());
        let near = |cutoff| {
            let uniform = ShortRange::new(&device, Uniform { cutoff }).unwrap();
            let mut near = Neighbours::with_options(&device, Skin::Auto, options).unwrap();
            near.update(&near.upload(&Random(1).balls(40)).unwrap(), &[&uniform])
        };
        near(0.4990).unwrap();
        let error = near(0.5).unwrap_err().to_string();
        assert!(error.contains("up to 0.5") && error.contains("length 1"), "{device}: {error}");
    }
}
