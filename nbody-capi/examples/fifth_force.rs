/// Gravity with a fifth force: a second potential of strength alpha, which falls off beyond the range
/// lambda. G = 1.
struct FifthForce { alpha: Real, lambda: Real, eps2: Real }

struct Body { pos: Point, mass: Real }

struct Field { acc: Vector, pot: Real }

impl Interaction for FifthForce {
    type I = Body;
    type J = Body;
    type F = Field;

    fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
        let d = j.pos - i.pos;
        let r = (d.norm2() + self.eps2).sqrt();
        let fifth = self.alpha * (-r / self.lambda).exp();
        f.pot -= j.mass / r * (1.0 + fifth);
        f.acc += j.mass / (r * r * r) * (1.0 + fifth * (1.0 + r / self.lambda)) * d;
    }
}
