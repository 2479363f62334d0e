//! The assembler against containers made by the common assembler (picasso 2.7.1), and the disassembler against
//! the assembler.
//!
//! The pairs in `data/shader` always run; the same pairs in the data folder run when `PICAFLOR_DATA` is set.

use crate::data_folder::data_folder;
use std::fs;
use std::path::{Path, PathBuf};

use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::shader::disasm::{disassemble, disassemble_words};
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::shbin::Shbin;

/// The sources of a container: its own name with an extension, or for `link_A_B` those of A and B in order.
fn sources(container: &Path) -> Vec<SourceFile> {
    let stem = container.file_stem().unwrap().to_str().unwrap();
    let names: Vec<_> = match stem.strip_prefix("link_") {
        Some(names) => names.split('_').collect(),
        None => vec![stem],
    };
    names.into_iter().map(|name| source(container.parent().unwrap(), name)).collect()
}

fn source(folder: &Path, name: &str) -> SourceFile {
    let paths = ["v", "g"].map(|stage| folder.join(format!("{name}.{stage}.pica")));
    let path = paths.iter().find(|path| path.exists()).unwrap_or_else(|| panic!("no source of {name}"));
    SourceFile::new(path.file_name().unwrap().to_str().unwrap(), fs::read_to_string(path).unwrap())
}

fn containers(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(containers(&path));
        } else if path.extension().is_some_and(|extension| extension == "shbin") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/shader")
}

fn check_folder(folder: &Path) {
    let containers = containers(folder);
    assert_eq!(containers.len(), 27, "containers in {}", folder.display());
    for path in &containers {
        let expected = fs::read(path).unwrap();
        let shbin = assemble(&sources(path), Options::default());
        let shbin = shbin.unwrap_or_else(|errors| panic!("{}:\n{errors}", path.display()));
        assert!(shbin.write() == expected, "{} differs", path.display());
        let read = Shbin::read(&expected).unwrap();
        assert!(read == shbin && read.write() == expected, "{} does not survive reading", path.display());
    }
}

#[test]
fn every_container_byte_for_byte() {
    check_folder(&own_folder());
}

#[test]
fn every_container_of_the_data_folder() {
    if let Some(data) = data_folder() {
        check_folder(&data.join("shader"));
    }
}

fn reassemble(text: &str) -> Shbin {
    let file = SourceFile::new("disassembly", text);
    assemble(&[file], Options::default()).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// What the common assembler made comes back in the plain form, tables included.
#[test]
fn every_container_through_the_disassembler() {
    for path in containers(&own_folder()) {
        let shbin = Shbin::read(&fs::read(&path).unwrap()).unwrap();
        let text = disassemble(&shbin);
        assert!(!text.contains(".raw"), "{} is not plain:\n{text}", path.display());
        assert!(reassemble(&text).write() == shbin.write(), "{} differs:\n{text}", path.display());
    }
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn words(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.next() as u32).collect()
    }
}

fn check_words(code: &[u32], descriptors: &[u32]) {
    let text = disassemble_words(code, descriptors);
    let again = reassemble(&text).program;
    let bits: Vec<_> = again.descriptors.iter().map(|pair| pair[0]).collect();
    assert!(again.code == code && bits == descriptors, "{code:08x?}\n{descriptors:08x?}\n{text}");
}

/// Programs of other assemblers: descriptors in another order, unused bits of a descriptor set. They keep their
/// blocks, names and tables.
#[test]
fn containers_with_other_descriptors() {
    let mut random = Random(5);
    for path in containers(&own_folder()) {
        let mut shbin = Shbin::read(&fs::read(&path).unwrap()).unwrap();
        let program = &mut shbin.program;
        // A reversed table of more than 32 would leave MAD without its descriptors.
        if program.descriptors.len() <= 32 {
            reverse_descriptors(&mut program.code, &mut program.descriptors);
        }
        program.descriptors[0][0] |= 1 << 31;
        program.descriptors[0][1] = random.next() as u32;
        let text = disassemble(&shbin);
        assert!(text.contains(".raw") && text.contains(".proc main"), "{}:\n{text}", path.display());
        assert!(reassemble(&text).write() == shbin.write(), "{} differs:\n{text}", path.display());
    }
}

fn reverse_descriptors(code: &mut [u32], descriptors: &mut [[u32; 2]]) {
    let last = descriptors.len() as u32 - 1;
    descriptors.reverse();
    for word in code {
        match *word >> 26 {
            0x20..=0x2d => {}
            0x30.. => *word = *word & !0x1f | (last - (*word & 0x1f)),
            _ => *word = *word & !0x7f | (last - (*word & 0x7f)),
        }
    }
}

/// Any words at all, most of them nonsense.
#[test]
fn random_words_through_the_disassembler() {
    let mut random = Random(1);
    for _ in 0..1500 {
        let (words, descriptors) = (random.below(60), random.below(129));
        let code = random.words(words);
        check_words(&code, &random.words(descriptors));
    }
}

/// A word with a defined opcode, addresses near the program.
fn likely_word(random: &mut Random, length: usize) -> u32 {
    let op = Opcode::ALL[random.below(Opcode::ALL.len())];
    let fields = random.next() as u32;
    let fields = match op.code() {
        0x20..=0x22 | 0x2a => 0,
        0x23..=0x2d => fields & 0x03c0_0007 | (random.below(length + 2) as u32) << 10,
        _ => fields & 0x03ff_ffff,
    };
    op.code() << 26 | fields
}

/// Words of defined opcodes with descriptors that have a destination.
#[test]
fn random_programs_through_the_disassembler() {
    let mut random = Random(2);
    for _ in 0..1500 {
        let length = 1 + random.below(80);
        let code: Vec<_> = (0..length).map(|_| likely_word(&mut random, length)).collect();
        let mut descriptors = random.words(128);
        descriptors.iter_mut().for_each(|bits| *bits |= 1 << (*bits >> 31));
        check_words(&code, &descriptors);
    }
}

/// Source text of a random program that uses everything the language has for computing and control flow.
fn random_source(random: &mut Random) -> String {
    let mut text = String::from(".fvec mat[4], tint\n.bool flag\n.constf k(0.0, 1.0, 0.5, -2.0)\n");
    text += ".in pos\n.out o0p position\n.proc helper\n";
    block(random, &mut text, 1);
    text += ".end\n.proc main\n";
    block(random, &mut text, 3);
    text + "last: end\n.end\n"
}

fn block(random: &mut Random, text: &mut String, depth: usize) {
    for _ in 0..1 + random.below(8) {
        let choice = random.below(if depth > 1 { 24 } else { 20 });
        let line = match choice {
            20 => nested(random, depth, "ifc !cmp.x || cmp.y", true),
            21 => nested(random, depth, "ifu flag", true),
            22 => nested(random, depth, "for i2", false),
            23 => [
                "call helper",
                "callc cmp.y, helper",
                "callu b3, helper",
                "jmpc cmp.x, last",
                "jmpu !b1, last",
            ][random.below(5)]
            .into(),
            _ => computing(random),
        };
        *text += &line;
        *text += "\n";
    }
}

fn nested(random: &mut Random, depth: usize, opener: &str, can_else: bool) -> String {
    let mut text = format!("{opener}\n");
    block(random, &mut text, depth - 1);
    if can_else && random.below(2) == 0 {
        text += ".else\n";
        block(random, &mut text, depth - 1);
    }
    text + ".end"
}

fn computing(random: &mut Random) -> String {
    let mut wide = wide_source(random);
    let (narrow, other) = (narrow_source(random), narrow_source(random));
    if narrow.contains('v') || other.contains('v') {
        wide = narrow_source(random);
    }
    let destination = format!("r{}{}", random.below(16), ["", ".x", ".yz", ".xyw", ".w"][random.below(5)]);
    let two = ["add", "dp3", "dp4", "dph", "dst", "mul", "sge", "slt", "max", "min"][random.below(10)];
    let one = ["ex2", "lg2", "litp", "flr", "rcp", "rsq", "mov"][random.below(7)];
    match random.below(8) {
        0 => format!("{} {destination}, {narrow}, {wide}", ["dph", "dst", "sge", "slt"][random.below(4)]),
        1 => format!("mad {destination}, {narrow}, {wide}, {other}"),
        2 => format!("mad {destination}, {narrow}, {other}, {wide}"),
        3 => format!("{one} {destination}, {wide}"),
        4 => format!("cmp {wide}, {}, ge, {narrow}", ["eq", "ne", "lt", "le", "gt"][random.below(5)]),
        5 => format!("mova a0.{}, {wide}\nnop", ["x", "y", "xy"][random.below(3)]),
        _ => format!("{two} {destination}, {wide}, {narrow}"),
    }
}

fn swizzle(random: &mut Random) -> String {
    let letters: String = (0..random.below(5)).map(|_| ['x', 'y', 'z', 'w'][random.below(4)]).collect();
    if letters.is_empty() { letters } else { format!(".{letters}") }
}

fn narrow_source(random: &mut Random) -> String {
    let sign = ["", "-"][random.below(2)];
    let register = if random.below(4) == 0 { "v0".into() } else { format!("r{}", random.below(16)) };
    format!("{sign}{register}{}", swizzle(random))
}

fn wide_source(random: &mut Random) -> String {
    let name =
        ["mat[2]", "tint", "k", "c40", "mat[aL+1]", "c7[a0.x]", "c9[a0.y+3]", "-mat[3]"][random.below(8)];
    format!("{name}{}", swizzle(random))
}

/// Programs in the language: assembled, disassembled in the plain form, assembled to the same container.
#[test]
fn random_sources_through_assembler_and_disassembler() {
    let mut random = Random(3);
    let mut words = 0;
    for _ in 0..1000 {
        let first = reassemble(&random_source(&mut random));
        let text = disassemble(&first);
        assert!(!text.contains(".raw"), "not plain:\n{text}");
        assert!(reassemble(&text).write() == first.write(), "{text}");
        words += first.program.code.len();
    }
    println!("1000 programs, {words} words");
}

/// Containers and sources with a few bytes changed: errors, never a panic.
#[test]
fn mutated_input_never_panics() {
    let mut random = Random(4);
    for path in containers(&own_folder()) {
        let bytes = fs::read(&path).unwrap();
        let files = sources(&path);
        for _ in 0..60 {
            if let Ok(shbin) = Shbin::read(&mutated(&mut random, &bytes)) {
                let again = reassemble(&disassemble(&shbin)).program.code;
                assert!(again == shbin.program.code, "{}", path.display());
                assert_eq!(Shbin::read(&shbin.write()).as_ref(), Ok(&shbin));
            }
            let mutate = |file: &SourceFile| {
                let text = mutated(&mut random, file.text.as_bytes());
                SourceFile::new(file.name.clone(), String::from_utf8_lossy(&text))
            };
            let changed: Vec<_> = files.iter().map(mutate).collect();
            if let Err(errors) = assemble(&changed, Options::default()) {
                assert!(!errors.0.is_empty() && errors.to_string().contains("error"));
            }
        }
    }
}

fn mutated(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(6) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] = b"\0\n.,:;[]()-+@#!&|rcvoib0x"[random.below(25)],
            2 => bytes[at] ^= 1 << random.below(8),
            _ => bytes.truncate(at.max(1)),
        }
    }
    bytes
}
