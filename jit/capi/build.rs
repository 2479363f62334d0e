//! Gives the shared library its name, which ends in the version of the binary interface.

/// `PICAFLOR_ABI` of the header.
const ABI: u32 = 1;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match os.as_str() {
        "linux" | "freebsd" | "netbsd" | "openbsd" => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpicaflor.so.{ABI}");
        }
        "macos" => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libpicaflor.{ABI}.dylib");
        }
        _ => {}
    }
}
