//! The yardstick: each program as a plain, hand-written scalar function.
//!
//! One vertex at a time, from attributes in memory to semantics in [`ShadedVertices`], with the multiply rule
//! and the order of sums that the hardware's programs have: the same bits as the engines in `Binary32` on
//! ordinary values. Between two vertices stands a compiler fence, and results go to places far apart, so the
//! compiler makes scalar code of it; look at the disassembly after a change (no `mulps`, no `addps`).

mod branchy;
pub mod fragment;
mod fragment_scalar;
#[cfg(target_arch = "x86_64")]
mod fragment_simd;
mod light;
mod skin;
mod transform;

use crate::pica::example::Example;
use crate::pica::workload::{VERTICES, Workload};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::unit::{Uniforms, Vec4};
use picaflor_pipeline::pica::stage::{ShadedVertices, row_stride};
use picaflor_pipeline::pica::vertex::{SEMANTICS, condition_colour};
use std::sync::atomic::{Ordering, compiler_fence};

/// All semantics of all vertices.
type Rows = [[f32; row_stride(VERTICES)]; SEMANTICS];

/// Inputs of a scalar function, beside its vertex.
#[derive(Debug, Clone)]
pub struct Yardstick {
    example: Example,
    bytes: Vec<u8>,
    indices: Vec<u32>,
    /// `c0`-`c95`, and the registers that relative addressing reaches behind them.
    c: [Vec4; 128],
    bools: u16,
    /// `i3`, where the assembler puts the first integer constant.
    loop3: [u8; 4],
}

impl Yardstick {
    /// The yardstick of a workload whose attributes are stored as floats.
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        let batch = workload.batch(Precision::Binary32);
        let c = std::array::from_fn(|n| {
            if n < Uniforms::FLOATS { batch.uniforms.float(n, batch.precision) } else { [1.0; 4] }
        });
        Self {
            example: workload.example,
            bytes: workload.bytes().to_vec(),
            indices: batch.indices.to_vec(),
            c,
            bools: batch.uniforms.bools(),
            loop3: batch.uniforms.int(3),
        }
    }

    /// Shades the whole batch.
    pub fn shade(&self, out: &mut ShadedVertices) {
        out.reset(self.indices.len(), SEMANTICS);
        let (rows, _) = out.values_mut().as_chunks_mut::<{ row_stride(VERTICES) }>();
        let rows: &mut Rows = rows.try_into().expect("a row for each semantic");
        match self.example {
            Example::Transform => self.each(rows, transform::vertex),
            Example::Light => self.each(rows, light::vertex),
            Example::Skin => self.each(rows, skin::vertex),
            Example::Branchy => self.each(rows, branchy::vertex),
        }
    }

    #[inline(always)]
    fn each<const FLOATS: usize>(
        &self,
        rows: &mut Rows,
        vertex: impl Fn(&Self, Attributes<'_, FLOATS>, &mut Semantics<'_>),
    ) {
        let (mesh, _) = self.bytes.as_chunks::<4>();
        for (at, &index) in self.indices.iter().enumerate() {
            compiler_fence(Ordering::SeqCst);
            let floats = mesh[FLOATS * index as usize..].first_chunk().expect("a vertex of the mesh");
            vertex(self, Attributes(floats), &mut Semantics { rows, at: at % VERTICES });
        }
    }

    fn bool(&self, id: u8) -> bool {
        self.bools >> id & 1 != 0
    }

    /// `c[n + a]` as relative addressing finds it.
    #[inline(always)]
    fn relative(&self, n: usize, a: i32) -> Vec4 {
        let a = if (-128..=127).contains(&a) { a } else { 0 };
        self.c[(n as i32 + a) as usize & 127]
    }
}

/// The interleaved attributes of one vertex, binary32.
struct Attributes<'a, const FLOATS: usize>(&'a [[u8; 4]; FLOATS]);

impl<const FLOATS: usize> Attributes<'_, FLOATS> {
    /// `N` components from float number `at`; those that are missing are 0, 0, 1.
    #[inline(always)]
    fn load<const N: usize>(&self, at: usize) -> Vec4 {
        let mut value = [0.0, 0.0, 0.0, 1.0];
        for (component, bytes) in value.iter_mut().zip(&self.0[at..at + N]) {
            *component = f32::from_le_bytes(*bytes);
        }
        value
    }
}

/// Destination of one vertex's semantics.
struct Semantics<'a> {
    rows: &'a mut Rows,
    at: usize,
}

impl Semantics<'_> {
    #[inline(always)]
    fn set<const N: usize>(&mut self, first: usize, values: [f32; N]) {
        for (k, value) in values.into_iter().enumerate() {
            self.rows[first + k][self.at] = value;
        }
    }

    #[inline(always)]
    fn position(&mut self, value: Vec4) {
        self.set(0, value);
    }

    #[inline(always)]
    fn quaternion(&mut self, value: Vec4) {
        self.set(4, value);
    }

    #[inline(always)]
    fn colour(&mut self, value: Vec4) {
        let [r, g, b, a] = value;
        self.set(8, [condition_colour(r), condition_colour(g), condition_colour(b), condition_colour(a)]);
    }

    /// Texture coordinates 0, 1 or 2.
    #[inline(always)]
    fn uv(&mut self, unit: usize, value: [f32; 2]) {
        self.set([12, 14, 22][unit], value);
    }

    #[inline(always)]
    fn view(&mut self, value: [f32; 3]) {
        self.set(18, value);
    }

    /// Semantics that the program does not write.
    #[inline(always)]
    fn unmapped<const N: usize>(&mut self, semantics: [usize; N]) {
        for k in semantics {
            self.set(k, [1.0]);
        }
    }
}

/// The multiply rule: zero times infinity is zero.
#[inline(always)]
fn mul(a: f32, b: f32) -> f32 {
    let product = a * b;
    if product.is_nan() && !a.is_nan() && !b.is_nan() { 0.0 } else { product }
}

#[inline(always)]
fn dot3(a: Vec4, b: Vec4) -> f32 {
    mul(a[0], b[0]) + mul(a[1], b[1]) + mul(a[2], b[2])
}

#[inline(always)]
fn dot4(a: Vec4, b: Vec4) -> f32 {
    dot3(a, b) + mul(a[3], b[3])
}

/// The dot products of `v` with three rows from `c[first]`, x to z only.
#[inline(always)]
fn turn3(c: &[Vec4; 128], first: usize, v: Vec4) -> [f32; 3] {
    [dot3(c[first], v), dot3(c[first + 1], v), dot3(c[first + 2], v)]
}

/// The dot products of `v` with two rows from `c[first]`.
#[inline(always)]
fn turn2(c: &[Vec4; 128], first: usize, v: Vec4) -> [f32; 2] {
    [dot4(c[first], v), dot4(c[first + 1], v)]
}

/// The dot products of `v` with four rows from `c[first]`.
#[inline(always)]
fn project(c: &[Vec4; 128], first: usize, v: Vec4) -> Vec4 {
    [dot4(c[first], v), dot4(c[first + 1], v), dot4(c[first + 2], v), dot4(c[first + 3], v)]
}

/// The dot products of `v` with three rows from `c[first]`; w is 1.
#[inline(always)]
fn place(c: &[Vec4; 128], first: usize, v: Vec4) -> Vec4 {
    [dot4(c[first], v), dot4(c[first + 1], v), dot4(c[first + 2], v), 1.0]
}

#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn rsq(x: f32) -> f32 {
    1.0 / x.sqrt()
}

/// `v` scaled by `by`, x to z; w stays.
#[inline(always)]
fn scale3(v: Vec4, by: f32) -> Vec4 {
    [mul(v[0], by), mul(v[1], by), mul(v[2], by), v[3]]
}

#[inline(always)]
fn add3(a: Vec4, b: Vec4) -> Vec4 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], 0.0]
}

/// `sum + factor * v`, x to z; w of the sum stays.
#[inline(always)]
fn mad3(factor: f32, v: Vec4, sum: Vec4) -> Vec4 {
    [mul(factor, v[0]) + sum[0], mul(factor, v[1]) + sum[1], mul(factor, v[2]) + sum[2], sum[3]]
}

/// The eighth power.
#[inline(always)]
fn shine(x: f32) -> f32 {
    let x = mul(x, x);
    let x = mul(x, x);
    mul(x, x)
}

#[cfg(test)]
mod tests {
    use super::Yardstick;
    use crate::pica::example::Example;
    use crate::pica::mesh::Storage;
    use crate::pica::workload::{Order, Workload};
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::fault::FaultList;
    use picaflor_pipeline::pica::float::Precision;
    use picaflor_pipeline::pica::stage::{ShadedVertices, ShaderStage};
    use picaflor_pipeline::pica::vertex::SEMANTICS;

    fn yardstick_equals_interpreter(example: Example) {
        for order in [Order::Sequential, Order::Shuffled] {
            let workload = Workload::new(example, Storage::Floats, order);
            let (mut measured, mut expected) = (ShadedVertices::new(), ShadedVertices::new());
            let mut faults = FaultList::new();
            Yardstick::new(&workload).shade(&mut measured);
            Interpreter::new().shade(&workload.batch(Precision::Binary32), &mut expected, &mut faults);
            assert!(faults.as_slice().is_empty());
            for k in 0..SEMANTICS {
                let bits =
                    |out: &ShadedVertices| out.component(k).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&measured), bits(&expected), "semantic {k} of {example}, {order:?}");
            }
        }
    }

    #[test]
    fn transform_equals_interpreter() {
        yardstick_equals_interpreter(Example::Transform);
    }

    #[test]
    fn light_equals_interpreter() {
        yardstick_equals_interpreter(Example::Light);
    }

    #[test]
    fn skin_equals_interpreter() {
        yardstick_equals_interpreter(Example::Skin);
    }

    #[test]
    fn branchy_equals_interpreter() {
        yardstick_equals_interpreter(Example::Branchy);
    }
}
