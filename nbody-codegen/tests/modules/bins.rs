/// Counts and sums at indices from the data.
pub mod bins {
    pub const BINS: u32 = 64;

    pub struct Pairs {
        pub width: Real,
    }
    pub struct Atom {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
    }
    pub struct Bins {
        pub all: Count,
        /// By distance.
        pub shells: [Count; BINS],
        pub weight: [Real; 3],
        pub kinds: [Count; 3],
        pub last: Real,
    }

    impl Interaction for Pairs {
        type I = Atom;
        type J = Atom;
        type F = Bins;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Bins) {
            let r = (j.pos - i.pos).norm();
            f.all += 1;
            // By distance.
            f.shells[(r / self.width) as u32] += 1;
            if r < 4.0 * self.width {
                f.weight[j.kind] += j.mass * i.mass;
                f.weight[i.kind] -= 0.5 * r;
                f.kinds[j.kind] += 1;
                f.kinds[2] += 3;
            }
            f.last += r;
        }
    }
}
