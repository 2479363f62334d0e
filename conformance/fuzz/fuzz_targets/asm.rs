//! Any text assembles or is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::target;

fuzz_target!(|bytes: &[u8]| target::assembler(bytes));
