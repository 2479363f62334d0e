//! Display lists on the whole GE that failed once. `picaflor fuzz --kind ge-list` makes new ones.

use picaflor_conformance::ge::lists::{self, Engines};
use picaflor_pipeline::ge::capture::format;
use std::path::Path;

#[test]
fn kept_lists_are_the_same_on_every_engine() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/ge-lists");
    let mut engines = Engines::new().expect("this host runs compiled code");
    let mut kept = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of kept lists").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a kept list");
        let capture = format::read(&bytes).unwrap_or_else(|error| panic!("{:?}: {error}", entry.path()));
        for in_background in [false, true] {
            if let Err(failure) = lists::check_capture(&capture, in_background, &mut engines) {
                panic!("{:?}: {failure}", entry.path());
            }
        }
        kept += 1;
    }
    assert!(kept > 0);
}
