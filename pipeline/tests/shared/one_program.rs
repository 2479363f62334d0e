//! The integration tests of a package are one program, `tests/all.rs`, so that what they test is linked once.
//! Included by path into each.

use std::fs;
use std::path::Path;

/// A file that is no module of that program would not run.
#[test]
fn every_file_is_a_module() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let program = fs::read_to_string(folder.join("all.rs")).expect("the program");
    for entry in fs::read_dir(folder).expect("the folder of the tests") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "rs") || path.ends_with("all.rs") {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy();
        assert!(program.contains(&format!("\nmod {name};\n")), "{name} is not run");
    }
}
