//! The whole machine: a display list with vertices and primitives, on any number of threads.

use super::{Cover, SIZE, State, TEXTURE_LOG2, squares, texture};
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::list_builder::ListBuilder;
use picaflor_pipeline::ge::matrix_ports::MatrixPort;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::{BlockMemory, write_bytes};

/// Main memory: the list, and vertices.
const RAM: u32 = 0x0880_0000;
const VERTICES: u32 = RAM + 0x1_0000;
const RAM_BYTES: u32 = 0x20_0000;
/// Number of times that a list covers the screen: threads live as long as a list does.
const LAYERS: u32 = 4;
/// Texture coordinates, colours and positions, but for the first two as floats.
const LAYOUT: u32 = 3 | 7 << 2 | 3 << 7;
/// The screen's centre in the coordinates of the GE, and half of the number of pixels that it spans.
const CENTRE: f32 = 2048.0;
pub(super) const SCALE: f32 = 256.0;

/// A list that covers the screen some times.
pub struct Machine {
    memory: BlockMemory,
    clut: [u8; 1024],
}

impl Machine {
    /// Covers the screen in a state.
    #[must_use]
    pub fn new(state: State, cover: Cover) -> Self {
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (RAM, RAM_BYTES)]);
        write_bytes(&memory, VRAM + super::TEXTURE, &texture());
        let records = records(state, cover);
        let count = (records.len() / 24) as u32;
        write_bytes(&memory, VERTICES, &records);
        write_bytes(&memory, RAM, &list(state, count));
        Self { memory, clut: super::clut() }
    }

    /// Pixels that a run draws.
    #[must_use]
    pub const fn pixels(&self) -> u64 {
        (SIZE[0] * SIZE[1]) as u64 * LAYERS as u64
    }

    /// Runs the list. Returns the number of covered pixels.
    ///
    /// # Panics
    /// Never: the list can be read.
    pub fn run(&self, stages: &mut dyn Stages, threads: usize) -> u64 {
        let mut ge = Ge::new();
        ge.set_threads(threads);
        ge.set_clut(&self.clut);
        ge.run(stages, &self.memory, &mut DisplayList::new(RAM, 0)).expect("the list can be read");
        ge.stats().covered
    }
}

fn list(state: State, count: u32) -> Vec<u8> {
    let mut list = ListBuilder::new();
    for (command, argument) in state.words() {
        list.write(command, argument);
    }
    let one = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let slope = if state.affine().is_some() { super::SLOPE as f32 } else { 0.0 };
    let square = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, slope, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    list.matrix(MatrixPort::World, &one)
        .matrix(MatrixPort::View, &one)
        .matrix(MatrixPort::Projection, &square);
    for (scale, position) in [(op::XSCALE, op::XPOS), (op::YSCALE, op::YPOS)] {
        list.float(scale, SCALE).float(position, CENTRE);
    }
    list.float(op::ZSCALE, 32_768.0).float(op::ZPOS, 32_768.0);
    let offset = (16.0 * (CENTRE - SCALE)) as u32;
    list.write(op::OFFSETX, offset).write(op::OFFSETY, offset);
    list.float(op::USCALE, 1.0).float(op::VSCALE, 1.0);
    // Fog in the middle of its range.
    list.float(op::FFAR, 1.0).float(op::FDIST, 0.75);
    list.write(op::VTYPE, LAYOUT);
    for _ in 0..LAYERS {
        list.vertices(VERTICES).prim(if state.shape() == Shape::Rectangle { 6 } else { 3 }, count);
    }
    list.finish(0)
}

/// Vertices of all squares, of two triangles or as a rectangle each.
fn records(state: State, cover: Cover) -> Vec<u8> {
    let corners: &[[i32; 2]] = match state.shape() {
        Shape::Rectangle => &[[0, 0], [1, 1]],
        _ => &[[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]],
    };
    let places = squares(cover).flat_map(|([x, y], [width, height])| {
        corners.iter().map(move |[dx, dy]| [x + dx * width, y + dy * height])
    });
    places.flat_map(|place| record(state, place)).collect()
}

fn record(state: State, [x, y]: [i32; 2]) -> Vec<u8> {
    let [u, v] = [x, y].map(|at| at as f32 / (3 << (TEXTURE_LOG2 - 1)) as f32);
    let [px, py] = [x, y].map(|at| at as f32 / SCALE - 1.0);
    let pz = (20_000 + x + y) as f32 / 32_768.0 - 1.0;
    let w = state.w(f64::from(py)) as f32;
    let [px, py, pz] = [px, py, pz].map(|at| at * w);
    let colour = super::colour(x, y);
    [u.to_bits(), v.to_bits(), colour, px.to_bits(), py.to_bits(), pz.to_bits()]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}
