//! Pointers from C. Unsafe code; see also [`memory`](crate::memory) and [`handle`](crate::handle).
//!
//! Each type here stands for one promise that `picaflor.h` asks of its caller: a pointer is NULL, or points to what
//! its declaration says, readable (or writable) for as long as the header says, and not accessed by other code
//! meanwhile. What can be checked is checked: NULL, alignment, lengths, sizes of structures.
//!
//! Rust code constructs none of them for reading, so C alone makes these promises.

use crate::status::Failure;
use std::ffi::{CStr, c_char};

/// Types for which every bit pattern is a value, and whose values C may copy.
///
/// # Safety
/// As said; all-zero bytes are a value too.
pub(crate) unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),*) => {
        // SAFETY: integers, floats and arrays of them have no invalid values; those of type `bool` or with
        // padding are not among them.
        $(unsafe impl Plain for $type {})*
    };
}
plain!(u8, i8, i32, u32, u64, usize, f32, f64);
// SAFETY: the values of an array follow each other without padding, and each is one of a plain type.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

macro_rules! pointer {
    ($($wrapper:ident),*) => {$(
        impl<T> Clone for $wrapper<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $wrapper<T> {}
        // SAFETY: any address is a value of a pointer, and the wrapper is transparent.
        unsafe impl<T> Plain for $wrapper<T> {}
    )*};
}
pointer!(In, Fill, Array, Room);

// SAFETY: any address is a value of a pointer.
unsafe impl<T> Plain for *mut T {}
// SAFETY: as for the other pointers.
unsafe impl Plain for Text {}
// SAFETY: as for the other pointers.
unsafe impl Plain for User {}
// SAFETY: a function pointer that may be NULL; C promises that others point to functions of their type.
unsafe impl<R> Plain for Option<extern "C" fn(User, u32, u32) -> R> {}
// SAFETY: as above.
unsafe impl<A, R> Plain for Option<extern "C" fn(User, u32, u32, *mut A) -> R> {}
// SAFETY: as above.
unsafe impl<A> Plain for Option<extern "C" fn(User, *const A)> {}
// SAFETY: as above.
unsafe impl<A, B> Plain for Option<extern "C" fn(User, *const A, *mut B)> {}

/// A structure that begins with its own size, so that it may grow: members unknown to the caller are zero, which is
/// their default.
///
/// # Safety
/// `repr(C)`, the first member is a `usize`, and every member is [`Plain`].
pub(crate) unsafe trait Growing: Copy {
    /// True if a structure of this size ends inside of a member, as no version does: part of a pointer would be read.
    fn ends_inside_a_member(size: usize) -> bool;
}

/// Defines structures of the header. Every member has to be [`Plain`]. `growing` adds the member `size`.
macro_rules! c_struct {
    (growing $(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub(crate) struct $name {
            /// Size of the structure in the caller's version, in bytes.
            pub(crate) size: usize,
            $($(#[$field_doc])* pub(crate) $field: $type,)*
        }
        const _: () = { const fn plain<T: crate::raw::Plain>() {} $(plain::<$type>();)* };
        // SAFETY: `repr(C)`, `size` comes first, and all others are plain, as the line above demands.
        unsafe impl crate::raw::Growing for $name {
            fn ends_inside_a_member(size: usize) -> bool {
                [$((std::mem::offset_of!($name, $field), size_of::<$type>()),)*]
                    .iter()
                    .any(|(first, bytes)| (first + 1..first + bytes).contains(&size))
            }
        }
        // SAFETY: as above.
        unsafe impl crate::raw::Plain for $name {}
        crate::raw::c_struct!(layout $name { size, $($field,)* });
    };
    (fixed $(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub(crate) struct $name {
            $($(#[$field_doc])* pub(crate) $field: $type,)*
        }
        const _: () = { const fn plain<T: crate::raw::Plain>() {} $(plain::<$type>();)* };
        // SAFETY: all members are plain, as the line above demands.
        unsafe impl crate::raw::Plain for $name {}
        crate::raw::c_struct!(layout $name { $($field,)* });
    };
    (layout $name:ident { $($field:ident,)* }) => {
        #[cfg(test)]
        impl $name {
            /// Size, and name and offset of every member, for comparison with a C compiler.
            pub(crate) fn layout() -> (usize, Vec<(&'static str, usize)>) {
                (size_of::<Self>(), vec![$((stringify!($field), std::mem::offset_of!(Self, $field)),)*])
            }
        }
    };
}
pub(crate) use c_struct;

/// Upper bound of the size of any structure, in bytes.
const LARGEST_STRUCT: usize = 4096;

/// All bytes zero.
fn zeroed<T: Plain>() -> T {
    // SAFETY: zeros are a value of every plain type.
    unsafe { std::mem::zeroed() }
}

/// `const T *`: a structure that is read once.
#[repr(transparent)]
pub(crate) struct In<T>(*const T);

impl<T: Growing + Plain> In<T> {
    /// Reads the structure; members unknown to the caller are zero.
    pub(crate) fn read(&self, what: &str) -> Result<T, Failure> {
        let size = size_member(self.0, what)?;
        let bytes = self.0.cast::<u8>();
        let mut value = zeroed::<T>();
        let known = size.min(size_of::<T>());
        // SAFETY: C promises `size` readable bytes. `value` has at least `known`, and any bytes will do for it.
        unsafe { bytes.copy_to_nonoverlapping((&raw mut value).cast(), known) };
        // SAFETY: the same `size` bytes; these lie behind those that this version knows.
        let unknown = unsafe { std::slice::from_raw_parts(bytes.add(known), size - known) };
        if unknown.iter().any(|&byte| byte != 0) {
            return Err(Failure::size(format!("{what} has members set that this version does not know")));
        }
        Ok(value)
    }

    /// True for NULL.
    pub(crate) const fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Reads the structure; all zeros for NULL.
    pub(crate) fn read_or_default(&self, what: &str) -> Result<T, Failure> {
        if self.0.is_null() { Ok(zeroed()) } else { self.read(what) }
    }
}

/// `T *`: a growing structure that is filled; `size` is the caller's.
#[repr(transparent)]
pub(crate) struct Fill<T>(*mut T);

impl<T: Growing + Plain> Fill<T> {
    /// Checks the structure, to be called before any work.
    pub(crate) fn check(&self, what: &str) -> Result<(), Failure> {
        size_member(self.0.cast_const(), what).map(|_| ())
    }

    /// Reads the structure as filled in by the caller.
    pub(crate) fn read(&self, what: &str) -> Result<T, Failure> {
        In(self.0.cast_const()).read(what)
    }

    /// Writes the members known to the caller, except `size`; members unknown to this version become zero.
    pub(crate) fn write(&self, value: &T, what: &str) -> Result<(), Failure> {
        let size = size_member(self.0.cast_const(), what)?;
        let first = size_of::<usize>();
        let known = size.min(size_of::<T>());
        let (target, source) = (self.0.cast::<u8>(), (&raw const *value).cast::<u8>());
        // SAFETY: C promises `size` writable bytes; `value` has at least `known`, and is not C's.
        unsafe {
            source.add(first).copy_to_nonoverlapping(target.add(first), known - first);
            target.add(known).write_bytes(0, size - known);
        }
        Ok(())
    }
}

/// Checks a structure that begins with its size, and returns the size.
fn size_member<T: Growing>(structure: *const T, what: &str) -> Result<usize, Failure> {
    let structure = structure.cast::<usize>();
    check(structure, what)?;
    // SAFETY: neither NULL nor misaligned, and C promises a structure that begins with its size.
    let size = unsafe { structure.read() };
    if !(size_of::<usize>()..=LARGEST_STRUCT).contains(&size) || T::ends_inside_a_member(size) {
        return Err(Failure::size(format!("{what}: size is {size}; set it to sizeof of the structure")));
    }
    Ok(size)
}

/// Refuses a reserved member that is set: a later version may give it a meaning.
pub(crate) fn check_reserved(reserved: u32, what: &str) -> Result<(), Failure> {
    if reserved == 0 { Ok(()) } else { Err(Failure::argument(format!("{what}.reserved is 0"))) }
}

/// Neither NULL nor misaligned.
fn check<T>(pointer: *const T, what: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::null(what));
    }
    if !pointer.is_aligned() {
        return Err(Failure::argument(format!("{what} is not aligned")));
    }
    Ok(())
}

/// `T *`: one value that the call writes.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T: Plain> Out<T> {
    /// Writes it.
    pub(crate) fn put(&self, value: T, what: &str) -> Result<(), Failure> {
        check(self.0, what)?;
        self.put_if_wanted(value);
        Ok(())
    }

    /// Writes it, unless the pointer is NULL.
    pub(crate) fn put_if_wanted(&self, value: T) {
        if !self.0.is_null() && self.0.is_aligned() {
            // SAFETY: C promises room for one value.
            unsafe { self.0.write(value) };
        }
    }
}

/// `const T *` and a number: values that are read.
#[repr(transparent)]
pub(crate) struct Array<T>(*const T);

impl<T: Plain> Array<T> {
    /// The values. None are needed for a length of 0.
    pub(crate) fn slice(&self, length: usize, what: &str) -> Result<&[T], Failure> {
        if length == 0 {
            return Ok(&[]);
        }
        check(self.0, what)?;
        if length.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(Failure::argument(format!("{what}: {length} of them are too many")));
        }
        // SAFETY: C promises `length` values, which nobody changes during the call, and every bit pattern is
        // one. They fit into the address space.
        Ok(unsafe { std::slice::from_raw_parts(self.0, length) })
    }

    /// Values for reading by C.
    pub(crate) const fn lent(values: *const T) -> Self {
        Self(values)
    }

    /// True for NULL.
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

/// Values that C may read and write until its callback returns.
pub(crate) const fn lent_mut<T: Plain>(values: &mut [T]) -> *mut T {
    values.as_mut_ptr()
}

/// The bytes of values without padding.
pub(crate) fn bytes_of(values: &[[f32; 4]]) -> &[u8] {
    // SAFETY: floats are bytes without padding, borrowed as long as the result.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// `T *` and a number: room for values that the call writes.
#[repr(transparent)]
pub(crate) struct Room<T>(*mut T);

impl<T: Plain> Room<T> {
    /// Checks the capacity, to be called before any work.
    pub(crate) fn check(&self, capacity: usize, what: &str) -> Result<(), Failure> {
        if capacity == 0 { Ok(()) } else { check(self.0, what) }
    }

    /// Writes as many of the values as there is room for.
    pub(crate) fn put(&self, capacity: usize, values: &[T], what: &str) -> Result<(), Failure> {
        let count = capacity.min(values.len());
        if count == 0 {
            return Ok(());
        }
        check(self.0, what)?;
        // SAFETY: C promises room for `capacity` values, none of which are this library's.
        unsafe { values.as_ptr().copy_to_nonoverlapping(self.0, count) };
        Ok(())
    }

    /// The room itself, for results that are written in place.
    pub(crate) fn slice(&mut self, capacity: usize, what: &str) -> Result<&mut [T], Failure> {
        if capacity == 0 {
            return Ok(&mut []);
        }
        check(self.0, what)?;
        if capacity > isize::MAX as usize / size_of::<T>().max(1) {
            return Err(Failure::argument(format!("{what}: {capacity} is no number of values in memory")));
        }
        // SAFETY: C promises room for `capacity` values, none of which are this library's or used meanwhile; any bytes
        // are a value.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.0, capacity) })
    }

    /// The address, for memory of the guest.
    pub(crate) const fn as_ptr(&self) -> *mut T {
        self.0
    }
}

/// `const char *`: text in UTF-8, ended by a zero byte.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Text(*const c_char);

impl Text {
    /// The text, `None` for NULL.
    pub(crate) fn get(&self, what: &str) -> Result<Option<&str>, Failure> {
        if self.0.is_null() {
            return Ok(None);
        }
        // SAFETY: C promises text that is ended by a zero byte and that nobody changes during the call.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map(Some).map_err(|_| Failure::argument(format!("{what} is not UTF-8")))
    }
}

/// `void *user`: handed back to C's callbacks as it came.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct User(*mut std::ffi::c_void);

// SAFETY: never dereferenced here; the header says on which threads callbacks are called.
unsafe impl Send for User {}
// SAFETY: as for `Send`.
unsafe impl Sync for User {}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A structure of zeros.
    pub(crate) fn zero<T: Plain>() -> T {
        zeroed()
    }

    /// A structure as C would pass it: `T` begins with a structure of the header.
    pub(crate) fn input<S, T: Growing>(structure: &S) -> In<T> {
        In((&raw const *structure).cast())
    }

    /// The same, to be filled.
    pub(crate) fn fill<S, T: Growing>(structure: &mut S) -> Fill<T> {
        Fill((&raw mut *structure).cast())
    }

    #[test]
    fn null_and_misaligned_pointers() {
        let words = [1_u32, 2];
        let array = Array(words.as_ptr());
        assert_eq!(array.slice(2, "words").expect("an array"), [1, 2]);
        let misaligned = Array(words.as_ptr().cast::<u8>().wrapping_add(1).cast::<u32>());
        assert!(misaligned.slice(1, "words").is_err());
        assert!(Array::<u32>(std::ptr::null()).slice(1, "words").is_err());
        assert!(Array::<u32>(std::ptr::null()).slice(0, "words").is_ok());
        assert!(array.slice(usize::MAX / 4, "words").is_err());
        assert!(Out::<u32>(std::ptr::null_mut()).put(1, "word").is_err());
        assert!(Text(c"\xff".as_ptr()).get("text").is_err());
    }
}
