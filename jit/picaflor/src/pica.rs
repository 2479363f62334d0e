//! The PICA200, GPU of the Nintendo 3DS.
//!
//! [`Pica::run`] takes command lists, [`Pica::write_mmio`] and [`Pica::read_mmio`] the CPU's accesses to registers
//! (fills, transfers, scan-out), [`Pica::vblank`] announces the blanks of a screen, [`Pica::picture`] reads its
//! picture, [`Pica::picture_into`] straight into a buffer of the host.
//!
//! Hosts that keep their own command processor or pipeline enter with [`Pica::draw_with`], [`Pica::draw_vertices`] or
//! [`Pica::draw_triangles`], and read and write the state [field](Field) by field.

pub use picaflor_pipeline::pica::command::CommandList;
pub use picaflor_pipeline::pica::command::list_builder::{Bank, ListBuilder};
pub use picaflor_pipeline::pica::display::{Screen, UpperMode};
pub use picaflor_pipeline::pica::external::interrupts::{Interrupt, Interrupts};
pub use picaflor_pipeline::pica::float::{Precision, encode_f24, encode_f31};
pub use picaflor_pipeline::pica::limits::Limits;
pub use picaflor_pipeline::pica::observer::{Observer, View};
pub use picaflor_pipeline::pica::regs::Registers;
pub use picaflor_pipeline::pica::stats::Stats;
pub use picaflor_pipeline::pica::timing;
pub use picaflor_pipeline::pica::{DrawCall, Field, Finished, Input, Pica, RunError};

/// Registers outside of the command processor, as observers see them.
pub mod external {
    pub use picaflor_pipeline::pica::external::{Engine, External, FillSettings};
}

/// Programs of the shader units outside command lists.
pub mod shader {
    pub use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
    pub use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
    pub use picaflor_pipeline::pica::shader::shbin::{self, Shbin};
    pub use picaflor_pipeline::pica::shader::unit::Uniforms;
}
