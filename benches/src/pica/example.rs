//! The programs that are measured.

use std::fmt;

/// One of the programs in `data/`, where source and container lie side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Example {
    /// Four `DP4`, two attributes passed through.
    Transform,
    /// Four lights, fog, two texture matrices, without control flow.
    Light,
    /// Four-bone skinning with relative addressing, two lights in a `LOOP`, texture matrices.
    Skin,
    /// All control flow that vertices can take differently.
    Branchy,
}

impl Example {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 4] = [Self::Transform, Self::Light, Self::Skin, Self::Branchy];

    /// The name of the program's files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transform => "transform",
            Self::Light => "light",
            Self::Skin => "skin",
            Self::Branchy => "branchy",
        }
    }

    /// The example of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|example| example.name() == name)
    }

    /// The assembled program, an SHBIN file.
    #[must_use]
    pub const fn container(self) -> &'static [u8] {
        match self {
            Self::Transform => include_bytes!("../../data/transform.shbin"),
            Self::Light => include_bytes!("../../data/light.shbin"),
            Self::Skin => include_bytes!("../../data/skin.shbin"),
            Self::Branchy => include_bytes!("../../data/branchy.shbin"),
        }
    }
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Example;
    use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};

    fn source(example: Example) -> &'static str {
        match example {
            Example::Transform => include_str!("../../data/transform.v.pica"),
            Example::Light => include_str!("../../data/light.v.pica"),
            Example::Skin => include_str!("../../data/skin.v.pica"),
            Example::Branchy => include_str!("../../data/branchy.v.pica"),
        }
    }

    #[test]
    fn containers_are_what_the_sources_assemble_to() {
        for example in Example::ALL {
            let file = SourceFile::new(format!("{example}.v.pica"), source(example));
            let container = assemble(&[file], Options::default()).expect("a correct program");
            assert!(container.write() == example.container(), "{example}");
        }
    }
}
