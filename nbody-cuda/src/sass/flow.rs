//! Where control goes after each instruction.

use super::text::{Instruction, Section};

/// The graph of control: instructions are its nodes.
pub(super) struct Flow {
    /// What may come next.
    pub next: Vec<Vec<usize>>,
    /// What may have come before.
    pub previous: Vec<Vec<usize>>,
    /// Where control comes in: the kernel, and the functions that are called.
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

    /// The instructions that are reached from these, in the given direction, around `barred`.
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

/// What may come after instruction `k`. Where it calls a function, that joins the entries.
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
        // The compiler leaves loops with calls that never return.
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
    // BSYNC too: where BSSY said that threads meet again is always right behind it.
    if falls_through && k + 1 < count {
        next.push(k + 1);
    }
    next
}

/// Whether a branch has a condition besides its guard: `BRA P1, ...`, `BRA.U !UP0, ...`.
fn conditional(branch: &Instruction) -> bool {
    branch.operands.split('`').next().is_some_and(|condition| !condition.trim().is_empty())
}

/// The places that a branch names: one in parentheses, or a list in a comment.
fn targets(section: &Section, branch: &Instruction) -> impl Iterator<Item = usize> {
    let names = branch.operands.split(|c: char| c.is_whitespace() || "`(),\"*".contains(c));
    names.filter_map(|name| section.labels.get(name).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sass::text::sections;

    #[test]
    fn control_goes_where_branches_say() {
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
