//! File access without privileges, for tests.

/// Switches the calling thread to the user `nobody` for file access, until its end; other threads are unaffected.
pub(crate) fn become_nobody() {
    // SAFETY: the call has no requirements; it changes an attribute of this thread in the kernel.
    unsafe { libc::setfsuid(65_534) };
}
