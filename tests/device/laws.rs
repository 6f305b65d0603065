//! Laws that engines without types create at run time, from a text and a table.

use nbody::law::{
    Carried, ChargeTable, Charges, CudaText, Field, FieldKind, Law, LawTable, Operations, Role,
    Step,
};
use nbody::prelude::*;
use nbody::untyped::{Buffer, Engine, OwnedRows};
use nbody::{Error, Interaction, Store};
use nbody_interactions::Visitor;
use nbody_interactions::gravity::{Body, Gravity};
use nbody_tests::bodies::bodies;

/// Gravity, and a push between bodies that touch.
const TEXT: &str = "mod laws {
    pub struct Pull { pub eps2: Real }
    pub struct Push { pub cutoff: Real }
    pub struct Mass { pub pos: Point, pub mass: Real }
    pub struct Field { pub acc: Vector, pub pot: Real }

    impl Interaction for Pull {
        type I = Mass;
        type J = Mass;
        type F = Field;
        fn pair(&self, i: &Mass, j: &Mass, f: &mut Field) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let mr = j.mass * rinv;
            f.acc += mr * rinv * rinv * d;
            f.pot -= mr;
        }
    }

    impl Interaction for Push {
        type I = Mass;
        type J = Mass;
        type F = Field;
        fn cutoff(&self, i: &Mass, j: &Mass) -> Real { self.cutoff }
        fn pair(&self, i: &Mass, j: &Mass, f: &mut Field) {
            let d = i.pos - j.pos;
            f.acc += j.mass * (self.cutoff - d.norm()) * d;
            f.pot += j.mass;
        }
    }
}";

/// Returns the law of this name.
fn law(name: &str) -> &'static Law {
    let texts = nbody_codegen::cuda(TEXT.parse().unwrap()).unwrap();
    let cuda = texts.into_iter().find(|cuda| cuda.name == name).unwrap();
    let record = |fields: &[(&str, FieldKind)]| {
        fields.iter().map(|&(name, kind)| (name.to_owned(), kind)).collect()
    };
    let (point, vector, real) = (FieldKind::Point(3), FieldKind::Vector(3), FieldKind::Real);
    let has_cutoff = name == "push";
    let mass = [("pos", point), ("mass", real)];
    let charges = ChargeTable {
        products: vec![vec![3]],
        carried: vec![Carried::Zero, Carried::Zero, Carried::Zero, Carried::Charge(0)],
        sums: vec![(vec![0], false); 2],
    };
    let none = || "it has a cutoff".to_owned();
    let table = LawTable {
        name: cuda.name,
        self_pairs: false,
        cutoff: has_cutoff
            .then(|| (vec![Step::Number(Role::Parameters, 0)], [Vec::new(), Vec::new()])),
        charges: if has_cutoff { Err(none()) } else { Ok(charges) },
        operations: Operations { add: 10, mul: 10, sqrt: 1, ..Operations::default() },
        most_counted: Some(0),
        cuda: [cuda.law, cuda.sums, cuda.compensated],
        third_law: None,
        records: [
            record(&[(if has_cutoff { "cutoff" } else { "eps2" }, real)]),
            record(&mass),
            record(&mass),
            record(&[("acc", vector), ("pot", real)]),
        ],
    };
    // SAFETY: the text is the compiler's output for these records.
    #[allow(unsafe_code)]
    let [law, again] = [table.clone(), table].map(|table| unsafe { table.intern() }.unwrap());
    assert!(std::ptr::eq(law, again), "equal tables are one law");
    law
}

/// Returns the rows of the results for one set of bodies.
fn evaluate(device: &Device, engine: &mut dyn Engine, bodies: &[Body]) -> Vec<[f64; 4]> {
    let numbers = bodies.iter().flat_map(|it| [it.pos.0[0], it.pos.0[1], it.pos.0[2], it.mass]);
    let rows = OwnedRows::new(engine.law().i, numbers.map(f64::to_bits).collect()).unwrap();
    let particles = device.untyped().upload(&rows, engine.options().precision).unwrap();
    let mut out = engine.results(bodies.len()).unwrap();
    let same = Sources::Same(&*particles);
    engine.evaluate(&*particles, same, &mut *out, Store::Replace).unwrap();
    read(&*out)
}

fn read(results: &dyn Buffer) -> Vec<[f64; 4]> {
    let mut words = vec![0; 4 * results.len()];
    results.read(0..results.len(), &mut |write| write(0..results.len(), &mut words)).unwrap();
    let row = |row: &[u64]| std::array::from_fn(|k| f64::from_bits(row[k]));
    words.chunks_exact(4).map(row).collect()
}

fn rows_of(fields: Vec<nbody_interactions::gravity::Field>) -> Vec<[f64; 4]> {
    let row = |it: nbody_interactions::gravity::Field| [it.acc.x, it.acc.y, it.acc.z, it.pot];
    fields.into_iter().map(row).collect()
}

#[test]
fn engines_evaluate_laws_that_are_made_at_run_time() {
    let (device, bodies) = (nbody_tests::emulator(), bodies(300));
    let (options, parameter) = (Options::default(), [0.25_f64.to_bits()]);
    let pull = law("pull");
    let gravity = Gravity { eps2: 0.25 };
    let mut direct = device.untyped().all_pairs(pull, &parameter, options).unwrap();
    let found = evaluate(&device, &mut *direct, &bodies);
    let options_of_both = options.pairs(Pairs::Ordered);
    let mut typed = AllPairs::with_options(&device, gravity, options_of_both).unwrap();
    assert_eq!(found, rows_of(typed.evaluate_self(&bodies).unwrap()));
    let opening = Opening::theta(0.5);
    let mut tree = device.untyped().tree(pull, &parameter, opening, options).unwrap();
    let by_tree = evaluate(&device, &mut *tree, &bodies);
    for (found, by_tree) in found.iter().zip(&by_tree) {
        assert!((found[3] - by_tree[3]).abs() < 1e-3 * found[3].abs(), "{found:?} {by_tree:?}");
    }
    assert!(tree.report().unwrap().cells > 1);
    let push = law("push");
    let mut direct = device.untyped().all_pairs(push, &parameter, options).unwrap();
    let expected = evaluate(&device, &mut *direct, &bodies);
    let mut lists = device.listed(push, &parameter, options).unwrap();
    let found = evaluate(&device, &mut lists, &bodies);
    for (found, expected) in found.iter().zip(&expected) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
    }
    assert!(expected.iter().any(|row| row[3] > 0.0));
}

#[test]
fn the_cpu_refuses_laws_without_loops() {
    let (cpu, parameter) = (Device::cpu(), [0.25_f64.to_bits()]);
    let (pull, options) = (law("pull"), Options::default());
    let error = cpu.untyped().all_pairs(pull, &parameter, options).unwrap_err();
    assert_eq!(error, Error::NoLoops { law: "pull" });
    let error = cpu.untyped().tree(pull, &parameter, Opening::theta(0.5), options).unwrap_err();
    assert_eq!(error, Error::NoLoops { law: "pull" });
    let error = cpu.listed(law("push"), &parameter, options).unwrap_err();
    assert_eq!(error, Error::NoLoops { law: "push" });
    let relative = Opening::relative(0.01);
    let error = nbody_tests::emulator().untyped().tree(pull, &parameter, relative, options);
    assert_eq!(error.unwrap_err(), Error::NoLoops { law: "pull" });
}

/// Rows of another record and parameters of another length are refused.
#[test]
fn records_of_other_laws_are_refused() {
    for device in nbody_tests::all_devices() {
        let options = Options::default();
        let mut direct = AllPairs::new(&device, Gravity { eps2: 0.25 }).unwrap();
        let bodies = direct.upload(&bodies(3)).unwrap();
        let rows = OwnedRows::new(direct.untyped().law().f, vec![0; 12]).unwrap();
        let other = device.untyped().upload(&rows, options.precision).unwrap();
        let mut out = direct.results(3).unwrap();
        let evaluated = direct.untyped_mut().evaluate(
            bodies.untyped(),
            Sources::Others(&*other),
            out.untyped_mut(),
            Store::Replace,
        );
        assert!(matches!(evaluated, Err(Error::OtherRecord { what: "j-particles", .. })));
        let law = direct.untyped().law();
        let error = device.untyped().all_pairs(law, &[], options).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { found: 0, expected: 1, .. }), "{error}");
        let error = direct.untyped_mut().set_parameters(&[0, 0]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { found: 2, expected: 1, .. }), "{error}");
    }
}

/// Returns the table of a law of the compiler.
fn table_of(law: &Law) -> LawTable {
    let record = |fields: &[Field]| fields.iter().map(|it| (it.name.to_owned(), it.kind)).collect();
    let rows = |rows: &[&[usize]]| rows.iter().map(|row| row.to_vec()).collect();
    let charges = |charges: Charges| ChargeTable {
        products: rows(charges.products),
        carried: charges.carried.to_vec(),
        sums: charges.sums.iter().map(|it| (it.charges.to_vec(), it.depends_on_i)).collect(),
    };
    let CudaText { law: text, sums, compensated } = law.cuda;
    LawTable {
        name: law.name.to_owned(),
        self_pairs: law.self_pairs,
        cutoff: law.cutoff.then(|| (law.reach.to_vec(), law.cutoff_reads.map(<[_]>::to_vec))),
        charges: law.charges.map(charges).map_err(str::to_owned),
        operations: law.operations,
        most_counted: law.most_counted,
        cuda: [text, sums, compensated].map(str::to_owned),
        third_law: law.third_law.map(|third| (third.cuda.to_owned(), third.operations)),
        records: [law.parameters, law.i, law.j, law.f].map(record),
    }
}

/// Tables of the laws of the compiler are accepted, and tables that contradict themselves are refused.
#[test]
fn tables_are_checked() {
    struct Tables(usize);
    impl Visitor for Tables {
        #[allow(unsafe_code)]
        fn visit<X: Interaction>(&mut self, _: X) {
            // SAFETY: the text is the compiler's for these records.
            let law = unsafe { table_of(X::LAW).intern() }.unwrap();
            assert_eq!(law, X::LAW);
            self.0 += 1;
        }
    }
    let mut tables = Tables(0);
    nbody_tests::visit_all(&mut tables);
    assert!(tables.0 > 10);
    let mut wrong = table_of(law("push"));
    wrong.cutoff = Some((vec![Step::Number(Role::Parameters, 1)], Default::default()));
    // SAFETY: the table is refused.
    #[allow(unsafe_code)]
    let error = unsafe { wrong.intern() }.unwrap_err();
    assert_eq!(
        error.to_string(),
        "table of `push`: step 0 of the cutoff is `Number(Parameters, 1)`, expected a real number of parameters that \
         the cutoff reads; give the table of a declaration that compiles"
    );
}
