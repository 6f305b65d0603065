//! Downloads of one field of particles.

use std::slice;
use std::sync::OnceLock;

use nbody_compile::Cache;
use nbody_core::pack::{Binding, WriteRows};
use nbody_core::{Field, Mixed, Precision};

use crate::backend::{Buffer, Kernel, Launch};
use crate::compile::program::Program;
use crate::error::Error;
use crate::layout::{PARTICLE_LIMIT, bytes_of, numbers_of};

/// Threads of a block.
const BLOCK: usize = 256;

/// The kernel that copies one field of all particles; built when first needed.
#[derive(Debug)]
pub(crate) struct FieldCopy {
    cache: Cache,
    kernel: OnceLock<Kernel>,
}

impl FieldCopy {
    pub fn new(cache: &Cache) -> Self {
        Self { cache: cache.clone(), kernel: OnceLock::new() }
    }

    /// Copies a field of particles with these fields to the host, without other fields, and passes
    /// `take` a function that writes its numbers. `binding` is the binding of its numbers.
    pub fn read(
        &self,
        p: &Buffer,
        fields: &[Field],
        field: &'static Field,
        binding: &Binding,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        if p.n > PARTICLE_LIMIT {
            return Err(Error::TooManyParticles {
                what: "particles",
                found: p.n,
                limit: PARTICLE_LIMIT,
            });
        }
        let (alone, precision) = (slice::from_ref(field), p.precision);
        let copies = Buffer::new(&p.backend, p.n, numbers_of(alone, precision), precision)?;
        if let Some(first) = binding.places().first()
            && p.n > 0
        {
            let first = match precision {
                Precision::Single => first.word::<f32>(),
                Precision::Mixed => first.word::<Mixed>(),
                Precision::Double => first.word::<f64>(),
            };
            let numbers = [numbers_of(fields, precision), first, numbers_of(alone, precision)];
            let words = numbers.map(|number| number * bytes_of(precision) / size_of::<u32>());
            let [row_words, first, words] = words.map(|words| words as u32);
            let blocks = (p.n * words as usize).div_ceil(BLOCK) as u32;
            let launch = Launch::new(c"copy_field", blocks).pointers([&*p.memory, &*copies.memory]);
            let launch = launch.numbers([p.n as u32, row_words, first, words]);
            self.kernel(p)?.module.launch(launch)?;
        }
        copies.read_particles(alone, 0..p.n, take)
    }

    fn kernel(&self, p: &Buffer) -> Result<&Kernel, Error> {
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel);
        }
        let program = Program::field_copy();
        let (module, build) = p.backend.build(&program, &self.cache)?;
        Ok(self.kernel.get_or_init(|| Kernel { program, module, build }))
    }
}

impl Program {
    /// Returns the program of downloads of one field (`Particles::download_field`).
    pub fn field_copy() -> Self {
        let parts = [include_str!("field.cuh")];
        Self::of_words("field_copy", "one field of particles", &[c"copy_field"], BLOCK, &parts)
    }
}
