//! The bounding box test: detects that all tested vertices lie beyond one side of the picture.
//!
//! Source: psp-ge.md 7.8, measured on a console (bounding/count, planes, vertexaddr). The arithmetic after clip
//! positions is assumed.

use crate::ge::vector::{Stations, point, skinning};
use crate::ge::vertex::decode::decode;
use picaflor_pipeline::ge::regs::{Registers, fields, op};
use picaflor_pipeline::ge::stage::VertexBatch;
use picaflor_pipeline::ge::vertex_type::VertexType;

/// Exclusive bound of the screen coordinates of the box.
const SIDE: i32 = 4096;

/// True if the vertices of the batch, which are those to be tested, are outside; an empty batch is. Their formats are
/// read as in normal mode.
#[must_use]
pub(crate) fn is_outside(batch: &VertexBatch<'_>) -> bool {
    if batch.indices.is_empty() {
        return true;
    }
    let Some(sides) = Sides::of(batch.registers) else { return false };
    let mut seen = 0;
    for &index in batch.indices {
        seen |= sides.inside(clip_position(batch, index), batch.registers);
    }
    seen != ALL
}

/// The clip position of a vertex in normal mode.
fn clip_position(batch: &VertexBatch<'_>, index: u32) -> [f64; 4] {
    let vertex_type = VertexType(batch.registers.vertex_type().0 & 0x7f_ffff);
    let vertex = decode(batch, vertex_type, index);
    let model = match vertex_type.weight_count() {
        0 => vertex.position,
        count => point(vertex.position, &skinning(&vertex.weights, count, &batch.matrices.bones)),
    };
    Stations::of(model, batch.matrices).clip
}

/// All bits: one for each clip plane, and one for w above 0.
const ALL: u8 = 0x7f;
/// The bits of the z planes.
const DEPTH_PLANES: u8 = 0x30;

/// The sides of the box in screen space.
struct Sides {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Sides {
    /// `None` if the box reaches the edge of screen space: then nothing is outside.
    fn of(registers: &Registers) -> Option<Self> {
        let corner = |command| [fields::PIXEL_X, fields::PIXEL_Y].map(|c| registers.field(command, c) as i32);
        let [least, scissor] = [corner(op::REGION1), corner(op::SCISSOR1)];
        let [most, scissor_most] = [corner(op::REGION2), corner(op::SCISSOR2)];
        let offset = registers.drawing_offset().map(|sixteenths| sixteenths >> 4);
        let start: [i32; 2] = std::array::from_fn(|c| offset[c] + least[c].max(scissor[c]) - 1);
        let end: [i32; 2] = std::array::from_fn(|c| offset[c] + most[c].min(scissor_most[c]) + 1);
        if start.iter().any(|&side| side < 1) || end.iter().any(|&side| side >= SIDE) {
            return None;
        }
        let [left, top] = start.map(f64::from);
        let [right, bottom] = end.map(f64::from);
        Some(Self { left, top, right, bottom })
    }

    /// Bits of the planes whose inner side holds the vertex.
    fn inside(&self, [x, y, z, w]: [f64; 4], registers: &Registers) -> u8 {
        let viewport = registers.viewport();
        let x = x * viewport.scale[0] + viewport.centre[0] * w;
        let y = y * viewport.scale[1] + viewport.centre[1] * w;
        let inside = [
            x >= self.left * w,
            x <= self.right * w,
            y >= self.top * w,
            y <= self.bottom * w,
            z >= -w,
            z <= w,
            w > 0.0,
        ];
        let planes = inside.iter().enumerate().fold(0, |bits, (n, &is)| bits | u8::from(is) << n);
        if registers.is_on(op::CPE) { planes } else { planes | DEPTH_PLANES }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::matrices::Matrices;
    use picaflor_pipeline::ge::stage::Remembered;
    use picaflor_pipeline::guest_slice::GuestSlice;
    use picaflor_pipeline::memory::NoMemory;

    /// A picture of 480 by 272 in the middle of the screen, positions as bytes in 128ths.
    fn registers() -> Registers {
        let mut registers = Registers::default();
        let mut write = |command: u8, argument: u32| registers.write(u32::from(command) << 24 | argument);
        for (command, value) in
            [(op::XSCALE, 240.0_f32), (op::YSCALE, -136.0), (op::XPOS, 2048.0), (op::YPOS, 2048.0)]
        {
            write(command, value.to_bits() >> 8);
        }
        for command in [op::REGION2, op::SCISSOR2] {
            write(command, 479 | 271 << 10);
        }
        write(op::OFFSETX, 1808 << 4);
        write(op::OFFSETY, 1912 << 4);
        write(op::VTYPE, 1 << 7 | 1 << 23);
        registers
    }

    fn outside(registers: &Registers, scale: f32, vertices: &[[i8; 3]]) -> bool {
        let bytes: Vec<u8> = vertices.concat().iter().map(|&b| b as u8).collect();
        let axes = std::array::from_fn(|n| if [0, 4, 8].contains(&n) { 1.0 } else { 0.0 });
        let matrices = Matrices {
            world: axes.map(|element: f32| element * scale),
            view: axes,
            projection: std::array::from_fn(|n| if n % 5 == 0 { 1.0 } else { 0.0 }),
            ..Matrices::default()
        };
        let indices: Vec<u32> = (0..vertices.len() as u32).collect();
        is_outside(&VertexBatch {
            registers,
            matrices: &matrices,
            remembered: Remembered::default(),
            records: GuestSlice::from_slice(&bytes),
            stride: 3,
            indices: &indices,
            memory: &NoMemory,
        })
    }

    const IN: [i8; 3] = [0, 0, 0];
    const RIGHT: [i8; 3] = [127, 0, 0];

    #[test]
    fn beyond_one_side() {
        let mut registers = registers();
        let is_out = |registers: &Registers, vertices: &[[i8; 3]]| outside(registers, 2.0, vertices);
        assert!(is_out(&registers, &[]));
        assert!(!is_out(&registers, &[IN]));
        for far in [RIGHT, [-128, 0, 0], [0, 127, 0], [0, -128, 0]] {
            assert!(is_out(&registers, &[far, far]), "{far:?}");
            assert!(!is_out(&registers, &[far, IN]), "{far:?}");
        }
        // On different sides: none has both outside.
        assert!(!is_out(&registers, &[RIGHT, [-128, 0, 0]]));
        assert!(!is_out(&registers, &[[0, 0, 127]]) && !is_out(&registers, &[[0, 0, -128]]));
        registers.write(u32::from(op::CPE) << 24 | 1);
        assert!(is_out(&registers, &[[0, 0, 127]]) && is_out(&registers, &[[0, 0, -128]]));
    }

    #[test]
    fn one_pixel_is_allowed() {
        let registers = registers();
        // Column 480 is on the plane, 481 beyond: 241 / 240 of the half width.
        assert!(!outside(&registers, 128.0, &[[1, 0, 0]]));
        assert!(outside(&registers, 128.0 * 242.0 / 240.0, &[[1, 0, 0]]));
    }

    /// Measured: OFFSET 0 is always inside, 2 is not; the far side may reach 4095.
    #[test]
    fn boxes_at_the_edge_hide_nothing() {
        let with_offset = |offset: u32| {
            let mut registers = registers();
            registers.write(u32::from(op::OFFSETX) << 24 | offset << 4);
            registers.write(u32::from(op::XPOS) << 24 | (offset as f32 + 240.0).to_bits() >> 8);
            outside(&registers, 2.0, &[RIGHT])
        };
        let cases = [(0, false), (2, true), (4095 - 480, true), (4096 - 480, false)];
        assert_eq!(cases.map(|(offset, _)| with_offset(offset)), cases.map(|(_, is_out)| is_out));
    }
}
