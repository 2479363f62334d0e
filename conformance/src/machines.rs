//! What works on which machine, as a table. What code can answer is asked of code, so that the table cannot say
//! otherwise; the README shows it, and a test holds the two against each other.

use crate::ge;
use crate::pica::engine;
use picaflor_jit::keys::ge_pixel;
use picaflor_pipeline::ge::capture::ppdmp;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_scenes as scenes;

/// Something that a machine does, or that can be done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// What.
    pub name: &'static str,
    /// On the PICA200 of the 3DS.
    pub pica: String,
    /// On the GE of the PSP.
    pub ge: String,
}

/// What there is nothing of.
const NONE: &str = "–";
/// What is there.
const YES: &str = "yes";

/// The table. `fuzz` holds the kinds of cases that `picaflor fuzz` knows.
#[must_use]
pub fn features(fuzz: &[String]) -> Vec<Feature> {
    let row = |name, pica: &str, ge: &str| Feature { name, pica: pica.into(), ge: ge.into() };
    [
        vec![
            row("Command lists", "all registers, jumps", "all commands, calls, signals, queues, contexts"),
            row("Vertex fetch and transform", "compiled", "compiled, with lighting"),
            row("Vertex and geometry programs", "compiled", NONE),
            row("Curved surfaces", "by geometry programs", "Bezier and spline patches"),
            row("Clipping, rasterizing", YES, YES),
            row(
                "Triangles, rectangles",
                "compiled; no rectangles",
                &shapes([Shape::Triangle, Shape::Rectangle]),
            ),
            row("Points, lines", NONE, &shapes([Shape::Point, Shape::Line])),
            row("Textures, tests, blending", "compiled", "compiled"),
            row("Textures that are drawn to at once", "interpreted", "interpreted"),
            row("Fills, transfers", "fills, transfers, copies", "block transfers"),
            row("Arithmetic", "24 bits as the chip, or 32", "as the chip"),
        ],
        vec![
            row("Captures that are read", "own format, CiTrace", &dumps()),
            row("Recorder", YES, YES),
            row("C library", YES, YES),
            row("Threads", YES, YES),
            row("Compiled routines kept on disk", YES, YES),
        ],
        vec![
            row("Engines", &engine::NAMES.join(", "), &ge::engine::NAMES.join(", ")),
            row("`render`, `diff`, `info`, `bench`, `demo`", YES, YES),
            row("Reports, JUnit, shards", YES, YES),
            row(
                "Scenes",
                &scenes::pica::Scene::all().len().to_string(),
                &scenes::ge::Scene::all().len().to_string(),
            ),
            row("Held against consoles", "vectors", "`hardware`, recordings of lists"),
            row("`fuzz --kind`", &kinds(fuzz, false), &kinds(fuzz, true)),
        ],
    ]
    .concat()
}

/// Whether compiled code draws all of these.
fn shapes(shapes: [Shape; 2]) -> String {
    let (registers, clut) = (Registers::default(), Clut::default());
    let memory = FlatMemory::new(0, Vec::new());
    let maps = AddressMaps::default();
    let state = PixelState { registers: &registers, clut: &clut, memory: &memory, maps, is_immediate: false };
    let is_compiled = shapes.into_iter().all(|shape| ge_pixel(&state, shape).is_ok());
    if is_compiled { "compiled".into() } else { "interpreted".into() }
}

fn dumps() -> String {
    format!("own format, frame dumps (`.ppdmp`) {} to {}", ppdmp::VERSIONS.start(), ppdmp::VERSIONS.end())
}

/// The kinds of cases of a machine.
fn kinds(fuzz: &[String], ge: bool) -> String {
    let kinds: Vec<&str> =
        fuzz.iter().map(String::as_str).filter(|kind| kind.starts_with("ge-") == ge).collect();
    kinds.join(", ")
}

/// The table as Markdown.
#[must_use]
pub fn markdown(features: &[Feature]) -> String {
    let rows = features.iter().map(|Feature { name, pica, ge }| format!("| {name} | {pica} | {ge} |\n"));
    format!("| | PICA200 (3DS) | GE (PSP) |\n|---|---|---|\n{}", rows.collect::<String>())
}
