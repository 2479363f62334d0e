//! Any bytes are a container or are refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::target;

fuzz_target!(|bytes: &[u8]| target::container(bytes));
