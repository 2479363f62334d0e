//! Workers.
pub(crate) const MOST_THREADS: usize = 64;
