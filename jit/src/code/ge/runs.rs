//! Copies of short runs, as the mirrors of VRAM order them.
//!
//! Source: psp-ge.md 1.1.

use picaflor_pipeline::guest_slice::GuestSlice;

/// Granularity in bytes at which every mirror is contiguous.
pub(crate) const RUN: usize = 32;
/// The same of the first mirror.
pub(crate) const RUN_OF_FIRST: usize = 64;
/// Bytes that are copied at once.
const STEP: usize = 32;

/// Copies runs of `BYTES`, a multiple of 32, between memories that share no byte: each from the first place in `from` to
/// the second one in `to`.
///
/// # Panics
/// If a run is not in the memory of its side.
#[inline]
pub(crate) fn copy_runs<const BYTES: usize>(
    from: GuestSlice<'_>,
    to: GuestSlice<'_>,
    runs: impl Iterator<Item = [usize; 2]>,
) {
    const { assert!(BYTES.is_multiple_of(STEP)) };
    if !to.is_writable() {
        return;
    }
    for [source, target] in runs {
        let inside =
            |place: usize, all: GuestSlice<'_>| place.checked_add(BYTES).is_some_and(|end| end <= all.len());
        assert!(inside(source, from) && inside(target, to), "{source} to {target}");
        #[cfg(target_arch = "x86_64")]
        // SAFETY: both runs lie in their memory, as checked above, and the second one is writable.
        unsafe {
            for at in (0..BYTES).step_by(STEP) {
                copy_step(from.as_ptr().add(source + at), to.as_ptr().cast_mut().add(target + at));
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        to.slice(target, BYTES).copy_forward(from.slice(source, BYTES));
    }
}

/// Copies 32 bytes; as assembly, because others may access them meanwhile.
///
/// # Safety
/// They are readable, and writable at their target.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn copy_step(from: *const u8, to: *mut u8) {
    // SAFETY: the moves access the promised bytes and no others, at any alignment; SSE2 is a part of x86-64.
    unsafe {
        std::arch::asm!(
            "movdqu {a}, [{from}]",
            "movdqu {b}, [{from} + 16]",
            "movdqu [{to}], {a}",
            "movdqu [{to} + 16], {b}",
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            from = in(reg) from,
            to = in(reg) to,
            options(nostack, preserves_flags),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::guest_slice::GuestBytes;

    #[test]
    fn runs_go_where_they_are_told() {
        let [from, to] = [(0..100).collect(), vec![0; 70]].map(GuestBytes::new);
        copy_runs::<RUN>(from.as_slice(), to.as_slice(), [[68, 1], [3, 38]].into_iter());
        let expected: Vec<u8> = [0].into_iter().chain(68..100).chain([0; 5]).chain(3..35).collect();
        assert_eq!(to.as_slice().to_vec(), expected);
        let to = GuestBytes::new(vec![0; 70]);
        copy_runs::<RUN_OF_FIRST>(from.as_slice(), to.as_slice(), [[35, 5]].into_iter());
        let expected: Vec<u8> = [0; 5].into_iter().chain(35..99).chain([0]).collect();
        assert_eq!(to.as_slice().to_vec(), expected);
        let read_only = GuestSlice::from_slice(&[7; 64]);
        copy_runs::<RUN>(from.as_slice(), read_only, [[0, 0]].into_iter());
        assert_eq!(read_only.to_vec(), [7; 64]);
    }

    #[test]
    #[should_panic(expected = "69 to 0")]
    fn a_run_past_the_end() {
        let [from, to] = [vec![0; 100], vec![0; 70]].map(GuestBytes::new);
        copy_runs::<RUN>(from.as_slice(), to.as_slice(), [[68, 0], [69, 0]].into_iter());
    }

    #[test]
    #[should_panic(expected = "0 to 39")]
    fn a_target_past_the_end() {
        let [from, to] = [vec![0; 100], vec![0; 70]].map(GuestBytes::new);
        copy_runs::<RUN>(from.as_slice(), to.as_slice(), [[0, 38], [0, 39]].into_iter());
    }
}
