//! GDB finds compiled routines by name, and the callers of each, while they live.

use crate::common::Scene;
use crate::skip::skip;
use picaflor_jit::{Engine, EngineMode};
use std::process::Command;

/// What GDB looks at: a routine that runs twice, and is gone before the end.
#[test]
#[ignore = "GDB runs it"]
fn debuggee() {
    let scene = Scene::new("mul r0, c0, v0\nadd o0, r0, v1\nmov o1, v1\nend");
    let mut engine = Engine::builder().mode(EngineMode::Blocking).gdb(true).build().unwrap();
    scene.check(&mut engine, "the first time");
    scene.check(&mut engine, "again");
    drop(engine);
    picaflor_test_after_the_engine();
}

#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn picaflor_test_after_the_engine() {
    std::hint::black_box(());
}

/// Stops where the engine tells debuggers of the routine, in the routine, in the middle of it, behind it, and
/// after the engine is gone. `$rbx` belongs to the caller: GDB has to find where the routine saved it.
const COMMANDS: &[&str] = &[
    "set pagination off",
    "set width 0",
    "set language c",
    "tbreak __jit_debug_register_code",
    "run",
    "finish",
    "break vs1",
    "continue",
    "echo == at its start\\n",
    "bt",
    "set $callers = $rbx",
    "stepi 60",
    "echo == in its middle\\n",
    "bt",
    "print $rbx == $callers",
    "up",
    "print $rbx == $callers",
    "down",
    "echo == behind it\\n",
    "finish",
    "info symbol $pc",
    "continue",
    "echo == the second time\\n",
    "bt",
    "tbreak picaflor_test_after_the_engine",
    "delete 2",
    "continue",
    "echo == after the engine\\n",
    "bt",
    "info functions ^vs1",
    "kill",
];

#[test]
fn gdb_names_routines_and_finds_their_callers() {
    let mut gdb = Command::new("gdb");
    gdb.env("DEBUGINFOD_URLS", "").args(["-nx", "-q", "-batch"]);
    gdb.args(COMMANDS.iter().flat_map(|command| ["-ex", command]));
    gdb.arg("--args").arg(std::env::current_exe().unwrap());
    gdb.args(["--exact", "gdb::debuggee", "--ignored", "--nocapture", "--test-threads=1"]);
    let Ok(output) = gdb.output() else { return skip("gdb is not installed") };
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("ptrace") && errors.contains("not permitted") {
        return skip("gdb may not debug here");
    }
    let part = |name: &str| {
        let start = text.find(&format!("== {name}\n")).unwrap_or_else(|| panic!("{text}\n{errors}"));
        text[start..].split("\n== ").next().unwrap()
    };
    for place in ["at its start", "in its middle", "the second time"] {
        let frames = part(place);
        assert!(frames.contains("#0  0x"), "{frames}");
        assert!(
            frames.lines().any(|line| line.starts_with("#0 ") && line.contains(" in vs1@0:")),
            "{frames}"
        );
        assert!(frames.lines().any(|line| !line.starts_with("#0 ") && line.contains("debuggee")), "{frames}");
    }
    if cfg!(target_arch = "x86_64") {
        assert!(part("in its middle").contains("$1 = 0\n"), "{text}");
        assert!(part("in its middle").contains("$2 = 1\n"), "{text}");
    }
    // One is inlined into the other, or not, as the compiler likes.
    let callers = ["VertexRoutine::run", "VertexRoutine::call"];
    assert!(callers.iter().any(|caller| part("behind it").contains(caller)), "{text}");
    let after = part("after the engine");
    assert!(after.contains("picaflor_test_after_the_engine") && !after.contains("vs1@"), "{after}");
}
