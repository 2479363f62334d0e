//! Copies, fills and comparisons of many bytes that others may access meanwhile.
//!
//! Accesses of Rust that race are undefined, and so are atomic ones of different sizes; those of inline assembly are what the
//! processor makes of them. A vector move reads or writes each of its bytes once, as relaxed atomic bytes would be, in chunks
//! instead of one by one. Other processors get relaxed bytes, and so does Miri, which knows no assembly.

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
use std::arch::asm;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Bytes that are read before they are written, at most.
pub(super) const CHUNK: usize = 64;

/// A size that holds whole values of 1, 2, 3 and 4 bytes and whole pages: copies of it between two of its multiples
/// find both sides aligned alike.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const SEED: usize = 3 * 4096;

/// Copies `count` bytes in ascending order, in chunks of at most [`CHUNK`] bytes.
///
/// # Safety
/// `from` has `count` readable bytes, `to` has `count` writable ones. Whoever else accesses them keeps to the rule for
/// [guest memory](super::GuestSlice::from_raw).
// Not inlined: its moves have the old encoding, and the caller may be code for wider vectors, which the compiler then
// separates.
#[inline(never)]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, count: usize) {
    let mut done = 0;
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        while count - done >= CHUNK {
            // SAFETY: `done + CHUNK` is at most `count`, the promised bytes.
            unsafe { copy_chunk(from.add(done), to.add(done)) }
            done += CHUNK;
        }
        while count - done >= 8 {
            // SAFETY: as above, for 8 bytes.
            unsafe { copy_word(from.add(done), to.add(done)) }
            done += 8;
        }
    }
    while done < count {
        // SAFETY: `done` is below `count`; `AtomicU8` has the layout of `u8`.
        unsafe {
            let byte = (*from.add(done).cast::<AtomicU8>()).load(Relaxed);
            (*to.add(done).cast::<AtomicU8>()).store(byte, Relaxed);
        }
        done += 1;
    }
}

/// Copies [`CHUNK`] bytes; all are read before the first is written.
///
/// # Safety
/// As for [`copy`].
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
unsafe fn copy_chunk(from: *const u8, to: *mut u8) {
    // SAFETY: the moves access the promised bytes and no others, at any alignment.
    unsafe {
        asm!(
            "movdqu {a}, [{from}]",
            "movdqu {b}, [{from} + 16]",
            "movdqu {c}, [{from} + 32]",
            "movdqu {d}, [{from} + 48]",
            "movdqu [{to}], {a}",
            "movdqu [{to} + 16], {b}",
            "movdqu [{to} + 32], {c}",
            "movdqu [{to} + 48], {d}",
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            from = in(reg) from,
            to = in(reg) to,
            options(nostack, preserves_flags),
        );
    }
}

/// Copies 8 bytes.
///
/// # Safety
/// As for [`copy`].
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
unsafe fn copy_word(from: *const u8, to: *mut u8) {
    // SAFETY: as for `copy_chunk`.
    unsafe {
        asm!(
            "mov {word}, qword ptr [{from}]",
            "mov qword ptr [{to}], {word}",
            word = out(reg) _,
            from = in(reg) from,
            to = in(reg) to,
            options(nostack, preserves_flags),
        );
    }
}

/// True if the bytes from `from` on are `bytes`. They are read in ascending order, none behind a chunk that differs.
///
/// # Safety
/// `from` has as many readable bytes. Whoever writes them meanwhile keeps to the rule for
/// [guest memory](super::GuestSlice::from_raw).
// Not inlined: as `copy`.
#[inline(never)]
pub(super) unsafe fn equals(from: *const u8, bytes: &[u8]) -> bool {
    let mut done = 0;
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        let (chunks, rest) = bytes.as_chunks::<CHUNK>();
        for chunk in chunks {
            // SAFETY: `done + CHUNK` is at most the length of `bytes`, the promised number.
            if !unsafe { equals_chunk(from.add(done), chunk) } {
                return false;
            }
            done += CHUNK;
        }
        for word in rest.as_chunks::<8>().0 {
            // SAFETY: as above, for 8 bytes.
            if unsafe { read_word(from.add(done)) } != u64::from_ne_bytes(*word) {
                return false;
            }
            done += 8;
        }
    }
    while done < bytes.len() {
        // SAFETY: `done` is below the length of `bytes`; `AtomicU8` has the layout of `u8`.
        let now = unsafe { (*from.add(done).cast::<AtomicU8>()).load(Relaxed) };
        if now != bytes[done] {
            return false;
        }
        done += 1;
    }
    true
}

/// True if the next [`CHUNK`] bytes are these.
///
/// # Safety
/// As for [`equals`].
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
unsafe fn equals_chunk(from: *const u8, chunk: &[u8; CHUNK]) -> bool {
    let equal: u32;
    // SAFETY: the moves read the promised bytes and the chunk, at any alignment, and no others.
    unsafe {
        asm!(
            "movdqu {a}, [{from}]",
            "movdqu {b}, [{from} + 16]",
            "movdqu {c}, [{from} + 32]",
            "movdqu {d}, [{from} + 48]",
            "movdqu {e}, [{chunk}]",
            "movdqu {f}, [{chunk} + 16]",
            "pcmpeqb {a}, {e}",
            "pcmpeqb {b}, {f}",
            "movdqu {e}, [{chunk} + 32]",
            "movdqu {f}, [{chunk} + 48]",
            "pcmpeqb {c}, {e}",
            "pcmpeqb {d}, {f}",
            "pand {a}, {b}",
            "pand {c}, {d}",
            "pand {a}, {c}",
            "pmovmskb {equal:e}, {a}",
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            e = out(xmm_reg) _,
            f = out(xmm_reg) _,
            equal = lateout(reg) equal,
            from = in(reg) from,
            chunk = in(reg) chunk.as_ptr(),
            options(nostack, preserves_flags, readonly),
        );
    }
    equal == 0xffff
}

/// True if the next [`CHUNK`] bytes are these.
///
/// # Safety
/// As for [`equals`].
#[cfg(all(target_arch = "aarch64", not(miri)))]
#[inline]
unsafe fn equals_chunk(from: *const u8, chunk: &[u8; CHUNK]) -> bool {
    let mut now = [0_u64; 8];
    let [a, b, c, d, e, f, g, h] = &mut now;
    // SAFETY: the loads read the promised bytes and no others, at any alignment.
    unsafe {
        asm!(
            "ldp {a}, {b}, [{from}]",
            "ldp {c}, {d}, [{from}, 16]",
            "ldp {e}, {f}, [{from}, 32]",
            "ldp {g}, {h}, [{from}, 48]",
            a = out(reg) *a,
            b = out(reg) *b,
            c = out(reg) *c,
            d = out(reg) *d,
            e = out(reg) *e,
            f = out(reg) *f,
            g = out(reg) *g,
            h = out(reg) *h,
            from = in(reg) from,
            options(nostack, preserves_flags, readonly),
        );
    }
    let differing = |(now, then): (u64, &[u8; 8])| now ^ u64::from_ne_bytes(*then);
    now.into_iter().zip(chunk.as_chunks::<8>().0).map(differing).fold(0, |all, bits| all | bits) == 0
}

/// The next 8 bytes.
///
/// # Safety
/// As for [`equals`].
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
#[inline]
unsafe fn read_word(from: *const u8) -> u64 {
    let word;
    // SAFETY: the load reads the promised bytes and no others, at any alignment.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!(
            "mov {word}, qword ptr [{from}]",
            word = lateout(reg) word,
            from = in(reg) from,
            options(nostack, preserves_flags, readonly),
        );
        #[cfg(target_arch = "aarch64")]
        asm!(
            "ldr {word}, [{from}]",
            word = lateout(reg) word,
            from = in(reg) from,
            options(nostack, preserves_flags, readonly),
        );
    }
    word
}

/// The next 4 bytes.
///
/// # Safety
/// As for [`equals`].
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
#[inline]
unsafe fn read_short_word(from: *const u8) -> u32 {
    let word;
    // SAFETY: as for `read_word`.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!(
            "mov {word:e}, dword ptr [{from}]",
            word = lateout(reg) word,
            from = in(reg) from,
            options(nostack, preserves_flags, readonly),
        );
        #[cfg(target_arch = "aarch64")]
        asm!(
            "ldr {word:w}, [{from}]",
            word = lateout(reg) word,
            from = in(reg) from,
            options(nostack, preserves_flags, readonly),
        );
    }
    word
}

/// The next `N` bytes: as words of 8 and 4 bytes as far as there are some.
///
/// # Safety
/// As for [`equals`].
#[inline]
pub(super) unsafe fn read<const N: usize>(from: *const u8) -> [u8; N] {
    let mut bytes = [0; N];
    let mut done = 0;
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        while N - done >= 8 {
            // SAFETY: `done + 8` is at most `N`, the promised bytes.
            let word = unsafe { read_word(from.add(done)) };
            bytes[done..done + 8].copy_from_slice(&word.to_ne_bytes());
            done += 8;
        }
        if N - done >= 4 {
            // SAFETY: as above, for 4 bytes.
            let word = unsafe { read_short_word(from.add(done)) };
            bytes[done..done + 4].copy_from_slice(&word.to_ne_bytes());
            done += 4;
        }
    }
    while done < N {
        // SAFETY: `done` is below `N`; `AtomicU8` has the layout of `u8`.
        bytes[done] = unsafe { (*from.add(done).cast::<AtomicU8>()).load(Relaxed) };
        done += 1;
    }
    bytes
}

/// Fills `count` bytes with a repeated value.
///
/// # Safety
/// `to` has `count` writable bytes. Whoever else accesses them keeps to the rule for
/// [guest memory](super::GuestSlice::from_raw).
pub(super) unsafe fn fill(to: *mut u8, count: usize, value: &[u8]) {
    let unit: Vec<u8> = value.iter().copied().cycle().take(value.len() * CHUNK).collect();
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if 8 % value.len() == 0 {
        let word = u64::from_le_bytes(std::array::from_fn(|i| unit[i]));
        // SAFETY: the promise of the caller, for all bytes.
        return unsafe { fill_words(to, count, word) };
    }
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if SEED.is_multiple_of(value.len()) && count > SEED {
        // SAFETY: the promise of the caller, for the first `SEED` bytes and for the rest.
        unsafe {
            fill_by_copies(to, SEED, &unit);
            repeat(to, count);
        }
        return;
    }
    // SAFETY: the promise of the caller.
    unsafe { fill_by_copies(to, count, &unit) }
}

/// Fills with copies of whole values.
///
/// # Safety
/// As for [`fill`].
unsafe fn fill_by_copies(to: *mut u8, count: usize, unit: &[u8]) {
    for at in (0..count).step_by(unit.len()) {
        // SAFETY: no byte from `count` on is written.
        unsafe { copy(unit.as_ptr(), to.add(at), unit.len().min(count - at)) }
    }
}

/// Fills with words, and the rest with the first bytes of one.
///
/// # Safety
/// As for [`fill`].
#[cfg(all(target_arch = "x86_64", not(miri)))]
unsafe fn fill_words(to: *mut u8, count: usize, word: u64) {
    // SAFETY: the instruction writes `count / 8` words, upward, as the direction flag says at the start of each
    // assembly block; the rest lies behind them.
    unsafe {
        asm!(
            "rep stosq",
            inout("rcx") count / 8 => _,
            inout("rdi") to => _,
            in("rax") word,
            options(nostack, preserves_flags),
        );
        copy(word.to_le_bytes().as_ptr(), to.add(count & !7), count & 7);
    }
}

/// Repeats the first [`SEED`] bytes up to `count`, which is more.
///
/// # Safety
/// As for [`fill`].
#[cfg(all(target_arch = "x86_64", not(miri)))]
unsafe fn repeat(to: *mut u8, count: usize) {
    for at in (SEED..count).step_by(SEED) {
        // SAFETY: the instruction reads the first bytes, which are fewer than `at`, and writes below `count`.
        unsafe {
            asm!(
                "rep movsb",
                inout("rcx") SEED.min(count - at) => _,
                inout("rsi") to => _,
                inout("rdi") to.add(at) => _,
                options(nostack, preserves_flags),
            );
        }
    }
}
