//! Floating-point mode around a call.
//!
//! Generated code expects the IEEE default mode: round to nearest, no traps, subnormals kept. A host thread may
//! be in another one (audio code likes to flush subnormals), so every call sets the mode and restores the
//! caller's. The whole change happens inside one `asm!` block: the compiler assumes the default mode, so no
//! Rust code may run in another.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The floating-point mode a routine runs in. Rounding is to nearest and nothing traps in either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FpMode {
    /// IEEE 754 with subnormals.
    Ieee,
    /// A result below 2^-126 becomes zero of its sign, where "result" is the exact one rounded to 24 bits of
    /// precision with no limit on the exponent. So (1 - 2^-26) * 2^-126 stays, as 2^-126, while
    /// (1 - 2^-24) * 2^-126, which IEEE 754 rounds to 2^-126 for lack of subnormal bits, becomes zero. Subnormal
    /// operands keep their value. Where the host has no such mode ([`HOST_FLUSHES_AFTER_ROUNDING`]), as
    /// [`FpMode::Ieee`].
    FlushToZero,
}

/// True if the host implements [`FpMode::FlushToZero`]. x86-64 detects tininess after rounding (Intel SDM volume 1,
/// 4.9.1.5); aarch64's FZ bit flushes by the unrounded result and flushes operands too, so it is not used.
pub(crate) const HOST_FLUSHES_AFTER_ROUNDING: bool = cfg!(target_arch = "x86_64");

/// Signature for [`call`]: a function of one pointer in the host's C convention.
pub(crate) type Entry = unsafe extern "C" fn(*mut u8);

/// Calls `entry(argument)` in the given mode and restores the caller's.
///
/// # Safety
/// As calling `entry(argument)` directly. `entry` must not unwind.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn call(mode: FpMode, entry: Entry, argument: *mut u8) {
    /// MXCSR with all exceptions masked, rounding to nearest, FTZ and DAZ clear.
    const DEFAULT: u32 = 0x1f80;
    /// FTZ. DAZ is another bit: operands are never flushed.
    const FLUSH_TO_ZERO: u32 = 1 << 15;
    let wanted: u32 = match mode {
        FpMode::Ieee => DEFAULT,
        FpMode::FlushToZero => DEFAULT | FLUSH_TO_ZERO,
    };
    let mut saved: u32 = 0;
    // The Windows convention wants 32 bytes of shadow space. Elsewhere the stack pointer stays as the compiler's
    // unwind tables know it: a panic below prints a backtrace through this frame.
    #[cfg(windows)]
    macro_rules! with_shadow_space {
        ($call:literal) => {
            concat!("sub rsp, 32\n", $call, "\nadd rsp, 32")
        };
    }
    #[cfg(not(windows))]
    macro_rules! with_shadow_space {
        ($call:literal) => {
            $call
        };
    }
    // SAFETY: the caller vouches for the call. The stack is aligned for calls on entry to a block without
    // `nostack`. Operands that must survive the call are in registers the convention preserves, all others it
    // may change are declared.
    unsafe {
        std::arch::asm!(
            "stmxcsr [r12]",
            "ldmxcsr [r13]",
            with_shadow_space!("call r14"),
            "ldmxcsr [r12]",
            in("r12") &raw mut saved,
            in("r13") &raw const wanted,
            in("r14") entry,
            // The first argument: rdi in the System V convention, rcx in that of Windows.
            inout("rdi") argument => _,
            inout("rcx") argument => _,
            clobber_abi("C"),
        );
    }
}

/// Calls `entry(argument)` in the IEEE default mode and restores the caller's.
///
/// # Safety
/// As calling `entry(argument)` directly. `entry` must not unwind.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn call(_mode: FpMode, entry: Entry, argument: *mut u8) {
    // SAFETY: the caller vouches for the call. The stack is aligned for calls on entry to a block without
    // `nostack`. x20 and x21 survive the call by convention, all registers it may change are declared. FPCR of
    // zero is the IEEE default mode.
    unsafe {
        std::arch::asm!(
            "mrs x20, fpcr",
            "msr fpcr, xzr",
            "blr x21",
            "msr fpcr, x20",
            out("x20") _,
            in("x21") entry,
            inout("x0") argument => _,
            clobber_abi("C"),
        );
    }
}

/// Calls `entry(argument)` in the caller's mode, which Rust requires to be the IEEE default.
///
/// # Safety
/// As calling `entry(argument)` directly.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) unsafe fn call(_mode: FpMode, entry: Entry, argument: *mut u8) {
    // SAFETY: the caller vouches for the call.
    unsafe { entry(argument) }
}

/// Closure that [`ieee`] passes through [`call`], and its result.
struct Task<F, R> {
    work: Option<F>,
    outcome: Option<std::thread::Result<R>>,
}

/// Runs `work` in the IEEE default mode, which Rust code expects, and restores the mode of the thread: for the
/// interpreter as fallback, and for a machine called from another language.
pub fn ieee<F: FnOnce() -> R, R>(work: F) -> R {
    /// # Safety
    /// `task` points to a live `Task<F, R>` that nothing else uses meanwhile.
    unsafe extern "C" fn run<F: FnOnce() -> R, R>(task: *mut u8) {
        // SAFETY: by this function's contract.
        let task = unsafe { &mut *task.cast::<Task<F, R>>() };
        task.outcome = task.work.take().map(|work| catch_unwind(AssertUnwindSafe(work)));
    }
    let mut task = Task { work: Some(work), outcome: None };
    // SAFETY: `run` is given the task, which is live and borrowed for the call, and does not unwind.
    unsafe { call(FpMode::Ieee, run::<F, R>, (&raw mut task).cast()) };
    task.outcome.expect("the work was done").unwrap_or_else(|panic| resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile::{Compiler, tests::compiler};
    use crate::code::routine::Routine;
    use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, types};
    use cranelift_frontend::FunctionBuilder;

    /// Factors, and room for their product.
    #[repr(C)]
    #[derive(Debug)]
    struct Product {
        a: f32,
        b: f32,
        product: u32,
    }

    fn multiply(compiler: &mut Compiler) -> Routine<Product> {
        let code = compiler
            .define("multiply", |func, context, isa| {
                func.signature.call_conv = isa.default_call_conv();
                func.signature.params.push(AbiParam::new(isa.pointer_type()));
                let mut b = FunctionBuilder::new(func, context);
                let block = b.create_block();
                b.append_block_params_for_function_params(block);
                b.switch_to_block(block);
                b.seal_all_blocks();
                let call = b.block_params(block)[0];
                let flags = MemFlagsData::trusted();
                let x = b.ins().load(types::F32, flags, call, 0);
                let y = b.ins().load(types::F32, flags, call, 4);
                let product = b.ins().fmul(x, y);
                b.ins().store(flags, product, call, 8);
                b.ins().return_(&[]);
                b.finalize(isa.frontend_config());
                Ok(())
            })
            .unwrap();
        // SAFETY: the function above reads and writes the fields of `Product` at their offsets.
        unsafe { Routine::new(code) }.unwrap()
    }

    fn product(routine: &Routine<Product>, mode: FpMode, a: f32, b: f32) -> u32 {
        let mut call = Product { a, b, product: 0 };
        // SAFETY: all of `Product` is there.
        unsafe { routine.run(&mut call, mode) };
        call.product
    }

    /// The mode bits of the calling thread; exception flags left out.
    #[cfg(target_arch = "x86_64")]
    fn mode_bits() -> u32 {
        let mut mxcsr = 0_u32;
        // SAFETY: stores four bytes.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack)) };
        mxcsr & !0x3f
    }

    #[test]
    fn subnormal_results_are_flushed_on_request_only() {
        let routine = multiply(&mut compiler());
        let expected = if HOST_FLUSHES_AFTER_ROUNDING { 0 } else { 1 << 22 };
        assert_eq!(product(&routine, FpMode::Ieee, f32::MIN_POSITIVE, 0.5), 1 << 22);
        assert_eq!(product(&routine, FpMode::FlushToZero, f32::MIN_POSITIVE, 0.5), expected);
        assert_eq!(product(&routine, FpMode::Ieee, f32::MIN_POSITIVE, 0.5), 1 << 22);
        let negative = if HOST_FLUSHES_AFTER_ROUNDING { 1 << 31 } else { 1 << 31 | 1 << 22 };
        assert_eq!(product(&routine, FpMode::FlushToZero, -f32::MIN_POSITIVE, 0.5), negative);
    }

    #[test]
    fn tininess_is_detected_after_rounding() {
        let routine = multiply(&mut compiler());
        // (1 - 2^-13) * (1 + 2^-13) * 2^-126 = (1 - 2^-26) * 2^-126: rounds to the smallest normal number.
        let (a, b) = (f32::from_bits(0x1fff_f800), f32::from_bits(0x2000_0400));
        assert!(f64::from(a) * f64::from(b) < f64::from(f32::MIN_POSITIVE));
        for mode in [FpMode::Ieee, FpMode::FlushToZero] {
            assert_eq!(product(&routine, mode, a, b), f32::MIN_POSITIVE.to_bits());
        }
    }

    #[test]
    fn tininess_is_that_of_24_bits() {
        let routine = multiply(&mut compiler());
        // (2 - 2^-23) * 2^-127 is representable in 24 bits, and tiny. With the subnormal's 23 bits it is a tie,
        // which goes to the smallest normal number.
        let (a, b) = (f32::from_bits(0x3fff_ffff), f32::from_bits(1 << 22));
        assert_eq!(product(&routine, FpMode::Ieee, a, b), f32::MIN_POSITIVE.to_bits());
        let expected = if HOST_FLUSHES_AFTER_ROUNDING { 0 } else { f32::MIN_POSITIVE.to_bits() };
        assert_eq!(product(&routine, FpMode::FlushToZero, a, b), expected);
    }

    #[test]
    fn subnormal_operands_are_kept() {
        let routine = multiply(&mut compiler());
        let smallest = f32::from_bits(1);
        assert_eq!(
            product(&routine, FpMode::FlushToZero, smallest, 2.0_f32.powi(100)),
            2.0_f32.powi(-49).to_bits()
        );
    }

    #[test]
    fn rounding_is_to_nearest_even() {
        let routine = multiply(&mut compiler());
        for mode in [FpMode::Ieee, FpMode::FlushToZero] {
            assert_eq!(
                product(&routine, mode, 16_777_215.0, 16_777_215.0),
                (16_777_215.0_f32 * 16_777_215.0).to_bits()
            );
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_callers_mode_is_restored_and_not_used() {
        let routine = multiply(&mut compiler());
        // FTZ, DAZ, round toward zero: what a caller might have set.
        let theirs = 0x1f80_u32 | 1 << 15 | 1 << 6 | 3 << 13;
        let ours = 0x1f80_u32;
        let mut call = Product { a: f32::MIN_POSITIVE, b: 0.5, product: 0 };
        // SAFETY: the mode is set back below; no floating-point arithmetic happens in Rust in between.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const theirs, options(nostack)) };
        // SAFETY: all of `Product` is there.
        unsafe { routine.run(&mut call, FpMode::Ieee) };
        let after = mode_bits();
        // SAFETY: back to the default mode.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const ours, options(nostack)) };
        assert_eq!((after, call.product), (theirs, 1 << 22));
    }

    #[test]
    fn results_and_panics_come_back() {
        assert_eq!(ieee(|| 6 * 7), 42);
        let panic = catch_unwind(|| ieee(|| -> u32 { panic!("no") })).expect_err("it panicked");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"no"));
    }

    /// The unwind tables must describe the frame of the call: a wrong frame description crashes backtraces.
    #[test]
    fn backtraces_reach_the_caller_of_the_call() {
        let trace = ieee(|| std::backtrace::Backtrace::force_capture().to_string());
        assert!(trace.contains("backtraces_reach_the_caller_of_the_call"), "{trace}");
    }
}
