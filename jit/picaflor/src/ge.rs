//! The Graphics Engine (GE), GPU of the PlayStation Portable.
//!
//! [`Ge::run`] takes one display list; [`Lists`] is the queue of lists that the console's system software keeps, call
//! by call. In a [session](Ge::session) draws stay pending from run to run. [`FrameBuffer::picture`] reads the picture of
//! a buffer, [`FrameBuffer::picture_into`] straight into a buffer of the host.
//!
//! Hosts that keep their own command processor or pipeline enter with [`Ge::execute`], [`Ge::transform`],
//! [`Ge::draw_vertices`] or [`Ge::draw_primitives`], and read and write the state [field](Field) by field.

pub use picaflor_pipeline::ge::display::FrameBuffer;
pub use picaflor_pipeline::ge::display_list::DisplayList;
pub use picaflor_pipeline::ge::limits::Limits;
pub use picaflor_pipeline::ge::list_builder::ListBuilder;
pub use picaflor_pipeline::ge::lists::{
    Arguments, DrawState, Interrupt, InterruptKind, ListError, ListId, ListState, Lists, Progress, Request,
};
pub use picaflor_pipeline::ge::matrix_ports::MatrixPort;
pub use picaflor_pipeline::ge::observer::{Observer, View};
pub use picaflor_pipeline::ge::regs::Registers;
pub use picaflor_pipeline::ge::regs::pixel::PixelFormat;
pub use picaflor_pipeline::ge::stats::Stats;
pub use picaflor_pipeline::ge::timing;
pub use picaflor_pipeline::ge::vram::AddressMaps;
pub use picaflor_pipeline::ge::{Field, Ge, RunError, Session, Stop, Transfer};
