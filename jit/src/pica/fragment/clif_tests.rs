//! Small fragment routines as CLIF: one for each thing that a key can ask for, with as little else as possible.
//!
//! The snapshots lie in `snapshots/`, each with its key in the first line. A change of the generator that changes them
//! on purpose is accepted with `cargo insta accept`, or by running the tests with `INSTA_UPDATE=always`; read the
//! difference first.

use super::build;
use crate::code::targets;
use crate::pica::key::fragment::FragmentKey;

/// Compares snapshots: a name and a key each, which has to be that of a state.
fn check(cases: &[(&str, &str)]) {
    let states = |text: &str| text.parse().map(|key: FragmentKey| FragmentKey::of(&key.to_registers()));
    for (name, text) in cases {
        let Ok(Ok(whole)) = states(text) else { panic!("{name}: {text} is no key") };
        // Code for which colours are found, or not.
        let key = if text.contains('+') { whole.of_code() } else { whole };
        assert_eq!(key.to_string(), *text, "{name}: no state has this key");
        let snapshot = targets::snapshot(&key, |func, context, isa| {
            build(&key, func, context, isa);
        });
        insta::assert_snapshot!(*name, snapshot);
    }
}

#[test]
fn colours_of_triangles() {
    check(&[
        ("smooth", "fs:-.-.-:.v::D16.Always.Rgba8.f.Copy"),
        ("flat", "fsf:-.-.-:.v::D16.Always.Rgba8.f.Copy"),
        ("constant", "fs:-.-.-:.k::D16.Always.Rgba8.f.Copy"),
    ]);
}

/// Each family of operations once.
#[test]
fn combiners() {
    check(&[
        ("combiner_product", "fsf:-.-.-:mul.v.va,mul.v.v/.s0::D16.Always.Rgba8.f.Copy"),
        ("combiner_sums", "fsf:-.-.-:adds.v.va,adds.v.v/sub.s0.~v/.s1::D16.Always.Rgba8.f.Copy"),
        ("combiner_mix", "fsf:-.-.-:mix.v.~v.va,mix.v.~v.v/.s0::D16.Always.Rgba8.f.Copy"),
        ("combiner_dot", "fsf:-.-.-:dot.v.~v/.s0::D16.Always.Rgba8.f.Copy"),
        ("combiner_three", "fsf:-.-.-:mad.v.va.~v,mad.v.v.~v/adm.v.s0.~v*2/.s1::D16.Always.Rgba8.f.Copy"),
    ]);
}

#[test]
fn lighting() {
    check(&[
        ("light", "fs:-.-.-:.l0,-:lp/d::D16.Always.Rgba8.7.Copy"),
        ("light_table", "fs:-.-.-:.l1,-:ls.d0/d::D16.Always.Rgba8.7.Copy"),
        ("light_found", "fs:-.-.-:.l0:l+::D16.Always.Rgba8.f.Copy"),
        ("light_spot", "fs:-.-.-:.l0,-:lp.o4/oa::D16.Always.Rgba8.7.Copy"),
    ]);
}

#[test]
fn fog() {
    check(&[
        ("fog", "fsf:-.-.-:.v,-:f:D16.Always.Rgba8.7.Copy"),
        ("fog_w_buffer", "fswf:-.-.-:.v,-:F:D16.Always.Rgba8.7.Copy"),
        ("gas", "fs:-.-.-:-:g:D16.Always.Rgba8.f.Copy"),
    ]);
}

/// Formats and sizes are no part of a key.
#[test]
fn textures() {
    check(&[
        ("texture_found", "fsf:+.+.-:mul.v.t0/mul.t1.s0/.s1::D16.Always.Rgba8.f.Copy"),
        ("texture_nearest", "fs:0rrnn.-.-:.t0::D16.Always.Rgba8.f.Copy"),
        ("texture_linear", "fs:0eell.-.-:.t0::D16.Always.Rgba8.f.Copy"),
        ("texture_levels", "fs:0rrnnn.-.-:.t0::D16.Always.Rgba8.f.Copy"),
        ("texture_border", "fs:0bmnn.-.-:.t0::D16.Always.Rgba8.f.Copy"),
        ("texture_projected", "fs:prrnn.-.-:.t0::D16.Always.Rgba8.f.Copy"),
        ("texture_cube", "fs:ceenn.-.-:.t0::D16.Always.Rgba8.f.Copy"),
        ("texture_shadow", "fs:ps.-.-:.t0::D16.Always.Rgba8.f.Copy"),
    ]);
}

#[test]
fn procedural_textures() {
    check(&[
        ("proctex", "fs:-.-.-:.t3:p031---0-0::D16.Always.Rgba8.f.Copy"),
        ("proctex_noise", "fs:-.-.-:.t3:p010--n0-1::D16.Always.Rgba8.f.Copy"),
        ("proctex_found", "fs:-.-.-:.t3:p+::D16.Always.Rgba8.f.Copy"),
    ]);
}

#[test]
fn tests_of_pixels() {
    check(&[
        ("alpha_test", "fsf:-.-.-:.v::aGreater.D16.Always.Rgba8.f.Copy"),
        ("depth_test", "fsf:-.-.-:.v::D24.Lessrw.Rgba8.f.Copy"),
        ("depth_16", "fs:-.-.-:-::D16.GreaterEqualrw"),
        ("stencil_test", "fs:-.-.-:-::sEqual.Keep.IncrementWrap.Replace.D24S8.Lessr"),
        ("shadow_map", "fsf:-.-.-:.v,-::shadow"),
    ]);
}

#[test]
fn writes() {
    check(&[
        ("blend", "fsf:-.-.-:.v::D16.Always.Rgba8.f.Add.67,Add.67"),
        ("blend_least", "fsf:-.-.-:.v::D16.Always.Rgba8.f.Min.11,Min.11"),
        ("logic", "fsf:-.-.-:.v::D16.Always.Rgba8.f.Xor"),
        ("mask", "fsf:-.-.-:.v,-::D16.Always.Rgba8.5.Copy"),
        ("format_rgb8", "fsf:-.-.-:.v,-::D16.Always.Rgb8.7.Copy"),
        ("format_rgb5a1", "fsf:-.-.-:.v::D16.Always.Rgb5a1.f.Copy"),
        ("format_rgb565", "fsf:-.-.-:.v,-::D16.Always.Rgb565.7.Copy"),
        ("format_rgba4", "fsf:-.-.-:.v::D16.Always.Rgba4.f.Copy"),
    ]);
}
