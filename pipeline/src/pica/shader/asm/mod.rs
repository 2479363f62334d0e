//! The assembler: converts source text to a container, byte by byte the same as that of the common assembler.
//!
//! The language is that of pica-shader.md 9. Extensions, for the output of the disassembler:
//!
//! | Line | Meaning |
//! |---|---|
//! | `.file NAME` | starts another source file |
//! | `.opdesc N WORD [EXTRA]` | fixes operand descriptor `N`, and its second word |
//! | `.word N` | an instruction word as it is |
//! | `.entry START END` | entry procedure by addresses |
//! | `.raw` | from here to the end of the file: no procedure needs to be open, no NOP is inserted, registers are not restricted (`v15`, `o7` in geometry files, different `v` registers), the `i` of a mnemonic chooses the inverted form, `setemit` changes nothing but the program |
//! | `INSTRUCTION @N` | uses descriptor `N`, which must agree with the operands |
//! | `ifc COND, DST, NUM` `ifu bN, DST, NUM` `for iN, DST` `call DST, NUM` `callc COND, DST, NUM` `callu bN, DST, NUM` `jmpc COND, DST[, NUM]` | control flow with its fields written out, `DST` a label or a number; opens no block |
//!
//! Start reading at `Assembler::statement`: one line at a time, in one pass; jumps are patched at the end of a file,
//! calls and entry points at the end of all files.

mod alloc;
mod data;
mod descriptor;
mod directive;
mod encode;
mod error;
mod flow;
mod interface;
mod line;
mod link;
mod operand;

use std::collections::HashMap;
use std::sync::Arc;

pub(in crate::pica::shader) use encode::COMPARISONS;
pub use error::{AsmErrors, Diagnostic, Place, Severity};
#[cfg(test)]
pub(in crate::pica::shader) use line::c_float;
pub(in crate::pica::shader) use line::constant_f24;

use self::alloc::Pool;
use self::descriptor::DescriptorTable;
use self::error::Diagnostics;
use self::flow::Block;
use self::line::{Complaint, Parse, Piece};
use self::link::{Entry, Executable, Fixup, Procedure};
use self::operand::{Alias, Names};
use super::shbin::{Constant, GeometryMode, Output, Shbin};

/// A source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Name for messages.
    pub name: String,
    /// Contents.
    pub text: String,
}

impl SourceFile {
    /// A source file with this name and text.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// Command-line options of an assembler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Warn about missing NOPs instead of inserting them.
    pub no_nop: bool,
}

/// Assembles and links files, in order.
///
/// ```
/// use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
/// use picaflor_pipeline::pica::shader::disasm::disassemble_words;
///
/// let source = "
///     .fvec offset
///     .in place v0
///     .out position position
///     .entry main
///     .proc main
///         add position, offset, place
///         end
///     .end";
/// let shbin = assemble(&[SourceFile::new("move.v.pica", source)], Options::default())?;
/// assert_eq!(shbin.program.code.len(), 2);
/// let descriptors: Vec<u32> = shbin.program.descriptors.iter().map(|pair| pair[0]).collect();
/// assert!(disassemble_words(&shbin.program.code, &descriptors).contains("add o0, c0, v0"));
///
/// let wrong = assemble(&[SourceFile::new("wrong.v.pica", ".proc main\nadd r0")], Options::default());
/// assert!(wrong.is_err_and(|errors| errors.to_string().starts_with("wrong.v.pica:2:")));
/// # Ok::<(), picaflor_pipeline::pica::shader::asm::AsmErrors>(())
/// ```
///
/// # Errors
/// All errors found, each with file, line and column; of more than 20, a last one tells their number.
pub fn assemble(files: &[SourceFile], options: Options) -> Result<Shbin, AsmErrors> {
    assemble_with_warnings(files, options).map(|(shbin, _)| shbin)
}

/// [`assemble`] that also returns the warnings; of more than 20, a last one tells their number.
///
/// # Errors
/// Those of [`assemble`].
pub fn assemble_with_warnings(
    files: &[SourceFile],
    options: Options,
) -> Result<(Shbin, Vec<Diagnostic>), AsmErrors> {
    let mut assembler = Assembler::new(options);
    assembler.first_file = files.first().map_or_else(|| "input".into(), |file| file.name.as_str().into());
    for file in files {
        assembler.file(file);
        if assembler.errors.is_full() {
            break;
        }
    }
    assembler.finish()
}

/// Kind of program in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    #[default]
    Vertex,
    /// Geometry program that shares the uniforms of vertex files: `.gsh` alone, or `setemit` without `.gsh`.
    Legacy,
    /// Geometry program with its own uniforms.
    Geometry(GeometryMode),
}

/// An entry of the uniform table, before names have offsets.
#[derive(Debug)]
struct Named {
    name: String,
    first: u16,
    last: u16,
}

/// State of the current file.
#[derive(Debug, Default)]
struct File {
    name: Arc<str>,
    line: u32,
    source: Arc<str>,
    kind: Kind,
    /// True after `.gsh`.
    gsh: bool,
    raw: bool,
    nodvle: bool,
    /// True if the file contains anything that needs an executable.
    wants_dvle: bool,
    /// True if a misplaced instruction has been reported.
    misplaced: bool,
    /// True if the last non-empty line was the `.end` of a for or if block.
    just_ended: bool,
    aliases: HashMap<String, Alias>,
    labels: HashMap<String, u32>,
    jumps: Vec<Fixup>,
    blocks: Vec<Block>,
    /// Uniform registers of a geometry file.
    pool: Option<Pool>,
    constants: Vec<Constant>,
    outputs: Vec<Output>,
    uniforms: Vec<Named>,
    input_mask: u16,
    merge: bool,
    entry: Option<Entry>,
}

/// The state of an assembly.
struct Assembler {
    options: Options,
    code: Vec<u32>,
    table: DescriptorTable,
    procedures: HashMap<String, Procedure>,
    calls: Vec<Fixup>,
    vertex_pool: Pool,
    executables: Vec<Executable>,
    errors: Diagnostics,
    warnings: Diagnostics,
    /// Name of the file to which errors of all files are attributed.
    first_file: Arc<str>,
    /// True if an overflow of the code memory has been reported.
    code_full: bool,
    file: File,
}

impl Assembler {
    fn new(options: Options) -> Self {
        Self {
            options,
            code: Vec::new(),
            table: DescriptorTable::default(),
            procedures: HashMap::new(),
            calls: Vec::new(),
            vertex_pool: Pool::vertex(),
            executables: Vec::new(),
            errors: Diagnostics::new(Severity::Error),
            warnings: Diagnostics::new(Severity::Warning),
            first_file: Arc::default(),
            code_full: false,
            file: File::default(),
        }
    }

    fn file(&mut self, file: &SourceFile) {
        self.begin_file(&file.name);
        for line in file.text.lines() {
            self.file.line = self.file.line.saturating_add(1);
            self.file.source = line.into();
            if let Err(complaint) = self.line(line) {
                self.error(&complaint);
            }
            if self.errors.is_full() {
                return;
            }
        }
        self.finish_file();
    }

    fn begin_file(&mut self, name: &str) {
        self.file = File { name: name.into(), ..File::default() };
        self.vertex_pool.restart_constants();
    }

    fn line(&mut self, text: &str) -> Parse<()> {
        if let Some(position) = Piece::line(text).trim().strip('#') {
            self.set_position(position);
            return Ok(());
        }
        let code = Piece::line(text).split_once(';').map_or(Piece::line(text), |(code, _)| code);
        let mut rest = code.trim();
        while let Some((label, after)) = rest.split_once(':') {
            if rest.text.starts_with(".file") {
                break;
            }
            self.label(label.trim())?;
            rest = after.trim();
        }
        if rest.text.is_empty() { Ok(()) } else { self.statement(rest) }
    }

    /// `# number "file"` of a C preprocessor: the position of the next line.
    fn set_position(&mut self, position: Piece<'_>) {
        let (number, name) = position.word();
        if let Ok(number) = number.number() {
            self.file.line = number.saturating_sub(1);
            if let Some(name) = name.text.split('"').nth(1) {
                self.file.name = name.into();
            }
        }
    }

    fn label(&mut self, piece: Piece<'_>) -> Parse<()> {
        let name = piece.identifier()?;
        let here = self.code.len() as u32;
        match self.file.labels.insert(name.into(), here) {
            None => Ok(()),
            Some(_) => piece.fail(format!("label `{name}` is already defined in this file")),
        }
    }

    /// A directive or an instruction.
    fn statement(&mut self, statement: Piece<'_>) -> Parse<()> {
        let (command, rest) = statement.word();
        if command.text.starts_with('.') {
            self.directive(command, rest)
        } else {
            self.file.wants_dvle = true;
            self.instruction(command, rest)
        }
    }

    fn names(&self) -> Names<'_> {
        let geometry = self.file.gsh && !self.file.raw;
        Names { aliases: &self.file.aliases, geometry, raw: self.file.raw }
    }

    fn pool(&mut self) -> &mut Pool {
        self.file.pool.as_mut().unwrap_or(&mut self.vertex_pool)
    }

    /// The position of a part of the current line.
    fn place(&self, at: usize, len: usize) -> Place {
        let source = &self.file.source;
        let characters =
            |range: std::ops::Range<usize>| source.get(range).map_or(0, |part| part.chars().count()) as u32;
        let (column, width) = (characters(0..at) + 1, characters(at..at + len).max(1));
        let (file, source) = (Arc::clone(&self.file.name), Arc::clone(source));
        Place { file, line: self.file.line, column, width, source }
    }

    fn place_of(&self, piece: Piece<'_>) -> Place {
        let Complaint { at, len, .. } = piece.complaint("");
        self.place(at, len)
    }

    fn error(&mut self, complaint: &Complaint) {
        let place = self.place(complaint.at, complaint.len);
        self.error_at(place, complaint.message.clone());
    }

    fn error_at(&mut self, place: Place, message: String) {
        self.errors.push(place, message);
    }

    fn warn(&mut self, piece: Piece<'_>, message: impl Into<String>) {
        let place = self.place_of(piece);
        self.warnings.push(place, message.into());
    }
}

#[cfg(test)]
mod tests;
