//! Adjoints of ready laws and of texts against differences of the sums, all by the reference in `f64`.

use nbody::Interaction;
use nbody::check::untyped::reference;
use nbody::law::{
    Adjoint, AdjointLaw, AdjointSelection, AdjointVariable, Field, FieldKind, Law, adjoint,
};
use nbody::models::uniform_rows;
use nbody::prelude::*;
use nbody::untyped::OwnedRows;
use nbody_declare::declare_in;
use nbody_interactions::{Visitor, source, visit_all};
use rayon::prelude::*;

use super::adjoint_texts::{TEXTS, Text};
use super::cases::{ready, words};

/// The numbers of i-particles and of j-particles.
const COUNTS: [usize; 2] = [4, 5];
/// The distance of differences; a second one at half of it removes errors of second order.
const STEP: f64 = 1e-5;

/// A law with its parameters and particles.
struct Problem {
    law: &'static Law,
    adjoint: Adjoint,
    parameters: Vec<f64>,
    i: Vec<f64>,
    j: Vec<f64>,
    /// The cotangents of all results.
    cotangents: Vec<f64>,
    domain: Domain,
    is_one_set: bool,
}

/// A record whose numbers are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Parameters,
    I,
    J,
}

/// Returns the numbers of a row of words; integers keep their bits.
fn numbers(words: &[u64]) -> Vec<f64> {
    words.iter().map(|word| f64::from_bits(*word)).collect()
}

fn dim(fields: &[Field]) -> usize {
    fields.iter().map(|field| field.kind.components()).sum()
}

/// Returns the numbers of a row that belong to a field.
fn range(fields: &[Field], name: &str) -> std::ops::Range<usize> {
    let place = fields.iter().position(|field| field.name == name).unwrap();
    let first = dim(&fields[..place]);
    first..first + fields[place].kind.components()
}

fn rows(fields: &'static [Field], numbers: &[f64]) -> OwnedRows {
    OwnedRows::new(fields, numbers.iter().map(|x| x.to_bits()).collect()).unwrap()
}

/// Returns the results of a law by the reference.
fn results(
    law: &'static Law,
    parameters: &[f64],
    domain: Domain,
    [i, j]: [&[f64]; 2],
    is_one_set: bool,
) -> Vec<f64> {
    let parameters: Vec<_> = parameters.iter().map(|x| x.to_bits()).collect();
    let (i, j) = (rows(law.i, i), rows(law.j, j));
    let j = if is_one_set { Sources::Same(&j as _) } else { Sources::Others(&j as _) };
    numbers(reference(law, &parameters, domain, &i, j).unwrap().words())
}

impl Problem {
    fn new(law: &'static Law, text: &str, selection: &AdjointSelection) -> Self {
        let adjoint = adjoint(text, law.name, selection).unwrap();
        let particles = |fields, n, seed| numbers(uniform_rows(fields, n, seed).words());
        let cotangents = particles(law.f, COUNTS[0], 5).iter().map(|b| b - 0.5).collect();
        Self {
            law,
            adjoint,
            parameters: numbers(uniform_rows(law.parameters, 1, 7).words()),
            i: particles(law.i, COUNTS[0], 1),
            j: particles(law.j, COUNTS[1], 2),
            cotangents,
            domain: Domain::Open,
            is_one_set: false,
        }
    }

    fn of_one_set(self) -> Self {
        let j = self.i.clone();
        Self { j, is_one_set: true, ..self }
    }

    /// Moves the particles together, so that many pairs are within a cutoff.
    fn gather(&mut self) {
        for (fields, all) in [(self.law.i, &mut self.i), (self.law.j, &mut self.j)] {
            let points = fields.iter().filter(|field| matches!(field.kind, FieldKind::Point(_)));
            for place in points.flat_map(|field| range(fields, field.name)) {
                all.iter_mut().skip(place).step_by(dim(fields)).for_each(|x| *x *= 0.25);
            }
        }
    }

    /// Returns the places of the numbers of chosen results in a row.
    fn places(&self) -> Vec<usize> {
        let of = self.adjoint.cotangents.iter();
        of.flat_map(|cotangent| range(self.law.f, &cotangent.of)).collect()
    }

    /// Returns each cotangent times its result.
    fn products(&self, parameters: &[f64], i: &[f64], j: &[f64]) -> Vec<f64> {
        let sums = results(self.law, parameters, self.domain, [i, j], self.is_one_set);
        let (dim, places) = (dim(self.law.f), self.places());
        let rows = sums.chunks_exact(dim).zip(self.cotangents.chunks_exact(dim));
        rows.flat_map(|(f, b)| places.iter().map(|&k| f[k] * b[k]).collect::<Vec<_>>()).collect()
    }

    /// Returns the products with one number displaced; in one set of both particles.
    fn displaced(&self, role: Role, place: usize, step: f64) -> Vec<f64> {
        let [mut parameters, mut i, mut j] = [&self.parameters, &self.i, &self.j].map(Clone::clone);
        match role {
            Role::Parameters => parameters[place] += step,
            Role::I => i[place] += step,
            Role::J => j[place] += step,
        }
        if self.is_one_set && role == Role::I {
            j[place] += step;
        }
        self.products(&parameters, &i, &j)
    }

    /// Returns the derivative by a number, and a bound of its error.
    fn difference(&self, role: Role, place: usize) -> (f64, f64) {
        let slopes = |step: f64| -> Vec<f64> {
            let [above, below] = [step, -step].map(|step| self.displaced(role, place, step));
            above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * step)).collect()
        };
        let terms = slopes(STEP).into_iter().zip(slopes(0.5 * STEP));
        let terms: Vec<_> = terms.map(|(whole, half)| (4.0 * half - whole) / 3.0).collect();
        let products = self.products(&self.parameters, &self.i, &self.j);
        let changed = terms.iter().zip(&products).filter(|(slope, _)| **slope != 0.0);
        let bound = changed.map(|(slope, product)| 1e-6 * slope.abs() + 1e-9 * product.abs());
        (terms.iter().sum(), bound.sum())
    }

    /// Returns the i-particles with their cotangents.
    fn seeded(&self) -> Vec<f64> {
        let (of_i, of_f, places) = (dim(self.law.i), dim(self.law.f), self.places());
        let rows = self.i.chunks_exact(of_i).zip(self.cotangents.chunks_exact(of_f));
        let row = |(i, b): (&[f64], &[f64])| {
            i.iter().copied().chain(places.iter().map(|&k| b[k])).collect::<Vec<_>>()
        };
        rows.flat_map(row).collect()
    }

    /// Returns the results of one of both laws of the adjoint, and the numbers of a row.
    fn derivatives(&self, it: &AdjointLaw, of_sources: bool) -> (&'static Law, Vec<f64>) {
        let declared = declare_in(&it.text, nbody_tests::kernels()).unwrap();
        let law = declared.law(&it.name).unwrap();
        let seeded = self.seeded();
        let particles: [&[f64]; 2] =
            if of_sources { [&self.j, &seeded] } else { [&seeded, &self.j] };
        (law, results(law, &self.parameters, self.domain, particles, self.is_one_set))
    }

    /// Returns the derivatives by the numbers of both particles and of the parameters.
    fn gradients(&self) -> [Vec<f64>; 3] {
        let [mut parameters, mut i, mut j] =
            [&self.parameters, &self.i, &self.j].map(|it| vec![0.0; it.len()]);
        let laws = [(&self.adjoint.of_targets, false), (&self.adjoint.of_sources, true)];
        for (it, of_sources) in laws {
            let Some(it) = it else { continue };
            let (law, sums) = self.derivatives(it, of_sources);
            for (k, row) in sums.chunks_exact(dim(law.f)).enumerate() {
                for gradient in &it.gradients {
                    let found = &row[range(law.f, &gradient.field)];
                    let (fields, name, first, all) = match &gradient.by {
                        AdjointVariable::Parameter(name) => {
                            (self.law.parameters, name, 0, &mut parameters)
                        }
                        AdjointVariable::I(name) => (self.law.i, name, k * dim(self.law.i), &mut i),
                        AdjointVariable::J(name) => {
                            let all = if self.is_one_set { &mut i } else { &mut j };
                            (self.law.j, name, k * dim(self.law.j), all)
                        }
                    };
                    let places = range(fields, name);
                    for (place, x) in places.zip(found) {
                        all[first + place] += x;
                    }
                }
            }
        }
        [parameters, i, j]
    }

    /// Returns the variables of the adjoint: each with a derivative, or with zero.
    fn variables(&self) -> Vec<(Role, &'static [Field], String)> {
        let laws = self.adjoint.of_targets.iter().chain(&self.adjoint.of_sources);
        let derived = laws.flat_map(|law| law.gradients.iter().map(|gradient| &gradient.by));
        let variable = |it: &AdjointVariable| match it {
            AdjointVariable::Parameter(name) => {
                (Role::Parameters, self.law.parameters, name.clone())
            }
            AdjointVariable::I(name) => (Role::I, self.law.i, name.clone()),
            AdjointVariable::J(name) => (Role::J, self.law.j, name.clone()),
        };
        derived.chain(&self.adjoint.zero).map(variable).collect()
    }

    /// Compares the adjoint with differences; returns the faults and the number of comparisons that
    /// are not of zeros.
    fn check(&self) -> (Vec<String>, usize) {
        let found = self.gradients();
        let (mut faults, mut compared) = (Vec::new(), 0);
        for (role, fields, name) in self.variables() {
            if self.is_one_set && role == Role::J {
                continue;
            }
            let all = &found[role as usize];
            for first in (0..all.len()).step_by(dim(fields)) {
                for place in range(fields, &name).map(|place| first + place) {
                    let (expected, bound) = self.difference(role, place);
                    let found = all[place];
                    compared += usize::from(expected != 0.0);
                    // NaN is not within the bound.
                    let is_right = (found - expected).abs() <= bound;
                    if !is_right {
                        faults.push(format!(
                            "{} {role:?} {name} {place}: {found:e}, expected {expected:e} to {bound:e}",
                            self.law.name
                        ));
                    }
                }
            }
        }
        (faults, compared)
    }
}

/// Checks all problems.
fn check(problems: &[Problem]) {
    let checked: Vec<_> = problems.par_iter().map(Problem::check).collect();
    let faults: Vec<_> = checked.iter().flat_map(|(faults, _)| faults).collect();
    assert!(faults.is_empty(), "{} faults:\n{:#?}", faults.len(), &faults[..faults.len().min(20)]);
    for (problem, (_, compared)) in problems.iter().zip(&checked) {
        assert!(*compared >= 8, "{} compares only {compared} numbers", problem.law.name);
    }
}

/// Results of ready laws that are no sums.
fn sums_of(law: &Law) -> Vec<String> {
    let sums = law.f.iter().filter(|field| field.kind.is_sum());
    sums.map(|field| field.name.to_owned()).collect()
}

#[test]
fn adjoints_of_ready_laws_are_derivatives() {
    struct Problems(Vec<Problem>);
    impl Visitor for Problems {
        fn visit<X: Interaction>(&mut self, interaction: X) {
            let law = X::LAW;
            let selection =
                AdjointSelection { results: Some(sums_of(law)), ..AdjointSelection::default() };
            let text = source(law.name).unwrap();
            let problem = Problem::new(law, text, &selection);
            if problem.adjoint.cotangents.is_empty() {
                assert!(problem.adjoint.of_targets.is_none(), "{}", law.name);
                assert!(problem.adjoint.of_sources.is_none(), "{}", law.name);
                return;
            }
            let mut problem = Problem { parameters: numbers(&words(&[interaction])), ..problem };
            if law.cutoff {
                problem.gather();
            }
            self.0.push(problem);
        }
    }
    let mut problems = Problems(Vec::new());
    visit_all(&mut problems);
    check(&problems.0);
}

#[test]
fn adjoints_of_texts_are_derivatives() {
    let problem = |text: &Text| {
        let law =
            declare_in(text.declaration, nbody_tests::kernels()).unwrap().law(text.name).unwrap();
        let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
        let results = if text.results.is_empty() { None } else { names(text.results) };
        let selection = AdjointSelection { results, ..AdjointSelection::default() };
        let problem = Problem::new(law, text.declaration, &selection);
        let problem = if text.is_one_set { problem.of_one_set() } else { problem };
        let domain = if text.is_periodic {
            Domain::periodic([0.8, 0.9, f64::INFINITY]).unwrap()
        } else {
            Domain::Open
        };
        Problem { domain, ..problem }
    };
    check(&TEXTS.iter().map(problem).collect::<Vec<_>>());
}

#[test]
fn every_ready_law_and_tuple_has_its_text() {
    for law in nbody_interactions::laws() {
        assert_eq!(nbody_interactions::law(law.name), Some(*law));
        assert_eq!(ready(law.name), *law);
    }
    for tuple in nbody_interactions::tuples() {
        let text = source(tuple.name).unwrap_or_else(|| panic!("{} has a text", tuple.name));
        assert_eq!(nbody_interactions::tuple(tuple.name).map(|it| it.name), Some(tuple.name));
        let declared = declare_in(text, nbody_tests::kernels()).unwrap();
        assert_eq!(declared.program(tuple.name).unwrap().name, tuple.name);
    }
    assert!(source("radial_distribution").is_some() && source("baoa").is_some());
    assert_eq!((source("gravit"), nbody_interactions::law("gravit")), (None, None));
}
