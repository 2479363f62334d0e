//! Batches that no pixel shows: a proof from the box around their positions, so that whole draws beside the picture or
//! behind the eye cost neither transform nor assembly.
//!
//! Vertices are what psp-ge.md 5.1 to 5.3 makes of them, with 16 significant bits; the proof is about those, not about
//! exact ones. It is one-sided: what it cannot exclude is drawn.
//!
//! # Errors
//! A sum of products (1.4) differs from the exact one by at most 2^-14 of the sum of the terms' magnitudes: four terms
//! lose 2^-17 of the largest each, the sum 2^-15 of itself. Through world, view and projection matrix that is 3 times
//! 2^-14 of the magnitudes carried along, and 2^-15 more for positions of surfaces. [`ERROR`] is above their sum. On the
//! screen, a position `a + c` (scaled quotient and centre) differs by at most 2^-15 times `6 |a| + 3 |c|`.

use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::VertexBatch;
use picaflor_pipeline::ge::vertex_type::Element;

/// Bound of the error of a clip coordinate, as a share of the magnitudes that it is a sum of.
const ERROR: f64 = 1.0 / 4096.0;
/// Bound of the error of a scaled quotient, and of the share of the centre in that of a screen position.
const SCREEN_ERROR: f64 = 1.0 / 4096.0;
/// Bound of all that is too small for the shares above: sums whose terms are below the range of a double.
const LEAST: f64 = 1e-30;
/// Quotients at which a vertex counts as near or far differ from 1 by less (5.5).
const DEPTH_MARGIN: f64 = 1.0 / 16384.0;
/// Pixels around the drawing area that count as inside.
const MARGIN: f64 = 2.0;

/// Functions of a clip position that are tested.
const FUNCTIONS: usize = 8;
/// Numbers of functions. Up to `BOTTOM`: below 0 where a position is beyond that side of the drawing area (with w above 0).
const LEFT: usize = 0;
const BOTTOM: usize = 3;
/// w.
const W: usize = 4;
/// z plus and minus w, which is made a little larger.
const Z_PLUS_W: usize = 5;
const Z_MINUS_W: usize = 6;

/// Rows of the projection matrix: x, y and z axis of view space, and the translation.
const AXES: usize = 4;

/// The proof for one set of matrices, viewport and drawing area.
#[derive(Debug, Default)]
pub(crate) struct Visibility {
    /// What the rest was made from.
    of: Option<Scene>,
    tests: Tests,
}

/// What decides where positions are drawn.
#[derive(Debug, Clone, PartialEq)]
struct Scene {
    /// Bits of world, view and projection matrix.
    matrices: [u32; 40],
    /// Bits of the viewport's numbers.
    viewport: [[u64; 2]; 2],
    offset: [i32; 2],
    /// Left, right, top and bottom, the ends exclusive.
    area: [i32; 4],
    clips: bool,
}

/// A box of positions in model space.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Box3 {
    least: [f64; 3],
    most: [f64; 3],
}

/// Functions of positions in model space, one in each lane.
#[derive(Debug, Clone, Default)]
struct Tests {
    /// Factors of x, y, z and 1.
    factors: [[f64; FUNCTIONS]; AXES],
    /// Error for the magnitudes of x, y, z, and for 1.
    errors: [[f64; FUNCTIONS]; AXES],
    /// True if sides decide even with vertices behind the eye: those are dropped, or clipped away.
    sides_suffice: SidesSuffice,
}

/// Which vertices may be behind the eye for the sides to decide.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum SidesSuffice {
    /// None.
    #[default]
    InFront,
    /// Any: primitives with one are rejected.
    Always,
    /// Any that are clipped away, if w is above 0 on the near plane: z is `slope * w + start`.
    BeforeNear { slope: f64, start: f64 },
}

/// Bounds of the functions inside a box.
struct Bounds {
    least: [f64; FUNCTIONS],
    most: [f64; FUNCTIONS],
    /// Errors of z and w together, at most.
    error: f64,
}

impl Visibility {
    /// True if no primitive of the shape whose corners lie inside the convex hull of the batch's positions covers a pixel of the
    /// drawing area. False in through mode, and for vertices with weights or of several records.
    pub(crate) fn is_unseen(&mut self, batch: &VertexBatch<'_>, shape: Shape) -> bool {
        let vertex_type = batch.registers.vertex_type();
        let [Some(first), Some(last)] = [batch.indices.first(), batch.indices.last()] else { return false };
        if vertex_type.is_through() || vertex_type.weight_count() > 0 || vertex_type.morph_count() > 1 {
            return false;
        }
        self.prepare(batch.registers, batch.matrices);
        let offset = vertex_type.layout().position;
        let proves = |indices: &[u32]| {
            box_of(batch, offset, indices).is_some_and(|corners| self.tests.prove(&corners, shape))
        };
        // Most batches that are seen have one of these inside.
        proves(&[*first]) && proves(&[*last]) && proves(batch.indices)
    }

    fn prepare(&mut self, registers: &Registers, matrices: &Matrices) {
        let scene = Scene::of(registers, matrices);
        if self.of.as_ref() != Some(&scene) {
            self.tests = Tests::new(registers, matrices);
            self.of = Some(scene);
        }
    }
}

impl Scene {
    fn of(registers: &Registers, matrices: &Matrices) -> Self {
        let area = registers.drawing_area();
        let mut bits = [0; 40];
        let all = matrices.world.iter().chain(&matrices.view).chain(&matrices.projection);
        bits.iter_mut().zip(all).for_each(|(bits, element)| *bits = element.to_bits());
        let viewport = registers.viewport();
        Self {
            matrices: bits,
            viewport: [viewport.scale, viewport.centre].map(|[x, y, _]| [x.to_bits(), y.to_bits()]),
            offset: registers.drawing_offset(),
            area: [area.x0, area.x1, area.y0, area.y1],
            clips: registers.clamps_depth(),
        }
    }
}

/// The box around some vertices, whose positions lie at an offset in their records; `None` if one is not finite.
fn box_of(batch: &VertexBatch<'_>, offset: u32, indices: &[u32]) -> Option<Box3> {
    let at = |index: u32| (index * batch.stride + offset) as usize;
    let records = &batch.records;
    match batch.registers.vertex_type().position() {
        Element::None => None,
        Element::Byte => Some(
            around(indices, |index| records.read_array::<3>(at(index)).map(|byte| byte as i8))
                .scaled(1.0 / 128.0),
        ),
        Element::Short => {
            let position = |index| {
                let [a, b, c, d, e, f] = records.read_array(at(index));
                [[a, b], [c, d], [e, f]].map(i16::from_le_bytes)
            };
            Some(around(indices, position).scaled(1.0 / 32768.0))
        }
        Element::Word => box_of_floats(indices, |index| {
            let [a, b, c, d, e, f, g, h, i, j, k, l] = records.read_array(at(index));
            [[a, b, c, d], [e, f, g, h], [i, j, k, l]].map(u32::from_le_bytes)
        }),
    }
}

/// Least and greatest coordinates of positions in integers.
fn around<T: Copy + Ord + Into<f64>>(indices: &[u32], position: impl Fn(u32) -> [T; 3]) -> Box3 {
    let Some((&first, rest)) = indices.split_first() else { return Box3 { least: [0.0; 3], most: [0.0; 3] } };
    let (mut least, mut most) = (position(first), position(first));
    for &index in rest {
        let at = position(index);
        for axis in 0..3 {
            (least[axis], most[axis]) = (least[axis].min(at[axis]), most[axis].max(at[axis]));
        }
    }
    Box3 { least: least.map(Into::into), most: most.map(Into::into) }
}

/// Positions in patterns of floats, of which the GE reads 16 bits; `None` if one is not finite.
fn box_of_floats(indices: &[u32], position: impl Fn(u32) -> [u32; 3]) -> Option<Box3> {
    let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    // Without signs.
    let mut largest = 0;
    for &index in indices {
        for (axis, pattern) in position(index).into_iter().enumerate() {
            let at = f32::from_bits(pattern);
            largest = largest.max(pattern & !f32::to_bits(-0.0));
            // `min` and `max` look for NaN, of which only `largest` has to know.
            least[axis] = if at < least[axis] { at } else { least[axis] };
            most[axis] = if at > most[axis] { at } else { most[axis] };
        }
    }
    let kept = |bound: [f32; 3]| bound.map(|at| t16(f64::from(at)));
    (largest < f32::INFINITY.to_bits()).then(|| Box3 { least: kept(least), most: kept(most) })
}

impl Box3 {
    fn scaled(self, by: f64) -> Self {
        Self { least: self.least.map(|at| at * by), most: self.most.map(|at| at * by) }
    }
}

/// A linear function of a position: factors of x, y, z and 1, and the magnitudes behind them.
#[derive(Clone, Copy)]
struct Linear {
    factors: [f64; AXES],
    magnitudes: [f64; AXES],
}

/// Clip coordinates as functions of the position in model space.
fn clip_functions(matrices: &Matrices) -> [Linear; 4] {
    let identity = std::array::from_fn(|n| {
        let factors = std::array::from_fn(|axis| if axis == n { 1.0 } else { 0.0 });
        Linear { factors, magnitudes: factors }
    });
    let world = applied::<3>(&identity, |row, column| matrices.world[3 * row + column]);
    let view = applied::<3>(&with_one(world), |row, column| matrices.view[3 * row + column]);
    applied::<4>(&with_one(view), |row, column| matrices.projection[4 * row + column])
}

/// The functions x, y, z, and 1.
fn with_one([x, y, z]: [Linear; 3]) -> [Linear; AXES] {
    let one = [0.0, 0.0, 0.0, 1.0];
    [x, y, z, Linear { factors: one, magnitudes: one }]
}

/// The product with a matrix.
fn applied<const N: usize>(of: &[Linear; AXES], element: impl Fn(usize, usize) -> f32) -> [Linear; N] {
    std::array::from_fn(|column| {
        let sum = |term: &dyn Fn(usize) -> f64| (0..AXES).map(term).sum();
        let elements: [f64; AXES] = std::array::from_fn(|row| f64::from(element(row, column)));
        Linear {
            factors: std::array::from_fn(|n| sum(&|row| elements[row] * of[row].factors[n])),
            magnitudes: std::array::from_fn(|n| sum(&|row| elements[row].abs() * of[row].magnitudes[n])),
        }
    })
}

impl Tests {
    fn new(registers: &Registers, matrices: &Matrices) -> Self {
        let [x, y, z, w] = clip_functions(matrices);
        let mut tests = Self { sides_suffice: SidesSuffice::of(registers, matrices), ..Self::default() };
        let viewport = registers.viewport();
        let area = registers.drawing_area();
        let offset = registers.drawing_offset().map(|sixteenths| f64::from(sixteenths) / 16.0);
        let sides = [(x, [area.x0, area.x1]), (y, [area.y0, area.y1])];
        for (axis, (along, [start, end])) in sides.into_iter().enumerate() {
            let (scale, centre) = (viewport.scale[axis], viewport.centre[axis]);
            let doubt = SCREEN_ERROR * centre.abs() + MARGIN;
            let [start, end] = [start, end].map(|side| offset[axis] + f64::from(side));
            tests.set(LEFT + 2 * axis, (along, scale, ERROR + SCREEN_ERROR), (w, centre - start + doubt));
            tests.set(LEFT + 2 * axis + 1, (along, -scale, ERROR + SCREEN_ERROR), (w, end - centre + doubt));
        }
        let wide = 1.0 + DEPTH_MARGIN;
        tests.set(W, (z, 0.0, 0.0), (w, 1.0));
        tests.set(Z_PLUS_W, (z, 1.0, ERROR), (w, wide));
        tests.set(Z_MINUS_W, (z, 1.0, ERROR), (w, -wide));
        tests
    }

    /// Makes function `n` the sum of two that are scaled; the first one has this error.
    fn set(&mut self, n: usize, (a, by_a, error): (Linear, f64, f64), (b, by_b): (Linear, f64)) {
        for axis in 0..AXES {
            self.factors[axis][n] = a.factors[axis] * by_a + b.factors[axis] * by_b;
            self.errors[axis][n] =
                a.magnitudes[axis] * by_a.abs() * error + b.magnitudes[axis] * by_b.abs() * ERROR;
        }
    }

    fn bounds(&self, of: &Box3) -> Bounds {
        let (mut middle, mut reach) = (self.factors[3], self.errors[3].map(|error| error + LEAST));
        let mut errors = reach;
        for axis in 0..3 {
            let centre = (of.least[axis] + of.most[axis]) * 0.5;
            let half = (of.most[axis] - of.least[axis]) * 0.5;
            let magnitude = of.least[axis].abs().max(of.most[axis].abs());
            for n in 0..FUNCTIONS {
                middle[n] += self.factors[axis][n] * centre;
                let error = self.errors[axis][n] * magnitude;
                errors[n] += error;
                reach[n] += self.factors[axis][n].abs() * half + error;
            }
        }
        Bounds {
            least: std::array::from_fn(|n| middle[n] - reach[n]),
            most: std::array::from_fn(|n| middle[n] + reach[n]),
            error: errors[Z_PLUS_W],
        }
    }

    /// True if no primitive of the shape between corners inside the box covers a pixel.
    fn prove(&self, of: &Box3, shape: Shape) -> bool {
        let bounds = self.bounds(of);
        let Bounds { least, most, .. } = &bounds;
        let is_behind_the_eye = most[W] < 0.0;
        let is_near = most[Z_PLUS_W] < 0.0 && most[Z_MINUS_W] < 0.0;
        let is_far = least[Z_PLUS_W] > 0.0 && least[Z_MINUS_W] > 0.0;
        let is_beside = most[LEFT..=BOTTOM].iter().any(|&most| most < 0.0);
        is_behind_the_eye || is_near || is_far || is_beside && self.sides_decide(&bounds, shape)
    }

    /// True if what is left of primitives after rejection and clipping has a w above 0 everywhere.
    fn sides_decide(&self, bounds: &Bounds, shape: Shape) -> bool {
        bounds.least[W] > 0.0
            || match self.sides_suffice {
                SidesSuffice::InFront => false,
                // Unless z is no number, which is neither near nor far.
                SidesSuffice::Always => [Z_PLUS_W, Z_MINUS_W]
                    .iter()
                    .all(|&n| bounds.least[n].is_finite() && bounds.most[n].is_finite()),
                // Of lines and triangles, what is left has a z + w of at least 0 but for errors: so has
                // (1 + slope) w + start. Rectangles are not clipped.
                SidesSuffice::BeforeNear { slope, start } => {
                    shape != Shape::Rectangle && (-start - bounds.error) / (1.0 + slope) > bounds.error
                }
            }
    }
}

impl SidesSuffice {
    /// Without clipping, a vertex with a w below 0 is near or far, which rejects its primitives (5.5). With it, a usual
    /// projection has z and w depend on the depth in view space alone.
    fn of(registers: &Registers, matrices: &Matrices) -> Self {
        let element = |row: usize, column: usize| f64::from(matrices.projection[4 * row + column]);
        let is_usual = (0..2).all(|row| element(row, 2) == 0.0 && element(row, 3) == 0.0);
        let slope = element(2, 2) / element(2, 3);
        let turned = slope * element(3, 3);
        // The quotient's rounding error is far below this.
        let start = element(3, 2) - turned + (element(3, 2).abs() + turned.abs()) * ERROR * ERROR;
        if !registers.clamps_depth() {
            Self::Always
        } else if is_usual && slope.is_finite() && 1.0 + slope > DEPTH_MARGIN {
            Self::BeforeNear { slope, start }
        } else {
            Self::InFront
        }
    }
}

#[cfg(test)]
mod tests;
