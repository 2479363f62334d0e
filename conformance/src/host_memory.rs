//! Memory of a host: it announces changes to machines or has them look, may have images in place of textures, and puts back what
//! was done in vain.

use crate::random::Random;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{BlockMemory, Memory, Tracked, write_bytes};
use picaflor_pipeline::stop::Stopper;
use picaflor_pipeline::texture::Texture;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What a host does beside holding bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Habits {
    /// It announces its writes, and answers with versions.
    pub announces: bool,
    /// It has images in place of three textures of four.
    pub replaces: bool,
}

/// How work ends that a host has done in vain: it loads a state that it saved before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InVain {
    /// All is done.
    Whole,
    /// The machine is stopped at an access to memory, of so many.
    Stopped(u32),
    /// Memory panics there.
    Panicked(u32),
    /// Another thread writes memory meanwhile, by decisions of this seed.
    Disturbed(u64),
}

impl InVain {
    /// Any of them.
    #[must_use]
    pub fn random(random: &mut Random) -> Self {
        let most = random.pick(&[4, 64, 1024]);
        let accesses = random.between(1, most);
        let disturbed = Self::Disturbed(random.bits());
        random.pick(&[Self::Whole, Self::Stopped(accesses), Self::Panicked(accesses), disturbed])
    }

    const fn accesses(self) -> u32 {
        match self {
            Self::Whole | Self::Disturbed(_) => 0,
            Self::Stopped(accesses) | Self::Panicked(accesses) => accesses,
        }
    }
}

/// What memory panics with.
struct Planned;

/// Memory of a host with its habits.
#[derive(Debug)]
pub struct HostMemory {
    memory: Tracked<BlockMemory>,
    habits: Habits,
    /// What the host wrote, and what machines say that they wrote.
    known: BlockMemory,
    /// Version of the images.
    images: AtomicU64,
    /// Accesses up to the one at which the machine is stopped, or memory panics if there is none to stop; 0: neither.
    left: AtomicU32,
    stopped: Mutex<Option<Stopper>>,
}

impl HostMemory {
    /// Memory of zeros in these regions.
    ///
    /// # Panics
    /// If they overlap, or there is no room for them.
    #[must_use]
    pub fn zeroed(regions: &[(u32, u32)], habits: Habits) -> Self {
        let known = BlockMemory::zeroed(if habits.announces { regions } else { &[] });
        let memory = Tracked::new(BlockMemory::zeroed(regions));
        Self {
            memory,
            habits,
            known,
            images: AtomicU64::new(1),
            left: AtomicU32::new(0),
            stopped: Mutex::default(),
        }
    }

    /// The bytes.
    #[must_use]
    pub const fn blocks(&self) -> &BlockMemory {
        self.memory.memory()
    }

    /// The host writes, between two calls of a machine. Its address is none of a mirror.
    pub fn write(&self, address: u32, bytes: &[u8]) {
        write_bytes(self.blocks(), address, bytes);
        if self.habits.announces {
            self.memory.invalidate(address, bytes.len() as u32);
        }
        self.wrote(address, bytes);
    }

    /// The host wrote these bytes by a call of a machine, which announces it.
    pub fn wrote(&self, address: u32, bytes: &[u8]) {
        if self.habits.announces {
            write_bytes(&self.known, address, bytes);
        }
    }

    /// The host has other images from now on.
    pub fn change_images(&self) {
        self.images.fetch_add(1, Ordering::Relaxed);
    }

    /// Has work done whose effects on memory are put back, by a machine with this stopper.
    ///
    /// # Panics
    /// If the work does so by itself.
    pub fn in_vain(&self, end: InVain, stopper: &Stopper, work: impl FnOnce()) {
        let before: Vec<_> =
            self.blocks().blocks().iter().map(|block| (block.base(), block.as_slice().to_vec())).collect();
        let images = self.images.load(Ordering::Relaxed);
        let to_stop = matches!(end, InVain::Stopped(_)).then(|| stopper.clone());
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = to_stop;
        self.left.store(end.accesses(), Ordering::Relaxed);
        let done = match end {
            InVain::Disturbed(seed) => self.disturbed(seed, work),
            _ => catch_unwind(AssertUnwindSafe(work)),
        };
        self.left.store(0, Ordering::Relaxed);
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = None;
        stopper.resume();
        if let Err(panic) = done
            && !panic.is::<Planned>()
        {
            resume_unwind(panic);
        }
        self.images.store(images, Ordering::Relaxed);
        before.iter().for_each(|(base, bytes)| self.write(*base, bytes));
        self.memory.take_written();
    }

    /// Has work done while another thread writes words: most are as they were soon after, so that lists stay lists.
    fn disturbed(&self, seed: u64, work: impl FnOnce()) -> thread::Result<()> {
        let is_done = AtomicBool::new(false);
        let write = || {
            let mut random = Random::new(seed);
            while !is_done.load(Ordering::Relaxed) {
                for block in self.blocks().blocks() {
                    let bytes = block.as_slice();
                    let at = random.below((bytes.len() as u32).max(4) / 4) as usize * 4;
                    if at + 4 > bytes.len() {
                        continue;
                    }
                    let before = bytes.read_array::<4>(at);
                    if before == [0; 4] && random.chance(90) {
                        continue;
                    }
                    let [word, bit] = [random.word(), 1 << random.below(32)];
                    let other = random.pick(&[word, 0, u32::MAX, u32::from_le_bytes(before) ^ bit]);
                    bytes.write_all(at, &other.to_le_bytes());
                    (0..random.below(64)).for_each(|_| std::hint::spin_loop());
                    if random.chance(99) {
                        bytes.write_all(at, &before);
                    }
                }
            }
        };
        thread::scope(|scope| {
            scope.spawn(write);
            let done = catch_unwind(AssertUnwindSafe(work));
            is_done.store(true, Ordering::Relaxed);
            done
        })
    }

    /// An access of a machine.
    fn accessed(&self) {
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if left != Ok(1) {
            return;
        }
        match &*self.stopped.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(stopper) => stopper.stop(),
            // Not by `panic!`, which would print a message.
            None => resume_unwind(Box::new(Planned)),
        }
    }

    /// The first byte that a machine changed without saying so. Nothing is found where nothing is announced.
    #[must_use]
    pub fn unannounced(&self) -> Option<u32> {
        for (address, length) in self.memory.take_written() {
            // Ranges that are apart may be told as one.
            for block in self.known.blocks() {
                let [start, end] = common((address, length), (block.base(), block.as_slice().len()));
                if let Some(length) = end.checked_sub(start).filter(|&length| length > 0) {
                    let there = self.blocks().region(start as u32, length as u32).map(|slice| slice.to_vec());
                    write_bytes(&self.known, start as u32, &there.unwrap_or_default());
                }
            }
        }
        let blocks = self.blocks().blocks().iter().zip(self.known.blocks());
        let mut changed = blocks.filter_map(|(block, known)| {
            let [bytes, known] = [block, known].map(|block| block.as_slice().to_vec());
            let at = bytes.iter().zip(&known).position(|(byte, known)| byte != known)?;
            Some(block.base() + at as u32)
        });
        changed.next()
    }
}

/// Start and end of what a range has in common with a block.
fn common((address, length): (u32, u32), (base, bytes): (u32, usize)) -> [u64; 2] {
    let [address, base] = [address, base].map(u64::from);
    [address.max(base), (address + u64::from(length)).min(base + bytes as u64)]
}

impl Memory for HostMemory {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        if self.left.load(Ordering::Relaxed) != 0 {
            self.accessed();
        }
        self.memory.region(address, length)
    }

    fn written(&self, address: u32, length: u32) {
        if self.habits.announces {
            self.memory.written(address, length);
        }
    }

    fn version(&self, address: u32, length: u32) -> Option<u64> {
        self.habits.announces.then(|| self.memory.version(address, length)).flatten()
    }

    fn replacements(&self) -> Option<u64> {
        self.habits.replaces.then(|| self.images.load(Ordering::Relaxed))
    }

    fn replace(&self, texture: &Texture, texels: &mut [u32]) {
        let image = texture.hash.wrapping_mul(self.images.load(Ordering::Relaxed));
        if image & 3 != 0 {
            texels.iter_mut().for_each(|texel| *texel ^= image as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_nobody_tells_of_are_found() {
        let habits = Habits { announces: true, replaces: false };
        let memory = HostMemory::zeroed(&[(0x1000, 0x1000), (0x8000, 0x100)], habits);
        memory.write(0x1010, &[1, 2, 3]);
        let before = memory.version(0x1000, 64);
        write_bytes(memory.blocks(), 0x1020, &[4; 8]);
        memory.written(0x1020, 8);
        assert_ne!(memory.version(0x1000, 64), before);
        assert_eq!(memory.unannounced(), None);
        write_bytes(memory.blocks(), 0x1100, &[5; 8]);
        write_bytes(memory.blocks(), 0x8004, &[6]);
        assert_eq!(memory.unannounced(), Some(0x1100));
        memory.written(0, u32::MAX);
        assert_eq!(memory.unannounced(), None);
    }

    #[test]
    fn what_is_done_in_vain_is_put_back() {
        let memory = HostMemory::zeroed(&[(0, 64)], Habits { announces: true, replaces: false });
        memory.write(0, &[1]);
        let version = || memory.version(0, 8);
        let ends = [InVain::Whole, InVain::Stopped(2), InVain::Panicked(2)].map(|end| {
            let (before, stopper) = (version(), Stopper::default());
            let mut done = [None; 3];
            memory.in_vain(end, &stopper, || {
                for done in &mut done {
                    write_bytes(&memory, 0, &[2; 8]);
                    *done = Some(stopper.is_stopping());
                }
            });
            assert_eq!((memory.byte(0), memory.byte(1), memory.unannounced()), (1, 0, None));
            assert!(version() != before && !stopper.is_stopping());
            done
        });
        assert_eq!(
            ends,
            [[Some(false); 3], [Some(false), Some(true), Some(true)], [Some(false), None, None]]
        );
        let bug = catch_unwind(|| {
            memory.in_vain(InVain::Whole, &Stopper::default(), || resume_unwind(Box::new(7)))
        });
        assert!(bug.is_err_and(|bug| bug.is::<i32>()));
    }

    #[test]
    fn another_thread_writes_meanwhile() {
        let memory = HostMemory::zeroed(&[(0, 64), (128, 3)], Habits::default());
        memory.write(0, &[7; 64]);
        let before = memory.blocks().region(0, 64).map(|bytes| bytes.to_vec());
        let mut is_seen = false;
        memory.in_vain(InVain::Disturbed(1), &Stopper::default(), || {
            let start = std::time::Instant::now();
            while !is_seen && start.elapsed().as_secs() < 60 {
                is_seen = memory.blocks().region(0, 64).map(|bytes| bytes.to_vec()) != before;
            }
        });
        assert!(is_seen);
        assert_eq!(memory.blocks().region(0, 64).map(|bytes| bytes.to_vec()), before);
    }

    #[test]
    fn a_host_without_habits_says_nothing() {
        let memory = HostMemory::zeroed(&[(0, 64)], Habits::default());
        memory.write(0, &[1]);
        memory.written(8, 8);
        assert_eq!((memory.version(0, 8), memory.replacements(), memory.unannounced()), (None, None, None));
    }
}
