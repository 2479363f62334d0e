//! Bezier and spline patches: conversion of control points to ordinary vertices of floats, with index lists of
//! primitives.
//!
//! Source: psp-ge.md 7.6, 7.7, measured on a console (primitives/bezier, primitives/spline). Sums are computed in
//! doubles; the 2^-20 below absorb their rounding errors (assumed).

mod basis;
mod control;

use crate::code::vectors::{Work, widely};
use crate::ge::four::Four;
use crate::ge::vector::Direction;
use basis::Sample;
use control::{Controls, LONG, Lines, Point, Wanted};
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::regs::patch::PatchPrimitive;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::surface::{Piece, Surface, SurfaceBatch, SurfaceKind};
use picaflor_pipeline::ge::vertex_type::Element;

/// Maximum number of vertices of a piece, unless two rows have more: up to 64010.
const PIECE_VERTICES: usize = 16384;
/// Bound of the rounding error of sums.
const ROUNDING: f64 = 1.0 / 1_048_576.0;

/// True if there are enough control points, and their format has positions.
fn is_surface(registers: &Registers, [u, v]: [usize; 2]) -> bool {
    u >= 4 && v >= 4 && registers.vertex_type().position() != Element::None
}

/// A surface to draw: the complete output of BEZIER or SPLINE.
#[derive(Debug, Clone)]
pub(crate) struct Patches {
    registers: Registers,
    controls: Controls,
    form: Form,
    /// Sample positions along u: one list for each patch.
    across: Vec<Vec<Sample>>,
    /// Sample positions along v: one list for each patch.
    down: Vec<Vec<Sample>>,
    /// Start of the next piece.
    next: Place,
    /// Sums along u of the patch that is drawn.
    lines: Lines,
}

/// A row of a patch.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// Number of the patch along u and along v.
    patch: [usize; 2],
    row: usize,
}

/// Components of the vertices of a surface.
#[derive(Debug, Clone, Copy)]
struct Form {
    has_texture: bool,
    has_colour: bool,
    /// True if normals are those of the surface; otherwise they are (0, 0, 1).
    has_normal: bool,
    is_through: bool,
    primitive: PatchPrimitive,
}

impl Patches {
    /// The surface of a batch.
    #[must_use]
    pub(crate) fn of(batch: &SurfaceBatch<'_>) -> Option<Self> {
        match batch.kind {
            SurfaceKind::Bezier => Self::bezier(batch),
            SurfaceKind::Spline(edges) => Self::spline(batch, edges),
        }
    }

    /// BEZIER: patches of four by four control points that share their borders. The batch has `u * v` control points,
    /// row by row. `None` with fewer than four in a direction, without positions, or if the run ends.
    fn bezier(batch: &SurfaceBatch<'_>) -> Option<Self> {
        let [u, v] = batch.controls;
        let [across, down] = batch.points.registers.patch_divisions();
        let patches = |count: usize, divisions| {
            (0..count.saturating_sub(1) / 3).map(|patch| basis::bezier(patch, divisions)).collect()
        };
        Self::new(batch, patches(u, across), patches(v, down))
    }

    /// SPLINE: [`bezier`](Self::bezier) with one patch. Bit 0 of an edge opens its start, bit 1 its end.
    fn spline(batch: &SurfaceBatch<'_>, [u_edges, v_edges]: [u32; 2]) -> Option<Self> {
        let [u, v] = batch.controls;
        let [across, down] = batch.points.registers.patch_divisions();
        let places = |count: usize, divisions, edges| {
            let is_over = || batch.points.memory.is_stopping();
            Some(vec![basis::spline(count.saturating_sub(3) as u32, divisions, edges, &is_over)?])
        };
        Self::new(batch, places(u, across, u_edges)?, places(v, down, v_edges)?)
    }

    fn new(batch: &SurfaceBatch<'_>, across: Vec<Vec<Sample>>, down: Vec<Vec<Sample>>) -> Option<Self> {
        let SurfaceBatch { points, controls: [u, v], .. } = batch;
        if !is_surface(points.registers, [*u, *v]) || points.indices.len() < u * v {
            return None;
        }
        let form = Form::of(points.registers);
        let mut registers = points.registers.clone();
        registers.write(u32::from(op::VTYPE) << 24 | form.vertex_type());
        let controls = Controls::read(batch);
        let (next, lines) = (Place::default(), Lines::default());
        Some(Self { registers, controls, form, across, down, next, lines })
    }

    /// Fills a piece with rows of a patch; false if the run ends before.
    fn fill(
        &self,
        lines: &mut Lines,
        (across, rows): (&[Sample], &[Sample]),
        piece: &mut Piece,
        is_over: &dyn Fn() -> bool,
    ) -> bool {
        let (columns, stride) = (across.len() as u32, self.form.stride());
        piece.vertices = columns * rows.len() as u32;
        piece.records.resize(piece.vertices as usize * stride, 0);
        piece.indices.clear();
        if !widely(Filling { surface: self, lines, across, rows, records: &mut piece.records, is_over }) {
            return false;
        }
        piece.indices.reserve(6 * (columns as usize - 1) * (rows.len() - 1));
        for row in 0..rows.len() as u32 - 1 {
            for column in 0..columns - 1 {
                let top = row * columns + column;
                piece.indices.extend_from_slice(&self.form.cell(top, top + columns));
            }
        }
        true
    }

    /// Writes the record of the vertex at a place.
    #[inline(always)]
    fn write_record(&self, point: &Point, coordinates: [f64; 2], record: &mut [u8]) {
        let Form { has_texture, has_colour, has_normal, is_through, .. } = self.form;
        let [s, t] = coordinates;
        let texture = if has_texture { point.texture } else { Four([s, t, 0.0, 0.0]) };
        let (place, mut rest) = record.split_at_mut(8);
        place.copy_from_slice(&floats(texture)[..8]);
        if has_colour {
            let (place, others) = rest.split_at_mut(4);
            place.copy_from_slice(&ceilings(point.colour - Four::splat(ROUNDING)));
            rest = others;
        }
        if is_through {
            let sixteenths = point.position * Four::splat(16.0) + Four::splat(ROUNDING);
            let position = sixteenths.each(f64::floor) * Four::splat(1.0 / 16.0);
            return rest.copy_from_slice(&floats(position)[..12]);
        }
        let (normal, position) = rest.split_at_mut(12);
        let facing = if has_normal { self.facing(point.normal) } else { point.normal };
        normal.copy_from_slice(&floats(facing)[..12]);
        position.copy_from_slice(&floats(point.position)[..12]);
    }

    /// The unit normal, on the side that is the front.
    fn facing(&self, Four([x, y, z, _]): Four) -> Four {
        let [x, y, z] = Direction::of([x, y, z].map(t16)).map_or([0.0; 3], |direction| direction.unit);
        if self.registers.is_on(op::PFACE) { Four([-x, -y, -z, 0.0]) } else { Four([x, y, z, 0.0]) }
    }
}

impl Surface for Patches {
    fn registers(&self) -> &Registers {
        &self.registers
    }

    fn next_piece_unless(&mut self, is_over: &dyn Fn() -> bool, piece: &mut Piece) -> bool {
        let Place { patch: [u, v], row } = self.next;
        let (Some(across), Some(down)) = (self.across.get(u), self.down.get(v)) else { return false };
        let cells = (PIECE_VERTICES / across.len()).max(2) - 1;
        let end = down.len().min(row + cells + 1);
        let mut lines = std::mem::take(&mut self.lines);
        if row == 0 {
            lines.clear();
        }
        let is_filled = self.fill(&mut lines, (across, &down[row..end]), piece, is_over);
        self.lines = lines;
        if !is_filled {
            return false;
        }
        self.next = if end < down.len() {
            Place { row: end - 1, ..self.next }
        } else if u + 1 < self.across.len() {
            Place { patch: [u + 1, v], row: 0 }
        } else {
            Place { patch: [0, v + 1], row: 0 }
        };
        true
    }
}

/// Rows of a patch as records.
struct Filling<'a> {
    surface: &'a Patches,
    lines: &'a mut Lines,
    across: &'a [Sample],
    rows: &'a [Sample],
    /// As long as all of them.
    records: &'a mut [u8],
    /// Whether the run ends.
    is_over: &'a dyn Fn() -> bool,
}

impl Work for Filling<'_> {
    /// False if the run ends before all are there.
    type Found = bool;

    #[inline(always)]
    fn work(self) -> bool {
        let Self { surface, lines, across, rows, records, is_over } = self;
        let (wanted, stride) = (surface.form.wanted(), surface.form.stride());
        // Of short rows, some between two questions.
        let part = (LONG / across.len()).max(1);
        let records = records.chunks_exact_mut(across.len() * stride);
        for (n, (v, records)) in rows.iter().zip(records).enumerate() {
            let asks = n > 0 && n.is_multiple_of(part);
            if asks && is_over() || !lines.move_to(&surface.controls, (across, v), wanted, is_over) {
                return false;
            }
            for ((column, u), record) in across.iter().enumerate().zip(records.chunks_exact_mut(stride)) {
                let point = lines.at(column, v, wanted);
                surface.write_record(&point, [u.coordinate, v.coordinate], record);
            }
        }
        true
    }
}

/// Numbers of 16 significant bits, as floats.
#[inline(always)]
fn floats(values: Four) -> [u8; 16] {
    let [a, b, c, d] = values.each(t16).0;
    let bits = |value: f64| u128::from((value as f32).to_bits());
    (bits(a) | bits(b) << 32 | bits(c) << 64 | bits(d) << 96).to_le_bytes()
}

/// The smallest whole numbers that are not below, from 0 to 255; 0 for a NaN.
#[inline(always)]
fn ceilings(values: Four) -> [u8; 4] {
    /// Numbers near to this one have whole ones in their low bits.
    const UNITS: f64 = (3_u64 << 51) as f64;
    let inside = values.each(|value| if value > 0.0 { value } else { 0.0 });
    let inside = inside.each(|value| if value < 255.0 { value } else { 255.0 });
    let near = inside + Four::splat(UNITS);
    let whole = near - Four::splat(UNITS);
    let ceiling = |n: usize| near.0[n].to_bits() as u8 + u8::from(whole.0[n] < inside.0[n]);
    [ceiling(0), ceiling(1), ceiling(2), ceiling(3)]
}

impl Form {
    fn of(registers: &Registers) -> Self {
        let vertex_type = registers.vertex_type();
        Self {
            has_texture: vertex_type.texture() != Element::None,
            has_colour: vertex_type.colour().is_some(),
            has_normal: vertex_type.normal() != Element::None || registers.is_on(op::LTE),
            is_through: vertex_type.is_through(),
            primitive: registers.patch_primitive(),
        }
    }

    const fn wanted(self) -> Wanted {
        Wanted {
            texture: self.has_texture,
            colour: self.has_colour,
            normal: self.has_normal && !self.is_through,
        }
    }

    /// Floats everywhere, a colour of 8888 if there is one, a normal unless in through mode.
    const fn vertex_type(self) -> u32 {
        let colour = if self.has_colour { 7 << 2 } else { 0 };
        let normal = if self.is_through { 1 << 23 } else { 3 << 5 };
        3 | colour | normal | 3 << 7
    }

    /// Bytes of a record.
    const fn stride(self) -> usize {
        20 + if self.has_colour { 4 } else { 0 } + if self.is_through { 0 } else { 12 }
    }

    /// The elements of a cell, from the vertices on the left of its two rows.
    #[inline]
    const fn cell(self, top: u32, bottom: u32) -> [u32; 6] {
        let [tl, tr, bl, br] = [top, top + 1, bottom, bottom + 1];
        match self.primitive {
            PatchPrimitive::Triangles | PatchPrimitive::Points => [tl, bl, tr, tr, bl, br],
            PatchPrimitive::Lines => [tl, bl, tr, br, tr, bl],
        }
    }
}

#[cfg(test)]
mod tests;
