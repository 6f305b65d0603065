#[nbody::interaction]
mod wrong {
    use core::f64::consts::PI;

    pub static G: Real = 1.0;
    const TABLE: [Real; 2] = [1.0, 2.0];
    const N: usize = 4;
    const TWO: Real = 2;

    pub enum Kind {
        Wall,
    }
    pub struct Law {
        pub eps2: f64,
        pub names: [u32; 3],
        pub axes: [Vector; 3],
    }
    pub struct Body {
        pub pos: Vec3,
        pub vel: Vector<f64, 3>,
        pub mass: f64,
        pub inertia: [[Real; 3]; 3],
        pub charge: i32,
        pub active: bool,
        pub spin: Spin,
    }
    pub struct Spin {
        pub axis: Vector,
    }
    pub struct Field {
        pub n: u32,
        pub counts: [Count; 0],
        pub stress: [[Real; 3]; 3],
        pub centre: Point,
        pub far: ArgMax,
        pub near: Min,
        pub pot: Real,
    }

    fn kernel(i: &Body, q: f64) -> Real {
        i.mass * q
    }

    fn square(q: Real) {
        q * q
    }

    fn add(f: &mut Field, q: Real) {
        f.pot += q;
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn cutoff(&self, i: &Body, j: &Body) -> Real {
            1.0
        }

        // The uses of refused fields, functions and constants are no errors of their own.
        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.n += 1;
            f.n += i.charge;
            f.counts[2] += 1;
            f.stress[0][1] += d.x * i.inertia[0][0] * i.spin.axis.x;
            f.centre += d;
            f.far.max(d.norm());
            f.near.min(d.norm());
            if i.active && i.charge < 0 {
                f.pot += self.eps2 * j.mass * G * TABLE[1] * TWO;
            }
            f.pot += kernel(i, 1.0) + square(j.mass) + self.axes[0].x * self.names[1] as Real;
        }
    }
}

fn main() {
    let _ = wrong::Field { pot: 1.0, ..Default::default() }.pot;
}
