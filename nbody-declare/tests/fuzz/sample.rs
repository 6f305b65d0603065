pub struct Law {
    pub scale: Real,
}
pub struct Body {
    pub pos: Point,
    pub mass: Real,
}
pub struct Sum {
    pub sum: Real,
}
pub struct Still {
    pub scale: Real,
}

impl Interaction for Law {
    type I = Body;
    type J = Body;
    type F = Sum;
    fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
        f.sum += self.scale * i.mass * j.mass;
    }
}

impl Update for Still {
    type P = Body;
    fn update(&self, p: &mut Body) {
        p.mass *= self.scale;
    }
}
