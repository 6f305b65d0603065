//! Control flow between instructions.

use super::text::{Instruction, Section};

/// The control-flow graph, whose nodes are instructions.
pub(super) struct Flow {
    /// The successors of each instruction.
    pub next: Vec<Vec<usize>>,
    /// The predecessors of each instruction.
    pub previous: Vec<Vec<usize>>,
    /// The entry points: the kernel, and the functions that it calls.
    pub entries: Vec<usize>,
}

impl Flow {
    pub fn new(section: &Section) -> Self {
        let count = section.instructions.len();
        let mut entries = vec![0];
        let next: Vec<_> = (0..count).map(|k| successors(section, k, &mut entries)).collect();
        let mut previous = vec![Vec::new(); count];
        for (k, targets) in next.iter().enumerate() {
            for &target in targets {
                previous[target].push(k);
            }
        }
        Self { next, previous, entries }
    }

    /// Returns the instructions that these instructions reach along `edges` without passing
    /// `barred`.
    pub fn reached(edges: &[Vec<usize>], from: &[usize], barred: usize) -> Vec<bool> {
        let mut reached = vec![false; edges.len()];
        let mut waiting = from.to_vec();
        while let Some(k) = waiting.pop() {
            if k < edges.len() && k != barred && !reached[k] {
                reached[k] = true;
                waiting.extend(&edges[k]);
            }
        }
        reached
    }
}

/// Returns the successors of instruction `k`. Adds a called function to the entry points.
fn successors(section: &Section, k: usize, entries: &mut Vec<usize>) -> Vec<usize> {
    let instruction = &section.instructions[k];
    let count = section.instructions.len();
    let targets = || targets(section, instruction).filter(move |&target| target < count);
    let mut next = Vec::new();
    let falls_through = match instruction.base() {
        "BRA" | "JMP" => {
            next.extend(targets());
            instruction.guarded || conditional(instruction)
        }
        "BRX" | "BRXU" | "JMX" | "JMXU" => {
            next.extend(targets());
            instruction.guarded
        }
        // The compiler leaves loops by calls that never return.
        "CALL" if instruction.operands.contains("`(.L_") => {
            next.extend(targets());
            instruction.guarded
        }
        "CALL" => {
            entries.extend(targets());
            true
        }
        "EXIT" | "RET" | "KILL" => instruction.guarded,
        _ => true,
    };
    // This holds for BSYNC, too: the point of reconvergence named by BSSY always follows it.
    if falls_through && k + 1 < count {
        next.push(k + 1);
    }
    next
}

/// Returns whether a branch has a condition besides its guard: `BRA P1, ...`, `BRA.U !UP0, ...`.
fn conditional(branch: &Instruction) -> bool {
    branch.operands.split('`').next().is_some_and(|condition| !condition.trim().is_empty())
}

/// Returns the targets of a branch: a target in parentheses, or a list in a comment.
fn targets(section: &Section, branch: &Instruction) -> impl Iterator<Item = usize> {
    let names = branch.operands.split(|c: char| c.is_whitespace() || "`(),\"*".contains(c));
    names.filter_map(|name| section.labels.get(name).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sass::text::sections;

    #[test]
    fn branches_determine_successors() {
        let text = "\
.text.k:
/*00*/ @P0 BRA P1, `(.L_x_0) ;
/*10*/ CALL.REL.NOINC `($k$root) ;
/*20*/ @!P0 CALL.REL.NOINC `(.L_x_1) ;
.L_x_0:
/*30*/ BRX R4 -0x10  (*\"BRANCH_TARGETS .L_x_0,.L_x_1\"*);
/*40*/ BRA.U !UP0, `(.L_x_0) ;
.L_x_1:
/*50*/ @P0 EXIT ;
/*60*/ BRA `(.L_x_2);
$k$root:
/*70*/ RET.REL.NODEC R4 `(k) ;
.L_x_2:
";
        let flow = Flow::new(&sections(text)[0]);
        let expected: [&[usize]; 8] = [&[3, 1], &[2], &[5, 3], &[3, 5], &[3, 5], &[6], &[], &[]];
        assert_eq!(flow.next, expected);
        assert_eq!(flow.entries, [0, 7]);
        assert_eq!(flow.previous[5], [2, 3, 4]);
    }
}
