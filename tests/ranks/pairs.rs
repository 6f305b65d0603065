//! All pairs of every law in every way: the results of any number of ranks are, bit by bit, the
//! results of the device alone.

use nbody::check::untyped::Case;
use nbody::law::{Law, Writer};
use nbody::models::uniform_rows;
use nbody::prelude::*;
use nbody::untyped::{Buffer, OwnedRows};
use nbody::{Accumulation, Domain, Interaction, Math, Pairs, Sources, Store, SummationOrder};
use nbody_interactions::Visitor;
use nbody_mpi::threads;
use nbody_tests::covering::Covering;
use nbody_tests::ways;

use super::{RANKS, over};

/// Numbers of particles: around a group, around a bag, and fewer than there are ranks. With 7 ranks
/// some have none.
const SIZES: [usize; 7] = [1, 5, 31, 33, 64, 257, 301];

/// A law with its parameters.
pub struct Tested {
    pub law: &'static Law,
    pub parameters: Vec<u64>,
}

pub fn laws() -> Vec<Tested> {
    struct Laws(Vec<Tested>);
    impl Visitor for Laws {
        fn visit<X: Interaction>(&mut self, interaction: X) {
            struct Words(Vec<u64>);
            impl Writer<f64> for Words {
                fn real(&mut self, value: f64) {
                    self.0.push(value.to_bits());
                }
                fn index(&mut self, value: u32) {
                    self.0.push(value.into());
                }
                fn coordinate(&mut self, value: f64) {
                    self.0.push(value.to_bits());
                }
            }
            let mut words = Words(Vec::new());
            interaction.write(&mut words);
            self.0.push(Tested { law: X::LAW, parameters: words.0 });
        }
    }
    let mut laws = Laws(Vec::new());
    nbody_tests::visit_all(&mut laws);
    laws.0
}

/// An evaluation: a law, options, and the relation of two sets of particles.
struct Evaluation<'a> {
    tested: &'a Tested,
    options: Options,
    relation: usize,
    store: Store,
    n: usize,
}

impl Evaluation<'_> {
    /// Returns the results, of two evaluations if the second one adds to the first.
    fn run(&self, device: &Device) -> Vec<u64> {
        let Self { tested: Tested { law, parameters }, options, relation, store, n } = *self;
        let untyped = device.untyped();
        let mut engine = untyped.all_pairs(law, parameters, options).unwrap();
        let upload = |rows: &OwnedRows| untyped.upload(rows, options.precision).unwrap();
        let i = upload(&uniform_rows(law.i, n, 1));
        // One set has the same number of both.
        let (nj, seed) = if relation == 0 { (2 * n + 37, 2) } else { (n, 1) };
        let j = upload(&uniform_rows(law.j, nj, seed));
        let (sources, count) = match relation {
            0 => (Sources::Others(&*j), n),
            1 => (Sources::Same(&*j), n),
            _ => (Sources::First(&*j), n.div_ceil(2)),
        };
        let mut out = engine.results(count).unwrap();
        engine.evaluate(&*i, sources, &mut *out, Store::Replace).unwrap();
        if store == Store::Add {
            engine.evaluate(&*i, sources, &mut *out, store).unwrap();
        }
        engine.settle().unwrap();
        words(&*out)
    }

    fn describe(&self) -> String {
        let Self { tested, options, relation, store, n } = self;
        let order = options.order;
        format!("{} {options} {order:?} relation {relation} {store:?} {n}", tested.law.name)
    }
}

pub fn words(buffer: &dyn Buffer) -> Vec<u64> {
    let n = buffer.len();
    let numbers: usize = buffer.fields().iter().map(|it| it.kind.components()).sum();
    let mut words = vec![0; n * numbers];
    buffer.read(0..n, &mut |write| write(0..n, &mut words)).unwrap();
    words
}

pub fn order(choice: usize) -> Option<SummationOrder> {
    [None, Some(SummationOrder { bag: 48, splits: 1 }), Some(SummationOrder { bag: 32, splits: 3 })]
        [choice]
}

/// Any two choices of the law, the arithmetic, the order, the relation of the sets, the way of
/// storing, the number of ranks and of particles, and the vector instructions meet.
#[test]
fn results_do_not_depend_on_the_number_of_ranks() {
    let (laws, levels) = (laws(), ways::levels());
    let domains = nbody_verify::domains().unwrap();
    let choices = [
        laws.len(),
        Precision::ALL.len(),
        Accumulation::ALL.len(),
        Math::ALL.len(),
        domains.len(),
        3,
        3,
        2,
        RANKS.len(),
        SIZES.len(),
        levels.len(),
    ];
    let allows = |row: &[Option<usize>]| match (row[0], row[4]) {
        (Some(law), Some(domain)) => laws[law].law.check_domain(&domains[domain]).is_ok(),
        _ => true,
    };
    let covering = Covering { choices: &choices, strength: 2, allows: &allows };
    let rows = covering.rows();
    assert_eq!(covering.faults(&rows), [""; 0]);
    for row in rows {
        let &[
            law,
            precision,
            accumulation,
            math,
            domain,
            of_order,
            relation,
            adds,
            ranks,
            n,
            level,
        ] = &row[..]
        else {
            panic!("a choice for each option")
        };
        let options = Options::default()
            .precision(Precision::ALL[precision])
            .accumulation(Accumulation::ALL[accumulation])
            .math(Math::ALL[math])
            .domain(domains[domain])
            .pairs(Pairs::Ordered)
            .order(order(of_order));
        let store = [Store::Replace, Store::Add][adds];
        let tested = &laws[law];
        let evaluation = Evaluation { tested, options, relation, store, n: SIZES[n] };
        let (device, ranks) = (&levels[level], RANKS[ranks]);
        let expected = evaluation.run(device);
        let all = threads(ranks, |communicator| evaluation.run(&over(communicator, device)));
        for found in all {
            assert_eq!(found, expected, "{} {ranks} ranks {device}", evaluation.describe());
        }
    }
}

/// Ranks share out both directions of each pair: the results are within the bounds of rounding errors,
/// and have the bits of one rank.
#[test]
fn both_directions_are_shared_out() {
    let mut laws = laws();
    laws.retain(|it| it.law.third_law.is_some());
    for device in nbody_tests::cuda_devices() {
        // Every third law, with each size.
        let sizes = [1, 2, 33, 700, 1921, 3100, 4097];
        for (choice, (Tested { law, parameters }, n)) in
            laws.iter().step_by(3).zip(sizes).enumerate()
        {
            let name = law.name;
            let options = Options::default()
                .precision(Precision::ALL[choice % 3])
                .accumulation(Accumulation::ALL[choice % 3])
                .math(Math::ALL[choice % 2])
                .pairs(Pairs::Symmetric);
            let particles = uniform_rows(law.i, n, 1);
            let case = Case::one_set(law, parameters, Domain::Open, particles, None).unwrap();
            let run = |ranks, adds| {
                threads(ranks, |all| {
                    let device = over(all, &device);
                    let untyped = device.untyped();
                    let mut engine = untyped.all_pairs(law, parameters, options).unwrap();
                    assert!(case.check(&device, &mut *engine).unwrap().passes(), "{name} {n}");
                    let i = untyped.upload(&uniform_rows(law.i, n, 1), options.precision);
                    let (i, mut out) = (i.unwrap(), engine.results(n).unwrap());
                    for store in [Store::Replace, Store::Add].into_iter().take(1 + adds) {
                        engine.evaluate(&*i, Sources::Same(&*i), &mut *out, store).unwrap();
                    }
                    words(&*out)
                })
            };
            let adds = choice % 2;
            let expected = &run(1, adds)[0];
            for ranks in [2, 3, 7] {
                for found in run(ranks, adds) {
                    assert_eq!(&found, expected, "{name} {options} {n} {ranks} ranks {device}");
                }
            }
        }
    }
}

/// The kernels of shares give the bits of the kernels for all particles in the same order, and any
/// number of ranks the bits of one in the order that the model chooses.
#[test]
fn kernels_of_shares_have_the_bits_of_one_rank() {
    let laws = laws();
    let names = ["gravity", "attraction", "hermite", "lennard_jones", "extremes", "control"];
    let sizes = [1, 33, 300, 1025];
    for device in nbody_tests::cuda_devices() {
        for (turn, name) in names.into_iter().enumerate() {
            let tested = laws.iter().find(|tested| tested.law.name == name).unwrap();
            for (k, n) in sizes.into_iter().enumerate() {
                let choice = turn + k;
                let options = Options::default()
                    .precision(Precision::ALL[choice % 3])
                    .accumulation(Accumulation::ALL[choice % 4])
                    .math(Math::ALL[k % 2])
                    .order(order(k % 3));
                let store = [Store::Replace, Store::Add][choice % 2];
                let evaluation = Evaluation { tested, options, relation: choice % 3, store, n };
                let run = |ranks| threads(ranks, |all| evaluation.run(&over(all, &device)));
                let expected = &run(1)[0];
                let described = evaluation.describe();
                if options.order.is_some() {
                    assert_eq!(&evaluation.run(&device), expected, "{described} {device}");
                }
                for ranks in [2, 3, 7] {
                    for found in run(ranks) {
                        assert_eq!(&found, expected, "{described} {ranks} ranks {device}");
                    }
                }
            }
        }
    }
}
