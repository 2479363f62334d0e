//! The PICA200 among the machines.

use super::{engine, replay};
use crate::features::{NONE, Topic, YES};
use crate::machine::{self, Machine, Reading, SceneName, listed};
use crate::pica::scene::Scene;
use picaflor_pipeline::capture::{Capture, CaptureError, format};
use picaflor_pipeline::pica::capture::ctf;
use picaflor_pipeline::pica::float::Precision;

/// Where in a file of the own format the first chunk begins, whose name differs from machine to machine.
const FIRST_CHUNK: usize = 12;

/// The PICA200.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pica;

impl From<machine::Precision> for Precision {
    fn from(precision: machine::Precision) -> Self {
        match precision {
            machine::Precision::Console => Self::Console,
            machine::Precision::Binary32 => Self::Binary32,
        }
    }
}

impl From<Precision> for machine::Precision {
    fn from(precision: Precision) -> Self {
        match precision {
            Precision::Console => Self::Console,
            Precision::Binary32 => Self::Binary32,
        }
    }
}

/// The name of a precision.
#[must_use]
pub fn precision_name(precision: Precision) -> &'static str {
    machine::Precision::from(precision).name()
}

impl Machine for Pica {
    const TITLE: &'static str = "PICA200 (3DS)";
    const PREFIX: &'static str = "";
    const HAS_PRECISIONS: bool = true;
    const ENGINES: &'static [&'static str] = &engine::NAMES;
    const NOUNS: [&'static str; 2] = ["triangles", "fragments"];
    const NOTHING: [&'static str; 2] =
        ["shows nothing: no screen is in use", "leaves no depth buffer behind"];

    type Capture = Capture;

    fn recognises(first: &[u8]) -> bool {
        let is_own = first.starts_with(format::MAGIC)
            && first.get(FIRST_CHUNK..).is_some_and(|rest| rest.starts_with(b"HEAD"));
        is_own || first.starts_with(ctf::MAGIC)
    }

    fn read(file: &[u8], how: Reading) -> Result<Capture, CaptureError> {
        let mut capture = Capture::read(file)?;
        capture.precision = how.precision.map_or(capture.precision, Precision::from);
        Ok(capture)
    }

    fn scenes() -> Vec<SceneName> {
        Scene::all().iter().map(|scene| SceneName { name: scene.name, about: scene.about }).collect()
    }

    fn scene(name: &str, how: Reading) -> Option<Capture> {
        let precision = how.precision.map_or(Precision::Console, Precision::from);
        Some(Scene::by_name(name)?.capture(precision))
    }

    fn no_scene(name: &str) -> String {
        format!("there is no scene `{name}`; the scenes are {}", listed(&Self::scenes()))
    }

    fn kind(capture: &Capture) -> (&'static str, &'static str) {
        ("precision", precision_name(capture.precision))
    }

    fn frames(capture: &Capture) -> usize {
        replay::frames(capture)
    }

    fn feature(topic: Topic) -> String {
        let text = match topic {
            Topic::Lists => "all registers, jumps",
            Topic::Vertices | Topic::Programs | Topic::Pixels => "compiled",
            Topic::Curves => "by geometry programs",
            Topic::Clipping | Topic::Recorder | Topic::Library | Topic::Threads | Topic::Disk => YES,
            Topic::Triangles => "compiled; no rectangles",
            Topic::Points => NONE,
            Topic::Feedback => "interpreted",
            Topic::Transfers => "fills, transfers, copies",
            Topic::Arithmetic => "24 bits as the chip, or 32",
            Topic::Captures => "own format, CiTrace",
            Topic::Engines => return engine::NAMES.join(", "),
            Topic::Consoles => "vectors",
        };
        text.into()
    }
}
