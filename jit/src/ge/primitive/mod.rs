//! Primitives: [`assembly`] over any number of batches, rejection and [`clip`], and [`set_up`].
//!
//! Source: psp-ge.md 5.5, 7.1, 7.2.

mod assembly;
mod clip;
mod set_up;
#[cfg(test)]
mod tests;

pub(crate) use assembly::primitives;
