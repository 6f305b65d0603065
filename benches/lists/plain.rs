//! The same liquid in plain Rust: scalar loops over the pairs of cells, or over a half Verlet
//! list.

use std::ops::Range;

/// Atoms sorted into cells, in `f32`.
pub struct Plain {
    length: f32,
    cutoff: f32,
    dt: f32,
    /// The distance that cells and lists reach beyond the cutoff.
    skin: f32,
    cells: usize,
    positions: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    forces: Vec<[f32; 3]>,
    /// The initial index of each atom.
    indices: Vec<u32>,
    /// The first atom of each cell, and the end.
    begins: Vec<usize>,
    /// The positions when the list was built.
    built: Vec<[f32; 3]>,
    /// The end of the neighbours of each atom.
    ends: Vec<usize>,
    neighbours: Vec<u32>,
    pub rebuilds: u64,
}

/// The cells that follow a cell, in half of the directions.
const FOLLOWING: [[i32; 3]; 13] = [
    [1, 0, 0],
    [-1, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
    [-1, -1, 1],
    [0, -1, 1],
    [1, -1, 1],
    [-1, 0, 1],
    [0, 0, 1],
    [1, 0, 1],
    [-1, 1, 1],
    [0, 1, 1],
    [1, 1, 1],
];

/// The atoms of a cell, and their shift.
type Shifted = (Range<usize>, [f32; 3]);

/// Returns the factor of the displacement in the force at this squared distance.
#[inline(always)]
fn force(r2: f32) -> f32 {
    let s2 = 1.0 / r2;
    let s6 = s2 * s2 * s2;
    24.0 * s6 * (2.0 * s6 - 1.0) * s2
}

impl Plain {
    /// Places atoms, given by positions and velocities, in a periodic cube.
    pub fn new(
        [length, cutoff, skin, dt]: [f64; 4],
        atoms: impl Iterator<Item = [[f64; 3]; 2]>,
    ) -> Self {
        let [length, cutoff, skin, dt] = [length, cutoff, skin, dt].map(|x| x as f32);
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        for [position, velocity] in atoms {
            positions.push(position.map(|x| x as f32));
            velocities.push(velocity.map(|x| x as f32));
        }
        let n = positions.len();
        Self {
            length,
            cutoff,
            dt,
            skin,
            cells: (length / (cutoff + skin)) as usize,
            positions,
            velocities,
            forces: vec![[0.0; 3]; n],
            indices: (0..n as u32).collect(),
            begins: Vec::new(),
            built: Vec::new(),
            ends: Vec::new(),
            neighbours: Vec::new(),
            rebuilds: 0,
        }
    }

    /// Sorts the atoms into cells.
    fn sort(&mut self) {
        let (cells, length) = (self.cells, self.length);
        let scale = cells as f32 / length;
        for position in &mut self.positions {
            for x in position {
                if *x < 0.0 {
                    *x += length;
                }
                if *x >= length {
                    *x -= length;
                }
            }
        }
        let cell = |position: &[f32; 3]| {
            let [x, y, z] = position.map(|x| ((x * scale) as usize).min(cells - 1));
            (z * cells + y) * cells + x
        };
        self.begins.clear();
        self.begins.resize(cells.pow(3) + 1, 0);
        for position in &self.positions {
            self.begins[cell(position) + 1] += 1;
        }
        for k in 1..self.begins.len() {
            self.begins[k] += self.begins[k - 1];
        }
        let mut next = self.begins.clone();
        let places = self.positions.iter().map(|position| {
            let place = &mut next[cell(position)];
            *place += 1;
            *place - 1
        });
        let places: Vec<_> = places.collect();
        scatter(&places, &mut self.positions);
        scatter(&places, &mut self.velocities);
        scatter(&places, &mut self.indices);
    }

    /// Returns the atoms of a cell, and the atoms of each following cell with their shift.
    fn cell(&self, cell: usize) -> (Range<usize>, [Shifted; 13]) {
        let cells = self.cells as i32;
        let range = |[x, y, z]: [i32; 3]| {
            let cell = ((z * cells + y) * cells + x) as usize;
            self.begins[cell]..self.begins[cell + 1]
        };
        let cell = cell as i32;
        let at = [cell % cells, cell / cells % cells, cell / cells / cells];
        let following = FOLLOWING.map(|step| {
            let to = [0, 1, 2].map(|axis| at[axis] + step[axis]);
            let inside = to.map(|k| k.rem_euclid(cells));
            let shift = |axis: usize| (to[axis] - inside[axis]).signum() as f32 * self.length;
            (range(inside), [0, 1, 2].map(shift))
        });
        (range(at), following)
    }

    /// Evaluates the forces by pairs of cells, each pair once.
    pub fn evaluate_by_cells(&mut self) {
        self.sort();
        let mut forces = std::mem::take(&mut self.forces);
        forces.fill([0.0; 3]);
        let cutoff2 = self.cutoff * self.cutoff;
        let positions = &self.positions[..];
        for cell in 0..self.cells.pow(3) {
            let (own, following) = self.cell(cell);
            for i in own.clone() {
                let mut sum = [0.0; 3];
                let rest = (i + 1..own.end, [0.0; 3]);
                for (others, shift) in std::iter::once(&rest).chain(&following) {
                    let [x, y, z] = [0, 1, 2].map(|axis| positions[i][axis] - shift[axis]);
                    let others = others.clone();
                    for (position, force_of_j) in
                        positions[others.clone()].iter().zip(&mut forces[others])
                    {
                        let d = [x - position[0], y - position[1], z - position[2]];
                        let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                        if r2 < cutoff2 {
                            let factor = force(r2);
                            for axis in 0..3 {
                                sum[axis] += factor * d[axis];
                                force_of_j[axis] -= factor * d[axis];
                            }
                        }
                    }
                }
                for axis in 0..3 {
                    forces[i][axis] += sum[axis];
                }
            }
        }
        self.forces = forces;
    }

    /// Builds the list of the pairs within cutoff and skin, each pair once, if an atom has moved
    /// by half of the skin since the last build.
    pub fn update(&mut self) {
        let limit = (self.skin / 2.0).powi(2);
        let is_near = |(a, b): (&[f32; 3], &[f32; 3])| {
            let d = [0, 1, 2].map(|axis| self.nearest(a[axis] - b[axis]));
            d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= limit
        };
        if self.built.len() == self.positions.len()
            && self.positions.iter().zip(&self.built).all(is_near)
        {
            return;
        }
        self.sort();
        let reach2 = (self.cutoff + self.skin).powi(2);
        let positions = &self.positions[..];
        let mut neighbours = std::mem::take(&mut self.neighbours);
        let mut ends = std::mem::take(&mut self.ends);
        neighbours.clear();
        ends.clear();
        for cell in 0..self.cells.pow(3) {
            let (own, following) = self.cell(cell);
            for i in own.clone() {
                let rest = (i + 1..own.end, [0.0; 3]);
                for (others, shift) in std::iter::once(&rest).chain(&following) {
                    let [x, y, z] = [0, 1, 2].map(|axis| positions[i][axis] - shift[axis]);
                    for (j, position) in others.clone().zip(&positions[others.clone()]) {
                        let d = [x - position[0], y - position[1], z - position[2]];
                        if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach2 {
                            neighbours.push(j as u32);
                        }
                    }
                }
                ends.push(neighbours.len());
            }
        }
        (self.neighbours, self.ends) = (neighbours, ends);
        self.built.clone_from(&self.positions);
        self.rebuilds += 1;
    }

    /// Evaluates the forces by the list.
    pub fn evaluate_by_list(&mut self) {
        let (half, length) = (self.length / 2.0, self.length);
        let cutoff2 = self.cutoff * self.cutoff;
        self.forces.fill([0.0; 3]);
        let mut begin = 0;
        for (i, &end) in self.ends.iter().enumerate() {
            let position = self.positions[i];
            let mut sum = [0.0; 3];
            for &j in &self.neighbours[begin..end] {
                let other = &self.positions[j as usize];
                let d = [0, 1, 2].map(|axis| {
                    let d = position[axis] - other[axis];
                    d - if d > half {
                        length
                    } else if d < -half {
                        -length
                    } else {
                        0.0
                    }
                });
                let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                if r2 < cutoff2 {
                    let factor = force(r2);
                    let force_of_j = &mut self.forces[j as usize];
                    for axis in 0..3 {
                        sum[axis] += factor * d[axis];
                        force_of_j[axis] -= factor * d[axis];
                    }
                }
            }
            for axis in 0..3 {
                self.forces[i][axis] += sum[axis];
            }
            begin = end;
        }
    }

    /// Moves the atoms.
    pub fn advance(&mut self) {
        let atoms = self.positions.iter_mut().zip(&mut self.velocities).zip(&self.forces);
        for ((position, velocity), force) in atoms {
            for axis in 0..3 {
                velocity[axis] += self.dt * force[axis];
                position[axis] += self.dt * velocity[axis];
            }
        }
    }

    /// Returns the displacement to the nearest image.
    fn nearest(&self, d: f32) -> f32 {
        let half = self.length / 2.0;
        if d > half {
            d - self.length
        } else if d < -half {
            d + self.length
        } else {
            d
        }
    }

    /// Returns the forces, in the initial order of the atoms.
    pub fn forces(&self) -> Vec<[f64; 3]> {
        let mut forces = vec![[0.0; 3]; self.forces.len()];
        for (&index, force) in self.indices.iter().zip(&self.forces) {
            forces[index as usize] = force.map(f64::from);
        }
        forces
    }
}

/// Moves items to these places.
fn scatter<T: Copy + Default>(places: &[usize], items: &mut Vec<T>) {
    let mut scattered = vec![T::default(); items.len()];
    for (&place, &item) in places.iter().zip(&*items) {
        scattered[place] = item;
    }
    *items = scattered;
}
