//! Kinds of routines: the trait by which the core compiles, stores and loads the routines of the machines.
//!
//! Each machine implements [`RoutineKind`] for its keys, beside the code generators. The type of a key decides the
//! type of its routine. All kinds share one cache and one queue, where keys go by [`AnyKey`].

use crate::code::compile::Compiler;
use crate::code::routine::CodeBlock;
use crate::error::CompileError;
use picaflor_pipeline::hashing::Seeds;
use std::any::Any;
use std::fmt;
use std::hash::{BuildHasher as _, Hash, Hasher};
use std::sync::Arc;

/// Key of one kind of routines: the complete state that a routine is specialised on. Their text is the routine's
/// name.
pub(crate) trait RoutineKind: Clone + Eq + Hash + fmt::Display + Send + Sync + 'static {
    /// Callable code with the facts that its caller needs.
    type Routine: Any + Send + Sync;
    /// Input that the key refers to only by number: the program of a shader. `()` for self-contained keys.
    type Source: Clone + Send + 'static;

    /// Compiles the routine.
    ///
    /// # Errors
    /// The reason for a refusal.
    fn compile(&self, source: &Self::Source, compiler: &mut Compiler) -> Result<Self::Routine, CompileError>;

    /// False if compiling the routine takes so little time that a first version with worse code does not pay: see
    /// [`Effort::Adaptive`](crate::Effort::Adaptive).
    fn has_draft(&self) -> bool {
        true
    }

    /// True if compiling the routine takes some milliseconds at the most, whatever the key (measured: 0.6 on average in frames of
    /// games): who cannot go on without it makes it on its own thread, which wakes no other one.
    fn is_short(&self) -> bool {
        false
    }

    /// The machine code of a routine.
    fn code(routine: &Self::Routine) -> &Arc<CodeBlock>;

    /// The key as bytes that are stable across processes; `None` for a routine that is not stored.
    fn stored_key(&self, source: &Self::Source) -> Option<Vec<u8>>;

    /// The facts as bytes, which [`load`](Self::load) needs besides key and code.
    fn store(routine: &Self::Routine) -> Vec<u8>;

    /// Restores the routine of this key from its stored facts and code; `None` for invalid facts. Requests the code
    /// last.
    ///
    /// # Errors
    /// Those of `code`, and [`CompileError::Codegen`] when the code has another signature.
    fn load(
        &self,
        facts: &[u8],
        code: impl FnOnce() -> Result<Arc<CodeBlock>, CompileError>,
    ) -> Result<Option<Self::Routine>, CompileError>;
}

/// A key of any kind. Keys of different kinds are different.
pub(crate) trait AnyKey: Any + fmt::Display + Send + Sync {
    /// Equality of kind and value.
    fn equals(&self, other: &dyn AnyKey) -> bool;

    /// The hash.
    fn hash_word(&self) -> u64;
}

impl<K: RoutineKind> AnyKey for K {
    fn equals(&self, other: &dyn AnyKey) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }

    fn hash_word(&self) -> u64 {
        Seeds::default().hash_one(self)
    }
}

impl PartialEq for dyn AnyKey {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other)
    }
}

impl Eq for dyn AnyKey {}

impl Hash for dyn AnyKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash_word());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::key::TransformKey;
    use crate::pica::key::fragment::FragmentKey;
    use picaflor_pipeline::{ge, pica};

    #[test]
    fn keys_are_equal_within_their_kind_only() {
        let fragment = || FragmentKey::of(&pica::regs::Registers::default()).unwrap();
        let transform = || TransformKey::of(&ge::regs::Registers::default()).unwrap();
        let keys: [[Arc<dyn AnyKey>; 2]; 2] =
            [[Arc::new(fragment()), Arc::new(fragment())], [Arc::new(transform()), Arc::new(transform())]];
        for [one, same] in &keys {
            assert!(**one == **same && one.hash_word() == same.hash_word());
        }
        assert!(*keys[0][0] != *keys[1][0]);
    }
}
