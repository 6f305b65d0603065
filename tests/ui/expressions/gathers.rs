#[nbody::interaction]
mod gathers {
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub partner: u32,
    }
    pub struct Field {
        pub pot: Real,
    }
    pub struct Pull;
    impl Interaction for Pull {
        type I = Body;
        type J = Body;
        type F = Field;
        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.pot += j[i.partner].mass;
        }
    }
    pub struct Follow;
    impl Update for Follow {
        type P = Body;
        type Q = Body;
        type F = Field;
        fn update(&self, p: &mut Body, q: &Body, f: &Field) {
            p.mass += p[q.partner].mass;
            p.mass += f[p.partner].pot;
            p.mass += q[p.mass].mass;
            p.mass += q[p.partner].weight;
            p.mass += q[p.partner];
            q[p.partner].mass += 1.0;
        }
    }
}

fn main() {}
