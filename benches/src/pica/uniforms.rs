//! Uniforms with ordinary values: cameras, lights, bones.

use crate::pica::example::Example;
use crate::pica::mesh::Units;
use crate::random::Random;
use picaflor_pipeline::pica::shader::shbin::{Dvle, Uniform};
use picaflor_pipeline::pica::shader::unit::{Uniforms, Vec4};

/// Bones of the skinned mesh.
pub const BONES: u32 = 20;

/// Three rows of a rotation about x, then y.
fn rotation(about_x: f32, about_y: f32) -> [Vec4; 3] {
    let ((sx, cx), (sy, cy)) = (about_x.sin_cos(), about_y.sin_cos());
    [[cy, sx * sy, cx * sy, 0.0], [0.0, cx, -sx, 0.0], [-sy, sx * cy, cx * cy, 0.0]]
}

fn moved(mut rows: [Vec4; 3], by: [f32; 3]) -> [Vec4; 3] {
    for (row, by) in rows.iter_mut().zip(by) {
        row[3] = by;
    }
    rows
}

/// Rows that take points stored in units of `1 / unit`.
fn scaled<const N: usize>(rows: [Vec4; N], unit: f32) -> [Vec4; N] {
    rows.map(|[x, y, z, w]| [x / unit, y / unit, z / unit, w])
}

/// Perspective with depth from -w at the near plane (0.5) to 0 at the far plane (20), as the console clips.
const PERSPECTIVE: [Vec4; 4] = [
    [1.2, 0.0, 0.0, 0.0],
    [0.0, 2.0, 0.0, 0.0],
    [0.0, 0.0, 0.025_641_026, 0.512_820_5],
    [0.0, 0.0, -1.0, 0.0],
];

/// The product of a 4x4 and an affine 3x4 matrix.
fn product(a: [Vec4; 4], b: [Vec4; 3]) -> [Vec4; 4] {
    a.map(|row| {
        std::array::from_fn(|column| {
            let last = if column == 3 { row[3] } else { 0.0 };
            row[0] * b[0][column] + row[1] * b[1][column] + row[2] * b[2][column] + last
        })
    })
}

/// Two rows of a texture matrix.
fn texture(angle: f32, unit: f32) -> [Vec4; 2] {
    let (s, c) = angle.sin_cos();
    [[c / unit, -s / unit, 0.0, 0.25], [s / unit, c / unit, 0.0, -0.125]]
}

fn colours<const N: usize>(random: &mut Random) -> [Vec4; N] {
    [[0.0; 4]; N].map(|_| [0; 4].map(|_| random.between(0.1, 0.6)))
}

/// Sets uniforms by name.
struct Scene<'a> {
    executable: &'a Dvle,
    uniforms: Uniforms,
}

impl Scene<'_> {
    /// The first and the last register of a uniform, in the numbering of the symbol table.
    fn registers(&self, name: &str) -> (u16, u16) {
        let named = |uniform: &&Uniform| self.executable.name(uniform.name) == name.as_bytes();
        let uniform = self.executable.uniforms.iter().find(named).expect("a uniform of the program");
        (uniform.first, uniform.last)
    }

    /// Sets the rows of a float uniform as 32-bit uploads do.
    fn set(&mut self, name: &str, rows: &[Vec4]) {
        let (first, last) = self.registers(name);
        assert_eq!(rows.len(), usize::from(last - first) + 1, "rows of {name}");
        for (i, row) in rows.iter().enumerate() {
            self.uniforms.set_float_f32(usize::from(first) - 0x10 + i, row.map(f32::to_bits));
        }
    }

    fn set_bool(&mut self, name: &str) {
        let (register, _) = self.registers(name);
        self.uniforms.set_bools(self.uniforms.bools() | 1 << (register - 0x78));
    }

    fn transform(&mut self, units: Units) {
        let view = scaled(moved(rotation(0.4, 0.7), [0.1, -0.2, -5.0]), units.position);
        self.set("projection", &product(PERSPECTIVE, view));
    }

    fn light(&mut self, units: Units, random: &mut Random) {
        let turn = rotation(0.4, 0.7);
        self.set("modelview", &scaled(moved(turn, [0.1, -0.2, -5.0]), units.position));
        self.set("projection", &PERSPECTIVE);
        self.set("normalmtx", &turn);
        let corners =
            [[3.0, 4.0, -2.0, 1.0], [-3.0, 2.0, -1.0, 1.0], [1.0, -4.0, -7.0, 1.0], [-4.0, 1.0, -6.0, 1.0]];
        self.set("lightpos", &corners);
        self.set("diffuse", &colours::<4>(random));
        self.set("specular", &colours::<4>(random));
        self.set("ambient", &[[0.1, 0.1, 0.15, 1.0]]);
        self.set("fogcolor", &[[0.5, 0.6, 0.7, 1.0]]);
        self.set("fogparam", &[[-0.15, -0.4, 0.0, 0.0]]);
        self.set("texmtx", &[texture(0.3, units.uv), texture(1.1, units.uv)].concat());
    }

    fn skin(&mut self, units: Units, random: &mut Random) {
        let turn = rotation(-0.3, 0.5);
        self.set("projection", &PERSPECTIVE);
        self.set("view", &moved(turn, [0.1, -0.2, -5.0]));
        self.set("nrmMtx", &turn);
        self.set("texMtx0", &texture(0.3, units.uv));
        self.set("texMtx1", &texture(1.1, units.uv));
        self.set("texMtx2", &texture(-0.6, units.uv));
        self.set("lights", &self.lights(random));
        self.set("matAmb", &[[0.2, 0.2, 0.25, 1.0]]);
        self.set("matDif", &[[0.8, 0.7, 0.6, 1.0]]);
        self.set("matSpe", &[[0.5, 0.5, 0.5, 1.0]]);
        self.set("bones", &self.bones(units, random));
        self.set_bool("useTex1");
    }

    /// Two lights of three rows each: direction, diffuse and specular colour.
    fn lights(&self, random: &mut Random) -> Vec<Vec4> {
        (0..2)
            .flat_map(|_| {
                let [x, y, z] = random.direction();
                let [diffuse, specular] = colours(random);
                [[x, y, z, 0.0], diffuse, specular]
            })
            .collect()
    }

    fn bones(&self, units: Units, random: &mut Random) -> Vec<Vec4> {
        (0..BONES)
            .flat_map(|_| {
                let turn = rotation(random.between(-0.5, 0.5), random.between(-0.5, 0.5));
                let by = [0; 3].map(|_| random.between(-0.2, 0.2));
                let rows = scaled(moved(turn, by), units.position);
                rows.map(|row| row.map(|x| x / units.weight))
            })
            .collect()
    }

    /// The palette is small where colours are made of it, so that vertices end on both sides of each test.
    fn branchy(&mut self, units: Units, random: &mut Random) {
        let rows = scaled(moved(rotation(0.4, 0.7), [0.1, -0.2, 0.3]), units.position);
        self.set("projection", &[rows[0], rows[1], rows[2], [0.0, 0.0, 0.0, 1.0]]);
        let palette = [[0.0; 4]; 16].map(|_| {
            let [y, z, w] = [0; 3].map(|_| random.between(-0.3, 0.3));
            [random.between(0.1, 0.4), y, z, w].map(|x| x / units.uv)
        });
        self.set("palette", &palette);
        self.set_bool("fog");
    }
}

/// The uniforms of an example, constants of the program included.
#[must_use]
pub fn uniforms(example: Example, executable: &Dvle, units: Units) -> Uniforms {
    let mut scene = Scene { executable, uniforms: Uniforms::default() };
    executable.apply_constants(&mut scene.uniforms);
    let random = &mut Random::new(0x7363_656e ^ example as u64);
    match example {
        Example::Transform => scene.transform(units),
        Example::Light => scene.light(units, random),
        Example::Skin => scene.skin(units, random),
        Example::Branchy => scene.branchy(units, random),
    }
    scene.uniforms
}
