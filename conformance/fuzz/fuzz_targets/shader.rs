//! Programs whose words are chosen: compiled code, in its fast or its exact form, against the interpreter.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::pica::programs::compare::Way;
use picaflor_conformance::target;
use picaflor_jit::Engine;

thread_local! {
    static ENGINES: RefCell<[Engine; 2]> =
        RefCell::new([Way::Fast, Way::Exact].map(|way| way.engine().expect("this host runs compiled code")));
}

fuzz_target!(|bytes: &[u8]| ENGINES.with_borrow_mut(|engines| {
    let exact = bytes.first().is_some_and(|kind| kind & 4 != 0);
    target::shader(bytes, &mut engines[usize::from(exact)]);
}));
