//! The shader unit: instruction set, programs, registers.

pub mod instr;
pub mod ops;
pub mod program;
pub mod unit;
