pub mod simulation {
    /// Newtonian gravity with Plummer softening; G = 1.
    pub struct Gravity {
        pub eps2: Real,
    }

    pub struct Body {
        pub pos: Point,
        pub vel: Vector,
        pub mass: Real,
        pub kind: u32,
    }

    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
        pub nearest: ArgMin<Real>,
        pub near: Count,
        pub closest: Min<Real>,
        pub few: Nearest<2>,
    }

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Field;
        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let r2 = d.norm2() + self.eps2;
            let rinv = r2.rsqrt();
            f.acc += j.mass * rinv.powi(3) * d;
            f.pot -= j.mass * rinv;
            f.nearest.min(r2);
            f.closest.min(r2);
            f.few.insert(r2);
            if r2 < 1.0 {
                f.near += 1;
            }
        }
    }

    /// Changes velocities by accelerations.
    pub struct Kick {
        /// The step.
        pub dt: Real,
    }

    impl Update for Kick {
        type P = Body;
        type F = Field;
        fn update(&self, p: &mut Body, f: &Field) {
            p.vel += self.dt * f.acc; // a kick
        }
    }

    pub struct Drift {
        pub dt: Real,
    }

    impl Update for Drift {
        type P = Body;
        /// Displaces free particles.
        fn update(&self, p: &mut Body) {
            // Fixed particles stay.
            if p.kind == 1 {
                return;
            }
            p.pos += self.dt * p.vel;
        }
    }

    /// A particle that takes part or not, with a table of powers.
    pub struct Star {
        pub pos: Point,
        pub acc: Vector,
        pub dt: Real,
        pub powers: [Real; 3],
        pub active: u32,
    }

    pub struct Predict {
        pub time: Real,
    }

    /// Predicts active particles.
    impl Update for Predict {
        type P = Body;
        type Q = Star;
        type F = Field;
        fn update(&self, body: &mut Body, star: &Star, field: &Field) {
            body.kind = star.active;
            if star.active == 0 || field.near == 0 {
                body.pos = star.pos;
            } else {
                let dt = self.time - star.dt;
                body.pos -= dt * (body.vel - (0.5 * dt) * star.acc);
                for k in 0..3 {
                    body.vel[k] += star.powers[k];
                }
                body.vel.x *= half(field.nearest.value);
                body.mass = field.closest.max(1.0);
            }
            for k in 0..2 {
                body.mass += field.few.values[k];
                body.kind += field.few.indices[k];
            }
            if field.nearest.index == 7 && field.few.indices[1] > 2 {
                body.kind |= 4;
                body.mass /= 2.0;
            }
        }
    }

    fn half(x: Real) -> Real {
        0.5 * x
    }

    /// The conserved quantities of a system.
    pub struct Total {
        pub kinetic: Real,
        pub potential: Real,
        pub momentum: Vector,
        pub slowest: ArgMin<Real>,
        pub fastest: ArgMax<Real>,
        pub fixed: Count,
    }

    pub struct Energy;

    impl Measure for Energy {
        type P = Body;
        type F = Field;
        type T = Total;
        fn measure(&self, p: &Body, f: &Field, t: &mut Total) {
            let v2 = p.vel.norm2();
            t.kinetic += 0.5 * p.mass * v2;
            t.potential += 0.5 * p.mass * f.pot;
            t.momentum += p.mass * p.vel;
            t.slowest.min(v2);
            t.fastest.max(v2);
            if p.kind == 1 {
                t.fixed += 1;
            }
        }
    }

    /// Scales velocities to a kinetic energy.
    pub struct Rescale {
        pub kinetic: Real,
    }

    impl Update for Rescale {
        type P = Body;
        type G = Total;
        fn update(&self, p: &mut Body, all: &Total) {
            p.vel -= all.momentum / all.kinetic;
            p.vel *= (self.kinetic / all.kinetic).sqrt();
            p.kind = all.slowest.index + all.fixed;
        }
    }

    /// Draws each body towards another one, the body of its kind.
    pub struct Draw {
        pub rate: Real,
    }

    impl Update for Draw {
        type P = Body;
        type Q = Body;
        fn update(&self, p: &mut Body, q: &Body) {
            let others = q[p.kind + 1].mass - q.mass;
            p.pos += self.rate * others * (q[p.kind].pos - p.pos);
            p.kind = q[0].kind;
        }
    }
}
