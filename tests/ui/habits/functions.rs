#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub eps2: Real,
        pub table: [[Real; 3]; 3],
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
        pub q: [Real; 4],
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let r = d.norm();
            // Names of std, which are no misspelt names of the language.
            let a = r.exp2() + r.exp_m1() + r.ln_1p() + r.log2() + r.log10() + r.log(3.0) + r.hypot(d.x);
            let b = r.signum() + r.fract() + r.rem_euclid(j.mass) + r.asinh() + r.acosh() + r.atanh();
            let c = r.to_radians() + r.round_ties_even() + r.maximum(1.0) + r.midpoint(1.0) + r.powi(2.0);
            let e = r.is_nan() || r.is_finite() || r.is_sign_negative();
            let g = (r + 1.0).exp2() + r.pow(2) + r.pow(j.mass) + r.clone();
            // Names of C, CUDA and other languages.
            let h = exp2(r) + log10(r + 1.0) + hypot(d.x, d.y) + pow(r, 3) + fabs(r) + sqrtf(r) + __expf(r);
            let k = log(r) + fmod(r, 2.0) + fmaxf(r, 1.0) + max(0, r) + rsqrtf(d.norm2());
            let l = r.sgn() + r.sign() + r.cot() + r.coth() + r.mix(1.0, 0.5) + r.rcbrt() + r.sqr() + r.erfinv();
            // Vectors of other libraries.
            let m = d.normalize() + normalize(d) + d.unit() + d.abs();
            let n = d.length() + d.length_squared() + d.magnitude() + d.squaredNorm() + length(d) + d.sum();
            let o = d.distance(d) + d.norm1();
            // Misspelt.
            let p = r.sqtr() + r.Exp() + d.nrom();
            // Methods of integers.
            let q = i.kind.wrapping_mul(3) + i.kind.rotate_right(3) + umulhi(i.kind, 7) + i.kind.popcount();
            let s = i.kind.count_one() + mul_high(3, i.kind) + i.kind.reverse_bits() + i.kind.mul_high(2.0);
            let t = i.mass.rotate_left(2) + i.kind.count_ones(1) + i.kind.trailing_zeros();
            let u = random(i.kind) + gaussian() + random(i.kind, r) + random_bits(1, 2, 3, 4, 5, 6, 7) + normal(0, 1);
            let v = random(i.kind, j.kind) + i.kind;
            f.acc += j.mass * d;
            f.pot += r;
        }
    }
}

fn main() {}
