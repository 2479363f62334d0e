//! Set-up: converts assembled vertices to rasterizable primitives by flat shading, culling and orientation.
//!
//! Source: psp-ge.md 4.3, 7.1, 7.2, 8.3.

use super::assembly::Group;
use super::clip::{clip, is_rejected};
use crate::ge::raster::triangle::signed_area;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::raster::Winding;
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::rect::Rect;

/// Bound of positions in each direction, inclusive, in sixteenths: twice the range of 16-bit positions. In through
/// mode, positions that are floats can lie further out; primitives with such positions are not drawn (item 33,
/// assumed), so that areas fit in 64 bits.
const REACH: i32 = 1 << 20;

/// Makes the primitives of one draw.
#[derive(Debug)]
pub(crate) struct SetUp<'a> {
    registers: &'a Registers,
    is_smooth: bool,
    culled: Option<Winding>,
    area: Sixteenths,
    out: &'a mut Vec<Primitive>,
}

impl<'a> SetUp<'a> {
    /// Set-up for draws with these registers.
    pub(crate) fn new(registers: &'a Registers, out: &'a mut Vec<Primitive>) -> Self {
        let area = Sixteenths::of(registers.drawing_area());
        Self { registers, is_smooth: registers.is_smooth(), culled: registers.culled(), area, out }
    }

    /// Adds the visible part of a group of vertices.
    #[inline]
    pub(crate) fn add(&mut self, group: Group<'_>) {
        let [a, b, c] = group.vertices;
        let is_in_front = a.clip[3] >= 0.0 || b.clip[3] >= 0.0 || c.clip[3] >= 0.0;
        if a.outside | b.outside | c.outside == 0 && is_in_front {
            self.add_inside(group);
        } else {
            self.add_clipped(group);
        }
    }

    /// Adds a group of which nothing is rejected or clipped. What is beside the drawing area or culled costs nothing
    /// further.
    #[inline]
    fn add_inside(&mut self, Group { shape, vertices, is_odd }: Group<'_>) {
        if !self.area.meets(vertices) {
            return;
        }
        let [a, b, c] = vertices;
        let ordered = match shape {
            Shape::Triangle => match self.facing(vertices, is_odd) {
                Some(ordered) => ordered,
                None => return,
            },
            _ if vertices.iter().any(|vertex| is_far(vertex)) => return,
            _ => [a, b, b],
        };
        let [first, second, third] = ordered;
        // Written out: as a map of the array this is a call, and goes through memory.
        let mut corners = [corner(first), corner(second), corner(third)];
        drop_bad_coordinates(&mut corners);
        if !self.is_smooth || shape == Shape::Rectangle {
            // The last vertex supplies the colours: measured.
            corners.iter_mut().for_each(|corner| (corner.colour, corner.secondary) = (c.colour, c.secondary));
        }
        self.out.push(Primitive { corners, shape, reserved: 0 });
    }

    /// Adds what rejection and clipping leave of a group.
    #[cold]
    fn add_clipped(&mut self, group: Group<'_>) {
        let Group { shape, is_odd, .. } = group;
        if is_rejected(shape, group.vertices, self.registers) {
            return;
        }
        let mut all = group.vertices.map(|vertex| *vertex);
        let vertices = &mut all[..group.vertices().len()];
        drop_bad_coordinates(vertices);
        if !self.is_smooth || shape == Shape::Rectangle {
            make_flat(vertices);
        }
        let Some(polygon) = clip(shape, vertices, self.registers) else { return };
        match *polygon.vertices() {
            [first, .., last] if shape != Shape::Triangle => self.push(shape, [&first, &last, &last]),
            [only] => self.push(shape, [&only; 3]),
            [first, ref rest @ ..] => {
                for pair in rest.windows(2) {
                    if let Some(vertices) = self.facing([&first, &pair[0], &pair[1]], is_odd) {
                        self.push(Shape::Triangle, vertices);
                    }
                }
            }
            [] => (),
        }
    }

    /// The vertices of a triangle clockwise from its anchor on, unless it is too far away, culled or without area.
    #[inline]
    fn facing<'v>(&self, [a, b, c]: [&'v Vertex; 3], is_odd: bool) -> Option<[&'v Vertex; 3]> {
        if [a, b, c].iter().any(|vertex| is_far(vertex)) {
            return None;
        }
        let area = signed_area([(a.x, a.y), (b.x, b.y), (c.x, c.y)]);
        let winding = if (area > 0) != is_odd { Winding::Clockwise } else { Winding::CounterClockwise };
        if area == 0 || self.culled == Some(winding) {
            return None;
        }
        Some(if area > 0 { [a, b, c] } else { [c, b, a] })
    }

    fn push(&mut self, shape: Shape, vertices: [&Vertex; 3]) {
        if !vertices.iter().any(|vertex| is_far(vertex)) {
            self.out.push(Primitive { corners: vertices.map(corner), shape, reserved: 0 });
        }
    }
}

/// The drawing area in sixteenths of a pixel, the ends exclusive.
#[derive(Debug, Clone, Copy)]
struct Sixteenths {
    x: [i32; 2],
    y: [i32; 2],
}

impl Sixteenths {
    const fn of(area: Rect) -> Self {
        Self { x: [16 * area.x0, 16 * area.x1], y: [16 * area.y0, 16 * area.y1] }
    }

    /// True if the bounds of a primitive with these vertices have a pixel of the area.
    #[inline]
    fn meets(self, [a, b, c]: [&Vertex; 3]) -> bool {
        let meet =
            |[start, end]: [i32; 2], [a, b, c]: [i32; 3]| a.min(b).min(c) < end && a.max(b).max(c) >= start;
        meet(self.x, [a.x, b.x, c.x]) && meet(self.y, [a.y, b.y, c.y])
    }
}

/// Something with texture coordinates.
trait Textured {
    fn texture(&mut self) -> &mut [f64; 3];
}

impl Textured for Vertex {
    fn texture(&mut self) -> &mut [f64; 3] {
        &mut self.texture
    }
}

impl Textured for Corner {
    fn texture(&mut self) -> &mut [f64; 3] {
        &mut self.texture
    }
}

/// An infinite or NaN coordinate sets the coordinates of the whole primitive on its axis to 0: measured.
#[inline]
fn drop_bad_coordinates(of: &mut [impl Textured]) {
    for axis in 0..2 {
        if of.iter_mut().any(|of| !of.texture()[axis].is_finite()) {
            of.iter_mut().for_each(|of| of.texture()[axis] = 0.0);
        }
    }
}

/// The last vertex supplies the colours: measured.
fn make_flat(vertices: &mut [Vertex]) {
    if let Some(&Vertex { colour, secondary, .. }) = vertices.last() {
        for vertex in vertices {
            (vertex.colour, vertex.secondary) = (colour, secondary);
        }
    }
}

const fn is_far(vertex: &Vertex) -> bool {
    vertex.x < -REACH || vertex.x > REACH || vertex.y < -REACH || vertex.y > REACH
}

#[inline]
fn corner(vertex: &Vertex) -> Corner {
    Corner {
        texture: vertex.texture,
        w: vertex.clip[3],
        x: vertex.x,
        y: vertex.y,
        z: vertex.z,
        colour: vertex.colour,
        secondary: vertex.secondary,
        fog: u32::from(vertex.fog),
    }
}
