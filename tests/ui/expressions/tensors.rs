#[nbody::interaction]
mod wrong {
    pub struct Tensor {
        pub eps2: Real,
    }
}

#[nbody::interaction]
mod dimensions {
    pub struct Law {
        pub wide: Tensor<4>,
        pub scalar: Tensor<Real>,
        pub several: [Tensor; 2],
        pub matrix: Mat3,
    }
    pub struct Body {
        pub pos: Point,
    }
    pub struct Sum {
        pub sum: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.sum += (i.pos - j.pos).norm();
        }
    }
}

#[nbody::interaction]
mod operations {
    pub struct Law {
        pub shear: Tensor,
        pub flat: Tensor<2>,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Stress {
        pub virial: Tensor,
        pub pot: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Stress;

        fn pair(&self, i: &Body, j: &Body, f: &mut Stress) {
            let d = j.pos - i.pos;
            let t = Tensor::outer(d);
            let a = t * t;
            let b = t * d;
            let c = t + 1.0;
            let e = t + self.flat;
            let g = t < t;
            let h = !t;
            let k = t.yx;
            let l = self.flat.zz;
            let m = t[0];
            let n = t.det();
            let o = t.transpose();
            let p = t.dot(self.flat);
            let q = t.trace(1.0);
            let r = Tensor::new(1.0, 2.0);
            let s = Tensor::new(1.0, 2.0, 3);
            let u = Tensor::outer(1.0);
            let v = Tensor::symmetric(d);
            let w = Tensor::symmetric(d, Vector::new(1.0, 0.0));
            let x = Tensor::identity();
            let y = d.outer(d);
            let z = d.outer(2.0 * d);
            let aa = t.gradient(i.pos);
            let bb = (i.mass * d.x).gradient(self.shear);
            let cc = i.mass.max(t);
            let dd: Real = t;
            f.virial = t;
            f.virial *= 2.0;
            f.virial += d;
            f.virial[0] += 1.0;
            f.virial.yx += 1.0;
            f.pot += t;
            f.pot += f.virial.xx;
        }
    }
}

fn main() {}
