//! Programs grown from bytes: compiled code against the interpreter.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::compare::Way;
use picaflor_conformance::target;
use picaflor_jit::Engine;

thread_local! {
    static ENGINE: RefCell<Engine> =
        RefCell::new(Way::Fast.engine().expect("this host runs compiled code"));
}

fuzz_target!(|bytes: &[u8]| ENGINE.with_borrow_mut(|engine| target::shader(bytes, engine)));
