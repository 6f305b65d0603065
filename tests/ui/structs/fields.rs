#[nbody::interaction]
mod wrong {
    pub struct Law {}
    pub struct Body {
        pub pos: Point<4>,
        pub name: String,
        pub raw: [Real; 0],
        pub long: [Real; 4294967295],
        pub more: [u32; 2],
        pub alive: bool,
        pub kind: u32,
        pub kind: u32,
    }
    pub struct Field {
        pub place: Point,
        pub sum: Real,
    }
    pub struct Tuple(Real);
    pub struct Empty {}
    pub struct Vector {
        pub x: Real,
    }
    pub struct Generic<T> {
        pub x: T,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Empty;
        type F = Field;

        fn pair(&self, i: &Body, j: &Empty, f: &mut Field) {
            f.sum += 1.0;
        }
    }
}

fn main() {}
