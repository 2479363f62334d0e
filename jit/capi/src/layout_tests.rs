//! The structures of the header and those of this crate have the same layout, by the word of a C compiler.

use crate::pica::{entry, geometry, gpu, program, shade, timing, work};
use crate::{engine, fault, ge, hooks, memory, picture, raw, record, replay, textures, trace};
use std::fmt::Write as _;
use std::io::Write as _;
use std::mem::offset_of;
use std::process::{Command, Stdio};

/// Size, and name and offset of every member.
type Layout = (usize, Vec<(&'static str, usize)>);

/// Every structure by its name in the header.
fn layouts() -> Vec<(&'static str, Layout)> {
    vec![
        ("engine_config", engine::EngineConfig::layout()),
        ("engine_stats", engine::EngineStats::layout()),
        ("fault", fault::FaultInfo::layout()),
        ("uniforms", program::UniformValues::layout()),
        ("attribute", shade::Attribute::layout()),
        ("batch", shade::Batch::layout()),
        ("float_batch", shade::FloatBatch::layout()),
        ("shaded", shade::Shaded::layout()),
        ("compiled", shade::Compiled::layout()),
        ("geometry_run", geometry::Run::layout()),
        ("emission", geometry::Emitted::layout()),
        ("region", memory::Region::layout()),
        ("memory", memory::MemoryConfig::layout()),
        ("limits", gpu::LimitsConfig::layout()),
        ("gpu_config", gpu::GpuConfig::layout()),
        ("gpu_stats", gpu::GpuStats::layout()),
        ("transfer", work::Transfer::layout()),
        ("picture_buffer", picture::BufferConfig::layout()),
        ("range", record::Range::layout()),
        ("frame", replay::FrameInfo::layout()),
        ("hooks", hooks::HooksConfig::layout()),
        ("event", hooks::EventInfo::layout()),
        ("texture", textures::TextureInfo::layout()),
        ("textures", textures::TexturesConfig::layout()),
        ("gpu_rates", timing::RatesConfig::layout()),
        ("trace", trace::TraceConfig::layout()),
        ("note", trace::NoteInfo::layout()),
        ("delay", timing::DelayInfo::layout()),
        ("ge_rates", ge::timing::RatesConfig::layout()),
        ("unit_state", geometry::UnitState::layout()),
        ("register_range", entry::RegisterRange::layout()),
        ("draw", entry::Draw::layout()),
        ("triangle", entry::TriangleInfo::layout()),
        ("ge_vertex", ge::entry::VertexInfo::layout()),
        ("ge_corner", ge::entry::CornerInfo::layout()),
        ("ge_primitive", ge::entry::PrimitiveInfo::layout()),
        ("ge_transfer", ge::entry::TransferConfig::layout()),
        ("ge_limits", ge::LimitsConfig::layout()),
        ("ge_config", ge::GeConfig::layout()),
        ("ge_list", ge::lists::List::layout()),
        ("ge_interrupt", ge::lists::InterruptInfo::layout()),
        ("ge_stats", ge::GeStats::layout()),
    ]
}

fn header() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/include/picaflor.h");
    std::fs::read_to_string(path).expect("the header")
}

/// A C file that compiles if the layouts agree.
fn assertions() -> String {
    let mut source = String::from("#include \"picaflor.h\"\n");
    for (name, (size, members)) in layouts() {
        let mut check = |what: String, value| {
            let _ = writeln!(source, "_Static_assert({what} == {value}, \"{what}\");");
        };
        check(format!("sizeof(picaflor_{name})"), size);
        for (member, offset) in members {
            check(format!("offsetof(picaflor_{name}, {member})"), offset);
        }
    }
    source
}

/// The compiler's exit status and complaints; `None` where there is no C compiler for this machine.
fn compile(source: &str) -> Option<(bool, String)> {
    let machine = Command::new("cc").arg("-dumpmachine").output().ok()?;
    if !String::from_utf8_lossy(&machine.stdout).starts_with(std::env::consts::ARCH) {
        return None;
    }
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include");
    let mut compiler = Command::new("cc")
        .args(["-std=c11", "-fsyntax-only", include, "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    compiler.stdin.take()?.write_all(source.as_bytes()).ok()?;
    let output = compiler.wait_with_output().ok()?;
    Some((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[test]
fn a_c_compiler_agrees() {
    let Some((fine, complaints)) = compile(&assertions()) else {
        return crate::skip::skip("there is no C compiler for this machine");
    };
    assert!(fine, "{complaints}");
    let wrong = assertions().replacen(" == ", " == 1 + ", 1);
    assert!(compile(&wrong).is_some_and(|(fine, _)| !fine), "the compiler checks them");
}

#[test]
fn every_structure_is_compared() {
    let declared =
        header().lines().filter(|line| line.starts_with("typedef struct") && line.ends_with('{')).count();
    assert_eq!(declared, layouts().len());
}

/// The fields of the states have the numbers and names that the header gives them.
#[test]
fn fields_have_their_numbers() {
    let header = header();
    let gpu = picaflor_pipeline::pica::Field::ALL.map(|field| ("", field.name(), field as u32));
    let ge = picaflor_pipeline::ge::Field::ALL.map(|field| ("GE_", field.name(), field as u32));
    for (machine, name, number) in gpu.into_iter().chain(ge) {
        let line = format!("    PICAFLOR_{machine}FIELD_{} = {number},\n", name.to_uppercase());
        assert!(header.contains(&line), "{line}");
    }
}

#[test]
fn structures_grow_both_ways() {
    #[repr(C)]
    struct Newer {
        range: work::Transfer,
        added: u64,
    }
    let transfer = |size| work::Transfer { size, input: 1, ..raw::tests::zero() };
    let whole = size_of::<work::Transfer>();
    // A caller that knows fewer members: the others are zero.
    let older = work::Transfer { output: 2, ..transfer(offset_of!(work::Transfer, output)) };
    let read = raw::tests::input::<_, work::Transfer>(&older).read("older").expect("older callers");
    assert_eq!((read.input, read.output), (1, 0));
    // One that knows more: fine, unless it sets them.
    let mut newer = Newer { range: transfer(size_of::<Newer>()), added: 0 };
    assert!(raw::tests::input::<_, work::Transfer>(&newer).read("newer").is_ok());
    newer.added = 1 << 40;
    let refused = raw::tests::input::<_, work::Transfer>(&newer).read("newer").map(|_| ()).unwrap_err();
    assert_eq!(refused.status, crate::status::Status::Size);
    // 10 lies inside a member.
    for size in [0, 7, 10, 4097, usize::MAX] {
        assert!(
            raw::tests::input::<_, work::Transfer>(&transfer(size)).read("a size that is none").is_err(),
            "{size}, not {whole}"
        );
    }
}

#[test]
fn results_grow_both_ways() {
    let stats = gpu::GpuStats { vertices: 7, triangles: 8, ..raw::tests::zero() };
    let known = offset_of!(gpu::GpuStats, triangles);
    let mut older = gpu::GpuStats { size: known, triangles: 99, ..raw::tests::zero() };
    raw::tests::fill::<_, gpu::GpuStats>(&mut older).write(&stats, "older").expect("older callers");
    assert_eq!((older.size, older.vertices, older.triangles), (known, 7, 99));
    #[repr(C)]
    struct Newer {
        stats: gpu::GpuStats,
        added: u64,
    }
    let size = size_of::<Newer>();
    let mut newer = Newer { stats: gpu::GpuStats { size, ..raw::tests::zero() }, added: 5 };
    raw::tests::fill::<_, gpu::GpuStats>(&mut newer).write(&stats, "newer").expect("newer callers");
    assert_eq!((newer.stats.size, newer.stats.triangles, newer.added), (size, 8, 0));
}
