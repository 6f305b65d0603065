//! Fields as the host has them, on every device: uploads and downloads of slices in any precision, of a
//! slice for each component, and of structs of the caller, compared with whole records.

use nbody::law::{Component, FieldValue, Record};
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{ArgMax, ArgMin, Nearest, Store, Values, ValuesMut};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Ball, Gather, Uniform};
use nbody_tests::covering::Covering;
use nbody_tests::extremes::Extremes;
use nbody_tests::extremes::{Found, Source, Target};
use nbody_tests::steps::programs::{Attract, Item, MarkedItem, Pulled};
use nbody_tests::ways::{check_rows, message, real};

/// The memory of the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Slice,
    /// An array of each value's numbers.
    Arrays,
    /// A slice for each component.
    Components,
    /// Structs with other members.
    Structs,
}

const FORMS: [Form; 4] = [Form::Slice, Form::Arrays, Form::Components, Form::Structs];
const FIELDS: [&str; 7] = ["pos", "kind", "vel", "table", "active", "mass", "strain"];
/// Around the sizes of blocks.
const SIZES: [usize; 8] = [257, 31, 1, 1000, 0, 256, 2, 600];

#[derive(Clone, Debug)]
struct Way {
    field: &'static str,
    form: Form,
    /// Whether the caller has `f32`.
    single: bool,
    precision: Precision,
    /// Whether the record has other fields, too.
    marked: bool,
    n: usize,
}

impl Way {
    fn of(row: &[usize], turn: usize) -> Self {
        Self {
            field: FIELDS[row[0]],
            form: FORMS[row[1]],
            single: row[2] == 1,
            precision: Precision::ALL[row[3]],
            marked: row[4] == 1,
            n: SIZES[turn % SIZES.len()],
        }
    }
}

/// A struct of the caller, whose size is no multiple of its numbers.
#[derive(Clone, Copy)]
struct Theirs<T> {
    id: u8,
    value: T,
    mark: u32,
}

fn theirs<T: Copy>(value: T) -> Theirs<T> {
    Theirs { id: 7, value, mark: 9 }
}

fn agree<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &[T],
    expected: &[T],
) -> Result<(), String> {
    let wrong = found.iter().zip(expected).position(|(a, b)| a != b);
    if let Some(k) = wrong {
        return Err(format!("{what} {k}: {:?}, expected {:?}", found[k], expected[k]));
    }
    if found.len() == expected.len() { Ok(()) } else { Err(format!("{} of {what}", found.len())) }
}

/// The buffer of a check, with the calls of particles and of results.
trait Fields {
    fn put(&mut self, name: &str, values: Values<'_>) -> Result<(), nbody::Error>;
    fn get(&self, name: &str, to: ValuesMut<'_>) -> Result<(), nbody::Error>;
    fn list<T: FieldValue>(&self, name: &str) -> Result<Vec<T>, nbody::Error>;
}

macro_rules! fields {
    ($($buffer:ident)*) => {$(
        impl<R: Record<Lane = f64>> Fields for nbody::$buffer<R> {
            fn put(&mut self, name: &str, values: Values<'_>) -> Result<(), nbody::Error> {
                self.replace_field(name, values)
            }
            fn get(&self, name: &str, to: ValuesMut<'_>) -> Result<(), nbody::Error> {
                self.download_field_into(name, to)
            }
            fn list<T: FieldValue>(&self, name: &str) -> Result<Vec<T>, nbody::Error> {
                self.download_field(name)
            }
        }
    )*};
}
fields!(Particles Results);

/// Replaces a field by values `T` of `N` components `C`, and reads it back.
fn exchange<T, C, const N: usize>(
    buffer: &mut impl Fields,
    (name, form): (&str, Form),
    values: &[[C; N]],
    value: fn([C; N]) -> T,
) -> Result<Vec<T>, String>
where
    T: FieldValue + PartialEq + std::fmt::Debug,
    C: Component + Default,
    [C; N]: FieldValue,
{
    let whole: Vec<T> = values.iter().map(|it| value(*it)).collect();
    let columns: [Vec<C>; N] =
        std::array::from_fn(|c| values.iter().map(|value| value[c]).collect());
    let structs: Vec<_> = whole.iter().map(|it| theirs(*it)).collect();
    let put = match form {
        Form::Slice => buffer.put(name, (&whole).into()),
        Form::Arrays => buffer.put(name, values.into()),
        Form::Components => buffer.put(name, columns.each_ref().into()),
        Form::Structs => buffer.put(name, Values::each(&structs, |it| it.value)),
    };
    put.map_err(message)?;
    let found: Vec<T> = buffer.list(name).map_err(message)?;
    let zero = [C::default(); N];
    let into = match form {
        Form::Slice => {
            let mut to = vec![value(zero); values.len()];
            buffer.get(name, (&mut to).into()).map(|()| to)
        }
        Form::Arrays => {
            let mut to = vec![zero; values.len()];
            buffer.get(name, (&mut to).into()).map(|()| to.into_iter().map(value).collect())
        }
        Form::Components => {
            let mut to = [(); N].map(|()| vec![C::default(); values.len()]);
            buffer.get(name, to.each_mut().into()).map(|()| {
                (0..values.len()).map(|k| value(std::array::from_fn(|c| to[c][k]))).collect()
            })
        }
        Form::Structs => {
            let mut to = vec![theirs(value(zero)); values.len()];
            let each = ValuesMut::each(&mut to, |to, value| to.value = value);
            buffer.get(name, each).map(|()| {
                assert!(to.iter().all(|it| (it.id, it.mark) == (7, 9)));
                to.iter().map(|it| it.value).collect()
            })
        }
    };
    agree("values into memory", &into.map_err(message)?, &found)?;
    Ok(found)
}

/// As [`exchange`] for values of one number.
fn exchange_numbers<T>(
    buffer: &mut impl Fields,
    (name, form): (&str, Form),
    values: &[T],
) -> Result<Vec<T>, String>
where
    T: Component + Default + PartialEq + std::fmt::Debug,
{
    let structs: Vec<_> = values.iter().map(|it| theirs(*it)).collect();
    let mut into = vec![T::default(); values.len()];
    if form == Form::Structs {
        buffer.put(name, Values::each(&structs, |it| it.value)).map_err(message)?;
        let to = ValuesMut::each(&mut into, |to, value: T| *to = value);
        buffer.get(name, to).map_err(message)?;
    } else {
        buffer.put(name, values.into()).map_err(message)?;
        buffer.get(name, into[..].as_mut().into()).map_err(message)?;
    }
    agree("values into memory", &into, &buffer.list(name).map_err(message)?)?;
    Ok(into)
}

/// Replaces one field of records, as `item_of` and `record_of` convert them.
fn check_records<P: Record<Lane = f64, Host = P> + PartialEq>(
    device: &Device,
    way: &Way,
    records: &[P],
    item_of: &dyn Fn(&P) -> Item,
    record_of: &dyn Fn(&P, &Item) -> P,
) -> Result<usize, String> {
    let mut particles = device.upload(records, way.precision).map_err(message)?;
    let before = particles.download().map_err(message)?;
    let short = |x: f64| if way.single { f64::from(x as f32) } else { x };
    // More digits than single precision has.
    let others = uniform::<Item>(way.n, 5).into_iter().map(|mut item| {
        for x in item.pos.0.iter_mut().chain(&mut item.vel.0).chain(&mut item.table) {
            *x = short(*x / 3.0);
        }
        item.mass = short(item.mass / 3.0);
        item.strain = Tensor(item.strain.0.map(|x| short(x / 3.0)));
        item
    });
    let others: Vec<_> = others.collect();
    let at = (way.field, way.form);
    macro_rules! run {
        ($of:expr, $n:literal, $single:expr, $double:expr) => {{
            let of: fn(&Item) -> [f64; $n] = $of;
            if way.single {
                let values: Vec<_> = others.iter().map(|it| of(it).map(|x| x as f32)).collect();
                exchange(&mut particles, at, &values, $single)?;
            } else {
                let values: Vec<_> = others.iter().map(of).collect();
                exchange(&mut particles, at, &values, $double)?;
            }
        }};
    }
    match way.field {
        "pos" => run!(|it| it.pos.0, 3, Point::<f32, 3>, Point::<f64, 3>),
        "vel" => run!(|it| it.vel.0, 3, Vector::<f32, 3>, Vector::<f64, 3>),
        "table" => run!(|it| it.table, 3, |it| it, |it| it),
        "strain" => run!(|it| it.strain.0, 3, Tensor::<f32, 2>, Tensor::<f64, 2>),
        "mass" if way.single => {
            let values: Vec<_> = others.iter().map(|it| it.mass as f32).collect();
            exchange_numbers(&mut particles, at, &values)?;
        }
        "mass" => {
            let values: Vec<_> = others.iter().map(|it| it.mass).collect();
            exchange_numbers(&mut particles, at, &values)?;
        }
        name => {
            let of = |it: &Item| if name == "kind" { it.kind } else { it.active };
            let values: Vec<_> = others.iter().map(of).collect();
            exchange_numbers(&mut particles, at, &values)?;
        }
    }
    let changed = records.iter().zip(&others).map(|(record, other)| {
        let mut item = item_of(record);
        match way.field {
            "pos" => item.pos = other.pos,
            "vel" => item.vel = other.vel,
            "table" => item.table = other.table,
            "strain" => item.strain = other.strain,
            "mass" => item.mass = other.mass,
            "kind" => item.kind = other.kind,
            _ => item.active = other.active,
        }
        record_of(record, &item)
    });
    let changed: Vec<_> = changed.collect();
    let expected = device.upload(&changed, way.precision).and_then(|it| it.download());
    let found = particles.download().map_err(message)?;
    agree("particles", &found, &expected.map_err(message)?)?;
    Ok(found.iter().zip(&before).filter(|(a, b)| a != b).count())
}

fn check(device: &Device, way: &Way) -> Result<usize, String> {
    let items = uniform::<Item>(way.n, 1);
    if !way.marked {
        return check_records(device, way, &items, &|item| *item, &|_, item| *item);
    }
    let marked: Vec<_> = items.iter().enumerate().map(|(k, item)| item.marked(k)).collect();
    let of = |marked: &MarkedItem| {
        let &MarkedItem { active, mass, strain, table, pos, vel, kind, .. } = marked;
        Item { pos, kind, vel, table, active, mass, strain }
    };
    check_records(device, way, &marked, &of, &|marked, item| {
        let Item { pos, kind, vel, table, active, mass, strain } = *item;
        MarkedItem { pos, kind, vel, table, active, mass, strain, ..*marked }
    })
}

#[test]
fn fields_are_replaced_and_read_in_every_form() {
    let choices = &[FIELDS.len(), FORMS.len(), 2, Precision::ALL.len(), 2];
    let covering = Covering { choices, strength: 3, allows: &|_| true };
    check_rows(&covering, &nbody_tests::all_devices(), 50, &Way::of, &check);
}

#[test]
fn records_are_made_of_fields() {
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            for n in [0, 1, 33, 300] {
                let balls = Random(1).balls(n);
                let axis = |c: usize| balls.iter().map(|it| it.pos[c]).collect::<Vec<_>>();
                let ([x, y, z], mass) = ([0, 1, 2].map(axis), Values::each(&balls, |it| it.mass));
                let h: Vec<_> = balls.iter().map(|ball| ball.h).collect();
                let fields = [("mass", mass), ("pos", [&x, &y, &z].into()), ("h", (&h).into())];
                let found = device.upload_fields::<Ball>(&fields, precision).unwrap();
                let expected = device.upload(&balls, precision).unwrap();
                assert_eq!(found.download().unwrap(), expected.download().unwrap(), "{device}");
                let error = device.upload_fields::<Ball>(&fields[1..], precision).unwrap_err();
                let expected = "no values of field `mass: Real`; give values of each field";
                assert_eq!(error.to_string(), expected);
            }
        }
    }
}

/// Results that the host gives are rounded as results are, and are added to and read as others.
#[test]
fn results_of_the_host_are_results() {
    let devices = nbody_tests::all_devices();
    for accumulation in [Accumulation::Direct, Accumulation::BlockedF64] {
        let options = Options::default().math(Math::Exact).accumulation(accumulation);
        let single = accumulation == Accumulation::Direct;
        let rounded = |x: f64| if single { real(x, Precision::Single) } else { x };
        for n in SIZES {
            let items = uniform::<Item>(n, 1);
            let pulled = uniform::<Item>(n, 2);
            let pulled = pulled.iter().enumerate().map(|(k, it)| Pulled {
                acc: Vector(it.vel.0.map(|x| x / 3.0)),
                near: k as u32,
                pot: it.mass / 3.0,
            });
            let pulled: Vec<_> = pulled.collect();
            let expected: Vec<_> = pulled
                .iter()
                .map(|it| Pulled {
                    acc: Vector(it.acc.0.map(rounded)),
                    pot: rounded(it.pot),
                    ..*it
                })
                .collect();
            let mut sums = Vec::new();
            for device in &devices {
                let case = format!("{device}, {n} results, {accumulation:?}");
                let mut engine =
                    AllPairs::with_options(device, Attract { eps2: 0.25 }, options).unwrap();
                let mut out = engine.results(3).unwrap();
                out.replace(&pulled).unwrap();
                assert_eq!(out.download::<f64>().unwrap(), expected, "{case}");
                // Each field alone, in a buffer of results without pairs.
                let mut of_fields = engine.results(n).unwrap();
                for form in FORMS {
                    let acc: Vec<_> = pulled.iter().map(|it| it.acc.0).collect();
                    let pot: Vec<_> = pulled.iter().map(|it| it.pot).collect();
                    let near: Vec<_> = pulled.iter().map(|it| it.near).collect();
                    let acc =
                        exchange(&mut of_fields, ("acc", form), &acc, Vector::<f64, 3>).unwrap();
                    let pot = exchange_numbers(&mut of_fields, ("pot", form), &pot).unwrap();
                    let near = exchange_numbers(&mut of_fields, ("near", form), &near).unwrap();
                    let fields = acc.into_iter().zip(pot).zip(near);
                    let fields = fields.map(|((acc, pot), near)| Pulled { acc, near, pot });
                    agree("results of fields", &fields.collect::<Vec<_>>(), &expected).unwrap();
                    assert_eq!(of_fields.download::<f64>().unwrap(), expected, "{case}");
                }
                let (i, j) =
                    (engine.upload(&items).unwrap(), engine.upload(&items[..n.min(9)]).unwrap());
                engine.evaluate_with(&i, Sources::Others(&j), &mut out, Store::Add).unwrap();
                let found = out.download::<f64>().unwrap();
                assert!(n == 0 || found != expected, "{case}");
                sums.push(found);
            }
            assert!(sums.iter().all(|it| *it == sums[0]), "{n} results, {accumulation:?}");
        }
    }
}

#[test]
fn extremes_and_their_indices_are_fields() {
    for device in nbody_tests::all_devices() {
        let mut engine = AllPairs::new(&device, Extremes { reach2: 0.5, flag: 1 }).unwrap();
        let (i, j) = (uniform::<Target>(40, 1), uniform::<Source>(50, 2));
        let (i, j) = (engine.upload(&i).unwrap(), engine.upload(&j).unwrap());
        let mut out = engine.results(40).unwrap();
        engine.evaluate_into(&i, &j, &mut out).unwrap();
        let found: Vec<Found> = out.download::<f64>().unwrap();
        let nearest: Vec<ArgMin> = out.download_field("nearest").unwrap();
        let outermost: Vec<ArgMax> = out.download_field("outermost").unwrap();
        let closest: Vec<Nearest<4>> = out.download_field("closest").unwrap();
        let least: Vec<f32> = out.download_field("least").unwrap();
        let count: Vec<u32> = out.download_field("count").unwrap();
        for (k, of) in found.iter().enumerate() {
            assert_eq!(
                (nearest[k], outermost[k], closest[k]),
                (of.nearest, of.outermost, of.closest)
            );
            assert_eq!((f64::from(least[k]), count[k]), (of.least, of.count), "{device}");
        }
        let mut other = engine.results(40).unwrap();
        other.replace_field("nearest", &nearest).unwrap();
        other.replace_field("closest", &closest).unwrap();
        let written = other.download::<f64>().unwrap();
        let is_written =
            |(a, b): (&Found, &Found)| (a.nearest, a.closest) == (b.nearest, b.closest);
        assert!(written.iter().zip(&found).all(is_written), "{device}");
    }
}

#[test]
fn refused_values_change_nothing() {
    for device in nbody_tests::all_devices() {
        let balls = Random(1).balls(5);
        let mut particles = device.upload(&balls, Precision::Double).unwrap();
        let (four, five, counts) = (vec![0.5; 4], vec![0.5; 5], vec![3_u32; 5]);
        for (name, values, expected) in [
            ("mass", (&four).into(), "mass: found 4, expected 5; give one for each particle"),
            (
                "pos",
                [&five, &five, &four].into(),
                "pos: found 4, expected 5; give one for each particle",
            ),
            (
                "weight",
                (&five).into(),
                "no field `weight`, found pos: Point, h: Real, mass: Real; name one of these",
            ),
            (
                "mass",
                (&counts).into(),
                "field `mass: Real` as `u32`, expected `f64`; use its type, or an array of its numbers",
            ),
            (
                "pos",
                [&five, &five].into(),
                "field `pos: Point` as `[f64; 2]`, expected `Point<f64, 3>`; use its type, or an array of its \
                 numbers",
            ),
        ] as [(&str, Values<'_>, &str); 5]
        {
            let error = particles.replace_field(name, values).unwrap_err();
            assert_eq!(error.to_string(), expected, "{device}");
        }
        assert_eq!(particles.download().unwrap(), balls, "{device}");
        let mut short = vec![[7.0_f32; 3]; 4];
        let error = particles.download_field_into("pos", &mut short).unwrap_err();
        let expected = "pos: found 4, expected 5; give one for each particle";
        assert_eq!((error.to_string(), &short[..]), (expected.to_owned(), &[[7.0; 3]; 4][..]));
        let mut wide = vec![7; 5];
        assert!(particles.download_field_into("pos", &mut wide).is_err() && wide == [7; 5]);
        // Numbers beyond `f32` become infinite, as by an upload, and NaN is data.
        let mut single = device.upload(&balls, Precision::Single).unwrap();
        let values = [1e300, -1e300, f64::NAN, 0.1, 1e-300];
        single.replace_field("mass", &values[..]).unwrap();
        let found: Vec<f64> = single.download_field("mass").unwrap();
        assert_eq!([found[0], found[1], found[4]], [f64::INFINITY, f64::NEG_INFINITY, 0.0]);
        assert!(found[2].is_nan() && found[3] == f64::from(0.1_f32), "{device}");
        let mut double = particles;
        double.replace_field("mass", &values[..]).unwrap();
        let found: Vec<f32> = double.download_field("mass").unwrap();
        assert_eq!([found[0], found[3]], [f32::INFINITY, 0.1], "{device}");
    }
}

/// Engines evaluate the present particles, whichever field has changed.
#[test]
fn engines_notice_replaced_fields() {
    for device in nbody_tests::all_devices() {
        let mut balls = Random(1).balls(200);
        let law = || Uniform { cutoff: 0.25 };
        let mut near = ShortRange::new(&device, law()).unwrap();
        let mut direct = AllPairs::new(&device, law()).unwrap();
        // A box shorter than two cutoffs, whose images are copies of the particles.
        let domain = Domain::periodic([0.375, 1.0, 1.0]).unwrap();
        let mut images =
            AllPairs::with_options(&device, law(), Options::default().domain(domain)).unwrap();
        // Cutoffs by a field.
        let law = || Gather { factor: 4.0 };
        let mut by_field = ShortRange::new(&device, law()).unwrap();
        let mut direct_by_field = AllPairs::new(&device, law()).unwrap();
        let in_box = || AllPairs::with_options(&device, law(), Options::default().domain(domain));
        let mut images_by_field = in_box().unwrap();
        let mut particles = near.upload(&balls).unwrap();
        let mut out = [(); 5].map(|()| near.results(200).unwrap());
        let [a, b, c, d, e] = &mut out;
        let mut before = (Vec::new(), Vec::new());
        for turn in 0..5 {
            match turn {
                // A particle goes farther than any skin.
                1 => balls[7].pos = balls[190].pos,
                2 => balls.iter_mut().for_each(|ball| ball.mass += 3.0),
                3 => balls.iter_mut().for_each(|ball| ball.pos.0[0] *= 0.75),
                4 => balls.iter_mut().for_each(|ball| ball.h *= 3.0),
                _ => {}
            }
            match turn {
                2 => particles.replace_field("mass", Values::each(&balls, |it| it.mass)),
                4 => particles.replace_field("h", Values::each(&balls, |it| it.h)),
                _ => particles.replace_field("pos", Values::each(&balls, |it| it.pos)),
            }
            .unwrap();
            // So often that launches are repeated.
            for _ in 0..5 {
                near.evaluate_self_into(&particles, &particles, a).unwrap();
                direct.evaluate_self_into(&particles, &particles, b).unwrap();
                images.evaluate_self_into(&particles, &particles, c).unwrap();
                by_field.evaluate_self_into(&particles, &particles, d).unwrap();
                images_by_field.evaluate_self_into(&particles, &particles, e).unwrap();
            }
            let fresh = near.upload(&balls).unwrap();
            let mut expected = near.results(200).unwrap();
            direct.evaluate_self_into(&fresh, &fresh, &mut expected).unwrap();
            let expected = expected.download::<f64>().unwrap();
            assert_eq!(a.download::<f64>().unwrap(), expected, "{device}, lists, {turn}");
            assert_eq!(b.download::<f64>().unwrap(), expected, "{device}, all pairs, {turn}");
            let truth = |engine: &mut AllPairs<Gather>| {
                let mut out = near.results(200).unwrap();
                engine.evaluate_self_into(&fresh, &fresh, &mut out).unwrap();
                out.download::<f64>().unwrap()
            };
            let of_field = truth(&mut direct_by_field);
            assert_eq!(d.download::<f64>().unwrap(), of_field, "{device}, lists by h, {turn}");
            let of_field = (of_field, truth(&mut in_box().unwrap()));
            assert_eq!(e.download::<f64>().unwrap(), of_field.1, "{device}, images by h, {turn}");
            assert_ne!(of_field, before, "{device}, {turn}");
            before = of_field;
            let mut expected = near.results(200).unwrap();
            images.evaluate_self_into(&fresh, &fresh, &mut expected).unwrap();
            let expected = expected.download::<f64>().unwrap();
            assert_eq!(c.download::<f64>().unwrap(), expected, "{device}, images, {turn}");
        }
    }
}
