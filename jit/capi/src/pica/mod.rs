//! The PICA200 for C: the shader level ([`program`], [`shade`], [`geometry`]), and the machine ([`gpu`], [`work`]).

pub(crate) mod geometry;
pub(crate) mod gpu;
pub(crate) mod program;
pub(crate) mod shade;
pub(crate) mod work;
