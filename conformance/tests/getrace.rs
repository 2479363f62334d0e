//! Recorded runs of lists, in the data folder that `PICAFLOR_DATA` names: jumps, calls, signals, pauses, contexts.

use crate::data_folder::data_folder;
use picaflor_conformance::ge::engine;
use picaflor_conformance::ge::getrace::{read, replay::replay};
use std::fs;

#[test]
fn lists_stop_as_recorded() {
    let Some(data) = data_folder() else { return };
    let (mut recordings, mut runs, mut breaks, mut registers) = (0, 0, 0, 0);
    for entry in fs::read_dir(data.join("ge")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "getrace") {
            continue;
        }
        let records =
            read(&fs::read(&path).unwrap()).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let report = replay(&records, engine::by_name("interp").unwrap().as_mut());
        assert_eq!(report.differences, Vec::<String>::new(), "{}", path.display());
        recordings += 1;
        runs += report.runs;
        breaks += report.breaks;
        registers += report.registers;
    }
    assert_eq!((recordings, runs, breaks, registers), (14, 631, 8, 561));
}
