//! Shapes for scenes.

use super::matrix::{Matrix, cross, dot, sub, unit};
use crate::modelling::math::Real;
use std::f32::consts::{PI, TAU};

/// A corner of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertex {
    /// Place.
    pub position: [f32; 3],
    /// Outward, length 1.
    pub normal: [f32; 3],
    /// Texture coordinates.
    pub uv: [f32; 2],
    /// Colour.
    pub colour: [f32; 4],
}

/// Triangles over shared corners, counter-clockwise seen from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// The corners.
    pub vertices: Vec<Vertex>,
    /// Three for each triangle.
    pub indices: Vec<u16>,
}

impl Mesh {
    /// A sheet of `columns` x `rows` cells over the unit square of (u, v), bent by `place`; normals follow
    /// from the shape.
    pub fn sheet(columns: u16, rows: u16, place: impl Fn(f32, f32) -> [f32; 3]) -> Self {
        let mut mesh = Self::default();
        let step = 1e-3;
        for row in 0..=rows {
            for column in 0..=columns {
                let (u, v) = (f32::from(column) / f32::from(columns), f32::from(row) / f32::from(rows));
                let along = sub(place(u + step, v), place(u - step, v));
                let across = sub(place(u, v + step), place(u, v - step));
                let normal = cross(along, across);
                let flat = normal.iter().all(|n| n.abs() < 1e-12);
                mesh.vertices.push(Vertex {
                    position: place(u, v),
                    normal: if flat { unit(place(u, v)) } else { unit(normal) },
                    uv: [u, v],
                    colour: [1.0; 4],
                });
            }
        }
        for row in 0..rows {
            for column in 0..columns {
                let a = row * (columns + 1) + column;
                let b = a + columns + 1;
                mesh.indices.extend([a, a + 1, b + 1, a, b + 1, b]);
            }
        }
        mesh
    }

    /// A rectangle in the plane z = 0 around the origin, facing +z.
    #[must_use]
    pub fn quad(width: f32, height: f32) -> Self {
        Self::sheet(1, 1, |u, v| [(u - 0.5) * width, (v - 0.5) * height, 0.0])
    }

    /// A square in the plane y = 0, facing up.
    #[must_use]
    pub fn floor(size: f32, cells: u16) -> Self {
        Self::sheet(cells, cells, |u, v| [(u - 0.5) * size, 0.0, (0.5 - v) * size])
    }

    /// A sphere of radius 1.
    #[must_use]
    pub fn sphere(columns: u16, rows: u16) -> Self {
        let mut mesh = Self::sheet(columns, rows, |u, v| {
            let ((s, c), (t, d)) = ((u * TAU).sine_cosine(), (v * PI).sine_cosine());
            [s * t, -d, c * t]
        });
        for vertex in &mut mesh.vertices {
            vertex.normal = unit(vertex.position);
        }
        mesh
    }

    /// A ring around the y axis with radius 1 and a tube of radius `tube`.
    #[must_use]
    pub fn torus(columns: u16, rows: u16, tube: f32) -> Self {
        Self::sheet(columns, rows, |u, v| {
            let ((s, c), (t, d)) = ((u * TAU).sine_cosine(), (v * TAU).sine_cosine());
            let radius = 1.0 - tube * d;
            [radius * s, -tube * t, radius * c]
        })
    }

    /// A body of revolution about the y axis; `radius` and height over v from 0 (bottom) to 1 (top).
    pub fn revolution(columns: u16, rows: u16, outline: impl Fn(f32) -> [f32; 2]) -> Self {
        Self::sheet(columns, rows, |u, v| {
            let (s, c) = (u * TAU).sine_cosine();
            let [radius, height] = outline(v);
            [radius * s, height, radius * c]
        })
    }

    /// A cube from -1 to 1 with a full texture on each face.
    #[must_use]
    pub fn cube() -> Self {
        let mut mesh = Self::default();
        let faces: [fn(f32, f32) -> [f32; 3]; 6] = [
            |a, b| [a, b, 1.0],
            |a, b| [-a, b, -1.0],
            |a, b| [1.0, b, -a],
            |a, b| [-1.0, b, a],
            |a, b| [a, 1.0, -b],
            |a, b| [a, -1.0, b],
        ];
        for face in faces {
            mesh.append(&Self::sheet(1, 1, |u, v| face(u * 2.0 - 1.0, v * 2.0 - 1.0)));
        }
        mesh
    }

    /// Adds the triangles of another shape.
    pub fn append(&mut self, other: &Self) -> &mut Self {
        let first = self.vertices.len() as u16;
        self.vertices.extend_from_slice(&other.vertices);
        self.indices.extend(other.indices.iter().map(|index| first + index));
        self
    }

    /// With every corner changed.
    #[must_use]
    pub fn map(mut self, change: impl Fn(&mut Vertex)) -> Self {
        self.vertices.iter_mut().for_each(change);
        self
    }

    /// Coloured.
    #[must_use]
    pub fn coloured(self, colour: [f32; 4]) -> Self {
        self.map(|vertex| vertex.colour = colour)
    }

    /// Moved and scaled evenly.
    #[must_use]
    pub fn moved(self, scale: f32, by: [f32; 3]) -> Self {
        self.map(|vertex| {
            for (place, by) in vertex.position.iter_mut().zip(by) {
                *place = *place * scale + by;
            }
        })
    }

    /// Moved by a matrix that turns, shifts and scales evenly.
    #[must_use]
    pub fn placed(self, matrix: &Matrix) -> Self {
        self.map(|vertex| {
            let origin = matrix.apply([0.0; 3]);
            let ([x, y, z, _], tip) = (matrix.apply(vertex.position), matrix.apply(vertex.normal));
            vertex.position = [x, y, z];
            vertex.normal = unit([tip[0] - origin[0], tip[1] - origin[1], tip[2] - origin[2]]);
        })
    }

    /// With texture coordinates multiplied.
    #[must_use]
    pub fn tiled(self, times: f32) -> Self {
        self.map(|vertex| vertex.uv = vertex.uv.map(|v| v * times))
    }

    /// Bakes the light of a distant lamp into the colours; `ambient` is the light left in shadow.
    #[must_use]
    pub fn lit(self, towards: [f32; 3], ambient: f32) -> Self {
        let towards = unit(towards);
        self.map(|vertex| {
            let bright = ambient + (1.0 - ambient) * dot(vertex.normal, towards).max(0.0);
            vertex.colour[..3].iter_mut().for_each(|c| *c *= bright);
        })
    }

    /// Seen from inside: the other winding and the opposite normals.
    #[must_use]
    pub fn inside_out(mut self) -> Self {
        self.indices.chunks_exact_mut(3).for_each(|triangle| triangle.swap(1, 2));
        self.map(|vertex| vertex.normal = vertex.normal.map(|n| -n))
    }
}
