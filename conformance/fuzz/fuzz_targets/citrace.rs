//! Any bytes are a CiTrace recording or are refused; a recording plays.
#![no_main]

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::target;

fuzz_target!(|bytes: &[u8]| target::citrace(bytes));
