//! Cases of the GE's campaigns that differed once. `picaflor fuzz --kind ge-primitive` and others make new ones.

use picaflor_conformance::ge::assembly::Assemblies;
use picaflor_conformance::ge::blits::Blits;
use picaflor_conformance::ge::campaign::{Cases, Verdict, engine};
use picaflor_conformance::ge::pixels::Pixels;
use picaflor_conformance::ge::surfaces::Surfaces;
use picaflor_conformance::ge::vertices::Vertices;
use picaflor_jit::Effort;

/// Lines of kind, seed and number.
const KEPT: &str = include_str!("../seeds/ge-cases.txt");

/// Verdicts on code of either effort.
fn check<C: Cases>(seed: u64, number: u64) -> [Verdict; 2] {
    [Effort::Careful, Effort::Quick].map(|effort| {
        let mut engine = engine(effort).expect("this host runs compiled code");
        C::of_seed(seed).check(number, &mut engine)
    })
}

#[test]
fn kept_cases_of_the_ge_are_the_same() {
    let mut kept = 0;
    for line in KEPT.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |n: usize| words[n].parse().expect("a number");
        let verdicts = match words[0] {
            "ge-primitive" => check::<Assemblies>(number(1), number(2)),
            "ge-surface" => check::<Surfaces>(number(1), number(2)),
            "ge-blit" => check::<Blits>(number(1), number(2)),
            "ge-pixel" => check::<Pixels>(number(1), number(2)),
            "ge-vertex" => check::<Vertices>(number(1), number(2)),
            kind => panic!("no kind {kind}"),
        };
        assert!(
            verdicts.iter().all(|verdict| matches!(verdict, Verdict::Same { .. })),
            "{line}: {verdicts:?}"
        );
        kept += 1;
    }
    assert!(kept > 10);
}
