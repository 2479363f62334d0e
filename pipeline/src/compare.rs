//! `CompareFunc`: the comparisons of both machines' tests.

crate::field_enum! {
    /// A comparison of the alpha, stencil or depth test: of a new value, or of a reference, with the stored one on the
    /// right. Both machines number them so (3dbrew; psp-ge.md 10.1).
    pub enum CompareFunc {
        /// Fails.
        Never,
        /// Passes.
        Always,
        /// Equal.
        Equal,
        /// Not equal.
        NotEqual,
        /// Less.
        Less,
        /// Less or equal.
        LessEqual,
        /// Greater.
        Greater,
        /// Greater or equal.
        GreaterEqual,
    } else Never
}

impl CompareFunc {
    /// True if `incoming` passes against `stored`.
    #[must_use]
    pub const fn passes(self, incoming: u32, stored: u32) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::Equal => incoming == stored,
            Self::NotEqual => incoming != stored,
            Self::Less => incoming < stored,
            Self::LessEqual => incoming <= stored,
            Self::Greater => incoming > stored,
            Self::GreaterEqual => incoming >= stored,
        }
    }
}
