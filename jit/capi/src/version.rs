//! Version of the library.

use std::ffi::CStr;
use std::ffi::c_char;

/// `PICAFLOR_ABI`.
const ABI: u32 = 1;

/// The version, terminated by a zero byte.
const TEXT: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(text) => text,
    Err(_) => panic!("a version has no zero byte"),
};

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_abi_version() -> u32 {
    ABI
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_version() -> *const c_char {
    TEXT.as_ptr()
}
