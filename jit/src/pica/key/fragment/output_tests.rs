//! Which states have the same key.

use super::*;
use picaflor_pipeline::pica::regs::Registers;

/// Everything allowed, RGBA8 with D24S8, no test, all written; then changes.
fn key(words: &[(u16, u32)]) -> String {
    let mut registers = Registers::new();
    let usual = [(0x102, 3), (0x107, 0x1f00), (0x112, 15), (0x113, 15), (0x114, 3), (0x115, 3), (0x116, 3)];
    usual.iter().chain(words).for_each(|&(id, word)| registers.set_raw(id, word));
    OutputKey::of(&registers).to_string()
}

const PLAIN: &str = "D24S8.Alwaysw.Rgba8.f.Copy";

#[test]
fn no_blending_has_many_forms() {
    assert_eq!(key(&[]), PLAIN);
    // One and zero; the unknown factor and zero; equations that add; the constant does not matter.
    for func in [0x0101_0000, 0x0f0f_0000, 0x0101_0507] {
        assert_eq!(key(&[(0x100, 0x100), (0x101, func), (0x103, 77)]), PLAIN, "{func:x}");
    }
    // The destination cannot be seen: OR leaves the source, whatever is not there drops out.
    assert_eq!(key(&[(0x102, 9), (0x112, 0)]), PLAIN);
    assert_eq!(key(&[(0x100, 0x100), (0x101, 0x5111_0000), (0x112, 0)]), PLAIN);
}

#[test]
fn tests_that_do_nothing() {
    assert_eq!(key(&[(0x104, 0xff11)]), PLAIN, "alpha: always");
    assert_eq!(key(&[(0x105, 0xffff_ff11), (0x106, 7)]), PLAIN, "stencil: always, kept");
    assert_eq!(key(&[(0x105, 0xffff_0011), (0x106, 0x777)]), PLAIN, "stencil: always, nothing writable");
    assert_eq!(key(&[(0x107, 0x1f11)]), PLAIN, "depth: always");
    assert_eq!(key(&[(0x107, 0xf61), (0x114, 0), (0x116, 0)]), "D16.NotEqual.Rgba8.f.Copy");
    assert_eq!(key(&[(0x107, 0xf71), (0x114, 0)]), "D16.Always.Rgba8.f.Copy");
    assert_eq!(key(&[(0x105, 0xffff_ff41), (0x116, 2)]), "D24.Alwaysw.Rgba8.f.Copy", "no stencil there");
}

#[test]
fn draws_that_leave_nothing() {
    let nothing: [&[(u16, u32)]; 10] = [
        &[(0x100, 1 << 25)],
        &[(0x100, 1)],
        &[(0x100, 3), (0x113, 0)],
        &[(0x100, 3), (0x112, 0)],
        &[(0x104, 1)],
        &[(0x107, 0)],
        &[(0x107, 0x1f01)],
        &[(0x113, 0), (0x115, 0)],
        &[(0x107, 0xf00), (0x117, 5 << 16)],
        // The only channel is one that the format lacks; the operation leaves what is there.
        &[(0x107, 0x800), (0x117, 3 << 16)],
    ];
    for words in nothing {
        assert_eq!(key(words), "nothing", "{words:x?}");
    }
    assert_eq!(key(&[(0x107, 0xf00), (0x102, 6)]), "nothing");
    assert_eq!(key(&[(0x100, 3), (0x104, 1), (0x107, 0)]), "shadow");
}

#[test]
fn stencil_operations_that_cannot_happen() {
    // All three operations replace; no depth test, so depth cannot fail.
    let replace = [(0x105, 0xffff_ff41), (0x106, 0x222)];
    assert_eq!(key(&replace), format!("sLess.Replace.Keep.Replace.{PLAIN}"));
    let always = [(0x105, 0xffff_ff11), (0x106, 0x222), (0x107, 0x1f41)];
    assert_eq!(key(&always), "sAlways.Keep.Replace.Replace.D24S8.Lessrw.Rgba8.f.Copy");
    let never = [(0x105, 0xffff_ff01), (0x106, 0x222), (0x107, 0x1f41)];
    assert_eq!(key(&never), "sNever.Replace.Keep.Keep.D24S8.Always");
    // What is kept cannot be seen, so it becomes 0 as far as it is writable.
    let blind = [(0x105, 0xffff_ff11), (0x106, 0), (0x114, 0)];
    assert_eq!(key(&blind), format!("sAlways.Keep.Keep.Zero-.{PLAIN}"));
}

#[test]
fn alpha_that_a_format_lacks() {
    let rgb565 = [(0x117, 3 << 16), (0x107, 0xf00), (0x100, 0x100)];
    let with = |func: u32| key(&[&rgb565[..], &[(0x101, func)]].concat());
    // Destination alpha is one: 8 and 9 are factors 1 and 0, and 14 is 0.
    assert_eq!(with(0x1198_0000), "D16.Always.Rgb565.7.Copy");
    assert_eq!(with(0x111e_0000), "nothing");
    assert_eq!(with(0x1176_0000), "D16.Always.Rgb565.7.Add.67,-");
}

#[test]
fn needed_channels() {
    let needs = |words: &[(u16, u32)]| {
        let mut registers = Registers::new();
        let usual = [(0x102, 3), (0x107, 0xf00), (0x112, 15), (0x113, 15), (0x116, 3)];
        usual.iter().chain(words).for_each(|&(id, word)| registers.set_raw(id, word));
        let key = OutputKey::of(&registers);
        let needs = key.needs().union(key.written());
        (needs.rgb, needs.alpha)
    };
    assert_eq!(needs(&[]), (true, true));
    assert_eq!(needs(&[(0x107, 0x300)]), (true, false));
    assert_eq!(needs(&[(0x107, 0x300), (0x104, 0x41)]), (true, true));
    assert_eq!(needs(&[(0x107, 0x700), (0x100, 0x100), (0x101, 0x0076_0000)]), (true, true));
    assert_eq!(needs(&[(0x117, 1 << 16)]), (true, false));
    assert_eq!(needs(&[(0x102, 4)]), (false, false));
    assert_eq!(needs(&[(0x100, 3)]), (true, false));
}
