pub struct Law {
    pub scale: Real,
    pub table: Spline<2>,
}
pub struct Body {
    pub pos: Point,
    pub mass: Real,
}
pub struct Sum {
    pub sum: Real,
    pub counts: [Count; 2],
    pub near: Nearest<2>,
}
pub struct Still {
    pub scale: Real,
    pub table: Spline<2>,
}

impl Interaction for Law {
    type I = Body;
    type J = Body;
    type F = Sum;
    fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
        f.sum += self.scale * i.mass * self.table.at(j.mass);
        f.counts[1] += 1;
        f.near.insert(j.mass);
    }
}

impl Update for Still {
    type P = Body;
    type F = Sum;
    fn update(&self, p: &mut Body, f: &Sum) {
        p.mass *= self.scale * self.table.at(f.sum);
    }
}
