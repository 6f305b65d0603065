//! Particles appended and removed on every device, compared with an upload of the particles that there
//! should be.

use nbody::law::{Field, FieldKind, Record};
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::untyped::{OwnedRows, Rows};
use nbody::{Error, Particles};
use nbody_tests::bodies::{GRAVITY, bodies};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Ball, Gather, Uniform};
use nbody_tests::particle_programs::{Advance, Body, Runner, Star};
use nbody_tests::tuples::{Anchor, Bead, Pin};

/// Sizes around the boundaries of the blocks of the CPU and of thread blocks.
const SIZES: [usize; 9] = [0, 1, 2, 16, 17, 255, 256, 257, 600];

/// Appends particles twice and compares all particles with their upload.
fn append<P>(device: &Device, precision: Precision, n: usize, more: usize)
where
    P: Record<Lane = f64, Host = P> + PartialEq,
{
    let (mut expected, rows) = (uniform::<P>(n, 1), uniform::<P>(more, 2));
    let mut particles = device.upload(&expected, precision).unwrap();
    let others = device.upload(&rows, precision).unwrap();
    for _ in 0..2 {
        particles.append(&others).unwrap();
        expected.extend_from_slice(&rows);
    }
    let uploaded = |rows: &[P]| device.upload(rows, precision).unwrap().download().unwrap();
    let found = particles.download().unwrap();
    assert!(found == uploaded(&expected), "{device}, {n} and {more} in {precision}");
    assert!(others.download().unwrap() == uploaded(&rows), "{device}, {more} in {precision}");
}

#[test]
fn others_are_appended() {
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            for n in SIZES {
                for more in SIZES {
                    append::<Body>(&device, precision, n, more);
                    // Records with an odd number of words.
                    append::<Star>(&device, precision, n, more);
                }
            }
        }
    }
}

/// Says which of `n` particles stay.
type Stays = fn(usize, usize) -> bool;
const STAYS: [Stays; 6] = [
    |_, _| false,
    |_, _| true,
    |k, _| k * k % 3 == 0,
    |k, _| k > 0,
    |k, n| k + 1 < n,
    |k, n| k % 256 == 255 || k == n / 2,
];

/// Returns the particles that stay.
fn kept<P: Clone>(all: &[P], stays: Stays) -> Vec<P> {
    let stay = all.iter().enumerate().filter(|(k, _)| stays(*k, all.len()));
    stay.map(|(_, it)| it.clone()).collect()
}

/// Returns particles that stay if their field `active` is not 0.
fn runners(n: usize, stays: Stays) -> Vec<Runner> {
    let mut runners = uniform::<Runner>(n, n as u64);
    for (k, runner) in runners.iter_mut().enumerate() {
        // Any other number than 0 counts.
        runner.active = if stays(k, n) { 1 << (k % 32) } else { 0 };
        runner.id = k as u32;
    }
    runners
}

/// One selection for particles of all sizes and records.
#[test]
fn particles_are_removed_in_their_order() {
    for device in nbody_tests::all_devices() {
        let mut selection = Selection::new(&device).unwrap();
        for &precision in Precision::ALL {
            for n in SIZES {
                for (turn, stays) in STAYS.into_iter().enumerate() {
                    let name = format!("{device}, {turn} of {n} in {precision}");
                    let all = runners(n, stays);
                    let stars = uniform::<Star>(n, 3);
                    let mut particles = device.upload(&all, precision).unwrap();
                    let mut others = device.upload(&stars, precision).unwrap();
                    let expected = kept(&all, stays);
                    let count = selection.retain(&mut particles, "active").unwrap();
                    assert_eq!(
                        (count, particles.len()),
                        (expected.len(), expected.len()),
                        "{name}"
                    );
                    let uploaded = |it: &[_]| device.upload(it, precision).unwrap().download();
                    let found = particles.download().unwrap();
                    assert!(found == uploaded(&expected).unwrap(), "{name}");
                    // The order still holds for other buffers with a row for each particle.
                    assert_eq!(selection.len(), n, "{name}");
                    selection.keep(count, &mut others).unwrap();
                    let stars = device.upload(&kept(&stars, stays), precision).unwrap();
                    assert!(others.download().unwrap() == stars.download().unwrap(), "{name}");
                    // It fits the shorter ones only if they are all.
                    let again = selection.keep(count, &mut particles);
                    assert_eq!(again.is_ok(), count == n, "{name}");
                    // Particles that are gone do not come back.
                    let new = device.upload(&all, precision).unwrap();
                    particles.append(&new).unwrap();
                    let expected = [expected, all].concat();
                    assert!(
                        particles.download().unwrap() == uploaded(&expected).unwrap(),
                        "{name}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_first_particles_of_an_order_are_kept() {
    for device in nbody_tests::all_devices() {
        let mut selection = Selection::new(&device).unwrap();
        for n in SIZES {
            let mut all = runners(n, STAYS[2]);
            for (k, runner) in all.iter_mut().enumerate() {
                runner.due = 7 + (k * k % 5) as u32;
            }
            let upload = || device.upload(&all, Precision::Mixed).unwrap();
            let ids = |particles: &Particles<Runner>| {
                particles.download().unwrap().iter().map(|it| it.id as usize).collect::<Vec<_>>()
            };
            let ordered = |first: &dyn Fn(&Runner) -> bool, count| {
                let (mut order, others): (Vec<_>, Vec<_>) = (0..n).partition(|k| first(&all[*k]));
                order.extend(others);
                order.truncate(count);
                order
            };
            for count in [0, n / 2, n] {
                let mut particles = upload();
                selection.select(&particles, "active").unwrap();
                selection.keep(count, &mut particles).unwrap();
                assert_eq!(ids(&particles), ordered(&|it| it.active != 0, count), "{device}, {n}");
            }
            let mut particles = upload();
            let (count, _) = selection.select_soonest(&particles, "due", 5).unwrap();
            selection.keep(count, &mut particles).unwrap();
            assert_eq!(ids(&particles), ordered(&|it| it.due == 7, count), "{device}, {n}");
        }
    }
}

/// Rows without numbers, which need no memory.
struct Nothing(usize);

impl Rows for Nothing {
    fn count(&self) -> usize {
        self.0
    }

    fn fields(&self) -> &'static [Field] {
        &[]
    }

    fn write(&self, _: std::ops::Range<usize>, _: &mut [u64]) {}
}

const FIELDS: &[Field] = &[Field { name: "kind", kind: FieldKind::U32 }];

#[test]
fn refused_particles_change_nothing() {
    let devices = nbody_tests::all_devices();
    for (k, device) in devices.iter().enumerate() {
        let other = &devices[(k + 1) % devices.len()];
        let all = runners(5, STAYS[2]);
        let mut particles = device.upload(&all, Precision::Double).unwrap();
        let what = "particles to append";

        let error = particles.append(&other.upload(&all, Precision::Double).unwrap()).unwrap_err();
        assert!(matches!(&error, Error::ForeignBuffer { what: it, .. } if *it == what), "{error}");
        let single = device.upload(&all, Precision::Single).unwrap();
        let (found, expected) = (Precision::Single, Precision::Double);
        let error = Error::PrecisionMismatch { what, found, expected };
        assert_eq!(particles.append(&single), Err(error), "{device}");
        let rows = OwnedRows::new(FIELDS, vec![0; 2]).unwrap();
        let kinds = device.untyped().upload(&rows, Precision::Double).unwrap();
        let error = Error::OtherRecord { what, found: FIELDS, expected: <Runner>::FIELDS };
        assert_eq!(particles.untyped_mut().append(&*kinds), Err(error), "{device}");
        let direct = AllPairs::new(device, GRAVITY).unwrap();
        let mut out = direct.results(3).unwrap();
        let error = Error::OtherBuffer { what, found: "results" };
        let appended = particles.untyped_mut().append(out.untyped());
        assert_eq!(appended, Err(error), "{device}");
        let error = Error::OtherBuffer { what: "particles to append to", found: "results" };
        let appended = out.untyped_mut().append(particles.untyped());
        assert_eq!(appended, Err(error.clone()), "{device}");
        let total = &mut *device.untyped().total(FIELDS).unwrap();
        assert_eq!(total.append(&*kinds), Err(error), "{device}");
        assert_eq!((out.len(), total.len()), (3, 1), "{device}");

        // More particles than have an index, without memory.
        let many = device.untyped().upload(&Nothing(0), Precision::Double);
        let (mut many, half) = (many.unwrap(), u32::MAX as usize / 2);
        many.resize(half + 1).unwrap();
        let mut few = device.untyped().upload(&Nothing(half + 1), Precision::Double).unwrap();
        let error = few.append(&*many).unwrap_err().to_string();
        assert!(error.contains(&format!("{}", 2 * half + 2)), "{device}: {error}");
        assert_eq!(few.len(), half + 1, "{device}");
        let one = device.untyped().upload(&Nothing(1), Precision::Double).unwrap();
        let mut few = device.untyped().upload(&Nothing(2), Precision::Double).unwrap();
        few.append(&*one).unwrap();
        assert_eq!(few.len(), 3, "{device}");

        let mut selection = Selection::new(device).unwrap();
        let error = selection.retain(&mut particles, "alive").unwrap_err().to_string();
        assert!(error.starts_with("no field `alive: u32`, found id: u32, active: u32"), "{error}");
        let error = selection.retain(&mut other.upload(&all, Precision::Double).unwrap(), "active");
        assert!(matches!(error, Err(Error::ForeignBuffer { .. })), "{device}: {error:?}");
        assert_eq!(selection.select(&particles, "active"), Ok(kept(&all, STAYS[2]).len()));
        let error = selection.keep(6, &mut particles).unwrap_err().to_string();
        assert_eq!(error, "particles 0..6 asked for, found 5; give a range within 0..5");
        let mut longer = device.upload(&runners(6, STAYS[2]), Precision::Double).unwrap();
        let error =
            Error::LengthMismatch { what: "particles to select from", found: 6, expected: 5 };
        assert_eq!(selection.keep(5, &mut longer), Err(error), "{device}");
        out.resize(5).unwrap();
        let mut order = device.untyped().selection().unwrap();
        order.select(particles.untyped(), "active").unwrap();
        let kept = order.keep(2, out.untyped_mut());
        assert_eq!(kept, Err(Error::OtherBuffer { what: "particles", found: "results" }));
        let mut theirs = other.upload(&all, Precision::Double).unwrap();
        let kept = selection.keep(2, &mut theirs);
        assert!(matches!(kept, Err(Error::ForeignBuffer { .. })), "{device}: {kept:?}");
        for particles in [&particles, &theirs] {
            assert!(particles.download().unwrap() == all, "{device}");
        }
        assert_eq!((longer.len(), out.len()), (6, 5), "{device}");

        // The order is of the particles before.
        let retained = selection.retain(&mut particles, "active").unwrap();
        let mut advance = PerParticle::new(device, Advance { dt: 0.5 }).unwrap();
        let others = device.upload(&particles.download().unwrap(), Precision::Double).unwrap();
        let stale = advance.update_selected(&selection, retained, &mut particles, &others);
        assert!(matches!(stale, Err(Error::LengthMismatch { .. })), "{device}: {stale:?}");
    }
}

/// Particles of a law, and beside them marks of the particles that stay.
struct Population<'a, P> {
    device: &'a Device,
    precision: Precision,
    all: Vec<P>,
    particles: Particles<P>,
    selection: Selection,
}

impl<'a, P: Record<Lane = f64, Host = P> + Clone> Population<'a, P> {
    fn new(device: &'a Device, precision: Precision, all: Vec<P>) -> Self {
        let particles = device.upload(&all, precision).unwrap();
        Self { device, precision, all, particles, selection: Selection::new(device).unwrap() }
    }

    fn append(&mut self, more: &[P]) {
        let others = self.device.upload(more, self.precision).unwrap();
        self.particles.append(&others).unwrap();
        self.all.extend_from_slice(more);
    }

    /// Keeps the particles that stay.
    fn keep(&mut self, stays: Stays) {
        let marks = runners(self.all.len(), stays);
        let marks = self.device.upload(&marks, Precision::Single).unwrap();
        let count = self.selection.select(&marks, "active").unwrap();
        self.selection.keep(count, &mut self.particles).unwrap();
        self.all = kept(&self.all, stays);
    }

    /// Moves the particles that stay in front of the others.
    fn sort(&mut self, stays: Stays) {
        let n = self.all.len();
        let marks = self.device.upload(&runners(n, stays), Precision::Single).unwrap();
        self.selection.select(&marks, "active").unwrap();
        self.selection.keep(n, &mut self.particles).unwrap();
        let ones = kept(&self.all, stays);
        let others = self.all.iter().enumerate().filter(|(k, _)| !stays(*k, n));
        self.all = ones.into_iter().chain(others.map(|(_, it)| it.clone())).collect();
    }

    /// Calls a check before and after each change. Numbers of particles change, and do not.
    fn each_change(&mut self, more: [&[P]; 2], mut check: impl FnMut(&Self)) {
        let [some, others] = more;
        check(self);
        self.append(some);
        check(self);
        self.keep(STAYS[2]);
        check(self);
        let before = self.all.len();
        self.append(others);
        self.keep(|k, n| k + 100 >= n || k * k % 3 == 0);
        self.append(&others[..before.saturating_sub(self.all.len())]);
        self.keep(|k, n| k < n);
        check(self);
        self.sort(|k, _| k % 2 == 1);
        check(self);
        self.keep(STAYS[0]);
        check(self);
        self.append(some);
        check(self);
    }
}

#[test]
fn engines_notice_other_particles() {
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            let options = Options::default().precision(precision);
            let opening = Opening::theta(0.5);
            let direct = || AllPairs::with_options(&device, GRAVITY, options).unwrap();
            let tree = || Tree::with_options(&device, GRAVITY, opening, options).unwrap();
            let (mut known, mut known_tree) = (direct(), tree());
            let mut out = known.results(0).unwrap();
            let all = bodies(557);
            let mut population = Population::new(&device, precision, all[..256].to_vec());
            population.each_change([&all[256..300], &all[300..]], |it| {
                let name = format!("{device}, {} in {precision}", it.all.len());
                out.resize(it.all.len()).unwrap();
                known.evaluate_self_into(&it.particles, &it.particles, &mut out).unwrap();
                let expected = direct().evaluate_self::<f64>(&it.all).unwrap();
                assert!(out.download::<f64>().unwrap() == expected, "{name}");
                known_tree.evaluate_self_into(&it.particles, &it.particles, &mut out).unwrap();
                let expected = tree().evaluate_self::<f64>(&it.all).unwrap();
                assert!(out.download::<f64>().unwrap() == expected, "{name}, a tree");
            });
        }
    }
}

#[test]
fn lists_notice_other_particles() {
    let law = Uniform { cutoff: 0.25 };
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            let options = Options::default().precision(precision);
            let mut near = ShortRange::with_options(&device, law, options).unwrap();
            let mut shared = Neighbours::with_options(&device, Skin::Auto, options).unwrap();
            let mut over = ShortRange::with_options(&device, law, options).unwrap();
            let mut out = near.results(0).unwrap();
            let (all, more) = (Random(1).balls(200), Random(2).balls(300));
            let mut population: Population<Ball> = Population::new(&device, precision, all);
            population.each_change([&more[..57], &more[57..]], |it| {
                let name = format!("{device}, {} in {precision}", it.all.len());
                let (all, n) = (&it.all[..], it.all.len());
                let expected = nbody::check::reference_self(&law, Domain::Open, all, all).unwrap();
                out.resize(n).unwrap();
                near.evaluate_self_into(&it.particles, &it.particles, &mut out).unwrap();
                assert!(out.download::<f64>().unwrap() == expected, "{name}");
                // Old lists give the sums of the present particles, or are refused.
                if over.evaluate_over(&shared, &it.particles, &mut out).is_ok() {
                    assert!(out.download::<f64>().unwrap() == expected, "{name}, old lists");
                }
                shared.update(&it.particles, &[&over]).unwrap();
                over.evaluate_over(&shared, &it.particles, &mut out).unwrap();
                assert!(out.download::<f64>().unwrap() == expected, "{name}, shared");
            });
        }
    }
}

/// The greatest cutoff gives the number of copies of particles in other images of a short box.
#[test]
fn images_notice_other_particles() {
    let (law, domain) = (Gather { factor: 4.0 }, Domain::periodic([2.0; 3]).unwrap());
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            let options = Options::default().precision(precision).domain(domain);
            let mut known = AllPairs::with_options(&device, law, options).unwrap();
            let mut out = known.results(0).unwrap();
            let (all, mut more) = (Random(1).balls(60), Random(2).balls(200));
            for ball in &mut more {
                ball.h *= 4.0;
            }
            let mut population = Population::new(&device, precision, all);
            population.each_change([&more[..20], &more[20..]], |it| {
                let all = &it.all[..];
                let expected = nbody::check::reference_self(&law, domain, all, all).unwrap();
                out.resize(all.len()).unwrap();
                known.evaluate_self_into(&it.particles, &it.particles, &mut out).unwrap();
                let found = out.download::<f64>().unwrap();
                assert!(found == expected, "{device}, {} in {precision}", all.len());
            });
        }
    }
}

/// Given indices count particles, so that another number of particles is refused.
#[test]
fn given_indices_refuse_another_number_of_particles() {
    for device in nbody_tests::all_devices() {
        let mut population = Population::new(&device, Precision::Double, uniform::<Bead>(60, 1));
        let parameters = Anchor { stiffness: 1.0, table: [1.0, 2.0, 3.0] };
        let fresh = || Tuples::new(&device, parameters).unwrap();
        let mut known = fresh();
        let pins: Vec<_> = (0..60).map(|k| Pin { kind: k % 3, place: Point::default() }).collect();
        let more = uniform::<Bead>(200, 2);
        let mut before = usize::MAX;
        population.each_change([&more[..20], &more[20..]], |it| {
            let n = it.all.len();
            let mut out = known.results(n, Precision::Double).unwrap();
            if n != before {
                let refused = known.evaluate_into(&it.particles, &mut out, Store::Replace);
                let is_refused = matches!(refused, Err(Error::LengthMismatch { .. }));
                assert!(is_refused || n == 0, "{device}, {n}: {refused:?}");
            }
            let of: Vec<_> = (0..n.min(60) as u32).map(|k| [k]).collect();
            known.set(&of, &pins[..of.len()], n).unwrap();
            known.evaluate_into(&it.particles, &mut out, Store::Replace).unwrap();
            let mut again = fresh();
            again.set(&of, &pins[..of.len()], n).unwrap();
            let uploaded = device.upload(&it.all, Precision::Double).unwrap();
            let mut expected = again.results(n, Precision::Double).unwrap();
            again.evaluate_into(&uploaded, &mut expected, Store::Replace).unwrap();
            let [found, expected] = [out, expected].map(|it| it.download::<f64>().unwrap());
            assert!(found == expected, "{device}, {n}");
            before = n;
        });
    }
}
