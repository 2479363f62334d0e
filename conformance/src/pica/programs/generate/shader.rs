//! Random programs: structured ones as compilers make them, irregular ones, and raw words.

use super::flow::Limits;
use crate::pica::encode::{self, Operands};
use crate::random::Random;
use picaflor_pipeline::pica::shader::instr::{Destination, Instruction};
use picaflor_pipeline::pica::shader::ops::{Form, Opcode};
use picaflor_pipeline::pica::shader::program::UnitKind;

/// The kind of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Arithmetic from the first word to `END`.
    Straight,
    /// Nested scopes, calls and jumps as assemblers emit them (pica-shader.md 4.4).
    Structured,
    /// Scopes that end together, jumps out of scopes, targets anywhere, overflowing stacks, no `END`.
    Irregular,
    /// Random words.
    Raw,
}

/// A program with the generator of its inputs.
#[derive(Debug, Clone)]
pub struct Shader {
    /// The kind.
    pub shape: Shape,
    /// The unit.
    pub kind: UnitKind,
    /// Code from address 0.
    pub code: Vec<u32>,
    /// Descriptors from 0.
    pub descriptors: Vec<u32>,
    /// Address of the first instruction.
    pub entry: u16,
    /// `v` registers that it means to read: those below this number.
    pub inputs: u8,
}

impl Shader {
    /// A random program.
    pub fn random(random: &mut Random) -> Self {
        let kind = random.weighted(&[(82, UnitKind::Vertex), (18, UnitKind::Geometry)]);
        let shape = random.weighted(&[
            (27, Shape::Straight),
            (60, Shape::Structured),
            (10, Shape::Irregular),
            (3, Shape::Raw),
        ]);
        Self::of(random, kind, shape)
    }

    /// A random program of this shape.
    pub fn of(random: &mut Random, kind: UnitKind, shape: Shape) -> Self {
        if shape == Shape::Raw {
            return raw(random, kind);
        }
        let limits = match shape {
            Shape::Straight => Limits::NONE,
            Shape::Structured => Limits::REGULAR,
            _ => Limits::irregular(random),
        };
        let mut writer = Writer::new(random, kind, limits);
        let entry = writer.write();
        let Writer { code, descriptors, inputs, .. } = writer;
        let mut shader = Self { shape, kind, code, descriptors, entry, inputs };
        if shape == Shape::Irregular && random.chance(70) {
            shader.disturb(random);
        }
        shader
    }

    /// Bit `n`: some word writes all of `o[n]`.
    #[must_use]
    pub fn outputs(&self) -> u16 {
        let mut outputs = 0;
        for word in self.code.iter().map(|&word| Instruction(word)) {
            let is_whole = self.descriptors.get(word.descriptor()).is_some_and(|bits| bits & 15 == 15);
            let has_result =
                is_arithmetic(word.opcode()) && !matches!(word.opcode(), Opcode::Cmp | Opcode::Mova);
            match word.destination() {
                Destination::Output(n) if is_whole && has_result => outputs |= 1 << n,
                _ => {}
            }
        }
        outputs
    }

    /// Changes some words, for control flow that no assembler writes.
    fn disturb(&mut self, random: &mut Random) {
        for _ in 0..random.between(1, 3) {
            let at = random.below(self.code.len() as u32) as usize;
            let target = random.below(self.code.len() as u32 + 2);
            match random.below(6) {
                0 | 1 => self.code[at] = random_flow(random, target),
                2 | 3 => self.retarget(at, target),
                4 => self.drop_end(),
                _ => self.code[at] = random.word(),
            }
        }
    }

    /// Gives the next flow instruction from `at` another target.
    fn retarget(&mut self, at: usize, target: u32) {
        let moved = self.code[at..].iter_mut().find(|word| has_target(Opcode::of(**word)));
        if let Some(word) = moved {
            *word = *word & !(0xfff << 10) | target << 10;
        }
    }

    fn drop_end(&mut self) {
        let end = self.code.iter_mut().find(|word| Opcode::of(**word) == Opcode::End);
        if let Some(word) = end {
            *word = encode::bare(Opcode::Nop);
        }
    }
}

/// True if `dst` of the opcode has a meaning.
pub(crate) const fn has_target(opcode: Opcode) -> bool {
    matches!(opcode.form(), Form::Bool | Form::Int | Form::Unconditional)
        || matches!(opcode.form(), Form::Condition) && !matches!(opcode, Opcode::Breakc)
}

/// Any control flow with any fields.
fn random_flow(random: &mut Random, target: u32) -> u32 {
    let opcode = random.pick(&[
        Opcode::Break,
        Opcode::Breakc,
        Opcode::Call,
        Opcode::Callc,
        Opcode::Callu,
        Opcode::Ifu,
        Opcode::Ifc,
        Opcode::Loop,
        Opcode::Jmpc,
        Opcode::Jmpu,
        Opcode::End,
    ]);
    encode::flow(opcode, target, random.below(8), random.below(16))
}

/// Words without any plan: half of them with targets near the program, the rest any bits.
fn raw(random: &mut Random, kind: UnitKind) -> Shader {
    let length = random.between(1, 40);
    let wild = random.chance(30);
    let mut code: Vec<u32> = (0..length)
        .map(|_| {
            let word = random.word();
            if has_target(Opcode::of(word)) && !wild {
                encode::flow(Opcode::of(word), random.below(length + 1), random.below(6), word >> 22)
            } else {
                word
            }
        })
        .collect();
    if random.chance(70) {
        code.push(encode::bare(Opcode::End));
    }
    let descriptors = (0..128).map(|_| random.word()).collect();
    Shader { shape: Shape::Raw, kind, code, descriptors, entry: 0, inputs: random.between(1, 8) as u8 }
}

/// A program being written.
pub(super) struct Writer<'r> {
    pub(super) random: &'r mut Random,
    pub(super) kind: UnitKind,
    pub(super) limits: Limits,
    pub(super) code: Vec<u32>,
    pub(super) descriptors: Vec<u32>,
    inputs: u8,
    /// Temporaries that have been given a value, as a bound.
    temporaries: u32,
    /// True if address registers are used.
    pub(super) indexed: bool,
    /// Positions of the calls to each procedure, whose address is not known yet.
    pub(super) calls: Vec<(usize, usize)>,
}

/// Float uniforms that programs read mostly, from c0.
pub(crate) const USED_UNIFORMS: u32 = 24;
/// Descriptors that programs choose from; 0 is [`encode::IDENTITY`].
const LOW_DESCRIPTORS: u32 = 14;

impl<'r> Writer<'r> {
    fn new(random: &'r mut Random, kind: UnitKind, limits: Limits) -> Self {
        let descriptors = random_descriptors(random);
        let inputs = random.between(1, 6) as u8;
        let (code, calls) = (Vec::new(), Vec::new());
        Self { random, kind, limits, code, descriptors, inputs, temporaries: 0, indexed: false, calls }
    }

    /// The whole program: perhaps words before the entry, main, procedures.
    fn write(&mut self) -> u16 {
        if self.random.chance(10) {
            (0..self.random.between(1, 5)).for_each(|_| self.compute());
        }
        let entry = self.code.len() as u16;
        self.prologue();
        self.main();
        self.epilogue();
        self.code.push(encode::bare(Opcode::End));
        self.procedures();
        entry
    }

    /// Gives some temporaries values, so that most programs compute with more than zeros.
    fn prologue(&mut self) {
        if self.random.chance(15) {
            return;
        }
        self.temporaries = self.random.between(1, 6);
        for n in 0..self.temporaries {
            let wide = self.uniform_or_input();
            self.copy(0x10 + n, wide);
        }
    }

    /// Makes results visible.
    fn epilogue(&mut self) {
        for n in 0..self.random.between(1, 5) {
            let register = 0x10 + self.random.below(self.temporaries.clamp(1, 16));
            if self.random.chance(50) {
                self.copy(n, register);
            } else {
                let narrow = [self.narrow_source(), 0];
                let operands = Operands { destination: n, wide: register, narrow, ..Operands::default() };
                self.code.push(encode::arithmetic(Opcode::Add, operands));
            }
        }
        if self.kind == UnitKind::Geometry && self.random.chance(70) {
            self.code.push(encode::bare(Opcode::Emit));
        }
    }

    fn copy(&mut self, destination: u32, wide: u32) {
        let operands = Operands { destination, wide, ..Operands::default() };
        self.code.push(encode::arithmetic(Opcode::Mov, operands));
    }

    fn uniform_or_input(&mut self) -> u32 {
        if self.random.chance(75) {
            self.random.below(u32::from(self.inputs))
        } else {
            0x20 + self.random.below(USED_UNIFORMS)
        }
    }

    /// One arithmetic instruction.
    pub(super) fn compute(&mut self) {
        let opcode = self.arithmetic_opcode();
        let operands = self.operands(opcode);
        self.indexed |= opcode == Opcode::Mova;
        self.code.push(encode::arithmetic(opcode, operands));
        let written = operands.destination.wrapping_sub(0x10);
        if written == self.temporaries && opcode.form() != Form::Cmp {
            self.temporaries += 1;
        }
    }

    /// Any arithmetic opcode of the table; those that leave the ordinary range quickly are rarer.
    fn arithmetic_opcode(&mut self) -> Opcode {
        loop {
            let opcode = self.random.pick(Opcode::ALL);
            let keep = match opcode {
                Opcode::Ex2 | Opcode::Lg2 | Opcode::Rcp | Opcode::Rsq => 35,
                Opcode::Mad | Opcode::Madi | Opcode::Mul | Opcode::Add => 100,
                _ => 60,
            };
            if is_arithmetic(opcode) && self.random.chance(keep) {
                return opcode;
            }
        }
    }

    fn operands(&mut self, opcode: Opcode) -> Operands {
        let wide = self.wide_source();
        let index_chance = if self.indexed && wide >= 0x20 { 35 } else { 2 };
        let narrow = [self.narrow_source(), self.narrow_source()];
        Operands {
            destination: self.destination(),
            wide,
            narrow: if opcode.form() == Form::One { [0; 2] } else { narrow },
            index: if self.random.chance(index_chance) { self.random.between(1, 3) } else { 0 },
            descriptor: self.descriptor(opcode),
            compares: [self.random.below(8), self.random.below(8)],
        }
    }

    fn destination(&mut self) -> u32 {
        match self.random.below(20) {
            0..12 => 0x10 + self.random.below(self.temporaries.clamp(2, 16)),
            12 | 13 => 0x10 + self.temporaries.min(15),
            14 => 0x10 + self.random.below(16),
            15 => self.random.below(16),
            _ => self.random.below(7),
        }
    }

    fn narrow_source(&mut self) -> u32 {
        let temporaries = self.temporaries.clamp(1, 16);
        match self.random.below(20) {
            0..11 => 0x10 + self.random.below(temporaries),
            11..18 => self.random.below(u32::from(self.inputs)),
            18 => 0x10 + self.random.below(16),
            _ => self.random.below(16),
        }
    }

    fn wide_source(&mut self) -> u32 {
        match self.random.below(20) {
            0..7 => 0x20 + self.random.below(USED_UNIFORMS),
            7 => 0x20 + self.random.below(96),
            _ => self.narrow_source(),
        }
    }

    fn descriptor(&mut self, opcode: Opcode) -> u32 {
        let five_bits = matches!(opcode.form(), Form::Three | Form::ThreeInverted);
        match self.random.below(10) {
            0..3 => 0,
            9 if !five_bits => self.random.between(120, 127),
            _ => self.random.below(LOW_DESCRIPTORS),
        }
    }

    /// `SETEMIT` or `EMIT`.
    pub(super) fn geometry(&mut self) {
        let fields = self.random.below(16) << 22;
        let opcode = self.random.pick(&[Opcode::Emit, Opcode::SetEmit]);
        self.code.push(encode::bare(opcode) | if opcode == Opcode::SetEmit { fields } else { 0 });
    }
}

const fn is_arithmetic(opcode: Opcode) -> bool {
    use Form::{Cmp, Mova, One, Three, ThreeInverted, Two, TwoInverted};
    matches!(opcode.form(), One | Mova | Two | TwoInverted | Cmp | Three | ThreeInverted)
}

/// All 128: the first few are those that programs name.
fn random_descriptors(random: &mut Random) -> Vec<u32> {
    let mut descriptors = vec![encode::IDENTITY];
    descriptors.extend((1..LOW_DESCRIPTORS).map(|_| random_descriptor(random)));
    if random.chance(60) {
        descriptors.resize(120, 0);
        descriptors.extend((120..128).map(|_| random_descriptor(random)));
    }
    descriptors
}

fn random_descriptor(random: &mut Random) -> u32 {
    let mask = if random.chance(45) { 0xf } else { random.below(16) };
    let mut selector = || if random.chance(45) { 0x1b } else { random.below(256) };
    let selectors = [selector(), selector(), selector()];
    let negated = [random.chance(20), random.chance(20), random.chance(20)];
    encode::descriptor(mask, selectors, negated) | u32::from(random.chance(5)) << 31
}
