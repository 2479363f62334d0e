//! The key of the code that draws fragments, in words.

use picaflor_pipeline::pica::regs::Registers;

/// The key, or why there is none.
#[cfg(not(target_family = "wasm"))]
pub(super) fn key(registers: &Registers) -> String {
    use picaflor_jit::keys::FragmentStateKey;
    FragmentStateKey::of(registers).map_or_else(|refusal| refusal.to_string(), |key| key.to_string())
}

/// Nothing: compiled code cannot run here.
#[cfg(target_family = "wasm")]
pub(super) const fn key(_: &Registers) -> String {
    String::new()
}
