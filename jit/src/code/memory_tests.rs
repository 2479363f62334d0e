//! Tests of [`super`].

use super::*;

const SCHEMES: [MappingScheme; 2] = [MappingScheme::DualView, MappingScheme::Protect];

fn filled(arena: &Arc<Arena>, size: usize, byte: u8) -> io::Result<Region> {
    let mut draft = arena.reserve(size, 16)?;
    draft.bytes().fill(byte);
    draft.publish()
}

#[test]
fn published_bytes_are_those_written() {
    for scheme in SCHEMES {
        let arena = Arena::new(scheme, 4 << 20);
        let regions: Vec<_> =
            (1..=100_usize).map(|size| filled(&arena, size * 61, size as u8).unwrap()).collect();
        for (index, region) in regions.iter().enumerate() {
            assert_eq!(region.bytes(), vec![index as u8 + 1; (index + 1) * 61]);
            assert_eq!(region.start() as usize % LINE, 0);
        }
        assert_eq!(arena.used(), regions.iter().map(Region::charged).sum::<usize>());
    }
}

#[test]
fn dual_view_packs_small_routines_and_reuses_their_place() {
    let arena = Arena::new(MappingScheme::DualView, 1 << 16);
    if arena.scheme() != MappingScheme::DualView {
        return crate::skip::skip("no second view on this system");
    }
    let first = filled(&arena, 100, 1).unwrap();
    let second = filled(&arena, 100, 2).unwrap();
    assert_eq!(second.start() as usize - first.start() as usize, 128);
    let place = first.start() as usize;
    drop(first);
    let third = filled(&arena, 128, 3).unwrap();
    assert_eq!(third.start() as usize, place);
    assert_eq!(second.bytes(), [2; 100]);
}

#[test]
fn a_dropped_draft_gives_everything_back() {
    for scheme in SCHEMES {
        let arena = Arena::new(scheme, 1 << 16);
        for _ in 0..100 {
            let draft = arena.reserve(60_000, 16).unwrap();
            assert!(arena.used() >= 60_000);
            drop(draft);
            assert_eq!(arena.used(), 0);
        }
    }
}

#[test]
fn beyond_the_budget_is_an_error_value() {
    for scheme in SCHEMES {
        let arena = Arena::new(scheme, 1 << 16);
        let _kept = filled(&arena, 40_000, 1).unwrap();
        for size in [40_000, 1 << 17, usize::MAX - 100, usize::MAX] {
            let error = arena.reserve(size, 16).unwrap_err();
            assert!(error.get_ref().is_some_and(|inner| inner.is::<OutOfBudget>()), "{error}");
        }
        let before = arena.used();
        assert!(arena.reserve(0, 16).is_err() && arena.reserve(64, 1 << 20).is_err());
        assert_eq!(arena.used(), before);
    }
}

#[test]
fn a_provider_makes_one_function_and_no_data() {
    let arena = Arena::new(MappingScheme::default(), 1 << 16);
    let mut provider = Provider::new(&arena);
    assert!(provider.allocate(8, 8, JITMemoryKind::Writable).is_err());
    assert!(provider.allocate(8, 8, JITMemoryKind::Executable).is_ok());
    assert!(provider.allocate(8, 8, JITMemoryKind::Executable).is_err());
    assert!(provider.take().is_none());
    assert_eq!(arena.used(), 0);
}

#[test]
fn allocate_and_free_from_many_threads() {
    for scheme in SCHEMES {
        let arena = Arena::new(scheme, 64 << 12);
        std::thread::scope(|scope| {
            for thread in 0..4_usize {
                let arena = &arena;
                scope.spawn(move || {
                    let mut kept = std::collections::VecDeque::new();
                    for round in 0..500_usize {
                        let byte = (thread * 50 + round % 50) as u8;
                        if let Ok(region) = filled(arena, 1 + (round * 97 + thread * 31) % 9000, byte) {
                            kept.push_back((byte, region));
                        }
                        if kept.len() > 4 {
                            let (byte, region) = kept.pop_front().unwrap();
                            assert!(region.bytes().iter().all(|found| *found == byte));
                        }
                    }
                });
            }
        });
        assert_eq!(arena.used(), 0);
        if let Pages::Dual { free, .. } = &arena.pages {
            let free = lock(free);
            assert_eq!((free.free_bytes(), free.pieces()), (arena.budget(), 1));
        }
    }
}

/// The mappings of this process, as the kernel lists them.
#[cfg(target_os = "linux")]
mod maps {
    use super::*;

    #[derive(Debug)]
    struct Mapping {
        range: std::ops::Range<usize>,
        permissions: String,
        inode: u64,
    }

    fn mappings() -> Vec<Mapping> {
        let text = std::fs::read_to_string("/proc/self/maps").unwrap();
        text.lines().map(parse).collect()
    }

    fn parse(line: &str) -> Mapping {
        let mut fields = line.split_whitespace();
        let (start, end) = fields.next().unwrap().split_once('-').unwrap();
        let number = |text| usize::from_str_radix(text, 16).unwrap();
        let range = number(start)..number(end);
        let permissions = fields.next().unwrap().to_owned();
        Mapping { range, permissions, inode: fields.nth(2).unwrap().parse().unwrap() }
    }

    impl Mapping {
        fn writable(&self) -> bool {
            self.permissions.contains('w')
        }

        fn executable(&self) -> bool {
            self.permissions.contains('x')
        }
    }

    fn at(address: *const u8) -> Mapping {
        mappings().into_iter().find(|mapping| mapping.range.contains(&(address as usize))).unwrap()
    }

    fn none_writable_and_executable() {
        for mapping in mappings() {
            assert!(!(mapping.writable() && mapping.executable()), "{mapping:?}");
        }
    }

    /// Writable views of the arena's file.
    fn writable_views(arena: &Arena) -> usize {
        use std::os::unix::fs::MetadataExt;
        let Pages::Dual { file, .. } = &arena.pages else { return 0 };
        let inode = file.metadata().unwrap().ino();
        let views: Vec<_> = mappings().into_iter().filter(|mapping| mapping.inode == inode).collect();
        assert!(!views.is_empty(), "the executable view must be found for the count to mean something");
        views.iter().filter(|mapping| mapping.writable()).count()
    }

    #[test]
    fn writable_only_while_publishing_and_never_with_executable() {
        for scheme in SCHEMES {
            let arena = Arena::new(scheme, 1 << 20);
            assert_eq!(writable_views(&arena), 0);
            let early = filled(&arena, 5000, 1).unwrap();
            let mut draft = arena.reserve(5000, 16).unwrap();
            let written = draft.bytes().as_ptr();
            assert!(at(written).writable() && !at(written).executable());
            assert!(at(early.start()).executable() && !at(early.start()).writable());
            assert_eq!(writable_views(&arena), usize::from(scheme == arena.scheme() && is_dual(&arena)));
            none_writable_and_executable();
            let late = draft.publish().unwrap();
            for region in [&early, &late] {
                assert!(at(region.start()).executable() && !at(region.start()).writable());
            }
            assert_eq!(writable_views(&arena), 0);
            drop(arena.reserve(100, 16).unwrap());
            assert_eq!(writable_views(&arena), 0);
            none_writable_and_executable();
        }
    }

    fn is_dual(arena: &Arena) -> bool {
        arena.scheme() == MappingScheme::DualView
    }

    #[test]
    fn dual_view_works_here() {
        assert_eq!(Arena::new(MappingScheme::DualView, 1).scheme(), MappingScheme::DualView);
    }

    /// A fork in the middle of a publication.
    #[test]
    #[cfg_attr(miri, ignore = "forks")]
    fn a_forked_child_has_no_writable_view() {
        let arena = Arena::new(MappingScheme::DualView, 1 << 16);
        if !is_dual(&arena) {
            return crate::skip::skip("no second view on this system");
        }
        let mut draft = arena.reserve(100, 16).unwrap();
        assert_eq!(writable_views(&arena), 1);
        // SAFETY: the child uses its own copies of this thread's data, and ends without unwinding or running destructors.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let views = writable_views(&arena);
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(views as i32) };
        }
        draft.bytes().fill(7);
        let region = draft.publish().unwrap();
        let mut status = 0;
        // SAFETY: waits for the child of this test, and of no other.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0, "the child could write code");
        assert_eq!(region.bytes(), [7; 100]);
    }

    #[test]
    fn compiled_routines_are_never_writable() {
        use crate::code::compile::tests::{SCHEMES_TO_RUN, compiler_with, store, stored};
        for &scheme in SCHEMES_TO_RUN {
            let mut compiler = compiler_with(scheme, 1 << 20);
            let routines: Vec<_> = (0..20).map(|value| store(&mut compiler, value, 200).unwrap()).collect();
            for (value, routine) in routines.iter().enumerate() {
                let mapping = at(routine.code().entry());
                assert!(mapping.executable() && !mapping.writable(), "{mapping:?}");
                assert_eq!(stored(routine), value as i64);
            }
            assert_eq!(writable_views(compiler.arena()), 0);
        }
    }
}

/// The child and its parent publish code at the same time: once, both into the same place of the shared file.
#[cfg(target_os = "linux")]
#[test]
#[cfg_attr(miri, ignore = "forks")]
fn a_forked_child_has_pages_of_its_own() {
    let arena = Arena::new(MappingScheme::DualView, 1 << 16);
    let before = filled(&arena, 100, 3).unwrap();
    let mut pipe = [0; 2];
    // SAFETY: the array has room for the two descriptors.
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    // SAFETY: the child uses its own copies of this thread's data, and ends without unwinding or running destructors.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let own = filled(&arena, 100, 9);
        let mut ready = 0_u8;
        // SAFETY: one byte of room; the descriptor was inherited. It waits until the parent has published, too.
        let read = unsafe { libc::read(pipe[0], (&raw mut ready).cast(), 1) };
        let is_whole = own.is_ok_and(|own| own.bytes() == [9; 100]) && before.bytes() == [3; 100];
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(i32::from(!(is_whole && read == 1))) };
    }
    // The child publishes first, or at the same time; either is right.
    let own = filled(&arena, 100, 6).unwrap();
    // SAFETY: one byte to the other end of the pipe.
    assert_eq!(unsafe { libc::write(pipe[1], [1_u8].as_ptr().cast(), 1) }, 1);
    let mut status = 0;
    // SAFETY: waits for the child of this test, and of no other.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0, "the child's code changed");
    assert_eq!((own.bytes(), before.bytes()), (&[6; 100][..], &[3; 100][..]));
    for descriptor in pipe {
        // SAFETY: both ends are this test's.
        unsafe { libc::close(descriptor) };
    }
}

/// The range of a draft that is dropped once was free while its writable view was still there.
#[cfg(target_os = "linux")]
#[test]
fn the_view_of_a_dropped_draft_goes_before_its_range_is_free() {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::{Duration, Instant};
    let arena = Arena::new(MappingScheme::DualView, 1 << 16);
    let Pages::Dual { free, file, .. } = &arena.pages else { return };
    // Other tests have such views, too, of other files.
    let inode = format!(" {} ", file.metadata().unwrap().ino());
    let views = || {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines().filter(|line| line.contains(" rw-s ") && line.contains(&inode)).count()
    };
    let draft = arena.reserve(100, 64).unwrap();
    assert_eq!(views(), 1);
    let held = lock(free);
    std::thread::scope(|scope| {
        // It waits to give the range back.
        scope.spawn(|| drop(draft));
        let start = Instant::now();
        while views() > 0 {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "the range waits to be free before its view is gone"
            );
            std::thread::yield_now();
        }
        drop(held);
    });
}
