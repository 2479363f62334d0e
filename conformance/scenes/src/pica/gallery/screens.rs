//! Pictures that are drawn first and used as textures afterwards.

use super::lamp::{Lamp, Lighting, light};
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, clouds, mix};
use crate::pica::Scene;
use crate::pica::encode::format;
use crate::pica::kit::{Buffers, Kit, Placed, Screen, ShaderProgram, Texture};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, func, op, source};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "render_to_texture",
    about: "A room with a screen that shows the room with the screen, five times over",
    build: render_to_texture,
}];

/// The pieces of the room.
struct Room {
    program: ShaderProgram,
    lit: ShaderProgram,
    furniture: Placed,
    toy: Placed,
    screen: Placed,
    wood: Texture,
}

fn render_to_texture(kit: &mut Kit) {
    let room = Room {
        program: ShaderProgram::assemble(programs::TEXTURED),
        furniture: kit.mesh(&furniture()),
        lit: ShaderProgram::assemble(programs::LIT),
        toy: kit.mesh(&Mesh::torus(40, 20, 0.4).coloured([0.95, 0.42, 0.2, 1.0])),
        screen: kit.mesh(&Mesh::quad(4.0, 2.4).map(|corner| {
            corner.position[1] += 1.75;
            corner.position[2] = -1.79;
        })),
        wood: kit.texture(&boards(), format::RGB565),
    };
    let pictures = [kit.buffers(256, 256), kit.buffers(256, 256)];
    let mut shown = Texture { address: pictures[1].colour, ..square(&pictures[0]) };
    kit.fill(shown.address, 256 * 256 * 4, 0x0c10_18ff);
    let eye = Matrix::perspective(0.72, 400.0 / 240.0, 0.5, 30.0);
    for k in 0..4 {
        let buffers = &pictures[k % 2];
        draw_room(kit, &room, buffers, &eye, (&shown, k as f32));
        kit.submit();
        shown = square(buffers);
    }
    let buffers = kit.screen_buffers(Screen::Top);
    draw_room(kit, &room, &buffers, &Screen::Top.perspective(0.72, 0.5, 30.0), (&shown, 4.0));
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

const fn square(buffers: &Buffers) -> Texture {
    Texture { address: buffers.colour, width: 256, height: 256, format: format::RGBA8, levels: 1 }
}

fn draw_room(kit: &mut Kit, room: &Room, buffers: &Buffers, eye: &Matrix, (shown, turn): (&Texture, f32)) {
    kit.clear(buffers, 0x0a0f_1cff);
    let look = Matrix::look_at([1.5, 2.1, 5.2], [0.05, 1.5, -1.8]);
    kit.list.defaults(buffers).depth_test(func::GREATER, true).units(1);
    kit.vertex_program(&room.program);
    kit.matrix(&room.program, "transform", &eye.after(look));
    kit.list.combiners(&[Combiner::modulate(source::TEXTURE0, source::VERTEX)]);
    kit.list.texture(0, &room.wood, &Sampler::LINEAR);
    kit.draw(&room.furniture);
    kit.list.texture(0, shown, &Sampler::LINEAR.wrap(0, 0));
    kit.draw(&room.screen);
    let place = Matrix::translation(1.75, 0.75, 0.6)
        .after(Matrix::rotation_y(0.5 + turn * 0.5))
        .after(Matrix::rotation_x(1.1 + turn * 0.35))
        .after(Matrix::scale(0.55, 0.55, 0.55));
    draw_toy(kit, room, eye, &look.after(place));
}

/// The ring, in light that comes from the upper left.
fn draw_toy(kit: &mut Kit, room: &Room, eye: &Matrix, place: &Matrix) {
    kit.vertex_program(&room.lit);
    kit.matrix(&room.lit, "projection", eye);
    kit.uniform(&room.lit, "modelview", &place.affine());
    let lamp = Lamp { at: [-0.5, 0.9, 0.6], far: true, diffuse: [0.9, 0.85, 0.8], specular: [0.55; 3] };
    light(&mut kit.list, &Lighting { ambient: [0.3, 0.26, 0.34], shine: 30.0, shadow: false }, &[lamp]);
    kit.list.combiners(&[
        Combiner::modulate(source::PRIMARY, source::VERTEX),
        Combiner::both(op::ADD, [source::PREVIOUS, source::SECONDARY, source::SECONDARY]),
    ]);
    kit.draw(&room.toy);
}

/// Floor, wall, the frame of the screen and a low table.
fn furniture() -> Mesh {
    let mut all = Mesh::default();
    let floor = Mesh::floor(16.0, 24).tiled(6.0).map(|corner| {
        let [x, _, z] = corner.position;
        let glow = 1.0 / (1.0 + 0.35 * (x * x + (z + 1.0).powi(2)));
        corner.colour = mix([0.3, 0.26, 0.32, 1.0], [1.0, 0.95, 1.0, 1.0], glow);
    });
    let wall = Mesh::sheet(24, 12, |u, v| [(u - 0.5) * 20.0, v * 8.0, -2.2]).map(|corner| {
        let [x, y, _] = corner.position;
        let glow = 1.0 / (1.0 + 0.22 * (x * x + (y - 1.8).powi(2) * 1.6));
        corner.colour = mix([0.12, 0.14, 0.3, 1.0], [0.5, 0.56, 1.0, 1.0], glow);
        corner.uv = corner.uv.map(|v| v * 0.02);
    });
    all.append(&floor).append(&wall);
    all.append(&block([2.14, 1.34, 0.18], [0.0, 1.75, -2.0], [0.10, 0.10, 0.13]));
    all.append(&block([1.7, 0.2, 0.5], [0.0, 0.2, -1.7], [0.75, 0.6, 0.55]));
    all.append(&block([0.5, 0.12, 0.5], [1.75, 0.1, 0.6], [0.85, 0.7, 0.6]));
    all
}

/// A box of half sizes around a place, lit from the front and above.
fn block(half: [f32; 3], at: [f32; 3], colour: [f32; 3]) -> Mesh {
    shaded(&Mesh::cube(), colour).map(|corner| {
        corner.position = std::array::from_fn(|c| corner.position[c] * half[c] + at[c]);
        corner.uv = corner.uv.map(|v| v * 0.8);
    })
}

fn shaded(mesh: &Mesh, colour: [f32; 3]) -> Mesh {
    mesh.clone().map(|corner| {
        let [x, y, z] = corner.normal;
        let light = 0.28 + 0.72 * (0.3 * x + 0.7 * y + 0.55 * z).max(0.0);
        let [r, g, b] = colour.map(|c| c * light);
        corner.colour = [r, g, b, 1.0];
    })
}

fn boards() -> Canvas {
    Canvas::paint(64, 64, |x, y| {
        let board = (x * 4.0).floor();
        let joint = (x * 4.0 - board - 0.5).abs() > 0.47;
        let grain = clouds(x, y * 0.25 + board * 0.37, 7);
        let wood = mix([0.95, 0.72, 0.48, 1.0], [0.62, 0.4, 0.25, 1.0], grain * 1.3 - 0.1);
        if joint { [0.25, 0.16, 0.1, 1.0] } else { wood }
    })
}
