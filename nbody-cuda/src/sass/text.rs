//! Parser of the output of nvdisasm: kernels, labels and instructions.

use std::collections::HashMap;

/// The code of one kernel: a section `.text.NAME`, with the functions called by the kernel.
#[derive(Debug, Default)]
pub(super) struct Section<'a> {
    pub name: &'a str,
    pub instructions: Vec<Instruction<'a>>,
    /// The index of the instruction after each label.
    pub labels: HashMap<&'a str, usize>,
}

/// An instruction: `@!P0 BRA P1, .L_x_3` is guarded and has the opcode `BRA`.
#[derive(Debug)]
pub(super) struct Instruction<'a> {
    /// Whether the instruction depends on a predicate.
    pub guarded: bool,
    /// The opcode with its modifiers: `LDS.128`.
    pub opcode: &'a str,
    pub operands: &'a str,
}

impl<'a> Instruction<'a> {
    /// Parses an instruction; `None` for a NOP.
    fn new(text: &'a str) -> Option<Self> {
        let (guarded, text) = match text.strip_prefix('@') {
            Some(guarded) => (true, guarded.split_once(char::is_whitespace)?.1.trim_start()),
            None => (false, text),
        };
        let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        (opcode != "NOP").then_some(Self { guarded, opcode, operands: operands.trim() })
    }

    /// Returns the opcode without modifiers.
    pub fn base(&self) -> &'a str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// Returns the base and the offset of the address: `UR4+R2` and -16 of `[UR4+R2+-0x10]`.
    pub fn address(&self) -> Option<(&'a str, i64)> {
        let (_, address) = self.operands.split_once('[')?;
        let (address, _) = address.split_once(']')?;
        let (base, last) = address.rsplit_once('+').unwrap_or(("", address));
        Some(hexadecimal(last).map_or((address, 0), |offset| (base, offset)))
    }
}

/// Parses `0x10` or `-0x10`.
fn hexadecimal(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    i64::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?.checked_mul(sign)
}

/// Returns the kernels of a disassembly.
pub(super) fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines() {
        if let Some(label) = line.strip_suffix(':').filter(|label| !label.contains(' ')) {
            if let Some(name) = label.strip_prefix(".text.") {
                sections.push(Section { name, ..Section::default() });
            }
            if let Some(section) = sections.last_mut() {
                section.labels.insert(label, section.instructions.len());
            }
        } else if line.starts_with('\t') {
            // A directive. Directives before the label of a section belong to no section yet.
        } else if let (Some(section), Some(text)) = (sections.last_mut(), statement(line)) {
            section.instructions.extend(Instruction::new(text));
        }
    }
    sections
}

/// Returns the instruction in a line, between the address, which is a comment, and a semicolon.
fn statement(line: &str) -> Option<&str> {
    let (_, text) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let (text, _) = text.rsplit_once(';')?;
    Some(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_labels_and_instructions_are_parsed() {
        let text = "\t.target\tsm_90\n\
            //---- .text.one ----\n\
            \t.section\t.text.one,\"ax\",@progbits\n\
            one:\n\
            .text.one:\n\
            \x20       /*0000*/                   LDC R1, c[0x0][0x28] ;\n\
            .L_x_1:\n\
            \x20       /*0010*/              @!P0 BRA P1, `(.L_x_1) ;\n\
            \x20       /*0020*/                   BRA `(.L_x_1);\n\
            \x20       /*0030*/                   NOP;\n\
            two:\n\
            .text.two:\n\
            \x20       /*0000*/                   STL.64 [R1+0x8], RZ  (*\"SpillRefill\"*);\n\
            $two$f:\n";
        let [one, two] = &sections(text)[..] else { panic!("two sections") };
        assert_eq!((one.name, two.name), ("one", "two"));
        assert_eq!(one.labels[".L_x_1"], 1);
        assert_eq!(two.labels["$two$f"], 1);
        let [load, back, trap] = &one.instructions[..] else { panic!("three instructions") };
        assert_eq!((load.base(), load.guarded), ("LDC", false));
        assert_eq!((back.base(), back.operands, back.guarded), ("BRA", "P1, `(.L_x_1)", true));
        assert_eq!((trap.base(), trap.operands), ("BRA", "`(.L_x_1)"));
        assert_eq!(two.instructions[0].base(), "STL");
    }

    #[test]
    fn addresses_are_a_base_and_an_offset() {
        let address = |text| Instruction::new(text)?.address();
        assert_eq!(address("LDS.128 R8, [R24+0x30]"), Some(("R24", 48)));
        assert_eq!(address("LDS R8, [R24+UR4+-0x8]"), Some(("R24+UR4", -8)));
        assert_eq!(address("LDS R8, [R24.X4+UR4]"), Some(("R24.X4+UR4", 0)));
        assert_eq!(address("@P0 LDS R8, [UR4]"), Some(("UR4", 0)));
        assert_eq!(address("LDS R8, [0x20]"), Some(("", 32)));
        assert_eq!(address("MOV R8, R9"), None);
    }
}
