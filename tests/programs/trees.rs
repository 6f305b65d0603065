//! Programs of trees, compiled by NVRTC: the walks of each interaction with charges in one
//! precision, the build of its tree, and the program that arranges the results of ranks, for one
//! architecture; precisions and architectures take turns. Walks of the library use no local memory in
//! single precision.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use nbody::cuda::{Program, Walk};
use nbody::{Expansion, Interaction, Math, Options, Precision};
use nbody_interactions::Visitor;

use crate::compiler::Compiler;
use crate::nvrtc::{architectures, local_memory};

pub fn trials(compiler: &Arc<Compiler>) -> Vec<Trial> {
    let mut trials = Trials { compiler: compiler.clone(), all: Vec::new() };
    nbody_interactions::visit_all(&mut trials);
    trials.all
}

struct Trials {
    compiler: Arc<Compiler>,
    all: Vec<Trial>,
}

impl Visitor for Trials {
    fn visit<X: Interaction>(&mut self, _: X) {
        let (compiler, turn) = (self.compiler.clone(), self.all.len());
        if X::LAW.charges.is_ok() {
            let name = format!("tree_{}", X::LAW.name);
            self.all.push(Trial::test(name, move || compiles::<X>(&compiler, turn)));
        }
    }
}

fn compiles<X: Interaction>(compiler: &Compiler, turn: usize) -> Result<(), Failed> {
    let architectures = architectures(compiler);
    let other = [Precision::Double, Precision::Mixed][turn % 2];
    let ways = [(Precision::Single, Math::Fast), (other, [Math::Exact, Math::Fast][turn / 2 % 2])];
    for (k, (precision, math)) in ways.into_iter().enumerate() {
        let options = Options::default().precision(precision).math(math);
        let architecture = architectures[(2 * turn + k) % architectures.len()];
        let walk = [Walk::Groups, Walk::Particles][(turn / 2 + k) % 2];
        let walks = if k == 0 { &[Walk::Groups, Walk::Particles][..] } else { &[walk] };
        for &walk in walks {
            let program = Program::walk(X::LAW, options, walk)?;
            let local = local_memory(compiler, &program, architecture)?;
            if local > 0 && precision == Precision::Single {
                let name = X::LAW.name;
                let found = format!("{local} bytes of local memory");
                return Err(format!("{name} by {walk:?}, sm_{architecture}: {found}").into());
            }
        }
        if k == 0 {
            local_memory(compiler, &Program::arrange(X::LAW, options), architecture)?;
        }
        let expansion = [Expansion::Second, Expansion::Monopole][(turn + k) % 2];
        for program in Program::trees(X::LAW, precision, expansion)? {
            local_memory(compiler, &program, architecture)?;
        }
    }
    Ok(())
}
