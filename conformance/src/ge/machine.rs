//! The GE among the machines.

use super::{engine, replay};
use crate::features::{NONE, Topic, YES};
use crate::ge::scene::Scene;
use crate::machine::{Machine, Reading, SceneName, listed};
use picaflor_jit::keys::ge_pixel;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::ge::capture::ppdmp::{self, Lists};
use picaflor_pipeline::ge::capture::{Capture, format};
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::FlatMemory;

/// The GE of the PlayStation Portable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ge;

impl Machine for Ge {
    const TITLE: &'static str = "GE (PSP)";
    const PREFIX: &'static str = "ge:";
    const HAS_PRECISIONS: bool = false;
    const ENGINES: &'static [&'static str] = &engine::NAMES;
    const NOUNS: [&'static str; 2] = ["primitives", "pixels"];
    const NOTHING: [&'static str; 2] = ["shows nothing of this kind"; 2];

    type Capture = Capture;

    fn recognises(first: &[u8]) -> bool {
        first.starts_with(ppdmp::MAGIC) || format::is_ge(first)
    }

    fn read(file: &[u8], how: Reading) -> Result<Capture, CaptureError> {
        if !file.starts_with(ppdmp::MAGIC) {
            return format::read(file);
        }
        let lists = if how.in_pieces { Lists::OfRecords } else { Lists::Long };
        ppdmp::read(file).and_then(|dump| ppdmp::translate(&dump, lists)).map(|(capture, _)| capture)
    }

    fn scenes() -> Vec<SceneName> {
        Scene::all().iter().map(|scene| SceneName { name: scene.name, about: scene.about }).collect()
    }

    fn scene(name: &str, _: Reading) -> Option<Capture> {
        Some(Scene::by_name(name)?.capture())
    }

    fn no_scene(name: &str) -> String {
        format!("there is no scene `{name}` of the GE; they are {}", listed(&Self::scenes()))
    }

    fn kind(_: &Capture) -> (&'static str, &'static str) {
        ("machine", "GE")
    }

    fn frames(capture: &Capture) -> usize {
        replay::frames(capture)
    }

    fn feature(topic: Topic) -> String {
        let text = match topic {
            Topic::Lists => "all commands, calls, signals, queues, contexts",
            Topic::Vertices => "compiled, with lighting",
            Topic::Programs => NONE,
            Topic::Curves => "Bezier and spline patches",
            Topic::Clipping | Topic::Recorder | Topic::Library | Topic::Threads | Topic::Disk => YES,
            Topic::Triangles => shapes([Shape::Triangle, Shape::Rectangle]),
            Topic::Points => shapes([Shape::Point, Shape::Line]),
            Topic::Pixels => "compiled",
            Topic::Feedback => "interpreted",
            Topic::Transfers => "block transfers",
            Topic::Arithmetic => "as the chip",
            Topic::Captures => return dumps(),
            Topic::Engines => return engine::NAMES.join(", "),
            Topic::Consoles => "`hardware`, recordings of lists",
        };
        text.into()
    }
}

/// Whether compiled code draws all of these.
fn shapes(shapes: [Shape; 2]) -> &'static str {
    let (registers, clut) = (Registers::default(), Clut::default());
    let memory = FlatMemory::new(0, Vec::new());
    let maps = AddressMaps::default();
    let state = PixelState { registers: &registers, clut: &clut, memory: &memory, maps, is_immediate: false };
    let is_compiled = shapes.into_iter().all(|shape| ge_pixel(&state, shape).is_ok());
    if is_compiled { "compiled" } else { "interpreted" }
}

fn dumps() -> String {
    format!("own format, frame dumps (`.ppdmp`) {} to {}", ppdmp::VERSIONS.start(), ppdmp::VERSIONS.end())
}
