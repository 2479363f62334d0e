//! Targets other than this host, for tests that compile every lowering for them without running it.

use super::compile::{flags, panic_text, refuse_large_frames, refuse_relocations};
use crate::error::CompileError;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::{self, LookupError, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::Configurable;
use cranelift_codegen::{Context, control::ControlPlane};
use cranelift_frontend::FunctionBuilderContext;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Every target that lowerings must compile for: the least and the usual x86-64, aarch64, and riscv64 with
/// 128-bit vectors. With a name each. Without the feature `targets` only those that this Cranelift has.
pub(crate) fn all() -> Vec<(&'static str, OwnedTargetIsa)> {
    const SSE41: &[&str] = &["has_sse3", "has_ssse3", "has_sse41"];
    const AVX2: &[&str] =
        &["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt", "has_avx", "has_avx2", "has_fma"];
    const VECTOR: &[&str] =
        &["has_m", "has_a", "has_f", "has_d", "has_zba", "has_zbb", "has_v", "has_zvl128b"];
    let all = [
        ("x86-64 with SSE4.1", "x86_64-unknown-linux-gnu", SSE41),
        ("x86-64 with AVX2", "x86_64-unknown-linux-gnu", AVX2),
        ("aarch64", "aarch64-unknown-linux-gnu", &[]),
        ("riscv64 with V", "riscv64gc-unknown-linux-gnu", VECTOR),
    ];
    all.into_iter().filter_map(|(name, triple, features)| Some((name, target(triple, features)?))).collect()
}

/// `None` where this Cranelift does not have it.
fn target(triple: &str, features: &[&str]) -> Option<OwnedTargetIsa> {
    let mut builder = match isa::lookup_by_name(triple) {
        Err(LookupError::SupportDisabled) if !cfg!(feature = "targets") => return None,
        found => found.expect("a target of Cranelift"),
    };
    for feature in features {
        builder.enable(feature).expect("a feature of the target");
    }
    Some(builder.finish(flags("backtracking", false).expect("our flags")).expect("a consistent target"))
}

/// The machine code of the function that `build` fills in, for any target.
///
/// # Errors
/// As `Compiler::define`, panics included.
pub(crate) fn compile_only(
    isa: &dyn TargetIsa,
    build: impl FnOnce(&mut Function, &mut FunctionBuilderContext, &dyn TargetIsa) -> Result<(), CompileError>,
) -> Result<Vec<u8>, CompileError> {
    catch_unwind(AssertUnwindSafe(|| {
        let mut context = Context::new();
        build(&mut context.func, &mut FunctionBuilderContext::new(), isa)?;
        context
            .compile(isa, &mut ControlPlane::default())
            .map_err(|error| CompileError::Codegen(error.inner.to_string()))?;
        refuse_relocations(&context)?;
        refuse_large_frames(&context)?;
        let code = context.compiled_code().expect("it was just compiled");
        Ok(code.code_buffer().to_vec())
    }))
    .unwrap_or_else(|panic| Err(CompileError::Panicked(panic_text(&*panic))))
}

/// The CLIF of the function that `build` fills in, for the least of the x86-64 targets whatever the host is.
pub(crate) fn clif(build: impl FnOnce(&mut Function, &mut FunctionBuilderContext, &dyn TargetIsa)) -> String {
    let (_, isa) = all().swap_remove(0);
    let mut func = Function::new();
    build(&mut func, &mut FunctionBuilderContext::new(), &*isa);
    cranelift_codegen::verify_function(&func, &*isa).expect("correct CLIF");
    func.display().to_string()
}

/// A key and the CLIF of its routine, for a snapshot.
pub(crate) fn snapshot(
    key: &impl Display,
    build: impl FnOnce(&mut Function, &mut FunctionBuilderContext, &dyn TargetIsa),
) -> String {
    format!("{key}\n\n{}", clif(build))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile::tests::function_of_pointer;
    use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};

    #[test]
    fn vectors_of_floats_compile_for_every_target_to_different_code() {
        let mut codes: Vec<Vec<u8>> = Vec::new();
        for (name, isa) in all() {
            let code = compile_only(&*isa, |func, context, isa| {
                function_of_pointer(func, context, isa, |b, at| {
                    let a = b.ins().load(types::F32X4, MemFlagsData::new(), at, 0);
                    let product = b.ins().fmul(a, a);
                    let floor = b.ins().floor(product);
                    b.ins().store(MemFlagsData::new(), floor, at, 16);
                });
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(code.len() > 8 && !codes.contains(&code), "{name}");
            codes.push(code);
        }
        let all = if cfg!(feature = "targets") { 4 } else { 1 };
        assert!(codes.len() >= all, "{}", codes.len());
    }

    #[test]
    fn refusals_and_panics_are_values() {
        for (name, isa) in all() {
            let panicked = compile_only(&*isa, |_, _, _| panic!("no"));
            assert_eq!(panicked, Err(CompileError::Panicked("no".into())), "{name}");
            let refused = compile_only(&*isa, |_, _, _| Err(CompileError::Host("no".into())));
            assert_eq!(refused, Err(CompileError::Host("no".into())), "{name}");
        }
    }
}
