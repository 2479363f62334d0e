//! The seams between machines and engines, for hosts that replace one part only: an emulator that keeps its own
//! pipeline and hands vertices to an [`Engine`](crate::Engine), or a custom engine below a machine.
//!
//! These interfaces follow the engines and change more often than the rest of this crate.

/// Seams of the PICA200: batches of vertices, runs of geometry programs, primitives, tiles of fragments, blits.
pub mod pica {
    pub use picaflor_pipeline::pica::display::ScanOut;
    pub use picaflor_pipeline::pica::lut::Luts;
    pub use picaflor_pipeline::pica::ports::ShaderBank;
    pub use picaflor_pipeline::pica::ports::immediate::AttributePort;
    pub use picaflor_pipeline::pica::raster::Triangle;
    pub use picaflor_pipeline::pica::raster::triangles::{ALL_GROUPS, Carrier, Face, Triangles};
    pub use picaflor_pipeline::pica::regs::geometry::ElementType;
    pub use picaflor_pipeline::pica::shader::unit::ShaderUnit;
    pub use picaflor_pipeline::pica::stage::blit::{BlitStage, Fill};
    pub use picaflor_pipeline::pica::stage::primitive::{
        PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives, StreamVertex,
    };
    pub use picaflor_pipeline::pica::stage::{
        DEFAULT_INSTRUCTION_BUDGET, Emission, FragmentStage, FragmentState, GeometryBatch, GeometryInputs,
        GeometryRun, NoEngines, ShadedVertices, ShaderStage, Stages, TileBatch, TileRoutine, VertexBatch,
    };
    pub use picaflor_pipeline::pica::surface::Target;
    pub use picaflor_pipeline::pica::transfer::{FillWidth, TransferRegisters};
    pub use picaflor_pipeline::pica::vertex::{
        AttributeSource, OutputForm, OutputMap, SEMANTICS, Vertex, VertexInputs,
    };
}

/// Seams of the GE: batches of vertices, surfaces, primitives, tiles of pixels, transfers and the picture.
pub mod ge {
    pub use picaflor_pipeline::ge::clut::Clut;
    pub use picaflor_pipeline::ge::matrices::Matrices;
    pub use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
    pub use picaflor_pipeline::ge::stage::blit::BlitStage;
    pub use picaflor_pipeline::ge::stage::primitive::{
        Kind, PendingVertices, PrimitiveBatch, PrimitiveStage,
    };
    pub use picaflor_pipeline::ge::stage::surface::{Piece, Surface, SurfaceBatch, SurfaceKind};
    pub use picaflor_pipeline::ge::stage::{
        NoEngines, PixelStage, PixelState, Remembered, Stages, TileBatch, TileRoutine, TransformStage,
        VertexBatch,
    };
    pub use picaflor_pipeline::ge::target::Target;
    pub use picaflor_pipeline::ge::vertex::Vertex;
}

/// A record of what the threads of a machine do, for tools.
pub mod timeline {
    pub use picaflor_pipeline::tile::{Event, Timeline};
}

pub use picaflor_jit::{RunReport, Served, Variant};
pub use picaflor_pipeline::rect::Rect;
pub use picaflor_pipeline::tile::{Tiling, Workers};
