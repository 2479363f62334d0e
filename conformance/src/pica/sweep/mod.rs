//! Sweeps over all inputs: the recipes against correct rounding, and two engines against each other.
//!
//! ```
//! use picaflor_conformance::pica::sweep::{Op, correctly_rounded};
//!
//! let report = correctly_rounded(Op::Ex2, 0x3f80_0000..=0x3f80_ffff);
//! assert_eq!((report.inputs, report.misrounded), (0x1_0000, 0));
//! ```

mod double_double;
mod engines;
mod rounding;

pub use engines::{Difference, EngineReport, ONE_OPERAND, compare_engines};
pub use rounding::{Op, SweepReport, correctly_rounded, correctly_rounded_console};
