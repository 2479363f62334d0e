//! Buffers and textures of a draw.

use crate::inspect::{Buffer, BufferView, Table, TextureUse, TextureView, distance};
use picaflor_interp::pica::surface::Surface;
use picaflor_interp::pica::texels;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::fog::{FogEntry, FogMode};
use picaflor_pipeline::pica::regs::framebuffer::DepthFormat;
use picaflor_pipeline::pica::stage::FragmentState;
use picaflor_pipeline::pica::texel::ColourFormat;

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
    let Buffer { address, width, height, .. } = buffer(registers);
    if width.saturating_mul(height) > MOST_PIXELS {
        return BufferView { address, ..BufferView::default() };
    }
    let surface = Surface::new(registers, memory);
    let pixels = || (0..height).rev().flat_map(|y| (0..width).map(move |x| (x, y)));
    let has_depth = registers.depthbuffer_loc().address() != 0;
    let has_stencil = has_depth && registers.depthbuffer_format().format() == DepthFormat::D24S8;
    BufferView {
        address,
        width,
        height,
        is_upward: true,
        colour: pixels().map(|(x, y)| surface.colour(x, y)).collect(),
        depth: if has_depth { pixels().map(|(x, y)| surface.depth(x, y)).collect() } else { Vec::new() },
        stencil: if has_stencil {
            pixels().map(|(x, y)| surface.stencil(x, y)).collect()
        } else {
            Vec::new()
        },
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

/// Column and row of the pixel whose colour lies at an address.
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
