//! Making a failing case small: fewer triangles, plain registers, empty tables and memory.

use super::case::{FragmentCase, tables, tables_mut};
use crate::reducer::Reducer;
use picaflor_pipeline::pica::regs::Registers;
use std::time::{Duration, Instant};

/// Bytes of memory below which no half is tried.
const LEAST_RUN: usize = 16;

/// The smallest case found in this time for which `fails` still holds. It holds for `case`.
pub fn reduce(
    case: &FragmentCase,
    time: Duration,
    fails: &mut dyn FnMut(&FragmentCase) -> bool,
) -> FragmentCase {
    let mut reduction = Reducer { best: case.clone(), end: Instant::now() + time, fails };
    reduction.triangles();
    for _ in 0..2 {
        reduction.registers();
        reduction.bits();
        reduction.tables();
        reduction.memory(0, case.memory.len());
        reduction.attributes();
    }
    reduction.best
}

/// A state that lets the vertex colour through, in this state's target.
#[must_use]
pub fn plain(registers: &Registers) -> Registers {
    let mut plain = Registers::new();
    let kept = [0x041, 0x043, 0x068, 0x11c, 0x11d, 0x11e];
    kept.into_iter().for_each(|id| plain.set_raw(id, registers.raw(id)));
    for id in [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
        plain.set_raw(id, 0x000f_000f);
    }
    let others: [(u16, u32); 12] = [
        (0x04d, 0x00bf_0000),
        (0x06d, 1),
        (0x100, 0x0100),
        (0x101, 0x0101_0000),
        (0x102, 3),
        (0x107, 0x0f00),
        (0x112, 15),
        (0x113, 15),
        (0x114, 3),
        (0x115, 3),
        (0x116, 3),
        (0x1c6, 1),
    ];
    others.into_iter().for_each(|(id, word)| plain.set_raw(id, word));
    plain
}

impl Reducer<'_, FragmentCase> {
    fn triangles(&mut self) {
        for at in (0..self.best.triangles.len()).rev() {
            self.attempt(|case| {
                case.triangles.remove(at);
            });
        }
    }

    fn registers(&mut self) {
        let plain = plain(&self.best.registers);
        let differing: Vec<u16> =
            (0..Registers::COUNT as u16).filter(|&id| self.best.registers.raw(id) != plain.raw(id)).collect();
        let mut size = differing.len();
        while size > 0 {
            for ids in differing.chunks(size) {
                self.attempt(|case| {
                    ids.iter().for_each(|&id| case.registers.set_raw(id, plain.raw(id)));
                });
            }
            size /= 2;
        }
    }

    /// Single bits of the registers that are left.
    fn bits(&mut self) {
        let plain = plain(&self.best.registers);
        for id in 0..Registers::COUNT as u16 {
            for bit in 0..32 {
                let differing = self.best.registers.raw(id) ^ plain.raw(id);
                if differing >> bit & 1 != 0 {
                    self.attempt(|case| case.registers.set_raw(id, case.registers.raw(id) ^ 1 << bit));
                }
            }
        }
    }

    fn tables(&mut self) {
        let lengths: Vec<usize> = tables(&self.best.luts).iter().map(|(_, table)| table.len()).collect();
        for (number, length) in lengths.into_iter().enumerate() {
            self.zero(0, length, 1, &|case, from, to| {
                tables_mut(&mut case.luts)[number].1[from..to].fill(0);
            });
        }
    }

    fn memory(&mut self, from: usize, to: usize) {
        self.zero(from, to, LEAST_RUN, &|case, from, to| case.memory[from..to].fill(0));
    }

    /// Semantics other than the position become 1, or those of the first vertex.
    fn attributes(&mut self) {
        for triangle in 0..self.best.triangles.len() {
            for k in 4..24 {
                let one = self.attempt(|case| case.triangles[triangle].iter_mut().for_each(|v| v[k] = 1.0));
                if !one {
                    self.attempt(|case| {
                        let first = case.triangles[triangle][0][k];
                        case.triangles[triangle].iter_mut().for_each(|vertex| vertex[k] = first);
                    });
                }
            }
        }
    }
}
