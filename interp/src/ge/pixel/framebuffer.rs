//! A stored pixel with its depth, and writes to it (10.8).

use picaflor_pipeline::ge::raster::fragment::Fragment;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::target::Target;

/// Content of a pixel before the draw.
pub(super) struct Pixel<'t> {
    target: &'t Target<'t>,
    /// Column and row.
    place: [i32; 2],
    /// Depth of the fragment.
    pub(super) new_depth: i32,
    /// The bits of the stored colour.
    raw: u32,
    /// The stored depth.
    pub(super) depth: u16,
}

impl<'t> Pixel<'t> {
    /// The pixel of a fragment.
    pub(super) fn read(target: &'t Target<'t>, at: &Fragment) -> Self {
        let colour = target.colour_offset(at.x, at.y);
        let raw = match target.format {
            PixelFormat::Rgba8888 => u32::from_le_bytes(target.vram.read_array(colour)),
            _ => u16::from_le_bytes(target.vram.read_array(colour)).into(),
        };
        let depth = u16::from_le_bytes(target.vram.read_array(target.depth_offset(at.x, at.y)));
        Self { target, place: [at.x, at.y], new_depth: at.z, raw, depth }
    }

    /// Format of the stored colour.
    pub(super) const fn format(&self) -> PixelFormat {
        self.target.format
    }

    /// The stored colour; alpha is the stencil value.
    pub(super) const fn colour(&self) -> [u8; 4] {
        self.target.format.decode_pixel(self.raw).to_le_bytes()
    }

    /// Stores a colour where neither the write mask nor `kept`, bits of 0xAABBGGRR, keeps the old one. An unchanged
    /// pixel is not stored, which is visible if its depth, written before, lies in the same bytes (assumed).
    pub(super) fn write(&self, registers: &Registers, colour: [u8; 4], kept: u32) {
        let format = self.target.format;
        let mask = format.encode(registers.write_mask() | kept);
        let word = (self.raw & mask) | (format.encode(u32::from_le_bytes(colour)) & !mask);
        if word == self.raw {
            return;
        }
        let [x, y] = self.place;
        let bytes = &word.to_le_bytes()[..format.bytes() as usize];
        self.target.vram.write_all(self.target.colour_offset(x, y), bytes);
    }

    /// Stores a stencil value.
    pub(super) fn write_alpha(&self, registers: &Registers, alpha: u8) {
        let [r, g, b, _] = self.colour();
        self.write(registers, [r, g, b, alpha], 0xff_ffff);
    }

    /// Stores a depth.
    pub(super) fn write_depth(&self, depth: i32) {
        let [x, y] = self.place;
        self.target.vram.write_all(self.target.depth_offset(x, y), &(depth as u16).to_le_bytes());
    }
}
