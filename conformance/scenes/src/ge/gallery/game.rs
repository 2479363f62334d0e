//! Frames as a game draws them.

use super::super::Scene;
use super::super::draw::{MESH, Placed, shape};
use super::super::kit::{Kit, SCREEN, Target};
use super::super::state::{Light, compare};
use super::super::texture::{Style, Texture, format};
use super::super::vertices::{Corner, layout};
use super::pictures;
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, clouds, hash, mix};
use picaflor_pipeline::ge::regs::op;

pub(super) const SCENES: &[Scene] = &[Scene {
    name: "game",
    about: "Two frames of a game: land with levels of detail, trees, a bird, water, sparks, fog, a map and a status bar",
    build: game,
}];

const SKY: [u8; 3] = [176, 204, 228];
/// Cells of the land on a side.
const CELLS: u16 = 40;
const SIZE: f32 = 44.0;

/// Height of the land at a place.
fn height(x: f32, z: f32) -> f32 {
    let hills = clouds(x / SIZE + 0.5, z / SIZE + 0.5, 77) - 0.5;
    let valley = (x * 0.35 + (z * 0.2).sine() * 2.0).cosine();
    hills * 9.0 - valley.max(0.0) * 2.2 + 0.6
}

/// The part of the world that does not change from frame to frame.
struct World {
    land: Placed,
    grass: Texture,
    tree: Texture,
    trees: Placed,
    bird: Placed,
    spark: Texture,
    sky: Texture,
    map: Texture,
}

impl World {
    fn new(kit: &mut Kit) -> Self {
        let land = Mesh::sheet(CELLS, CELLS, |u, v| {
            let (x, z) = ((u - 0.5) * SIZE, (0.5 - v) * SIZE);
            [x, height(x, z), z]
        });
        let land = land.map(|vertex| {
            let steep = 1.0 - vertex.normal[1];
            let sand = if vertex.position[1] < -0.7 { 1.0 } else { 0.0 };
            let rock = mix([1.0, 1.0, 1.0, 1.0], [0.9, 0.75, 0.6, 1.0], steep * 3.0);
            vertex.colour = mix(rock, [1.3, 1.15, 0.8, 1.0], sand);
        });
        let land = land.lit([0.5, 1.0, 0.3], 0.35).tiled(24.0);
        let map = Canvas::paint(64, 64, |x, y| {
            let here = height((x - 0.5) * SIZE, (y - 0.5) * SIZE);
            let ground = mix([0.3, 0.5, 0.2, 1.0], [0.8, 0.75, 0.65, 1.0], here / 3.0);
            if here < -1.0 { [0.2, 0.35, 0.7, 1.0] } else { ground }
        });
        let spark = pictures::blob(16, [1.0, 1.0, 0.8, 1.0], [1.0, 0.5, 0.1, 0.0]);
        Self {
            land: kit.mesh(&land, layout::TEXTURE | layout::COLOUR5650 | layout::POSITION),
            grass: kit.texture(&pictures::grass(128), Style::of(format::DXT1).levels(6)),
            tree: kit.texture(&tree(), Style::of(format::CLUT8).palette(1).swizzled()),
            trees: trees(kit),
            bird: kit.mesh(&bird(), layout::COLOUR | layout::NORMAL8 | layout::POSITION16),
            spark: kit.texture(&spark, Style::of(format::RGBA4444)),
            sky: kit.texture(&sky(), Style::of(format::CLUT8).palette(0)),
            map: kit.texture(&map, Style::of(format::CLUT4).palette(0)),
        }
    }
}

/// A tree on a clear ground.
fn tree() -> Canvas {
    Canvas::paint(64, 64, |x, y| {
        let crown = 0.42 * (1.0 - ((y - 0.4) / 0.4).powi(2)).max(0.0).sqrt();
        let ragged = crown * (0.75 + 0.5 * clouds(x, y, 3));
        let leaves = mix([0.1, 0.3, 0.12, 1.0], [0.45, 0.62, 0.2, 1.0], clouds(x, y, 41) * 1.3 - 0.3 * x);
        if (x - 0.5).abs() < ragged {
            leaves
        } else if (x - 0.5).abs() < 0.05 && y > 0.6 {
            [0.36, 0.25, 0.14, 1.0]
        } else {
            [0.2, 0.3, 0.12, 0.0]
        }
    })
}

fn sky() -> Canvas {
    Canvas::paint(128, 64, |x, y| {
        let blue = mix([0.35, 0.56, 0.86, 1.0], [0.69, 0.8, 0.894, 1.0], y * 1.25);
        mix(blue, [1.0; 4], ((clouds(x, y, 91) - 0.48) * 4.0).max(0.0) * (1.0 - y))
    })
}

/// Two sheets across each other for every tree.
fn trees(kit: &mut Kit) -> Placed {
    let mut mesh = Mesh::default();
    for n in 0..220_u32 {
        let (x, z) = ((hash(n, 1, 6) - 0.5) * SIZE * 0.95, (hash(n, 2, 6) - 0.5) * SIZE * 0.95);
        let ground = height(x, z);
        if ground > -0.5 {
            let high = 1.3 + hash(n, 3, 6);
            for turn in [0.3, 1.9] {
                let sheet = Mesh::quad(high, high).map(|vertex| vertex.uv[1] = 1.0 - vertex.uv[1]);
                let place = Matrix::translation(x, ground + high * 0.48, z).after(Matrix::rotation_y(turn));
                let shade = 0.7 + 0.3 * hash(n, 4, 6);
                mesh.append(&sheet.placed(&place).coloured([shade, shade, shade, 1.0]));
            }
        }
    }
    kit.mesh(&mesh, layout::TEXTURE16 | layout::COLOUR4444 | layout::POSITION)
}

/// The bird of the name: body, head, beak and wings, small enough for positions of 16 bits.
fn bird() -> Mesh {
    let mut bird = Mesh::sphere(20, 14)
        .map(|v| v.position = [v.position[0] * 0.3, v.position[1] * 0.28, v.position[2] * 0.6]);
    bird = bird.coloured([0.1, 0.62, 0.36, 1.0]);
    bird.append(&Mesh::sphere(16, 10).moved(0.2, [0.0, 0.24, -0.58]).coloured([0.15, 0.4, 0.75, 1.0]));
    let beak = Mesh::revolution(8, 2, |v| [0.05 * (1.0 - v), v * 0.4]);
    let forward = Matrix::translation(0.0, 0.22, -0.74).after(Matrix::rotation_x(-1.57));
    bird.append(&beak.placed(&forward).moved(0.9, [0.0, 0.02, -0.05]).coloured([0.12, 0.1, 0.1, 1.0]));
    for side in [-1.0, 1.0] {
        let wing = |u: f32, v: f32| {
            [side * (0.2 + u * 0.75), 0.12 + u * 0.42 - u * u * 0.15, (v - 0.5) * 0.5 * (1.1 - u) + u * 0.25]
        };
        let wing = Mesh::sheet(6, 3, wing).coloured([0.2, 0.75, 0.5, 1.0]);
        bird.append(&wing).append(&wing.clone().inside_out());
    }
    bird
}

fn game(kit: &mut Kit) {
    let world = World::new(kit);
    let other = Target { colour: kit.reserve(512 * 272 * 4, 64), ..SCREEN };
    for (n, target) in [(0, other), (1, SCREEN)] {
        let time = n as f32 * 0.35;
        kit.start_on(target, SKY);
        frame(kit, &world, time);
        kit.show_buffer(target);
    }
}

fn frame(kit: &mut Kit, world: &World, time: f32) {
    let [x, z] = [1.5 + time, 12.0 - time * 4.0];
    let eye = [x, height(x, z).max(-1.0) + 2.4, z];
    background(kit, &world.sky, time);
    kit.defaults();
    kit.look(0.95, eye, [eye[0] - 0.8, eye[1] - 1.5, z - 6.0]);
    kit.fog(9.0, 30.0, SKY);
    kit.use_texture(&world.grass);
    kit.filter(7, 1);
    kit.draw(&world.land);
    kit.use_texture(&world.tree);
    kit.list.write(op::TWRAP, 0x101);
    kit.filter(1, 1);
    kit.alpha_test(compare::GREATER, 0x60);
    kit.cull(false);
    kit.draw(&world.trees);
    kit.list.switch(op::ATE, false).switch(op::TME, false);
    hero(kit, world, [x - 0.7, eye[1] - 0.5, z - 4.2], time);
    water(kit, time);
    sparks(kit, &world.spark, [x - 0.7, eye[1] - 0.5, z - 4.0], time);
    overlay(kit, world, time);
}

fn background(kit: &mut Kit, sky: &Texture, time: f32) {
    kit.flat();
    kit.filter(1, 1);
    kit.use_texture(sky);
    let left = 10.0 + (time * 20.0).floor();
    kit.sprite([0.0, 0.0, 480.0, 150.0], [left, 0.0, left + 90.0, 64.0], [255; 4]);
}

fn hero(kit: &mut Kit, world: &World, [x, y, z]: [f32; 3], time: f32) {
    kit.cull(true);
    kit.lights([110, 110, 120], &[Light::directional([0.5, 1.0, 0.3], [255, 250, 230]).shiny()]);
    kit.material([255; 3], [160; 3], 16.0);
    kit.list.write(op::CMAT, 3);
    let turn = Matrix::rotation_y(1.1 - time).after(Matrix::rotation_z(0.5).after(Matrix::rotation_x(0.3)));
    kit.world(&Matrix::translation(x, y, z).after(turn));
    kit.draw(&world.bird);
    kit.list.switch(op::LTE, false).write(op::CMAT, 0);
    kit.world(&Matrix::IDENTITY);
}

/// A half clear sheet that waves.
fn water(kit: &mut Kit, time: f32) {
    kit.blend_alpha();
    kit.depth(compare::GREATER_EQUAL, false);
    let sheet = Mesh::sheet(24, 24, |u, v| {
        let (x, z) = ((u - 0.5) * SIZE, (0.5 - v) * SIZE);
        [x, -1.0 + 0.05 * ((x * 2.0 + time * 5.0).sine() + (z * 3.0).cosine()), z]
    });
    let sheet = sheet.map(|vertex| {
        vertex.colour = mix([0.2, 0.45, 0.75, 0.62], [0.8, 0.9, 1.0, 0.7], (1.0 - vertex.normal[1]) * 12.0)
    });
    let placed = kit.mesh(&sheet, MESH & !0x63);
    kit.draw(&placed);
}

/// Light behind the bird that adds up.
fn sparks(kit: &mut Kit, spark: &Texture, [x, y, z]: [f32; 3], time: f32) {
    kit.blend_add();
    kit.use_texture(spark);
    kit.filter(1, 1);
    let mut mesh = Mesh::default();
    for n in 0..26_u32 {
        let age = (hash(n, 5, 8) + time) % 1.0;
        let aside = |k: u32| (hash(n, k, 8) - 0.5) * (0.2 + age);
        let quad = Mesh::quad(0.34, 0.34).coloured([1.0, 1.0 - 0.6 * age, 0.6 - 0.5 * age, 1.0 - age]);
        mesh.append(&quad.moved(1.0 - 0.6 * age, [x + aside(6) + 0.3, y + aside(7), z + age * 1.6]));
    }
    kit.draw_mesh(&mesh);
}

fn overlay(kit: &mut Kit, world: &World, time: f32) {
    kit.flat();
    kit.plate([8.0, 8.0, 132.0, 26.0], [10, 20, 40, 150]);
    kit.text([14.0, 12.0], [255, 230, 120, 255], "PICAFLOR");
    kit.text([14.0, 22.0], [255; 4], &format!("NECTAR {}", 120 + (time * 40.0) as u32));
    let bar = 40.0 + (time * 10.0).floor();
    kit.plate([90.0, 13.0, 44.0, 6.0], [0, 0, 0, 200]);
    kit.plate([92.0, 14.0, bar - 4.0, 4.0], [90, 230, 110, 255]);
    kit.plate([402.0, 194.0, 70.0, 70.0], [0, 0, 0, 180]);
    kit.picture(&world.map, [405.0, 197.0, 64.0, 64.0]);
    // Where the eye is, and what it sees.
    let vertex_type = layout::COLOUR | layout::POSITION16 | layout::THROUGH;
    let at = [405.0 + (0.5 + 1.5 / SIZE) * 64.0, 197.0 + (0.5 + (12.0 - time * 4.0) / SIZE) * 64.0];
    let corner = |dx: f32, dy: f32, alpha| Corner {
        colour: [255, 255, 160, alpha],
        position: [at[0] + dx, at[1] + dy, 0.0],
        ..Corner::default()
    };
    kit.list.switch(op::TME, false);
    kit.draw_corners(
        shape::TRIANGLES,
        vertex_type,
        &[corner(0.0, 0.0, 220), corner(-9.0, -16.0, 0), corner(7.0, -18.0, 0)],
    );
    kit.draw_corners(
        shape::LINE_STRIP,
        vertex_type,
        &[corner(-2.0, 0.0, 255), corner(2.0, 0.0, 255), corner(0.0, -3.0, 255), corner(-2.0, 0.0, 255)],
    );
}
