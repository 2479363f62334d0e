//! The calls of the C library are made in C, through its header.

fn main() {
    println!("cargo:rerun-if-changed=fuzz_targets/capi.c");
    println!("cargo:rerun-if-changed=../../jit/capi/include/picaflor.h");
    let mut build = cc::Build::new();
    build.file("fuzz_targets/capi.c").include("../../jit/capi/include").opt_level(1);
    build.flag("-std=c99").cargo_metadata(false).compile("picaflor_fuzz_calls");
    let out = std::env::var("OUT_DIR").expect("cargo says where");
    println!("cargo:rustc-link-arg-bin=capi={out}/libpicaflor_fuzz_calls.a");
}
