//! The parameters of a law or a program on a backend.

use std::sync::Arc;

use nbody_core::pack::{Parameters, convert, words};
use nbody_core::{Error, Field, FieldKind, Mixed, Precision, Scalar};

use crate::backend::{Backend, Launch, Memory};
use crate::layout::{self, bytes_of, numbers_of};

/// The text of splines, for programs with such parameters.
const SPLINE: &str = include_str!("../../kernels/spline.cuh");

/// Returns the text that programs with these parameters need besides the prelude.
pub(crate) fn text_of_parameters(fields: &[Field]) -> &'static str {
    let is_spline =
        |field: &Field| matches!(field.kind, FieldKind::Spline(_) | FieldKind::Splines(..));
    if fields.iter().any(is_spline) { SPLINE } else { "" }
}

/// Parameters as an argument of kernels.
#[derive(Debug)]
pub(crate) struct DeviceParameters {
    row: Parameters,
    precision: Precision,
    backend: Arc<dyn Backend>,
    /// The struct of the kernels.
    argument: Vec<u64>,
    /// The polynomials of splines, which the argument has the addresses of.
    splines: Vec<Box<dyn Memory>>,
    /// Whether the device has taken the numbers.
    failure: Result<(), Error>,
}

impl DeviceParameters {
    /// Creates parameters of these fields, one row. Refuses a row of another length, and NaN.
    pub fn new(
        backend: &Arc<dyn Backend>,
        fields: &'static [Field],
        row: &[u64],
        precision: Precision,
    ) -> Result<Self, Error> {
        let row = Parameters::new(fields, row)?;
        let (argument, splines) = converted(&row, precision, &**backend, Vec::new())?;
        Ok(Self { row, precision, backend: backend.clone(), argument, splines, failure: Ok(()) })
    }

    /// Sets the numbers. Refuses what `new` refuses. If the device fails, every evaluation reports it.
    pub fn set(&mut self, row: &[u64]) -> Result<(), Error> {
        self.row.set(row)?;
        let splines = std::mem::take(&mut self.splines);
        let set = converted(&self.row, self.precision, &*self.backend, splines);
        self.failure = set.map(|(argument, splines)| {
            (self.argument, self.splines) = (argument, splines);
        });
        Ok(())
    }

    /// Refuses NaN, and reports a failure of the device to take the numbers.
    pub fn check(&self) -> Result<(), Error> {
        self.row.check()?;
        self.failure.clone()
    }

    /// Returns the fields.
    pub fn fields(&self) -> &'static [Field] {
        self.row.fields()
    }

    /// Returns the numbers, one row.
    pub fn row(&self) -> &[u64] {
        self.row.row()
    }

    /// Passes the parameters to a kernel.
    pub fn pass<'a>(&'a self, launch: Launch<'a>) -> Launch<'a> {
        let launch = launch.record(&self.argument);
        self.splines.iter().fold(launch, |launch, memory| launch.reads(&**memory))
    }
}

type Converted = (Vec<u64>, Vec<Box<dyn Memory>>);

/// Converts numbers to the struct of kernels, and the polynomials of splines to numbers in memory,
/// which may be memory of earlier ones.
fn converted(
    row: &Parameters,
    precision: Precision,
    backend: &dyn Backend,
    earlier: Vec<Box<dyn Memory>>,
) -> Result<Converted, Error> {
    match precision {
        Precision::Single => converted_in::<f32>(row, backend, earlier),
        Precision::Double => converted_in::<f64>(row, backend, earlier),
        Precision::Mixed => converted_in::<Mixed>(row, backend, earlier),
    }
}

fn converted_in<S: Scalar>(
    row: &Parameters,
    backend: &dyn Backend,
    earlier: Vec<Box<dyn Memory>>,
) -> Result<Converted, Error> {
    let numbers = convert::<S>(row.fields(), row.row());
    let mut earlier = earlier.into_iter();
    let (mut bytes, mut splines, mut rest) = (Vec::new(), Vec::new(), &numbers[..]);
    for field in row.fields() {
        let (of_field, others) = rest.split_at(words::<S>(std::slice::from_ref(field)));
        rest = others;
        // The scale of one spline is in the struct; scales of several are in memory, as an index
        // chooses them.
        let (scale, cubics) = match field.kind {
            FieldKind::Spline(_) => (&of_field[..2], &of_field[4..]),
            FieldKind::Splines(..) => (&[][..], of_field),
            _ => {
                bytes.extend_from_slice(bytemuck::cast_slice(of_field));
                continue;
            }
        };
        let memory = match earlier.next() {
            Some(mut memory) => {
                memory.overwrite(cubics)?;
                memory
            }
            None => backend.copied(cubics)?,
        };
        bytes.resize(bytes.len().next_multiple_of(size_of::<u64>()), 0);
        bytes.extend_from_slice(&memory.address().to_le_bytes());
        bytes.extend_from_slice(bytemuck::cast_slice(scale));
        splines.push(memory);
    }
    Ok((layout::words(&bytes), splines))
}

/// Returns the bytes of the struct of kernels.
pub(crate) fn bytes_of_parameters(fields: &[Field], precision: Precision) -> usize {
    let real = bytes_of(precision);
    let sum = |bytes: usize, field: &Field| match field.kind {
        // The address, and two numbers.
        FieldKind::Spline(_) => bytes.next_multiple_of(8) + 8 + 2 * real,
        FieldKind::Splines(..) => bytes.next_multiple_of(8) + 8,
        _ => bytes + numbers_of(std::slice::from_ref(field), precision) * real,
    };
    fields.iter().fold(0, sum)
}

/// Returns the offset in 32-bit words of each number of parameters in `f64` in the struct of kernels,
/// and 0 for the numbers of splines.
pub(crate) fn offsets(fields: &[Field]) -> Vec<usize> {
    let (mut offsets, mut words) = (Vec::new(), 0);
    for field in fields {
        let n = field.kind.components();
        let of_splines = match field.kind {
            // The address, and two numbers.
            FieldKind::Spline(_) => 3,
            FieldKind::Splines(..) => 1,
            _ => {
                offsets.extend((words..words + n).map(|word| 2 * word));
                words += n;
                continue;
            }
        };
        offsets.resize(offsets.len() + n, 0);
        words += of_splines;
    }
    offsets
}
