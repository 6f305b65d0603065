//! Loops of a kernel, and their instruction counts.

use std::collections::BTreeMap;

use super::flow::Flow;
use super::kernel::Loop;
use super::text::{Instruction, Section};

/// Finds the loops, in the order of their first instructions.
///
/// An edge closes a loop if its target dominates its source: every path from an entry point to the
/// source passes the target. A branch back from a slow path after a loop closes none.
pub(super) fn loops(section: &Section) -> Vec<Loop> {
    let flow = Flow::new(section);
    let mut bodies: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
    for (source, targets) in flow.next.iter().enumerate() {
        // The branch to itself after the end of a kernel is no loop.
        for &target in targets.iter().filter(|&&target| target < source) {
            if Flow::reached(&flow.next, &flow.entries, target)[source] {
                continue;
            }
            let back = Flow::reached(&flow.previous, &[source], target);
            let body = bodies.entry(target).or_insert_with(|| vec![false; back.len()]);
            body.iter_mut().zip(back).for_each(|(member, back)| *member |= back);
            body[target] = true;
        }
    }
    let heads: Vec<_> = bodies.keys().copied().collect();
    let describe = |(&head, body): (&usize, &Vec<bool>)| {
        let members = section.instructions.iter().zip(body).filter(|(_, member)| **member);
        let mut found = members.fold(Loop::default(), |found, (member, _)| found.with(member));
        found.innermost = heads.iter().all(|&other| other == head || !body[other]);
        found.least = shortest(&flow, head, body);
        found
    };
    bodies.iter().map(describe).collect()
}

/// Returns the number of instructions on the shortest path through a loop and back to its head.
fn shortest(flow: &Flow, head: usize, body: &[bool]) -> usize {
    let mut seen = vec![false; body.len()];
    let (mut length, mut front) = (0, vec![head]);
    while !front.is_empty() {
        length += 1;
        let next: Vec<_> = front.iter().flat_map(|&k| &flow.next[k]).copied().collect();
        if next.contains(&head) {
            return length;
        }
        front.clear();
        for k in next {
            if body[k] && !seen[k] {
                seen[k] = true;
                front.push(k);
            }
        }
    }
    length
}

impl Loop {
    fn with(mut self, instruction: &Instruction) -> Self {
        self.instructions += 1;
        *self.class(instruction.base()) += 1;
        if let ("LDS", Some((base, offset))) = (instruction.base(), instruction.address()) {
            self.reads.push((base.to_owned(), offset));
        }
        self
    }

    /// Returns the counter for an instruction.
    fn class(&mut self, base: &str) -> &mut usize {
        // Instructions of the uniform datapath have the same names with a U prepended.
        match base.strip_prefix('U').unwrap_or(base) {
            "MUFU" | "F2F" | "F2I" | "I2F" | "FRND" => &mut self.special,
            "LDS" | "LDSM" => &mut self.shared_loads,
            "STS" | "STSM" | "ATOMS" => &mut self.shared_stores,
            "LDG" | "STG" | "LD" | "ST" | "RED" | "REDG" | "ATOM" | "ATOMG" => &mut self.global,
            "LDL" | "STL" => &mut self.local,
            "SHFL" => &mut self.shuffles,
            "BRA" | "BRX" | "BRXU" | "JMP" | "JMX" | "JMXU" | "CALL" | "RET" | "EXIT" | "KILL"
            | "BSSY" | "BSYNC" | "BREAK" | "BMOV" | "WARPSYNC" | "YIELD" => &mut self.branches,
            "FLO" | "POPC" | "BREV" | "LEA" | "LOP3" | "PLOP3" | "SHF" | "SHL" | "SHR" | "PRMT"
            | "SEL" | "SGXT" | "BMSK" | "VIADD" | "VIMNMX" | "VIADDMNMX" | "MOV" | "CS2R"
            | "S2R" | "S2UR" | "R2UR" | "R2P" | "P2R" => &mut self.integer,
            "DADD" | "DMUL" | "DFMA" | "DSETP" | "DMNMX" => &mut self.fp64,
            other if other.starts_with('F') => &mut self.fp32,
            other if other.starts_with('I') => &mut self.integer,
            _ => &mut self.other,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sass::{Kernel, Loop, parse};

    fn kernel(body: &str) -> Kernel {
        parse(&format!("k:\n.text.k:\n{body}")).remove(0)
    }

    /// A loop over bags contains a loop over particles, which ends in a predicated branch back. A
    /// branch to itself follows, as after every kernel.
    #[test]
    fn nested_loops() {
        let kernel = kernel(
            "\
/*00*/ MOV R1, RZ ;
.L_x_0:
/*10*/ LDG.E R4, desc[UR4][R2.64] ;
/*20*/ STS [R5], R4 ;
.L_x_1:
/*30*/ LDS.128 R8, [UR4] ;
/*40*/ FADD.FTZ R8, R8, -R1 ;
/*50*/ FFMA.FTZ R9, R8, R8, R9 ;
/*60*/ MUFU.RSQ R9, R9 ;
/*70*/ UIADD3 UR4, UR4, 0x10, URZ ;
/*80*/ @!P0 BRA `(.L_x_1) ;
/*90*/ DADD R10, R10, R12 ;
/*a0*/ SHFL.BFLY PT, R3, R3, 0x1, 0x1f ;
/*b0*/ STL [R1], R3 ;
/*c0*/ BAR.SYNC.DEFER_BLOCKING 0x0 ;
/*d0*/ @P1 BRA `(.L_x_0) ;
/*e0*/ EXIT ;
.L_x_2:
/*f0*/ BRA `(.L_x_2);
/*100*/ NOP;
",
        );
        assert_eq!(kernel.instructions, 16);
        let inner = Loop {
            innermost: true,
            instructions: 6,
            least: 6,
            fp32: 2,
            special: 1,
            shared_loads: 1,
            integer: 1,
            branches: 1,
            reads: vec![("UR4".to_owned(), 0)],
            ..Loop::default()
        };
        let outer = Loop {
            innermost: false,
            instructions: 13,
            least: 13,
            fp64: 1,
            shared_stores: 1,
            global: 1,
            local: 1,
            shuffles: 1,
            branches: 2,
            other: 1,
            ..inner.clone()
        };
        assert_eq!(kernel.loops, [outer, inner]);
    }

    /// A loop skips a part of its body. A slow path after the loop returns into the middle of the
    /// loop.
    #[test]
    fn paths_through_a_loop() {
        let kernel = kernel(
            "\
.L_x_0:
/*00*/ LDS R8, [UR4] ;
/*10*/ @P0 BRA `(.L_x_1) ;
/*20*/ FMUL R8, R8, R8 ;
/*30*/ FMUL R8, R8, R8 ;
/*40*/ @P1 BRA `(.L_x_2) ;
.L_x_1:
/*50*/ FADD R1, R1, R8 ;
/*60*/ BRA P2, `(.L_x_0) ;
/*70*/ EXIT ;
.L_x_2:
/*80*/ FADD R8, R8, R8 ;
/*90*/ BRA `(.L_x_1) ;
",
        );
        let [only] = &kernel.loops[..] else { panic!("one loop: {:?}", kernel.loops) };
        assert_eq!((only.instructions, only.least, only.fp32), (9, 4, 4));
        assert!(only.innermost);
    }

    #[test]
    fn an_unrolled_kernel_has_no_loop() {
        let kernel = kernel("/*00*/ LDS R8, [UR4] ;\n/*10*/ FADD R1, R1, R8 ;\n/*20*/ EXIT ;\n");
        assert_eq!(kernel.loops, []);
    }

    /// A loop with two branches back is one loop; a called function has separate loops.
    #[test]
    fn branches_back_and_functions() {
        let kernel = kernel(
            "\
.L_x_0:
/*00*/ FADD R1, R1, R8 ;
/*10*/ @P0 BRA `(.L_x_0) ;
/*20*/ CALL.REL.NOINC `($k$f) ;
/*30*/ @P1 BRA `(.L_x_0) ;
/*40*/ EXIT ;
$k$f:
/*50*/ IADD3 R1, R1, R8, RZ ;
/*60*/ @P0 BRA `($k$f) ;
/*70*/ RET.REL.NODEC R4 `(k) ;
",
        );
        let sizes: Vec<_> =
            kernel.loops.iter().map(|each| (each.instructions, each.least)).collect();
        assert_eq!(sizes, [(4, 2), (2, 2)]);
    }
}
