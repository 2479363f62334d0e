//! Shader programs as native code. Four vertices at a time, one CLIF value for each register component.
//!
//! Start with [`vertex::build`]; [`graph`] is the view of control flow, [`flow`] emits it, [`alu`] has one arm for
//! each opcode. [`stage`] runs the routines, [`kinds`] connects them to the core.

mod alu;
pub(crate) mod fetch;
mod flow;
pub(crate) mod geometry;
pub(crate) mod graph;
mod groups;
mod kinds;
mod lower;
mod places;
pub(crate) mod vertex;

mod batch;
mod known;
#[cfg(test)]
mod lowering_tests;
pub(crate) mod stage;
