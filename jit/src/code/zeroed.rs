//! Zeroed memory that may be refused.

use std::alloc::{Layout, alloc_zeroed};

/// So many zeros, in pages that the system clears when they are touched; `None` if it has no memory for them.
pub(crate) fn try_zeroed(count: usize) -> Option<Vec<u32>> {
    let layout = Layout::array::<u32>(count).ok()?;
    if layout.size() == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the size is not 0.
    let start = unsafe { alloc_zeroed(layout) };
    // SAFETY: the memory was allocated, as a vector allocates it, for `count` words, which are all zero.
    (!start.is_null()).then(|| unsafe { Vec::from_raw_parts(start.cast(), count, count) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_or_nothing() {
        for count in [0, 1, 1000, 1 << 20] {
            assert_eq!(try_zeroed(count), Some(vec![0; count]));
        }
        // More than there are addresses, and more than any system has.
        assert_eq!(try_zeroed(usize::MAX), None);
        assert_eq!(try_zeroed(isize::MAX as usize / 4), None);
    }
}
