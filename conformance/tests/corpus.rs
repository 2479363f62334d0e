//! What the fuzzer found worth keeping, on any compiler: the properties of its targets still hold.

use picaflor_conformance::pica::lists::Engines;
use picaflor_conformance::pica::programs::compare::Way;
use picaflor_conformance::target::{self, CacheFolder};
use std::fs;
use std::path::Path;

/// The files of a target.
fn corpus(name: &str) -> impl Iterator<Item = Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/fuzz").join(name);
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the folder of a target").flatten().map(|entry| entry.path()).collect();
    assert!(!files.is_empty(), "{name}");
    files.sort();
    files.into_iter().map(|file| fs::read(file).expect("a file"))
}

#[test]
fn bytes_that_are_read() {
    corpus("asm").for_each(|bytes| target::assembler(&bytes));
    corpus("capture").for_each(|bytes| target::capture(&bytes));
    corpus("citrace").for_each(|bytes| target::citrace(&bytes));
    corpus("decoder").for_each(|bytes| target::decoder(&bytes));
    corpus("key").for_each(|bytes| target::key(&bytes));
    corpus("shbin").for_each(|bytes| target::container(&bytes));
}

#[test]
fn what_the_machine_does() {
    let mut engines = Engines::new().expect("this host runs compiled code");
    corpus("command_list").for_each(|bytes| target::command_list(&bytes, &mut engines));
    corpus("mmio").for_each(|bytes| target::mmio(&bytes, &mut engines));
}

#[test]
fn programs() {
    for way in [Way::Fast, Way::Exact] {
        let mut engine = way.engine().expect("this host runs compiled code");
        corpus("shader").for_each(|bytes| target::shader(&bytes, &mut engine));
    }
}

#[test]
fn files_of_the_cache() {
    let folder = std::env::temp_dir().join(format!("picaflor-corpus-{}", std::process::id()));
    let cache = CacheFolder::new(&folder).expect("a folder and compiled code");
    for bytes in corpus("disk_cache") {
        target::disk_cache(&bytes, &cache).expect("a folder and compiled code");
    }
}
