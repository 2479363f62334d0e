//! Where the hardware manuals describe the registers of a machine, as the page links them.

use serde_json::{Value, json};

/// A section of a manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// The manual: a name of [`picaflor_pipeline::manuals`].
    pub manual: &'static str,
    /// Number of the section. These never change.
    pub number: &'static str,
    /// What it is about: the first words of its heading.
    pub title: &'static str,
}

/// The sections about registers.
#[derive(Debug, Clone, Copy)]
pub struct Manual {
    /// The manual with a row for each field of each register, which it anchors as `r` and the number.
    pub fields: &'static str,
    /// Sections that list registers, each from a register on.
    pub groups: &'static [(u32, Section)],
    /// Sections that say what registers do, each from its first to its last one.
    pub topics: &'static [(u32, u32, Section)],
}

impl Manual {
    /// For the page.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let object = |first: u32, last: Option<u32>, of: Section| json!({ "first": first, "last": last, "manual": of.manual, "section": of.number, "title": of.title });
        let groups = self.groups.iter().map(|&(first, of)| object(first, None, of));
        let topics = self.topics.iter().map(|&(first, last, of)| object(first, Some(last), of));
        json!({
            "fields": self.fields,
            "groups": groups.collect::<Vec<_>>(),
            "topics": topics.collect::<Vec<_>>(),
        })
    }
}
