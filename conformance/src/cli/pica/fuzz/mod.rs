//! `picaflor fuzz` of the PICA200: fragment states, the laws of their keys, and command lists.

pub(in crate::cli) mod fragment;
pub(in crate::cli) mod law;
pub(in crate::cli) mod list;
