//! Programs in C and C++, compiled against the installed header and both libraries, and run.

use crate::support::{Language, Link, PACKAGE, compile, installed, run};
use picaflor_jit::Engine;
use picaflor_pipeline::ge::capture::{format, replay::Player};
use std::path::Path;
use std::process::Command;

/// The programs, each in one language.
pub(crate) const ALL: &[(&str, Language)] = &[
    ("shader.c", Language::C99),
    ("triangle.c", Language::C99),
    ("stop.cpp", Language::Cpp11),
    ("ge.c", Language::C99),
    ("session.c", Language::C99),
    ("state.c", Language::C99),
    ("debug.c", Language::C99),
    ("textures.c", Language::C99),
    ("timing.c", Language::C99),
    ("trace.c", Language::C99),
    ("later.c", Language::C99),
    ("raii.cpp", Language::Cpp17),
    ("costs.c", Language::C99),
    ("bad_arguments.c", Language::C99),
    ("threads.cpp", Language::Cpp11),
    ("fork.c", Language::C99),
    ("misuse.cpp", Language::Cpp17),
];

/// Compiles and runs a test program, which checks itself.
fn passes(name: &str, language: Language) {
    if !language.is_here() {
        return;
    }
    for link in [Link::Shared, Link::Static] {
        let program = compile(&Path::new(PACKAGE).join("tests/programs").join(name), language, link);
        let output = run(&mut Command::new(program));
        assert!(output.starts_with("fine"), "{output}");
        println!("{name}, {language:?}, {link:?}: {output}");
    }
}

#[test]
fn shader_in_c() {
    passes("shader.c", Language::C99);
}

#[test]
fn shader_in_cpp() {
    passes("shader.c", Language::Cpp11);
}

#[test]
fn triangle_in_c() {
    passes("triangle.c", Language::C99);
}

#[test]
fn triangle_in_cpp() {
    passes("triangle.c", Language::Cpp11);
}

#[test]
fn runs_are_stopped_in_cpp() {
    passes("stop.cpp", Language::Cpp11);
}

#[test]
fn ge_in_c() {
    passes("ge.c", Language::C99);
    ge_recording();
}

#[test]
fn ge_in_cpp() {
    passes("ge.c", Language::Cpp11);
}

#[test]
fn sessions_in_c() {
    passes("session.c", Language::C99);
}

#[test]
fn sessions_in_cpp() {
    passes("session.c", Language::Cpp11);
}

/// What the program records draws the same when it is replayed.
fn ge_recording() {
    if !Language::C99.is_here() {
        return;
    }
    let source = Path::new(PACKAGE).join("tests/programs/ge.c");
    let (program, file) = (compile(&source, Language::C99, Link::Shared), installed().join("ge.cap"));
    assert_eq!(run(Command::new(program).arg(&file)), "fine\n");
    let capture = format::read(&std::fs::read(&file).expect("a recording")).expect("a capture");
    let mut player = Player::new(&capture).expect("a sound capture");
    let mut engine = Engine::builder().build().expect("an engine");
    let frame = player.run_frame(&mut engine).expect("a frame");
    assert!(frame.errors.is_empty() && player.run_frame(&mut engine).is_none());
    assert_eq!(player.ge().stats().draws, 1);
    let picture = player.picture(&mut engine, player.display().expect("what was shown"));
    let [r, g, b] = picture.pixel(20, 20).map(u32::from);
    assert!(r + g + b > 200, "inside the triangle");
    assert_eq!(picture.pixel(70, 20), [0; 3]);
}

#[test]
fn state_in_c() {
    passes("state.c", Language::C99);
}

#[test]
fn state_in_cpp() {
    passes("state.c", Language::Cpp11);
}

#[test]
fn debug_in_c() {
    passes("debug.c", Language::C99);
}

#[test]
fn debug_in_cpp() {
    passes("debug.c", Language::Cpp11);
}

#[test]
fn textures_in_c() {
    passes("textures.c", Language::C99);
}

#[test]
fn textures_in_cpp() {
    passes("textures.c", Language::Cpp11);
}

#[test]
fn timing_in_c() {
    passes("timing.c", Language::C99);
}

#[test]
fn timing_in_cpp() {
    passes("timing.c", Language::Cpp11);
}

#[test]
fn trace_in_c() {
    passes("trace.c", Language::C99);
}

#[test]
fn trace_in_cpp() {
    passes("trace.c", Language::Cpp11);
}

#[test]
fn later_in_c() {
    passes("later.c", Language::C99);
}

#[test]
fn raii_in_cpp() {
    passes("raii.cpp", Language::Cpp17);
}

/// On every host, also where no code can be compiled.
#[test]
fn interpreter_in_c() {
    passes("interpreter.c", Language::C99);
}

/// The table of costs, with few samples.
#[test]
fn costs_in_c() {
    passes("costs.c", Language::C99);
}

#[test]
fn bad_arguments_in_c() {
    passes("bad_arguments.c", Language::C99);
}

#[test]
fn bad_arguments_in_cpp() {
    passes("bad_arguments.c", Language::Cpp11);
}

#[test]
fn threads_in_cpp() {
    passes("threads.cpp", Language::Cpp11);
}

/// On Linux; elsewhere the program does nothing.
#[test]
fn forks_in_c() {
    passes("fork.c", Language::C99);
}
