//! Programs over neighbour lists, compiled by NVRTC: one for each interaction with a cutoff, and
//! one over given pairs for each interaction without a cutoff. Each is compiled in one precision
//! for one architecture; precisions and architectures take turns. In single precision, the
//! library's programs use no local memory, nor do the programs that build lists for its cutoffs.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use nbody::cuda::Program;
use nbody::law::Law;
use nbody::{Interaction, Math, Options, Precision, SummationOrder};
use nbody_interactions::Visitor;

use crate::compiler::Compiler;
use crate::nvrtc::{architectures, local_memory};

pub fn trials(compiler: &Arc<Compiler>) -> Vec<Trial> {
    let mut trials =
        Trials { compiler: compiler.clone(), library: true, given: 0, all: Vec::new() };
    nbody_interactions::visit_all(&mut trials);
    trials.library = false;
    nbody_tests::visit_others(&mut trials);
    trials.all
}

struct Trials {
    compiler: Arc<Compiler>,
    /// Whether the visited interactions belong to the library.
    library: bool,
    /// Number of trials of given pairs among all trials.
    given: usize,
    all: Vec<Trial>,
}

impl Visitor for Trials {
    fn visit<X: Interaction>(&mut self, _: X) {
        let (compiler, library) = (self.compiler.clone(), self.library);
        if !nbody_tests::is_tested(X::LAW, library) {
            return;
        }
        if !X::LAW.cutoff {
            let turn = self.given;
            self.given += 1;
            self.all.push(Trial::test(format!("given_pairs_of_{}", X::LAW.name), move || {
                compiles_given::<X>(&compiler, turn)
            }));
            return;
        }
        let turn = self.all.len() - self.given;
        self.all.push(Trial::test(format!("list_{}", X::LAW.name), move || {
            compiles::<X>(&compiler, library, turn)
        }));
        if X::LAW.cutoff_reads.iter().any(|reads| !reads.is_empty()) {
            let compiler = self.compiler.clone();
            self.all.push(Trial::test(format!("lists_of_{}", X::LAW.name), move || {
                builds_lists(&compiler, X::LAW, library, turn)
            }));
        }
    }
}

/// Compiles the program that builds lists for a cutoff that depends on particles.
fn builds_lists(
    compiler: &Compiler,
    law: &'static Law,
    library: bool,
    turn: usize,
) -> Result<(), Failed> {
    let architectures = architectures(compiler);
    let architecture = architectures[turn % architectures.len()];
    let local = local_memory(compiler, &Program::neighbours_for(law), architecture)?;
    if local > 0 && library {
        let name = law.name;
        return Err(format!("{name}, sm_{architecture}: {local} bytes of local memory").into());
    }
    Ok(())
}

/// Compiles the program that evaluates given pairs of a law without a cutoff.
fn compiles_given<X: Interaction>(compiler: &Compiler, turn: usize) -> Result<(), Failed> {
    let architectures = architectures(compiler);
    let precision = Precision::ALL[turn % Precision::ALL.len()];
    let math = Math::ALL[turn / 2 % Math::ALL.len()];
    // Bags that fit for the largest j-particles.
    let order = SummationOrder { bag: 32, splits: 1 };
    let options = Options::default().precision(precision).math(math).order(order);
    let buffers = [<X::I as nbody::law::Record>::FIELDS, <X::J as nbody::law::Record>::FIELDS];
    let program = Program::restricted_list(X::LAW, options, buffers)?;
    let architecture = architectures[turn % architectures.len()];
    local_memory(compiler, &program, architecture)?;
    Ok(())
}

fn compiles<X: Interaction>(compiler: &Compiler, library: bool, turn: usize) -> Result<(), Failed> {
    let architectures = architectures(compiler);
    let other = [Precision::Double, Precision::Mixed][turn % 2];
    let ways = [(Precision::Single, Math::Fast), (other, [Math::Exact, Math::Fast][turn / 2 % 2])];
    for (k, (precision, math)) in ways.into_iter().enumerate() {
        let options = Options::default().precision(precision).math(math);
        let buffers = [<X::I as nbody::law::Record>::FIELDS, <X::J as nbody::law::Record>::FIELDS];
        let program = Program::list(X::LAW, options, buffers)?;
        let architecture = architectures[(2 * turn + k) % architectures.len()];
        let local = local_memory(compiler, &program, architecture)?;
        if local > 0 && library && precision == Precision::Single {
            let name = X::LAW.name;
            return Err(format!("{name}, sm_{architecture}: {local} bytes of local memory").into());
        }
        // Exclusions depend little on the law.
        if turn % 4 == k {
            let program = Program::restricted_list(X::LAW, options, buffers)?;
            local_memory(compiler, &program, architecture)?;
        }
    }
    Ok(())
}
