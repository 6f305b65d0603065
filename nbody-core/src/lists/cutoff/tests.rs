//! Tests of cutoffs.

use super::*;
use crate::law::interaction::{CpuLoops, CudaText, Operations};
use crate::numeric::interval::steps::{Function, Role, Step};

const X: &[Field] = &[Field { name: "x", kind: FieldKind::Real }];
const SIGNED: &[Step] = &[
    Step::Real(1.0),
    Step::Number(Role::Parameters, 0),
    Step::Apply(Function::Copysign, [0, 1, 0]),
];
const LAW: Law = Law {
    name: "signed",
    self_pairs: false,
    cutoff: true,
    cutoff_reads: [&[], &[]],
    reach: SIGNED,
    charges: Err("it has a cutoff"),
    operations: Operations { add: 0, mul: 0, div: 0, sqrt: 0, special: 0, compare: 0 },
    most_counted: None,
    cuda: CudaText { law: "", sums: "", compensated: "" },
    third_law: None,
    parameters: X,
    i: &[],
    j: &[],
    f: X,
    cpu_loops: CpuLoops::None,
};
static ONE: Law = LAW;
/// The same name and texts with another cutoff.
static OTHER: Law = Law { reach: &[Step::Real(1.0)], ..LAW };
static COPY: Law = LAW;

#[test]
fn cutoffs_are_equal_if_all_bits_are() {
    let of = |law, x: f64| Cutoff::new(law, &[x.to_bits()]);
    assert_eq!(of(&ONE, 0.0), of(&COPY, 0.0));
    assert_eq!(of(&ONE, f64::NAN), of(&ONE, f64::NAN));
    assert_ne!(of(&ONE, 0.0), of(&ONE, -0.0), "cutoffs of 1 and -1");
    assert_ne!(of(&ONE, 0.0), of(&OTHER, 0.0));
    assert_ne!(ONE, Law { parameters: &[], ..LAW });
}
