//! The PICA200 as hardware, without opinions about speed.
//!
//! ```text
//!  command list ──► registers ──► vertex batches ──► primitives ──► triangles ──► tiles ──► surfaces ──► picture
//!   pica::Pica      pica::regs    ShaderStage         pica::clip     pica::raster  FragmentStage  pica::transfer,
//!                                 (interp | jit)                     tile          (interp | jit) pica::display
//! ```
//!
//! * [`pica::Pica`] is the machine: it runs lists, on [`memory`] of the host and on engines behind [`stage`].
//! * [`pica::float`] owns the number formats and the two precision profiles.
//! * [`pica::shader`] is the shader unit: the instruction table, instruction words, the assembler and the
//!   disassembler, the SHBIN container, the register file.
//! * [`pica::ports`] are the upload ports through which programs and uniforms arrive.
//! * [`pica::vertex`] is attribute fetch and the output map.
//! * [`pica::clip`], [`pica::raster`] and [`pica::coverage`] make pixels of triangles; [`tile`] shares them out
//!   among threads.
//! * [`capture`] records what a host makes the machine do, and plays it again.
//! * [`stage`] is the seam that both engines implement.
#![deny(unsafe_code)]

pub mod bits;
pub mod capture;
pub mod fault;
pub mod guest_slice;
pub mod memory;
pub mod persist;
pub mod pica;
pub mod stage;
pub mod tile;
