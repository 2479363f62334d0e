//! The list of routines that debuggers read.
//!
//! Interface: "JIT Compilation Interface" in the manual of GDB. A process has one list of object files in
//! memory. A debugger finds it by the name of [`__jit_debug_descriptor`] and stops in
//! [`__jit_debug_register_code`] to learn of changes; one that attaches later reads the whole list. Every
//! compiler in a process that follows the interface needs the two symbols, and there can be only one of each:
//! hence the feature.

use std::cell::UnsafeCell;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError};

const VERSION: u32 = 1;

/// Last change of the list; numbers of the interface.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Action {
    None = 0,
    Register = 1,
    Unregister = 2,
}

/// `jit_code_entry`.
#[repr(C)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    object: *const u8,
    object_bytes: u64,
}

/// `jit_descriptor`.
#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

/// A descriptor that is written under [`LIST`] only.
#[repr(transparent)]
pub(crate) struct Shared(UnsafeCell<Descriptor>);

// SAFETY: this file reads and writes the descriptor while it holds `LIST`; a debugger does so while the whole
// process stands still.
unsafe impl Sync for Shared {}

/// Guards the descriptor and the links of all entries.
static LIST: Mutex<()> = Mutex::new(());

/// Head of the list for debuggers. The interface defines the name.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub(crate) static __jit_debug_descriptor: Shared = Shared(UnsafeCell::new(Descriptor {
    version: VERSION,
    action: Action::None as u32,
    relevant: ptr::null_mut(),
    first: ptr::null_mut(),
}));

/// Breakpoint location for debuggers. The interface defines the name. The body is empty but opaque, so that the
/// compiler elides neither the call nor the writes before it.
#[unsafe(no_mangle)]
#[inline(never)]
pub(crate) extern "C" fn __jit_debug_register_code() {
    std::hint::black_box(&raw const __jit_debug_descriptor);
}

/// Registration of an object with debuggers, until it is dropped.
#[derive(Debug)]
pub(crate) struct Registration {
    entry: NonNull<Entry>,
    /// Target of the pointer in the entry.
    _object: Box<[u8]>,
}

// SAFETY: the entry is touched under `LIST` only, and the object is not changed.
unsafe impl Send for Registration {}
// SAFETY: as above; nothing can be done through a shared handle.
unsafe impl Sync for Registration {}

impl Registration {
    /// Registers an object file with debuggers. Without a debugger this costs a few writes.
    pub(crate) fn new(object: Box<[u8]>) -> Self {
        let _list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        let descriptor = __jit_debug_descriptor.0.get();
        // SAFETY: the lock makes this the only user of the descriptor and of all entries, and those that are
        // linked are alive: dropping a registration takes its entry out first. `object` is on the heap, where
        // it stays when the box moves.
        unsafe {
            let first = (*descriptor).first;
            let entry = Box::into_raw(Box::new(Entry {
                next: first,
                previous: ptr::null_mut(),
                object: object.as_ptr(),
                object_bytes: object.len() as u64,
            }));
            if !first.is_null() {
                (*first).previous = entry;
            }
            (*descriptor).first = entry;
            tell(Action::Register, entry);
            Self { entry: NonNull::new_unchecked(entry), _object: object }
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let _list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        let (descriptor, entry) = (__jit_debug_descriptor.0.get(), self.entry.as_ptr());
        // SAFETY: as in `new`. The entry was made by `Box::into_raw` there, and nothing links to it any more
        // when it is freed.
        unsafe {
            let Entry { next, previous, .. } = *entry;
            if !next.is_null() {
                (*next).previous = previous;
            }
            match previous.is_null() {
                true => (*descriptor).first = next,
                false => (*previous).next = next,
            }
            tell(Action::Unregister, entry);
            drop(Box::from_raw(entry));
        }
    }
}

/// Notifies debuggers of an entry that was added to or removed from the list. Afterwards the descriptor says that
/// nothing changed: a debugger that attaches later must not find an entry that is gone.
///
/// # Safety
/// The caller holds [`LIST`], and `entry` is alive.
unsafe fn tell(action: Action, entry: *mut Entry) {
    let descriptor = __jit_debug_descriptor.0.get();
    // SAFETY: the caller holds the lock.
    unsafe {
        (*descriptor).action = action as u32;
        (*descriptor).relevant = entry;
    }
    __jit_debug_register_code();
    // SAFETY: as above.
    unsafe {
        (*descriptor).action = Action::None as u32;
        (*descriptor).relevant = ptr::null_mut();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile::tests::{store, stored};
    use crate::code::compile::{Compiler, host_isa, host_isa_for_debuggers};
    use crate::code::memory::{Arena, MappingScheme};
    use crate::code::routine::Routine;
    use crate::cpu_level::CpuLevel;

    /// Tests share the process's list.
    static ALONE: Mutex<()> = Mutex::new(());

    /// Every registered object, as a debugger that attaches would read it, links checked.
    fn objects() -> Vec<Vec<u8>> {
        let _list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        let mut objects = Vec::new();
        // SAFETY: the list is locked, and what is linked in it is alive.
        unsafe {
            let descriptor = __jit_debug_descriptor.0.get();
            assert_eq!((*descriptor).version, 1);
            let (mut previous, mut entry) = (ptr::null_mut(), (*descriptor).first);
            while !entry.is_null() {
                assert_eq!((*entry).previous, previous);
                let length = (*entry).object_bytes as usize;
                objects.push(std::slice::from_raw_parts((*entry).object, length).to_vec());
                (previous, entry) = (entry, (*entry).next);
            }
        }
        objects
    }

    fn compiler(debugged: bool) -> Compiler {
        let isa = if debugged { host_isa_for_debuggers(CpuLevel::Host) } else { host_isa(CpuLevel::Host) };
        Compiler::new(isa.unwrap(), Arena::new(MappingScheme::default(), 1 << 20))
    }

    fn names(routine: &Routine<i64>, object: &[u8]) -> bool {
        let name = format!("\0{}\0", routine.code().name());
        object.starts_with(b"\x7fELF") && object.windows(name.len()).any(|part| part == name.as_bytes())
    }

    #[test]
    fn the_list_holds_an_object_of_each_routine_while_it_lives() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let before = objects().len();
        let mut compiler = compiler(true);
        let mut routines: Vec<_> =
            (0..5).map(|value| store(&mut compiler, 1000 + value, 10).unwrap()).collect();
        let listed = objects();
        assert_eq!(listed.len(), before + 5);
        for (routine, object) in routines.iter().rev().zip(&listed) {
            assert!(names(routine, object), "the newest is the first");
        }
        // From the middle, from the end and from the beginning of the list.
        for index in [2, 0, 2] {
            let gone = routines.remove(index);
            assert!(objects().iter().any(|object| names(&gone, object)));
            drop(gone.clone());
            assert!(objects().iter().any(|object| names(&gone, object)), "another handle keeps it");
            let name = gone.code().name().to_owned();
            drop(gone);
            assert_eq!(objects().len(), before + routines.len());
            assert!(
                !objects()
                    .iter()
                    .any(|object| object.windows(name.len()).any(|part| part == name.as_bytes()))
            );
        }
        for routine in &routines {
            assert!(objects().iter().any(|object| names(routine, object)));
            assert_eq!(format!("store_{}", stored(routine)), routine.code().name());
        }
        drop(routines);
        assert_eq!(objects().len(), before);
    }

    #[test]
    fn nothing_is_listed_unless_it_is_wanted() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let before = objects().len();
        let routine = store(&mut compiler(false), 7, 10).unwrap();
        assert_eq!((objects().len(), stored(&routine)), (before, 7));
    }

    #[test]
    fn code_is_the_same_with_and_without() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let [with, without] = [true, false].map(|debugged| store(&mut compiler(debugged), 7, 100).unwrap());
        assert_eq!(with.code().bytes(), without.code().bytes());
    }

    #[test]
    fn threads_register_and_unregister_at_once() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let before = objects().len();
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                scope.spawn(move || {
                    let mut kept = Vec::new();
                    for round in 0..200_usize {
                        kept.push(Registration::new(vec![thread; 1 + round].into()));
                        if round % 3 == 2 {
                            kept.swap_remove(round % kept.len());
                        }
                        objects();
                    }
                });
            }
        });
        assert_eq!(objects().len(), before);
    }
}
