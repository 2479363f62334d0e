//! The PICA200 for C: the shader level ([`program`], [`shade`], [`geometry`]), and the machine ([`gpu`], [`work`], `record`).

pub(crate) mod entry;
pub(crate) mod geometry;
pub(crate) mod gpu;
pub(crate) mod program;
mod record;
mod replay;
pub(crate) mod shade;
mod state;
mod stop;
pub(crate) mod timing;
pub(crate) mod work;

use crate::status::Failure;
use picaflor_pipeline::pica::float::Precision;

/// Precision by its number in the header.
pub(crate) fn precision(code: u32) -> Result<Precision, Failure> {
    match code {
        0 => Ok(Precision::Console),
        1 => Ok(Precision::Binary32),
        _ => Err(Failure::argument(format!("precision {code}"))),
    }
}
