//! Scenes of the project's own for the GE, and the tools they are made with.
//!
//! A [`Scene`] is a name, a sentence and a function that builds it with a [`Kit`]: main memory, VRAM and display
//! lists as a program would write them, kept as a capture.
//!
//! * [`kit`] lays out memory and submits lists, [`state`] sets registers by name.
//! * [`vertices`] writes vertex records of every layout, [`texture`] pictures in every texture format.

mod colour;
pub mod draw;
mod gallery;
pub mod kit;
pub mod state;
pub mod texture;
pub mod vertices;

use kit::Kit;
use picaflor_pipeline::ge::capture::Capture;

/// A scene.
#[derive(Clone, Copy)]
pub struct Scene {
    /// Short name.
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
    pub fn capture(&self) -> Capture {
        let mut kit = Kit::new();
        (self.build)(&mut kit);
        kit.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_file_names_of_their_own() {
        let scenes = Scene::all();
        let names: BTreeSet<&str> = scenes.iter().map(|scene| scene.name).collect();
        assert_eq!(names.len(), scenes.len());
        assert!(!names.contains("all"), "a name with a meaning of its own");
        let is_plain = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(names.iter().all(is_plain), "{names:?}");
        assert!(scenes.iter().all(|scene| !scene.about.is_empty() && Scene::by_name(scene.name).is_some()));
    }
}
