//! The bounding box test (7.8).

use super::vertex::Stations;
use super::vertex::decode::decode;
use super::vertex::skin::skinned;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::VertexBatch;
use picaflor_pipeline::ge::vertex_type::VertexType;

/// Bit of VTYPE that the test ignores.
const THROUGH: u32 = 1 << 23;
/// End of the screen in both directions; a box that reaches it is always inside.
const SCREEN: f64 = 4096.0;

/// True if the vertices lie outside of the drawing area, all beyond one plane or all behind the eye. Vertices of a
/// format without positions are at the origin (assumed).
pub(super) fn is_outside(batch: &VertexBatch<'_>) -> bool {
    if batch.indices.is_empty() {
        return true;
    }
    let Some(area) = Area::of(batch.registers) else { return false };
    let clips: Vec<_> = batch.indices.iter().map(|&index| clip(batch, index)).collect();
    let mut satisfied = [false; 7];
    for inside in clips.iter().map(|&clip| area.tests(batch.registers, clip)) {
        (0..7).for_each(|n| satisfied[n] |= inside[n]);
    }
    satisfied.contains(&false)
}

/// Clip coordinates of a vertex, read as in normal mode.
fn clip(batch: &VertexBatch<'_>, index: u32) -> [f64; 4] {
    let format = VertexType(batch.registers.vertex_type().0 & !THROUGH);
    let (position, _) = skinned(batch, format, &decode(batch, format, index));
    Stations::of(position, batch.matrices).clip
}

/// The box on the screen: one pixel around the drawing area, x and y.
struct Area {
    first: [f64; 2],
    last: [f64; 2],
}

impl Area {
    /// `None` if the box reaches an edge of the screen.
    fn of(registers: &Registers) -> Option<Self> {
        let pixel = |command, k: u32| registers.bits(command, 10 * k, 10);
        let offset = registers.drawing_offset().map(|sixteenths| f64::from(sixteenths >> 4));
        let first = [0, 1].map(|k| {
            let least = pixel(op::REGION1, k).max(pixel(op::SCISSOR1, k));
            offset[k as usize] + f64::from(least) - 1.0
        });
        let last = [0, 1].map(|k| {
            let greatest = pixel(op::REGION2, k).min(pixel(op::SCISSOR2, k));
            offset[k as usize] + f64::from(greatest) + 1.0
        });
        let is_whole = last.iter().any(|&c| c >= SCREEN) || first.iter().any(|&c| c < 1.0);
        (!is_whole).then_some(Self { first, last })
    }

    /// The planes left, right, top, bottom, near, far, and the eye: true if the vertex satisfies them.
    fn tests(&self, registers: &Registers, [x, y, z, w]: [f64; 4]) -> [bool; 7] {
        let viewport = registers.viewport();
        let sx = x * viewport.scale[0] + viewport.centre[0] * w;
        let sy = y * viewport.scale[1] + viewport.centre[1] * w;
        let ignores_z = !registers.is_on(op::CPE);
        [
            sx >= self.first[0] * w,
            sx <= self.last[0] * w,
            sy >= self.first[1] * w,
            sy <= self.last[1] * w,
            ignores_z || z >= -w,
            ignores_z || z <= w,
            w > 0.0,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::matrices::Matrices;
    use picaflor_pipeline::ge::stage::Remembered;
    use picaflor_pipeline::guest_slice::GuestSlice;
    use picaflor_pipeline::memory::NoMemory;

    /// Viewport 480 x 272 around 2048, OFFSET 1808, 1912; scissor and region are the screen. Identity matrices.
    fn registers(words: &[u32]) -> Registers {
        let mut registers = Registers::default();
        let float = |command: u8, value: f32| u32::from(command) << 24 | value.to_bits() >> 8;
        registers.write(float(op::XSCALE, 240.0));
        registers.write(float(op::YSCALE, -136.0));
        registers.write(float(op::XPOS, 2048.0));
        registers.write(float(op::YPOS, 2048.0));
        for word in [0x1200_0180, 0x4c00_7100, 0x4d00_7780, 0xd504_3ddf, 0x1604_3ddf] {
            registers.write(word);
        }
        words.iter().for_each(|&word| registers.write(word));
        registers
    }

    fn outside(words: &[u32], positions: &[[f32; 3]]) -> bool {
        let axes = std::array::from_fn(|n| if n % 4 == 0 && n < 9 { 1.0 } else { 0.0 });
        let mut projection = std::array::from_fn(|n| if n % 5 == 0 { 1.0 } else { 0.0 });
        // w = 1 + z / 2 lets z decide about the eye.
        projection[11] = 0.5;
        let matrices = Matrices { world: axes, view: axes, projection, ..Matrices::default() };
        let bytes: Vec<u8> = positions.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let registers = registers(words);
        let indices: Vec<u32> = (0..positions.len() as u32).collect();
        is_outside(&VertexBatch {
            registers: &registers,
            matrices: &matrices,
            remembered: Remembered::default(),
            records: GuestSlice::from_slice(&bytes),
            stride: 12,
            indices: &indices,
            memory: &NoMemory,
        })
    }

    #[test]
    fn no_vertices_are_outside() {
        assert!(outside(&[], &[]));
        assert!(outside(&[0x4c00_0000], &[]));
    }

    /// left = 1807: sx >= 1807 means x >= -241/240. One pixel more is outside; a second vertex beyond the other side
    /// satisfies that plane.
    #[test]
    fn planes_of_the_box() {
        let x = |pixels: f32| [pixels / 240.0, 0.0, 0.0];
        assert!(!outside(&[], &[x(0.0)]));
        assert!([-242.0, 242.0].iter().all(|&pixels| outside(&[], &[x(pixels)])));
        assert!([-240.5, 240.0].iter().all(|&pixels| !outside(&[], &[x(pixels)])));
        assert!(!outside(&[], &[x(-300.0), x(300.0)]));
        assert!(outside(&[], &[x(-300.0), x(-400.0)]));
        // Through mode reads the same format in the same way.
        assert!(!outside(&[0x1280_0180], &[x(0.0)]));
    }

    /// top = 1911, bottom = 2184: 2048 - 136 y. z = 2: w = 2 doubles the box.
    #[test]
    fn planes_above_and_below() {
        let at = |pixels: f32, z: f32| [0.0, pixels / -136.0, z];
        assert!([-138.0, 137.0].iter().all(|&pixels| outside(&[], &[at(pixels, 0.0)])));
        assert!([-136.5, 135.5].iter().all(|&pixels| !outside(&[], &[at(pixels, 0.0)])));
        assert!([-276.0, 274.0].iter().all(|&pixels| outside(&[], &[at(pixels, 2.0)])));
        assert!([-273.0, 271.0].iter().all(|&pixels| !outside(&[], &[at(pixels, 2.0)])));
    }

    /// A scissor from 100, 50: left = 1907, top = 1961.
    #[test]
    fn the_box_begins_at_the_scissor() {
        let outside = |x: f32, y: f32| outside(&[0xd400_c864], &[[x / 240.0, y / -136.0, 0.0]]);
        assert_eq!([outside(-142.0, 0.0), outside(-140.0, 0.0)], [true, false]);
        assert_eq!([outside(0.0, -88.0), outside(0.0, -86.0)], [true, false]);
    }

    #[test]
    fn z_counts_with_clip_planes_alone() {
        assert!(!outside(&[], &[[0.0, 0.0, 4.0]]));
        assert!(outside(&[0x1c00_0001], &[[0.0, 0.0, 4.0]]));
        assert!(outside(&[0x1c00_0001], &[[0.0, 0.0, -1.0]]));
        // w = 0.75, more than z and less than -z.
        assert!(!outside(&[0x1c00_0001], &[[0.0, 0.0, -0.5]]));
        assert!(!outside(&[0x1c00_0001], &[[0.0, 0.0, 4.0], [0.0, 0.0, -1.0]]));
    }

    /// z = -4: w = -1. Together the two satisfy all planes: sx = 352 and -4448 against -1807 and -2288, sy = -1776 and
    /// -2320 against -1911 and -2184.
    #[test]
    fn behind_the_eye_is_outside() {
        let behind = [[10.0, -2.0, -4.0], [-10.0, 2.0, -4.0]];
        assert!(outside(&[], &behind));
        assert!(!outside(&[], &[behind[0], behind[1], [0.0; 3]]));
        // z = -2: w = 0, and the planes go through the eye.
        let beside = [[1.0, 1.0, -2.0], [-1.0, -1.0, -2.0]];
        assert!(outside(&[], &beside));
        assert!(!outside(&[], &[beside[0], beside[1], [0.0; 3]]));
    }

    /// OFFSET 0 is always inside, 2 is active; OFFSET + 479 + 1 = 4095 is active, 4096 always inside.
    #[test]
    fn boxes_at_the_edge_of_the_screen() {
        let far = [[9.0, 0.0, 0.0]];
        let at = |offset: u32| outside(&[0x4c00_0000 + 16 * offset], &far);
        assert_eq!([0, 2, 3615, 3616].map(at), [false, true, true, false]);
    }
}
