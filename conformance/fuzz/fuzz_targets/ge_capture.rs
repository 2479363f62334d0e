//! Any bytes are a capture of the GE or are refused; a capture plays, also after it was written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::target;

fuzz_target!(|bytes: &[u8]| target::ge_capture(bytes));
