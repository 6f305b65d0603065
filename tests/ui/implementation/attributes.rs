#[nbody::interaction]
mod wrong {
    pub struct Law;
    pub struct Body {
        pub mass: Real,
    }
    pub struct Field {
        pub sum: Real,
    }

    impl Interaction for Law {
        #[cfg(any())]
        type I = Body;
        type J = Body;
        type F = Field;
        #[cfg(any())]
        const SELF_PAIRS: u32 = true;

        #[inline]
        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            #[cfg(any())]
            let x = i.mass;
            #[cfg(any())]
            f.sum += j.mass;
        }
    }
}

fn main() {}
