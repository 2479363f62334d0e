//! The registers on which the pixels of a draw depend: what says that two draws are in the same state.
//!
//! What is left out here has no effect; a test draws random states with other values of it. Some registers stay in that
//! would have none either: two states that differ in them are two states for the one who wrote them too.

use picaflor_pipeline::ge::regs::texture::TextureFunc;
use picaflor_pipeline::ge::regs::{Registers, op};
use std::ops::RangeInclusive;

/// Triggers, pointers to vertices and lists, ports of matrices, block transfers, attributes of immediate vertices, and
/// commands without a function. What came through a port is data, as vertices and texels are.
const NEVER: [RangeInclusive<u8>; 16] = [
    op::NOP..=0x11,
    op::OFFSET..=op::ORIGIN,
    0x29..=op::BONE,
    0x34..=0x35,
    0x39..=op::TMATRIX,
    0x4e..=0x4f,
    0x52..=0x52,
    0x59..=0x5a,
    op::TRXSBP..=op::TRXDBW,
    0xb6..=0xb7,
    op::CLOAD..=op::CLOAD,
    op::TFLUSH..=op::TSYNC,
    0xd1..=0xd1,
    op::TRXKICK..=op::TRXDPOS,
    0xed..=0xef,
    op::VSCX..=0xff,
];

/// Registers that a switch turns off: the switch, and they.
const SWITCHED: [(u8, &[RangeInclusive<u8>]); 6] = [
    (op::ATE, &[op::ATST..=op::ATST]),
    (op::CTE, &[op::CTST..=op::CMSK]),
    (op::STE, &[op::STST..=op::SOP]),
    (op::ABE, &[op::ALPHA..=op::DFIX]),
    (op::LOE, &[op::LOP..=op::LOP]),
    (op::DTE, &[op::DTH0..=op::DTH0 + 3]),
];

/// Bit of TMAP for the environment map, which reads the directions of lights.
const ENVIRONMENT: u32 = 2;

/// The words of the registers with 0 in place of those without effect.
pub(super) fn essence(registers: &Registers) -> Vec<u32> {
    let mut words = registers.words().to_vec();
    let mut clear =
        |range: RangeInclusive<u8>| words[usize::from(*range.start())..=usize::from(*range.end())].fill(0);
    NEVER.into_iter().for_each(&mut clear);
    for (switch, ranges) in SWITCHED {
        if !registers.is_on(switch) {
            ranges.iter().cloned().for_each(&mut clear);
        }
    }
    let clears = registers.clear_mode().enable();
    if !registers.is_on(op::ZTE) {
        clear(op::ZTST..=op::ZTST);
        clear(op::ZMSK..=op::ZMSK);
        if !clears {
            clear(op::ZBP..=op::ZBW);
        }
    }
    if !registers.is_on(op::FGE) {
        clear(op::FFAR..=op::FCOL);
    }
    if !registers.is_on(op::BCE) && !registers.is_on(op::PCE) {
        clear(op::FFACE..=op::FFACE);
    }
    texture(registers, &mut clear);
    lights(registers, &mut clear);
    words
}

fn texture(registers: &Registers, clear: &mut dyn FnMut(RangeInclusive<u8>)) {
    if !registers.is_on(op::TME) {
        clear(op::TMAP..=op::TSHADE);
        clear(op::USCALE..=op::VOFFSET);
    }
    if !registers.is_on(op::TME) || registers.clear_mode().enable() {
        for range in
            [op::TBP0..=op::CBPH, op::TSIZE0..=op::TSIZE0 + 7, op::TMODE..=op::TEC, op::TSLOPE..=op::TSLOPE]
        {
            clear(range);
        }
        return;
    }
    let last = registers.texture_mode().max_level() as u8;
    let levels = if registers.texture_filter().mipmaps() { last + 1 } else { 1 };
    for level in levels.min(8)..8 {
        for first in [op::TBP0, op::TBW0, op::TSIZE0] {
            clear(first + level..=first + level);
        }
    }
    if !matches!(registers.arg(op::TPSM) & 0xf, 4..=7) {
        clear(op::CBP..=op::CBPH);
        clear(op::CMODE..=op::CMODE);
    }
    if registers.texture_function().func() != TextureFunc::Blend {
        clear(op::TEC..=op::TEC);
    }
}

fn lights(registers: &Registers, clear: &mut dyn FnMut(RangeInclusive<u8>)) {
    let is_lit = registers.is_on(op::LTE) && !registers.is_through();
    // The environment map reads where lights are.
    let maps = registers.is_on(op::TME) && registers.arg(op::TMAP) & 3 == ENVIRONMENT;
    if !is_lit {
        for range in [op::CMAT..=op::EMC, op::DMC..=op::SMC, op::SPOW..=op::ALA, op::LTE0..=op::LTE0 + 3] {
            clear(range);
        }
    }
    for n in 0..4 {
        if is_lit && registers.is_on(op::LTE0 + n) {
            continue;
        }
        let vector = |first: u8| first + 3 * n..=first + 3 * n + 2;
        for first in [op::LXD0, op::LCA0, op::ALC0] {
            clear(vector(first));
        }
        clear(op::LSE0 + n..=op::LSE0 + n);
        clear(op::LSC0 + n..=op::LSC0 + n);
        if !maps {
            clear(op::LT0 + n..=op::LT0 + n);
            clear(vector(op::LXP0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::pixels;
    use crate::ge::vertices::VertexCase;
    use crate::random::Random;
    use picaflor_interp::Interpreter;

    /// The same registers with other values of what has no effect, and their number.
    fn varied(registers: &Registers, random: &mut Random) -> (Registers, u32) {
        let (known, mut varied, mut count) = (essence(registers), registers.clone(), 0);
        for number in 0..=u8::MAX {
            let before = varied.word(number);
            varied.write(u32::from(number) << 24 | random.word() & 0xff_ffff);
            if essence(&varied) == known {
                count += 1;
            } else {
                varied.write(u32::from(number) << 24 | before & 0xff_ffff);
            }
        }
        (varied, count)
    }

    #[test]
    fn what_is_left_out_changes_no_pixel() {
        let mut random = Random::of_item(5, 0);
        let mut all = 0;
        for number in 0..1500 {
            all += pixels::draws_the_same(11, number, |registers| {
                let (varied, count) = varied(registers, &mut random);
                *registers = varied;
                count
            });
        }
        assert!(all > 20_000, "{all}");
    }

    #[test]
    fn what_is_left_out_changes_no_vertex() {
        let mut random = Random::of_item(6, 0);
        let mut all = 0;
        for number in 0..3000 {
            let case = VertexCase::of(12, number);
            let (registers, count) = varied(&case.registers, &mut random);
            let other = VertexCase { registers, ..case.clone() };
            let [one, other] =
                [case, other].map(|case| format!("{:?}", case.transformed(&mut Interpreter::new())));
            assert_eq!(one, other, "case {number}");
            all += count;
        }
        assert!(all > 20_000, "{all}");
    }

    #[test]
    fn states_that_differ() {
        let mut registers = Registers::default();
        let base = essence(&registers);
        let mut with = |command: u8, argument: u32| {
            registers.write(u32::from(command) << 24 | argument);
            essence(&registers)
        };
        assert_eq!(with(op::PRIM, 3 << 16 | 12), base, "another count of vertices is no other state");
        assert_eq!(with(op::ATST, 0xff_8004), base, "no alpha test");
        assert_ne!(with(op::ATE, 1), base);
        assert_ne!(with(op::FBP, 0x4_4000), base);
    }
}
