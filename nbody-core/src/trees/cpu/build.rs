//! Builds a tree of particles, for any law.

use std::ops::Range;

use crate::domain::Domain;
use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::law::charges::Charges;
use crate::law::interaction::Law;
use crate::memory::buffers::Particles;
use crate::memory::packed::Packed;
use crate::numeric::simd::lanes::LINE;
use crate::order::frame::{Frame, Grid};
use crate::order::{lengths, ordered};
use crate::parallel;
use crate::records::binding::Binding;
use crate::records::pack;
use crate::records::rows::Rows;
use crate::trees::cells::{Cell, divide};
use crate::trees::estimate::Table;
use crate::trees::far::{CLEAR, FarParticles};
use crate::trees::moments::{ChargedSources, Summary};
use crate::trees::opening::Opening;
use crate::trees::walk::CellTree;

/// Particles that a thread reads at a time.
const CHUNK: usize = 1 << 12;

/// The positions of particles.
pub(crate) struct PlacedTargets {
    /// The positions, wrapped into a periodic box; the third coordinate is 0 in two dimensions.
    positions: Vec<[f64; 3]>,
    dimensions: usize,
}

impl PlacedTargets {
    /// Reads positions, which must be finite.
    pub fn new(
        what: &'static str,
        particles: &Particles,
        fields: &'static [Field],
        domain: &Domain,
    ) -> Result<Self, Error> {
        let point = fields.iter().position(|field| matches!(field.kind, FieldKind::Point(_)));
        let point = point.map_or(&[][..], |k| &fields[k..=k]);
        let binding = Binding::new("tree", point, fields)?;
        let dimensions = binding.places().len();
        let mut positions = vec![[0.0; 3]; particles.len()];
        parallel::each_chunk(&mut positions, CHUNK, &|first, positions| {
            let mut lines = Vec::new();
            for (block, positions) in (first / LINE..).zip(positions.chunks_mut(LINE)) {
                particles.widen(&binding, block..block + 1, &mut lines);
                for (axis, line) in lines.iter().take(3).enumerate() {
                    for (position, &word) in positions.iter_mut().zip(&line.0) {
                        position[axis] = f64::from_bits(word);
                    }
                }
            }
        });
        let is_finite = |position: &[f64; 3]| position.iter().all(|x| x.is_finite());
        if let Some(index) = positions.iter().position(|position| !is_finite(position)) {
            return Err(Error::NotFinite { what, index, found: Some(positions[index]) });
        }
        ordered::wrap(&mut positions, domain);
        Ok(Self { positions, dimensions: dimensions.max(2) })
    }

    /// Refuses positions of one set, given twice, that are not the same.
    pub fn check_same(&self, other: &Self) -> Result<(), Error> {
        if self.positions == other.positions { Ok(()) } else { Err(Error::OtherPositions) }
    }

    /// Chooses the cells that contain these particles.
    pub fn frame(&self, domain: &Domain) -> Frame {
        let position = |k: usize| self.positions[k];
        Frame::with_grid(Grid::TREES, self.positions.len(), &position, domain, self.dimensions)
    }

    /// Returns the keys, with the indices, in order.
    pub fn sorted(&self, frame: &Frame) -> Vec<(u64, u32)> {
        ordered::sorted(&self.positions, frame)
    }

    /// Returns the positions in this order.
    pub fn in_order(&self, indices: &[u32]) -> Vec<[f64; 3]> {
        let mut positions = vec![[0.0; 3]; indices.len()];
        parallel::each_chunk(&mut positions, CHUNK, &|first, positions| {
            for (position, &index) in positions.iter_mut().zip(&indices[first..]) {
                *position = self.positions[index as usize];
            }
        });
        positions
    }
}

/// A tree, and the j-particles in its order with the far particles behind them.
pub(crate) struct BuiltTree {
    pub tree: CellTree,
    /// Whether all charges are of one sign.
    pub is_of_one_sign: bool,
    /// The positions of the j-particles.
    pub positions: Vec<[f64; 3]>,
    pub packed: Packed,
}

/// The inputs of a tree apart from the particles.
pub(crate) struct Builder {
    pub law: &'static Law,
    pub charges: Charges,
    pub opening: Opening,
    /// The distance beyond which the kernel is harmonic.
    pub harmonic: f64,
    pub domain: Domain,
}

impl Builder {
    /// Builds the tree of j-particles with these keys and indices, in order. `table` returns the
    /// error estimate for charges of one sign or of both, if cells are opened by it.
    pub fn build(
        &self,
        particles: &Particles,
        placed: &PlacedTargets,
        (keys, indices): (&[(u64, u32)], &[u32]),
        frame: &Frame,
        table: &mut dyn FnMut(bool) -> Result<Option<Table>, Error>,
    ) -> Result<BuiltTree, Error> {
        let positions = placed.in_order(indices);
        let mut ordered = particles.gather(indices)?;
        let values = self.charges_of(&ordered);
        let cells = divide(keys, frame);
        let sources =
            ChargedSources { charges: self.charges, values: &values, positions: &positions };
        let moments = sources.moments(&cells);
        let mut limits = self.limits(&cells, &moments.summaries, &positions, frame);
        let is_harmonic = |k: usize| limits[k] >= self.harmonic;
        let expansion = self.opening.far_particles();
        let far = FarParticles::of(&cells, &moments, self.charges, expansion, &is_harmonic);
        for (limit, reach) in limits.iter_mut().zip(&far.reach) {
            *limit = limit.max(CLEAR * reach);
        }
        let limit = u32::MAX as usize;
        let found = indices.len() + far.positions.len();
        if found > limit {
            return Err(Error::TooManyParticles { found, limit });
        }
        let records = FarRecords { fields: self.law.j, charges: self.charges, far: &far };
        ordered.packed.append(&records, ordered.precision)?;
        let is_of_one_sign = moments.summaries.first().is_none_or(|root| root.is_of_one_sign);
        let lengths = lengths(&self.domain, placed.dimensions);
        let table = table(is_of_one_sign)?;
        let tree = CellTree::new(cells, far, &moments, &limits, table, (frame, lengths));
        Ok(BuiltTree { tree, is_of_one_sign, positions, packed: ordered.packed })
    }

    /// Returns the charges of particles.
    fn charges_of(&self, particles: &Particles) -> Vec<f64> {
        let (whole, count) = (Binding::whole(self.law.j), self.charges.products.len());
        let is_factor = |n: &usize| self.charges.products.iter().any(|product| product.contains(n));
        let factors: Vec<_> = (0..whole.places().len()).filter(is_factor).collect();
        let binding = Binding::of_places(factors.iter().map(|&n| whole.places()[n]).collect());
        let mut values = vec![0.0; particles.len() * count];
        if count == 0 {
            return values;
        }
        parallel::each_chunk(&mut values, CHUNK * count, &|first, values| {
            let (mut lines, mut numbers) = (Vec::new(), vec![0.0; whole.places().len()]);
            let blocks = first / count / LINE..;
            for (block, values) in blocks.zip(values.chunks_mut(LINE * count)) {
                particles.widen(&binding, block..block + 1, &mut lines);
                for (k, charges) in values.chunks_mut(count).enumerate() {
                    for ((&n, line), place) in factors.iter().zip(&lines).zip(binding.places()) {
                        numbers[n] = place.value(line.0[k]);
                    }
                    self.charges.of(&numbers, charges);
                }
            }
        });
        values
    }

    /// Returns the distance beyond which each cell may act from afar: the distance by the opening
    /// angle, and at least the distance of its farthest particle, so that no i-particle is within
    /// the cell.
    fn limits(
        &self,
        cells: &[Cell],
        summaries: &[Summary],
        positions: &[[f64; 3]],
        frame: &Frame,
    ) -> Vec<f64> {
        let of_cell = |k: usize| {
            let (cell, summary) = (&cells[k], &summaries[k]);
            let Some(theta) = self.opening.angle() else { return CLEAR * summary.radius() };
            let (level, position) = (usize::from(cell.level), &positions[cell.first as usize]);
            let bounds = cube(frame, level, position, &summaries[0].bounds);
            let (mut edge, mut apart2) = (0.0_f64, 0.0);
            for axis in 0..3 {
                let [begin, end] = bounds.map(|corner| corner[axis]);
                edge = edge.max(end - begin);
                apart2 += (summary.centre[axis] - (begin / 2.0 + end / 2.0)).powi(2);
            }
            (edge / theta + apart2.sqrt()).max(summary.radius())
        };
        let mut limits = vec![0.0; cells.len()];
        parallel::each_chunk(&mut limits, CHUNK, &|first, limits| {
            for (k, limit) in (first..).zip(limits) {
                *limit = of_cell(k);
            }
        });
        limits
    }
}

/// Returns the corners of the cell of this level around a position, cut off at the bounds of all
/// particles.
fn cube(frame: &Frame, level: usize, position: &[f64; 3], bounds: &[[f64; 3]; 2]) -> [[f64; 3]; 2] {
    let mut corners = [[0.0; 3]; 2];
    for axis in 0..frame.dimensions {
        let shift = frame.bits() as usize - level;
        let first = frame.cell(axis, position[axis]) >> shift << shift;
        let corner = |cell: u32| frame.origin[axis] + frame.begin(cell) / frame.scale;
        corners[0][axis] = corner(first).max(bounds[0][axis]);
        corners[1][axis] = corner(first + (1 << shift)).min(bounds[1][axis]);
    }
    corners
}

/// Far particles as j-particles.
struct FarRecords<'a> {
    fields: &'static [Field],
    charges: Charges,
    far: &'a FarParticles,
}

impl Rows for FarRecords<'_> {
    fn count(&self) -> usize {
        self.far.positions.len()
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        let (dim, count) = (pack::dim(self.fields), self.charges.products.len());
        let place = pack::position(self.fields).unwrap_or(0..0);
        let mut numbers = vec![0.0; dim];
        for (k, row) in records.zip(rows.chunks_mut(dim.max(1))) {
            self.charges.carry(&self.far.charges[k * count..][..count], &mut numbers);
            numbers[place.clone()].copy_from_slice(&self.far.positions[k][..place.len()]);
            for (word, number) in row.iter_mut().zip(&numbers) {
                *word = number.to_bits();
            }
        }
    }
}
