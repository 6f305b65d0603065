//! Particles and results on a device.

use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

use crate::law::{Field, FieldValue, Record, Scalar};
use crate::{Error, Precision, Values, ValuesMut};
use nbody_core::pack::{self, WriteRows};
use nbody_core::untyped::Buffer;

/// Particles in the memory of a device.
#[derive(Debug)]
pub struct Particles<P> {
    buffer: Box<dyn Buffer>,
    record: PhantomData<P>,
}

/// Results in the memory of a device.
#[derive(Debug)]
pub struct Results<F> {
    buffer: Box<dyn Buffer>,
    record: PhantomData<F>,
}

/// The total of a measure in the memory of a device: one record in double precision, which measures
/// write ([`PerParticle::measure_into`](crate::PerParticle::measure_into)) and programs per particle
/// read as their `type G`, without the host.
#[derive(Debug)]
pub struct Total<T> {
    buffer: Box<dyn Buffer>,
    record: PhantomData<T>,
}

impl<P> Particles<P> {
    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the precision.
    pub fn precision(&self) -> Precision {
        self.buffer.precision()
    }

    /// Returns the rows without the type of the record.
    pub fn untyped(&self) -> &dyn Buffer {
        &*self.buffer
    }

    /// Returns the rows without the type of the record.
    pub fn untyped_mut(&mut self) -> &mut dyn Buffer {
        &mut *self.buffer
    }
}

impl<P: Record<Lane = f64>> Particles<P> {
    /// Returns the particles in a buffer of this record.
    pub(crate) fn of(buffer: Box<dyn Buffer>) -> Result<Self, Error> {
        Error::check_record("particles", buffer.fields(), P::FIELDS)?;
        Ok(Self { buffer, record: PhantomData })
    }

    /// Copies the particles to the host, after all earlier work on the device. Positions in mixed
    /// precision are the sums of hi and lo.
    pub fn download(&self) -> Result<Vec<P>, Error> {
        self.download_range(0..self.len())
    }

    /// Copies some of the particles to the host, as [`download`](Self::download) does. A range
    /// beyond the particles is an error.
    pub fn download_range(&self, range: Range<usize>) -> Result<Vec<P>, Error> {
        Error::check_range(&range, self.len())?;
        let (n, mut particles) = (range.len(), Vec::new());
        let take = &mut |write: &WriteRows| particles = pack::unpack(n, write);
        self.buffer.read(range, take)?;
        Ok(particles)
    }

    /// Replaces all particles by others, whose number may be another; fewer particles keep the memory
    /// of the device. For i-particles that the host moves before each evaluation.
    pub fn replace(&mut self, particles: &[P]) -> Result<(), Error> {
        self.buffer.replace(&particles)
    }

    /// Replaces the particles at these addresses, one address for each: `bodies.write_at(&[7, 2],
    /// &[seventh, second])`. The host sends these particles and no others. Addresses behind the end
    /// append particles, at an amortised cost as with a `Vec`. It is an error to give an address
    /// twice, or an address behind the end without all addresses before it; the particles are then
    /// unchanged.
    pub fn write_at(&mut self, addresses: &[u32], particles: &[P]) -> Result<(), Error> {
        self.buffer.write_at(addresses, &particles)
    }

    /// Appends copies of all particles of another buffer of the same device and precision, on the
    /// device: the host sends nothing. At an amortised cost as with a `Vec`. The particles are unchanged
    /// if the others are refused: another device or precision, too many particles, too little memory.
    pub fn append(&mut self, others: &Self) -> Result<(), Error> {
        self.buffer.append(others.untyped())
    }

    /// Replaces a single field of all particles: `bodies.replace_field("mass", &masses)?`. The values
    /// are a slice in any precision, a slice for each component, or taken from the caller's own structs
    /// (see [`Values`]); they are rounded to the precision of the particles, as by an upload, and other
    /// fields keep their bits. The host sends this field and no other. Another name, type or number of
    /// values is an error, and the particles are unchanged.
    pub fn replace_field<'a>(
        &mut self,
        name: &str,
        values: impl Into<Values<'a>>,
    ) -> Result<(), Error> {
        replace_field(&mut *self.buffer, P::FIELDS, name, &values.into())
    }

    /// Copies a single field of all particles to the host, as [`download`](Self::download) does:
    /// `let masses: Vec<f64> = bodies.download_field("mass")?`. A name or type that the record does
    /// not have is an error (see [`FieldValue`]).
    pub fn download_field<T: FieldValue>(&self, name: &str) -> Result<Vec<T>, Error> {
        download_field(&*self.buffer, P::FIELDS, name)
    }

    /// Copies a single field of all particles to memory of the caller, in the caller's precision:
    /// `bodies.download_field_into("vel", &mut velocities)?`, where these are a slice of `[f32; 3]`, a
    /// slice for each component, or structs of the caller (see [`ValuesMut`]). Reals are rounded to the
    /// nearest `f32` if the caller has that; numbers beyond its range become infinite. Another name, type
    /// or length is an error, and the memory is unchanged.
    pub fn download_field_into<'a>(
        &self,
        name: &str,
        to: impl Into<ValuesMut<'a>>,
    ) -> Result<(), Error> {
        download_field_into(&*self.buffer, P::FIELDS, name, to.into())
    }
}

impl<F> Results<F> {
    /// Returns the number of results.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Resizes; values are unspecified until an evaluation replaces them. A smaller number keeps
    /// the memory.
    pub fn resize(&mut self, n: usize) -> Result<(), Error> {
        self.buffer.resize(n)
    }

    /// Returns the rows without the type of the record.
    pub fn untyped(&self) -> &dyn Buffer {
        &*self.buffer
    }

    /// Returns the rows without the type of the record.
    pub fn untyped_mut(&mut self) -> &mut dyn Buffer {
        &mut *self.buffer
    }
}

impl<F: Record<Lane = f64>> Results<F> {
    /// Returns the results in a buffer of this record.
    pub(crate) fn of(buffer: Box<dyn Buffer>) -> Result<Self, Error> {
        Error::check_record("results", buffer.fields(), F::FIELDS)?;
        Ok(Self { buffer, record: PhantomData })
    }

    /// Copies the results to the host, after the evaluations that fill them have ended.
    pub fn download<S: Scalar>(&self) -> Result<Vec<F::With<S>>, Error> {
        let (n, mut results) = (self.len(), Vec::new());
        let take = &mut |write: &WriteRows| results = pack::unpack(n, write);
        self.buffer.read(0..n, take)?;
        Ok(results)
    }

    /// Replaces all results by others of the host, whose number may be another, rounded to the
    /// precision of the results. Engines add to them ([`Store::Add`](crate::Store::Add)), and programs per
    /// particle read them.
    pub fn replace<R>(&mut self, results: &[R]) -> Result<(), Error>
    where
        R: Record<Host = F::Host>,
        R::Lane: Scalar,
    {
        self.buffer.write_results(&results)
    }

    /// Replaces a single field of all results, as [`Particles::replace_field`] does.
    pub fn replace_field<'a>(
        &mut self,
        name: &str,
        values: impl Into<Values<'a>>,
    ) -> Result<(), Error> {
        replace_field(&mut *self.buffer, F::FIELDS, name, &values.into())
    }

    /// Copies a single field of all results to the host: `let potentials: Vec<f32> =
    /// out.download_field("pot")?`. A name or type that the record does not have is an error (see
    /// [`FieldValue`]).
    pub fn download_field<T: FieldValue>(&self, name: &str) -> Result<Vec<T>, Error> {
        download_field(&*self.buffer, F::FIELDS, name)
    }

    /// Copies a single field of all results to memory of the caller, as
    /// [`Particles::download_field_into`] does: `out.download_field_into("acc", [&mut x, &mut y, &mut
    /// z])?`.
    pub fn download_field_into<'a>(
        &self,
        name: &str,
        to: impl Into<ValuesMut<'a>>,
    ) -> Result<(), Error> {
        download_field_into(&*self.buffer, F::FIELDS, name, to.into())
    }
}

fn replace_field(
    buffer: &mut dyn Buffer,
    fields: &'static [Field],
    name: &str,
    values: &Values<'_>,
) -> Result<(), Error> {
    let n = buffer.len();
    buffer.write_field(&pack::rows_of_field(fields, name, values, n)?)
}

fn download_field<T: FieldValue>(
    buffer: &dyn Buffer,
    fields: &'static [Field],
    name: &str,
) -> Result<Vec<T>, Error> {
    pack::find_field::<T>(fields, name)?;
    let mut values = pack::no_values::<T>(buffer.len());
    download_field_into(buffer, fields, name, (&mut values).into())?;
    Ok(values)
}

fn download_field_into(
    buffer: &dyn Buffer,
    fields: &'static [Field],
    name: &str,
    to: ValuesMut<'_>,
) -> Result<(), Error> {
    let read = |field, take: &mut dyn FnMut(&WriteRows)| buffer.read_field(field, take);
    pack::read_into(fields, name, buffer.len(), to, read)
}

impl<T> Total<T> {
    /// Returns the record without its type.
    pub fn untyped(&self) -> &dyn Buffer {
        &*self.buffer
    }

    /// Returns the record without its type.
    pub fn untyped_mut(&mut self) -> &mut dyn Buffer {
        &mut *self.buffer
    }
}

impl<T: Record<Lane = f64>> Total<T> {
    /// Returns the total in a buffer of this record.
    pub(crate) fn of(buffer: Box<dyn Buffer>) -> Result<Self, Error> {
        Error::check_record("totals", buffer.fields(), T::FIELDS)?;
        Error::check_one_total("totals", buffer.len())?;
        Ok(Self { buffer, record: PhantomData })
    }

    /// Copies the total to the host, after the measures that write it have ended.
    pub fn download(&self) -> Result<T, Error> {
        let mut row = vec![0; T::DIM];
        self.buffer.read(0..1, &mut |write| write(0..1, &mut row))?;
        Ok(pack::record(&row))
    }

    /// Replaces the total by one from the host. NaN is an error, as it is for a parameter, and the
    /// total stays.
    pub fn write(&mut self, total: &T) -> Result<(), Error>
    where
        T: Record<Host = T, With<f64> = T>,
    {
        let row = pack::rows(&slice::from_ref(total));
        pack::check_parameters(T::FIELDS, &row)?;
        self.buffer.write_results(&slice::from_ref(total))
    }
}
