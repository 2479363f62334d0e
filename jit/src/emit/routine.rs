//! The frame of a routine: a function of one pointer, in the host's C convention.

use super::lanes::{Lanes, Scalar};
use cranelift_codegen::ir::{AbiParam, Function, types};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use target_lexicon::Architecture;

/// Begins a function of one pointer; the pointer.
pub(crate) fn open_routine<'f>(
    func: &'f mut Function,
    context: &'f mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
) -> (Lanes<'f>, Scalar) {
    func.signature.call_conv = isa.default_call_conv();
    func.signature.params.push(AbiParam::new(types::I64));
    let x86 = matches!(isa.triple().architecture, Architecture::X86_64);
    let mut l = Lanes::new(FunctionBuilder::new(func, context), x86);
    let entry = l.block();
    l.b.append_block_params_for_function_params(entry);
    l.switch_to(entry);
    let argument = Scalar(l.b.block_params(entry)[0]);
    (l, argument)
}

/// All blocks are there.
pub(crate) fn close_routine(mut l: Lanes<'_>, isa: &dyn TargetIsa) {
    l.b.seal_all_blocks();
    l.b.finalize(isa.frontend_config());
}
