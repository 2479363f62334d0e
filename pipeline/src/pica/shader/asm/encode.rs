//! Encoding of instructions to words.

use super::descriptor::{Wanted, follow_swap};
use super::flow::{Block, BlockKind};
use super::line::{Parse, Piece};
use super::operand::{Class, Operand, component, mask};
use super::{Assembler, Kind};
use crate::pica::shader::instr::Instruction;
use crate::pica::shader::ops::{Form, Opcode};
use crate::pica::shader::program::UnitKind;

/// The comparisons by code.
pub(in crate::pica::shader) const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];

/// Pairs of one operation: first source wide, and the inverted form. `MAD` has the second source wide.
const INVERTED: [(Opcode, Opcode); 5] = [
    (Opcode::Dph, Opcode::Dphi),
    (Opcode::Dst, Opcode::Dsti),
    (Opcode::Sge, Opcode::Sgei),
    (Opcode::Slt, Opcode::Slti),
    (Opcode::Mad, Opcode::Madi),
];

/// A parsed instruction with operands, not encoded yet.
struct Reading<'a> {
    op: Opcode,
    command: Piece<'a>,
    /// The descriptor after `@`.
    pin: Option<Piece<'a>>,
    /// Destination code; 0 if there is none.
    destination: u32,
    mask: u32,
    sources: Vec<Operand<'a>>,
    /// Fields outside operands: the comparisons.
    fields: u32,
}

impl Assembler {
    pub(super) fn instruction(&mut self, command: Piece<'_>, rest: Piece<'_>) -> Parse<()> {
        let name = command.lower();
        let Some(&op) = Opcode::ALL.iter().find(|op| op.mnemonic() == name) else {
            return command.fail(format!("unknown instruction `{}`", command.text));
        };
        self.check_block(command)?;
        let (operands, pin) = match rest.split_once('@') {
            Some((operands, pin)) => (operands.trim(), Some(pin.trim())),
            None => (rest, None),
        };
        let args = operands.commas();
        if let Some(empty) = args.iter().find(|arg| arg.text.is_empty()) {
            return Parse::Err(empty.complaint("an operand is missing"));
        }
        if let Some(pin) = pin.filter(|_| Instruction(op.code() << 26).source_count() == 0) {
            return pin.fail(format!("`{}` has no operand descriptor", command.text));
        }
        match op.form() {
            Form::Condition | Form::Unconditional | Form::Bool | Form::Int => self.flow(op, command, &args),
            Form::SetEmit => self.setemit(command, &args),
            Form::Bare => self.bare(op, command, &args),
            _ => {
                let reading = self.read(op, command, pin, &args)?;
                self.encode(&reading)
            }
        }
    }

    /// Checks that an instruction stands inside a procedure and outside of an array.
    pub(super) fn check_block(&mut self, piece: Piece<'_>) -> Parse<()> {
        let inside = match self.file.blocks.last() {
            Some(Block { kind: BlockKind::Array(_), .. }) => false,
            Some(_) => true,
            None => self.file.raw,
        };
        if inside || std::mem::replace(&mut self.file.misplaced, true) {
            return Ok(());
        }
        piece.fail("an instruction outside a procedure")
    }

    /// Appends a word.
    pub(super) fn emit(&mut self, piece: Piece<'_>, word: u32) -> Parse<()> {
        self.file.just_ended = false;
        self.code.push(word);
        let unit = if self.file.kind == Kind::Vertex { UnitKind::Vertex } else { UnitKind::Geometry };
        if self.code.len() <= unit.code_words()
            || self.file.raw
            || std::mem::replace(&mut self.code_full, true)
        {
            return Ok(());
        }
        piece.fail(format!("the program is longer than {} words", unit.code_words()))
    }

    fn bare(&mut self, op: Opcode, command: Piece<'_>, args: &[Piece<'_>]) -> Parse<()> {
        match args {
            [] => self.emit(command, op.code() << 26),
            [first, ..] => first.fail(format!("`{}` takes no operands", command.text)),
        }
    }

    /// `setemit id[, prim inv]`.
    fn setemit(&mut self, command: Piece<'_>, args: &[Piece<'_>]) -> Parse<()> {
        let (id, flags) = match args {
            [id] => (id, Vec::new()),
            [id, flags] => (id, flags.words()),
            _ => return command.fail("`setemit` takes a vertex id and maybe flags"),
        };
        let limit = if self.file.raw { 3 } else { 2 };
        let number = id.number()?;
        if number > limit {
            return id.fail(format!("a vertex id is between 0 and {limit}"));
        }
        let mut word = Opcode::SetEmit.code() << 26 | number << 24;
        for flag in flags {
            word |= match flag.lower().as_str() {
                "prim" | "primitive" => 1 << 23,
                "inv" | "invert" => 1 << 22,
                _ => return flag.fail(format!("`{}` is not a flag: prim, inv", flag.text)),
            };
        }
        if self.file.kind == Kind::Vertex && !self.file.raw {
            self.file.kind = Kind::Legacy;
        }
        self.emit(command, word)
    }

    /// Parses the operands of an arithmetic instruction.
    fn read<'a>(
        &mut self,
        op: Opcode,
        command: Piece<'a>,
        pin: Option<Piece<'a>>,
        args: &[Piece<'a>],
    ) -> Parse<Reading<'a>> {
        let form = op.form();
        let mut reading =
            Reading { op, command, pin, destination: 0, mask: 0, sources: Vec::new(), fields: 0 };
        let wrong = |usage: &str| command.fail(format!("`{0}` is written {0} {usage}", command.lower()));
        let sources: &[Piece<'a>] = match (form, args) {
            (Form::Cmp, [first, x, y, second]) => {
                reading.fields = comparison(*x)? << 24 | comparison(*y)? << 21;
                &[*first, *second]
            }
            (Form::Cmp, _) => return wrong("src1, op, op, src2"),
            (Form::Mova, [target, source]) => {
                reading.mask = address_mask(*target)?;
                &[*source]
            }
            (Form::Mova, _) => return wrong("a0.x, src"),
            (_, [destination, sources @ ..])
                if sources.len() == Instruction(op.code() << 26).source_count() =>
            {
                (reading.destination, reading.mask) = self.destination(*destination)?;
                sources
            }
            (Form::One, _) => return wrong("dst, src"),
            (Form::Three | Form::ThreeInverted, _) => return wrong("dst, src1, src2, src3"),
            _ => return wrong("dst, src1, src2"),
        };
        for source in sources {
            reading.sources.push(self.source(*source)?);
        }
        self.check_inputs(&reading)?;
        Ok(reading)
    }

    /// Code and mask of a destination.
    fn destination(&mut self, piece: Piece<'_>) -> Parse<(u32, u32)> {
        let operand = self.names().operand(piece)?;
        let writable = matches!(operand.register.class, Class::Output | Class::Temporary | Class::Bare);
        if !writable || operand.register.code >= 0x20 {
            return piece.fail(format!("`{}` cannot be written", piece.text));
        }
        if operand.index != 0 {
            return piece.fail("a destination cannot be indexed");
        }
        if operand.negate {
            return piece.fail("a destination cannot be negated");
        }
        self.warn_spelling(&operand);
        if has_duplicates(operand.letters) {
            self.warn(operand.letters, "a component is named twice");
        }
        Ok((operand.register.code, mask(operand.selector)))
    }

    fn source<'a>(&mut self, piece: Piece<'a>) -> Parse<Operand<'a>> {
        let operand = self.names().operand(piece)?;
        match operand.register.class {
            Class::Output => return piece.fail(format!("`{}` is an output and cannot be read", piece.text)),
            Class::Int | Class::Bool => {
                return piece.fail(format!("`{}` is not a vector", piece.text));
            }
            _ => self.warn_spelling(&operand),
        }
        Ok(operand)
    }

    /// Warns of upper-case register letters: the common assembler accepts them but ignores their register class.
    fn warn_spelling(&mut self, operand: &Operand<'_>) {
        if operand.piece.text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_uppercase())
            && operand.register.class == Class::Bare
        {
            let code = operand.register.code;
            self.warn(
                operand.piece,
                format!("an upper-case register letter is ignored: this is register code {code}"),
            );
        }
    }

    /// Checks for two different input registers in one instruction: the chip reads a wrong register then.
    fn check_inputs(&self, reading: &Reading<'_>) -> Parse<()> {
        let mut inputs = reading.sources.iter().filter(|source| source.register.code < 0x10);
        let Some(first) = inputs.next() else { return Ok(()) };
        match inputs.find(|other| other.register.code != first.register.code) {
            Some(other) if !self.file.raw => {
                other.piece.fail("an instruction cannot read two different `v` registers")
            }
            _ => Ok(()),
        }
    }

    /// Selects the form, allocates a descriptor, appends the word.
    fn encode(&mut self, reading: &Reading<'_>) -> Parse<()> {
        let op = if self.file.raw { reading.op } else { choose(reading) };
        let word = op.code() << 26 | reading.fields | operand_fields(op, reading)?;
        if op == Opcode::Mova && self.follows_mova() && !self.file.raw {
            self.warn(reading.command, "two MOVA in a row hang the console");
        }
        let three = matches!(op.form(), Form::Three | Form::ThreeInverted);
        let sources: Vec<_> = reading.sources.iter().map(|source| (source.selector, source.negate)).collect();
        let wanted = Wanted::new(op, reading.mask, &sources);
        let allocated = match reading.pin {
            Some(pin) => self.table.use_pinned(pin.number()? as usize, wanted.pinned(op)),
            None => self.table.allocate(wanted, three),
        };
        let allocated =
            allocated.map_err(|message| reading.pin.unwrap_or(reading.command).complaint(message))?;
        if let Some(swap) = allocated.swapped {
            self.code.iter_mut().for_each(|word| follow_swap(word, swap));
        }
        if three && allocated.id >= 32 {
            return reading.command.fail("this instruction can name descriptors 0 to 31 only");
        }
        self.emit(reading.command, word | allocated.id)
    }
}

fn comparison(piece: Piece<'_>) -> Parse<u32> {
    let code = COMPARISONS.iter().position(|name| *name == piece.lower());
    code.map(|code| code as u32)
        .ok_or_else(|| piece.complaint(format!("`{}` is not a comparison: eq ne lt le gt ge", piece.text)))
}

fn address_mask(piece: Piece<'_>) -> Parse<u32> {
    match piece.lower().as_str() {
        "a0.x" | "a0" => Ok(8),
        "a0.y" | "a1" => Ok(4),
        "a0.xy" | "a01" => Ok(12),
        _ => piece.fail(format!("`{}` is not an address register: a0.x, a0.y, a0.xy", piece.text)),
    }
}

fn has_duplicates(letters: Piece<'_>) -> bool {
    let bytes = letters.text.as_bytes();
    (1..bytes.len()).any(|n| bytes[..n].iter().any(|&earlier| component(earlier) == component(bytes[n])))
}

/// Selects the inverted form if only that can encode the operands.
fn choose(reading: &Reading<'_>) -> Opcode {
    let Some(&(normal, inverted)) = INVERTED.iter().find(|pair| pair.0 == reading.op || pair.1 == reading.op)
    else {
        return reading.op;
    };
    let code = |n: usize| reading.sources[n].register.code;
    let index = |n: usize| reading.sources[n].index;
    let invert = match normal {
        Opcode::Mad => code(1) < 0x20 && (code(2) >= 0x20 || index(2) != 0 && index(1) == 0),
        _ => code(0) < 0x20 && code(1) >= 0x20,
    };
    if invert { inverted } else { normal }
}

/// The register and index fields.
fn operand_fields(op: Opcode, reading: &Reading<'_>) -> Parse<u32> {
    // For each source the position of its field; then the number of the wide source, the position of the
    // index and of the destination.
    let (places, wide, index_at, destination_at): (&[u32], usize, u32, u32) = match op.form() {
        Form::TwoInverted => (&[14, 7], 1, 19, 21),
        Form::Three => (&[17, 10, 5], 1, 22, 24),
        Form::ThreeInverted => (&[17, 12, 5], 2, 22, 24),
        _ => (&[12, 7], 0, 19, 21),
    };
    let mut fields = reading.destination << destination_at;
    for (n, (source, place)) in reading.sources.iter().zip(places).enumerate() {
        if n == wide {
            fields |= source.index << index_at;
        } else if source.register.code >= 0x20 {
            return source.piece.fail(no_constant(reading, n));
        } else if source.index != 0 {
            return source.piece.fail("an index register cannot stand here");
        }
        fields |= source.register.code << place;
    }
    Ok(fields)
}

/// Reason why source `n` cannot be a `c` register.
fn no_constant(reading: &Reading<'_>, n: usize) -> String {
    let name = reading.command.lower();
    let has_inverse = INVERTED.iter().any(|pair| pair.0 == reading.op || pair.1 == reading.op);
    match (has_inverse, reading.sources.len()) {
        (true, 3) if n == 0 => format!("`{name}` can read a `c` register as second or third source only"),
        (true, _) => "only one source can be a `c` register".into(),
        (false, _) => format!("`{name}` can read a `c` register as first source only"),
    }
}
