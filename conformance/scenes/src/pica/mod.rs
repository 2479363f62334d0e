//! Scenes of the project's own, and the tools they are made with.
//!
//! A [`Scene`] is a name, a sentence and a function that builds it with a [`Kit`]: guest memory, command lists and
//! actions of a host, kept as a capture. Scenes are golden images, benches, and examples of programming the machine.

pub mod encode;
pub mod flat;
pub mod gallery;
pub mod kit;
pub mod light;
pub mod programs;
pub mod state;

use kit::Kit;
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::float::Precision;

/// A scene.
#[derive(Clone, Copy)]
pub struct Scene {
    /// Short name, which is also the name of its files.
    pub name: &'static str,
    /// The content of the picture, in a sentence.
    pub about: &'static str,
    /// Builds it.
    pub build: fn(&mut Kit),
}

impl Scene {
    /// All scenes, in the order in which `demo` shows them.
    #[must_use]
    pub fn all() -> Vec<Self> {
        gallery::all()
    }

    /// The scene of a name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|scene| scene.name == name)
    }

    /// The scene as a capture.
    #[must_use]
    pub fn capture(&self, precision: Precision) -> Capture {
        let mut kit = Kit::new();
        (self.build)(&mut kit);
        kit.finish(precision)
    }
}
