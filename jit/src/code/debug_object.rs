//! One routine as an object file in memory, the form that the JIT interface of debuggers requires.
//!
//! The object holds address, name and call frame information of the routine, but no code: debuggers read that from
//! the process. Formats: the System V ABI's chapter on object files, and the call frame information of DWARF.

use super::jitdump::elf_machine;
use super::routine::CodeBlock;
use cranelift_codegen::CompiledCode;
use cranelift_codegen::gimli::RunTimeEndian;
use cranelift_codegen::gimli::write::{Address, DebugFrame, EndianVec, FrameTable};
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::isa::unwind::UnwindInfo;

const HEADER_BYTES: usize = 64;
const SECTION_BYTES: usize = 64;
const SYMBOL_BYTES: u64 = 24;
/// Numbers of sections, in the order of [`object`].
const TEXT: u16 = 1;
const STRINGS: u32 = 4;
const SECTION_NAMES: u16 = 5;

/// A row of the section table, with its content in the file.
#[derive(Default)]
struct Section {
    name: &'static str,
    kind: u32,
    flags: u64,
    address: u64,
    bytes: Vec<u8>,
    /// Size in memory of a section without content in the file.
    bytes_in_memory: u64,
    link: u32,
    /// Of a symbol table: the number of the first global symbol.
    info: u32,
    entry_bytes: u64,
}

/// Call frame information of `code`, as the content of `.debug_frame`. Empty, with a warning, for a target without
/// unwind tables. The code must be compiled with unwind information.
pub(crate) fn frames(code: &CodeBlock, compiled: &CompiledCode, isa: &dyn TargetIsa) -> Vec<u8> {
    frame_table(code, compiled, isa).unwrap_or_else(|why| {
        tracing::warn!(why, name = code.name(), "debuggers cannot find the caller");
        Vec::new()
    })
}

fn frame_table(code: &CodeBlock, compiled: &CompiledCode, isa: &dyn TargetIsa) -> Result<Vec<u8>, String> {
    let common = isa.create_systemv_cie().ok_or("the target has no tables of this kind")?;
    let Some(UnwindInfo::SystemV(info)) =
        compiled.create_unwind_info(isa).map_err(|error| error.to_string())?
    else {
        return Err("the platform has tables of another kind".into());
    };
    let mut table = FrameTable::default();
    let common = table.add_cie(common);
    table.add_fde(common, info.to_fde(Address::Constant(code.entry() as u64)));
    let endian = if cfg!(target_endian = "big") { RunTimeEndian::Big } else { RunTimeEndian::Little };
    let mut section = DebugFrame(EndianVec::new(endian));
    table.write_debug_frame(&mut section).map_err(|error| error.to_string())?;
    Ok(section.0.into_vec())
}

/// The object of `code`, with its [`frames`].
pub(crate) fn object(code: &CodeBlock, frames: Vec<u8>) -> Box<[u8]> {
    const PROGRAM_BITS: u32 = 1;
    const SYMBOLS: u32 = 2;
    const STRING_TABLE: u32 = 3;
    const NO_BITS: u32 = 8;
    const ALLOCATED_AND_EXECUTABLE: u64 = 2 | 4;
    let text = Section {
        name: ".text",
        kind: NO_BITS,
        flags: ALLOCATED_AND_EXECUTABLE,
        address: code.entry() as u64,
        bytes_in_memory: code.size() as u64,
        ..Section::default()
    };
    let symbols = Section {
        name: ".symtab",
        kind: SYMBOLS,
        bytes: symbols(code),
        link: STRINGS,
        info: 1,
        entry_bytes: SYMBOL_BYTES,
        ..Section::default()
    };
    let names = code.name().bytes().map(|byte| if byte == 0 { b' ' } else { byte });
    let strings = [0].into_iter().chain(names).chain([0]).collect();
    let mut sections = [
        Section::default(),
        text,
        Section { name: ".debug_frame", kind: PROGRAM_BITS, bytes: frames, ..Section::default() },
        symbols,
        Section { name: ".strtab", kind: STRING_TABLE, bytes: strings, ..Section::default() },
        Section { name: ".shstrtab", kind: STRING_TABLE, ..Section::default() },
    ];
    sections[usize::from(SECTION_NAMES)].bytes = section_names(&sections).0;
    file(&sections)
}

/// The null symbol and the symbol of the routine.
fn symbols(code: &CodeBlock) -> Vec<u8> {
    const GLOBAL_FUNCTION: u8 = 1 << 4 | 2;
    let mut bytes = vec![0; SYMBOL_BYTES as usize];
    let name = 1_u32;
    bytes.extend(name.to_ne_bytes());
    bytes.extend([GLOBAL_FUNCTION, 0]);
    bytes.extend(TEXT.to_ne_bytes());
    bytes.extend((code.entry() as u64).to_ne_bytes());
    bytes.extend((code.size() as u64).to_ne_bytes());
    bytes
}

/// All names, each terminated by a zero byte, and their offsets.
fn section_names(sections: &[Section]) -> (Vec<u8>, Vec<u32>) {
    let mut bytes = Vec::new();
    let mut starts = Vec::new();
    for section in sections {
        starts.push(bytes.len() as u32);
        bytes.extend(section.name.bytes());
        bytes.push(0);
    }
    (bytes, starts)
}

/// Header, section table, and the sections in order.
fn file(sections: &[Section]) -> Box<[u8]> {
    let mut bytes = header(sections.len());
    let mut offset = HEADER_BYTES + sections.len() * SECTION_BYTES;
    for (section, name) in sections.iter().zip(section_names(sections).1) {
        bytes.extend(section_header(section, name, offset));
        offset = (offset + section.bytes.len()).next_multiple_of(8);
    }
    for section in sections {
        bytes.extend(&section.bytes);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    bytes.into()
}

fn header(sections: usize) -> Vec<u8> {
    const EXECUTABLE: u16 = 2;
    const BITS_64: u8 = 2;
    const VERSION: u8 = 1;
    let order = if cfg!(target_endian = "big") { 2 } else { 1 };
    let mut bytes = vec![0x7f, b'E', b'L', b'F', BITS_64, order, VERSION];
    bytes.resize(16, 0);
    bytes.extend([EXECUTABLE, elf_machine() as u16].into_iter().flat_map(u16::to_ne_bytes));
    bytes.extend(u32::from(VERSION).to_ne_bytes());
    // No entry point, no program headers; the section table follows this header.
    bytes.extend([0, 0, HEADER_BYTES as u64].into_iter().flat_map(u64::to_ne_bytes));
    let flags = 0_u32;
    bytes.extend(flags.to_ne_bytes());
    let sizes = [HEADER_BYTES as u16, 0, 0, SECTION_BYTES as u16, sections as u16, SECTION_NAMES];
    bytes.extend(sizes.into_iter().flat_map(u16::to_ne_bytes));
    bytes
}

fn section_header(section: &Section, name: u32, offset: usize) -> Vec<u8> {
    let size = section.bytes.len() as u64 + section.bytes_in_memory;
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<_>>();
    let longs = |longs: &[u64]| longs.iter().flat_map(|long| long.to_ne_bytes()).collect::<Vec<_>>();
    let alignment = u64::from(section.kind != 0);
    [
        words(&[name, section.kind]),
        longs(&[section.flags, section.address, offset as u64, size]),
        words(&[section.link, section.info]),
        longs(&[alignment, section.entry_bytes]),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile::tests::{compiler, store};

    fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
        let mut number = [0; 8];
        number[..length].copy_from_slice(&bytes[at..at + length]);
        u64::from_le_bytes(number)
    }

    /// Name, kind, address, size and content of each section, read back from the file.
    fn sections(file: &[u8]) -> Vec<(String, u64, u64, u64, Vec<u8>)> {
        let (table, count) = (number(file, 40, 8) as usize, number(file, 60, 2) as usize);
        let row = |n: usize| &file[table + n * 64..table + (n + 1) * 64];
        let content = |row: &[u8]| {
            let (start, size) = (number(row, 24, 8) as usize, number(row, 32, 8) as usize);
            if number(row, 4, 4) == 8 { Vec::new() } else { file[start..start + size].to_vec() }
        };
        let names = content(row(number(file, 62, 2) as usize));
        (0..count)
            .map(|n| {
                let row = row(n);
                let name = names[number(row, 0, 4) as usize..].split(|&byte| byte == 0).next().unwrap();
                let name = String::from_utf8(name.to_vec()).unwrap();
                (name, number(row, 4, 4), number(row, 16, 8), number(row, 32, 8), content(row))
            })
            .collect()
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn an_object_names_the_routine_and_where_it_is() {
        let routine = store(&mut compiler(), 7, 10).unwrap();
        let (code, frames) = (routine.code(), vec![1, 2, 3]);
        let file = object(code, frames.clone());
        let [none, text, debug_frame, symbols, strings, _] = sections(&file).try_into().unwrap();
        let (entry, size) = (code.entry() as u64, code.size() as u64);
        assert_eq!(none, Default::default());
        assert_eq!((text.0.as_str(), text.1, text.2, text.3), (".text", 8, entry, size));
        assert_eq!((debug_frame.0.as_str(), debug_frame.4), (".debug_frame", frames));
        assert_eq!((symbols.0.as_str(), symbols.3, strings.0.as_str()), (".symtab", 48, ".strtab"));
        let symbol = &symbols.4[24..];
        assert_eq!([number(symbol, 6, 2), number(symbol, 8, 8), number(symbol, 16, 8)], [1, entry, size]);
        let name = &strings.4[number(symbol, 0, 4) as usize..];
        assert_eq!(name, format!("{}\0", code.name()).as_bytes());
    }
}
