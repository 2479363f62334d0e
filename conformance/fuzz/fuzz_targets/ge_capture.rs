//! Any bytes are a capture of the GE or are refused; a capture plays, also after it was written.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use picaflor_conformance::target;

fuzz_target!(|bytes: &[u8]| target::ge_capture(bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let changed = target::mutate::mutate(data, size, max_size, seed, target::mutated_ge_capture);
    changed.unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
});
