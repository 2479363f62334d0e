//! Calls of the C library, as `capi.c` makes them through the header.
#![no_main]

use libfuzzer_sys::fuzz_target;
// The functions that the header declares.
use picaflor as _;

unsafe extern "C" {
    fn picaflor_fuzz_calls(bytes: *const u8, length: usize);
}

// SAFETY: the function reads these bytes and keeps nothing.
fuzz_target!(|bytes: &[u8]| unsafe { picaflor_fuzz_calls(bytes.as_ptr(), bytes.len()) });
