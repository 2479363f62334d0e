//! Texture units 0 to 2 (2.2): which kind of texture, and the way from coordinates to a colour.

mod coordinate;
mod etc1;
mod filter;
mod image;
mod lod;
mod replaced;
mod shadow;
#[cfg(test)]
pub(crate) mod testing;
mod texel;

pub(crate) use filter::between;
pub(crate) use lod::log2q;
pub(crate) use replaced::{Drawn, Replaced, replaced};

use super::{Coordinate, Inputs};
use crate::trace::{Probe, Stage, Value};
use coordinate::OnCube;
use image::{Image, Level};
use lod::Levels;
use picaflor_pipeline::pica::regs::texture::{TextureType, TextureWrap};
use picaflor_pipeline::pica::stage::FragmentState;
use picaflor_pipeline::pica::texel::TextureFormat;

/// Result of a unit without a texture; a console repeats the colour that it fetched last (Citra PR 3898).
const NOTHING: [u8; 4] = [0; 4];

/// Result of a unit with a texture without address or texels (assumed).
const NULL_TEXTURE: [u8; 4] = [0, 0, 0, 255];

/// The colour of unit 0, 1 or 2.
pub(crate) fn sample(state: &Drawn<'_>, unit: usize, inputs: &Inputs, probe: &impl Probe) -> [u8; 4] {
    let unit = Unit { state, unit, probe };
    let kind = unit.kind();
    if !state.registers.texunit_config().enable(unit.unit) || kind == TextureType::Disabled {
        return NOTHING;
    }
    if unit.is_null() {
        return NULL_TEXTURE;
    }
    let uv = coordinate::of_unit(state.registers, unit.unit, inputs);
    let w = inputs.texcoord0_w;
    unit.note("type", || Value::name(kind));
    let colour = match kind {
        TextureType::TwoD | TextureType::Disabled => unit.flat(uv),
        TextureType::Projection => unit.flat(coordinate::divided(uv, w)),
        TextureType::Cube => unit.cube(coordinate::on_cube([uv[0], uv[1], w])),
        TextureType::Shadow2D => unit.shadow(uv, w),
        TextureType::ShadowCube => unit.shadow_cube(coordinate::on_cube([uv[0], uv[1], w])),
    };
    unit.note("result", || Value::Colour(colour));
    colour
}

/// Width, height and texels of a level of unit 0, 1 or 2, rows from the top; `None` without a texture.
pub(crate) fn texels(state: &FragmentState<'_>, unit: usize, level: u32) -> Option<([u32; 2], Vec<[u8; 4]>)> {
    let unit = Unit { state: &Drawn { state: *state, replaced: &[] }, unit, probe: &() };
    let is_on = state.registers.texunit_config().enable(unit.unit) && unit.kind() != TextureType::Disabled;
    if !is_on || unit.is_null() || level > lod::top_level(state.registers.texture_lod(unit.unit), unit.size())
    {
        return None;
    }
    let base = state.registers.texture_address(unit.unit).bytes();
    let image = unit.image(base, unit.format(), 0).level(level);
    let [width, height] = image.size();
    let places = (0..height).rev().flat_map(|j| (0..width).map(move |i| [i, j]));
    Some(([width as u32, height as u32], places.map(|place| image.texel(place)).collect()))
}

/// A unit of a draw.
struct Unit<'a, P> {
    state: &'a Drawn<'a>,
    unit: usize,
    probe: &'a P,
}

impl<P> Clone for Unit<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Unit<'_, P> {}

impl<'a, P: Probe> Unit<'a, P> {
    fn note(self, name: &'static str, value: impl FnOnce() -> Value) {
        self.probe.note(Stage::numbered("texture", self.unit), name, value);
    }

    /// The type, which only unit 0 has.
    fn kind(self) -> TextureType {
        if self.unit == 0 { self.state.registers.texture_param(0).kind() } else { TextureType::TwoD }
    }

    fn size(self) -> [u32; 2] {
        let dim = self.state.registers.texture_dim(self.unit);
        [dim.width(), dim.height()].map(u32::from)
    }

    fn is_null(self) -> bool {
        self.state.registers.texture_address(self.unit).bytes() == 0 || self.size().contains(&0)
    }

    fn image(self, base: u32, format: TextureFormat, face: u32) -> Image<'a> {
        let place = Some(([self.unit as u32, face], self.state.replaced));
        Image { memory: self.state.memory, format, base, size: self.size(), place }
    }

    fn format(self) -> TextureFormat {
        self.state.registers.texture_type(self.unit).format()
    }

    fn flat(self, st: [Coordinate; 2]) -> [u8; 4] {
        let registers = self.state.registers;
        let param = registers.texture_param(self.unit);
        let image = self.image(registers.texture_address(self.unit).bytes(), self.format(), 0);
        self.filtered(&image, st, [param.wrap_s(), param.wrap_t()])
    }

    /// A cube map. Faces end at their edges, independent of the wrap modes (assumed).
    fn cube(self, at: OnCube) -> [u8; 4] {
        self.note("face", || Value::Integer(at.face.into()));
        let base = self.state.registers.texture_face_address(at.face).bytes();
        self.filtered(&self.image(base, self.format(), at.face.into()), at.st, [TextureWrap::Edge; 2])
    }

    fn filtered(self, image: &Image<'_>, st: [Coordinate; 2], wrap: [TextureWrap; 2]) -> [u8; 4] {
        let registers = self.state.registers;
        let (param, lod) = (registers.texture_param(self.unit), registers.texture_lod(self.unit));
        let rho = lod::footprint(st, image.size);
        let (levels, linear) = lod::choose(param, lod, lod::top_level(lod, image.size), rho);
        let at = coordinate::numbers(st);
        self.note_filter(at, rho, levels, linear);
        let level = |k| self.of_level(k, &image.level(k), at, wrap, linear);
        match levels {
            Levels::One(k) => level(k),
            Levels::Two(k, next, f) => between(level(k), level(next), f),
        }
    }

    /// Hands coordinates, footprint and levels to the probe.
    fn note_filter(self, st: [f32; 2], rho: f32, levels: Levels, linear: bool) {
        self.note("s t", || Value::Floats(st.to_vec()));
        self.note("footprint", || Value::Float(rho));
        self.note("levels", || match levels {
            Levels::One(level) => Value::integers([level]),
            Levels::Two(level, next, weight) => Value::integers([level, next, weight]),
        });
        self.note("filter", || Value::Name(if linear { "linear" } else { "nearest" }.into()));
    }

    fn of_level(
        self,
        number: u32,
        level: &Level<'_>,
        st: [f32; 2],
        wrap: [TextureWrap; 2],
        linear: bool,
    ) -> [u8; 4] {
        let border = self.state.registers.texture_border(self.unit).channels();
        let [w, h] = level.size();
        let tap = |i, j| {
            let colour = match (filter::wrap(wrap[0], i, w), filter::wrap(wrap[1], j, h)) {
                (Some(i), Some(j)) => level.texel([i, j]),
                _ => border,
            };
            self.note("texel", || Value::Texel { level: number, place: [i, j], colour });
            colour
        };
        let at = level.position(st);
        self.note("position", || Value::Floats(at.to_vec()));
        if linear {
            self.note("weights / 256", || Value::Integers(filter::weights(at).map(i64::from).to_vec()));
        }
        if linear { filter::linear(at, tap) } else { filter::nearest(at, tap) }
    }

    fn shadow(self, uv: [Coordinate; 2], w: Coordinate) -> [u8; 4] {
        let registers = self.state.registers;
        let orthographic = registers.texture_shadow().orthographic();
        let st = if orthographic { uv } else { coordinate::divided(uv, w) };
        let base = registers.texture_address(0).bytes();
        self.compared(base, st, w.value.abs(), shadow::inside)
    }

    fn shadow_cube(self, at: OnCube) -> [u8; 4] {
        let base = self.state.registers.texture_face_address(at.face).bytes();
        self.compared(base, at.st, at.major, shadow::at_edge)
    }

    /// Level 0 of a depth map at `base`, whose format is always the same.
    fn compared(self, base: u32, st: [Coordinate; 2], depth: f32, place: shadow::Place) -> [u8; 4] {
        let reference = shadow::reference(depth, self.state.registers.texture_shadow());
        let map = self.image(base, TextureFormat::Rgba8, 0).level(0);
        self.note("s t", || Value::Floats(coordinate::numbers(st).to_vec()));
        self.note("reference", || Value::Integer(reference.into()));
        shadow::filtered(&map, coordinate::numbers(st), reference, place)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{Random, Scene, at, fragment, image8};
    use super::*;

    const ENABLE0: (u16, u32) = (0x080, 1);
    /// Unit 0 reads eight-bit intensities at 0x1000.
    const ADDRESS: (u16, u32) = (0x085, 0x1000 / 8);
    const I8: (u16, u32) = (0x08e, 7);
    const MAG_LINEAR: u32 = 1 << 1;
    const PROJECTION: u32 = 3 << 28;
    const CUBE: u32 = 1 << 28;
    const SHADOW: u32 = 2 << 28;
    const SHADOW_CUBE: u32 = 4 << 28;

    fn size(width: u32, height: u32) -> (u16, u32) {
        (0x082, width << 16 | height)
    }

    /// Intensity of unit 0, whose alpha is opaque.
    fn intensity(scene: &Scene, uvw: [Coordinate; 3]) -> u8 {
        let [r, g, b, a] = sample(&scene.state(), 0, &fragment(uvw[0], uvw[1], uvw[2]), &());
        assert_eq!([g, b, a], [r, r, 255]);
        r
    }

    fn still(scene: &Scene, uvw: [f32; 3]) -> u8 {
        intensity(scene, uvw.map(at))
    }

    #[test]
    fn projection_with_w_zero() {
        let bytes = image8([64, 64], |i, j| if (i, j) == (63, 0) { 99 } else { 1 });
        let scene = Scene::new(&[ENABLE0, size(64, 64), (0x083, PROJECTION), ADDRESS, I8], bytes);
        assert_eq!(still(&scene, [1.0, 0.0, 0.0]), 99);
    }

    #[test]
    fn projection_divides() {
        let scene = Scene::new(
            &[ENABLE0, size(8, 8), (0x083, PROJECTION), ADDRESS, I8],
            image8([8, 8], |i, j| (16 * j + i) as u8),
        );
        assert_eq!(still(&scene, [1.0, 0.5, 2.0]), 0x24);
    }

    #[test]
    fn checks_come_in_order() {
        let mut scene = Scene::new(&[size(8, 8), I8], vec![7; 64]);
        let mut colour = |words: &[(u16, u32)]| {
            scene.set(words);
            sample(&scene.state(), 0, &fragment(at(0.0), at(0.0), at(0.0)), &())
        };
        assert_eq!(colour(&[]), NOTHING, "neither enabled nor an address");
        assert_eq!(colour(&[ENABLE0]), NULL_TEXTURE);
        for kind in 5..8 {
            assert_eq!(colour(&[(0x083, kind << 28)]), NOTHING, "type {kind}");
        }
        assert_eq!(colour(&[(0x083, CUBE), (0x086, 0x200)]), NULL_TEXTURE, "face 0 counts");
        assert_eq!(colour(&[(0x083, 0), ADDRESS, size(0, 8)]), NULL_TEXTURE);
        assert_eq!(colour(&[size(8, 0)]), NULL_TEXTURE);
        assert_eq!(colour(&[size(8, 8)]), [7, 7, 7, 255]);
    }

    #[test]
    fn units_1_and_2_have_no_type() {
        let words = [(0x092, 8 << 16 | 8), (0x093, 5 << 28), (0x095, 0x200), (0x096, 8)];
        let mut scene = Scene::new(&words, vec![7; 64]);
        scene.set(&words.map(|(id, word)| (id + 8, word)));
        scene.set(&[(0x080, 2)]);
        let of = |unit| sample(&scene.state(), unit, &fragment(at(0.0), at(0.0), at(0.0)), &());
        assert_eq!([of(1), of(2)], [[0, 0, 0, 7], NOTHING]);
    }

    /// Filters and wrap modes are those of the unit; the type counts in unit 0 alone.
    #[test]
    fn parameters_of_each_unit() {
        let bytes = [image8([16, 16], |i, j| (16 * j + i) as u8), vec![99; 64]].concat();
        let mut scene = Scene::new(&[(0x080, 7)], bytes);
        // 1.3 texels per pixel: still level 0, unless two levels are mixed.
        let small = Coordinate { value: 0.5, dx: 1.3 / 16.0, dy: 0.0 };
        let [middle, outside] = [0.5, -0.1].map(at);
        for (unit, block, format) in [(0, 0x081, 0x08e), (1, 0x091, 0x096), (2, 0x099, 0x09e)] {
            scene.set(&[(block + 1, 16 << 16 | 16), (block + 3, 1 << 16), (block + 4, 0x200), (format, 7)]);
            let mut changes = |param, u, v| {
                let mut of = |param| {
                    scene.set(&[(block + 2, param)]);
                    sample(&scene.state(), unit, &fragment(u, v, at(1.0)), &())
                };
                of(param) != of(0)
            };
            assert!(changes(1 << 1, middle, middle), "magnification, unit {unit}");
            assert!(changes(1 << 2, small, middle), "minification, unit {unit}");
            assert!(changes(1 << 24, small, middle), "levels, unit {unit}");
            assert!(changes(2 << 12, outside, middle), "wrapping of s, unit {unit}");
            assert!(changes(2 << 8, middle, outside), "wrapping of t, unit {unit}");
            assert_eq!(changes(5 << 28, middle, middle), unit == 0, "type, unit {unit}");
        }
    }

    #[test]
    fn border_is_taken_as_it_is() {
        let words =
            [ENABLE0, (0x081, 0x0403_0201), size(8, 8), (0x083, 1 << 12 | 2 << 8), ADDRESS, (0x08e, 8)];
        let scene = Scene::new(&words, vec![7; 64]);
        let of = |u, v| sample(&scene.state(), 0, &fragment(at(u), at(v), at(0.0)), &());
        assert_eq!([of(-0.1, 0.5), of(0.5, -0.1)], [[1, 2, 3, 4], [0, 0, 0, 7]]);
    }

    #[test]
    fn filter_by_footprint() {
        let bytes = image8([8, 8], |i, _| (16 * i) as u8);
        let scene = Scene::new(&[ENABLE0, size(8, 8), (0x083, MAG_LINEAR), ADDRESS, I8], bytes);
        let u = |dx| Coordinate { value: 0.5, dx, dy: 0.0 };
        assert_eq!(intensity(&scene, [u(0.125), at(0.5), at(1.0)]), 56, "one texel per pixel is magnified");
        assert_eq!(intensity(&scene, [u(0.25), at(0.5), at(1.0)]), 64);
    }

    /// Expected: half way between the levels, by the change of u alone.
    #[test]
    fn two_levels() {
        let bytes = [vec![10; 256], vec![20; 64]].concat();
        let words = [ENABLE0, size(16, 16), (0x083, 1 << 24), (0x084, 1 << 16 | 0x1f80), ADDRESS, I8];
        let scene = Scene::new(&words, bytes);
        let u = Coordinate { value: 0.5, dx: 1.0 / 8.0, dy: 0.0 };
        assert_eq!(intensity(&scene, [u, at(0.5), at(1.0)]), 15);
        assert_eq!(intensity(&scene, [at(0.5), at(0.5), at(1.0)]), 10);
    }

    /// A small level has the rows of its own height, the top one first.
    #[test]
    fn rows_of_a_level() {
        let bytes = [vec![0; 256], image8([8, 8], |i, j| (16 * j + i) as u8)].concat();
        let words = [ENABLE0, size(16, 16), (0x084, 1 << 24 | 1 << 16), ADDRESS, I8];
        let scene = Scene::new(&words, bytes);
        assert_eq!(still(&scene, [0.99, 0.0, 1.0]), 0x07);
        assert_eq!(still(&scene, [0.0, 0.99, 1.0]), 0x70);
    }

    /// The last rows come before the first tile row is full: row 0 of the image lies in memory row 11.
    #[test]
    fn sides_that_are_no_multiple_of_8() {
        let padded = image8([16, 16], |i, j| (16 * (j % 16) + i) as u8);
        let scene = Scene::new(&[ENABLE0, size(12, 12), ADDRESS, I8], padded);
        assert_eq!(still(&scene, [0.99, 0.0, 1.0]), 0x4b);
        assert_eq!(still(&scene, [0.0, 0.99, 1.0]), 0xf0);
    }

    #[test]
    fn cube_faces_and_their_edges() {
        let faces = (0..6).flat_map(|face| image8([8, 8], move |i, _| (face * 16 + i) as u8));
        let mut words = vec![ENABLE0, size(8, 8), ADDRESS, I8, (0x083, CUBE | 2 << 12 | 2 << 8)];
        words.extend((1..6).map(|face| (0x085 + face, 0x200 + 8 * u32::from(face))));
        let scene = Scene::new(&words, faces.collect());
        let axes = [[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]];
        assert_eq!(axes.map(|axis| still(&scene, axis)), [0x04, 0x14, 0x24, 0x34, 0x44, 0x54]);
        assert_eq!(still(&scene, [1.0, 1.0, 1.0]), 0x47, "s is 1, which repeats nothing");
    }

    /// A depth map of 8x8: depth 0x800000 and intensity 40 in the left half, the farthest depth and
    /// intensity 200 in the right half.
    fn depth_map(kind: u32, shadow: u32) -> Scene {
        let planes = [
            image8([8, 8], |i, _| if i < 4 { 0x80 } else { 0xff }),
            image8([8, 8], |i, _| if i < 4 { 0x00 } else { 0xff }),
            image8([8, 8], |i, _| if i < 4 { 0x00 } else { 0xff }),
            image8([8, 8], |i, _| if i < 4 { 40 } else { 200 }),
        ];
        let bytes = (0..64).flat_map(|n| planes.each_ref().map(|plane| plane[n])).collect();
        Scene::new(&[ENABLE0, size(8, 8), ADDRESS, I8, (0x083, kind), (0x08b, shadow)], bytes)
    }

    fn shadowed(scene: &Scene, uvw: [f32; 3]) -> u8 {
        let [r, g, b, a] = sample(&scene.state(), 0, &fragment(at(uvw[0]), at(uvw[1]), at(uvw[2])), &());
        assert_eq!([g, b, a], [r; 3]);
        r
    }

    #[test]
    fn shadow_outside_is_lit() {
        let scene = depth_map(SHADOW, 1);
        assert_eq!(shadowed(&scene, [-0.5, 0.5, 1.0]), 255);
        assert_eq!(shadowed(&scene, [0.0, 0.5, 1.0]), 128, "half of the taps");
        assert_eq!(shadowed(&scene, [f32::INFINITY, 0.5, 1.0]), 255);
    }

    #[test]
    fn shadow_compares_and_filters() {
        let scene = depth_map(SHADOW, 1);
        assert_eq!(shadowed(&scene, [0.25, 0.5, 0.25]), 40);
        assert_eq!(shadowed(&scene, [0.25, 0.5, -0.75]), 0, "the magnitude of w counts");
        assert_eq!(shadowed(&scene, [0.75, 0.5, 0.75]), 200);
        assert_eq!(shadowed(&scene, [0.75, 0.5, 7.0]), 0, "the farthest depth is equal");
        assert_eq!(shadowed(&scene, [0.5, 0.5, 0.75]), 100, "half of the taps");
        assert_eq!(shadowed(&scene, [0.5, 0.5, 0.25]), 120);
    }

    #[test]
    fn shadow_bias_and_division() {
        assert_eq!(shadowed(&depth_map(SHADOW, 0), [0.125, 0.25, 0.5]), 40, "u / w is 0.25");
        // 0.5 is 0x7fffff, and so is 0.50000006 less a bias of 2.
        let w = 0.5_f32.next_up().next_up();
        assert_eq!(shadowed(&depth_map(SHADOW, 1), [0.25, 0.5, w]), 0);
        assert_eq!(shadowed(&depth_map(SHADOW, 3), [0.25, 0.5, w]), 40);
    }

    #[test]
    fn shadow_cube_stays_on_its_face() {
        // The upper six bits come from 0x085; the others are the same for -Z here.
        let mut scene = depth_map(SHADOW_CUBE, 0);
        scene.set(&[(0x08a, 0x200)]);
        assert_eq!(shadowed(&scene, [0.2, 0.0, -0.2]), 40, "s is 0, and nothing beside it is lit");
        assert_eq!(shadowed(&scene, [-0.9, 0.0, -0.9]), 200);
        assert_eq!(shadowed(&scene, [0.9, 0.0, -0.9]), 0);
    }

    /// Whatever a guest writes, a colour comes out. Half of the addresses are made to meet the memory.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn random_registers_and_coordinates() {
        let mut random = Random(11);
        let mut scene = Scene::new(&[], (0..=255).cycle().take(40_000).collect());
        let mut seen = [0; 256];
        for round in 0..4_000 {
            scene.registers = random.texture_registers();
            if round % 2 == 0 {
                let near = [0x085, 0x095, 0x09d].map(|id| (id, 0x1ff + (random.word() >> 25)));
                scene.set(&near);
                scene.set(&[0x082, 0x092, 0x09a].map(|id| (id, random.word() & 0x007f_007f)));
            }
            for unit in [0, 0, 0, 1, 2] {
                let [r, ..] = sample(&scene.state(), unit, &random.fragment(), &());
                seen[usize::from(r)] += 1;
            }
        }
        assert!(seen.iter().filter(|&&n| n > 0).count() > 200, "{seen:?}");
    }
}
