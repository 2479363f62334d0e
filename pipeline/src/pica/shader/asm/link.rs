//! Linking: completion of a file, and of all files.

use super::error::{AsmErrors, Diagnostic, Place};
use super::{Assembler, File, Kind, Named};
use crate::bits::insert;
use crate::pica::shader::shbin::{Dvle, Dvlp, Shbin, Stage, Uniform};
use std::sync::Arc;

/// Version of executables written by the common assembler.
const DVLE_VERSION: u16 = 0x1002;

/// A word whose address field refers to an unresolved name.
#[derive(Debug)]
pub(super) struct Fixup {
    /// Address of the word.
    pub(super) at: usize,
    pub(super) name: String,
    pub(super) place: Place,
}

/// A closed procedure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Procedure {
    pub(super) start: u32,
    pub(super) size: u32,
}

/// Operand of `.entry`.
#[derive(Debug)]
pub(super) enum Entry {
    Name(String, Place),
    Range(u32, u32),
}

/// An executable with an unresolved entry procedure.
#[derive(Debug)]
pub(super) struct Executable {
    dvle: Dvle,
    entry: Entry,
}

impl Assembler {
    /// Completes a file: checks that every block is closed, and resolves jumps to labels.
    pub(super) fn finish_file(&mut self) {
        for block in std::mem::take(&mut self.file.blocks) {
            self.error_at(block.place, "this block has no `.end`".into());
        }
        for jump in std::mem::take(&mut self.file.jumps) {
            match self.file.labels.get(&jump.name) {
                Some(&target) if target < 0x1000 => {
                    self.code[jump.at] = insert(self.code[jump.at], 10, 22, target);
                }
                Some(_) => self.error_at(jump.place, format!("`{}` lies beyond 4095 words", jump.name)),
                None => self.error_at(jump.place, format!("there is no label `{}` in this file", jump.name)),
            }
        }
        let file = std::mem::take(&mut self.file);
        if file.wants_dvle && !file.nodvle {
            self.executables.push(executable(file));
        }
    }

    /// Resolves references across files and builds the container.
    pub(super) fn finish(mut self) -> Result<(Shbin, Vec<Diagnostic>), AsmErrors> {
        // Errors so far may be why a procedure is not known.
        if self.errors.is_empty() {
            self.resolve_calls();
        }
        let executables = self.resolve_entries();
        if self.errors.is_empty() && executables.is_empty() {
            let (file, source) = (Arc::clone(&self.first_file), Arc::default());
            let place = Place { file, line: 1, column: 1, width: 1, source };
            self.error_at(place, "no file asks for an executable".into());
        }
        if !self.errors.is_empty() {
            return Err(AsmErrors(self.errors.into_list()));
        }
        let program = Dvlp { code: self.code, descriptors: self.table.words(), ..Dvlp::default() };
        Ok((Shbin { program, executables }, self.warnings.into_list()))
    }

    fn resolve_calls(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            match self.procedures.get(&call.name) {
                // A size beyond the eight bits that hardware reads spills into the unused bits, as the common
                // assembler has it.
                Some(&Procedure { start, size }) if start < 0x1000 && size < 0x400 => {
                    let word = insert(self.code[call.at], 10, 22, start);
                    self.code[call.at] = insert(word, 0, 10, size);
                }
                Some(_) => self.error_at(call.place, format!("`{}` is too long or too far away", call.name)),
                None => self.error_at(call.place, format!("there is no procedure `{}`", call.name)),
            }
        }
    }

    fn resolve_entries(&mut self) -> Vec<Dvle> {
        let broken = !self.errors.is_empty();
        let mut executables = Vec::new();
        for Executable { mut dvle, entry } in std::mem::take(&mut self.executables) {
            (dvle.entry, dvle.end) = match entry {
                Entry::Range(start, end) => (start, end),
                Entry::Name(name, place) => match self.procedures.get(&name) {
                    Some(&Procedure { start, size }) => (start, start + size),
                    None if broken => continue,
                    None => {
                        self.error_at(place, format!("there is no entry procedure `{name}`"));
                        continue;
                    }
                },
            };
            executables.push(dvle);
        }
        executables
    }
}

/// The executable of a file.
fn executable(mut file: File) -> Executable {
    let end = Place { file: file.name, line: file.line, column: 1, width: 1, source: file.source };
    let (uniforms, symbols) = uniform_table(&mut file.uniforms);
    let dvle = Dvle {
        version: DVLE_VERSION,
        stage: if file.kind == Kind::Vertex { Stage::Vertex } else { Stage::Geometry },
        merge: file.merge,
        input_mask: file.input_mask,
        output_mask: file.outputs.iter().fold(0, |mask, output| mask | 1 << output.register),
        geometry: if let Kind::Geometry(mode) = file.kind { mode } else { Default::default() },
        constants: file.constants,
        outputs: file.outputs,
        uniforms,
        symbols,
        ..Dvle::default()
    };
    Executable { dvle, entry: file.entry.unwrap_or_else(|| Entry::Name("main".into(), end)) }
}

/// Entries in ascending order of register, and their names.
fn uniform_table(named: &mut [Named]) -> (Vec<Uniform>, Vec<u8>) {
    named.sort_by_key(|entry| entry.first);
    let mut symbols = Vec::new();
    let entry = |entry: &Named| {
        let name = symbols.len() as u32;
        symbols.extend(entry.name.replace('$', ".").bytes().chain([0]));
        Uniform { name, first: entry.first, last: entry.last }
    };
    (named.iter().map(entry).collect(), symbols)
}
