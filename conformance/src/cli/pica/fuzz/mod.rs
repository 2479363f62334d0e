//! `picaflor fuzz` of the PICA200: shader programs, fragment states, the laws of their keys, calls of the primitive and
//! blit seams, and command lists.

pub(in crate::cli) mod fragment;
pub(in crate::cli) mod law;
pub(in crate::cli) mod list;
pub(in crate::cli) mod seam;
pub(in crate::cli) mod shader;
