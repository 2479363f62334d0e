//! The programs that are measured.

use std::fmt;

/// One of the programs in `data/`.
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
            Self::Transform => include_bytes!("../data/transform.shbin"),
            Self::Light => include_bytes!("../data/light.shbin"),
            Self::Skin => include_bytes!("../data/skin.shbin"),
            Self::Branchy => include_bytes!("../data/branchy.shbin"),
        }
    }
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
