//! A place that is looked at with the program for fragment lighting.

use crate::modelling::matrix::{Matrix, unit};
use crate::modelling::mesh::Mesh;
use crate::pica::kit::{Kit, Placed, Screen, ShaderProgram};
use crate::pica::programs;
use crate::pica::state::{Combiner, op, source};

/// The camera, and the program.
#[derive(Debug)]
pub(super) struct Eye {
    program: ShaderProgram,
    view: Matrix,
}

impl Eye {
    /// Loads the program, and looks from a place towards another one.
    pub(super) fn new(kit: &mut Kit, lens: &Matrix, from: [f32; 3], at: [f32; 3]) -> Self {
        let program = ShaderProgram::assemble(programs::LIT);
        kit.vertex_program(&program);
        kit.matrix(&program, "projection", lens);
        Self { program, view: Matrix::look_at(from, at) }
    }

    /// The usual lens of the top screen.
    pub(super) fn lens(fov: f32) -> Matrix {
        Screen::Top.perspective(fov, 1.0, 60.0)
    }

    /// Draws a placed shape.
    pub(super) fn draw(&self, kit: &mut Kit, model: &Matrix, placed: &Placed) {
        let rows = self.view.after(*model).affine();
        kit.uniform(&self.program, "modelview", &rows);
        kit.draw(placed);
    }

    /// Places a shape and draws it where it is.
    pub(super) fn put(&self, kit: &mut Kit, mesh: &Mesh) {
        let placed = kit.mesh(mesh);
        self.draw(kit, &Matrix::IDENTITY, &placed);
    }

    /// Draws a shape whose places are in eye space.
    pub(super) fn overlay(&self, kit: &mut Kit, mesh: &Mesh) {
        let placed = kit.mesh(mesh);
        kit.uniform(&self.program, "modelview", &Matrix::IDENTITY.affine());
        kit.draw(&placed);
    }

    /// A place as the eye has it.
    pub(super) fn point(&self, place: [f32; 3]) -> [f32; 3] {
        let [x, y, z, _] = self.view.apply(place);
        [x, y, z]
    }

    /// A direction as the eye has it.
    pub(super) fn direction(&self, direction: [f32; 3]) -> [f32; 3] {
        let ([x, y, z], [ox, oy, oz]) = (self.point(direction), self.point([0.0; 3]));
        [x - ox, y - oy, z - oz]
    }
}

/// Vertex colour times diffuse light, plus highlights.
pub(super) const LIT: Combiner =
    Combiner::both(op::MULTIPLY_ADD, [source::VERTEX, source::PRIMARY, source::SECONDARY])
        .alpha(op::REPLACE, [source::VERTEX; 3]);
/// The result before times diffuse light, plus highlights.
pub(super) const LIT_PREVIOUS: Combiner =
    Combiner::both(op::MULTIPLY_ADD, [source::PREVIOUS, source::PRIMARY, source::SECONDARY])
        .alpha(op::REPLACE, [source::PREVIOUS; 3]);
/// Texture 0 times vertex colour.
pub(super) const PAINTED: Combiner = Combiner::modulate(source::TEXTURE0, source::VERTEX);

/// An ellipsoid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Half its extent along its axes.
    pub(super) radii: [f32; 3],
    /// Its position.
    pub(super) at: [f32; 3],
    /// Its rotation.
    pub(super) turn: Matrix,
    /// Its colour.
    pub(super) colour: [f32; 4],
}

impl Part {
    /// An ellipsoid that is turned in the plane of the picture.
    pub(super) fn new(radii: [f32; 3], at: [f32; 3], angle: f32, colour: [f32; 4]) -> Self {
        Self { radii, at, turn: Matrix::rotation_z(angle), colour }
    }

    fn mesh(&self) -> Mesh {
        Mesh::sphere(28, 18).map(|vertex| {
            let direction = vertex.position;
            let scaled = [0, 1, 2].map(|c| direction[c] * self.radii[c]);
            let normal = unit([0, 1, 2].map(|c| direction[c] / self.radii[c]));
            let turned = |v: [f32; 3]| {
                let [x, y, z, _] = self.turn.apply(v);
                [x, y, z]
            };
            vertex.position = add(turned(scaled), self.at);
            vertex.normal = turned(normal);
            vertex.colour = self.colour;
        })
    }

    /// Several as one shape.
    pub(super) fn join(parts: &[Self]) -> Mesh {
        let mut mesh = Mesh::default();
        for part in parts {
            mesh.append(&part.mesh());
        }
        mesh
    }
}

fn add(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
