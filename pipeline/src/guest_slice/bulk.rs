//! Copies and fills of many bytes that others may access meanwhile.
//!
//! Accesses of Rust that race are undefined; those of inline assembly are what the processor makes of them. A vector
//! move reads or writes each of its bytes once, as relaxed atomic bytes would be, in chunks instead of one by one.
//! Other processors get relaxed bytes.

#[cfg(target_arch = "x86_64")]
use std::arch::asm;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Bytes that are read before they are written, at most.
pub(super) const CHUNK: usize = 64;

/// A size that holds whole values of 1, 2, 3 and 4 bytes and whole pages: copies of it between two of its multiples
/// find both sides aligned alike.
#[cfg(target_arch = "x86_64")]
const SEED: usize = 3 * 4096;

/// Copies `count` bytes in ascending order, in chunks of at most [`CHUNK`] bytes.
///
/// # Safety
/// `from` has `count` readable bytes, `to` has `count` writable ones. Others access them by atomic operations, or
/// accept either value of each byte.
// Not inlined: its moves have the old encoding, and the caller may be code for wider vectors, which the compiler then
// separates.
#[inline(never)]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, count: usize) {
    let mut done = 0;
    #[cfg(target_arch = "x86_64")]
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
#[cfg(target_arch = "x86_64")]
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
#[cfg(target_arch = "x86_64")]
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

/// Fills `count` bytes with a repeated value.
///
/// # Safety
/// `to` has `count` writable bytes. Others access them by atomic operations, or accept either value of each byte.
pub(super) unsafe fn fill(to: *mut u8, count: usize, value: &[u8]) {
    let unit: Vec<u8> = value.iter().copied().cycle().take(value.len() * CHUNK).collect();
    #[cfg(target_arch = "x86_64")]
    if 8 % value.len() == 0 {
        let word = u64::from_le_bytes(std::array::from_fn(|i| unit[i]));
        // SAFETY: the promise of the caller, for all bytes.
        return unsafe { fill_words(to, count, word) };
    }
    #[cfg(target_arch = "x86_64")]
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
#[cfg(target_arch = "x86_64")]
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
#[cfg(target_arch = "x86_64")]
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
