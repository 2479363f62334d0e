//! Small numbers: eight of 16 bits or sixteen of 8 in a vector, and tables of sixteen bytes in a register.

use super::lanes::{F32s, I32s, Lanes};
use cranelift_codegen::ir::types::{F32X4, I8X16, I16X8, I32X4};
use cranelift_codegen::ir::{InstBuilder, Value};

/// Eight numbers of 16 bits; arithmetic is modulo 2^16.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shorts(Value);

/// Sixteen numbers of 8 bits; arithmetic is modulo 2^8.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes(Value);

/// Sixteen numbers of a table.
pub(crate) type ByteTable = [u8; 16];

/// Eight numbers of 16 bits.
impl Lanes<'_> {
    /// The lanes of `a`, then those of `b`, which saturate.
    pub(crate) fn shorts(&mut self, a: I32s, b: I32s) -> Shorts {
        Shorts(self.b.ins().snarrow(a.0, b.0))
    }

    /// The same number in each place.
    pub(crate) fn short(&mut self, n: u16) -> Shorts {
        Shorts(self.channel_splat(n).0[0])
    }

    pub(crate) fn short_add(&mut self, a: Shorts, b: Shorts) -> Shorts {
        Shorts(self.b.ins().iadd(a.0, b.0))
    }

    pub(crate) fn short_mul(&mut self, a: Shorts, b: Shorts) -> Shorts {
        Shorts(self.b.ins().imul(a.0, b.0))
    }

    pub(crate) fn short_and(&mut self, a: Shorts, b: Shorts) -> Shorts {
        Shorts(self.b.ins().band(a.0, b.0))
    }

    pub(crate) fn short_xor(&mut self, a: Shorts, b: Shorts) -> Shorts {
        Shorts(self.b.ins().bxor(a.0, b.0))
    }

    /// Shifted right, unsigned.
    pub(crate) fn short_shr(&mut self, a: Shorts, by: u8) -> Shorts {
        Shorts(self.b.ins().ushr_imm_u(a.0, i64::from(by)))
    }

    /// [`byte_table`](Self::byte_table) of numbers below 128, for a table that begins with 0.
    pub(crate) fn short_table(&mut self, table: ByteTable, index: Shorts) -> Shorts {
        let index = Bytes(self.cast(I8X16, index.0));
        let values = self.byte_table(table, index);
        Shorts(self.cast(I16X8, values.0))
    }
}

/// Sixteen numbers of 8 bits.
impl Lanes<'_> {
    /// The numbers of `a`, then those of `b`, which are below 256.
    pub(crate) fn bytes(&mut self, a: Shorts, b: Shorts) -> Bytes {
        Bytes(self.b.ins().unarrow(a.0, b.0))
    }

    /// The same number in each place.
    pub(crate) fn byte(&mut self, n: u8) -> Bytes {
        Bytes(self.vector_constant([n; 16], I8X16))
    }

    /// Groups of four numbers in another order.
    pub(crate) fn byte_groups(&mut self, a: Bytes, groups: [u8; 4]) -> Bytes {
        let lanes = self.cast(I32X4, a.0);
        let lanes = self.permute(lanes, groups);
        Bytes(self.cast(I8X16, lanes))
    }

    pub(crate) fn byte_add(&mut self, a: Bytes, b: Bytes) -> Bytes {
        Bytes(self.b.ins().iadd(a.0, b.0))
    }

    pub(crate) fn byte_and(&mut self, a: Bytes, b: Bytes) -> Bytes {
        Bytes(self.b.ins().band(a.0, b.0))
    }

    pub(crate) fn byte_xor(&mut self, a: Bytes, b: Bytes) -> Bytes {
        Bytes(self.b.ins().bxor(a.0, b.0))
    }

    /// The entries of a table by the lowest four bits of numbers below 128; some number for others.
    pub(crate) fn byte_table(&mut self, table: ByteTable, index: Bytes) -> Bytes {
        let table = self.vector_constant(table, I8X16);
        if self.x86 {
            return Bytes(self.b.ins().x86_pshufb(table, index.0));
        }
        let low = self.byte(15);
        let index = self.byte_and(index, low);
        Bytes(self.b.ins().swizzle(table, index.0))
    }

    /// The floats of a table by numbers below 16, four for each group of four numbers.
    pub(crate) fn float_table(&mut self, table: &[f32; 16], index: Bytes) -> [F32s; 4] {
        let [a, b, c, d] = [0, 1, 2, 3].map(|byte| {
            let plane = table.map(|entry| entry.to_le_bytes()[byte]);
            self.byte_table(plane, index).0
        });
        let [low, high] =
            [0, 8].map(|from| [(a, b), (c, d)].map(|(even, odd)| self.interleave_bytes(even, odd, 1, from)));
        let [[first, second], [third, fourth]] =
            [low, high].map(|[even, odd]| [0, 8].map(|from| self.interleave_bytes(even, odd, 2, from)));
        [first, second, third, fourth].map(|floats| F32s(self.cast(F32X4, floats)))
    }
}
