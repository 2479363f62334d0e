//! Code for older processors: every scene of both machines draws the same with the features of each level.

use picaflor_jit::{CpuLevel, Engine, EngineMode};
use picaflor_pipeline::ge::capture::replay::Player as GePlayer;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::texture::hash;

/// Compiles before the first use; what it leaves to the interpreter is compared too.
fn engine(level: CpuLevel) -> Engine {
    Engine::builder().mode(EngineMode::Blocking).cpu(level).build().expect("an engine")
}

fn contents(memory: &dyn Memory, regions: &[(u32, u32)]) -> Vec<u64> {
    regions.iter().map(|&(at, length)| hash(&memory.region(at, length).expect("mapped").to_vec())).collect()
}

/// Memory after every scene, what was left to the interpreter, and the routines.
fn drawn(level: CpuLevel) -> (Vec<Vec<u64>>, Vec<(String, u64)>, u64) {
    let mut engine = engine(level);
    let mut all = Vec::new();
    for scene in picaflor_scenes::pica::Scene::all() {
        let capture = scene.capture(Precision::Console);
        let mut player = Player::new(&capture).expect("a sound capture");
        while player.run_frame(&mut engine).is_some() {}
        all.push(contents(player.memory(), &capture.regions));
    }
    for scene in picaflor_scenes::ge::Scene::all() {
        let capture = scene.capture();
        let mut player = GePlayer::new(&capture).expect("a sound capture");
        while player.run_frame(&mut engine).is_some() {}
        all.push(contents(player.memory(), &capture.regions));
    }
    let stats = engine.stats();
    (all, stats.refusals.into_iter().collect(), stats.compiles)
}

#[test]
fn code_for_older_processors_draws_the_same() {
    let expected = drawn(CpuLevel::Host);
    assert!(expected.2 > 100, "{} routines", expected.2);
    let mut older = None;
    for level in [CpuLevel::WithoutAvx, CpuLevel::Oldest] {
        let found = drawn(level);
        assert_eq!(found.1, expected.1, "{level:?}: other refusals");
        assert_eq!(found.0, expected.0, "{level:?}");
        // Filters, levels and wrap modes are no part of code where vectors of 256 bits find colours of textures.
        assert!(found.2 >= expected.2, "{level:?}: {} routines of {}", found.2, expected.2);
        assert_eq!(
            *older.get_or_insert(found.2),
            found.2,
            "{level:?}: as many routines as for other old processors"
        );
    }
}
