//! Any bytes are a frame dump of the PSP or are refused; what a dump holds plays.
#![no_main]

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::target;

fuzz_target!(|bytes: &[u8]| target::ppdmp(bytes));
