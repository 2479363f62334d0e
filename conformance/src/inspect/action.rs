//! Actions of a machine: whatever changes memory.

use picaflor_pipeline::rect::Rect;

/// A kind of action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A draw.
    Draw,
    /// A memory fill.
    Fill,
    /// A transfer or copy.
    Transfer,
    /// Memory that the host wrote.
    Load,
    /// The end of a frame.
    Frame,
}

impl Kind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::Fill => "fill",
            Self::Transfer => "transfer",
            Self::Load => "load",
            Self::Frame => "frame",
        }
    }
}

/// The buffers of a draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// Address of the colours.
    pub address: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Format of colours.
    pub format: String,
    /// Address of the depth values.
    pub depth_address: u32,
    /// True if rows count upward.
    pub is_upward: bool,
    /// Bytes of the colours, from the address on.
    pub bytes: u32,
}

/// A texture that a draw may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureUse {
    /// Texture unit.
    pub unit: u32,
    /// Address of level 0.
    pub address: u32,
    /// Columns and rows of level 0.
    pub size: [u32; 2],
    /// Format.
    pub format: String,
}

/// An action.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// Number among all actions.
    pub index: usize,
    /// Kind.
    pub kind: Kind,
    /// Number among the draws.
    pub draw: Option<u64>,
    /// Frame, from 0.
    pub frame: usize,
    /// Event of the capture.
    pub event: usize,
    /// The action in a few words.
    pub what: String,
    /// Vertices, primitives, covered pixels.
    pub counts: [u64; 3],
    /// A box around the pixels of a draw, in the machine's coordinates; `None` if there are none or it was not asked for.
    pub bounds: Option<Rect>,
    /// Time in nanoseconds, as the engine that answers took it.
    pub nanoseconds: u64,
    /// The buffers of a draw.
    pub buffer: Option<Buffer>,
    /// Key of the code that drew, or why there is none.
    pub key: String,
    /// Checksum of the program, on machines with programs.
    pub program: Option<u32>,
    /// Textures that are enabled.
    pub textures: Vec<TextureUse>,
    /// Registers that changed since the action before: number, old word, new word.
    pub changed: Vec<[u32; 3]>,
    /// Words of a transfer.
    pub transfer: Vec<u32>,
    /// Checksum of the colour buffer after a draw, where it was asked for.
    pub checksum: Option<u32>,
}
