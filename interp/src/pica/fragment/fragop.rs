//! The tests of the output merger: skipped lines, alpha, stencil, depth.
//!
//! Source: pica-fragment.md 7.2-7.6.

use super::{Inputs, quant};
use crate::pica::surface::Surface;
use crate::trace::{Probe, Stage, Value, rejected};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::fragop::{StencilOp, StencilTest};

/// True if 0x100 excludes fragments of row `y` from drawing. Which rows "every second line" means is unknown; the odd
/// ones are assumed.
pub(crate) fn skips(registers: &Registers, y: i32) -> bool {
    let operation = registers.colour_operation();
    operation.skip_all() || operation.skip_lines() && y & 1 == 1
}

/// The alpha test.
pub(crate) fn alpha_passes(registers: &Registers, alpha: u8, probe: &impl Probe) -> bool {
    let test = registers.alpha_test();
    let passes = !test.enable() || test.func().passes(alpha.into(), test.reference().into());
    if test.enable() {
        let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("alpha test"), name, value);
        note("alpha", &|| Value::Integer(alpha.into()));
        note("function", &|| Value::name(test.func()));
        note("reference", &|| Value::Integer(test.reference().into()));
        note("passes", &|| Value::Flag(passes));
    }
    if !passes {
        rejected(probe, "alpha test");
    }
    passes
}

/// The stencil test, then the depth test; returns true if both pass. Stencil and depth are written here: colour
/// cannot fail later.
pub(crate) fn stencil_and_depth_pass(
    registers: &Registers,
    surface: &Surface<'_>,
    inputs: &Inputs,
    probe: &impl Probe,
) -> bool {
    let test = registers.stencil_test();
    let ops = registers.stencil_operation();
    if !test.enable() || !surface.has_stencil() {
        return depth_passes(registers, surface, inputs, probe);
    }
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("stencil test"), name, value);
    let seen = seen_stencil(registers, surface, inputs);
    note("stored", &|| Value::Integer(seen.into()));
    note("reference", &|| Value::Integer(test.reference().into()));
    note("mask", &|| Value::Integer(test.input_mask().into()));
    note("function", &|| Value::name(test.func()));
    if !stencil_passes(test, seen) {
        note("passes", &|| Value::Flag(false));
        update_stencil(registers, surface, inputs, ops.stencil_fail(), probe);
        rejected(probe, "stencil test");
        return false;
    }
    note("passes", &|| Value::Flag(true));
    // The operation for a pass runs with the depth test off, too (what an emulator does).
    let passes = depth_passes(registers, surface, inputs, probe);
    let op = if passes { ops.pass() } else { ops.depth_fail() };
    update_stencil(registers, surface, inputs, op, probe);
    passes
}

/// The comparison; the reference is taken as unsigned (gbatek calls it signed).
fn stencil_passes(test: StencilTest, old: u8) -> bool {
    let mask = test.input_mask();
    test.func().passes((test.reference() & mask).into(), (old & mask).into())
}

/// Input of the test and the operations: 0 where reading is not allowed (measured for depth on a console, assumed for
/// stencil).
fn seen_stencil(registers: &Registers, surface: &Surface<'_>, inputs: &Inputs) -> u8 {
    let [x, y] = inputs.pixel();
    if registers.depthbuffer_read().is_allowed() { surface.stencil(x, y) } else { 0 }
}

fn update_stencil(
    registers: &Registers,
    surface: &Surface<'_>,
    inputs: &Inputs,
    op: StencilOp,
    probe: &impl Probe,
) {
    if !registers.depthbuffer_write().is_allowed() {
        return;
    }
    let [x, y] = inputs.pixel();
    let test = registers.stencil_test();
    let result = stencil_result(op, test.reference(), seen_stencil(registers, surface, inputs));
    let mask = test.write_mask();
    // Bits that are masked off keep what memory holds, even where it cannot be seen.
    let new = result & mask | surface.stencil(x, y) & !mask;
    probe.note(Stage::one("stencil test"), "operation", || Value::name(op));
    surface.set_stencil(x, y, new);
    probe.note(Stage::one("store"), "stencil", || Value::Integer(surface.stencil(x, y).into()));
}

/// A stencil operation.
fn stencil_result(op: StencilOp, reference: u8, old: u8) -> u8 {
    match op {
        StencilOp::Keep => old,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::Increment => old.saturating_add(1),
        StencilOp::Decrement => old.saturating_sub(1),
        StencilOp::Invert => !old,
        StencilOp::IncrementWrap => old.wrapping_add(1),
        StencilOp::DecrementWrap => old.wrapping_sub(1),
    }
}

/// The depth test with the depth write, which does not need the test to be on (measured on a console).
fn depth_passes(registers: &Registers, surface: &Surface<'_>, inputs: &Inputs, probe: &impl Probe) -> bool {
    let [x, y] = inputs.pixel();
    let mask = registers.depth_colour_mask();
    let z = quant(inputs.depth, surface.depth_bits());
    // A read that is not allowed gives 0 (measured on a console).
    let stored = if registers.depthbuffer_read().is_allowed() { surface.depth(x, y) } else { 0 };
    let passes = !mask.depth_test() || mask.depth_func().passes(z, stored);
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("depth test"), name, value);
    note("depth", &|| Value::Integer(z.into()));
    if mask.depth_test() {
        note("stored", &|| Value::Integer(stored.into()));
        note("function", &|| Value::name(mask.depth_func()));
        note("passes", &|| Value::Flag(passes));
    }
    if !passes {
        rejected(probe, "depth test");
    }
    if passes && mask.depth_write() && registers.depthbuffer_write().is_allowed() {
        surface.set_depth(x, y, z);
        probe.note(Stage::one("store"), "depth", || Value::Integer(surface.depth(x, y).into()));
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_functions() {
        let passes = |func: u32, alpha| {
            let mut regs = Registers::new();
            regs.set_raw(0x104, 100 << 8 | func << 4 | 1);
            alpha_passes(&regs, alpha, &())
        };
        let found: Vec<_> = (0..8).map(|func| [99, 100, 101].map(|alpha| passes(func, alpha))).collect();
        let (o, i) = (false, true);
        let expected = [[o; 3], [i; 3], [o, i, o], [i, o, i], [i, o, o], [i, i, o], [o, o, i], [o, i, i]];
        assert_eq!(found, expected);
        assert!(alpha_passes(&Registers::new(), 0, &()), "off");
    }

    #[test]
    fn stencil_compares_masked_bits_with_the_reference_on_the_left() {
        // LESS, reference 0x13, mask 0x0f.
        let test = StencilTest(0x0f13_0041);
        assert!(stencil_passes(test, 0xf4) && !stencil_passes(test, 0xf3));
        // The comparison is unsigned: 0x80 > 0x7f.
        assert!(stencil_passes(StencilTest(0xff80_0061), 0x7f));
    }

    #[test]
    fn stencil_operations() {
        let results = |old| StencilOp::ALL.iter().map(move |&op| stencil_result(op, 77, old));
        assert_eq!(results(5).collect::<Vec<_>>(), [5, 0, 77, 6, 4, 250, 6, 4]);
        assert_eq!(results(255).collect::<Vec<_>>(), [255, 0, 77, 255, 254, 0, 0, 254]);
        assert_eq!(results(0).collect::<Vec<_>>(), [0, 0, 77, 1, 0, 255, 1, 255]);
    }

    #[test]
    fn skipped_lines() {
        let skips = |word, y| {
            let mut regs = Registers::new();
            regs.set_raw(0x100, word);
            skips(&regs, y)
        };
        assert_eq!([0, 1, 2, 3].map(|y| skips(1 << 24, y)), [false, true, false, true]);
        assert!(skips(1 << 25, 0) && skips(1 << 25, 1) && !skips(0xe4_0100, 1));
    }
}
