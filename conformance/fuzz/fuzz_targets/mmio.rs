//! Writes by address, and the memory that they find: compiled code and the interpreter, with one thread and with two.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::pica::lists::Engines;
use picaflor_conformance::target;

thread_local! {
    static ENGINES: RefCell<Engines> = RefCell::new(Engines::new().expect("this host runs compiled code"));
}

fuzz_target!(|bytes: &[u8]| ENGINES.with_borrow_mut(|engines| target::mmio(bytes, engines)));
