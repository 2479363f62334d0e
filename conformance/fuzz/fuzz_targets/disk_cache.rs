//! Any bytes in the files of the cache of routines: nothing that is drawn changes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use picaflor_conformance::target::{self, CacheFolder};

thread_local! {
    static FOLDER: CacheFolder = {
        let folder = std::env::temp_dir().join(format!("picaflor-fuzz-{}", std::process::id()));
        CacheFolder::new(&folder).expect("a folder and compiled code")
    };
}

fuzz_target!(|bytes: &[u8]| FOLDER.with(|folder| {
    target::disk_cache(bytes, folder).expect("a folder and compiled code");
}));
