//! `picaflor fuzz` of the GE: random states of both stages, and display lists.

pub(in crate::cli) mod list;
pub(in crate::cli) mod states;
