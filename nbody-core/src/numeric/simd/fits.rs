//! Minimax polynomials (Remez 1934), fitted in relative error with 60 digits, and constants as
//! sums of several numbers.
// Some coefficients are close to mathematical constants, but differ from them.
#![allow(clippy::unreadable_literal, clippy::approx_constant)]

/// Coefficients of a polynomial, from its constant term on, for `f32` and for `f64`.
pub struct Fit<const N: usize, const M: usize> {
    pub single: [f64; N],
    pub double: [f64; M],
}

/// A constant that C++ programs have, too.
trait Constant {
    /// Returns the definitions of a constant of this name and value in C++.
    fn definition(&self, name: &str) -> String;
}

impl Constant for f64 {
    fn definition(&self, name: &str) -> String {
        format!("[[maybe_unused]] constexpr double {name} = {self:?};\n")
    }
}

impl<const N: usize> Constant for [f64; N] {
    fn definition(&self, name: &str) -> String {
        format!("[[maybe_unused]] constexpr double {name}[] = {};\n", list(self))
    }
}

impl<const N: usize, const M: usize> Constant for [[f64; N]; M] {
    fn definition(&self, name: &str) -> String {
        let rows = self.each_ref().map(|row| list(row)).join(", ");
        format!("[[maybe_unused]] constexpr double {name}[][{N}] = {{{rows}}};\n")
    }
}

impl<const N: usize, const M: usize> Constant for Fit<N, M> {
    fn definition(&self, name: &str) -> String {
        self.single.definition(&format!("{name}_SINGLE"))
            + &self.double.definition(&format!("{name}_DOUBLE"))
    }
}

/// Returns a list of numbers in C++.
fn list(numbers: &[f64]) -> String {
    let numbers = numbers.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>();
    format!("{{{}}}", numbers.join(", "))
}

/// Defines constants, and the function that prints them.
macro_rules! constants {
    ($($(#[doc = $doc:literal])* pub const $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[doc = $doc])* pub const $name: $type = $value;)*

        /// Returns the constants as C++ text, which precedes the headers of nbody-declare.
        pub fn text() -> String {
            let mut text = String::from("namespace nbody::fits {\n");
            $(
                $(text += concat!("//", $doc, "\n");)*
                text += &$name.definition(stringify!($name));
            )*
            text + "} // namespace nbody::fits\n"
        }
    };
}

constants! {
    /// (e^r − 1 − r) / r², for |r| ≤ (ln 2) / 2.
    pub const EXP: Fit<5, 12> = Fit {
        single: [
            0.49999993447796487,
            0.16666520631709497,
            0.041668388045313996,
            0.00836871687972814,
            0.0013814598646664034,
        ],
        double: [
            0.5,
            0.16666666666666666,
            0.041666666666666706,
            0.008333333333333337,
            0.0013888888888864673,
            0.000198412698412537,
            2.4801587363841052e-05,
            2.755731926548063e-06,
            2.755724047250817e-07,
            2.505205589324312e-08,
            2.092504100401555e-09,
            1.6091229118303917e-10,
        ],
    };
    /// (ln((1 + s) / (1 − s)) − 2 s) / s³, in s².
    pub const LN: Fit<4, 7> = Fit {
        single: [0.666666656412929, 0.4000033621926285, 0.2853723832509064, 0.23583568845754077],
        double: [
            0.6666666666666735,
            0.3999999999941109,
            0.28571428743262955,
            0.22222198475963328,
            0.18183569740789435,
            0.15313903225620162,
            0.1479750788734048,
        ],
    };
    /// (ln((1 + s) / (1 − s)) − 2 s − 2 s³/3) / (2 s⁵), in s², for powers.
    pub const LN_TAIL: Fit<3, 7> = Fit {
        single: [0.20000076088658073, 0.14273566786307737, 0.11709288814094627],
        double: [
            0.20000000000001128,
            0.14285714285050036,
            0.1111111125991181,
            0.09090892188315841,
            0.07693378429690939,
            0.06628414720836606,
            0.065981071102614,
        ],
    };
    /// (sin r − r) / r³, in r², for |r| ≤ π/4.
    pub const SIN: Fit<3, 6> = Fit {
        single: [-0.1666665460227223, 0.008332160291646967, -0.00019515218086521634],
        double: [
            -0.1666666666666663,
            0.008333333333322108,
            -0.00019841269829580166,
            2.755731361801777e-06,
            -2.5050747218268525e-08,
            1.589619764003117e-10,
        ],
    };
    /// (cos r − 1 + r²/2) / r⁴, in r², for |r| ≤ π/4.
    pub const COS: Fit<3, 6> = Fit {
        single: [0.04166664567015485, -0.0013887315616471047, 2.443308268484657e-05],
        double: [
            0.041666666666666595,
            -0.001388888888887304,
            2.4801587288841397e-05,
            -2.755731417623929e-07,
            2.0875700416021908e-09,
            -1.1358513949794758e-11,
        ],
    };
    /// (atan t − t) / t³, in t², for t ≤ 1.
    pub const ATAN: Fit<9, 20> = Fit {
        single: [
            -0.333332990896148,
            0.19998548302350913,
            -0.1426424184984353,
            0.109521865321252,
            -0.0840345219245641,
            0.05795762007348243,
            -0.031177867315136405,
            0.010914614824274,
            -0.0017936232324357092,
        ],
        double: [
            -0.3333333333333307,
            0.1999999999995147,
            -0.14285714282575587,
            0.11111111007036255,
            -0.09090907003110033,
            0.07692279840088505,
            -0.06666404060071682,
            0.058805278097526864,
            -0.05253518458826378,
            0.047223216940800325,
            -0.042191771425146546,
            0.03664186644545133,
            -0.029903777985408993,
            0.021984744114940745,
            -0.013900449022351538,
            0.007196419660759794,
            -0.002884873329973025,
            0.0008313052720810649,
            -0.0001521571568343877,
            1.322469400785877e-05,
        ],
    };
    /// erf(x) / x, in x², for x ≤ 1.
    pub const ERF: Fit<7, 13> = Fit {
        single: [
            1.1283791657257949,
            -0.37612625816780226,
            0.1128358505190945,
            -0.026853807389281968,
            0.005188318102950245,
            -0.0008010101162025862,
            7.853528785527578e-05,
        ],
        double: [
            1.1283791670955126,
            -0.3761263890318375,
            0.11283791670954857,
            -0.026866170645072837,
            0.0052239776247802894,
            -0.0008548326978707736,
            0.00012055331035597563,
            -1.4925593474576435e-05,
            1.6460972283054334e-06,
            -1.6350019404844392e-07,
            1.4657839709761854e-08,
            -1.1365507165332011e-09,
            5.944987234354085e-11,
        ],
    };
    /// (1 + 2 x) e^(x²) erfc x, in (x − 2) / (x + 2), for x ≥ 0 (Shepherd & Laframboise 1981).
    pub const ERFC: Fit<11, 24> = Fit {
        single: [
            1.276978394836079,
            -0.09276388021696207,
            -0.1660315700116675,
            0.1640525960246675,
            -0.05420286627939769,
            -0.008039214813870299,
            0.008631618965127315,
            0.0012545310398230645,
            -0.0012518002585634764,
            -0.00034308143356497756,
            3.7184205965484815e-05,
        ],
        double: [
            1.2769783815525289,
            -0.09276382658575309,
            -0.16603039761532307,
            0.16405128003422562,
            -0.05422000099008913,
            -0.008034015107958639,
            0.00872265382956006,
            0.0012713393489257215,
            -0.0014568133612100358,
            -0.0004543440108782986,
            0.00020636270353272058,
            0.0001510552057117936,
            -1.4874336864816909e-06,
            -3.64746045671428e-05,
            -1.3567165653865282e-05,
            3.815486113715532e-06,
            5.389480936039594e-06,
            1.3723557999395896e-06,
            -9.409522970060883e-07,
            -7.480081385639082e-07,
            -3.013111426603149e-08,
            1.3140338337596596e-07,
            3.3655080965468315e-08,
            -1.944599894731174e-09,
        ],
    };
    /// (sinh x − x) / x³, in x², for x ≤ 1.
    pub const SINH: Fit<4, 7> = Fit {
        single: [
            0.16666666497676222,
            0.008333350053894384,
            0.0001983616012387621,
            2.816950971211557e-06,
        ],
        double: [
            0.16666666666666669,
            0.008333333333333148,
            0.00019841269841431873,
            2.7557319157072073e-06,
            2.5052123136684374e-08,
            1.6057259772197065e-10,
            7.758748685114346e-13,
        ],
    };
    /// (tanh x − x) / x³, in x², for x ≤ 0.55.
    pub const TANH: Fit<5, 10> = Fit {
        single: [
            -0.33333317535326995,
            0.13332585230561078,
            -0.0538522066771847,
            0.02107122333021985,
            -0.00627355420521308,
        ],
        double: [
            -0.3333333333333231,
            0.13333333333168246,
            -0.05396825387585222,
            0.02186948596936273,
            -0.008863194430593946,
            0.003591719099745496,
            -0.0014532137716277435,
            0.000579128061646697,
            -0.0002102876017161676,
            5.101112684406378e-05,
        ],
    };
    /// ∛m, for √½ ≤ m ≤ √2, with an error of 9e-6.
    pub const CBRT: [f64; 5] = [
        0.4516671839305757,
        0.904817624437817,
        -0.5356294083929649,
        0.2169369005236326,
        -0.03778805572976407,
    ];
    /// ∛2.
    pub const CBRT_2: f64 = 1.2599210498948732;
    /// ln 2 as a sum of two numbers. The product of the first one with any integer that occurs is
    /// exact.
    pub const LN_2: [[f64; 2]; 2] =
        [[0.693145751953125, 1.4286068203094173e-6], [0.6931471805601177, -1.7239444525614835e-13]];
    /// π/2 as a sum of three numbers; see `LN_2`.
    pub const HALF_PI: [[f64; 3]; 2] = [
        [1.5703125, 0.0004837512969970703, 7.549789954891882e-8],
        [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21],
    ];
    /// The largest angles for which products with `HALF_PI` are exact.
    pub const LARGEST_ANGLE: [f64; 2] = [1e4, 1.6e6];
    /// 1/3 minus the nearest number of the precision.
    pub const THIRD_LO: [f64; 2] = [-9.934107462565104e-09, 1.850371707708594e-17];
    /// log₂ e.
    pub const LOG2_E: f64 = std::f64::consts::LOG2_E;
    /// √½.
    pub const FRAC_1_SQRT_2: f64 = std::f64::consts::FRAC_1_SQRT_2;
    /// 2/π.
    pub const FRAC_2_PI: f64 = std::f64::consts::FRAC_2_PI;
    /// π/2.
    pub const FRAC_PI_2: f64 = std::f64::consts::FRAC_PI_2;
}
