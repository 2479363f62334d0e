//! What the fuzzer found worth keeping, on any compiler: the properties of its targets still hold.

use picaflor_conformance::pica::lists::Engines;
use picaflor_conformance::pica::programs::compare::Way;
use picaflor_conformance::random::Random;
use picaflor_conformance::target::mutate::Mutation;
use picaflor_conformance::target::{self, CacheFolder};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

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
    corpus("ge_capture").for_each(|bytes| target::ge_capture(&bytes));
    corpus("ppdmp").for_each(|bytes| target::ppdmp(&bytes));
    corpus("decoder").for_each(|bytes| target::decoder(&bytes));
    corpus("key").for_each(|bytes| target::key(&bytes));
    corpus("shbin").for_each(|bytes| target::container(&bytes));
}

/// Executes a target on chains of mutations, which begin at the files of its corpus; returns the executions.
fn mutated(name: &str, seed: u64, chains: u64, mutation: Mutation, mut target: impl FnMut(&[u8])) -> u64 {
    let files: Vec<_> = corpus(name).collect();
    let mut executions = 0;
    for chain in 0..chains {
        let random = &mut Random::of_item(seed, chain);
        let mut bytes = files[chain as usize % files.len()].clone();
        for _ in 0..16 {
            let Some(next) = mutation(random, &bytes).filter(|next| next.len() < 16_384) else { break };
            target(&next);
            (bytes, executions) = (next, executions + 1);
        }
    }
    executions
}

fn lists_and_dumps(seed: u64, chains: u64) {
    let mut engines = Engines::new().expect("this host runs compiled code");
    for (name, executions) in [
        ("ppdmp", mutated("ppdmp", seed, chains, target::mutated_dump, target::ppdmp)),
        ("ge_capture", mutated("ge_capture", seed, chains, target::mutated_ge_capture, target::ge_capture)),
        (
            "command_list",
            mutated("command_list", seed, chains, target::mutated_commands, |bytes| {
                target::command_list(bytes, &mut engines);
            }),
        ),
    ] {
        println!("{name}: {executions} executions");
        assert!(executions > 8 * chains, "{name}: {executions}");
    }
}

#[test]
fn mutations() {
    lists_and_dumps(1, 30);
}

#[test]
#[ignore = "long"]
fn many_mutations() {
    lists_and_dumps(2, 4000);
}

/// Executions of a target on its corpus in a second.
fn per_second(name: &str, mut target: impl FnMut(&[u8])) {
    let files: Vec<_> = corpus(name).collect();
    let (began, mut executions) = (Instant::now(), 0);
    while began.elapsed() < Duration::from_secs(3) {
        files.iter().for_each(|bytes| target(bytes));
        executions += files.len();
    }
    println!("{name}: {:.0} executions per second", executions as f64 / began.elapsed().as_secs_f64());
}

#[test]
#[ignore = "measures"]
fn speed() {
    per_second("ppdmp", target::ppdmp);
    per_second("ge_capture", target::ge_capture);
    per_second("capture", target::capture);
    let mut engines = Engines::new().expect("this host runs compiled code");
    per_second("command_list", |bytes| target::command_list(bytes, &mut engines));
    per_second("mmio", |bytes| target::mmio(bytes, &mut engines));
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
