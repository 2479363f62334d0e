//! The disassembler: converts words to text that assembles to the same words and descriptors.
//!
//! Three forms, from the most readable to the most exact:
//!
//! * *plain*: procedures, blocks and names; descriptors and padding are left to the assembler. Reproduces the output
//!   of the common assembler.
//! * *pinned*: plain, but after `.raw`, with descriptors fixed by `.opdesc` and selected in each instruction by `@n`.
//!   For programs of other assemblers with nested control flow and another order of descriptors.
//! * *flat*: pinned, without procedures and blocks; control flow has explicit fields.
//!
//! In the last two, words without a textual form are `.word` lines. The form is selected by trial: [`disassemble`]
//! returns only text whose assembly gave the same program.
//!
//! The tables of an executable (inputs, outputs, uniforms, constants) become declarations; parts that the language
//! cannot express are in comments.

mod flat;
mod listing;
mod tables;
mod text;

use super::asm::{Options, SourceFile, assemble};
use super::instr::{Instruction, OperandDescriptor};
use super::shbin::{Dvle, Dvlp, Shbin};

use self::listing::Style;
use self::text::Names;

/// Number of descriptors that instructions can select.
const DESCRIPTORS: usize = 128;

/// The text of a container.
#[must_use]
pub fn disassemble(shbin: &Shbin) -> String {
    let styles = [Some(Style::Plain), Some(Style::Pinned), None];
    let forms = styles.into_iter().flat_map(|style| [(style, true), (style, false)]);
    let mut texts = forms.filter_map(|(style, with_tables)| match style {
        Some(style) => listing::text(shbin, style, with_tables),
        None => Some(flat::text(shbin, with_tables)),
    });
    texts.find(|text| comes_back(text, shbin)).unwrap_or_else(|| flat::words_only(shbin))
}

/// The text of a program without executables, from address 0 to the end of `code`.
#[must_use]
pub fn disassemble_words(code: &[u32], descriptors: &[u32]) -> String {
    let descriptors = descriptors.iter().map(|&bits| [bits, 0]).collect();
    let program = Dvlp { code: code.to_vec(), descriptors, ..Dvlp::default() };
    let whole = Dvle { version: 0x1002, end: code.len() as u32, ..Dvle::default() };
    disassemble(&Shbin { program, executables: vec![whole] })
}

/// One instruction in one line, addresses as numbers; `.word` for a word without a textual form.
#[must_use]
pub fn line(word: Instruction, descriptor: OperandDescriptor) -> String {
    let address = |target: u16| format!("{target:#05x}");
    let text = text::computing(word, descriptor, &Names::default()).or_else(|| text::flat(word, &address));
    text.unwrap_or_else(|| text::word(word))
}

/// True if a text assembles to the program of a container.
fn comes_back(text: &str, shbin: &Shbin) -> bool {
    let Ok(again) = assemble(&[SourceFile::new("disassembly", text)], Options::default()) else {
        return false;
    };
    let named = |program: &Dvlp| program.descriptors.iter().copied().take(DESCRIPTORS).collect::<Vec<_>>();
    again.program.code == shbin.program.code && named(&again.program) == named(&shbin.program)
}

#[cfg(test)]
mod tests;
