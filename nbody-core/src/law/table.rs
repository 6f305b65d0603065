//! Laws made at run time.

use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::law::charges::{Carried, ChargeSum, Charges};
use crate::law::interaction::CpuLoops;
use crate::law::interaction::{CudaText, Law, Operations, ThirdLaw, saves};
use crate::law::interned::Interned;
use crate::law::loops::LoadLoops;
use crate::numeric::interval::steps::Step;

/// A law as a table: everything that code generation knows of a declaration, without loops for the
/// CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct LawTable {
    /// The name in messages.
    pub name: String,
    /// Whether a particle interacts with itself when i and j are one set.
    pub self_pairs: bool,
    /// The cutoff, if the law has one: the steps that compute it, and the numbers of an i-particle
    /// and of a j-particle that it reads.
    pub cutoff: Option<(Vec<Step>, [Vec<usize>; 2])>,
    /// The charges of j that results are sums over: their products, the value of each number of a
    /// j-particle that carries them, and for each field of the result its charges and whether it
    /// depends on numbers of i other than the position. Otherwise the reason why there are none.
    pub charges: Result<ChargeTable, String>,
    /// The cost of one ordered pair.
    pub operations: Operations,
    /// A bound of the sum of all numbers that one pair adds to counts; `None` if it depends on the
    /// data.
    pub most_counted: Option<u32>,
    /// The CUDA text of the declaration, of its sums and of compensated sums: [`CudaText`].
    pub cuda: [String; 3],
    /// The CUDA text of both directions of a pair at once, and its cost.
    pub third_law: Option<(String, Operations)>,
    /// The fields of the parameters, of an i-particle, of a j-particle and of a result.
    pub records: [Vec<(String, FieldKind)>; 4],
}

/// The charges of a [`LawTable`].
#[derive(Clone, Debug, PartialEq)]
pub struct ChargeTable {
    /// [`Charges::products`].
    pub products: Vec<Vec<usize>>,
    /// [`Charges::carried`].
    pub carried: Vec<Carried>,
    /// [`Charges::sums`].
    pub sums: Vec<(Vec<usize>, bool)>,
}

impl LawTable {
    /// Returns the law of this table. Tables with equal bits give the same law, which lives as long
    /// as the process. A table that contradicts itself is refused, and takes no memory.
    ///
    /// # Safety
    ///
    /// Engines run the CUDA text on memory that is laid out as the fields of the records say: the
    /// text must declare its structs so, and neither read nor write anything else.
    #[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the CUDA text")]
    pub unsafe fn intern(self) -> Result<&'static Law, Error> {
        self.known(None)
    }

    /// Returns the law of this table with loops on the CPU, which belong to the table: tables with
    /// equal bits have equal loops.
    ///
    /// # Safety
    ///
    /// As for [`intern`](Self::intern).
    #[doc(hidden)]
    #[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the CUDA text")]
    pub unsafe fn intern_with(self, loops: Box<dyn LoadLoops>) -> Result<&'static Law, Error> {
        self.known(Some(loops))
    }

    /// Returns whether evaluating both directions of a pair at once saves operations.
    #[doc(hidden)]
    pub fn saves_by_symmetry(&self) -> bool {
        let third_law = self.third_law.as_ref();
        third_law.is_some_and(|(_, both)| saves(self.cutoff.is_some(), *both, self.operations))
    }

    fn known(self, loops: Option<Box<dyn LoadLoops>>) -> Result<&'static Law, Error> {
        static KNOWN: Interned<LawTable, Law> = Interned::new();
        self.check()?;
        Ok(KNOWN.get(self, loops, |table, loops| {
            table.law(loops.map_or(CpuLoops::None, CpuLoops::Loaded))
        }))
    }

    fn law(self, cpu_loops: CpuLoops) -> Law {
        let Self { name, self_pairs, cutoff, charges, operations, most_counted, .. } = self;
        let (cuda, third_law, records) = (self.cuda, self.third_law, self.records);
        let [law, sums, compensated] = cuda.map(text);
        let [parameters, i, j, f] = records.map(fields);
        let has_cutoff = cutoff.is_some();
        let (reach, reads) = cutoff.unwrap_or_default();
        Law {
            name: text(name),
            self_pairs,
            cutoff: has_cutoff,
            cutoff_reads: reads.map(slice),
            reach: slice(reach),
            charges: charges.map(ChargeTable::charges).map_err(text),
            operations,
            most_counted,
            cuda: CudaText { law, sums, compensated },
            third_law: third_law
                .map(|(cuda, operations)| ThirdLaw { cuda: text(cuda), operations }),
            parameters,
            i,
            j,
            f,
            cpu_loops,
        }
    }
}

impl ChargeTable {
    fn charges(self) -> Charges {
        let sum = |(charges, depends_on_i)| ChargeSum { charges: slice(charges), depends_on_i };
        Charges {
            products: slice(self.products.into_iter().map(slice)),
            carried: slice(self.carried),
            sums: slice(self.sums.into_iter().map(sum)),
        }
    }
}

pub(crate) fn fields(fields: Vec<(String, FieldKind)>) -> &'static [Field] {
    slice(fields.into_iter().map(|(name, kind)| Field { name: text(name), kind }))
}

pub(crate) fn text(text: String) -> &'static str {
    String::leak(text)
}

pub(crate) fn slice<T>(items: impl IntoIterator<Item = T>) -> &'static [T] {
    Vec::leak(items.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::interval::steps::Function;

    /// Returns the law of a cutoff of a constant with a sign.
    #[allow(unsafe_code, reason = "nothing runs the text")]
    fn law(constant: f64) -> &'static Law {
        let record = |kind| vec![("x".to_owned(), kind)];
        let point = || record(FieldKind::Point(3));
        let steps = [Step::Real(1.0), Step::Real(constant)];
        let signed = Step::Apply(Function::Copysign, [0, 1, 0]);
        let table = LawTable {
            name: "signed".to_owned(),
            self_pairs: false,
            cutoff: Some(([&steps[..], &[signed]].concat(), Default::default())),
            charges: Err("it has a cutoff".to_owned()),
            operations: Operations::default(),
            most_counted: None,
            cuda: Default::default(),
            third_law: None,
            records: [Vec::new(), point(), point(), record(FieldKind::Real)],
        };
        // SAFETY: no engine gets the law.
        unsafe { table.intern() }.unwrap()
    }

    #[test]
    fn tables_of_the_same_bits_are_one_law() {
        let [zero, negative, nan] = [0.0, -0.0, f64::NAN].map(law);
        assert!(!std::ptr::eq(zero, negative), "0 and -0 have different signs");
        assert_ne!(zero, negative);
        for (one, constant) in [(zero, 0.0), (negative, -0.0), (nan, f64::NAN)] {
            assert!(std::ptr::eq(one, law(constant)), "{constant}");
        }
    }
}
