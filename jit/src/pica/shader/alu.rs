//! One arm for each arithmetic opcode, as `interp::shader::alu`.

use super::graph::Step;
use super::lower::Lowering;
use super::places::{Effects, destination_place, is_arithmetic};
use crate::emit::pica::number::{Numbers, Operand};
use picaflor_pipeline::pica::shader::ops::{Compare, Opcode};

/// `LITP` clamps y to this: 0x7fff / 0x100 (Panda3DS console test).
const LITP_LIMIT: f32 = 0x7fff as f32 / 256.0;

type Components = [Option<Operand>; 4];

impl<'f> Lowering<'_, 'f> {
    /// Lowers a word that is not control flow.
    pub(crate) fn compute(&mut self, step: &Step, effects: &Effects) {
        let op = step.word.opcode();
        let values = match op {
            Opcode::Add => self.each2(step, effects, Numbers::add),
            Opcode::Mul => self.each2(step, effects, Numbers::mul),
            Opcode::Sge | Opcode::Sgei => {
                self.each2(step, effects, |n, a, b| set(n, Compare::GreaterEqual, a, b))
            }
            Opcode::Slt | Opcode::Slti => self.each2(step, effects, |n, a, b| set(n, Compare::Less, a, b)),
            Opcode::Max => self.copies2(step, effects, Numbers::max),
            Opcode::Min => self.copies2(step, effects, Numbers::min),
            Opcode::Mad | Opcode::Madi => self.mad(step, effects),
            Opcode::Dp3 => self.dot(step, effects, 3),
            Opcode::Dp4 | Opcode::Dph | Opcode::Dphi => self.dot(step, effects, 4),
            Opcode::Dst | Opcode::Dsti => self.dst(step, effects),
            Opcode::Ex2 => self.broadcast(step, effects, Numbers::ex2),
            Opcode::Lg2 => self.broadcast(step, effects, Numbers::lg2),
            Opcode::Rcp => self.broadcast(step, effects, Numbers::rcp),
            Opcode::Rsq => self.broadcast(step, effects, Numbers::rsq),
            Opcode::Flr => self.each1(step, effects),
            Opcode::Mov => self.moved(step, effects),
            Opcode::Litp => self.litp(step, effects),
            Opcode::Mova => return self.mova(step, effects),
            Opcode::Cmp => return self.cmp(step, effects),
            _ => return,
        };
        debug_assert!(is_arithmetic(op));
        self.write(destination_place(step.word.destination()), values, effects);
    }

    fn each2(
        &mut self,
        step: &Step,
        effects: &Effects,
        mut f: impl FnMut(&mut Numbers<'f>, Operand, Operand) -> Operand,
    ) -> Components {
        wanted(effects, |i| {
            let (a, b) = (self.source(step, 0, i), self.source(step, 1, i));
            f(&mut self.n, a, b)
        })
    }

    fn copies2(
        &mut self,
        step: &Step,
        effects: &Effects,
        mut f: impl FnMut(&mut Numbers<'f>, Operand, Operand) -> Operand,
    ) -> Components {
        wanted(effects, |i| {
            let (a, b) = (self.copied(step, 0, i), self.copied(step, 1, i));
            f(&mut self.n, a, b)
        })
    }

    fn each1(&mut self, step: &Step, effects: &Effects) -> Components {
        wanted(effects, |i| {
            let a = self.source(step, 0, i);
            self.n.flr(a)
        })
    }

    fn moved(&mut self, step: &Step, effects: &Effects) -> Components {
        wanted(effects, |i| self.copied(step, 0, i))
    }

    fn broadcast(
        &mut self,
        step: &Step,
        effects: &Effects,
        mut f: impl FnMut(&mut Numbers<'f>, Operand) -> Operand,
    ) -> Components {
        if !effects.components.contains(&true) {
            return [None; 4];
        }
        let a = self.source(step, 0, 0);
        [Some(f(&mut self.n, a)); 4]
    }

    /// `MAD`: product and sum are rounded separately.
    fn mad(&mut self, step: &Step, effects: &Effects) -> Components {
        wanted(effects, |i| {
            let [a, b, c] = [0, 1, 2].map(|n| self.source(step, n, i));
            let product = self.n.mul(a, b);
            self.n.add(product, c)
        })
    }

    /// Dot products: products are summed from x on. `DPH` replaces w of the first source by 1.
    fn dot(&mut self, step: &Step, effects: &Effects, lanes: usize) -> Components {
        if !effects.components.contains(&true) {
            return [None; 4];
        }
        let homogeneous = matches!(step.word.opcode(), Opcode::Dph | Opcode::Dphi);
        let mut sum = None;
        for lane in 0..lanes {
            let a = if homogeneous && lane == 3 { self.n.constant(1.0) } else { self.source(step, 0, lane) };
            let b = self.source(step, 1, lane);
            let product = self.n.mul(a, b);
            sum = Some(match sum {
                Some(sum) => self.n.add(sum, product),
                None => product,
            });
        }
        [sum; 4]
    }

    fn dst(&mut self, step: &Step, effects: &Effects) -> Components {
        wanted(effects, |i| match i {
            0 => self.n.constant(1.0),
            1 => {
                let (a, b) = (self.source(step, 0, 1), self.source(step, 1, 1));
                self.n.mul(a, b)
            }
            2 => self.copied(step, 0, 2),
            _ => self.copied(step, 1, 3),
        })
    }

    fn litp(&mut self, step: &Step, effects: &Effects) -> Components {
        for (i, lane) in [0, 3].into_iter().enumerate() {
            if effects.flags[i] {
                let (a, zero) = (self.source(step, 0, lane), self.n.constant(0.0));
                let flag = self.n.compare(Compare::GreaterEqual, a, zero);
                self.set_flag(i, flag);
            }
        }
        wanted(effects, |i| {
            if i == 2 {
                return self.n.constant(0.0);
            }
            let a = self.copied(step, 0, i);
            let least = self.n.constant(if i == 1 { -LITP_LIMIT } else { 0.0 });
            let raised = self.n.max(a, least);
            if i != 1 {
                return raised;
            }
            let most = self.n.constant(LITP_LIMIT);
            self.n.min(raised, most)
        })
    }

    fn mova(&mut self, step: &Step, effects: &Effects) {
        let sources = [0, 1].map(|i| effects.addresses[i].then(|| self.source(step, 0, i)));
        for (i, source) in sources.into_iter().enumerate() {
            if let Some(source) = source {
                let value = self.n.integer(source, !self.context.geometry);
                self.set_address(i, value);
            }
        }
    }

    fn cmp(&mut self, step: &Step, effects: &Effects) {
        let compares = step.word.compares();
        for i in (0..2).filter(|&i| effects.flags[i]) {
            let (a, b) = (self.source(step, 0, i), self.source(step, 1, i));
            let flag = self.n.compare(compares[i], a, b);
            self.set_flag(i, flag);
        }
    }
}

/// `SGE` and `SLT`: 1 where the comparison holds, else +0.
fn set(n: &mut Numbers<'_>, compare: Compare, a: Operand, b: Operand) -> Operand {
    let mask = n.compare(compare, a, b);
    n.ones(mask)
}

/// The live components. All are computed before any is written.
fn wanted(effects: &Effects, mut f: impl FnMut(usize) -> Operand) -> Components {
    [0, 1, 2, 3].map(|i| effects.components[i].then(|| f(i)))
}
