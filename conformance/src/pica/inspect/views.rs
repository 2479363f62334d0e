//! Buffers and textures of a draw.

use crate::inspect::{Buffer, BufferView, Spot, Table, TextureUse, TextureView, distance};
use picaflor_interp::pica::surface::Surface;
use picaflor_interp::pica::texels;
use picaflor_pipeline::memory::{FlatMemory, Memory};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::fog::{FogEntry, FogMode};
use picaflor_pipeline::pica::regs::framebuffer::DepthFormat;
use picaflor_pipeline::pica::stage::FragmentState;
use picaflor_pipeline::pica::texel::ColourFormat;
use picaflor_pipeline::rect::Rect;

/// Largest number of pixels of a view.
pub(super) const MOST_PIXELS: u32 = 1 << 21;
/// Levels that a texture can have.
const LEVELS: u32 = 16;

/// The buffers that the registers name.
pub(super) fn buffer(registers: &Registers) -> Buffer {
    let dim = registers.framebuffer_dim();
    let pixel = match registers.colorbuffer_format().format() {
        ColourFormat::Rgba8 | ColourFormat::Unknown => 4,
        ColourFormat::Rgb8 => 3,
        ColourFormat::Rgb5a1 | ColourFormat::Rgb565 | ColourFormat::Rgba4 => 2,
    };
    Buffer {
        address: registers.colorbuffer_loc().address(),
        width: dim.width(),
        height: dim.height(),
        format: format!("{:?}", registers.colorbuffer_format().format()),
        depth_address: registers.depthbuffer_loc().address(),
        is_upward: true,
        bytes: dim.width().saturating_mul(dim.height()) * pixel,
    }
}

/// Their content.
pub(super) fn buffers(registers: &Registers, memory: &dyn Memory) -> BufferView {
    let Buffer { address, width, height, bytes, .. } = buffer(registers);
    if width.saturating_mul(height) > MOST_PIXELS {
        return BufferView { address, ..BufferView::default() };
    }
    let pixels = || (0..height).rev().flat_map(|y| (0..width).map(move |x| (x, y)));
    let depth_location = registers.depthbuffer_loc().address();
    let has_depth = depth_location != 0;
    let depth_bytes = depth_bytes(registers);
    let has_stencil = has_depth && registers.depthbuffer_format().format() == DepthFormat::D24S8;
    // Copies of both buffers: their pixels are near, behind one look at the memory of the machine.
    let (colours, depths) =
        (copied(memory, address, bytes), copied(memory, depth_location, width * height * depth_bytes));
    let [colours, depths] = [&colours, &depths]
        .map(|copy| Surface::new(registers, copy.as_ref().map_or(memory, |of| of as &dyn Memory)));
    BufferView {
        address,
        width,
        height,
        is_upward: true,
        colour: pixels().map(|(x, y)| colours.colour(x, y)).collect(),
        depth: if has_depth { pixels().map(|(x, y)| depths.depth(x, y)).collect() } else { Vec::new() },
        stencil: if has_stencil { pixels().map(|(x, y)| depths.stencil(x, y)).collect() } else { Vec::new() },
    }
}

/// A part of memory, if it is in one piece.
fn copied(memory: &dyn Memory, address: u32, bytes: u32) -> Option<FlatMemory> {
    Some(FlatMemory::new(address, memory.region(address, bytes)?.to_vec()))
}

/// Bytes of a depth value.
fn depth_bytes(registers: &Registers) -> u32 {
    match registers.depthbuffer_format().format() {
        DepthFormat::D16 | DepthFormat::Unknown => 2,
        DepthFormat::D24 => 3,
        DepthFormat::D24S8 => 4,
    }
}

/// The colours, reduced.
pub(super) fn thumbnail(registers: &Registers, memory: &dyn Memory) -> BufferView {
    let Buffer { address, width, height, .. } = buffer(registers);
    if width.saturating_mul(height) > MOST_PIXELS {
        return BufferView { address, ..BufferView::default() };
    }
    let surface = Surface::new(registers, memory);
    let by = distance(width, height);
    let columns = || (0..width).step_by(by);
    let rows = (0..height).rev().step_by(by);
    BufferView {
        address,
        width: columns().count() as u32,
        height: rows.clone().count() as u32,
        is_upward: true,
        colour: rows
            .flat_map(|y| columns().map(move |x| (x, y)))
            .map(|(x, y)| surface.colour(x, y))
            .collect(),
        ..BufferView::default()
    }
}

/// False if pixels in a box lie elsewhere than a pixel's bytes, their depth included.
pub(super) fn may_touch(registers: &Registers, bounds: Rect, spot: Spot) -> bool {
    let Buffer { address, width, height, bytes, .. } = buffer(registers);
    let depth = registers.depthbuffer_loc().address();
    let depth_bytes = depth_bytes(registers);
    let colour_bytes = bytes / (width * height).max(1);
    let ends = [spot.address, spot.address.wrapping_add(spot.bytes.saturating_sub(1))];
    let is_there = |base: u32, bytes: u32, at: u32| {
        at.checked_sub(base).is_some_and(|offset| is_inside(registers, bounds, offset / bytes.max(1)))
    };
    ends.into_iter()
        .any(|at| is_there(address, colour_bytes, at) || depth != 0 && is_there(depth, depth_bytes, at))
}

/// True if a box has a pixel of the block in which the pixel of a number lies, counted along memory.
fn is_inside(registers: &Registers, bounds: Rect, number: u32) -> bool {
    let dim = registers.framebuffer_dim();
    let side = if registers.framebuffer_block32().block32() { 32 } else { 8 };
    let (width, height) = (dim.width(), dim.height() as i32);
    if width == 0 || !width.is_multiple_of(side) {
        // Blocks run into each other.
        return true;
    }
    let (row, inside) = (number / (side * width), number % (side * width));
    let [x0, y0] = [inside / (side * side), row].map(|block| i32::try_from(block * side).unwrap_or(i32::MAX));
    let block = Rect { x0, y0, x1: x0.saturating_add(side as i32), y1: y0.saturating_add(side as i32) };
    // Rows of the box in memory, from the first.
    let (y0, y1) =
        if dim.top_first() { (height - bounds.y1, height - bounds.y0) } else { (bounds.y0, bounds.y1) };
    !Rect { y0, y1, ..bounds }.intersect(block).is_empty()
}

/// The registers that say where the pixels of a colour buffer lie.
pub(super) fn layout(registers: &Registers) -> [u32; 4] {
    [0x117, 0x11b, 0x11d, 0x11e].map(|id| registers.raw(id))
}

/// Column and row of the pixel whose colour lies at an address. It looks at every pixel.
pub(super) fn place(registers: &Registers, memory: &dyn Memory, address: u32) -> Option<[i32; 2]> {
    let Buffer { address: base, width, height, .. } = buffer(registers);
    let surface = Surface::new(registers, memory);
    let pixels = width.saturating_mul(height).min(MOST_PIXELS);
    if !(base..base.saturating_add(pixels * 4)).contains(&address) {
        return None;
    }
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let at = places.take(pixels as usize).find(|&(x, y)| surface.colour_place(x, y) == Some(address))?;
    Some([at.0 as i32, at.1 as i32])
}

/// The textures that are enabled.
pub(super) fn textures(registers: &Registers) -> Vec<TextureUse> {
    let texture = |unit: usize| {
        let dim = registers.texture_dim(unit);
        TextureUse {
            unit: unit as u32,
            address: registers.texture_address(unit).bytes(),
            size: [dim.width(), dim.height()].map(u32::from),
            format: format!("{:?}", registers.texture_type(unit).format()),
        }
    };
    (0..3).filter(|&unit| registers.texunit_config().enable(unit)).map(texture).collect()
}

/// Names of the lighting tables by their id; tables of lights follow from 8 and from 16 on.
const LIGHTING: [(usize, &str); 6] = [(0, "D0"), (1, "D1"), (3, "FR"), (4, "RB"), (5, "RG"), (6, "RR")];

/// The tables of lighting and fog that the state reads and that are not empty.
pub(super) fn tables(state: &FragmentState<'_>) -> Vec<Table> {
    let registers = state.registers;
    let values = |words: &[u32]| words.iter().map(|word| (word & 0xfff) as f32 / 4095.0).collect::<Vec<_>>();
    let lights =
        (0..8).flat_map(|light| [(8 + light, format!("SP {light}")), (16 + light, format!("DA {light}"))]);
    let named = LIGHTING.iter().map(|&(id, name)| (id, name.to_owned())).chain(lights);
    let is_lit = !registers.lighting_disable().disabled();
    let lighting = named.filter(|(id, _)| is_lit && state.luts.lighting[*id].iter().any(|&word| word != 0));
    let mut tables: Vec<Table> =
        lighting.map(|(id, name)| Table { name, values: values(&state.luts.lighting[id]) }).collect();
    if registers.texenv_update_buffer().fog_mode() == FogMode::Fog {
        let value = |&word: &u32| FogEntry(word).value().units() as f32 / 2047.0;
        tables.push(Table { name: "fog".into(), values: state.luts.fog.iter().map(value).collect() });
    }
    tables
}

/// Their levels as pictures.
pub(super) fn pictures(state: &FragmentState<'_>) -> Vec<TextureView> {
    let picture = |texture: &TextureUse, level: u32| {
        let (size, texels) = texels(state, texture.unit as usize, level)?;
        let TextureUse { unit, address, ref format, .. } = *texture;
        Some(TextureView { unit, level, address, size, format: format.clone(), texels })
    };
    let all = textures(state.registers);
    all.iter().flat_map(|texture| (0..LEVELS).map_while(move |level| picture(texture, level))).collect()
}
