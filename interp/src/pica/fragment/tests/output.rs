//! The output merger on a target: the rows of pica-fragment.md 10.4, and the order of 1.4 from shadow on.

use super::*;

#[test]
fn depth_test_off_depth_write_on() {
    let scene = Scene::new();
    scene.clear([0; 4], 0, 0);
    scene.cover(ORANGE, 1.0);
    assert_eq!(scene.depth_stencil(), (0xff_ffff, 0));
}

#[test]
fn depth_test_less() {
    let scene = Scene::new().with(&[(0x107, 0x1f41)]);
    scene.clear([0; 4], 8_388_607, 0);
    scene.cover(ORANGE, 0.5);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil().0), ([0; 4], 8_388_607));
    scene.cover(ORANGE, 0.25);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil().0), (ORANGE, 4_194_303));
    // Without bit 12 the test runs and the buffer stays.
    let scene = scene.with(&[(0x107, 0x0f41)]);
    scene.cover([9; 4], 0.125);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil().0), ([9; 4], 4_194_303));
}

#[test]
fn depth_functions_at_16_bits() {
    let below = f32::from_bits(0x3eff_0000);
    for (func, expected) in [
        (0, [false, false, false]),
        (1, [true, true, true]),
        (2, [false, true, false]),
        (3, [true, false, true]),
        (4, [true, false, false]),
        (5, [true, true, false]),
        (6, [false, false, true]),
        (7, [false, true, true]),
    ] {
        let drawn = [below, 0.5, 0.75].map(|depth| {
            let scene = Scene::new().with(&[(0x107, 0x0f01 | func << 4), (0x116, 0)]);
            scene.clear([0; 4], 32767, 0);
            scene.cover(ORANGE, depth);
            scene.colour(0, 0) == ORANGE
        });
        assert_eq!(drawn, expected, "{func}");
    }
}

#[test]
fn depth_read_off_with_less_draws_nothing() {
    for stored in [0, 1, 0xff_ffff] {
        let scene = Scene::new().with(&[(0x107, 0x1f41), (0x114, 0)]);
        scene.clear([1, 2, 3, 4], stored, 0);
        let before = scene.bytes();
        scene.cover(ORANGE, 0.0);
        assert_eq!(scene.bytes(), before);
    }
}

#[test]
fn allow_registers_1_and_f_are_the_same() {
    let drawn = |values: [u32; 4]| {
        let scene = Scene::new().with(&[(0x100, 0x100), (0x101, 0x7676_0000), (0x107, 0x1f41)]);
        let scene = scene.with(&[(0x105, 0xff01_ff11), (0x106, 0x333)]);
        scene.clear([50, 60, 70, 80], 0xff_ffff, 5);
        let scene = scene.with(&[0x112, 0x113, 0x114, 0x115].map(|id| (id, values[usize::from(id) - 0x112])));
        scene.cover(ORANGE, 0.5);
        scene.bytes()
    };
    let all = drawn([0xf, 0xf, 3, 3]);
    for values in [[1; 4], [2, 8, 2, 2], [0xf, 0xf, 1, 2], [0xff; 4]] {
        assert_eq!(drawn(values), all, "{values:?}");
    }
    assert_ne!(drawn([0, 0xf, 3, 3]), all);
    // Bits past the fields do not count.
    assert_eq!(drawn([0x10, 0xf, 4, 3]), drawn([0, 0xf, 0, 3]));
}

#[test]
fn colour_write_off() {
    let scene = Scene::new().with(&[(0x113, 0)]);
    scene.cover(ORANGE, 0.5);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil().0), ([0; 4], 8_388_607));
}

#[test]
fn depth_write_off_stops_depth_and_stencil_but_no_test() {
    let scene = Scene::new().with(&[(0x115, 0), (0x107, 0x1f41), (0x105, 0xff01_ff11), (0x106, 0x222)]);
    scene.clear([0; 4], 8_388_607, 5);
    scene.cover(ORANGE, 0.75);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil()), ([0; 4], (8_388_607, 5)));
    scene.cover(ORANGE, 0.25);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil()), (ORANGE, (8_388_607, 5)));
}

#[test]
fn colour_read_off_gives_zero_to_blending_and_keeps_masked_channels() {
    // Source + destination, green masked off.
    let scene = Scene::new().with(&[(0x100, 0x100), (0x101, 0x1111_0000), (0x107, 0x0d00), (0x112, 0)]);
    scene.clear([50, 60, 70, 80], 0, 0);
    scene.cover([1, 2, 3, 4], 0.0);
    assert_eq!(scene.colour(0, 0), [1, 60, 3, 4]);
    // Exclusive or with 0.
    let scene = scene.with(&[(0x100, 0), (0x102, 11)]);
    scene.cover([9, 9, 9, 9], 0.0);
    assert_eq!(scene.colour(0, 0), [9, 60, 9, 9]);
}

#[test]
fn colour_mask_keeps_stored_bits() {
    for mask in 0..16_u32 {
        let scene = Scene::new().with(&[(0x107, mask << 8), (0x117, 3 << 16)]);
        write_bytes(&scene.memory, COLOUR, &[0x5a, 0xa7]);
        scene.cover([255; 4], 0.0);
        let bits = [0xf800, 0x07e0, 0x001f, 0];
        let ones: u16 = (0..4).filter(|c| mask >> c & 1 == 1).map(|c| bits[c]).sum();
        assert_eq!(u16::from_le_bytes(read_bytes(&scene.memory, COLOUR)), 0xa75a | ones, "{mask:#x}");
    }
}

#[test]
fn colour_formats_truncate() {
    let word = |format: u32, colour| {
        let scene = Scene::new().with(&[(0x117, format << 16)]);
        scene.cover(colour, 0.0);
        u16::from_le_bytes(read_bytes(&scene.memory, COLOUR))
    };
    assert_eq!(word(3, [255, 128, 7, 0]), 0xfc00);
    assert_eq!(word(2, [200, 100, 50, 127]), 0xcb0c);
    assert_eq!(word(4, [0xab, 0xcd, 0xef, 0x12]), 0xace1);
}

#[test]
fn unknown_colour_formats_have_no_colour_write() {
    for format in 5..8 {
        let scene = Scene::new().with(&[(0x117, format << 16 | 2)]);
        scene.cover(ORANGE, 0.5);
        assert!(scene.bytes()[..0x400].iter().all(|&byte| byte == 0));
        assert_eq!(scene.depth_stencil().0, 8_388_607);
    }
}

#[test]
fn blending_in_the_target() {
    let scene = Scene::new().with(&[(0x100, 0x100), (0x101, 0x7676_0000)]);
    scene.clear([50, 50, 50, 255], 0, 0);
    scene.cover([200, 0, 255, 128], 0.0);
    assert_eq!(scene.colour(0, 0), [125, 25, 153, 191]);
}

/// Reference 0x0f, all bits; increments on pass, decrements on a depth fail, inverts on a stencil fail.
fn stencil_scene(func: u32) -> Scene {
    Scene::new().with(&[(0x105, 0xff0f_ff01 | func << 4), (0x106, 0x345), (0x107, 0x1f41)])
}

#[test]
fn stencil_operation_of_each_outcome() {
    let outcome = |stored, depth| {
        let scene = stencil_scene(2);
        scene.clear([0; 4], 8_388_607, stored);
        scene.cover(ORANGE, depth);
        (scene.depth_stencil(), scene.colour(0, 0) == ORANGE)
    };
    assert_eq!(outcome(0x0e, 0.25), ((8_388_607, 0xf1), false), "stencil fail");
    assert_eq!(outcome(0x0f, 0.75), ((8_388_607, 0x0e), false), "depth fail");
    assert_eq!(outcome(0x0f, 0.25), ((4_194_303, 0x10), true), "pass");
}

#[test]
fn stencil_pass_without_depth_test() {
    let scene = stencil_scene(1).with(&[(0x107, 0x0f40)]);
    scene.clear([0; 4], 0, 7);
    scene.cover(ORANGE, 0.5);
    assert_eq!(scene.depth_stencil(), (0, 8));
}

#[test]
fn stencil_replace_is_unmasked_but_written_by_mask() {
    let scene = Scene::new().with(&[(0x105, 0x00a5_3c11), (0x106, 0x222)]);
    scene.clear([0; 4], 0, 0xff);
    scene.cover(ORANGE, 0.5);
    assert_eq!(scene.depth_stencil().1, 0xa5 & 0x3c | 0xc3);
}

#[test]
fn stencil_needs_its_format() {
    for format in 0..3 {
        let scene = stencil_scene(0).with(&[(0x116, format), (0x107, 0x1f00)]);
        scene.cover(ORANGE, 1.0);
        assert_eq!(scene.colour(0, 0), ORANGE, "{format}");
        assert_eq!(scene.surface().depth(0, 0), if format == 2 { 0xff_ffff } else { 0xffff });
    }
}

#[test]
fn stencil_read_off() {
    // Seen as 0: EQUAL with reference 0 passes, increment gives 1; bits masked off keep what memory holds.
    let scene = Scene::new().with(&[(0x105, 0xff00_0f21), (0x106, 0x300), (0x114, 0)]);
    scene.clear([0; 4], 0, 0xa5);
    scene.cover(ORANGE, 0.5);
    assert_eq!((scene.depth_stencil().1, scene.colour(0, 0)), (0xa1, ORANGE));
}

#[test]
fn alpha_fail_runs_no_stencil_operation() {
    let scene = stencil_scene(0).with(&[(0x104, 201 << 8 | 0x71)]);
    scene.clear([0; 4], 0, 9);
    let before = scene.bytes();
    scene.cover(ORANGE, 0.5);
    assert_eq!(scene.bytes(), before);
    let scene = scene.with(&[(0x104, 200 << 8 | 0x71)]);
    scene.cover(ORANGE, 0.5);
    assert_eq!(scene.depth_stencil().1, !9);
}

#[test]
fn fog_changes_rgb_before_blending() {
    let mut scene = Scene::new().with(&[(0x0e0, 5), (0x0e1, 0xff_0000), (0x104, 200 << 8 | 0x21)]);
    scene.luts.fog.fill(1024 << 13);
    scene.cover([200, 100, 0, 200], 0.5);
    assert_eq!(scene.colour(0, 0), [100, 50, 127, 200]);
}

/// Shadow mode with C = 1, K = -0.5, cleared to ones, and everything set that it does not look at.
fn shadow_scene() -> Scene {
    let scene = Scene::new().with(&[
        (0x100, 3),
        (0x130, 0xb800_3c00),
        (0x104, 1),
        (0x105, 0xffff_ff01),
        (0x106, 0x555),
        (0x107, 1),
        (0x117, 3 << 16),
        (0x0e0, 7),
    ]);
    write_bytes(&scene.memory, COLOUR, &[0xff; 0x400]);
    scene
}

#[test]
fn shadow_write_depth_25_occluder() {
    let scene = shadow_scene();
    assert_eq!(scene.cover([9, 0, 9, 9], 0.25), 256);
    assert_eq!(read_bytes(&scene.memory, COLOUR), [0x3f, 0xff, 0xff, 255]);
    assert!(scene.bytes()[0x400..].iter().all(|&byte| byte == 0), "the depth buffer is not used");
}

#[test]
fn shadow_write_depth_25_penumbra() {
    let scene = shadow_scene();
    scene.cover([9, 128, 9, 9], 0.25);
    assert_eq!(read_bytes(&scene.memory, COLOUR), [0xff, 0xff, 0xff, 146]);
}

#[test]
fn shadow_needs_colour_access() {
    for id in [0x112, 0x113] {
        let scene = shadow_scene().with(&[(id, 0)]);
        let before = scene.bytes();
        scene.cover([0; 4], 0.25);
        assert_eq!(scene.bytes(), before, "{id:#x}");
    }
}

#[test]
fn gas_accumulation_writes_nothing() {
    let scene = Scene::new().with(&[(0x100, 1), (0x105, 0xffff_ff11), (0x106, 0x222)]);
    let before = scene.bytes();
    assert_eq!(scene.cover(ORANGE, 0.5), 256);
    assert_eq!(scene.bytes(), before);
}

#[test]
fn gas_rendering_tests_the_combiners_alpha_and_draws_zeros() {
    let drawn = |reference: u32| {
        let scene = Scene::new().with(&[(0x0e0, 7), (0x104, reference << 8 | 0x71)]);
        scene.clear([1, 2, 3, 4], 0, 0);
        scene.cover(ORANGE, 0.5);
        (scene.colour(0, 0), scene.depth_stencil().0)
    };
    assert_eq!((drawn(200), drawn(201)), (([0; 4], 8_388_607), ([1, 2, 3, 4], 0)));
}

#[test]
fn unknown_mode_2_is_normal() {
    let scene = Scene::new().with(&[(0x100, 2)]);
    scene.cover(ORANGE, 0.5);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil().0), (ORANGE, 8_388_607));
}

/// A w-buffer multiplies the mapped depth by w.
#[test]
fn depth_of_a_w_buffer() {
    let scene = Scene::new().with(&[(0x06d, 0)]);
    scene.draw(&[Triangle { r: [2.0; 3], ..covering(ORANGE, 0.5) }]);
    assert_eq!(scene.depth_stencil().0, 4_194_303);
}
