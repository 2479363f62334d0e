//! The PICA200, GPU of the Nintendo 3DS, and the GE, GPU of the PlayStation Portable: the hardware, independent of the
//! engines that make it fast. This page is about the PICA200; the rooms of [`ge`] have the same names.
//!
//! ```text
//!                       guest memory, which belongs to the host: memory::Memory
//!      ▲               ▲                                            ▲             ▲             ▲
//!  command list ──► registers ──► vertex batches ──► primitives ──► triangles ──► tiles ──► surfaces ──► picture
//!   pica::Pica      pica::regs    ShaderStage         PrimitiveStage pica::raster  FragmentStage  BlitStage
//!                                 (interp | jit)      (interp | jit) tile          (interp | jit) (interp | jit)
//! ```
//!
//! Vertices, primitives, fragments, transfers and pictures are not computed by the machine, but by engines behind the
//! traits of [`pica::stage`]. `picaflor-interp` implements them by the manual and `picaflor-jit` in native code; the bits are the
//! same.
//!
//! # A first write
//!
//! Memory of the host, the machine, and writes of the CPU, as an emulator passes them on:
//!
//! ```
//! use picaflor_pipeline::memory::BlockMemory;
//! use picaflor_pipeline::pica::external::interrupts::Interrupt;
//! use picaflor_pipeline::pica::{Pica, float::Precision};
//! use picaflor_pipeline::pica::stage::NoEngines;
//!
//! const FRAME: u32 = 0x1800_0000;
//! let (memory, mut engine) = (BlockMemory::console(), NoEngines); // an emulator has picaflor_jit::Engine
//! let mut pica = Pica::new(Precision::Console);
//! // A fill with 240 by 400 pixels of blue, green, red in 24 bits.
//! let fill = [(0x010, FRAME >> 3), (0x014, (FRAME + 240 * 400 * 3) >> 3), (0x018, 0x20_40_80), (0x01c, 0x101)];
//! for (register, value) in fill {
//!     pica.write_mmio(&mut engine, &memory, 0x1040_0000 + register, value)?;
//! }
//! assert!(pica.interrupts().contains(Interrupt::Psc0));
//! # Ok::<(), picaflor_pipeline::pica::RunError>(())
//! ```
//!
//! Bytes, triangles and pictures need an engine; the documentation of the crate `picaflor` continues with a complete host.
//!
//! # Rooms
//!
//! * [`pica::Pica`] is the machine: it runs lists, with [`memory`] of the host and engines behind [`pica::stage`].
//! * [`pica::command::list_builder`] writes lists, for hosts without a game; [`pica::regs`] has views of the registers.
//! * [`pica::float`] has the number formats and the two precision profiles.
//! * [`pica::shader`] is the shader unit: the instruction table, instruction words, the assembler and the
//!   disassembler, the SHBIN container, the register file.
//! * [`pica::ports`] has the upload ports of programs and uniforms.
//! * [`pica::vertex`] is attribute fetch and the output map.
//! * [`pica::raster`] has the triangles between the engines; [`tile`] distributes them over threads ([`pica::queue`] has
//!   the rules for overlap).
//! * [`pica::capture`] records the operations of a host on the machine, and replays them; [`capture`] has the parts
//!   common to the recordings of both machines.
//! * [`pica::stage`] and [`ge::stage`] are the seams that both engines implement.
//! * [`ge::Ge`] is the machine of the PlayStation Portable, [`ge::lists`] the queue kept by its system software.
//! * [`fault`] represents the mistakes of a guest as values, never as panics. [`pica::limits`] bounds its requests.
//! * [`manuals`] are the hardware manuals as text, for programs that show them.
//!
//! Comments cite the hardware manuals by file and section: `pica-geometry.md`, `pica-shader.md`, `pica-fragment.md` and
//! `psp-ge.md` in `docs/hardware`, gathered from 3dbrew, gbatek and published tests on consoles. Important statements are
//! repeated in the code with their origin: measured on a console, documented, or assumed.
//!
//! # Features and dependencies
//!
//! The one Cargo feature, `ppdmp`, off by default, reads frame dumps of the PSP, for which it brings `snap` and `ruzstd`.
//! `thiserror` derives the errors; `lz4_flex` and `crc32fast` compress and check captures; `rayon-core` keeps the
//! threads that draw.
#![deny(unsafe_code)]

/// Version of this crate. What engines make of it may change with it: it belongs to the identity of stored code.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub mod bits;
pub mod capture;
pub mod compare;
pub mod fault;
pub mod fields;
pub mod ge;
pub mod guest_slice;
#[doc(hidden)]
pub mod hashing;
pub mod manuals;
pub mod memory;
pub mod persist;
pub mod pica;
pub mod picture;
#[doc(hidden)]
pub mod random;
pub mod rect;
mod setters;
pub mod snapshot;
pub mod stop;
pub mod texture;
pub mod tile;
mod work;
