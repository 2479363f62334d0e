//! Owning handles of compiled code.

use super::fp_mode::{self, FpMode};
#[cfg(feature = "gdb")]
use super::gdb::Registration;
use super::memory::Region;
use crate::error::CompileError;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// One compiled function. Its memory is free for reuse when the last handle is dropped.
#[derive(Debug)]
pub(crate) struct CodeBlock {
    /// Field order: dropped before the code.
    #[cfg(feature = "gdb")]
    _registration: Option<Registration>,
    region: Region,
    name: Box<str>,
    takes_one_pointer: bool,
}

impl CodeBlock {
    /// `takes_one_pointer`: the signature is one pointer in, nothing out, in the host's C convention.
    pub(super) fn new(region: Region, name: &str, takes_one_pointer: bool) -> Self {
        Self {
            #[cfg(feature = "gdb")]
            _registration: None,
            region,
            name: name.into(),
            takes_one_pointer,
        }
    }

    /// Attaches the registration with debuggers.
    #[cfg(feature = "gdb")]
    pub(super) fn registered(self, registration: Registration) -> Self {
        Self { _registration: Some(registration), ..self }
    }

    /// Address of the first instruction.
    pub(crate) fn entry(&self) -> *const u8 {
        self.region.start()
    }

    /// Length of the code, constants included, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.region.bytes().len()
    }

    /// Bytes charged to the budget of the arena.
    pub(crate) fn charged(&self) -> usize {
        self.region.charged()
    }

    /// The machine code.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.region.bytes()
    }

    /// The symbol shown by profilers.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// A compiled function of one pointer to `C`. Keeps its code alive; callable from any thread.
pub(crate) struct Routine<C> {
    entry: fp_mode::Entry,
    code: Arc<CodeBlock>,
    call: PhantomData<fn(&mut C)>,
}

impl<C> Routine<C> {
    /// A typed handle on `code`.
    ///
    /// # Errors
    /// [`CompileError::Codegen`] when the function's signature is not one pointer in the host's C convention.
    ///
    /// # Safety
    /// The code must treat its argument as a pointer to a `C`, and must touch no other memory than that `C` and
    /// what [`Routine::run`]'s caller vouches for.
    pub(crate) unsafe fn new(code: Arc<CodeBlock>) -> Result<Self, CompileError> {
        if !code.takes_one_pointer {
            return Err(CompileError::Codegen(format!("{} does not take one pointer", code.name)));
        }
        // SAFETY: `entry` is the start of a whole function that was published with this signature, and stays
        // executable as long as `code`, which is kept beside it.
        let entry = unsafe { std::mem::transmute::<*const u8, fp_mode::Entry>(code.entry()) };
        Ok(Self { entry, code, call: PhantomData })
    }

    /// Runs the routine in the given floating-point mode; the caller's mode is restored.
    ///
    /// # Safety
    /// Every pointer in `call` must be valid, for the accesses that the routine's generator documents, until
    /// this returns. What it writes outside of guest memory must not be accessed by anyone else meanwhile; for guest memory
    /// the rule of `pipeline/docs/threat-model.md` holds (who may write guest memory).
    pub(crate) unsafe fn run(&self, call: &mut C, mode: FpMode) {
        // SAFETY: `entry` has the called signature and `self.code` keeps it mapped (see `new`); `call` is a
        // live, unique `C`; the caller vouches for what it points to. Generated code cannot unwind.
        unsafe { fp_mode::call(mode, self.entry, (&raw mut *call).cast()) }
    }

    /// The code behind the handle.
    pub(crate) fn code(&self) -> &Arc<CodeBlock> {
        &self.code
    }
}

impl<C> Clone for Routine<C> {
    fn clone(&self) -> Self {
        Self { entry: self.entry, code: Arc::clone(&self.code), call: PhantomData }
    }
}

impl<C> fmt::Debug for Routine<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routine").field("name", &self.code.name()).field("size", &self.code.size()).finish()
    }
}
