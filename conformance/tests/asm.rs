//! The assembler against containers made by the common assembler (picasso 2.7.1), and the disassembler against
//! the assembler.
//!
//! The pairs in `data/shader` always run; the same pairs in the data folder run when `PICAFLOR_DATA` is set.

use std::fs;
use std::path::{Path, PathBuf};

use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::shader::shbin::Shbin;

/// The sources of a container: its own name with an extension, or for `link_A_B` those of A and B in order.
fn sources(container: &Path) -> Vec<SourceFile> {
    let stem = container.file_stem().unwrap().to_str().unwrap();
    let names: Vec<_> = match stem.strip_prefix("link_") {
        Some(names) => names.split('_').collect(),
        None => vec![stem],
    };
    names.into_iter().map(|name| source(container.parent().unwrap(), name)).collect()
}

fn source(folder: &Path, name: &str) -> SourceFile {
    let paths = ["v", "g"].map(|stage| folder.join(format!("{name}.{stage}.pica")));
    let path = paths.iter().find(|path| path.exists()).unwrap_or_else(|| panic!("no source of {name}"));
    SourceFile::new(path.file_name().unwrap().to_str().unwrap(), fs::read_to_string(path).unwrap())
}

fn containers(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(containers(&path));
        } else if path.extension().is_some_and(|extension| extension == "shbin") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/shader")
}

fn check_folder(folder: &Path) {
    let containers = containers(folder);
    assert_eq!(containers.len(), 27, "containers in {}", folder.display());
    for path in &containers {
        let expected = fs::read(path).unwrap();
        let shbin = assemble(&sources(path), Options::default());
        let shbin = shbin.unwrap_or_else(|errors| panic!("{}:\n{errors}", path.display()));
        assert!(shbin.write() == expected, "{} differs", path.display());
        let read = Shbin::read(&expected).unwrap();
        assert!(read == shbin && read.write() == expected, "{} does not survive reading", path.display());
    }
}

#[test]
fn every_container_byte_for_byte() {
    check_folder(&own_folder());
}

#[test]
fn every_container_of_the_data_folder() {
    match std::env::var_os("PICAFLOR_DATA") {
        Some(data) => check_folder(&Path::new(&data).join("shader")),
        None => println!("skipped: PICAFLOR_DATA is not set"),
    }
}
