//! Instruction words, sources and containers of shaders: each is read or refused, and each that is read can be
//! written.

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

/// Sources: text assembles to a container that reads back, or is refused.
pub fn assembler(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let source = SourceFile::new("fuzz", text.as_ref());
    if let Ok(shbin) = asm::assemble(&[source], asm::Options::default()) {
        let written = shbin.write();
        let read = Shbin::read(&written).expect("what the assembler wrote reads back");
        assert_eq!(read.program.code, shbin.program.code);
    }
}

/// Containers: bytes are a container or are refused; a container has a disassembly.
pub fn container(bytes: &[u8]) {
    if let Ok(shbin) = Shbin::read(bytes) {
        assert!(!disasm::disassemble(&shbin).is_empty());
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}
