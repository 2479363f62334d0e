//! Blocks, padding and control flow.

use super::directive::nothing;
use super::line::{Parse, Piece};
use super::link::{Fixup, Procedure};
use super::operand::Class;
use super::{Assembler, Place};
use crate::bits::insert;
use crate::pica::shader::instr::Instruction;
use crate::pica::shader::ops::Opcode;

/// Maximum number of open blocks.
const BLOCK_LIMIT: usize = 32;

/// An array of constants whose elements are being listed.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) name: String,
    pub(super) size: Option<u32>,
    pub(super) elements: Vec<[u32; 4]>,
}

/// Kind of a block.
#[derive(Debug)]
pub(super) enum BlockKind {
    Procedure(String),
    For,
    /// With the address after `.else`, if there was one.
    If(Option<usize>),
    Array(Array),
}

/// An open block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    /// Address of the opening word, or of the first word of a procedure.
    pub(super) start: usize,
    pub(super) place: Place,
}

impl Assembler {
    pub(super) fn open(&mut self, piece: Piece<'_>, block: Block) -> Parse<()> {
        if self.file.blocks.len() >= BLOCK_LIMIT {
            return piece.fail(format!("more than {BLOCK_LIMIT} blocks are open"));
        }
        self.file.blocks.push(block);
        Ok(())
    }

    pub(super) fn open_procedure(&mut self, rest: Piece<'_>) -> Parse<()> {
        let inside = !self.file.blocks.is_empty();
        let kind = BlockKind::Procedure(rest.text.into());
        self.open(rest, Block { kind, start: self.code.len(), place: self.place_of(rest) })?;
        rest.identifier()?;
        if inside {
            return rest.fail("a procedure inside a block");
        }
        if self.procedures.contains_key(rest.text) {
            return rest.fail(format!("procedure `{}` is already defined", rest.text));
        }
        Ok(())
    }

    pub(super) fn else_(&mut self, command: Piece<'_>, rest: Piece<'_>) -> Parse<()> {
        nothing(rest)?;
        let start = match self.file.blocks.last() {
            Some(Block { kind: BlockKind::If(None), start, .. }) => *start,
            Some(Block { kind: BlockKind::If(_), .. }) => return command.fail("a second `.else`"),
            _ => return command.fail("`.else` outside an if block"),
        };
        self.pad(command, start, 2, false);
        let here = self.code.len();
        self.patch(start, here);
        if let Some(block) = self.file.blocks.last_mut() {
            block.kind = BlockKind::If(Some(here));
        }
        Ok(())
    }

    pub(super) fn end(&mut self, command: Piece<'_>, rest: Piece<'_>) -> Parse<()> {
        nothing(rest)?;
        let Some(Block { kind, start, .. }) = self.file.blocks.pop() else {
            return command.fail("`.end` without an open block");
        };
        match kind {
            BlockKind::Array(array) => self.end_array(command, array)?,
            BlockKind::Procedure(name) => self.end_procedure(command, name, start),
            BlockKind::For => {
                self.pad(command, start, 2, true);
                self.patch(start, self.code.len() - 1);
                self.file.just_ended = true;
            }
            BlockKind::If(else_start) => {
                self.pad(command, start, 2, false);
                let here = self.code.len();
                match else_start {
                    Some(else_start) => self.patch_num(command, start, here - else_start),
                    None => self.patch(start, here),
                }
                self.file.just_ended = true;
            }
        }
        Ok(())
    }

    fn end_procedure(&mut self, command: Piece<'_>, name: String, start: usize) {
        self.pad(command, start, 1, false);
        let size = (self.code.len() - start) as u32;
        self.procedures.insert(name, Procedure { start: start as u32, size });
    }

    /// Inserts a NOP where a block must not end yet: directly after the end of another block, after jumps and calls,
    /// and in blocks of fewer than `least` words. Nothing is inserted while there is no code: the common assembler
    /// leaves an empty procedure at address 0 empty (container `random08`).
    fn pad(&mut self, command: Piece<'_>, start: usize, least: usize, is_loop: bool) {
        let Some(&last) = self.code.last() else { return };
        let restless = match Opcode::of(last) {
            Opcode::Jmpc | Opcode::Jmpu | Opcode::Call | Opcode::Callc | Opcode::Callu => true,
            Opcode::Break | Opcode::Breakc => is_loop,
            _ => false,
        };
        let just_ended = std::mem::take(&mut self.file.just_ended);
        let needed = just_ended || restless || self.code.len() - start < least;
        match (needed && !self.file.raw, self.options.no_nop) {
            (true, false) => self.code.push(Opcode::Nop.code() << 26),
            (true, true) => self.warn(command, "a NOP belongs before the end of this block"),
            (false, _) => {}
        }
    }

    fn patch(&mut self, at: usize, target: usize) {
        if let Some(word) = self.code.get_mut(at) {
            *word = insert(*word, 10, 22, target as u32);
        }
    }

    fn patch_num(&mut self, command: Piece<'_>, at: usize, num: usize) {
        if num > 0xff {
            self.warn(command, "the else part is longer than the 255 words that hardware counts");
        }
        if let Some(word) = self.code.get_mut(at) {
            *word = insert(*word, 0, 10, num as u32);
        }
    }

    /// An instruction of control flow.
    pub(super) fn flow(&mut self, op: Opcode, command: Piece<'_>, args: &[Piece<'_>]) -> Parse<()> {
        let word = op.code() << 26;
        match (op, args) {
            (Opcode::Breakc, [condition]) => self.emit(command, word | read_condition(*condition)?),
            (Opcode::Ifc, [condition]) => {
                let fields = read_condition(*condition);
                self.open_flow(command, word, BlockKind::If(None), fields)
            }
            (Opcode::Ifu, [uniform]) => {
                let fields = self.uniform_id(*uniform, Class::Bool);
                self.open_flow(command, word, BlockKind::If(None), fields)
            }
            (Opcode::Loop, [uniform]) => {
                let fields = self.uniform_id(*uniform, Class::Int);
                self.open_flow(command, word, BlockKind::For, fields)
            }
            (Opcode::Call, [name]) => self.emit_call(command, word, *name),
            (Opcode::Callc, [condition, name]) => {
                self.emit_call(command, word | read_condition(*condition)?, *name)
            }
            (Opcode::Callu, [uniform, name]) => {
                self.emit_call(command, word | self.uniform_id(*uniform, Class::Bool)?, *name)
            }
            (Opcode::Jmpc, [condition, target]) => {
                self.emit_to(command, word | read_condition(*condition)?, *target)
            }
            (Opcode::Jmpu, [uniform, target]) => {
                let (inverted, uniform) = uniform.strip('!').map_or((0, *uniform), |uniform| (1, uniform));
                self.emit_to(command, word | inverted | self.uniform_id(uniform, Class::Bool)?, *target)
            }
            _ => self.flat_flow(op, command, args),
        }
    }

    /// The extension: control flow with all fields explicit.
    fn flat_flow(&mut self, op: Opcode, command: Piece<'_>, args: &[Piece<'_>]) -> Parse<()> {
        let word = op.code() << 26;
        match (op, args) {
            (Opcode::Ifc | Opcode::Callc | Opcode::Jmpc, [condition, target, num]) => {
                self.emit_to(command, word | read_condition(*condition)? | read_num(*num)?, *target)
            }
            (Opcode::Ifu | Opcode::Callu, [uniform, target, num]) => {
                let fields = self.uniform_id(*uniform, Class::Bool)? | read_num(*num)?;
                self.emit_to(command, word | fields, *target)
            }
            (Opcode::Call, [target, num]) => self.emit_to(command, word | read_num(*num)?, *target),
            (Opcode::Loop, [uniform, target]) => {
                self.emit_to(command, word | self.uniform_id(*uniform, Class::Int)?, *target)
            }
            _ => command.fail(format!("`{}` does not take {} operands", command.text, args.len())),
        }
    }

    /// Emits the word of a block and opens it, even if the operand is wrong, because an `.end` follows.
    fn open_flow(&mut self, command: Piece<'_>, word: u32, kind: BlockKind, fields: Parse<u32>) -> Parse<()> {
        let start = self.code.len();
        self.emit(command, word | fields.as_ref().unwrap_or(&0))?;
        self.open(command, Block { kind, start, place: self.place_of(command) })?;
        fields.map(|_| ())
    }

    fn emit_call(&mut self, command: Piece<'_>, word: u32, name: Piece<'_>) -> Parse<()> {
        let at = self.code.len();
        let fixup = Fixup { at, name: name.identifier()?.into(), place: self.place_of(name) };
        self.calls.push(fixup);
        self.emit(command, word)
    }

    /// Emits a word whose address is a label of the file or a number.
    fn emit_to(&mut self, command: Piece<'_>, word: u32, target: Piece<'_>) -> Parse<()> {
        if target.text.starts_with(|c: char| c.is_ascii_digit()) {
            return match target.number()? {
                address @ ..0x1000 => self.emit(command, word | address << 10),
                _ => target.fail("an address is below 4096"),
            };
        }
        let at = self.code.len();
        let fixup = Fixup { at, name: target.identifier()?.into(), place: self.place_of(target) };
        self.file.jumps.push(fixup);
        self.emit(command, word)
    }

    /// The id field of a boolean or integer uniform.
    fn uniform_id(&self, piece: Piece<'_>, class: Class) -> Parse<u32> {
        let operand = self.names().operand(piece)?;
        if operand.register.class == class {
            return Ok((operand.register.number() & 15) << 22);
        }
        let kind = if class == Class::Bool { "a boolean" } else { "an integer" };
        piece.fail(format!("`{}` is not {kind} uniform", piece.text))
    }

    /// True if the last word was a MOVA.
    pub(super) fn follows_mova(&self) -> bool {
        self.code.last().is_some_and(|&word| Instruction(word).opcode() == Opcode::Mova)
    }
}

fn read_num(piece: Piece<'_>) -> Parse<u32> {
    match piece.number()? {
        num @ ..0x400 => Ok(num),
        _ => piece.fail("a number of words is below 1024"),
    }
}

/// The fields of a condition: one flag, or two joined by `&`, `&&`, `|` or `||`.
fn read_condition(piece: Piece<'_>) -> Parse<u32> {
    const COMBINE_X: u32 = 2;
    for (combine, operator) in [(0, '|'), (1, '&')] {
        let Some((left, right)) = piece.split_once(operator) else { continue };
        let right = right.strip(operator).unwrap_or(right);
        let ((a, negate_a), (b, negate_b)) = (read_flag(left.trim())?, read_flag(right.trim())?);
        if a == b {
            return piece.fail("a condition names each flag once");
        }
        let (x, y) = if a == 0 { (negate_a, negate_b) } else { (negate_b, negate_a) };
        return Ok(combine << 22 | u32::from(!y) << 24 | u32::from(!x) << 25);
    }
    let (flag, negate) = read_flag(piece)?;
    let (x, y) = if flag == 0 { (negate, false) } else { (false, negate) };
    Ok((COMBINE_X + flag) << 22 | u32::from(!y) << 24 | u32::from(!x) << 25)
}

/// Index of a flag, 0 for x, and true if it is negated.
fn read_flag(piece: Piece<'_>) -> Parse<(u32, bool)> {
    let (negate, name) = piece.strip('!').map_or((false, piece), |name| (true, name));
    match name.lower().as_str() {
        "cmp.x" => Ok((0, negate)),
        "cmp.y" => Ok((1, negate)),
        _ => name.fail(format!("`{}` is not a condition: cmp.x or cmp.y", name.text)),
    }
}
