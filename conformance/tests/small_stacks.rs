//! Every scene of both machines on a thread with a small stack: the interpreter, and compiled code whose routines were
//! made before. A host may call from such a thread; what compiles needs a larger one, and is on threads of the library.

use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::capture::replay::Player as GePlayer;
use picaflor_pipeline::memory::{BlockMemory, Memory};
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::texture::hash;
use std::thread::Builder;

/// What the documentation asks of a thread that calls a machine, in KiB.
const CALLS: usize = 128;
/// The same of one that makes a machine.
const CREATION: usize = 256;

/// What `work` returns on a thread of its own with a stack of so many KiB. `PICAFLOR_STACK_KIB` is another number, to
/// measure what is needed.
fn with_stack<R: Send>(kibibytes: usize, work: impl FnOnce() -> R + Send) -> R {
    let measured = std::env::var("PICAFLOR_STACK_KIB").ok().and_then(|size| size.parse().ok());
    let bytes = measured.unwrap_or(kibibytes) << 10;
    std::thread::scope(|scope| {
        let thread = Builder::new().stack_size(bytes).spawn_scoped(scope, work).expect("a thread");
        thread.join().expect("no panic")
    })
}

/// A hash of each block of memory.
fn contents(memory: &BlockMemory, blocks: &[(u32, u32)]) -> Vec<u64> {
    let block = |&(address, length): &(u32, u32)| memory.region(address, length).expect("a block").to_vec();
    blocks.iter().map(|range| hash(&block(range))).collect()
}

fn blocking() -> Engine {
    Engine::builder().mode(EngineMode::Blocking).build().expect("this host runs compiled code")
}

/// Plays a capture with the interpreter, with compiled code that is being made, and with that code: the first and the
/// last on a small stack.
macro_rules! compare {
    ($player:ident, $name:expr, $capture:expr) => {{
        let capture = &$capture;
        let mut player = Box::new($player::new(capture).expect("a sound capture"));
        with_stack(CALLS, || while player.run_frame(&mut Interpreter::new()).is_some() {});
        let expected = contents(player.memory(), &capture.regions);
        let mut engine = blocking();
        let mut player = Box::new($player::new(capture).expect("a sound capture"));
        while player.run_frame(&mut engine).is_some() {}
        let compiled = engine.stats().compiles;
        let mut player = Box::new($player::new(capture).expect("a sound capture"));
        with_stack(CALLS, || while player.run_frame(&mut engine).is_some() {});
        assert_eq!(contents(player.memory(), &capture.regions), expected, "{}", $name);
        assert_eq!(engine.stats().compiles, compiled, "{}: nothing is compiled on the small stack", $name);
    }};
}

#[test]
fn scenes_of_the_pica200() {
    for scene in picaflor_scenes::pica::Scene::all() {
        compare!(Player, scene.name, scene.capture(Precision::Console));
    }
}

#[test]
fn scenes_of_the_ge() {
    for scene in picaflor_scenes::ge::Scene::all() {
        compare!(GePlayer, scene.name, scene.capture());
    }
}

/// Machines are values of tens of KiB, which Rust moves.
#[test]
fn machines_are_made() {
    let capture = picaflor_scenes::pica::Scene::all()[0].capture(Precision::Console);
    with_stack(CREATION, || assert!(Player::new(&capture).is_ok()));
    let capture = picaflor_scenes::ge::Scene::all()[0].capture();
    with_stack(CREATION, || assert!(GePlayer::new(&capture).is_ok()));
}
