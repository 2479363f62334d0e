//! Single instructions as text. `None`: the text could not reproduce the fields of the word.

use std::collections::HashMap;

use crate::bits::extract;
use crate::pica::shader::asm::COMPARISONS;
use crate::pica::shader::instr::{Condition, Destination, Instruction, OperandDescriptor, Source};
use crate::pica::shader::ops::{Combine, Form, Opcode};

/// A declared name for a register.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) name: String,
    /// Position in an array; `None` for a single register.
    pub(super) offset: Option<u32>,
}

/// Names for registers, by class letter and number.
#[derive(Debug, Default)]
pub(super) struct Names(pub(super) HashMap<(char, u32), Name>);

impl Names {
    /// The text of a register; `index` is the name of an address register, or empty.
    pub(super) fn register(&self, class: char, number: u32, index: &str) -> String {
        let Some(Name { name, offset }) = self.0.get(&(class, number)) else {
            return if index.is_empty() {
                format!("{class}{number}")
            } else {
                format!("{class}{number}[{index}]")
            };
        };
        match (offset.unwrap_or(0), index) {
            (0, "") if offset.is_none() => name.clone(),
            (offset, "") => format!("{name}[{offset}]"),
            (0, index) => format!("{name}[{index}]"),
            (offset, index) => format!("{name}[{index}+{offset}]"),
        }
    }
}

/// A `.word` line, with the decoded instruction as a comment.
pub(super) fn word(word: Instruction) -> String {
    format!(".word {:#010x} ; {}", word.0, word.opcode().mnemonic())
}

/// An arithmetic instruction.
pub(super) fn computing(word: Instruction, descriptor: OperandDescriptor, names: &Names) -> Option<String> {
    let op = word.opcode();
    let target = match op.form() {
        Form::Cmp => return compare(word, descriptor, names),
        Form::Mova if extract(word.0, 21, 26) == 0 && extract(word.0, 7, 12) == 0 => address(descriptor)?,
        Form::One if extract(word.0, 7, 12) == 0 => destination(word, descriptor, names)?,
        Form::Two | Form::TwoInverted | Form::Three | Form::ThreeInverted => {
            destination(word, descriptor, names)?
        }
        _ => return None,
    };
    let sources: Vec<_> = (0..word.source_count()).map(|n| source(word, descriptor, n, names)).collect();
    Some(format!("{} {target}, {}", op.mnemonic(), sources.join(", ")))
}

fn compare(word: Instruction, descriptor: OperandDescriptor, names: &Names) -> Option<String> {
    let [x, y] = [(24, 27), (21, 24)].map(|(low, high)| COMPARISONS.get(extract(word.0, low, high) as usize));
    let [first, second] = [0, 1].map(|n| source(word, descriptor, n, names));
    Some(format!("cmp {first}, {}, {}, {second}", x?, y?))
}

/// The target of a MOVA.
fn address(descriptor: OperandDescriptor) -> Option<String> {
    Some(match (descriptor.writes(0), descriptor.writes(1)) {
        (true, true) => "a0.xy".into(),
        (true, false) => "a0.x".into(),
        (false, true) => "a0.y".into(),
        (false, false) => return None,
    })
}

fn destination(word: Instruction, descriptor: OperandDescriptor, names: &Names) -> Option<String> {
    let register = match word.destination() {
        Destination::Output(n) => names.register('o', n.into(), ""),
        Destination::Temporary(n) => names.register('r', n.into(), ""),
    };
    match descriptor.mask() {
        0 => None,
        0xf => Some(register),
        _ => {
            let components = "xyzw".chars().enumerate().filter(|&(i, _)| descriptor.writes(i));
            Some(format!("{register}.{}", components.map(|(_, letter)| letter).collect::<String>()))
        }
    }
}

fn source(word: Instruction, descriptor: OperandDescriptor, n: usize, names: &Names) -> String {
    let sign = if descriptor.negate(n) { "-" } else { "" };
    let index = index(word, n);
    let register = match word.source(n) {
        Source::Input(number) => names.register('v', number.into(), index),
        Source::Temporary(number) => names.register('r', number.into(), index),
        Source::Uniform(number, _) => names.register('c', number.into(), index),
    };
    format!("{sign}{register}{}", swizzle(descriptor, n))
}

/// The address register of source `n`, also if it has no effect because the source is no `c` register.
fn index(word: Instruction, n: usize) -> &'static str {
    let (wide, code) = match word.opcode().form() {
        Form::Three => (1, extract(word.0, 22, 24)),
        Form::ThreeInverted => (2, extract(word.0, 22, 24)),
        Form::TwoInverted => (1, extract(word.0, 19, 21)),
        _ => (0, extract(word.0, 19, 21)),
    };
    if n == wide { ["", "a0.x", "a0.y", "aL"][code as usize] } else { "" }
}

/// A swizzle, repeated last components written once; empty for the identity.
fn swizzle(descriptor: OperandDescriptor, n: usize) -> String {
    let components = [0, 1, 2, 3].map(|i| descriptor.component(n, i));
    if components == [0, 1, 2, 3] {
        return String::new();
    }
    let repeated =
        components.iter().rev().skip(1).take_while(|&&component| component == components[3]).count();
    let letters = components[..4 - repeated].iter().map(|&component| ['x', 'y', 'z', 'w'][component]);
    format!(".{}", letters.collect::<String>())
}

/// A condition; `None` if an unused flag has an unusual reference bit.
pub(super) fn condition(condition: Condition) -> Option<String> {
    let flag = |name: &str, reference: bool| format!("{}cmp.{name}", if reference { "" } else { "!" });
    let (x, y) = (flag("x", condition.ref_x), flag("y", condition.ref_y));
    match condition.combine {
        Combine::Or => Some(format!("{x} || {y}")),
        Combine::And => Some(format!("{x} && {y}")),
        Combine::X => condition.ref_y.then_some(x),
        Combine::Y => condition.ref_x.then_some(y),
    }
}

/// `num` with the two unused bits above it, into which long calls overflow.
pub(super) const fn wide_num(word: Instruction) -> u32 {
    extract(word.0, 0, 10)
}

/// An instruction without operand descriptor, with explicit fields. `target` formats an address.
pub(super) fn flat(word: Instruction, target: &dyn Fn(u16) -> String) -> Option<String> {
    let op = word.opcode();
    let name = op.mnemonic();
    let (to, num) = (target(word.target()), wide_num(word));
    match op.form() {
        Form::Bare => (word.0 == op.code() << 26).then(|| name.into()),
        Form::SetEmit => emit(word),
        Form::Condition => {
            let condition = condition(word.condition())?;
            match op {
                Opcode::Breakc if word.0 & 0x003f_ffff == 0 => Some(format!("{name} {condition}")),
                Opcode::Breakc => None,
                Opcode::Jmpc if num == 0 => Some(format!("{name} {condition}, {to}")),
                _ => Some(format!("{name} {condition}, {to}, {num}")),
            }
        }
        Form::Unconditional => (extract(word.0, 22, 26) == 0).then(|| format!("{name} {to}, {num}")),
        Form::Bool if op == Opcode::Jmpu => {
            let not = if num == 1 { "!" } else { "" };
            (num < 2).then(|| format!("{name} {not}b{}, {to}", word.bool_id()))
        }
        Form::Bool => Some(format!("{name} b{}, {to}, {num}", word.bool_id())),
        Form::Int => (num == 0).then(|| format!("{name} i{}, {to}", extract(word.0, 22, 26))),
        _ => None,
    }
}

fn emit(word: Instruction) -> Option<String> {
    let flags = match (word.emit_primitive(), word.emit_winding()) {
        (false, false) => "",
        (true, false) => ", prim",
        (false, true) => ", inv",
        (true, true) => ", prim inv",
    };
    (word.0 & 0x003f_ffff == 0).then(|| format!("setemit {}{flags}", word.emit_id()))
}
