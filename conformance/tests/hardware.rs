//! Frame dumps of the GE against what consoles gave, in the data folder that `PICAFLOR_DATA` names.

use crate::data_folder::data_folder;
use picaflor_conformance::ge::engine;
use picaflor_conformance::ge::hardware::judge::{Score, Verdict, judge};
use picaflor_conformance::ge::hardware::reasons::{reason, screen_reason};
use picaflor_conformance::ge::hardware::{Test, names};
use std::path::Path;

fn verdicts(engine: &str, folder: &Path) -> Vec<(String, Verdict)> {
    let judged = |name: String| {
        let test = Test::load(folder, &name).unwrap_or_else(|why| panic!("{why}"));
        let mut engine = engine::by_name(engine).unwrap();
        let verdict = judge(&test, engine.as_mut()).unwrap_or_else(|why| panic!("{name}: {why}"));
        (name, verdict)
    };
    names(folder).unwrap().into_iter().map(judged).collect()
}

/// Values of consoles and screens: what is matched today, and nothing less. On the engines that draw everything.
#[test]
fn consoles_agree() {
    let Some(folder) = data_folder().map(|data| data.join("ge")) else { return };
    for engine in ["interp", "jit"] {
        let (mut exact, mut hwdiff, mut consistent) = <(Score, Score, Score)>::default();
        let mut screens = 0;
        for (name, verdict) in verdicts(engine, &folder) {
            exact += verdict.exact;
            hwdiff += verdict.hwdiff;
            consistent += verdict.consistent;
            assert!(verdict.given_up.is_empty(), "{engine}, {name}: {:?}", verdict.given_up);
            for miss in verdict.misses {
                assert!(reason(&name, &miss.expected).is_some(), "{engine}, {name}: {miss:?}");
            }
            let Some(found) = verdict.screens else { continue };
            screens += 1;
            let (differing, largest) = (found.differing, found.largest);
            let is_explained = differing == 0 || screen_reason(&name, &found).is_some();
            assert!(is_explained, "{engine}, {name}: {differing} pixels by {largest}");
        }
        assert_eq!(exact, Score { matched: 4157, known: 4159 }, "{engine}");
        assert_eq!(hwdiff, Score { matched: 369, known: 373 }, "{engine}");
        assert_eq!(consistent, Score { matched: 373, known: 373 }, "{engine}");
        assert_eq!(screens, 16, "{engine}");
    }
}
