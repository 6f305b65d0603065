#[nbody::interaction]
mod gradients {
    pub struct Law {
        pub k: Real,
        pub modes: [Real; 3],
    }
    pub struct Body {
        pub pos: Point,
        pub charge: Real,
        pub kind: u32,
    }
    pub struct Sum {
        pub force: Vector,
        pub slope: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let d = j.pos - i.pos;
            let e = self.k * d.norm2();
            f.force += e.gradient(2.0);
            f.force += e.gradient(d * 2.0);
            f.force += e.grad(i.pos);
            f.force += e.gradient();
            f.force += d.gradient(i.pos);
            f.slope += d.angle(d);
            f.slope += e.gradient(i.kind);
            f.slope += e.gradient(self.modes);
            f.slope += e.gradient(i.charge);
            let mut r = d.norm();
            let g = r * r;
            r = 1.0;
            f.slope += g.gradient(r);
            f.slope += e.gradient(i.pos);
            let mut s = r;
            for k in 0..3 {
                let t = s * d[k];
                f.force += t.gradient(i.pos);
                s += i.charge;
            }
        }
    }
}

#[nbody::interaction]
mod rates {
    pub struct Law {
        pub k: Real,
        pub table: [[Real; 2]; 2],
    }
    pub struct Body {
        pub pos: Point,
        pub vel: Vector,
        pub charge: Real,
        pub kind: u32,
    }
    pub struct Sum {
        pub power: Real,
        pub jerk: Vector,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let d = j.pos - i.pos;
            let e = self.k * d.norm2();
            f.power += e.rate();
            f.power += e.rate(i.pos);
            f.power += e.rate(i.pos == i.vel);
            f.power += e.rate(i.pos = i.charge);
            f.power += e.rate(i.charge = 1);
            f.power += e.rate(i.vel = i.pos);
            f.power += e.rate(i.kind = 1);
            f.power += e.rate(i.vel.x = 1.0);
            f.power += e.rate(2.0 = 1.0);
            f.power += e.rate(self.table = 1.0);
            f.power += e.rate(i.pos = i.vel, i.pos = j.vel);
            f.power += e.rate(i.pos = i.vel, i.charge = 1.0);
            f.power += d.rate(i.pos = i.vel);
            f.power += i.kind.rate(i.pos = i.vel);
            f.jerk += i.pos.rate(i.pos = i.vel);
            let mut s = e;
            for k in 0..3 {
                let t = s * d[k];
                f.jerk += (t * d).rate(i.pos = i.vel);
                s += e;
            }
        }
    }
}

#[nbody::interaction]
mod changes {
    pub struct Drift {
        pub step: Real,
    }
    pub struct Body {
        pub speed: Real,
        pub energy: Real,
    }

    impl Update for Drift {
        type P = Body;

        fn update(&self, p: &mut Body) {
            let e = p.speed * p.speed * self.step;
            p.speed = 0.0;
            p.energy = e.gradient(self.step);
        }
    }
}

#[nbody::interaction]
mod long {
    pub struct Waves;
    pub struct Body {
        pub pos: Point,
    }
    pub struct Sum {
        pub force: Vector,
    }

    impl Interaction for Waves {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let d = j.pos - i.pos;
            let mut e = 0.0;
            for k in 0..1024 {
                let phase = 0.5 * d.x + 0.25 * d.y + 0.125 * d.z + (k as Real);
                e += phase.sin() * phase.cos();
            }
            f.force += e.gradient(i.pos);
        }
    }
}

fn main() {}
