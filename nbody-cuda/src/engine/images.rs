//! Images of particles in boxes shorter than two cutoffs: the copies that an evaluation takes one
//! after another.

use nbody_compile::Cache;
use nbody_core::lists::cutoff::position;
use nbody_core::pack::{Binding, dim};
use nbody_core::untyped::{Images, bounds};
use nbody_core::{Error as CoreError, Field, Interval, Mixed, Precision};

use crate::backend::{Buffer, LateKernel, Launch};
use crate::border::{self, Declared as _, border};
use crate::compile::program::Program;
use crate::engine::setup::Setup;
use crate::error::Error;
use crate::layout::{bytes_of, numbers_of};
use crate::order::keys::kind;

/// Threads of a block.
const BLOCK: usize = 256;

border! {
    /// A displacement of rows.
    pub struct Displacement {
        pub x: [f64; 3],
        pub n: u32,
        /// Words of a row, of 32 bits each.
        pub words: u32,
        /// The first word of the position, words of a coordinate, and their kind.
        pub first: u32,
        pub width: u32,
        pub kind: u32,
        pub dimensions: u32,
    }
}

border! {
    /// Numbers in single precision.
    pub mod single {
        /// The greatest finite `float`.
        pub const GREATEST: f32 = f32::MAX;
    }
}

/// Finds and makes the copies of particles for the evaluations of an engine.
#[derive(Debug)]
pub(crate) struct ImageCopies {
    kernel: LateKernel,
    /// Memory for a copy.
    moved: Option<Buffer>,
    /// The bounds of the particles of the last evaluation, with the contents of their buffers.
    known: [Option<(u64, Vec<Interval>)>; 2],
}

impl ImageCopies {
    pub fn new(cache: &Cache) -> Self {
        Self { kernel: LateKernel::new(cache, Program::images), moved: None, known: [None, None] }
    }

    /// Returns the copies of the box of an engine that is shorter than two cutoffs of these
    /// particles. The host reads particles that cutoffs depend on, unless it has read them before.
    pub fn of(&mut self, setup: &Setup, [i, j]: [&Buffer; 2]) -> Result<Option<Images>, CoreError> {
        let (law, domain) = (setup.law, &setup.options.domain);
        let known = &mut self.known;
        let images = Images::of(law, setup.parameters.row(), domain, &mut || {
            let [of_i, of_j] = known;
            let [reads_i, reads_j] = law.cutoff_reads;
            let of_i = bounds_of(of_i, i, law.i, reads_i)?;
            Ok(of_i.zip(bounds_of(of_j, j, law.j, reads_j)?).map(|(i, j)| [i, j]))
        })?;
        images.iter().try_for_each(|it| it.domain().check(setup.options.precision))?;
        Ok(images)
    }

    /// Returns particles displaced by this vector; [`keep`](Self::keep) takes the memory back.
    pub fn displaced(
        &mut self,
        from: &Buffer,
        fields: &'static [Field],
        displacement: [f64; 3],
    ) -> Result<Buffer, Error> {
        let (backend, precision) = (&from.backend, from.precision);
        let is_alike = |it: &Buffer| (it.n, it.precision) == (from.n, precision);
        let moved = match self.moved.take().filter(is_alike) {
            Some(moved) => moved,
            None => Buffer::new(backend, from.n, numbers_of(fields, precision), precision)?,
        };
        let binding = Binding::new("images", position(fields), fields)?;
        let place = binding.places()[0];
        let (words, kind) = match precision {
            Precision::Single => (place.words::<f32>(), kind::SINGLE),
            Precision::Mixed => (place.words::<Mixed>(), kind::DOUBLE_SINGLE),
            Precision::Double => (place.words::<f64>(), kind::DOUBLE),
        };
        let of_words = |n: usize| (n * bytes_of(precision) / size_of::<u32>()) as u32;
        let by = Displacement {
            x: displacement,
            n: from.n as u32,
            words: of_words(numbers_of(fields, precision)),
            first: of_words(words.start),
            width: of_words(words.len()),
            kind,
            dimensions: binding.places().len() as u32,
        };
        let launch = Launch::new(c"displace", from.n.div_ceil(BLOCK) as u32);
        let launch = launch.pointers([&*from.memory, &*moved.memory]).value(&by);
        self.kernel.get(backend)?.module.launch(launch)?;
        Ok(moved)
    }

    /// Keeps the memory of a copy for the next one.
    pub fn keep(&mut self, moved: Buffer) {
        self.moved = Some(moved);
    }
}

/// Returns bounds of the numbers of particles with these fields; `None` without particles. Cutoffs
/// depend on the numbers `reads`.
fn bounds_of(
    known: &mut Option<(u64, Vec<Interval>)>,
    particles: &Buffer,
    fields: &'static [Field],
    reads: &[usize],
) -> Result<Option<Vec<Interval>>, Error> {
    if particles.n == 0 {
        return Ok(None);
    }
    let contents = particles.contents(reads.iter().copied());
    if let Some((_, bounds)) = known.as_ref().filter(|(of, _)| *of == contents) {
        return Ok(Some(bounds.clone()));
    }
    let mut rows = vec![0; particles.n * dim(fields)];
    particles.read_particles(fields, 0..particles.n, &mut |write| {
        write(0..particles.n, &mut rows);
    })?;
    let found = bounds(fields, &rows);
    *known = found.clone().map(|bounds| (contents, bounds));
    Ok(found)
}

impl Program {
    /// Returns the program of copies of particles in other images of a short box.
    pub fn images() -> Self {
        let declared = border::text(&[kind::text(), single::text(), Displacement::text()]);
        let parts = [&*declared, include_str!("images.cuh")];
        Self::of_words("images", "particles in other images", &[c"displace"], BLOCK, &parts)
    }
}
