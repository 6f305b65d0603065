//! The least values of all particles, and of particles within a reach.

/// The most values that a result may have, of all particles.
pub struct Sixteen;
/// Values of particles within a reach.
pub struct Eight {
    pub reach: Real,
}
pub struct Place {
    pub pos: Point,
}
pub struct Many {
    pub near: Nearest<16>,
}
pub struct Few {
    pub near: Nearest<8>,
}

impl Interaction for Sixteen {
    type I = Place;
    type J = Place;
    type F = Many;

    fn pair(&self, i: &Place, j: &Place, f: &mut Many) {
        f.near.insert((i.pos - j.pos).norm2());
    }
}

impl Interaction for Eight {
    type I = Place;
    type J = Place;
    type F = Few;

    fn cutoff(&self, _i: &Place, _j: &Place) -> Real {
        self.reach
    }

    fn pair(&self, i: &Place, j: &Place, f: &mut Few) {
        f.near.insert((i.pos - j.pos).norm2());
    }
}
