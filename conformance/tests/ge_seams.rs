//! Cases of the GE's campaigns that differed once. `picaflor fuzz --kind ge-primitive` and others make new ones. And what hosts
//! receive at a seam.

use picaflor_conformance::ge::assembly::Assemblies;
use picaflor_conformance::ge::blits::Blits;
use picaflor_conformance::ge::campaign::{Cases, Verdict, engine};
use picaflor_conformance::ge::pixels::Pixels;
use picaflor_conformance::ge::surfaces::Surfaces;
use picaflor_conformance::ge::vertices::Vertices;
use picaflor_interp::Interpreter;
use picaflor_jit::Effort;
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::stage::NoEngines;
use picaflor_pipeline::ge::stage::primitive::Kind;
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::memory::NoMemory;

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

/// A host that has vertices set up receives the same primitives from each engine, also of those that lie on both sides of the
/// drawing area.
#[test]
fn primitives_for_hosts_do_not_depend_on_the_engine() {
    let mut ge = Ge::new();
    let words = [(op::SCISSOR1, 8 << 10 | 8), (op::SCISSOR2, 23 << 10 | 23), (op::REGION2, 0xf_ffff)];
    let words = words.map(|(command, argument)| u32::from(command) << 24 | argument);
    assert_eq!(ge.execute(&mut NoEngines, &NoMemory, &words), Ok(()));
    let places = (-4..8).flat_map(|n| [[6 * n, 20 - 5 * n], [6 * n + 4, 10], [6 * n + 7, 5 * n + 9]]);
    let vertices: Vec<Vertex> =
        places.map(|[x, y]| Vertex { x: 16 * x, y: 16 * y, ..Vertex::EMPTY }).collect();
    let mut engine = engine(Effort::Careful).expect("this host runs compiled code");
    let kinds = [
        (Kind::Points, 36),
        (Kind::Lines, 18),
        (Kind::LineStrip, 35),
        (Kind::Triangles, 12),
        (Kind::TriangleStrip, 34),
        (Kind::TriangleFan, 34),
        (Kind::Rectangles, 18),
    ];
    for (kind, assembled) in kinds {
        let interpreted = ge.set_up(&mut Interpreter::new(), kind, &vertices);
        assert_eq!(ge.set_up(&mut engine, kind, &vertices), interpreted, "{kind:?}");
        assert!((1..assembled).contains(&interpreted.len()), "{kind:?}: {}", interpreted.len());
    }
}
