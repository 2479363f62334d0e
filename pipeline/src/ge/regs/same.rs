//! Comparison of registers: whether a draw is in the same state as the one before. One look, in place of whatever was made
//! from them.

use super::{Registers, op};

/// For each register all ones, if a difference in it counts; else 0.
pub type Mask = [u32; 256];

impl Registers {
    /// True if the registers under a mask are the same.
    #[must_use]
    #[inline]
    pub fn is_same(&self, other: &Self, mask: &Mask) -> bool {
        let pairs = self.words().iter().zip(other.words());
        pairs.zip(mask).fold(0, |all, ((a, b), mask)| all | (a ^ b) & mask) == 0
    }
}

/// Registers from one to another, inclusive.
type Run = (u8, u8);

/// Commands of lists, addresses, ports of matrices (whose content is compared by itself), division of patches, loading of
/// palettes (likewise), transfers.
const NEITHER: [Run; 9] = [
    (op::NOP, op::BASE + 1),
    (op::OFFSET, op::ORIGIN),
    (op::BOFS, op::BONE),
    (op::PSUB, op::PFACE),
    (op::WMS, op::TMATRIX),
    (op::CBP, op::TRXDBW),
    (op::CLOAD, op::CLOAD),
    (op::TFLUSH, op::TSYNC),
    (op::TRXKICK, op::TRXSIZE),
];
/// Buffers and addresses of textures, texels, tests, blending, masks: what no vertex depends on.
const PIXELS_ONLY: [Run; 6] = [
    (op::FBP, op::TBW0 + 7),
    (op::TMODE, op::TEC),
    (op::FCOL, op::TSLOPE),
    (op::PSM, op::PSM),
    (op::SCISSOR1, op::FARZ),
    (op::CTST, op::PMSKA),
];

/// Switches of lights, clipping and culling, weights of morphs, viewport, scales and offsets, materials, lights, environment
/// maps, where fog begins and ends: what no pixel depends on once its primitive is set up.
const VERTICES_ONLY: [Run; 8] = [
    (op::LTE0, op::BCE),
    (op::MW0, op::MW0 + 7),
    (op::XSCALE, op::OFFSETY),
    (op::RNORM, op::RNORM),
    (op::CMAT, op::ALA),
    (op::LT0, op::FFACE),
    (op::TSHADE, op::TSHADE),
    (op::FFAR, op::FDIST),
];

/// Registers that pixels may depend on, palettes apart.
pub static OF_PIXELS: Mask = of_pixels();
/// Registers that vertices may depend on, matrices apart.
pub static OF_VERTICES: Mask = all_but(&PIXELS_ONLY, all_but(&NEITHER, [u32::MAX; 256]));

const fn of_pixels() -> Mask {
    let mut mask = all_but(&VERTICES_ONLY, all_but(&NEITHER, [u32::MAX; 256]));
    // Whether vertices are in screen coordinates.
    mask[op::VTYPE as usize] = 1 << 23;
    // Whether lights give a secondary colour.
    let mut light = 0;
    while light < 4 {
        mask[op::LTE0 as usize + light] = 1;
        mask[op::LT0 as usize + light] = 3;
        light += 1;
    }
    mask
}

const fn all_but(runs: &[Run], mut mask: Mask) -> Mask {
    let mut n = 0;
    while n < runs.len() {
        let (mut register, last) = (runs[n].0 as usize, runs[n].1 as usize);
        while register <= last {
            mask[register] = 0;
            register += 1;
        }
        n += 1;
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differs(command: u8, mask: &Mask) -> bool {
        let before = Registers::default();
        let mut after = before.clone();
        after.write(u32::from(command) << 24 | 1);
        !before.is_same(&after, mask)
    }

    #[test]
    fn registers_that_count() {
        for command in [op::TSIZE0, op::CLEAR, op::SHADE, op::LTE, op::TMAP, op::FGE, op::REGION1] {
            assert!(differs(command, &OF_VERTICES) && differs(command, &OF_PIXELS), "{command:#x}");
        }
        for command in (op::LTE0..=op::LTE0 + 3).chain(op::LT0..=op::LT0 + 3) {
            assert!(differs(command, &OF_VERTICES) && differs(command, &OF_PIXELS), "{command:#x}");
        }
        for command in
            [op::VTYPE, op::XSCALE, op::MW0, op::LXP0, op::VSCALE, op::BCE, op::FDIST, op::FFACE, op::SPOW]
        {
            assert!(differs(command, &OF_VERTICES) && !differs(command, &OF_PIXELS), "{command:#x}");
        }
        for command in [op::FBP, op::TBP0, op::TBW0 + 7, op::TPSM, op::TEC, op::CTST, op::PMSKA, op::PSM] {
            assert!(!differs(command, &OF_VERTICES) && differs(command, &OF_PIXELS), "{command:#x}");
        }
        for command in
            [op::PRIM, op::VADDR, op::BASE, op::BONE, op::TMATRIX, op::CLOAD, op::TRXSIZE, op::TSYNC]
        {
            assert!(!differs(command, &OF_VERTICES) && !differs(command, &OF_PIXELS), "{command:#x}");
        }
    }

    /// Differences of the same bits in two registers do not cancel each other.
    #[test]
    fn two_equal_differences() {
        let before = Registers::default();
        let mut after = before.clone();
        for command in [op::TSIZE0, op::CLEAR] {
            after.write(u32::from(command) << 24 | 1);
        }
        assert!(!before.is_same(&after, &OF_VERTICES) && !before.is_same(&after, &OF_PIXELS));
    }
}
