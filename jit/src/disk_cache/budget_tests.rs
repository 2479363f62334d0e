//! Tests of [`super`]: what goes when the folder is full.

use super::tests::{BUDGET, Place};
use super::*;
use crate::code::compile::host_isa;
use crate::cpu_level::CpuLevel;
use std::fs::{self, File};
use std::time::SystemTime;

/// Sets the time of a file's last use, in seconds before now.
fn used(file: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
}

#[test]
fn the_longest_unused_go_first() {
    let place = Place::new();
    let cache = place.cache();
    let key = |number: u8| [b'k', number];
    let path = |number| cache.folder.path(name(&key(number)));
    for number in 0..20 {
        cache.store(&Entry { key: &key(number), facts: b"", code: &[number; 1000], is_draft: false });
        used(&path(number), 10_000 - u64::from(number) * 100);
    }
    // Those of other versions count and go too.
    let other = DiskCache::with_identity(&place.0, BUDGET, cache.identity.other());
    other.store(&Entry { key: b"other", facts: b"", code: &[0; 1000], is_draft: false });
    used(&other.folder.path(name(b"other")), 20_000);
    // A file that is read counts as used.
    assert!(cache.load(&key(0), |_| Ok(())).is_some());
    let strange = [place.0.join("notes.txt"), place.0.join("x86.routine"), path(1).with_extension("txt")];
    strange.iter().for_each(|path| fs::write(path, vec![0; 5000]).unwrap());
    let [fresh, stale] =
        ["-1-1.part", "-1-2.part"].map(|end| path(1).with_file_name(format!("{:032x}{end}", 7)));
    [&fresh, &stale].iter().for_each(|part| fs::write(part, b"half").unwrap());
    used(&stale, 4000);

    let size = path(0).metadata().unwrap().len();
    let small = DiskCache::new(&place.0, 10 * size, &*host_isa(CpuLevel::Host).unwrap());
    small.store(&Entry { key: &key(99), facts: b"", code: &[0; 1000], is_draft: false });
    // Of 22 files 8 are left: seven eighths of the budget.
    assert_eq!(small.stats().removed, 14);
    let left: Vec<u8> = (0..100).filter(|&number| path(number).exists()).collect();
    assert_eq!(left, [0, 14, 15, 16, 17, 18, 19, 99]);
    assert!(!other.folder.path(name(b"other")).parent().unwrap().exists());
    assert!(strange.iter().all(|path| path.exists()) && fresh.exists() && !stale.exists());
}

#[test]
fn the_folder_stays_within_its_budget() {
    let place = Place::new();
    let cache = DiskCache::new(&place.0, 64 << 10, &*host_isa(CpuLevel::Host).unwrap());
    for number in 0..300_u32 {
        cache.store(&Entry { key: &number.to_le_bytes(), facts: b"", code: &[7; 1500], is_draft: false });
        let bytes: u64 = place.files().iter().map(|file| file.metadata().unwrap().len()).sum();
        assert!(bytes <= (64 << 10) + (64 << 10) / 16 + 2000, "{number}: {bytes}");
    }
    let stats = cache.stats();
    assert_eq!((stats.stored, stats.errors), (300, 0));
    assert_eq!(stats.stored - stats.removed, place.files().len() as u64);
    assert!(stats.removed > 200);
}

/// Another one goes in place of each file that the system refuses to remove.
#[test]
fn files_that_cannot_be_removed_stop_nothing() {
    let place = Place::new();
    let mut cache = DiskCache::new(&place.0, 64 << 10, &*host_isa(CpuLevel::Host).unwrap());
    cache.folder.remove = |path| {
        let name = path.file_stem().and_then(|stem| u128::from_str_radix(stem.to_str()?, 16).ok());
        if name.is_some_and(|name| name % 8 == 1) {
            Err(std::io::ErrorKind::PermissionDenied.into())
        } else {
            fs::remove_file(path)
        }
    };
    for number in 0..120_u32 {
        cache.store(&Entry { key: &number.to_le_bytes(), facts: b"", code: &[7; 1500], is_draft: false });
    }
    let bytes: u64 = place.files().iter().map(|file| file.metadata().unwrap().len()).sum();
    assert!(bytes <= (64 << 10) + (64 << 10) / 16 + 2000, "{bytes}");
    let stats = cache.stats();
    assert_eq!((stats.stored, stats.errors), (120, 0));
    assert_eq!(stats.stored - stats.removed, place.files().len() as u64);
}

/// Files that are small for the budget count by their number.
#[test]
fn the_folder_stays_within_its_number_of_files() {
    let place = Place::new();
    let mut cache = DiskCache::new(&place.0, 1 << 40, &*host_isa(CpuLevel::Host).unwrap());
    cache.folder = cache.folder.with_most_files(64);
    for number in 0..300_u32 {
        cache.store(&Entry { key: &number.to_le_bytes(), facts: b"", code: b"code", is_draft: false });
        assert!(place.files().len() < 64 + 64 / 16, "{number}");
    }
    let stats = cache.stats();
    assert_eq!((stats.stored, stats.errors), (300, 0));
    assert_eq!(stats.stored - stats.removed, place.files().len() as u64);
}

/// Microseconds of each call.
fn each(keys: std::ops::Range<u32>, call: impl FnMut(u32)) -> f64 {
    let (began, count) = (std::time::Instant::now(), keys.len());
    keys.for_each(call);
    began.elapsed().as_secs_f64() * 1e6 / count as f64
}

/// Folders with room for a tenth of what is stored, for two thirds by the number of files, and with the default budget.
#[test]
#[ignore = "measures"]
fn a_hundred_thousand_keys() {
    const KEYS: u32 = 100_000;
    for budget in [10_000 * 1600, 64 << 20, 1 << 40] {
        let place = Place::new();
        let cache = DiskCache::new(&place.0, budget, &*host_isa(CpuLevel::Host).unwrap());
        let key = u32::to_le_bytes;
        let store =
            |number| cache.store(&Entry { key: &key(number), facts: b"", code: &[7; 1500], is_draft: false });
        let stored = each(0..KEYS, store);
        let stats = cache.stats();
        assert_eq!((stats.stored, stats.errors), (KEYS.into(), 0));
        let files = place.files().len();
        let bytes: u64 = place.files().iter().map(|file| file.metadata().unwrap().len()).sum();
        assert!(bytes <= budget + budget / 16 + 2000);
        let mut hits = 0;
        let find = |number| hits += u32::from(cache.load(&key(number), |_| Ok(())).is_some());
        let found = each(KEYS - files as u32 / 2..KEYS, find);
        assert!(hits > 0);
        let missed = each(KEYS..2 * KEYS, |number| assert!(cache.load(&key(number), |_| Ok(())).is_none()));
        println!(
            "budget {budget}: stored {stored:.1} us, found {found:.1} us ({hits}), missed {missed:.1} us; \
             {bytes} bytes in {files} files, {} removed",
            stats.removed
        );
    }
}
