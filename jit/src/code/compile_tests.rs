//! Tests of [`super`].

use super::*;
use crate::code::fp_mode::FpMode;
use crate::code::memory::MappingScheme;
use crate::code::routine::Routine;
use cranelift_codegen::ir::{AbiParam, ExternalName, InstBuilder, LibCall, MemFlagsData, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;
use std::sync::atomic::{AtomicU64, Ordering};

/// The schemes under which tests run code. Other machines than x86-64 may be emulated, and user-mode emulation
/// does not notice that code was replaced through a second view.
pub(crate) const SCHEMES_TO_RUN: &[MappingScheme] = if cfg!(target_arch = "x86_64") {
    &[MappingScheme::DualView, MappingScheme::Protect]
} else {
    &[MappingScheme::Protect]
};

/// A compiler for this host with a small arena of its own.
pub(crate) fn compiler() -> Compiler {
    compiler_with(MappingScheme::default(), 1 << 20)
}

pub(crate) fn compiler_with(scheme: MappingScheme, budget: usize) -> Compiler {
    Compiler::new(host_isa(CpuLevel::Host).unwrap(), Arena::new(scheme, budget))
}

/// Emits a function of one pointer: whatever `body` stores.
pub(crate) fn function_of_pointer(
    func: &mut Function,
    context: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
    body: impl FnOnce(&mut FunctionBuilder<'_>, cranelift_codegen::ir::Value),
) {
    func.signature.call_conv = isa.default_call_conv();
    func.signature.params.push(AbiParam::new(isa.pointer_type()));
    let mut b = FunctionBuilder::new(func, context);
    let block = b.create_block();
    b.append_block_params_for_function_params(block);
    b.switch_to_block(block);
    b.seal_all_blocks();
    let argument = b.block_params(block)[0];
    body(&mut b, argument);
    b.ins().return_(&[]);
    b.finalize(isa.frontend_config());
}

/// A routine that stores `value`, after `padding` additions that make it longer.
pub(crate) fn store(
    compiler: &mut Compiler,
    value: i64,
    padding: usize,
) -> Result<Routine<i64>, CompileError> {
    let code = compiler.define(&format!("store_{value}"), |func, context, isa| {
        function_of_pointer(func, context, isa, |b, out| {
            let flags = MemFlagsData::trusted();
            let mut sum = b.ins().load(types::I64, flags, out, 0);
            for _ in 0..padding {
                sum = b.ins().iadd(sum, out);
            }
            let sum = b.ins().isub(sum, sum);
            let constant = b.ins().iconst(types::I64, value);
            let result = b.ins().iadd(sum, constant);
            b.ins().store(flags, result, out, 0);
        });
        Ok(())
    })?;
    // SAFETY: the function above touches the one i64.
    unsafe { Routine::new(code) }
}

pub(crate) fn stored(routine: &Routine<i64>) -> i64 {
    let mut value = 99;
    // SAFETY: an i64 has no pointers.
    unsafe { routine.run(&mut value, FpMode::Ieee) };
    value
}

#[test]
fn routines_run_under_both_schemes_and_outlive_their_compiler() {
    for &scheme in SCHEMES_TO_RUN {
        let mut compiler = compiler_with(scheme, 1 << 20);
        let routines: Vec<_> = (0..50).map(|value| store(&mut compiler, value, 7).unwrap()).collect();
        drop(compiler);
        for (value, routine) in routines.iter().enumerate() {
            assert_eq!(stored(routine), value as i64);
            assert_eq!(routine.code().name(), format!("store_{value}"));
        }
    }
}

#[test]
fn memory_is_used_again_after_the_last_handle() {
    for &scheme in SCHEMES_TO_RUN {
        let mut compiler = compiler_with(scheme, 1 << 16);
        for value in 0..1000 {
            let routine = store(&mut compiler, value, 100).unwrap();
            let other = routine.clone();
            drop(routine);
            assert_eq!(stored(&other), value);
            assert_eq!(compiler.arena().used(), other.code().charged());
        }
        assert_eq!(compiler.arena().used(), 0);
    }
}

#[test]
fn an_exhausted_budget_is_an_error_and_clears_when_routines_go() {
    for &scheme in SCHEMES_TO_RUN {
        let mut compiler = compiler_with(scheme, 1 << 16);
        let mut kept = Vec::new();
        let error = loop {
            match store(&mut compiler, 1, 500) {
                Ok(routine) => kept.push(routine),
                Err(error) => break error,
            }
        };
        assert_eq!(error, CompileError::BudgetExceeded { budget: compiler.arena().budget() });
        assert!(kept.len() > 2);
        kept.pop();
        assert_eq!(stored(&store(&mut compiler, 5, 500).unwrap()), 5);
    }
}

#[test]
fn panics_are_contained_and_leave_a_working_compiler() {
    let mut compiler = compiler();
    let error = compiler
        .define("panics", |func, context, isa| {
            func.signature.call_conv = isa.default_call_conv();
            let mut b = FunctionBuilder::new(func, context);
            let block = b.create_block();
            b.switch_to_block(block);
            panic!("midway, {}", 7);
        })
        .unwrap_err();
    assert_eq!(error, CompileError::Panicked("midway, 7".into()));
    assert_eq!(stored(&store(&mut compiler, 3, 0).unwrap()), 3);
}

#[test]
fn buffers_of_a_long_function_are_given_back() {
    let mut compiler = compiler();
    let held = |compiler: &Compiler| compiler.context.func.dfg.num_insts();
    for (padding, is_kept) in [(100, true), (LONGEST_KEPT, false), (100, true)] {
        let routine = store(&mut compiler, 5, padding).unwrap();
        assert_eq!(held(&compiler) > 0, is_kept, "{padding} instructions");
        assert_eq!(stored(&routine), 5);
    }
}

#[test]
fn a_refusal_midway_leaves_a_working_compiler() {
    let mut compiler = compiler();
    let error = compiler
        .define("refuses", |func, context, _| {
            let mut b = FunctionBuilder::new(func, context);
            let block = b.create_block();
            b.switch_to_block(block);
            b.ins().iconst(types::I32, 1);
            Err(CompileError::TooManyStates { limit: 5 })
        })
        .unwrap_err();
    assert_eq!(error, CompileError::TooManyStates { limit: 5 });
    assert_eq!(stored(&store(&mut compiler, 3, 0).unwrap()), 3);
    assert_eq!(compiler.arena().used() % 64, 0);
}

#[test]
fn relocations_are_refused_and_cost_no_memory() {
    let mut compiler = compiler();
    let error = compiler
        .define("calls", |func, context, isa| {
            let signature = func.import_signature(Signature::new(CallConv::SystemV));
            let callee = func.import_function(cranelift_codegen::ir::ExtFuncData {
                name: ExternalName::LibCall(LibCall::Memcpy),
                signature,
                colocated: false,
                patchable: false,
            });
            function_of_pointer(func, context, isa, |b, _| {
                b.ins().call(callee, &[]);
            });
            Ok(())
        })
        .unwrap_err();
    assert!(matches!(&error, CompileError::Codegen(text) if text.contains("relocations")), "{error}");
    assert_eq!(compiler.arena().used(), 0);
}

#[test]
fn what_cranelift_refuses_is_an_error() {
    // No back end divides vectors of integers.
    let error = compiler()
        .define("divides", |func, context, isa| {
            function_of_pointer(func, context, isa, |b, out| {
                let a = b.ins().load(types::I32X4, MemFlagsData::new(), out, 0);
                let quotient = b.ins().sdiv(a, a);
                b.ins().store(MemFlagsData::new(), quotient, out, 0);
            });
            Ok(())
        })
        .unwrap_err();
    assert!(matches!(error, CompileError::Codegen(_) | CompileError::Panicked(_)), "{error}");
}

#[cfg(debug_assertions)]
#[test]
fn the_verifier_says_what_is_wrong() {
    let error = compiler()
        .define("adds", |func, context, isa| {
            function_of_pointer(func, context, isa, |b, out| {
                let word = b.ins().load(types::I32, MemFlagsData::new(), out, 0);
                let sum = b.ins().fadd(word, word);
                b.ins().store(MemFlagsData::new(), sum, out, 0);
            });
            Ok(())
        })
        .unwrap_err();
    assert!(matches!(&error, CompileError::Codegen(text) if text.contains("fadd")), "{error}");
}

#[test]
fn another_signature_gets_no_typed_handle() {
    let mut compiler = compiler();
    let code = compiler
        .define("two", |func, context, isa| {
            func.signature.params.push(AbiParam::new(types::I64));
            function_of_pointer(func, context, isa, |_, _| {});
            Ok(())
        })
        .unwrap();
    // SAFETY: the function touches nothing.
    assert!(unsafe { Routine::<i64>::new(code) }.is_err());
}

#[test]
fn dumps_show_both_forms_and_only_on_request() {
    let mut compiler = compiler();
    let (code, dump) = compiler
        .define_with_dump("dumped", |func, context, isa| {
            function_of_pointer(func, context, isa, |b, out| {
                let value = b.ins().iconst(types::I64, 77);
                b.ins().store(MemFlagsData::trusted(), value, out, 0);
            });
            Ok(())
        })
        .unwrap();
    assert!(dump.clif.contains("iconst.i64 77") && dump.clif.contains("return"), "{}", dump.clif);
    assert!(dump.vcode.contains("ret"), "{}", dump.vcode);
    assert!(code.size() > 0 && code.bytes().len() == code.size());
    store(&mut compiler, 1, 0).unwrap();
    assert_eq!(compiler.context.compiled_code().unwrap().vcode, None);
}

#[test]
fn compile_publish_free_and_run_from_many_threads() {
    for &scheme in SCHEMES_TO_RUN {
        // Small enough that some compiles find no room.
        let arena = Arena::new(scheme, 40 << 12);
        let (isa, shared) =
            (host_isa(CpuLevel::Host).unwrap(), std::sync::Mutex::new(Vec::<(i64, Routine<i64>)>::new()));
        let runs = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (isa, arena, shared, runs) = (isa.clone(), Arc::clone(&arena), &shared, &runs);
                scope.spawn(move || {
                    let mut compiler = Compiler::new(isa, arena);
                    for round in 0..300 {
                        let value = thread * 1000 + round;
                        match store(&mut compiler, value, (value as usize * 37) % 300) {
                            Ok(routine) => shared.lock().unwrap().push((value, routine)),
                            Err(CompileError::BudgetExceeded { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                        let others: Vec<_> = shared.lock().unwrap().iter().rev().take(8).cloned().collect();
                        for (expected, routine) in others {
                            assert_eq!(stored(&routine), expected);
                            runs.fetch_add(1, Ordering::Relaxed);
                        }
                        let mut routines = shared.lock().unwrap();
                        if routines.len() > 24 {
                            let victim = (value as usize * 7) % routines.len();
                            routines.swap_remove(victim);
                        }
                    }
                });
            }
        });
        assert!(runs.into_inner() > 4000);
        shared.into_inner().unwrap().clear();
        assert_eq!(arena.used(), 0);
    }
}

/// Emits a function that reverses an array of so many vectors, all of which it has in registers or on the stack.
fn reverse(compiler: &mut Compiler, vectors: i32) -> Result<(Arc<CodeBlock>, Dump), CompileError> {
    compiler.define_with_dump(&format!("reverse_{vectors}"), |func, context, isa| {
        function_of_pointer(func, context, isa, |b, at| {
            let flags = MemFlagsData::new();
            let all: Vec<_> = (0..vectors).map(|n| b.ins().load(types::I64X2, flags, at, 16 * n)).collect();
            for (n, value) in (0..).zip(all.into_iter().rev()) {
                b.ins().store(flags, value, at, 16 * n);
            }
        });
        Ok(())
    })
}

/// A frame of many pages touches each of them in order, and fits a small stack; a larger one is refused, by both register
/// allocators.
#[test]
fn frames_are_probed_and_bounded() {
    const VECTORS: usize = 1500;
    for quick in [false, true] {
        let mut compiler = compiler();
        compiler.allocate_quickly(quick).expect("a second target");
        let (code, dump) = reverse(&mut compiler, VECTORS as i32).expect("a frame below the limit");
        let frame = frame_bytes(&compiler.context);
        assert!((16 * VECTORS as u32 - 4096..=LARGEST_FRAME).contains(&frame), "{frame}");
        assert!(!cfg!(target_arch = "x86_64") || dump.vcode.contains("stack_probe_loop"), "{}", dump.vcode);
        // SAFETY: the function above touches that array.
        let routine =
            unsafe { Routine::<[[u64; 2]; VECTORS]>::new(code) }.expect("a function of one pointer");
        let reversed = std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
            let vectors: Vec<_> = (0..VECTORS as u64).map(|n| [n; 2]).collect();
            let mut array: Box<[[u64; 2]; VECTORS]> =
                vectors.into_boxed_slice().try_into().expect("its size");
            // SAFETY: the array has no pointers.
            unsafe { routine.run(&mut *array, FpMode::Ieee) };
            array.iter().enumerate().all(|(n, &vector)| vector == [(VECTORS - 1 - n) as u64; 2])
        });
        assert!(reversed.expect("a thread").join().expect("no panic"));
        let refused = reverse(&mut compiler, 3000).map(|_| ());
        let Err(CompileError::LargeFrame { bytes, limit: LARGEST_FRAME }) = refused else {
            panic!("{refused:?}")
        };
        assert!(bytes > LARGEST_FRAME);
    }
}
