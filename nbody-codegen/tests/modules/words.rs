/// Operations on the bits of integers.
pub mod words {
    const BITS: u32 = 9;
    pub const MASK: u32 = !((1 << BITS) - 1) & 0xffff | 7 % 4;

    pub struct Words {
        pub salt: u32,
        pub width: Real,
    }
    pub struct Item {
        pub kind: u32,
        pub id: u32,
    }
    pub struct Sums {
        pub count: Count,
        pub mixed: Count,
        pub noise: Real,
    }

    fn hash(n: u32) -> u32 {
        let mut h = n;
        h ^= h >> 16;
        h *= 0x7feb352d;
        h ^ h >> 15
    }

    impl Interaction for Words {
        type I = Item;
        type J = Item;
        type F = Sums;

        fn pair(&self, i: &Item, j: &Item, f: &mut Sums) {
            let a = hash(i.kind + self.salt);
            let b = hash(j.kind << 9) >> (j.id * 7);
            f.count += a / b + a / 10 * 3 + (a % b) * 2;
            // More bits than there are.
            f.count += (a << 33) + (b << i.id + 1) - a % (b + 1);
            let mut n = !(a & b & MASK);
            n /= 3;
            n %= j.kind;
            n <<= i.kind + 1;
            n >>= 2;
            f.mixed += n << 4 | n >> 28;
            f.mixed += n.rotate_left(4) + a.mul_high(b | 1) * i.id.min(j.id).max(3);
            let least = i.id.min(j.id);
            let most = i.id.max(j.id);
            f.noise += random(self.salt, least, most) - gaussian(self.salt, i.id, j.id, 1);
            f.mixed += random_bits(self.salt, i.kind);
            let share = (a as Real / self.width) as u32;
            f.mixed += share + (share as Real * 0.5 - 1.0) as u32;
            f.mixed += (a ^ b).count_ones() + 8.rotate_left(33) + i.kind.mul_high(j.kind);
        }
    }
}
