#[nbody::interaction]
mod wrong {
    use std::fmt;
    enum Kind {}
    static X: f64 = 1.0;
    type Alias = f64;
    macro_rules! m {
        () => {};
    }
    mod nested {}
    #[derive(Clone)]
    pub struct Law;
}

#[nbody::interaction(create = nbody)]
mod argument {}

#[nbody::interaction]
fn function() {}

fn main() {}
