//! The sections of the manual that describe commands of the GE.

use crate::inspect::{Manual, Section};

const fn ge(number: &'static str, title: &'static str) -> Section {
    Section { manual: "psp-ge", number, title }
}

const CONTROL: Section = ge("2.3", "Control commands");
const ADDRESSES: Section = ge("1.2", "Address formation");
const POINTERS: Section = ge("2.5", "Vertex/index pointer bookkeeping");
const SCISSOR: Section = ge("5.6", "Scissor and region");
const CULLING: Section = ge("7.2", "Culling");
const PATCHES: Section = ge("7.6", "Bezier patches");
const LIGHTS: Section = ge("6.2", "Per light");
const COMBINATION: Section = ge("6.3", "Combination");
const VIEWPORT: Section = ge("5.2", "Division and viewport");
const GENERATION: Section = ge("5.8", "Texture coordinate generation");
const TRANSFORM: Section = ge("5.1", "Pipeline");
const SKINNING: Section = ge("4.6", "Skinning");
const MEMORY: Section = ge("9.2", "Memory layout");
const SIZES: Section = ge("9.1", "Size and coordinates");
const PALETTE: Section = ge("9.4", "CLUT");
const LEVELS: Section = ge("9.5", "Level of detail");
const FUNCTIONS: Section = ge("9.8", "Texture functions");
const FOG: Section = ge("10.2", "Fog");
const FOG_COEFFICIENT: Section = ge("5.7", "Fog coefficient");
const ALPHA_TEST: Section = ge("10.1", "Alpha test");
const TESTS: Section = ge("10.3", "Colour test (CTE), stencil, depth");
const BLENDING: Section = ge("10.5", "Blending");
const DITHER: Section = ge("10.6", "Dither");
const LOGIC: Section = ge("10.7", "Logic op");
const WRITE_MASK: Section = ge("10.8", "Write mask");
const FRAMES: Section = ge("1.5", "Frame buffer formats and conversions");
const TRANSFER: Section = ge("11.1", "TRXKICK");
const REJECTION: Section = ge("5.5", "Rejection, clipping, depth clamp");

/// The sections.
pub(super) const MANUAL: Manual = Manual {
    fields: "coverage-ge",
    groups: &[
        (0x00, ge("3.1", "Control and pointers")),
        (0x17, ge("3.2", "Enables")),
        (0x29, ge("3.3", "Matrices, morph, patches")),
        (0x42, ge("3.4", "Viewport, texture scale, shading, material")),
        (0x5f, ge("3.5", "Lights")),
        (0x9b, ge("3.6", "Buffers and texture set-up")),
        (0xd2, ge("3.7", "Pixel pipeline")),
        (0xea, ge("3.8", "Transfer, immediate vertices, rest")),
    ],
    topics: &[
        (0x01, 0x02, POINTERS),
        (0x04, 0x04, ge("7.1", "Types")),
        (0x05, 0x05, PATCHES),
        (0x06, 0x06, ge("7.7", "Spline patches")),
        (0x07, 0x07, ge("7.8", "Bounding box test")),
        (0x08, 0x0c, CONTROL),
        (0x0e, 0x0e, ge("2.4", "SIGNAL")),
        (0x0f, 0x0f, CONTROL),
        (0x10, 0x10, ADDRESSES),
        (0x12, 0x12, ge("4.1", "VTYPE")),
        (0x13, 0x14, ADDRESSES),
        (0x15, 0x16, SCISSOR),
        (0x17, 0x1b, LIGHTS),
        (0x1c, 0x1c, REJECTION),
        (0x1d, 0x1d, CULLING),
        (0x1e, 0x1e, FUNCTIONS),
        (0x1f, 0x1f, FOG),
        (0x20, 0x20, DITHER),
        (0x21, 0x21, BLENDING),
        (0x22, 0x22, ALPHA_TEST),
        (0x23, 0x24, TESTS),
        (0x25, 0x25, ge("8.4", "Lines")),
        (0x26, 0x26, PATCHES),
        (0x27, 0x27, TESTS),
        (0x28, 0x28, LOGIC),
        (0x2a, 0x2b, SKINNING),
        (0x2c, 0x33, ge("4.5", "Morphing")),
        (0x36, 0x38, PATCHES),
        (0x3a, 0x3f, TRANSFORM),
        (0x40, 0x41, GENERATION),
        (0x42, 0x47, VIEWPORT),
        (0x48, 0x4b, GENERATION),
        (0x4c, 0x4d, ge("5.3", "Screen coordinates")),
        (0x50, 0x50, ge("8.3", "Colour interpolation")),
        (0x51, 0x51, ge("6.1", "Inputs")),
        (0x53, 0x58, COMBINATION),
        (0x5b, 0x5b, ge("6.4", "gepow")),
        (0x5c, 0x5e, COMBINATION),
        (0x5f, 0x9a, LIGHTS),
        (0x9b, 0x9b, CULLING),
        (0x9c, 0x9f, FRAMES),
        (0xa0, 0xaf, MEMORY),
        (0xb0, 0xb1, PALETTE),
        (0xb2, 0xb5, TRANSFER),
        (0xb8, 0xbf, SIZES),
        (0xc0, 0xc1, GENERATION),
        (0xc2, 0xc3, MEMORY),
        (0xc4, 0xc5, PALETTE),
        (0xc6, 0xc6, ge("9.6", "Filtering")),
        (0xc7, 0xc7, ge("9.7", "Wrap")),
        (0xc8, 0xc8, LEVELS),
        (0xc9, 0xca, FUNCTIONS),
        (0xcb, 0xcc, ge("11.2", "TFLUSH, texture cache")),
        (0xcd, 0xce, FOG_COEFFICIENT),
        (0xcf, 0xcf, FOG),
        (0xd0, 0xd0, LEVELS),
        (0xd2, 0xd2, FRAMES),
        (0xd3, 0xd3, ge("10.9", "Clear mode")),
        (0xd4, 0xd5, SCISSOR),
        (0xd6, 0xd7, REJECTION),
        (0xd8, 0xda, TESTS),
        (0xdb, 0xdb, ALPHA_TEST),
        (0xdc, 0xde, TESTS),
        (0xdf, 0xe1, BLENDING),
        (0xe2, 0xe5, DITHER),
        (0xe6, 0xe6, LOGIC),
        (0xe7, 0xe7, TESTS),
        (0xe8, 0xe9, WRITE_MASK),
        (0xea, 0xee, TRANSFER),
        (0xf0, 0xf9, ge("7.9", "Immediate vertices")),
    ],
};
