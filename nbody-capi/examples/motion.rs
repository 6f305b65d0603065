/// The particles of an engine of gravity, and beside them their velocities.
struct Star { pos: Point, mass: Real }

struct Velocity { vel: Vector }

struct Field { acc: Vector, pot: Real }

struct Kick { dt: Real }

impl Update for Kick {
    type P = Velocity;
    type F = Field;

    fn update(&self, p: &mut Velocity, f: &Field) {
        p.vel += self.dt * f.acc;
    }
}

struct Drift { dt: Real }

impl Update for Drift {
    type P = Star;
    type Q = Velocity;

    fn update(&self, p: &mut Star, q: &Velocity) {
        p.pos += self.dt * q.vel;
    }
}

struct Energy;

struct Total { energy: Real }

impl Measure for Energy {
    type P = Star;
    type Q = Velocity;
    type F = Field;
    type T = Total;

    fn measure(&self, p: &Star, q: &Velocity, f: &Field, t: &mut Total) {
        t.energy += 0.5 * p.mass * (q.vel.norm2() + f.pot);
    }
}
