//! Rates of change against finite differences.

use proptest::prelude::*;

use super::interpret::{Inputs, Value, key};
use super::{assert_typed, checked, inputs, real, results, statement};
use crate::ir::{Input, Module, StructId};

/// Numbers, a vector and a tensor with their rates, as all variables change.
const ENDING: &str = "
    let u = w * e + Vector::new(d.x * t, a[1], r * self.k);
    let s = Tensor::symmetric(u, d) + h;
    f.energy += e;
    f.vector += u;
    f.tensor += s;
    f.rate += e.rate(i.pos = i.vel, j.pos = j.vel, i.mu = j.mu, i.q = j.q, self.k = 0.5,
        self.modes = [i.q, 2.0 * j.q, 0.25]);
    f.vector_rate += u.rate(i.pos = i.vel, j.pos = j.vel, self.k = -i.q);
    f.tensor_rate += s.rate(j.pos = j.vel, i.pos = -j.vel);";

/// A field and its velocity.
type Along = (Input, &'static str, Vec<f64>);

/// Returns the numbers of a field.
fn numbers(module: &Module, inputs: &Inputs, (input, name): (Input, &str)) -> Vec<f64> {
    let (field, _) =
        module.structs.fields(record(module, input)).find(|(_, it)| it.ident == name).unwrap();
    match &inputs[&key(input, field)] {
        Value::Numbers(numbers) => numbers.clone(),
        _ => panic!("{name}"),
    }
}

fn record(module: &Module, input: Input) -> StructId {
    let law = &module.interactions[0];
    match input {
        Input::Parameters => law.parameters.id,
        Input::I => law.i.id,
        _ => law.j.id,
    }
}

/// Returns a result after a time.
fn after(module: &Module, inputs: &Inputs, along: &[Along], name: &str, time: f64) -> Vec<f64> {
    let mut moved = inputs.clone();
    for (input, name, velocity) in along {
        let mut fields = module.structs.fields(record(module, *input));
        let (field, _) = fields.find(|(_, it)| it.ident == *name).unwrap();
        let Some(Value::Numbers(numbers)) = moved.get_mut(&key(*input, field)) else { panic!() };
        numbers.iter_mut().zip(velocity).for_each(|(x, v)| *x += time * v);
    }
    results(module, &moved)[name].clone()
}

/// Compares each rate with differences, wherever the value is smooth, and returns the number of
/// comparisons.
pub fn compare(body: &str, seed: &[f64]) -> usize {
    let module = checked(body, ENDING).unwrap_or_else(|messages| panic!("{messages:?}\n{body}"));
    assert_typed(&module);
    let inputs = inputs(&module, seed);
    let found = results(&module, &inputs);
    let of = |input, name| numbers(&module, &inputs, (input, name));
    let scaled = |x: Vec<f64>, by: f64| x.into_iter().map(|x| by * x).collect::<Vec<_>>();
    let (vel_i, vel_j) = (of(Input::I, "vel"), of(Input::J, "vel"));
    let (q_i, q_j) = (of(Input::I, "q"), of(Input::J, "q"));
    let moves =
        |i: &[f64], j: &[f64]| vec![(Input::I, "pos", i.to_vec()), (Input::J, "pos", j.to_vec())];
    let mut all = moves(&vel_i, &vel_j);
    all.extend([
        (Input::I, "mu", of(Input::J, "mu")),
        (Input::I, "q", q_j.clone()),
        (Input::Parameters, "k", vec![0.5]),
        (Input::Parameters, "modes", vec![q_i[0], 2.0 * q_j[0], 0.25]),
    ]);
    let mut with_k = moves(&vel_i, &vel_j);
    with_k.push((Input::Parameters, "k", scaled(q_i, -1.0)));
    let apart = moves(&scaled(vel_j.clone(), -1.0), &vel_j);
    let mut compared = 0;
    for (name, rate, along) in [
        ("energy", "rate", all),
        ("vector", "vector_rate", with_k),
        ("tensor", "tensor_rate", apart),
    ] {
        let at = |time| after(&module, &inputs, &along, name, time);
        let middle = at(0.0);
        let slopes = |step: f64| {
            let (later, earlier) = (at(step), at(-step));
            let one = |k: usize| [(later[k] - middle[k]) / step, (middle[k] - earlier[k]) / step];
            (0..middle.len()).map(one).collect::<Vec<_>>()
        };
        for (k, ([a, b], [c, d])) in slopes(1e-5).into_iter().zip(slopes(1e-6)).enumerate() {
            let size = 1.0 + a.abs() + b.abs();
            let is_smooth = [a - b, a - c, b - d].iter().all(|it| it.abs() < 1e-3 * size);
            if !is_smooth || size > 1e4 {
                continue;
            }
            let (expected, found) = (0.5 * (a + b), found[rate][k]);
            let rounding = 1e-9 * middle[k].abs();
            assert!(
                (found - expected).abs() < 1e-5 * size + (a - b).abs() + rounding,
                "{rate} {k}: {found}, not {expected}\n{body}"
            );
            compared += 1;
        }
    }
    compared
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn rates_are_the_limits_of_differences(
        (first, second, e) in (statement(1), statement(2), real()),
        seed in prop::collection::vec(-1.2..1.4f64, 37),
    ) {
        // Every rate depends on its variables.
        let all = "1e-3 * (r2 + i.mu.x + i.mu.y * i.q + self.k + self.modes[1] + t * t)";
        compare(&format!("{first}\n{second}\nlet e = ({e}) + {all};"), &seed);
    }
}

/// The number of comparisons of the same body at several places.
#[test]
fn rates_are_compared() {
    let body = "
        t += (r * self.k).sin();
        w += d.cross(i.mu) / (1.0 + r2) + [t, r, 1.0][i.kind] * d;
        a[1] = t.max(r).clamp(0.1, 3.0).powf(1.5 + t.tanh());
        for k in 0..3 { h.xz += a[k] * d[k]; if r > 1.0 { h *= 0.5; } }
        let e = t * i.mu.dot(d) / (0.3 + r2) + self.modes[1] * r2 + (i.mu - d).norm() * t.atan2(r);";
    let seeds = (1..9).map(|k| (1..38).map(|n| (f64::from(k * n) * 0.37).sin()).collect());
    let compared: usize = seeds.map(|seed: Vec<f64>| compare(body, &seed)).sum();
    assert!(compared > 70, "{compared}");
}

/// A rate of a rate: two derivatives of an oscillation.
#[test]
fn rates_have_rates() {
    let ending = "
        let first = e.rate(i.q = i.mu.x);
        f.energy += first;
        f.rate += first.rate(i.q = i.mu.x, i.mu = Vector::new(-i.q, 0.0, 0.0));";
    let module = checked("let e = i.q.sin();", ending).unwrap();
    let found = results(&module, &inputs(&module, &[0.3, -0.7, 0.9, 1.1, -0.2, 0.5, 0.8]));
    let inputs = inputs(&module, &[0.3, -0.7, 0.9, 1.1, -0.2, 0.5, 0.8]);
    let (q, v) = (
        numbers(&module, &inputs, (Input::I, "q"))[0],
        numbers(&module, &inputs, (Input::I, "mu"))[0],
    );
    assert!((found["energy"][0] - q.cos() * v).abs() < 1e-14);
    assert!((found["rate"][0] + q.sin() * v * v + q.cos() * q).abs() < 1e-14);
}

/// The undefined slope of the branch that is not taken has no effect, and terms that cancel leave the
/// others.
#[test]
fn rates_see_the_chosen_branch_alone() {
    let body = "
        let e = if r > 0.0 { r.sqrt() / r } else { 0.0 };
        let zero = (i.q - i.q) * r2 + d.dot(w) - d.dot(w) + d.dot(i.mu);";
    let ending =
        "f.energy += e; f.rate += e.rate(i.pos = i.vel); f.by_k += zero.rate(i.pos = i.vel);";
    let module = checked(body, ending).unwrap();
    let mut inputs = inputs(&module, &[0.3, -0.7, 0.9, 1.1, -0.2, 0.5, 0.8]);
    let there = numbers(&module, &inputs, (Input::I, "pos"));
    let (vel, mu) =
        (numbers(&module, &inputs, (Input::I, "vel")), numbers(&module, &inputs, (Input::I, "mu")));
    let (pos, _) =
        module.structs.fields(record(&module, Input::J)).find(|(_, it)| it.ident == "pos").unwrap();
    inputs.insert(key(Input::J, pos), Value::Numbers(there));
    let found = results(&module, &inputs);
    assert_eq!((found["energy"][0], found["rate"][0]), (0.0, 0.0));
    let expected: f64 = vel.iter().zip(&mu).map(|(v, mu)| v * mu).sum();
    assert!((found["by_k"][0] - expected).abs() < 1e-14, "{} {expected}", found["by_k"][0]);
}
