//! Kinds of routines: the one trait by which the core makes, stores and loads what the machines compile.
//!
//! Each machine implements [`RoutineKind`] for its keys, beside what it compiles. The type of a key decides the type of
//! its routine. All kinds share one cache and one queue, where keys go by [`AnyKey`].

use crate::cache::WordHasher;
use crate::code::compile::Compiler;
use crate::code::routine::CodeBlock;
use crate::error::CompileError;
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Keys of one kind of routines: everything that a routine is specialised on. Their text is the routine's name.
pub(crate) trait RoutineKind: Clone + Eq + Hash + fmt::Display + Send + Sync + 'static {
    /// Code that can be called, with the facts that its caller has to know.
    type Routine: Any + Send + Sync;
    /// What the key names by a number only: the program of a shader. `()` where the key says all.
    type Source: Clone + Send + 'static;

    /// Compiles the routine.
    ///
    /// # Errors
    /// Why there is none.
    fn compile(&self, source: &Self::Source, compiler: &mut Compiler) -> Result<Self::Routine, CompileError>;

    /// The machine code of a routine.
    fn code(routine: &Self::Routine) -> &Arc<CodeBlock>;

    /// The key as bytes that mean the same in every process; `None` for a routine that is not stored.
    fn stored_key(&self, source: &Self::Source) -> Option<Vec<u8>>;

    /// What [`load`](Self::load) needs besides key and code: the facts as bytes.
    fn store(routine: &Self::Routine) -> Vec<u8>;

    /// The routine of this key from what was stored; `None` where its facts make no sense. Asks for the code last.
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
    /// Whether the other key is of the same kind and equal.
    fn equals(&self, other: &dyn AnyKey) -> bool;

    /// The hash.
    fn hash_word(&self) -> u64;
}

impl<K: RoutineKind> AnyKey for K {
    fn equals(&self, other: &dyn AnyKey) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }

    fn hash_word(&self) -> u64 {
        let mut hasher = WordHasher::default();
        self.hash(&mut hasher);
        hasher.finish()
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
