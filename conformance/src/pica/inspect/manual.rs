//! The sections of the manuals that describe registers of the PICA200.

use crate::inspect::{Manual, Section};

const fn geometry(number: &'static str, title: &'static str) -> Section {
    Section { manual: "pica-geometry", number, title }
}

const fn fragment(number: &'static str, title: &'static str) -> Section {
    Section { manual: "pica-fragment", number, title }
}

const fn shader(number: &'static str, title: &'static str) -> Section {
    Section { manual: "pica-shader", number, title }
}

const OUTPUT_MAP: Section = geometry("5.1", "Output map");
const VIEWPORT: Section = geometry("5.4", "Viewport transform");
const DEPTH: Section = geometry("6.5", "Depth");
const EARLY_DEPTH: Section = geometry("6.7", "Early depth");
const CONFIGURATION: Section = geometry("3.9", "Geometry-stage configuration");
const DRAWS: Section = geometry("3.5", "Draw commands");
const TEXTURES: Section = fragment("2.1", "Registers");
const COMBINERS: Section = fragment("5.1", "Registers");
const COMBINER_BUFFER: Section = fragment("5.3", "Combiner buffer");
const LIGHTING: Section = fragment("4.1", "Registers");
const TABLES: Section = fragment("4.2", "Lookup tables");
const FOG: Section = fragment("6.1", "Fog");
const GAS: Section = fragment("6.2", "Gas");
const BUFFERS: Section = fragment("7.1", "Buffers and addressing");
const PORTS: Section = shader("7.1", "Port map");

/// The sections.
pub(super) const MANUAL: Manual = Manual {
    fields: "coverage-pica",
    groups: &[
        (0x000, geometry("2.1", "Miscellaneous")),
        (0x040, geometry("2.2", "Rasterizer")),
        (0x080, geometry("2.3", "Texturing and combiners")),
        (0x100, geometry("2.4", "Framebuffer")),
        (0x140, geometry("2.5", "Lighting")),
        (0x200, geometry("2.6", "Geometry pipeline")),
        (0x280, geometry("2.7", "Shader units")),
    ],
    topics: &[
        (0x000, 0x03f, geometry("1.6", "FINALIZE")),
        (0x040, 0x040, geometry("5.6", "Culling")),
        (0x041, 0x044, VIEWPORT),
        (0x047, 0x04b, geometry("5.3", "Clip volume and clipping")),
        (0x04d, 0x04e, DEPTH),
        (0x04f, 0x056, OUTPUT_MAP),
        (0x058, 0x058, geometry("6.4", "Attribute interpolation")),
        (0x05a, 0x05c, geometry("3.8", "Statistics")),
        (0x061, 0x063, EARLY_DEPTH),
        (0x064, 0x064, OUTPUT_MAP),
        (0x065, 0x067, geometry("6.3", "Scissor")),
        (0x068, 0x068, VIEWPORT),
        (0x06a, 0x06a, EARLY_DEPTH),
        (0x06d, 0x06d, DEPTH),
        (0x06e, 0x06e, geometry("6.8", "Buffer addressing")),
        (0x06f, 0x06f, OUTPUT_MAP),
        (0x080, 0x08e, TEXTURES),
        (0x082, 0x082, fragment("2.5", "Level of detail")),
        (0x083, 0x083, fragment("2.6", "Filtering and wrapping")),
        (0x084, 0x084, fragment("2.5", "Level of detail")),
        (0x08b, 0x08b, fragment("2.11", "Shadow 2D")),
        (0x08e, 0x08e, fragment("2.8", "Formats")),
        (0x08f, 0x08f, LIGHTING),
        (0x091, 0x09e, TEXTURES),
        (0x093, 0x093, fragment("2.6", "Filtering and wrapping")),
        (0x094, 0x094, fragment("2.5", "Level of detail")),
        (0x096, 0x096, fragment("2.8", "Formats")),
        (0x09b, 0x09b, fragment("2.6", "Filtering and wrapping")),
        (0x09c, 0x09c, fragment("2.5", "Level of detail")),
        (0x09e, 0x09e, fragment("2.8", "Formats")),
        (0x0a8, 0x0b7, fragment("3.1", "Registers")),
        (0x0af, 0x0b7, fragment("3.2", "Table formats")),
        (0x0c0, 0x0df, COMBINERS),
        (0x0e0, 0x0e0, COMBINER_BUFFER),
        (0x0e0, 0x0e1, FOG),
        (0x0e4, 0x0e5, GAS),
        (0x0e6, 0x0ef, FOG),
        (0x0f0, 0x0fc, COMBINERS),
        (0x0fd, 0x0fd, COMBINER_BUFFER),
        (0x100, 0x100, fragment("7.3", "Fragment operation register")),
        (0x101, 0x103, fragment("7.7", "Blending and logic operation")),
        (0x104, 0x104, fragment("7.4", "Alpha test")),
        (0x105, 0x106, fragment("7.5", "Stencil")),
        (0x107, 0x107, fragment("7.6", "Depth test and write")),
        (0x110, 0x111, geometry("6.10", "Cache registers")),
        (0x112, 0x115, fragment("7.2", "Allow registers")),
        (0x116, 0x117, BUFFERS),
        (0x118, 0x118, EARLY_DEPTH),
        (0x11b, 0x11e, BUFFERS),
        (0x120, 0x126, GAS),
        (0x130, 0x130, fragment("6.3", "Shadow rendering pass")),
        (0x140, 0x1c4, LIGHTING),
        (0x1c5, 0x1c5, TABLES),
        (0x1c6, 0x1c6, LIGHTING),
        (0x1c8, 0x1d2, TABLES),
        (0x1d9, 0x1d9, LIGHTING),
        (0x200, 0x200, geometry("3.1", "Addresses")),
        (0x201, 0x202, geometry("3.2", "Formats")),
        (0x203, 0x226, geometry("3.3", "Component lists")),
        (0x227, 0x228, DRAWS),
        (0x229, 0x229, CONFIGURATION),
        (0x22a, 0x22a, DRAWS),
        (0x22d, 0x22d, geometry("3.7", "Post-transform cache")),
        (0x22e, 0x22f, DRAWS),
        (0x232, 0x235, geometry("3.6", "Fixed attributes and immediate mode")),
        (0x238, 0x23d, geometry("1.5", "Jumps")),
        (0x24a, 0x24a, OUTPUT_MAP),
        (0x251, 0x251, OUTPUT_MAP),
        (0x252, 0x254, CONFIGURATION),
        (0x25e, 0x25e, geometry("4.2", "State machine")),
        (0x25f, 0x25f, geometry("4.3", "Restart and reconfiguration")),
        (0x280, 0x2af, shader("5.1", "Registers")),
        (0x280, 0x2df, PORTS),
    ],
};
