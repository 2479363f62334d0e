//! Commands on a machine that is ready to draw: compiled code and the interpreter, with one thread and with two.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use picaflor_conformance::pica::lists::Engines;
use picaflor_conformance::target;

thread_local! {
    static ENGINES: RefCell<Engines> = RefCell::new(Engines::new().expect("this host runs compiled code"));
}

fuzz_target!(|bytes: &[u8]| ENGINES.with_borrow_mut(|engines| target::command_list(bytes, engines)));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let changed = target::mutate::mutate(data, size, max_size, seed, target::mutated_commands);
    changed.unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
});
