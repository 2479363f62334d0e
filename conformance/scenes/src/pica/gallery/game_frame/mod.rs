//! A full frame of a racing game on two screens: more than 20,000 triangles in some 150 draws.

mod art;
mod hud;
mod karts;
mod map;
mod props;
mod track;

use crate::modelling::math::Real;
use crate::modelling::matrix::{Matrix, unit};
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::hash;
use crate::pica::Scene;
use crate::pica::flat;
use crate::pica::kit::{Buffers, Kit, Placed, Screen, ShaderProgram};
use crate::pica::state::{Combiner, Sampler, State, func, op, source};
use art::Art;
use karts::Kart;
use track::Track;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "game_frame",
    about: "A racing game: over 20,000 triangles in 145 draws, with subroutines, on two screens",
    build: game_frame,
}];

const TOP: Screen = Screen::Top;
/// The vertex program of most things.
const PROGRAM: &str = include_str!("../../programs/game.v.pica");
/// The position of the gate.
const GATE: f32 = 0.082;
/// Nearest and farthest distance.
const NEAR: f32 = 0.6;
const FAR: f32 = 220.0;

/// The common needs of all parts of the frame.
struct Stage<'a> {
    kit: &'a mut Kit,
    buffers: Buffers,
    program: ShaderProgram,
    art: Art,
    track: Track,
    view: Matrix,
    lens: Matrix,
}

fn game_frame(kit: &mut Kit) {
    let karts = [
        Kart { t: 0.0335, side: 0.9, drift: 0.22, colour: [0.9, 0.16, 0.18, 1.0] },
        Kart { t: 0.0425, side: -1.7, drift: 0.06, colour: [0.18, 0.42, 0.92, 1.0] },
        Kart { t: 0.052, side: 1.6, drift: 0.0, colour: [0.98, 0.76, 0.14, 1.0] },
        Kart { t: 0.068, side: -0.6, drift: 0.0, colour: [0.3, 0.78, 0.34, 1.0] },
    ];
    let buffers = kit.screen_buffers(TOP);
    kit.clear(&buffers, 0xb8dc_f0ff);
    let (art, track) = (Art::new(kit), Track::new());
    let (at, ahead) = track.place(0.0335, 0.5);
    let along = |far: f32, up: f32| std::array::from_fn(|c| at[c] + ahead[c] * far + [0.0, up, 0.0][c]);
    let view = Matrix::look_at(along(-5.0, 2.7), along(5.0, 0.75));
    let lens = TOP.perspective(0.86, NEAR, FAR);
    let program = ShaderProgram::assemble(PROGRAM);
    let mut stage = Stage { kit, buffers, program, art, track, view, lens };
    stage.sky();
    stage.world();
    stage.trees();
    stage.ground_shadows(&karts);
    karts::draw(stage.kit, &stage.art, &stage.track, &karts, &stage.view, &stage.lens);
    stage.lake();
    stage.sparks(&karts[0]);
    hud::draw(stage.kit, &stage.buffers);
    stage.kit.submit();
    stage.kit.show(TOP, &stage.buffers);
    map::draw(stage.kit, &stage.track, &karts);
    kit.frame();
}

impl Stage<'_> {
    fn show(&mut self, mesh: &Mesh) {
        let placed = self.kit.mesh(mesh);
        self.kit.draw(&placed);
    }

    fn transform(&mut self, model: Matrix) {
        let whole = self.lens.after(self.view).after(model);
        self.kit.matrix(&self.program, "transform", &whole);
    }

    fn tint(&mut self, colour: [f32; 4], detail: f32) {
        self.kit.uniform(&self.program, "tint", &[colour, [detail; 4]]);
    }

    /// The sky as a flat picture, then the mountains, both without depth.
    fn sky(&mut self) {
        self.kit.list.defaults(&self.buffers);
        self.kit.vertex_program(&self.program);
        self.tint([1.0; 4], 1.0);
        self.kit.matrix(&self.program, "transform", &TOP.flat());
        self.kit.list.texture(0, &self.art.sky, &Sampler::LINEAR).units(1);
        self.kit.list.combiners(&[Combiner::replace(source::TEXTURE0)]);
        self.show(&flat::rect([0.0, 0.0, 400.0, 130.0], [1.0; 4]));
        self.kit.list.combiners(&[Combiner::replace(source::VERTEX)]);
        self.transform(Matrix::IDENTITY);
        self.show(&props::mountains());
        self.kit.list.depth_test(func::GREATER, true).cull(2);
        let hulls = [
            ([-9.0, 13.0, 21.0], 2.2, [[0.93, 0.3, 0.25, 1.0], [1.0, 0.93, 0.8, 1.0]]),
            ([20.0, 24.0, -14.0], 3.6, [[0.2, 0.5, 0.85, 1.0], [1.0, 0.82, 0.3, 1.0]]),
        ];
        for ([x, y, z], size, colours) in hulls {
            let place = Matrix::translation(x + 60.0, y, z).after(Matrix::scale(size, size, size));
            self.transform(place);
            self.show(&props::balloon(colours));
        }
    }

    fn haze(&mut self) {
        let share = |depth: f32| {
            let distance = FAR * NEAR / (depth * (FAR - NEAR) + NEAR);
            1.0 - ((distance - 22.0) / 210.0).clamp(0.0, 1.0)
        };
        self.kit.list.fog([176, 212, 232], &share);
    }

    /// Land and road: two textures, fog.
    fn world(&mut self) {
        self.transform(Matrix::IDENTITY);
        self.tint([1.0; 4], 0.23);
        self.kit.list.texture(0, &self.art.grass, &Sampler::LINEAR);
        self.kit.list.texture(1, &self.art.detail, &Sampler::LINEAR).units(3);
        self.kit.list.combiners(&[
            Combiner::modulate(source::TEXTURE0, source::VERTEX).scaled(1, 0),
            Combiner::modulate(source::PREVIOUS, source::TEXTURE1),
        ]);
        self.haze();
        for piece in 0..16 {
            let land = self.track.land(piece);
            self.show(&land);
        }
        self.kit.list.texture(0, &self.art.road, &Sampler::LINEAR.wrap(0, 2)).units(1);
        self.kit.list.combiners(&[Combiner::modulate(source::TEXTURE0, source::VERTEX)]);
        let road = self.track.road();
        self.show(&road);
        self.kit.list.combiners(&[Combiner::replace(source::VERTEX)]);
        let structures = props::structures(&self.track, GATE);
        self.show(&structures);
        self.kit.list.texture(0, &self.art.banner, &Sampler::LINEAR.wrap(0, 0)).cull(0);
        self.kit.list.combiners(&[Combiner::replace(source::TEXTURE0)]);
        let banner = props::banner(&self.track, GATE);
        self.show(&banner);
        self.kit.list.cull(2);
    }

    /// Each kind of tree is a subroutine; the caller places it.
    fn trees(&mut self) {
        let kinds: Vec<Placed> = (0..3).map(|kind| self.kit.mesh(&props::tree(kind))).collect();
        let kinds: Vec<_> = kinds.iter().map(|tree| self.kit.subroutine(|kit| kit.draw(tree))).collect();
        self.kit.list.texture(0, &self.art.leaves, &Sampler::LINEAR).units(1);
        self.kit.list.combiners(&[Combiner::modulate(source::TEXTURE0, source::VERTEX)]);
        for (k, tree) in props::forest(&self.track).iter().enumerate() {
            let [x, y, z] = tree.at;
            let size = tree.size;
            let turn = Matrix::rotation_y(k as f32);
            self.transform(Matrix::translation(x, y, z).after(Matrix::scale(size, size, size)).after(turn));
            let bright = 0.85 + 0.35 * hash(k as u32, 9, 70);
            self.tint([bright, bright, bright * 0.95, 1.0], 1.0);
            self.kit.call(kinds[tree.kind]);
        }
    }

    /// Soft shadows of trees and karts, blended onto the ground.
    fn ground_shadows(&mut self, karts: &[Kart]) {
        self.transform(Matrix::IDENTITY);
        self.tint([1.0; 4], 1.0);
        self.kit.list.texture(0, &self.art.blob, &Sampler::LINEAR.wrap(0, 0)).blend_alpha();
        self.kit.list.depth_test(func::GREATER, false);
        self.kit.list.combiners(&[Combiner::replace(source::VERTEX)
            .alpha(op::MODULATE, [source::TEXTURE0, source::VERTEX, source::VERTEX])]);
        let trees = props::forest(&self.track);
        let shadows = props::shadows(&self.track, &trees);
        self.show(&shadows);
        for kart in karts {
            self.transform(karts::stand(&self.track, kart));
            let shadow = Mesh::floor(1.0, 1).map(|vertex| {
                let [x, _, z] = vertex.position;
                vertex.position = [x * 3.3 + 0.15, 0.08, z * 4.3];
            });
            self.show(&shadow.coloured([0.0, 0.02, 0.08, 1.0]));
        }
        self.kit.list.logic_op(3).depth_test(func::GREATER, true);
    }

    fn lake(&mut self) {
        self.kit.vertex_program(&self.program);
        self.transform(Matrix::IDENTITY);
        self.tint([1.0; 4], 1.0);
        self.kit.list.texture(0, &self.art.water, &Sampler::LINEAR).units(1).blend_alpha();
        self.kit.list.combiners(&[Combiner::replace(source::TEXTURE0)]);
        self.show(&props::lake());
    }

    /// Sparks from the rear wheels of the drifting kart: added light, in immediate mode.
    fn sparks(&mut self, kart: &Kart) {
        let stand = self.view.after(karts::stand(&self.track, kart));
        self.kit.matrix(&self.program, "transform", &self.lens);
        self.kit.list.fog([0; 3], &|_| 1.0).write_bytes(0x0e0, 0, 1);
        self.kit.list.texture(0, &self.art.blob, &Sampler::LINEAR.wrap(0, 0)).cull(0).blend(0, 6, 1);
        self.kit.list.depth_test(func::GREATER, false);
        self.kit.list.combiners(&[Combiner::replace(source::VERTEX)
            .alpha(op::MODULATE, [source::TEXTURE0, source::VERTEX, source::VERTEX])]);
        for k in 0..26_u32 {
            let random = |n| hash(k, n, 90);
            let side = if k % 2 == 0 { -0.7 } else { 0.7 };
            let age = random(1);
            let at = [
                side + (random(2) - 0.5) * (0.25 + age) + side * age * 0.8,
                0.12 + age * (1.3 - age) * random(3) * 1.7,
                0.95 + age * 1.5,
            ];
            let [x, y, z, _] = stand.apply(at);
            let size = 0.05 + 0.17 * (1.0 - age) * random(4);
            spark(self.kit, [x, y, z], size, [1.0, 0.85 - 0.5 * age, 0.35 - 0.3 * age, 1.0]);
        }
    }
}

/// A sprite of two triangles, as a strip of immediate vertices.
fn spark(kit: &mut Kit, [x, y, z]: [f32; 3], size: f32, colour: [f32; 4]) {
    let corner = |dx: f32, dy: f32| {
        let place = [x + size * dx, y + size * dy, z, 1.0];
        [place, [0.0, 0.0, 1.0, 1.0], [dx * 0.5 + 0.5, dy * 0.5 + 0.5, 0.0, 1.0], colour]
    };
    let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0)];
    kit.list.immediate(1, corners.iter().map(|corner| &corner[..]));
}

/// The rim of a circle, in pixels from the upper left corner: angles in turns from above, clockwise.
fn arc(centre: [f32; 2], radii: [f32; 2], turns: [f32; 2], colours: [[f32; 4]; 2]) -> Mesh {
    Mesh::sheet(18, 1, |u, v| {
        let (s, c) = ((turns[0] + (turns[1] - turns[0]) * u) * std::f32::consts::TAU).sine_cosine();
        let radius = radii[0] + (radii[1] - radii[0]) * v;
        [centre[0] + s * radius, 240.0 - centre[1] + c * radius, 0.0]
    })
    .map(|vertex| vertex.colour = crate::modelling::paint::mix(colours[0], colours[1], vertex.uv[0]))
}

/// A bar from one point to another, in pixels from the upper left corner.
fn bar(from: [f32; 2], to: [f32; 2], half: f32, colour: [f32; 4]) -> Mesh {
    let along = unit([to[0] - from[0], to[1] - from[1], 0.0]);
    let across = [-along[1] * half, along[0] * half];
    Mesh::sheet(1, 1, |u, v| {
        let at: [f32; 2] =
            std::array::from_fn(|c| from[c] + (to[c] - from[c]) * u + across[c] * (2.0 * v - 1.0));
        [at[0], 240.0 - at[1], 0.0]
    })
    .coloured(colour)
}
