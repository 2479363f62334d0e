//! The disassembler: words to text that assembles to the same words and descriptors.
//!
//! Three forms, each for what the one before it would not give back:
//!
//! * *plain*: procedures, blocks and names; descriptors and padding are left to the assembler. What the common
//!   assembler made comes back this way.
//! * *pinned*: the same, but after `.raw`, with descriptors fixed by `.opdesc` and each instruction naming its own
//!   by `@n`. For programs of other assemblers, whose control flow is nested but whose descriptors stand in
//!   another order.
//! * *flat*: as pinned, without procedures and blocks; control flow with its fields written out.
//!
//! In the last two, words that no text stands for are `.word` lines. The choice is made by assembling:
//! [`disassemble`] hands out only text that it has seen come back right.
//!
//! What the tables of an executable say (inputs, outputs, uniforms, constants) is declared where the language
//! can say it; what it cannot is noted in a comment.

mod flat;
mod listing;
mod tables;
mod text;

use super::asm::{Options, SourceFile, assemble};
use super::instr::{Instruction, OperandDescriptor};
use super::shbin::{Dvle, Dvlp, Shbin};

use self::listing::Style;
use self::text::Names;

/// Descriptors that instructions can name.
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

/// One instruction in one line, addresses as numbers; `.word` where no text stands for the word.
#[must_use]
pub fn line(word: Instruction, descriptor: OperandDescriptor) -> String {
    let address = |target: u16| format!("{target:#05x}");
    let text = text::computing(word, descriptor, &Names::default()).or_else(|| text::flat(word, &address));
    text.unwrap_or_else(|| text::word(word))
}

/// Whether a text assembles to the program of a container.
fn comes_back(text: &str, shbin: &Shbin) -> bool {
    let Ok(again) = assemble(&[SourceFile::new("disassembly", text)], Options::default()) else {
        return false;
    };
    let named = |program: &Dvlp| program.descriptors.iter().copied().take(DESCRIPTORS).collect::<Vec<_>>();
    again.program.code == shbin.program.code && named(&again.program) == named(&shbin.program)
}

#[cfg(test)]
mod tests;
