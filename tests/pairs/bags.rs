//! Numbers of particles in a bag, and of i-particles of a thread, which depend on the sizes of
//! records.

use nbody::cuda::{Error as CudaError, Program};
use nbody::prelude::*;
use nbody_interactions::lennard_jones::LennardJones;

#[nbody::interaction]
mod heavy {
    pub struct Heavy;
    pub struct Big {
        pub coefficients: [Real; 400],
    }
    pub struct Sum {
        pub x: Real,
    }
    impl Interaction for Heavy {
        type I = Big;
        type J = Big;
        type F = Sum;
        fn pair(&self, i: &Big, j: &Big, f: &mut Sum) {
            f.x += i.coefficients[0] * j.coefficients[399];
        }
    }
}

#[test]
fn bags_shrink_where_j_particles_are_large() {
    let program = Program::new(heavy::Heavy::LAW, Options::default()).unwrap();
    assert_eq!(program.config.bag, 16);
    let device = nbody_tests::emulator();
    let (i, j) = (nbody::models::uniform(20, 1), nbody::models::uniform(300, 2));
    let fields = AllPairs::new(&device, heavy::Heavy).unwrap().evaluate(&i, &j).unwrap();
    let expected = nbody::check::reference(&heavy::Heavy, Domain::Open, &i, &j).unwrap();
    let report = nbody::check::compare(&fields, &expected, None).unwrap();
    assert!(report.fields[0].max < 1e-6, "{report}");
}

#[test]
fn a_large_bag_leaves_room_for_fewer_i_particles() {
    let config = |bag| {
        let options = Options::default().order(SummationOrder { bag, splits: 1 });
        Program::new(LennardJones::LAW, options).map(|program| program.config)
    };
    let fitting: Vec<_> = [256, 512, 900].map(|bag| config(bag).unwrap().i_per_thread).to_vec();
    assert_eq!(fitting, [2, 2, 1]);
    assert!(matches!(config(1100), Err(CudaError::KernelDoesNotFit { .. })));
}
