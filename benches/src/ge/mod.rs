//! The cost of a pixel of the GE: states, and shapes that cover the screen.

mod machine;

pub use machine::Machine;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileBatch, TileRoutine};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM};
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::rect::Rect;
use std::sync::Arc;

/// The screen.
const SIZE: [i32; 2] = [480, 272];
/// Side of the texture.
const TEXTURE_LOG2: u32 = 8;
/// Where it begins in VRAM.
const TEXTURE: u32 = 0x18_0000;

/// Change of clip w with y.
const SLOPE: f64 = 0.75;

/// A state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// One colour.
    Flat,
    /// Gouraud shading and a depth test.
    GouraudDepth,
    /// The nearest texel of 32 bits, and a depth test.
    Nearest,
    /// As the one before, in perspective.
    NearestDivided,
    /// Four texels of 32 bits, and a depth test.
    Bilinear,
    /// As the one before, in perspective.
    BilinearDivided,
    /// Four texels through a CLUT, depth test, blending, alpha test, fog.
    BilinearClut,
    /// Sprites, blended, nearest texel.
    SpriteNearest,
    /// Sprites, blended, four texels.
    SpriteBilinear,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Flat,
        Self::GouraudDepth,
        Self::Nearest,
        Self::NearestDivided,
        Self::Bilinear,
        Self::BilinearDivided,
        Self::BilinearClut,
        Self::SpriteNearest,
        Self::SpriteBilinear,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::GouraudDepth => "gouraud + depth",
            Self::Nearest => "nearest 8888 + depth",
            Self::NearestDivided => "nearest 8888 + depth, perspective",
            Self::Bilinear => "bilinear 8888 + depth",
            Self::BilinearDivided => "bilinear 8888 + depth, perspective",
            Self::BilinearClut => "bilinear CLUT8 + depth + blend + alpha test + fog",
            Self::SpriteNearest => "sprites, nearest + blend",
            Self::SpriteBilinear => "sprites, bilinear + blend",
        }
    }

    /// Nanoseconds that a pixel of the whole screen should cost.
    #[must_use]
    pub const fn aim(self) -> f64 {
        match self {
            Self::Flat => 1.2,
            Self::GouraudDepth => 2.0,
            Self::Nearest => 3.0,
            Self::NearestDivided => 4.5,
            Self::Bilinear => 6.0,
            Self::BilinearDivided => 9.0,
            Self::BilinearClut => 8.0,
            Self::SpriteNearest => 1.5,
            Self::SpriteBilinear => 4.0,
        }
    }

    const fn shape(self) -> Shape {
        match self {
            Self::SpriteNearest | Self::SpriteBilinear => Shape::Rectangle,
            _ => Shape::Triangle,
        }
    }

    /// The state that differs in nothing but that its coordinates are not divided.
    #[must_use]
    pub const fn affine(self) -> Option<Self> {
        match self {
            Self::NearestDivided => Some(Self::Nearest),
            Self::BilinearDivided => Some(Self::Bilinear),
            _ => None,
        }
    }

    /// Clip w at a place from -1 at the top of the screen to less than 1 at its bottom.
    fn w(self, y: f64) -> f64 {
        if self.affine().is_some() { 1.0 / (1.0 - SLOPE * y) } else { 1.0 }
    }

    fn registers(self) -> Registers {
        let mut registers = Registers::default();
        for (command, argument) in self.words() {
            registers.write(u32::from(command) << 24 | argument);
        }
        registers
    }

    /// Commands with their arguments.
    fn words(self) -> Vec<(u8, u32)> {
        let mut words = Vec::new();
        let mut set = |command: u8, argument: u32| words.push((command, argument));
        set(op::FBW, 512);
        set(op::ZBP, 0x11_0000);
        set(op::ZBW, 512);
        set(op::PSM, 3);
        set(op::SCISSOR2, 479 | 271 << 10);
        set(op::REGION2, 0xf_ffff);
        set(op::FARZ, 0xffff);
        set(op::SHADE, u32::from(!matches!(self, Self::Flat)));
        set(op::ZTE, u32::from(!matches!(self, Self::Flat | Self::SpriteNearest | Self::SpriteBilinear)));
        set(op::ZTST, 7);
        let textured = !matches!(self, Self::Flat | Self::GouraudDepth);
        set(op::TME, u32::from(textured));
        set(op::TBP0, TEXTURE);
        set(op::TBW0, 4 << 16 | 1 << TEXTURE_LOG2);
        set(op::TSIZE0, TEXTURE_LOG2 | TEXTURE_LOG2 << 8);
        set(op::TPSM, if self == Self::BilinearClut { 5 } else { 3 });
        set(op::CMODE, 3 | 0xff << 8);
        set(op::TFUNC, 1 << 8);
        let nearest = matches!(self, Self::Nearest | Self::NearestDivided | Self::SpriteNearest);
        set(op::TFLT, if nearest { 0 } else { 0x101 });
        let blends = matches!(self, Self::BilinearClut | Self::SpriteNearest | Self::SpriteBilinear);
        set(op::ABE, u32::from(blends));
        set(op::ALPHA, 2 | 3 << 4);
        set(op::ATE, u32::from(self == Self::BilinearClut));
        set(op::ATST, 6 | 0xff << 16);
        set(op::FGE, u32::from(self == Self::BilinearClut));
        set(op::FCOL, 0x80_a0c0);
        words
    }
}

/// The shapes that cover the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// Two triangles, or a rectangle.
    Whole,
    /// Squares of some pixels on a side, which divides the screen's: each of two triangles or a rectangle.
    Cells(i32),
}

/// A state with its primitives.
pub struct Workload {
    registers: Registers,
    clut: Clut,
    memory: BlockMemory,
    primitives: Vec<Primitive>,
    order: Vec<u32>,
}

impl Workload {
    /// Draws the screen in a state.
    #[must_use]
    pub fn new(state: State, cover: Cover) -> Self {
        let memory = BlockMemory::zeroed(&[(VRAM, 2 << 20)]);
        write_bytes(&memory, VRAM + TEXTURE, &texture());
        let mut clut = Clut::default();
        *clut.change() = self::clut();
        let primitives = primitives(state, cover);
        let order = (0..primitives.len() as u32).collect();
        Self { registers: state.registers(), clut, memory, primitives, order }
    }

    /// Pixels that are drawn.
    #[must_use]
    pub const fn pixels(&self) -> u64 {
        (SIZE[0] * SIZE[1]) as u64
    }

    fn state(&self) -> PixelState<'_> {
        let maps = AddressMaps::default();
        PixelState {
            registers: &self.registers,
            clut: &self.clut,
            memory: &self.memory,
            maps,
            is_immediate: false,
        }
    }

    /// The routine of an engine for this state.
    pub fn routine(&self, stage: &mut dyn PixelStage) -> Arc<dyn TileRoutine> {
        stage.pixel_routine(&self.state(), &self.primitives)
    }

    /// Draws, on one thread. Returns the number of covered pixels.
    ///
    /// # Panics
    /// Never: VRAM is there.
    pub fn draw(&self, routine: &dyn TileRoutine) -> u64 {
        let state = self.state();
        let target = &Target::new(&self.registers, state.maps, &self.memory).expect("VRAM is there");
        let tile = Rect { x0: 0, y0: 0, x1: SIZE[0], y1: SIZE[1] };
        routine.run(&TileBatch { state, primitives: &self.primitives, order: &self.order, tile, target })
    }
}

/// Noise.
fn texture() -> Vec<u8> {
    let mut bits = 1_u32;
    let noise = (0..4 << (2 * TEXTURE_LOG2)).map(|_| {
        bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (bits >> 24) as u8
    });
    noise.collect()
}

fn clut() -> [u8; 1024] {
    std::array::from_fn(|n| (n * 7) as u8)
}

/// Upper left corners and sizes of the covering squares.
fn squares(cover: Cover) -> impl Iterator<Item = ([i32; 2], [i32; 2])> {
    let [width, height] = SIZE;
    let side = match cover {
        Cover::Whole => [width, height],
        Cover::Cells(side) => [side, side],
    };
    let rows = 0..height / side[1];
    rows.flat_map(move |row| (0..width / side[0]).map(move |column| [column, row]))
        .map(move |[column, row]| ([column * side[0], row * side[1]], side))
}

fn primitives(state: State, cover: Cover) -> Vec<Primitive> {
    squares(cover).flat_map(|(place, side)| square(state, place, side)).collect()
}

const fn colour(x: i32, y: i32) -> u32 {
    0xc0ff_ffff ^ (x as u32 & 0xff) ^ (y as u32 & 0xff) << 8
}

/// Two triangles or a rectangle.
fn square(state: State, [x, y]: [i32; 2], [width, height]: [i32; 2]) -> Vec<Primitive> {
    let corner = |dx: i32, dy: i32| {
        let (x, y) = (x + dx * width, y + dy * height);
        let [u, v] = [x, y].map(|at| t16(f64::from(at) / 384.0));
        Corner {
            texture: [u, v, 1.0],
            w: t16(state.w(f64::from(y) / f64::from(machine::SCALE) - 1.0)),
            x: 16 * x,
            y: 16 * y,
            z: 20_000 + x + y,
            colour: colour(x, y),
            secondary: 0,
            fog: 128 + (x as u32 & 63),
        }
    };
    let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
    let primitive = |corners: [Corner; 3]| Primitive { corners, shape: state.shape(), reserved: 0 };
    match state.shape() {
        Shape::Rectangle => vec![primitive([a, c, c])],
        _ => vec![primitive([a, b, c]), primitive([a, c, d])],
    }
}
