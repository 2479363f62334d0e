//! The shader unit: instruction set, programs, registers.

pub mod asm;
pub mod disasm;
pub mod instr;
pub mod ops;
pub mod program;
pub mod shbin;
pub mod steps;
pub mod unit;
