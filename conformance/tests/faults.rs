//! Injected faults: each call of the system that the engine and the command line make fails once in turn. The program
//! then goes on, with the same result, or says in one line why not; it never panics and leaves nothing half-written.
//!
//! A library that is loaded before the system's counts the calls of a run, and lets the n-th call of a kind fail. Allocations
//! of 64 KiB and more are one kind; where one fails, Rust's library may end the run, with one line.

use crate::process::{folder, names, text};
use crate::skip::skip;
use picaflor_pipeline::pica::capture::format;
use picaflor_pipeline::pica::float::Precision;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// Calls of one kind that are made to fail in one run of a command; later ones come from the same places.
const MOST: u32 = 24;
/// The kind of allocations.
const MEMORY: &str = "memory";

/// The library; `None`, and the test noted as skipped, where it cannot be made or loaded. Tests run beside each other, and it is
/// made once for all of them: a program that starts while its file is written runs without it.
fn shim() -> Option<&'static Path> {
    static SHIM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    SHIM.get_or_init(make_shim).as_deref().inspect_err(|why| skip(why)).ok()
}

/// `Err` with the reason why this machine has no such library.
fn make_shim() -> Result<PathBuf, String> {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return Err("the system has no LD_PRELOAD as on Linux".into());
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/shim.c");
    let library = folder("faults-shim").join("shim.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu11", "-O1", "-shared", "-fPIC"]).arg(source).arg("-o").arg(&library).arg("-ldl");
    match compiler.output() {
        Ok(output) if output.status.success() => Ok(library),
        Ok(output) => panic!("{}", text(&output.stderr)),
        Err(why) => Err(format!("there is no C compiler: {why}")),
    }
}

/// A command of `picaflor`, with what it finds in its folder.
struct Case<'a> {
    shim: &'a Path,
    folder: PathBuf,
    args: Vec<&'a str>,
    /// Files of which only their existence is compared: they hold times, or compiled code.
    loose: &'a [&'a str],
}

impl Case<'_> {
    /// Empties the folder, but for the inputs.
    fn reset(&self) {
        for name in names(&self.folder) {
            let path = self.folder.join(&name);
            match name.as_str() {
                "in.cap" | "in.pica" => {}
                _ if path.is_dir() => fs::remove_dir_all(path).expect("removed"),
                _ => fs::remove_file(path).expect("removed"),
            }
        }
    }

    fn run(&self, variable: (&str, &str)) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
        command.current_dir(&self.folder).args(&self.args).stdin(Stdio::null());
        command.env("LD_PRELOAD", self.shim).env(variable.0, variable.1).env("RUST_BACKTRACE", "0");
        command.output().expect("the program runs")
    }

    /// How often each call is made.
    fn counts(&self) -> BTreeMap<String, u32> {
        let path = self.folder.with_extension("counts");
        self.reset();
        let output = self.run(("PICAFLOR_FAULT_COUNTS", path.to_str().expect("UTF-8")));
        assert!(output.status.success(), "{:?}: {}", self.args, text(&output.stderr));
        let lines = fs::read_to_string(path).expect("the counts");
        let count =
            |line: &str| line.split_once(' ').map(|(name, count)| (name.into(), count.parse().unwrap_or(0)));
        lines.lines().filter_map(count).collect()
    }

    /// The files that the command wrote, with their contents.
    fn written(&self) -> BTreeMap<String, Vec<u8>> {
        let read = |name: String| {
            let contents = if self.loose.contains(&&*name) { Some(Vec::new()) } else { None };
            let contents = contents.unwrap_or_else(|| fs::read(self.folder.join(&name)).expect("a file"));
            (name, contents)
        };
        names(&self.folder).into_iter().map(read).collect()
    }

    /// Lets every call but allocations fail once; returns the numbers of runs that went on and that refused.
    fn sweep(&self, most: u32) -> [u32; 2] {
        let counts = self.counts();
        let (whole, mut tally) = (self.written(), [0; 2]);
        for (call, &count) in counts.iter().filter(|(call, _)| *call != MEMORY) {
            for number in 1..=count.min(most) {
                self.reset();
                let output = self.run(("PICAFLOR_FAULT", &format!("{call}:{number}")));
                let (error, code) = (text(&output.stderr), output.status.code());
                let what = format!("{:?}, {call} {number}: {code:?}\n{error}", self.args);
                assert!(matches!(code, Some(0 | 1)) && !error.contains("panicked"), "{what}");
                // A write to standard error that fails takes its line along.
                assert!(code == Some(0) || error.lines().count() <= 1, "{what}");
                for (name, contents) in self.written() {
                    assert_eq!(whole.get(&name), Some(&contents), "{name}, {what}");
                }
                tally[usize::from(code == Some(1))] += 1;
            }
        }
        println!("{:?}: {} went on, {} refused; {counts:?}", self.args, tally[0], tally[1]);
        tally
    }

    /// Lets some allocations fail, each once, spread evenly; returns the numbers of runs that went on, that refused, that
    /// Rust's library ended, and that went on after a list was given up. Whatever happens, files are whole or not there; but a
    /// list that was given up is missing in a picture.
    fn sweep_memory(&self, most: u32) -> [u32; 4] {
        let count = self.counts().get(MEMORY).copied().unwrap_or(0);
        let (whole, mut tally) = (self.written(), [0; 4]);
        for number in (1..=count).step_by(count.div_ceil(most).max(1) as usize) {
            self.reset();
            let output = self.run(("PICAFLOR_FAULT", &format!("{MEMORY}:{number}")));
            let (error, code) = (text(&output.stderr), output.status.code());
            let what = format!("{:?}, {MEMORY} {number}: {code:?}\n{error}", self.args);
            let outcome = match code {
                Some(0) if error.contains("the run was stopped for lack of memory") => 3,
                Some(0) => 0,
                Some(1) => 1,
                None if error.starts_with("memory allocation of ") => 2,
                _ => panic!("{what}"),
            };
            // Rust's library adds how to get a backtrace.
            let has_one_line = outcome != 1 || error.lines().count() <= 1;
            assert!(!error.contains("panicked") && has_one_line, "{what}");
            for (name, contents) in self.written() {
                let is_part = outcome == 2 && name.ends_with(".part");
                assert!(is_part || outcome == 3 || whole.get(&name) == Some(&contents), "{name}, {what}");
            }
            tally[outcome] += 1;
        }
        println!("{:?}: {tally:?} of {count} allocations", self.args);
        tally
    }
}

/// Runs commands under every fault; returns the sums of their runs.
fn sweep(name: &str, commands: &[(&str, &[&str])]) -> Option<[u32; 2]> {
    let sums = each_case(name, commands, |case| case.sweep(MOST))?;
    println!("{name}: {} went on, {} refused", sums[0], sums[1]);
    Some(sums)
}

/// Sums of what `run` counts for each command.
fn each_case<const N: usize>(
    name: &str,
    commands: &[(&str, &[&str])],
    run: impl Fn(&Case<'_>) -> [u32; N],
) -> Option<[u32; N]> {
    let shim = shim()?;
    let folder = folder(&format!("faults-{name}"));
    let made = crate::process::picaflor_in(&folder, "cut scene:transforms --draws 0..4 -o in.cap");
    assert!(made.status.success(), "{}", text(&made.stderr));
    fs::write(folder.join("in.pica"), ".proc main\nmov o0, v0\nend\n.end\n").expect("a source");
    let mut sums = [0; N];
    for &(args, loose) in commands {
        let args = args.split_whitespace().collect();
        let tally = run(&Case { shim, folder: folder.clone(), args, loose });
        sums = std::array::from_fn(|n| sums[n] + tally[n]);
    }
    Some(sums)
}

type Commands<const N: usize> = [(&'static str, &'static [&'static str]); N];

const MACHINES: Commands<4> = [
    ("render scene:game_frame -o out.png --cache cache --threads 2", &["cache"]),
    ("render in.cap -o out.png --engine interp --threads 2", &[]),
    ("render ge:game -o out.png --threads 2", &[]),
    ("diff in.cap --cache cache --out differences", &["cache", "differences"]),
];

const TOOLS: Commands<6> = [
    ("info in.cap --json", &[]),
    ("asm in.pica -o out.shbin", &[]),
    ("draws in.cap", &[]),
    ("cut in.cap --draws 0..2 -o out.cap", &[]),
    ("fuzz --cases 3 --results out.jsonl", &["out.jsonl"]),
    ("demo --only transforms -o demo", &["demo"]),
];

/// Machines: mappings of code, protections, threads, the cache on disk.
#[test]
fn machines_go_on() {
    let Some([went_on, refused]) = sweep("machines", &MACHINES) else { return };
    assert!(went_on > 100 && refused > 0, "{went_on} {refused}");
}

/// Tools: files that are read and written, threads of campaigns, output.
#[test]
fn tools_go_on_or_refuse() {
    let Some([went_on, refused]) = sweep("tools", &TOOLS) else { return };
    assert!(went_on > 40 && refused > 20, "{went_on} {refused}");
}

/// Large allocations of all commands, some of each.
#[test]
fn allocations() {
    let commands: Vec<_> = MACHINES.into_iter().chain(TOOLS).collect();
    let Some(sums) = each_case("allocations", &commands, |case| case.sweep_memory(8)) else { return };
    let [went_on, refused, ended, given_up] = sums;
    println!("{went_on} went on, {refused} refused, {ended} were ended, {given_up} gave a list up");
    assert!(went_on > 0 && refused > 0);
}

/// Where a machine has no memory for vertices or primitives the list ends, and the machine goes on with the next one.
#[test]
fn lists_that_have_no_memory() {
    let all = |case: &Case<'_>| case.sweep_memory(u32::MAX);
    let commands = [
        MACHINES[2],
        ("render scene:particles -o out.png --threads 2", &[][..]),
        ("render scene:skinned_character -o out.png --threads 2", &[]),
    ];
    let Some([_, _, ended, given_up]) = each_case("lists-without-memory", &commands, all) else { return };
    assert!(given_up > 10, "{given_up} lists were given up, {ended} runs were ended");
}

/// A list that one machine gave up for want of memory differs from that of the other, and is no difference of engines. A sweep
/// fails where a report of one is written.
#[test]
fn comparisons_that_have_no_memory() {
    let all = |case: &Case<'_>| case.sweep_memory(u32::MAX);
    let Some(sums) = each_case("comparisons-without-memory", &MACHINES[3..], all) else { return };
    let [went_on, refused, _, given_up] = sums;
    assert!(went_on > 0 && refused > 0 && given_up == 0, "{went_on} {refused} {given_up}");
}

/// All of them.
#[test]
#[ignore = "takes minutes"]
fn every_allocation() {
    let commands: Vec<_> = MACHINES.into_iter().chain(TOOLS).collect();
    let Some(sums) = each_case("every-allocation", &commands, |case| case.sweep_memory(u32::MAX)) else {
        return;
    };
    let [went_on, refused, ended, given_up] = sums;
    println!("{went_on} went on, {refused} refused, {ended} were ended, {given_up} gave a list up");
}

/// A device that is always full takes neither messages nor results: no panic, and the exit code tells.
#[test]
#[cfg(target_os = "linux")]
fn full_standard_streams() {
    let folder = folder("faults-streams");
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    for (args, code) in [
        ("render missing.cap -o out.png", 1),
        ("fuzz --cases 3", 1),
        ("info scene:transforms --json", 1),
        ("render scene:transforms -o -", 1),
        // Its warnings are lost, and the picture is whole.
        ("render scene:transforms -o out.png --cache /dev/null/none", 0),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
        command.current_dir(&folder).args(args.split_whitespace()).stdin(Stdio::null());
        let status = command.stdout(full()).stderr(full()).status().expect("the program runs");
        assert_eq!(status.code(), Some(code), "{args}");
    }
}

/// Memory: a capture whose blocks do not fit is refused in one line. The address space is what is limited, so that the
/// allocation fails and not a later access.
#[test]
#[cfg(target_os = "linux")]
fn captures_that_do_not_fit() {
    let folder = folder("faults-memory");
    let mut capture = picaflor_scenes::pica::Scene::all()[0].capture(Precision::Console);
    capture.regions.push((0x4000_0000, 512 << 20));
    fs::write(folder.join("in.cap"), format::write(&capture)).expect("a capture");
    for (mebibytes, fits) in [(300, false), (450, false), (4000, true)] {
        let line = format!("ulimit -v {}; exec \"$0\" \"$@\"", mebibytes << 10);
        let mut command = Command::new("sh");
        command.current_dir(&folder).args(["-c", &line, env!("CARGO_BIN_EXE_picaflor")]);
        command.args(["render", "in.cap", "-o", "out.png", "--engine", "interp", "--threads", "1"]);
        let output = command.output().expect("a shell");
        let (error, code) = (text(&output.stderr), output.status.code());
        assert_eq!(code, Some(i32::from(!fits)), "{mebibytes} MiB: {error}");
        assert!(
            fits || error.lines().count() == 1 && error.contains("no memory"),
            "{mebibytes} MiB: {error}"
        );
    }
}
