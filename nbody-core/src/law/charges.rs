//! Interactions that are sums over charges, so that cells of j-particles can stand for their
//! particles.

use std::fmt;

use crate::field::Field;

/// The charges g of an interaction whose result is the sum, over all j and their charges, of g
/// K(i, xⱼ − xᵢ). Each charge is a product of numbers of j; its kernel K depends on j only by the
/// position.
///
/// A j-particle at the mean position of a cell's charges, with these charges, then acts from afar
/// as the cell does, through the unchanged `fn pair` of the declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charges {
    /// The charges: products of the numbers of a j-particle, by their index in the record.
    pub products: &'static [&'static [usize]],
    /// For each number of the j-particle, its value in a particle that carries given charges.
    pub carried: &'static [Carried],
    /// For each field of the result, the charges that it sums over.
    pub sums: &'static [ChargeSum],
}

/// A sum over charges, which are named by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChargeSum {
    /// The charges.
    pub charges: &'static [usize],
    /// Whether the kernels depend on numbers of i other than its position.
    pub depends_on_i: bool,
}

/// The value of a number of the j-particle that carries the charges of a cell. Charges are named
/// by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// 0: no charge depends on it, or it is a coordinate.
    Zero,
    /// 1, since it is the other factor of a charge.
    One,
    /// This charge.
    Charge(usize),
    /// The first charge divided by the second, as a velocity is the momentum divided by the mass.
    Ratio(usize, usize),
}

impl Charges {
    /// Returns the charges used as weights: those carried as numbers of their own (mass, not
    /// momentum, which is carried as velocity).
    pub fn primary(self) -> impl Iterator<Item = usize> {
        self.carried.iter().filter_map(|carried| match carried {
            Carried::Charge(q) => Some(*q),
            _ => None,
        })
    }

    /// Returns the charges of a j-particle.
    pub(crate) fn of(self, numbers: &[f64], charges: &mut [f64]) {
        for (charge, product) in charges.iter_mut().zip(self.products) {
            *charge = product.iter().map(|&n| numbers[n]).product();
        }
    }

    /// Writes the numbers of the particle that has these charges; a coordinate is left as it is.
    pub(crate) fn carry(self, charges: &[f64], numbers: &mut [f64]) {
        for (number, carried) in numbers.iter_mut().zip(self.carried) {
            match *carried {
                Carried::Zero => {}
                Carried::One => *number = 1.0,
                Carried::Charge(q) => *number = charges[q],
                // Without weight it has no effect, unless it is NaN.
                Carried::Ratio(q, by) if charges[by] == 0.0 => *number = 0.0 * charges[q],
                Carried::Ratio(q, by) => *number = charges[q] / charges[by],
            }
        }
    }

    /// Returns the exponent p of the error bound θᵖ for the action of a cell on a field that is
    /// this sum, with charges of one sign or of both.
    pub fn error_order(self, sum: &ChargeSum, expansion: Expansion, is_of_one_sign: bool) -> u32 {
        let is_of_one_sign = is_of_one_sign && self.primary().count() == 1;
        // First moments vanish about the centre of charge, but the first moments of momenta do not
        // vanish about the centre of mass.
        let has_ratio = self.has_ratio(sum);
        match expansion {
            Expansion::Monopole if is_of_one_sign && !has_ratio => 2,
            Expansion::Monopole => 1,
            Expansion::Second if has_ratio => 2,
            Expansion::Second => 3,
        }
    }

    /// Returns whether a sum is over a charge that is carried as a ratio.
    pub(crate) fn has_ratio(self, sum: &ChargeSum) -> bool {
        let is_in = |q: &usize| sum.charges.contains(q);
        self.carried.iter().any(|carried| matches!(carried, Carried::Ratio(q, _) if is_in(q)))
    }

    /// Returns the charges as products of fields with these names, such as `mass * vel.x`.
    pub fn names(self, j: &'static [Field]) -> impl Iterator<Item = Name> {
        self.products.iter().map(move |&product| Name { product, j })
    }
}

/// The name of a charge.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    product: &'static [usize],
    j: &'static [Field],
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, &number) in self.product.iter().enumerate() {
            if k > 0 {
                f.write_str(" * ")?;
            }
            let mut first = 0;
            for field in self.j {
                let count = field.kind.components();
                match number - first {
                    0 if count == 1 => f.write_str(field.name)?,
                    part if part < count => match field.kind.component_name(part) {
                        Some(axis) => write!(f, "{}.{axis}", field.name)?,
                        None => write!(f, "{}[{part}]", field.name)?,
                    },
                    _ => {
                        first += count;
                        continue;
                    }
                }
                break;
            }
        }
        Ok(())
    }
}

/// The far particles of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Expansion {
    /// One particle at the centre of charge. The relative error of the action of a cell falls as
    /// θ², or as θ if its charges have different signs.
    Monopole,
    /// Enough particles to match the second moments of the cell: three for charges of one sign in
    /// a harmonic kernel (Kawai & Makino 2001) that depends on the i-particle only through the
    /// position, six for charges of one sign in other kernels, and ten for charges of both signs
    /// and for vectors of charges. The relative error of the action of a cell falls as θ³. Charges
    /// carried with another charge, as momenta with masses, match only the first moments of the
    /// cell if there are six particles: their error falls as θ².
    #[default]
    Second,
}

impl fmt::Display for Expansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Monopole => "monopole",
            Self::Second => "second order",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldKind;

    const J: &[Field] = &[
        Field { name: "pos", kind: FieldKind::Point(3) },
        Field { name: "vel", kind: FieldKind::Vector(3) },
        Field { name: "mass", kind: FieldKind::Real },
        Field { name: "modes", kind: FieldKind::Array(2) },
    ];
    const NONE: Carried = Carried::Zero;
    const MOMENTUM: Charges = Charges {
        products: &[&[6], &[3, 6], &[4, 6], &[8]],
        carried: &[
            NONE,
            NONE,
            NONE,
            Carried::Ratio(1, 0),
            Carried::Ratio(2, 0),
            NONE,
            Carried::Charge(0),
            Carried::One,
            Carried::Charge(3),
        ],
        sums: &[],
    };

    #[test]
    fn a_particle_carries_the_charges_that_it_has() {
        let numbers = [9.0, 9.0, 9.0, 3.0, -5.0, 0.0, 2.0, 1.0, 7.0];
        let mut charges = [0.0; 4];
        MOMENTUM.of(&numbers, &mut charges);
        assert_eq!(charges, [2.0, 6.0, -10.0, 7.0]);
        let mut carried = [9.0; 9];
        carried[5] = 0.0;
        MOMENTUM.carry(&charges, &mut carried);
        assert_eq!(carried, numbers);
    }

    #[test]
    fn without_a_divisor_nothing_is_carried_but_nan() {
        let mut numbers = [0.0; 9];
        MOMENTUM.carry(&[0.0, 6.0, f64::NAN, 0.0], &mut numbers);
        assert_eq!(numbers[3], 0.0);
        assert!(numbers[4].is_nan());
    }

    #[test]
    fn errors_fall_as_the_moments_that_far_particles_have() {
        let [mass, momentum] =
            [&[0_usize][..], &[0, 1, 2]].map(|charges| ChargeSum { charges, depends_on_i: false });
        let one = Charges { products: &[&[6]], carried: &[Carried::Charge(0)], sums: &[] };
        let vector = Charges {
            products: &[&[3], &[4]],
            carried: &[Carried::Charge(0), Carried::Charge(1)],
            sums: &[],
        };
        let orders = |charges: Charges, sum: &ChargeSum| {
            let of =
                |expansion, is_of_one_sign| charges.error_order(sum, expansion, is_of_one_sign);
            [Expansion::Monopole, Expansion::Second].map(|it| [true, false].map(|one| of(it, one)))
        };
        assert_eq!(orders(one, &mass), [[2, 1], [3, 3]]);
        assert_eq!(orders(vector, &mass), [[1, 1], [3, 3]]);
        // Without the last charge only the mass is carried as such.
        let moving = Charges { carried: &MOMENTUM.carried[..8], ..MOMENTUM };
        assert_eq!(orders(moving, &mass), [[2, 1], [3, 3]]);
        assert_eq!(orders(moving, &momentum), [[1, 1], [2, 2]]);
    }

    #[test]
    fn charges_have_the_names_of_their_fields() {
        let names: Vec<_> = MOMENTUM.names(J).map(|name| name.to_string()).collect();
        assert_eq!(names, ["mass", "vel.x * mass", "vel.y * mass", "modes[1]"]);
    }
}
