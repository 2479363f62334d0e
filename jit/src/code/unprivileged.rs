//! Files as somebody without rights sees them, for tests.

/// The calling thread opens files as the user `nobody` from now on, and has to end so; the others stay who they are.
pub(crate) fn become_nobody() {
    // SAFETY: the call has no requirements; it changes an attribute of this thread in the kernel.
    unsafe { libc::setfsuid(65_534) };
}
