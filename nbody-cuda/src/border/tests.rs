//! Tests of declarations and layouts.

use super::*;

border! {
    /// A point.
    pub struct Point {
        pub x: [f64; 3],
    }
    /// Some points,
    /// and their number.
    pub struct Points {
        /// The first one.
        pub first: Address<Point>,
        pub count: u32,
        pub each: [Point; 2],
        pub last: u32,
    }
    /// Numbers in halves of words.
    pub struct Halves {
        pub numbers: [u32; 3],
        pub last: f64,
    }
    /// A byte of others.
    #[align(16)]
    pub struct Others {
        pub bytes: Address<Const<u8>>,
    }
}

#[test]
fn a_struct_is_declared_for_both_sides() {
    assert_eq!(
        Points::text(),
        "// Some points,
// and their number.
struct Points {
    // The first one.
    Point *first;
    u32 count;
    Point each[2];
    u32 last;
};
static_assert(sizeof(Points) == 72, \"the layout of the host\");

"
    );
    assert!(Point::text().contains("    double x[3];\n"));
    assert_eq!(
        Others::text(),
        "// A byte of others.
struct alignas(16) Others {
    const Byte *bytes;
};
static_assert(sizeof(Others) == 16, \"the layout of the host\");

"
    );
}

border! {
    /// Numbers of a thing.
    pub mod things {
        /// The edges of a thing.
        pub const EDGES: u32 = 12;
        pub const NONE: u32 = u32::MAX;
        /// None of them is known.
        pub const UNKNOWN: u32 = u32::MAX - 2;
        pub const ELSEWHERE: u32 = 1 << 31;
        pub const LENGTH: f64 = 2.0 - 1.0 / 2048.0;
        /// The longest of several long comments of constants, which is before the constant
        /// that it is about.
        pub const SLACK: f32 = 4.0 * f32::EPSILON;
    }
}

#[test]
fn constants_are_declared_for_both_sides() {
    assert_eq!(
        things::text(),
        "// Numbers of a thing.
constexpr u32 EDGES = 12; // the edges of a thing
constexpr u32 NONE = ~0u;
constexpr u32 UNKNOWN = ~0u - 2; // none of them is known
constexpr u32 ELSEWHERE = 1u << 31;
constexpr double LENGTH = 1.99951171875;
// The longest of several long comments of constants, which is before the constant that it is about.
constexpr float SLACK = 4.7683716e-7f;

"
    );
    // The text has the numbers of the host.
    let [length, slack] = ["1.99951171875", "4.7683716e-7"];
    assert_eq!(length.parse(), Ok(things::LENGTH));
    assert_eq!(slack.parse(), Ok(things::SLACK));
}

#[test]
fn values_are_read_as_they_were_written() {
    let each = [1.0, 2.0].map(|x| Point { x: [x, 0.0, -x] });
    let points = Points { first: Address::at(5), count: 7, each, last: 9 };
    let found: Points = value(&words(&points));
    assert_eq!(format!("{found:?}"), format!("{points:?}"));
    let halves = Halves { numbers: [0x8765_4321, 0xfedc_ba98, 0x1357_9bdf], last: -0.1 };
    let words = words(&halves);
    assert_eq!(words, [0xfedc_ba98_8765_4321, 0x1357_9bdf, (-0.1_f64).to_bits()]);
    let found: Halves = value(&words);
    assert_eq!((found.numbers, found.last), (halves.numbers, halves.last));
}

#[test]
fn declarations_name_the_types_that_they_need() {
    let text = text(&[Others::text()]);
    assert!(text.contains("using Byte = unsigned char;\n\n//"), "{text}");
    assert!(!text.contains("u64"), "{text}");
}

#[test]
fn bytes_are_those_of_c() {
    let each = [1.0, 2.0].map(|x| Point { x: [x, 0.0, -x] });
    let points = Points { first: Address::NULL, count: 7, each, last: 9 };
    let [one, two] = [1.0_f64, 2.0].map(f64::to_bits);
    let [minus_one, minus_two] = [-1.0_f64, -2.0].map(f64::to_bits);
    assert_eq!(words(&points), [0, 7, one, 0, minus_one, two, 0, minus_two, 9]);
}
