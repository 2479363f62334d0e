//! Pages of one routine: written first, executable and unwritable afterwards.

#[cfg(all(target_os = "macos", target_arch = "aarch64"))]
pub(super) use apple::{Executable, Writable};
#[cfg(not(all(target_os = "macos", target_arch = "aarch64")))]
pub(super) use switched::{Executable, Writable};

/// Protections are switched, once.
#[cfg(not(all(target_os = "macos", target_arch = "aarch64")))]
mod switched {
    use memmap2::{Mmap, MmapMut};
    use std::io;

    #[derive(Debug)]
    pub(in crate::code) struct Writable(MmapMut);

    impl Writable {
        /// Fresh pages for `length` bytes.
        pub(in crate::code) fn map(length: usize) -> io::Result<Self> {
            MmapMut::map_anon(length).map(Self)
        }

        pub(in crate::code) fn bytes(&mut self) -> &mut [u8] {
            &mut self.0
        }

        pub(in crate::code) fn make_executable(self) -> io::Result<Executable> {
            self.0.make_exec().map(Executable)
        }
    }

    #[derive(Debug)]
    pub(in crate::code) struct Executable(Mmap);

    impl Executable {
        pub(in crate::code) fn as_ptr(&self) -> *const u8 {
            self.0.as_ptr()
        }
    }
}

/// Apple's processors: pages of `MAP_JIT`, the only ones in which a program with the hardened runtime may run code of
/// its own. The system grants write or execute permission per thread: a thread that writes executes none of these
/// pages, and no other thread writes them. So bytes are collected elsewhere, and a thread has write permission only
/// while it copies them. Source: Apple, "Porting just-in-time compilers to Apple silicon". Compiled, but never run.
#[cfg(all(target_os = "macos", target_arch = "aarch64"))]
mod apple {
    use memmap2::MmapMut;
    use std::io;
    use std::ptr::NonNull;

    #[derive(Debug)]
    pub(in crate::code) struct Writable(MmapMut);

    impl Writable {
        /// Room for `length` bytes.
        pub(in crate::code) fn map(length: usize) -> io::Result<Self> {
            MmapMut::map_anon(length).map(Self)
        }

        pub(in crate::code) fn bytes(&mut self) -> &mut [u8] {
            &mut self.0
        }

        pub(in crate::code) fn make_executable(self) -> io::Result<Executable> {
            let pages = Executable::map(self.0.len())?;
            // SAFETY: until the second call this thread runs nothing but the copy, so no code of such pages; the
            // mapping is as long as the bytes, new, and nobody else knows of it.
            unsafe {
                libc::pthread_jit_write_protect_np(0);
                std::ptr::copy_nonoverlapping(self.0.as_ptr(), pages.start.as_ptr(), self.0.len());
                libc::pthread_jit_write_protect_np(1);
            }
            Ok(pages)
        }
    }

    /// A mapping of `MAP_JIT`, unmapped when dropped.
    #[derive(Debug)]
    pub(in crate::code) struct Executable {
        start: NonNull<u8>,
        length: usize,
    }

    // SAFETY: a mapping may be used from any thread.
    unsafe impl Send for Executable {}
    // SAFETY: as above; nothing is written through a shared reference.
    unsafe impl Sync for Executable {}

    impl Executable {
        fn map(length: usize) -> io::Result<Self> {
            let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_JIT;
            // SAFETY: a new mapping anywhere; nothing that exists is touched.
            let start = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0) };
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            NonNull::new(start.cast())
                .map(|start| Self { start, length })
                .ok_or_else(|| io::ErrorKind::OutOfMemory.into())
        }

        pub(in crate::code) fn as_ptr(&self) -> *const u8 {
            self.start.as_ptr()
        }
    }

    impl Drop for Executable {
        fn drop(&mut self) {
            // SAFETY: the mapping is ours, and a routine that runs holds it.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}
