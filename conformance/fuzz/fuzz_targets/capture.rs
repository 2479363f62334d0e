//! Any bytes are a capture or are refused, also with right checks; a capture plays.
#![no_main]

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::target;

fuzz_target!(|bytes: &[u8]| target::capture(bytes));
