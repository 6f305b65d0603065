//! Operations on the bits of integers, and random numbers.

/// Quotients, remainders, shifts and complements, also by zero and by more bits than there are.
#[nbody::interaction]
pub mod words {
    const BITS: u32 = 9;
    const MASK: u32 = !((1 << BITS >> 2) - 1) ^ 0xf0 | 7 % 4;

    pub struct Words {
        /// An integer of the host.
        pub salt: u32,
    }
    pub struct Item {
        pub kind: u32,
        pub weight: Real,
    }
    pub struct Sums {
        pub quotients: Count,
        pub remainders: Count,
        pub shifted: Count,
        pub mixed: Count,
        pub turned: Count,
        pub extremes: Count,
        pub cut: Count,
        pub hashed: Real,
        pub weights: Real,
    }

    /// Mixes the bits of an integer.
    fn hash(n: u32) -> u32 {
        let mut h = n;
        h ^= h >> 16;
        h *= 0x7feb352d;
        h ^= h >> 15;
        h *= 0x846ca68b;
        h ^ (h >> 16)
    }

    impl Interaction for Words {
        type I = Item;
        type J = Item;
        type F = Sums;
        const SELF_PAIRS: bool = true;

        fn pair(&self, i: &Item, j: &Item, f: &mut Sums) {
            let a = hash(i.kind + self.salt);
            let b = hash(j.kind << BITS) >> (j.kind * 7);
            f.quotients += a / b + a / j.kind + a / 10;
            f.remainders += a % b + a % j.kind + a % 10 + (a / b) * b;
            f.shifted += (a << 33) + (b << i.kind) + (a >> j.kind >> 2) + (a << (b & 63));
            let mut n = !a;
            n /= 3;
            n %= j.kind;
            n <<= i.kind + 1;
            n >>= 2;
            n |= !(b << 4) & MASK;
            n ^= 0xff ^ 1 << i.kind;
            f.mixed += n - !b / (j.kind + 1);
            f.turned +=
                a.rotate_left(j.kind * 5) + self.salt.rotate_left(7).mul_high(a.mul_high(!b));
            f.turned += b.count_ones() * 1000 + (i.kind ^ a).rotate_left(33) / b.mul_high(n).max(1);
            f.extremes += a.min(b) - n.max(i.kind).min(0xfffffff0) + MASK.count_ones();
            // Numbers that every precision has.
            let x = (a >> 8) as Real * 0.25;
            let y = (j.kind as Real - 4.0) * 1024.0;
            f.cut += x as u32 + (x * y) as u32 + (-x) as u32 + (-0.0) as u32 + (y / 0.0) as u32;
            f.cut += (y * (i.kind as Real / 0.0)) as u32 / 3 + ((y - y) / 0.0) as u32;
            f.cut += (i.weight * 8.0) as u32 + (x * 1e30).sqrt() as u32 % 1000;
            if !(a ^ b) % 3 == 1 {
                f.weights += j.weight;
            }
            f.hashed += hash(a ^ (b << 3 | b >> 29)) as Real * 2.3283064365386963e-10;
        }
    }
}

/// Random numbers of one particle and of pairs, in either order and not.
#[nbody::interaction]
pub mod noise {
    pub struct Noise {
        pub seed: u32,
        pub step: u32,
    }
    pub struct Item {
        pub kind: u32,
        pub weight: Real,
    }
    pub struct Sums {
        pub bits: Count,
        pub uniform: Real,
        pub shared: Real,
        pub normal: Vector<2>,
        pub least: Min<Real>,
        pub tails: [Real; 2],
    }

    /// The same number for both orders of two particles.
    fn shared(seed: u32, i: u32, j: u32) -> Real {
        random(seed, i.min(j), i.max(j)) - 0.5
    }

    impl Interaction for Noise {
        type I = Item;
        type J = Item;
        type F = Sums;

        fn pair(&self, i: &Item, j: &Item, f: &mut Sums) {
            f.bits += random_bits(self.seed, i.kind, j.kind, self.step, 1, 2) >> 8;
            f.uniform += j.weight * random(self.seed, j.kind);
            f.shared += shared(self.seed, i.kind, j.kind) * (i.weight - j.weight);
            let x = gaussian(self.seed, i.kind, j.kind, self.step);
            f.normal += Vector::new(x, gaussian(self.seed, i.kind, j.kind, self.step + 1));
            f.least.min(random(self.seed, j.kind, i.kind));
            let side = random_bits(self.seed, j.kind, i.kind) & 1;
            for k in 0..2 {
                if k == side {
                    f.tails[k] += x * j.weight;
                }
            }
        }
    }
}
