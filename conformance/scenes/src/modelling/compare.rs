//! Codes of comparison functions, which the registers of both machines number alike.

/// Fails.
pub const NEVER: u32 = 0;
/// Passes.
pub const ALWAYS: u32 = 1;
/// Equal.
pub const EQUAL: u32 = 2;
/// Not equal.
pub const NOT_EQUAL: u32 = 3;
/// Less.
pub const LESS: u32 = 4;
/// Less or equal.
pub const LESS_EQUAL: u32 = 5;
/// Greater: nearer, as scenes use depth.
pub const GREATER: u32 = 6;
/// Greater or equal.
pub const GREATER_EQUAL: u32 = 7;
