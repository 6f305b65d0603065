//! Totals of measures that later programs read on the device.

use nbody::law::Record;
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::untyped::{Beside, Buffer};
use nbody::{Accumulation, Error, Particles, PerParticle, Sequence, Total};
use nbody_tests::steps::programs::{
    Attract, Course, Guide, Impulse, Item, Lamp, MarkedCourse, Merge, Pace, Paced, Rescale,
    Retally, Shine, Step, Sums,
};
use nbody_tests::ways::{integers, numbers};

const COURSE: Course = Course { scale: 0.1 };
const RESCALE: Rescale = Rescale { heat: 3.0 };

fn moving(n: usize) -> Vec<Item> {
    let mut items = uniform::<Item>(n, 3);
    for item in &mut items {
        item.mass += 0.5;
    }
    items
}

/// A simulation with an adaptive time step and a rescaling thermostat, without a number on the host.
struct Moving {
    items: Particles<Item>,
    total: Total<Pace>,
    course: PerParticle<Course>,
    rescale: PerParticle<Rescale>,
}

impl Moving {
    fn new(device: &Device, n: usize) -> Self {
        let course = PerParticle::new(device, COURSE).unwrap();
        Self {
            items: device.upload(&moving(n), Precision::Double).unwrap(),
            total: course.total().unwrap(),
            course,
            rescale: PerParticle::new(device, RESCALE).unwrap(),
        }
    }

    /// Does step `k`.
    fn step(&mut self, k: u32) -> Result<(), Error> {
        self.rescale.set_parameters(Rescale { heat: heat(k) });
        self.course.measure_into(&self.items, (), &mut self.total)?;
        self.rescale.update(&mut self.items, &self.total)
    }

    /// Does a step by numbers on the host.
    fn step_by_host(&mut self, k: u32) -> Pace {
        let pace = self.course.measure(&self.items, ()).unwrap();
        let mut items = self.items.download().unwrap();
        for item in &mut items {
            item.vel = (heat(k) / pace.heat).sqrt() * item.vel;
            item.pos += pace.dt * item.vel;
        }
        self.items.replace(&items).unwrap();
        pace
    }
}

/// Returns the parameter of a step, so that each has a total of its own.
fn heat(k: u32) -> f64 {
    RESCALE.heat + f64::from(k)
}

/// Each step reads the total of this step, in a sequence, too, and the host has the total later.
#[test]
fn steps_follow_totals_on_the_device() {
    for device in nbody_tests::all_devices() {
        // Totals of blocks are merged once, and not at all.
        for n in [600, 70] {
            let [mut by_host, mut plain, mut repeated] =
                std::array::from_fn(|_| Moving::new(&device, n));
            let mut sequence = Sequence::new(&device);
            let mut before = f64::NAN;
            for k in 0..9 {
                let pace = by_host.step_by_host(k);
                assert_ne!(pace.dt.to_bits(), before.to_bits(), "a step of its own");
                before = pace.dt;
                plain.step(k).unwrap();
                sequence.run(|| repeated.step(k)).unwrap();
                if k % 4 == 0 {
                    let expected = numbers(&by_host.items.download().unwrap());
                    for run in [&plain, &repeated] {
                        assert_eq!(run.total.download().unwrap(), pace, "{device}, {k}");
                        assert_eq!(numbers(&run.items.download().unwrap()), expected, "{device}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_host_writes_totals_and_cannot_write_nan() {
    for device in nbody_tests::all_devices() {
        let pace = Pace { dt: 0.25, heat: RESCALE.heat, count: 7, ..Pace::default() };
        let mut total = device.upload_total(&pace).unwrap();
        assert_eq!(total.download().unwrap(), pace);
        let bad = Pace { drift: Vector::new(0.0, f64::NAN, 0.0), ..pace };
        let message = "parameter `drift.y` is NaN; give a finite or an infinite number";
        assert_eq!(total.write(&bad).unwrap_err().to_string(), message);
        assert_eq!(device.upload_total(&bad).unwrap_err().to_string(), message);
        let start = moving(3);
        let mut items = device.upload(&start, Precision::Double).unwrap();
        let mut rescale = PerParticle::new(&device, RESCALE).unwrap();
        rescale.update(&mut items, &total).unwrap();
        for (new, old) in items.download().unwrap().iter().zip(&start) {
            assert_eq!((new.vel, new.pos), (old.vel, old.pos + 0.25 * old.vel), "{device}");
        }
        // Without particles the total is the total of none.
        let none = device.upload::<Item>(&[], Precision::Mixed).unwrap();
        let mut course = PerParticle::new(&device, COURSE).unwrap();
        course.measure_into(&none, (), &mut total).unwrap();
        assert_eq!(total.download().unwrap(), Pace::default(), "{device}");
        assert_eq!(course.total().unwrap().download().unwrap(), Pace::default(), "{device}");
    }
}

/// Checks that NaN has replaced all numbers of records, and that integers are as great as they can
/// be.
fn is_spoilt<R: Record<Lane = f64>>(records: &[R]) -> bool {
    let n = integers(records).len();
    let numbers = numbers(records);
    integers(records).iter().all(|k| *k == u32::MAX)
        && numbers.iter().filter(|x| x.is_nan()).count() == numbers.len() - n
}

/// NaN in a total replaces all that a program writes, since comparisons would drop it.
#[test]
fn nan_in_a_total_reaches_all_that_programs_write() {
    for device in nbody_tests::all_devices() {
        for (turn, &precision) in Precision::ALL.iter().enumerate() {
            let mut start = moving(300);
            start[299].vel.y = f64::NAN;
            let mut items = device.upload(&start, precision).unwrap();
            let guides = device.upload(&uniform::<Guide>(300, 2), Precision::Single).unwrap();
            let attract = AllPairs::new(&device, Attract { eps2: 0.25 }).unwrap();
            let results = attract.results(300).unwrap();
            let mut course = PerParticle::new(&device, COURSE).unwrap();
            let mut pace = course.total().unwrap();
            course.measure_into(&items, (), &mut pace).unwrap();
            let found = pace.download().unwrap();
            assert!(found.dt.is_finite() && found.heat.is_nan(), "{device}");

            let mut retally = PerParticle::new(&device, Retally { scale: 0.5 }).unwrap();
            let of_all = retally.measure(&items, (&guides, &results, &pace)).unwrap();
            assert!(is_spoilt(&[of_all]), "{device}");
            let mut sums = retally.total().unwrap();
            retally.measure_into(&items, (&guides, &results, &pace), &mut sums).unwrap();
            assert!(is_spoilt(&[sums.download().unwrap()]), "{device}");
            let none = device.upload::<Item>(&[], precision).unwrap();
            let others = device.upload::<Guide>(&[], precision).unwrap();
            let no_results = attract.results(0).unwrap();
            let of_none = retally.measure(&none, (&others, &no_results, &pace)).unwrap();
            assert!(is_spoilt(&[of_none]), "{device}");

            let mut paced = PerParticle::new(&device, Paced { rate: 0.5 }).unwrap();
            if turn > 0 {
                paced.set_domain(Domain::periodic([0.5, 0.75, f64::INFINITY]).unwrap()).unwrap();
                paced.set_wrap(true);
            }
            paced.update(&mut items, (&guides, &results, &pace)).unwrap();
            for (new, old) in items.download().unwrap().iter().zip(&start) {
                let written = [new.pos.0, new.vel.0, new.strain.0].concat();
                let written = written.iter().chain([&new.mass, &new.table[1]]);
                assert!(written.copied().all(f64::is_nan), "{device}, {precision}: {new:?}");
                assert_eq!((new.kind, new.active), (u32::MAX, old.active), "{device}");
            }
            // The next total is whole again.
            let items = device.upload(&moving(3), precision).unwrap();
            course.measure_into(&items, (), &mut pace).unwrap();
            assert!(pace.download().unwrap().heat.is_finite(), "{device}");
        }
    }
}

#[test]
fn other_totals_are_refused() {
    let devices = nbody_tests::all_devices();
    for (k, device) in devices.iter().enumerate() {
        let other = &devices[(k + 1) % devices.len()];
        let start = moving(5);
        let mut items = device.upload(&start, Precision::Double).unwrap();
        let guides = device.upload(&uniform::<Guide>(5, 2), Precision::Double).unwrap();
        let attract = AllPairs::new(device, Attract { eps2: 0.25 }).unwrap();
        let mut course = PerParticle::new(device, COURSE).unwrap();
        let mut rescale = PerParticle::new(device, RESCALE).unwrap();
        let mut pace = course.total().unwrap();

        let mut elsewhere = PerParticle::new(other, COURSE).unwrap().total().unwrap();
        let is_foreign = |error: Error| {
            let Error::ForeignBuffer { what, .. } = error else { panic!("{device}: {error}") };
            assert_eq!(what, "totals", "{device}");
        };
        is_foreign(rescale.update(&mut items, &elsewhere).unwrap_err());
        is_foreign(course.measure_into(&items, (), &mut elsewhere).unwrap_err());

        let none = Beside::default();
        let mut update = |g: &[&dyn Buffer]| {
            let beside = Beside { g, ..none };
            rescale.update_untyped(items.untyped_mut(), beside, None).unwrap_err().to_string()
        };
        let count = |found| {
            format!(
                "`rescale` reads 1 buffers of totals: found {found}; give one for each record that it \
                 names, in their order"
            )
        };
        assert_eq!(update(&[]), count(0), "{device}");
        let mut two = device.untyped().total(Pace::<f64>::FIELDS).unwrap();
        two.resize(2).unwrap();
        assert_eq!(update(&[&*two, &*two]), count(2), "{device}");
        let expected = "totals: found 2 records, expected 1, which all particles read; take the buffer \
                        that the measure allocates";
        assert_eq!(update(&[&*two]), expected, "{device}");
        let given = "particles given as totals; ";
        assert!(update(&[guides.untyped()]).starts_with(given), "{device}");
        let sums = PerParticle::new(device, Retally { scale: 1.0 }).unwrap().total().unwrap();
        let message = update(&[sums.untyped()]);
        assert!(message.contains("`dt: Min<Real>`"), "{device}: {message}");

        let mut of_guides = device.upload(&uniform::<Guide>(1, 2), Precision::Double).unwrap();
        let mut few = attract.results(1).unwrap();
        let other_record = course
            .measure_into_untyped(items.untyped(), none, few.untyped_mut())
            .unwrap_err()
            .to_string();
        assert!(other_record.starts_with("totals with the fields "), "{device}: {other_record}");
        course.measure_into_untyped(items.untyped(), none, of_guides.untyped_mut()).unwrap_err();
        let error = course.measure_into_untyped(items.untyped(), none, &mut *two).unwrap_err();
        assert_eq!(error.to_string(), expected, "{device}");
        // Results of an interaction are single unless their sums are in double precision.
        let mut impulse = PerParticle::new(device, Impulse { dt: 0.5 }).unwrap();
        let mut results_in = |accumulation| {
            let options = Options::default().accumulation(accumulation);
            let attract = AllPairs::with_options(device, Attract { eps2: 0.25 }, options).unwrap();
            let mut one = attract.results(1).unwrap();
            let found = impulse.measure_into_untyped(items.untyped(), none, one.untyped_mut());
            found.map(|()| one.download::<f64>().unwrap()[0])
        };
        let error = results_in(Accumulation::Direct).unwrap_err().to_string();
        assert!(error.contains("totals") && error.contains("single"), "{device}: {error}");
        assert_eq!(results_in(Accumulation::BlockedF64).unwrap().near, 5, "{device}");
        // An update has no total, and a refused measure leaves the total.
        let step = <Step as nbody::Update>::PROGRAM;
        let mut steps = device.untyped().per_particle(Step::<f64>::FIELDS, &[0; 3]).unwrap();
        let error = steps.measure_into(step, items.untyped(), none, pace.untyped_mut());
        assert!(matches!(error, Err(Error::WrongProgram { .. })), "{device}");
        let mut tally = PerParticle::new(device, Retally { scale: 1.0 }).unwrap();
        let mut sums = device.upload_total(&Sums { energy: 5.0, ..Sums::default() }).unwrap();
        let four = attract.results(4).unwrap();
        tally.measure_into(&items, (&guides, &four, &pace), &mut sums).unwrap_err();
        assert_eq!(sums.download().unwrap().energy, 5.0, "{device}");
        let mut marked = PerParticle::new(device, MarkedCourse { scale: 1.0 }).unwrap();
        marked.measure_into(&items, (), &mut marked.total().unwrap()).unwrap();
        assert_eq!(items.download().unwrap(), start, "{device}");
    }
}

/// NaN in the second of several totals reaches all that a program writes.
#[test]
fn nan_in_the_second_total_shows() {
    for device in &nbody_tests::all_devices() {
        let start = moving(70);
        let n = start.len();
        let none = AllPairs::new(device, Attract { eps2: 0.25 }).unwrap().results(n).unwrap();
        let glow = AllPairs::new(device, Shine { scale: 0.5 }).unwrap().results(n).unwrap();
        let guides = device.upload(&uniform::<Guide>(n, 2), Precision::Double).unwrap();
        let lamps = device.upload(&uniform::<Lamp>(n, 3), Precision::Double).unwrap();
        let mut course = PerParticle::new(device, COURSE).unwrap();
        let mut pace = course.total().unwrap();
        for (scale, is_nan) in [(0.5, false), (f64::INFINITY, true)] {
            let mut items = device.upload(&start, Precision::Double).unwrap();
            course.measure_into(&items, (), &mut pace).unwrap();
            // An infinite number of massless items.
            let still: Vec<_> = start.iter().map(|it| Item { mass: 0.0, ..*it }).collect();
            let still = device.upload(&still, Precision::Double).unwrap();
            let mut impulse = PerParticle::new(device, Impulse { dt: scale }).unwrap();
            let mut moved = impulse.total().unwrap();
            impulse.measure_into(&still, (), &mut moved).unwrap();
            let merge = Merge { rate: 0.5, last: n as u32 - 1 };
            let mut merge = PerParticle::new(device, merge).unwrap();
            let inputs = (&guides, &lamps, &none, &glow, &none, &pace, &moved);
            merge.update(&mut items, inputs).unwrap();
            for item in items.download().unwrap() {
                assert!(item.vel.x.is_nan() == is_nan && item.mass.is_nan() == is_nan, "{device}");
                assert_eq!(item.kind == u32::MAX, is_nan, "{device}");
            }
        }
    }
}
