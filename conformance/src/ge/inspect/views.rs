//! Buffers and textures of a draw.

use crate::inspect::{Buffer, BufferView, Spot, TextureUse, TextureView, distance};
use picaflor_interp::ge::{palette as palette_of, stored_colour, texels};
use picaflor_pipeline::ge::display::{HEIGHT, WIDTH};
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::texture::TextureFormat;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::target::{SIDE, Target};
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::rect::Rect;

/// The buffers that the registers name: as wide and high as the screen, or as the drawing area.
pub(super) fn buffer(registers: &Registers) -> Buffer {
    let area = registers.drawing_area();
    let [right, bottom] = [area.x1, area.y1].map(|side| u32::try_from(side).unwrap_or(0));
    let stride = registers.arg(op::FBW) & 0x7fc;
    let (height, format) = (bottom.clamp(HEIGHT, SIDE), PixelFormat::of(registers.arg(op::PSM)));
    Buffer {
        address: VRAM | registers.arg(op::FBP) & 0x1f_fff0,
        width: right.max(WIDTH).min(stride.clamp(1, SIDE)),
        height,
        format: format!("{format:?}"),
        depth_address: VRAM | registers.arg(op::ZBP) & 0x1f_fff0,
        is_upward: false,
        bytes: (height * stride * format.bytes()).min(VRAM_BYTES - (registers.arg(op::FBP) & 0x1f_fff0)),
    }
}

/// Their content; alpha is the stencil value.
pub(super) fn buffers(registers: &Registers, maps: AddressMaps, memory: &dyn Memory) -> BufferView {
    let Buffer { address, width, height, .. } = buffer(registers);
    let Some(target) = Target::new(registers, maps, memory) else {
        return BufferView { address, ..BufferView::default() };
    };
    let pixels = || (0..height as i32).flat_map(|y| (0..width as i32).map(move |x| (x, y)));
    let depth = |(x, y)| u16::from_le_bytes(target.vram.read_array(target.depth_offset(x, y))).into();
    let colour: Vec<[u8; 4]> = pixels().map(|(x, y)| stored_colour(&target, [x, y])).collect();
    BufferView {
        address,
        width,
        height,
        is_upward: false,
        stencil: colour.iter().map(|pixel| pixel[3]).collect(),
        colour,
        depth: if target.depth_stride > 0 { pixels().map(depth).collect() } else { Vec::new() },
    }
}

/// The colours, reduced.
pub(super) fn thumbnail(registers: &Registers, maps: AddressMaps, memory: &dyn Memory) -> BufferView {
    let Buffer { address, width, height, .. } = buffer(registers);
    let Some(target) = Target::new(registers, maps, memory) else {
        return BufferView { address, ..BufferView::default() };
    };
    let by = distance(width, height);
    let columns = || (0..width as i32).step_by(by);
    let rows = (0..height as i32).step_by(by);
    BufferView {
        address,
        width: columns().count() as u32,
        height: rows.clone().count() as u32,
        is_upward: false,
        colour: rows.flat_map(|y| columns().map(move |x| stored_colour(&target, [x, y]))).collect(),
        ..BufferView::default()
    }
}

/// Column and row of the pixel whose colour lies at an address, if the drawing area has it.
pub(super) fn place(registers: &Registers, target: &Target<'_>, address: u32) -> Option<[i32; 2]> {
    let (bytes, stride) = (target.format.bytes(), target.colour_stride);
    let offset = (address.wrapping_sub(VRAM + target.colour)) & (VRAM_BYTES - 1);
    let number = offset / bytes;
    let place = [number.checked_rem(stride)?, number / stride.max(1)].map(|side| side as i32);
    (offset.is_multiple_of(bytes) && registers.drawing_area().contains(place[0], place[1])).then_some(place)
}

/// False if pixels in a box lie elsewhere than a pixel's bytes, their depth included.
pub(super) fn may_touch(registers: &Registers, bounds: Rect, spot: Spot) -> bool {
    let ends = [spot.address, spot.address.wrapping_add(spot.bytes.saturating_sub(1))];
    ends.into_iter().any(|address| {
        let offset = |base: u8| address.wrapping_sub(registers.arg(base) & 0x1f_fff0) & (VRAM_BYTES - 1);
        let bytes = PixelFormat::of(registers.arg(op::PSM)).bytes();
        let has_depth = registers.is_on(op::ZTE) || registers.clear_mode().enable();
        is_inside(bounds, offset(op::FBP) / bytes, registers.arg(op::FBW) & 0x7fc)
            || has_depth && is_near(bounds, offset(op::ZBP), registers.arg(op::ZBW) & 0x7fc)
    })
}

/// True if a box has the pixel of a number, counted along rows.
fn is_inside(bounds: Rect, number: u32, stride: u32) -> bool {
    let [x0, y0, x1, y1] = [bounds.x0, bounds.y0, bounds.x1, bounds.y1].map(|side| side.max(0) as u32);
    if x1 > stride {
        // Rows run into each other.
        return (y0 * stride + x0..y1 * stride + x1).contains(&number);
    }
    (x0..x1).contains(&(number % stride)) && (y0..y1).contains(&(number / stride))
}

/// True if depth values of a box may lie at an offset. Mirrors permute them inside of blocks of 16 KiB.
fn is_near(bounds: Rect, offset: u32, stride: u32) -> bool {
    let [y0, x1, y1] = [bounds.y0, bounds.x1, bounds.y1].map(|side| side.max(0) as u32);
    let (start, end) = (y0 * stride * 2, (y1 * stride + x1) * 2);
    (start.saturating_sub(0x8000)..end + 0x8000).contains(&offset) || end + 0x8000 > VRAM_BYTES
}

/// Address, and bytes, of a texture's levels at most.
pub(super) fn texture_bytes(registers: &Registers) -> impl Iterator<Item = (u32, u32)> + '_ {
    let last = registers.texture_mode().max_level() as u8;
    let levels = if registers.is_textured() { 0..last + 1 } else { 0..0 };
    levels.map(|level| {
        let [_, height] = registers.texture_size_log2(level);
        let row = registers.bits(op::TBW0 + level, 0, 11).max(16) * 4;
        (registers.texture_address(level), row << height.min(9))
    })
}

/// The texture, if texturing is on.
pub(super) fn textures(registers: &Registers) -> Vec<TextureUse> {
    if !registers.is_textured() {
        return Vec::new();
    }
    let size = registers.texture_size_log2(0).map(|log2| 1 << log2.min(9));
    let format = TextureFormat::of(registers.bits(op::TPSM, 0, 4));
    vec![TextureUse { unit: 0, address: registers.texture_address(0), size, format: format!("{format:?}") }]
}

/// The entries of the palette, if the texture has indices.
pub(super) fn palette(state: &PixelState<'_>) -> Vec<[u8; 4]> {
    let format = TextureFormat::of(state.registers.bits(op::TPSM, 0, 4));
    let is_indexed = state.registers.is_textured() && matches!(format, TextureFormat::Indexed(_));
    if is_indexed { palette_of(state) } else { Vec::new() }
}

/// Its levels as pictures.
pub(super) fn pictures(state: &PixelState<'_>) -> Vec<TextureView> {
    let Some(TextureUse { unit, address, format, .. }) = textures(state.registers).pop() else {
        return Vec::new();
    };
    let levels = (0..8_u8).map_while(|level| Some((level, texels(state, level)?)));
    let view = |(level, (size, texels)): (u8, ([u32; 2], Vec<[u8; 4]>))| TextureView {
        unit,
        level: level.into(),
        address,
        size,
        format: format.clone(),
        texels,
    };
    levels.map(view).collect()
}
