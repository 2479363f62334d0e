//! The `picaflor` binary: good and bad inputs, exit codes, one-line errors, nothing half-written.

use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("picaflor-cli-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("a temporary file");
        path
    }

    /// A container of this source.
    fn container(&self, source: &str) -> PathBuf {
        let files = [SourceFile::new("test.pica", source)];
        let shbin = assemble(&files, Options::default()).unwrap_or_else(|why| panic!("{why:?}"));
        self.write("test.shbin", &shbin.write())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn picaflor(args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_picaflor"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // A process that fails early does not read its input.
    let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn run(container: &Path, options: &[&str], input: &Value) -> Output {
    let mut args = vec!["shader", "run", container.to_str().expect("UTF-8")];
    args.extend(options);
    picaflor(&args, &input.to_string())
}

fn document(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Exit code 1, nothing on standard output, exactly one line which says this.
fn assert_fails(output: &Output, part: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(output.stdout.is_empty());
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("picaflor: error: ") && text.contains(part), "{text}");
}

const VERTEX: &str = "
.fvec scale
.bool twice
.constf half(0.5, 0.5, 0.5, 0.5)
.out outpos position
.out outclr color
.in inpos v0
.proc main
    mul r0, scale, inpos
    ifu twice
        add r0, r0, r0
        nop
    .end
    mov outpos, r0
    mul r1, half, -r0
    mov outclr, r1
    end
.end
";

#[test]
fn vertices_registers_and_bits() {
    let folder = Folder::new("vertices");
    let container = folder.container(VERTEX);
    let input = json!({
        "inputs": [{"v0": [1, 2.5, "0x40400000", "inf"]}, {"v0": [0, "nan", -1, 0.1]}],
        "float": {"c0": [2, 2, 2, 2]},
    });
    let got = document(&run(&container, &[], &input));
    let first = &got["outputs"][0];
    assert_eq!(first["o0"]["value"], json!([2.0, 5.0, 6.0, "inf"]));
    assert_eq!(first["o0"]["bits"], json!(["0x40000000", "0x40a00000", "0x40c00000", "0x7f800000"]));
    assert_eq!(first["o1"]["value"], json!([-1.0, -2.5, -3.0, "-inf"]));
    assert_eq!(
        got["outputs"][1]["o0"]["bits"],
        json!(["0x00000000", "0x7fc00000", "0xc0000000", "0x3e4ccc80"])
    );
    assert_eq!((got["outputs"].as_array().unwrap().len(), &got["faults"]), (2, &json!([])));
    assert_eq!(got["served"], "interpreter");
}

#[test]
fn the_precision_decides_the_last_bits() {
    let folder = Folder::new("precision");
    let container = folder.container(VERTEX);
    let input = json!({"inputs": [{"v0": [0.1, 0, 0, 0]}], "float": {"c0": [1, 1, 1, 1]}});
    let bits =
        |options: &[&str]| document(&run(&container, options, &input))["outputs"][0]["o0"]["bits"][0].clone();
    assert_eq!(bits(&[]), "0x3dcccc80");
    assert_eq!(bits(&["--precision", "binary32"]), "0x3dcccccd");
}

#[test]
fn booleans_and_semantics() {
    let folder = Folder::new("mapped");
    let container = folder.container(VERTEX);
    let input = json!({
        "inputs": [{"v0": [-1, 0.25, 4, 0]}],
        "float": {"c0": [1, 1, 1, 1]},
        "bool": {"b0": true},
    });
    let got = document(&run(&container, &["--mapped"], &input));
    let vertex = &got["outputs"][0];
    assert_eq!(vertex["position"]["value"], json!([-2.0, 0.5, 8.0, 0.0]));
    assert_eq!(vertex["color"]["value"], json!([1.0, 0.25, 1.0, 0.0]));
    assert_eq!(vertex["texcoord0"]["value"], json!([1.0, 1.0]), "what is not mapped is 1");
}

#[test]
fn a_trace_names_every_step() {
    let folder = Folder::new("trace");
    let container = folder.container(VERTEX);
    let got = document(&run(&container, &["--trace"], &json!({"inputs": [{}, {}]})));
    let steps = got["trace"][1].as_array().unwrap();
    assert_eq!((got["trace"].as_array().unwrap().len(), steps.len()), (2, 6), "{steps:?}");
    assert!(steps[0].as_str().unwrap().contains("mul"));
}

#[test]
fn a_geometry_program_emits() {
    let folder = Folder::new("geometry");
    let container = folder.container(
        "
.gsh point c0
.out outpos position
.proc main
    add r1, v0, r1
    mov outpos, r1
    setemit 0
    emit
    setemit 2, prim inv
    mov outpos, v0
    emit
    end
.end
",
    );
    let input = json!({"inputs": [{"v0": [1, 0, 0, 1]}, {"v0": [2, 0, 0, 1]}]});
    let got = document(&run(&container, &[], &input));
    let emitted = got["emitted"].as_array().unwrap();
    let x: Vec<&Value> = emitted.iter().map(|vertex| &vertex["o0"]["value"][0]).collect();
    assert_eq!(x, [1.0, 1.0, 3.0, 2.0], "r1 persists from run to run");
    let flags = |n: usize| ["run", "id", "primitive", "winding"].map(|key| emitted[n][key].clone());
    assert_eq!(flags(0), [json!(0), json!(0), json!(false), json!(false)]);
    assert_eq!(flags(3), [json!(1), json!(2), json!(true), json!(true)]);
    let mapped = document(&run(&container, &["--mapped"], &input));
    assert_eq!(mapped["emitted"][2]["position"]["value"], json!([3.0, 0.0, 0.0, 2.0]));
}

#[test]
fn an_endless_program_is_a_fault_of_its_vertex() {
    let folder = Folder::new("endless");
    let source = ".out outpos position\n.proc main\nagain:\n nop\n jmpu !b0, again\n nop\n end\n.end\n";
    let container = folder.container(source);
    let got = document(&run(&container, &["--budget", "100"], &json!({"inputs": [{}, {}]})));
    let faults: Vec<&str> = got["faults"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    assert_eq!(faults.len(), 2);
    assert!(faults[1].contains("vertex 1"), "{faults:?}");
}

#[test]
fn programs_of_the_project_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/shader");
    for (name, outputs) in [("light", 5), ("skin", 7), ("branchy", 3)] {
        let container = folder.join(name).with_extension("shbin");
        let input = json!({"inputs": [{"v0": [1, 2, 3, 1]}, {"v0": [-0.1, "inf", "nan", 1]}]});
        let got = document(&run(&container, &[], &input));
        let compiled = document(&run(&container, &["--engine", "jit"], &input));
        assert_eq!(
            (&compiled["outputs"], &compiled["served"]),
            (&got["outputs"], &json!("compiled")),
            "{name}"
        );
        let vertex = got["outputs"][0].as_object().unwrap();
        assert_eq!(vertex.len(), outputs, "{name}");
    }
}

#[test]
fn bad_inputs_are_named_with_their_position() {
    let folder = Folder::new("inputs");
    let container = folder.container(VERTEX);
    let container = container.to_str().unwrap();
    for (text, part) in [
        ("", "line 1 column 0"),
        ("{\"inputs\":\n[{\"v0\":[1,2,3]}]}", "line 2 column"),
        ("{\"inputs\":[{\"v99\":[1,2,3,4]}]}", "v99"),
        ("{\"inputs\":[{\"v0\":[1,2,3,\"0x123456789\"]}]}", "0x123456789"),
        ("{\"int\":{\"i4\":[1,2,3,4]}}", "i4"),
        ("{\"bool\":{\"b0\":1}}", "boolean"),
        ("{\"input\":[]}", "unknown field `input`"),
        ("{} x", "trailing characters"),
    ] {
        assert_fails(&picaflor(&["shader", "run", container], text), part);
    }
    let inputs = folder.write("latin1.json", b"{\"inputs\":[]} \xff");
    assert_fails(&picaflor(&["shader", "run", container, inputs.to_str().unwrap()], ""), "byte 14");
}

#[test]
fn bad_containers_are_named_with_their_offset() {
    let folder = Folder::new("containers");
    let whole = std::fs::read(folder.container(VERTEX)).unwrap();
    for length in (0..whole.len() - 1).step_by(23) {
        let cut = folder.write("cut.shbin", &whole[..length]);
        assert_fails(&run(&cut, &[], &json!({})), "offset 0x");
    }
    let missing = folder.0.join("missing.shbin");
    assert_fails(&run(&missing, &[], &json!({})), "cannot read");
}

#[test]
fn unknown_entries_are_named() {
    let folder = Folder::new("entries");
    let container = folder.container(VERTEX);
    assert_fails(&run(&container, &["--entry", "1"], &json!({})), "`1`");
    assert_fails(&run(&container, &["--entry", "nowhere"], &json!({})), "`nowhere`");
    let got = document(&run(&container, &["--entry", "0"], &json!({})));
    assert_eq!(got["outputs"], json!([]));
}

#[test]
fn assemble_run_and_disassemble() {
    let folder = Folder::new("assemble");
    let source = folder.write("a.v.pica", VERTEX.as_bytes());
    let container = folder.0.join("a.shbin");
    let (source, container) = (source.to_str().unwrap(), container.to_str().unwrap());
    let assembled = picaflor(&["asm", source, "-o", container], "");
    assert_eq!(assembled.status.code(), Some(0));
    let got = document(&run(Path::new(container), &[], &json!({"inputs": [{"v0": [1, 1, 1, 1]}]})));
    assert_eq!(got["outputs"][0]["o0"]["value"], json!([0.0, 0.0, 0.0, 0.0]));
    let text = picaflor(&["disasm", container], "");
    assert_eq!(text.status.code(), Some(0));
    let again = folder.write("b.v.pica", &text.stdout);
    let second = folder.0.join("b.shbin");
    let assembled = picaflor(&["asm", again.to_str().unwrap(), "-o", second.to_str().unwrap()], "");
    assert_eq!(assembled.status.code(), Some(0));
    assert_eq!(document(&run(&second, &[], &json!({})))["outputs"], json!([]));
}

#[test]
fn a_wrong_source_leaves_the_output_as_it_was() {
    let folder = Folder::new("wrong");
    let source = folder.write("bad.v.pica", b".proc main\n    frobnicate r0, r1\n    end\n.end\n");
    let container = folder.write("bad.shbin", b"old");
    let output = picaflor(&["asm", source.to_str().unwrap(), "-o", container.to_str().unwrap()], "");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("picaflor: error: ") && text.contains("bad.v.pica:2:"), "{text}");
    assert!(text.contains("frobnicate r0, r1"), "the line is shown: {text}");
    assert_eq!(std::fs::read(&container).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 2);
    assert_fails(&picaflor(&["disasm", container.to_str().unwrap()], ""), "offset 0x0");
}

#[test]
fn usage_errors_exit_with_2() {
    for args in [
        &["shader"][..],
        &["shader", "run"],
        &["shader", "run", "x.shbin", "--engine", "gpu"],
        &["shader", "run", "x.shbin", "--budget", "many"],
        &["shader", "run", "x.shbin", "--frobnicate"],
        &["frobnicate"],
        &[],
    ] {
        let output = picaflor(args, "");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn every_subcommand_shows_an_example() {
    let help = |args: &[&str]| {
        let output = picaflor(args, "");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let overview = help(&["--help"]);
    let listed = overview.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    // Descriptions go on in lines that are indented further.
    let entries = listed.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = entries.filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.contains(&"shader"), "{overview}");
    for name in names {
        assert!(help(&[name, "--help"]).contains("Example"), "{name}");
    }
    assert!(help(&["shader", "run", "--help"]).contains("Example"));
}
