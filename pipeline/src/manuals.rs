//! The hardware manuals, as text: `docs/hardware`.

/// A manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manual {
    /// Name of its file, without the ending.
    pub name: &'static str,
    /// Markdown.
    pub text: &'static str,
}

macro_rules! manual {
    ($name:literal) => {
        Manual { name: $name, text: include_str!(concat!("../docs/hardware/", $name, ".md")) }
    };
}

/// All of them; the index is first.
pub const ALL: [Manual; 7] = [
    manual!("index"),
    manual!("pica-shader"),
    manual!("pica-geometry"),
    manual!("pica-fragment"),
    manual!("psp-ge"),
    manual!("coverage-pica"),
    manual!("coverage-ge"),
];
