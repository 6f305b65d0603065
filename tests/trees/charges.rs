//! Interactions that are sums over charges.

use nbody::Interaction;
use nbody::law::Law;
use nbody_interactions::Visitor;
use nbody_tests::charged::{currents, kinds, planar, plasma, spline};

/// Visits the interactions with charges.
fn visit_charges(visitor: &mut impl Visitor) {
    struct WithCharges<'a, V>(&'a mut V);
    impl<V: Visitor> Visitor for WithCharges<'_, V> {
        fn visit<X: Interaction>(&mut self, x: X) {
            if X::LAW.charges.is_ok() {
                self.0.visit(x);
            }
        }
    }
    let mut visitor = WithCharges(visitor);
    nbody_tests::visit_all(&mut visitor);
    visitor.visit(planar::Planar { core2: 0.0625 });
    visitor.visit(spline::SplineSoftened { radius: 0.25 });
    visitor.visit(plasma::Plasma);
    visitor.visit(kinds::Kinds { eps2: [0.0625, 0.125, 0.25, 1.0] });
    visitor.visit(currents::Currents { core2: 0.0625 });
}

/// Calls a check for each interaction, and counts the checked ones.
struct Checked<F>(usize, F);

/// Checks an interaction.
pub trait Check {
    fn check<X: Interaction>(&mut self, x: X);
}

impl<F: Check> Visitor for Checked<F> {
    fn visit<X: Interaction>(&mut self, x: X) {
        self.0 += 1;
        self.1.check(x);
    }
}

pub fn check_all(check: impl Check) {
    let mut checked = Checked(0, check);
    visit_charges(&mut checked);
    assert!(checked.0 >= 10, "{} laws with charges", checked.0);
}

#[test]
fn the_library_has_these_charges() {
    struct List(Vec<String>);
    impl Visitor for List {
        fn visit<X: Interaction>(&mut self, _: X) {
            let Law { name, charges, j, .. } = X::LAW;
            self.0.push(match charges {
                Ok(charges) => {
                    let names: Vec<_> = charges.names(j).map(|name| name.to_string()).collect();
                    format!("{name}: {}", names.join(", "))
                }
                Err(reason) => format!("{name} has none: {reason}"),
            });
        }
    }
    let mut list = List(Vec::new());
    nbody_interactions::visit_all(&mut list);
    insta::assert_snapshot!(list.0.join("\n"));
}
