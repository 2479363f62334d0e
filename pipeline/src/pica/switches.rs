//! Switches: what selects how fragments and vertices are computed, in contrast to the numbers that they are computed from.
//!
//! A run pays when it first draws with some switches. So what an engine makes for a state, code above all, must not depend on
//! more than its switches: a guest would not pay for the rest.
//!
//! Source: pica-fragment.md and pica-geometry.md, the chapters on the registers.

use crate::hashing::Seeds;
use crate::pica::regs::Registers;
use crate::pica::shader::program::Program;
use crate::pica::shader::unit::Uniforms;
use crate::pica::vertex::{AttributeSource, OutputForm, VertexInputs};
use std::hash::{BuildHasher, Hash, Hasher};

/// Registers of fragments, and their bits that are switches.
pub const FRAGMENTS: [(u16, u32); 49] = [
    // Flat colour, w buffer, units, types, filters and levels of textures.
    (0x058, 1),
    (0x06d, 1),
    (0x080, u32::MAX),
    (0x083, u32::MAX),
    (0x093, u32::MAX),
    (0x09b, u32::MAX),
    (0x084, 0x0f0f_0000),
    (0x094, 0x0f0f_0000),
    (0x09c, 0x0f0f_0000),
    (0x08b, 1),
    // Combiners: sources, operands, operations and scales of six stages; what is kept, and fog.
    (0x0c0, u32::MAX),
    (0x0c1, u32::MAX),
    (0x0c2, u32::MAX),
    (0x0c4, u32::MAX),
    (0x0c8, u32::MAX),
    (0x0c9, u32::MAX),
    (0x0ca, u32::MAX),
    (0x0cc, u32::MAX),
    (0x0d0, u32::MAX),
    (0x0d1, u32::MAX),
    (0x0d2, u32::MAX),
    (0x0d4, u32::MAX),
    (0x0d8, u32::MAX),
    (0x0d9, u32::MAX),
    (0x0da, u32::MAX),
    (0x0dc, u32::MAX),
    (0x0f0, u32::MAX),
    (0x0f1, u32::MAX),
    (0x0f2, u32::MAX),
    (0x0f4, u32::MAX),
    (0x0f8, u32::MAX),
    (0x0f9, u32::MAX),
    (0x0fa, u32::MAX),
    (0x0fc, u32::MAX),
    (0x0e0, u32::MAX),
    // Tests without references, blending, masks, formats and access to the buffers.
    (0x100, u32::MAX),
    (0x101, u32::MAX),
    (0x102, u32::MAX),
    (0x104, 0xff),
    (0x105, 0xffff),
    (0x106, u32::MAX),
    (0x107, u32::MAX),
    (0x112, 15),
    (0x113, 15),
    (0x114, 3),
    (0x115, 3),
    (0x116, u32::MAX),
    (0x117, u32::MAX),
    // Whether lighting is off.
    (0x1c6, 1),
];

/// The same of the procedural texture, where it is on; the width of its table is data.
pub const PROCEDURAL: [(u16, u32); 2] = [(0x0a8, u32::MAX), (0x0ac, !(0xff << 11))];

/// The same of lighting, where it is on: kinds of the lights, their number and order, tables.
pub const LIGHTING: [(u16, u32); 14] = [
    (0x149, u32::MAX),
    (0x159, u32::MAX),
    (0x169, u32::MAX),
    (0x179, u32::MAX),
    (0x189, u32::MAX),
    (0x199, u32::MAX),
    (0x1a9, u32::MAX),
    (0x1b9, u32::MAX),
    (0x1c2, u32::MAX),
    (0x1c3, u32::MAX),
    (0x1c4, u32::MAX),
    (0x1d0, u32::MAX),
    (0x1d1, u32::MAX),
    (0x1d9, u32::MAX),
];

/// Switches of fragments, by their hash.
#[derive(Debug, Clone, Copy)]
pub struct OfFragments<'a>(pub &'a Registers);

impl Hash for OfFragments<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self(registers) = *self;
        // Textures that are not there, and those whose sides are no powers of two.
        for (size, address) in [(0x082, 0x085), (0x092, 0x095), (0x09a, 0x09d)] {
            let sides = [registers.raw(size) & 0x7ff, registers.raw(size) >> 16 & 0x7ff];
            let is_there = registers.raw(address) & 0x0fff_ffff != 0 && !sides.contains(&0);
            (is_there, sides.map(u32::is_power_of_two) == [true; 2]).hash(state);
        }
        let mut add = |places: &[(u16, u32)]| {
            places.iter().for_each(|&(id, bits)| state.write_u32(registers.raw(id) & bits));
        };
        add(&FRAGMENTS);
        if registers.texunit_config().enable3() {
            add(&PROCEDURAL);
        }
        if !registers.lighting_disable().disabled() {
            add(&LIGHTING);
        }
    }
}

/// Switches of the invocations of a program: itself, by its words, as software uploads the same program again and
/// again, what its control flow follows, and the form of its inputs and outputs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfInvocations<'a> {
    /// Hash of the program.
    pub(crate) program: u64,
    pub(crate) entry: u16,
    pub(crate) uniforms: &'a Uniforms,
    pub(crate) form: Form<'a>,
}

/// Where inputs come from and outputs go.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form<'a> {
    /// Of a vertex program.
    Vertices(&'a VertexInputs, &'a OutputForm),
    /// Of a geometry program: its input, the registers or uniforms of the inputs, the mask of outputs.
    Geometry(GeometryForm),
}

/// Form of the input (0x289), registers of the inputs (0x28B, 0x28C), mask of outputs (0x28D), and where the uniforms begin that
/// take them (0x252, but for point mode).
pub(crate) type GeometryForm = [u32; 5];

impl Hash for OfInvocations<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { program, entry, uniforms, form } = *self;
        (program, entry, uniforms.bools(), uniforms.ints()).hash(state);
        let (inputs, output) = match form {
            Form::Vertices(inputs, output) => (inputs, output),
            Form::Geometry(form) => return form.hash(state),
        };
        (inputs.permutation, output).hash(state);
        for source in &inputs.attributes {
            state.write_u32(match *source {
                AttributeSource::Array { stride_bytes, element, components, .. } => {
                    1 << 31 | stride_bytes << 8 | (element as u32) << 4 | u32::from(components)
                }
                AttributeSource::Fixed(_) => 0,
            });
        }
    }
}

/// The hash of a program, kept for the next draw with it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contents {
    last: Option<(u64, u64)>,
    seeds: Seeds,
}

impl Contents {
    /// The hash.
    pub(crate) fn of(&mut self, program: &Program) -> u64 {
        let generation = program.generation();
        match self.last {
            Some((known, hash)) if known == generation => hash,
            _ => {
                let hash = self.seeds.hash_one((program.kind(), program.code(), program.descriptors()));
                self.last = Some((generation, hash));
                hash
            }
        }
    }
}
