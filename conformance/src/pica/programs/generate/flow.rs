//! Control flow of random programs.

use super::shader::Writer;
use crate::pica::encode;
use crate::random::Random;
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::UnitKind;

/// Limits of control flow. Within [`Limits::REGULAR`] a program satisfies pica-shader.md 4.4.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Nesting of IF in main; a procedure may nest two.
    ifs: u32,
    /// Nesting of LOOP in main; the first two levels of procedures may have one.
    loops: u32,
    /// Levels of procedures.
    calls: u32,
    /// True if a `NOP` separates instructions that act on the next address from the end of a scope.
    padded: bool,
    /// True if IF and LOOP are the most frequent statements.
    deep: bool,
}

impl Limits {
    pub(super) const NONE: Self = Self { ifs: 0, loops: 0, calls: 0, padded: true, deep: false };
    pub(super) const REGULAR: Self = Self { ifs: 2, loops: 2, calls: 3, padded: true, deep: false };

    pub(super) fn irregular(random: &mut Random) -> Self {
        let deep = random.chance(30);
        Self {
            ifs: if deep { 10 } else { 3 },
            loops: if deep { 6 } else { 2 },
            calls: random.between(3, 6),
            padded: random.chance(40),
            deep,
        }
    }
}

/// The scope of a statement.
#[derive(Debug, Clone, Copy)]
struct Scope {
    /// Procedure level; main is 0.
    level: u32,
    ifs: u32,
    loops: u32,
    /// True if the statement is in a LOOP of this procedure.
    in_loop: bool,
    /// True if an IF lies between the statement and its LOOP.
    if_in_loop: bool,
    /// True if a then-block encloses the innermost LOOP.
    then_around_loop: bool,
    /// True if the statement is in a then-block.
    in_then: bool,
    /// True if the block is the whole of main or of a procedure.
    outermost: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Statement {
    Compute,
    Geometry,
    If,
    Loop,
    Call,
    Jump,
    Break,
}

impl Statement {
    /// True if it must not be the last of a scope.
    const fn acts_on_next_address(self) -> bool {
        !matches!(self, Self::Compute | Self::Geometry)
    }
}

/// Words after which no further scope is opened.
const ENOUGH_WORDS: usize = 60;

impl Writer<'_> {
    /// The statements of main.
    pub(super) fn main(&mut self) {
        let scope = Scope {
            level: 0,
            ifs: self.limits.ifs,
            loops: self.limits.loops,
            in_loop: false,
            if_in_loop: false,
            then_around_loop: false,
            in_then: false,
            outermost: true,
        };
        let statements = self.random.between(3, 18);
        self.block(scope, statements);
    }

    /// Procedures behind main, one for each level, and their addresses in the calls.
    pub(super) fn procedures(&mut self) {
        let mut places = Vec::new();
        for level in 1..=self.limits.calls as usize {
            if !self.calls.iter().any(|call| call.1 == level) {
                places.push((0, 0));
                continue;
            }
            let start = self.code.len();
            let scope = Scope {
                level: level as u32,
                ifs: self.limits.ifs.min(2),
                loops: u32::from(level < 3).min(self.limits.loops),
                in_loop: false,
                if_in_loop: false,
                // Nobody knows here what encloses the calls.
                then_around_loop: true,
                in_then: false,
                outermost: true,
            };
            let statements = self.random.between(1, 6);
            self.block(scope, statements);
            places.push((start, self.code.len() - start));
        }
        for (at, level) in std::mem::take(&mut self.calls) {
            let (start, length) = places[level - 1];
            self.code[at] |= (start as u32) << 10 | length as u32 & 0xff;
        }
    }

    /// Statements, then a `NOP` where one is needed.
    fn block(&mut self, scope: Scope, statements: u32) {
        let mut jumps = Vec::new();
        let mut last = Statement::Compute;
        for _ in 0..statements {
            last = self.choose(scope);
            match last {
                Statement::Compute => self.compute(),
                Statement::Geometry => self.geometry(),
                Statement::If => self.if_block(scope),
                Statement::Loop => self.loop_block(scope),
                Statement::Call => self.call(scope),
                Statement::Jump => jumps.push(self.jump()),
                Statement::Break => self.break_out(),
            }
            if self.random.chance(40) {
                self.land(&mut jumps);
            }
        }
        let called = scope.level > 0 && scope.outermost;
        let pads = self.limits.padded && last.acts_on_next_address();
        // A call may end a called range: both end in one step.
        if !jumps.is_empty() || pads && !(called && last == Statement::Call) {
            self.land(&mut jumps);
            self.code.push(encode::bare(Opcode::Nop));
        }
    }

    fn choose(&mut self, scope: Scope) -> Statement {
        let room = self.code.len() < ENOUGH_WORDS;
        let allowed = |allowed: bool, weight: u32| if allowed && room { weight } else { 0 };
        let flows = self.limits.calls > 0;
        let nest = if self.limits.deep { 40 } else { 8 };
        let may_break = scope.in_loop && !(scope.if_in_loop && scope.then_around_loop && self.limits.padded);
        self.random.weighted(&[
            (70, Statement::Compute),
            (if self.kind == UnitKind::Geometry { 12 } else { 1 }, Statement::Geometry),
            (allowed(flows && scope.ifs > 0, nest), Statement::If),
            (allowed(flows && scope.loops > 0, nest), Statement::Loop),
            (allowed(flows && scope.level < self.limits.calls, 8), Statement::Call),
            (allowed(flows, 5), Statement::Jump),
            (allowed(may_break, 12), Statement::Break),
        ])
    }

    /// Jumps that have not landed yet go to the next word.
    fn land(&mut self, jumps: &mut Vec<usize>) {
        for at in jumps.drain(..) {
            self.code[at] |= (self.code.len() as u32) << 10;
        }
    }

    fn condition(&mut self) -> u32 {
        self.random.below(16)
    }

    /// `IFU` or `IFC`, a then-block, perhaps an else-block.
    fn if_block(&mut self, scope: Scope) {
        let opcode = self.random.pick(&[Opcode::Ifu, Opcode::Ifc]);
        let (at, selector) = (self.code.len(), self.condition());
        self.code.push(0);
        let inner = Scope { ifs: scope.ifs - 1, if_in_loop: scope.in_loop, outermost: false, ..scope };
        let statements = self.random.between(1, 4);
        self.block(Scope { in_then: true, ..inner }, statements);
        let otherwise = self.code.len();
        if self.random.chance(50) {
            let statements = self.random.between(1, 3);
            self.block(inner, statements);
        }
        let length = self.code.len() - otherwise;
        self.code[at] = encode::flow(opcode, otherwise as u32, length as u32, selector);
    }

    fn loop_block(&mut self, scope: Scope) {
        let (at, id) = (self.code.len(), self.random.below(4));
        self.code.push(0);
        let inner = Scope {
            loops: scope.loops - 1,
            in_loop: true,
            if_in_loop: false,
            outermost: false,
            then_around_loop: scope.then_around_loop || scope.in_then,
            ..scope
        };
        let indexed = std::mem::replace(&mut self.indexed, true);
        let statements = self.random.between(1, 5);
        self.block(inner, statements);
        self.indexed = indexed;
        self.code[at] = encode::flow(Opcode::Loop, self.code.len() as u32 - 1, 0, id);
    }

    fn call(&mut self, scope: Scope) {
        let opcode = self.random.pick(&[Opcode::Call, Opcode::Callc, Opcode::Callu]);
        let level = self.random.between(scope.level + 1, self.limits.calls);
        self.calls.push((self.code.len(), level as usize));
        let selector = if opcode == Opcode::Call { 0 } else { self.condition() };
        self.code.push(encode::flow(opcode, 0, 0, selector));
    }

    /// `JMPC` or `JMPU`, forward; it lands later in the same block.
    fn jump(&mut self) -> usize {
        let opcode = self.random.pick(&[Opcode::Jmpc, Opcode::Jmpu]);
        let (num, selector) = (self.random.below(2), self.condition());
        let num = if opcode == Opcode::Jmpu { num } else { 0 };
        self.code.push(encode::flow(opcode, 0, num, selector));
        self.code.len() - 1
    }

    /// Mostly `BREAKC`: the statements behind a `BREAK` in its block are never reached.
    fn break_out(&mut self) {
        let opcode = if self.random.chance(35) { Opcode::Break } else { Opcode::Breakc };
        let selector = if opcode == Opcode::Break { 0 } else { self.condition() };
        self.code.push(encode::flow(opcode, 0, 0, selector));
    }
}
