//! Gravity of the library with the jerk derived from the acceleration.

pub struct DerivedHermite {
    pub eps2: Real,
}
pub struct Body {
    pub pos: Point,
    pub vel: Vector,
    pub mass: Real,
}
pub struct Field {
    pub acc: Vector,
    pub jerk: Vector,
    pub pot: Real,
}

impl Interaction for DerivedHermite {
    type I = Body;
    type J = Body;
    type F = Field;

    fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
        let d = j.pos - i.pos;
        let rinv = (d.norm2() + self.eps2).rsqrt();
        let mr = j.mass * rinv;
        let a = mr * rinv * rinv * d;
        f.acc += a;
        f.jerk += a.rate(i.pos = i.vel, j.pos = j.vel);
        f.pot -= mr;
    }
}
