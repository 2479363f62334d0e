//! Any word is an instruction, any word is a descriptor.
#![no_main]

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::target;

fuzz_target!(|bytes: &[u8]| target::decoder(bytes));
