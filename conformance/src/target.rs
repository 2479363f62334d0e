//! What must hold for any byte string: the properties behind the fuzz targets, which also run as tests.

mod disk;
mod files;
mod ge;
mod machine;
mod program;
mod tiny;

pub use disk::{CacheError, CacheFolder, disk_cache};
pub use files::{capture, citrace, key};
pub use ge::{ge_capture, ppdmp};
pub use machine::{command_list, fragment_commands, mmio};
pub use program::{shader, shader_bytes};

use picaflor_pipeline::pica::shader::asm::{self, SourceFile};
use picaflor_pipeline::pica::shader::disasm;
use picaflor_pipeline::pica::shader::instr::{Instruction, OperandDescriptor};
use picaflor_pipeline::pica::shader::shbin::Shbin;

/// Pairs of an instruction word and a descriptor: every field decodes, and there is a line of text.
pub fn decoder(bytes: &[u8]) {
    for pair in words(bytes).chunks_exact(2) {
        let (instruction, descriptor) = (Instruction(pair[0]), OperandDescriptor(pair[1]));
        for n in 0..instruction.source_count() {
            let _ = instruction.source(n);
            assert!((0..4).all(|i| descriptor.component(n, i) < 4));
        }
        let _ = (instruction.destination(), instruction.compares(), instruction.condition());
        assert!(instruction.descriptor() < 128 && instruction.bool_id() < 16 && instruction.int_id() < 4);
        assert!(!disasm::line(instruction, descriptor).is_empty());
    }
}

/// Text assembles or is refused; what assembles is a container that reads back.
pub fn assembler(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let source = SourceFile::new("fuzz", text.as_ref());
    if let Ok(shbin) = asm::assemble(&[source], asm::Options::default()) {
        let written = shbin.write();
        let read = Shbin::read(&written).expect("what the assembler wrote reads back");
        assert_eq!(read.program.code, shbin.program.code);
    }
}

/// Bytes are a container or are refused; a container has a disassembly.
pub fn container(bytes: &[u8]) {
    if let Ok(shbin) = Shbin::read(bytes) {
        assert!(!disasm::disassemble(&shbin).is_empty());
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random::Random;
    use crate::lists::Engines;
    use picaflor_interp::Interpreter;

    /// Strings of every length up to 400, some of them words of the language.
    fn strings(random: &mut Random) -> impl Iterator<Item = Vec<u8>> + '_ {
        const PIECES: &[&str] = &[
            ".proc main",
            "mov r0, c0",
            "\n",
            ".fvec a[4]",
            "for i0",
            ".end",
            "{",
            "DVLB",
            ".out o position",
        ];
        (0..400).map(|length| {
            let mut bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
            if random.chance(50) {
                bytes = (0..length / 8).flat_map(|_| random.pick(PIECES).bytes().chain([b' '])).collect();
            }
            bytes
        })
    }

    #[test]
    fn no_byte_string_is_too_much() {
        let mut random = Random::new(17);
        for bytes in strings(&mut random) {
            decoder(&bytes);
            assembler(&bytes);
            container(&bytes);
            capture(&bytes);
            citrace(&bytes);
            ppdmp(&bytes);
            ge_capture(&bytes);
            key(&bytes);
            shader(&bytes, &mut Interpreter::new());
        }
    }

    #[test]
    fn writes_by_address() {
        let mut random = Random::new(21);
        let mut engines = Engines::new().expect("this host runs compiled code");
        for bytes in strings(&mut random).step_by(5) {
            mmio(&bytes, &mut engines);
        }
    }

    #[test]
    fn files_of_the_cache() {
        let folder = std::env::temp_dir().join(format!("picaflor-target-{}", std::process::id()));
        let cache = CacheFolder::new(&folder).expect("a folder and compiled code");
        let whole: Vec<_> = cache.contents().map(<[u8]>::to_vec).collect();
        assert!(!whole.is_empty());
        let mut random = Random::new(22);
        for bytes in whole.iter().cloned().chain(strings(&mut random).step_by(40)) {
            disk_cache(&bytes, &cache).expect("a folder and compiled code");
        }
        for length in [1, 8, 40, 56, 57, whole[0].len() - 1] {
            disk_cache(&whole[0][..length], &cache).expect("a folder and compiled code");
        }
    }

    /// A container with some of its bytes changed is still read or refused.
    #[test]
    fn damaged_containers() {
        let source = ".out position position\n.proc main\nmov position, v0\nend\n.end";
        let shbin = asm::assemble(&[SourceFile::new("a", source)], asm::Options::default());
        let whole = shbin.expect("the source is right").write();
        let mut random = Random::new(18);
        for _ in 0..3_000 {
            let mut bytes = whole.clone();
            for _ in 0..random.between(1, 4) {
                let at = random.below(bytes.len() as u32) as usize;
                bytes[at] = random.pick(&[0, 1, 4, 0x7f, 0x80, 0xff]);
            }
            bytes.truncate(if random.chance(20) {
                random.below(bytes.len() as u32) as usize
            } else {
                usize::MAX
            });
            container(&bytes);
        }
    }
}
