//! Compiled laws with particles, and the same laws declared from their texts.

use nbody::Interaction;
use nbody::law::{Declarations, Field, Law, Record, Writer};
use nbody::prelude::*;
use nbody::untyped::{Buffer, OwnedRows};
use nbody_declare::declare_in;
use nbody_interactions::{Visitor, source};
use nbody_tests::inputs::{Digits, Inputs, particles};

/// More particles than a cutoff filter takes at a time, and no multiple of a vector.
pub const N: usize = 401;

/// The files of laws that together use the whole language.
const FILES: [&str; 6] = [
    "tests/common/derived.rs",
    "tests/common/indexed.rs",
    "tests/common/lib.rs",
    "tests/common/line.rs",
    "tests/common/splines.rs",
    "tests/common/words.rs",
];

/// A law by the Rust compiler, the same law from its text, and rows of its records.
pub struct Case {
    pub compiled: &'static Law,
    pub declared: &'static Law,
    pub parameters: Vec<u64>,
    pub i: Vec<u64>,
    pub j: Vec<u64>,
}

/// The words of rows.
#[derive(Default)]
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

pub fn words<P: Record<Lane = f64>>(records: &[P]) -> Vec<u64> {
    let mut words = Words::default();
    for record in records {
        record.write(&mut words);
    }
    words.0
}

/// Returns a buffer of particles.
pub fn upload(
    device: &Device,
    fields: &'static [Field],
    words: &[u64],
    precision: Precision,
) -> Box<dyn Buffer> {
    let rows = OwnedRows::new(fields, words.to_vec()).unwrap();
    device.untyped().upload(&rows, precision).unwrap()
}

/// Returns the words of all rows of a buffer.
pub fn download(buffer: &dyn Buffer) -> Vec<u64> {
    let (n, numbers) = (buffer.len(), buffer.fields().iter().map(|it| it.kind.components()));
    let mut words = vec![0; n * numbers.sum::<usize>()];
    buffer.read(0..n, &mut |write| write(0..n, &mut words)).unwrap();
    words
}

/// Returns the text of a file of the workspace.
fn text(file: &str) -> String {
    std::fs::read_to_string(format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Returns the declarations of a file of the workspace. Their loops are kept beside the programs of
/// other tests, and not in the cache of the user.
pub fn declared(file: &str) -> Declarations {
    declare_in(&text(file), nbody_tests::kernels()).unwrap()
}

/// Returns the law that the text of a ready law declares.
pub fn ready(name: &str) -> &'static Law {
    let text = source(name).unwrap_or_else(|| panic!("{name} has a text"));
    declare_in(text, nbody_tests::kernels()).unwrap().law(name).unwrap()
}

/// Returns all cases.
pub fn cases() -> Vec<Case> {
    struct Cases(Vec<&'static Law>, Vec<Case>);
    impl Visitor for Cases {
        fn visit<X: Interaction>(&mut self, interaction: X) {
            let i: Vec<X::I> = particles(N, Inputs::Uniform, Digits::All, 3);
            let j: Vec<X::J> = particles(N, Inputs::Uniform, Digits::All, 3);
            let found = self.0.iter().find(|law| **law == X::LAW);
            self.1.push(Case {
                compiled: X::LAW,
                declared: found.unwrap_or_else(|| panic!("{} is among the texts", X::LAW.name)),
                parameters: words(&[interaction]),
                i: words(&i),
                j: words(&j),
            });
        }
    }
    let mut laws: Vec<_> = FILES.iter().flat_map(|file| declared(file).laws).collect();
    laws.extend(nbody_interactions::laws().iter().map(|law| ready(law.name)));
    let mut cases = Cases(laws, Vec::new());
    nbody_tests::visit_all(&mut cases);
    cases.1
}
