//! Buffers that are drawn to and read again, and lists that branch.

use super::super::Scene;
use super::super::draw::MESH;
use super::super::kit::{Kit, SCREEN, Target};
use super::super::texture::{Style, Texture, format};
use super::super::vertices::{Corner, layout, records};
use super::pictures;
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::vram::VRAM;
use std::f32::consts::TAU;

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "television",
        about: "A scene drawn to a texture, shown on screens in another; its own picture is fed back, blurred",
        build: television,
    },
    Scene {
        name: "transfers",
        about: "Blocks copied inside of VRAM and from main memory, in both element sizes, overlapping, to and from mirrors",
        build: transfers,
    },
    Scene {
        name: "lists",
        about: "Subroutines, nested calls, and shapes left out because their bounding box is outside",
        build: lists,
    },
];

fn whole(target: Target) -> Texture {
    let sides = [target.stride.next_power_of_two(), target.height.next_power_of_two()];
    Texture::of_buffer(VRAM + target.colour, target.stride, target.format, sides)
}

fn television(kit: &mut Kit) {
    let small = kit.buffers(128, 128, 0);
    kit.start_on(small, [60, 20, 70]);
    kit.look(0.8, [2.2, 1.8, 3.2], [0.0; 3]);
    let boards = kit.texture(&pictures::boards(), Style::of(format::RGBA8888));
    kit.use_texture(&boards);
    kit.draw_mesh(&Mesh::cube().lit([0.3, 1.0, 0.6], 0.4));
    // What is drawn is a texture at once: it is copied over itself, smaller and fainter.
    kit.flat();
    kit.use_texture(&whole(small));
    kit.filter(1, 1);
    for step in 0..3 {
        let inset = 64.0 - 40.0 * 0.6_f32.power(step as f32);
        kit.sprite(
            [inset, inset * 1.2, 128.0 - inset, 128.0 - inset * 0.8],
            [0.0, 0.0, 128.0, 128.0],
            [255, 230, 200, 150],
        );
    }
    kit.start([70, 76, 84]);
    kit.look(0.75, [0.6, 1.5, 6.0], [0.0, 0.3, 0.0]);
    let tiles = kit.texture(&pictures::tiles(), Style::of(format::RGB5650));
    kit.use_texture(&tiles);
    kit.draw_mesh(&Mesh::floor(16.0, 8).tiled(8.0).moved(1.0, [0.0, -1.0, 0.0]));
    kit.use_texture(&whole(small));
    kit.filter(5, 1);
    for (x, z, turn) in [(-1.9, 0.0, 0.45), (1.9, -0.6, -0.4), (0.0, -3.0, 0.0)] {
        kit.world(&Matrix::translation(x, 0.4, z).after(Matrix::rotation_y(turn)));
        let sheet = Mesh::quad(2.6, 2.0).map(|corner| corner.uv[1] = 1.0 - corner.uv[1]);
        kit.draw_mesh(&sheet);
        kit.list.switch(op::TME, false);
        kit.draw_mesh(&Mesh::cube().map(set).coloured([0.14, 0.14, 0.16, 1.0]));
        kit.list.switch(op::TME, true);
    }
    kit.show();
}

/// The case around a screen.
fn set(corner: &mut crate::modelling::mesh::Vertex) {
    let [x, y, z] = corner.position;
    corner.position = [x * 1.45, y * 1.12, z * 0.3 - 0.32];
}

/// A block that is copied: source and destination with their strides, places, size, 32 bits or 16.
struct Block {
    from: (u32, u32, [u32; 2]),
    to: (u32, u32, [u32; 2]),
    size: [u32; 2],
    is_wide: bool,
}

fn transfer(kit: &mut Kit, block: &Block) {
    let Block { from, to, size, is_wide } = block;
    kit.list.wide_pointer(op::TRXSBP, op::TRXSBW, from.0, from.1);
    kit.list.wide_pointer(op::TRXDBP, op::TRXDBW, to.0, to.1);
    kit.list.write(op::TRXSPOS, from.2[0] | from.2[1] << 10).write(op::TRXDPOS, to.2[0] | to.2[1] << 10);
    kit.list.write(op::TRXSIZE, (size[0] - 1) | (size[1] - 1) << 10).switch(op::TRXKICK, *is_wide);
    kit.list.write(op::TSYNC, 0);
}

fn transfers(kit: &mut Kit) {
    let screen = VRAM + SCREEN.colour;
    kit.start([30, 40, 60]);
    kit.look(0.7, [2.4, 2.0, 4.0], [0.0; 3]);
    let boards = kit.texture(&pictures::boards(), Style::of(format::RGBA8888));
    kit.use_texture(&boards);
    kit.draw_mesh(&Mesh::cube().lit([0.3, 1.0, 0.6], 0.4));
    let at = |x: u32, y: u32| (screen, SCREEN.stride, [x, y]);
    // From main memory.
    let tiles = boards.levels[0].address;
    for n in 0..4 {
        let block = Block {
            from: (tiles, 64, [0, 0]),
            to: at(8 + n * 26, 8 + n * 10),
            size: [64, 64],
            is_wide: true,
        };
        transfer(kit, &block);
    }
    // Inside the screen: the cube's middle to the right, in pixels and in halves of pixels.
    transfer(kit, &Block { from: at(190, 90), to: at(370, 10), size: [100, 90], is_wide: true });
    let halves = |x: u32, y: u32| (screen, (SCREEN.stride * 2) & 0x7f8, [x * 2, y]);
    transfer(kit, &Block { from: halves(190, 90), to: halves(370, 170), size: [200, 90], is_wide: false });
    // Onto itself, 16 pixels further, which repeats them; and 8 pixels, which does not inside a chunk.
    transfer(kit, &Block { from: at(8, 180), to: at(24, 180), size: [128, 40], is_wide: true });
    transfer(kit, &Block { from: at(8, 8), to: at(0, 226), size: [160, 40], is_wide: true });
    transfer(kit, &Block { from: at(0, 226), to: at(8, 226), size: [160, 40], is_wide: true });
    mirrored(kit);
    kit.show();
}

/// Into VRAM through the first mirror, and out of it through the third one: a picture in another order.
fn mirrored(kit: &mut Kit) {
    let place = kit.reserve(64 * 64 * 4, 0x4000);
    let picture = kit.texture(&pictures::tiles(), Style::of(format::RGBA8888));
    let from = (picture.levels[0].address, 64, [0, 0]);
    let to = (VRAM + 0x20_0000 + place, 64, [0, 0]);
    transfer(kit, &Block { from, to, size: [64, 64], is_wide: true });
    let windows = [0x20_0000, 0, 0x60_0000];
    for (n, window) in (0..).zip(windows) {
        let from = (VRAM + window + place, 64, [0, 0]);
        let to = (VRAM + SCREEN.colour, SCREEN.stride, [200 + n * 72, 200]);
        transfer(kit, &Block { from, to, size: [64, 64], is_wide: true });
    }
}

fn lists(kit: &mut Kit) {
    kit.start([14, 18, 30]);
    kit.look(0.8, [0.0, 2.6, 9.0], [0.0, 0.0, 0.0]);
    let gem =
        kit.mesh(&Mesh::sphere(8, 5).coloured([0.95, 0.35, 0.45, 1.0]).lit([0.4, 1.0, 0.6], 0.3), MESH & !3);
    let ring = kit.mesh(
        &Mesh::torus(24, 10, 0.12).coloured([1.0, 0.8, 0.35, 1.0]).lit([0.4, 1.0, 0.6], 0.3),
        MESH & !3,
    );
    let way_back = kit.subroutine(|_| ());
    let gems = kit.subroutine(|kit| kit.draw(&gem));
    let pair = kit.subroutine(|kit| {
        kit.call(gems);
        kit.draw(&ring);
    });
    // Shapes are left out when the box around them is: BJUMP goes to where a RET is.
    let corners: Vec<Corner> = (0..8_u32)
        .map(|n| Corner {
            position: std::array::from_fn(|c| if n >> c & 1 == 0 { -1.1 } else { 1.1 }),
            ..Corner::default()
        })
        .collect();
    let outline = kit.data(records(layout::POSITION, &corners));
    let seen = kit.subroutine(|kit| {
        kit.list.write(op::VTYPE, layout::POSITION).vertices(outline).write(op::BBOX, 8);
        kit.list.address(op::BJUMP, way_back.0);
        kit.call(pair);
    });
    for n in 0..40 {
        let (s, c) = (n as f32 * TAU / 20.0).sine_cosine();
        let far = 2.6 + (n / 20) as f32 * 6.0;
        let turn = Matrix::rotation_x(0.4 + n as f32 * 0.3).after(Matrix::scale(0.5, 0.5, 0.5));
        kit.world(&Matrix::translation(s * far * 1.6, -0.4 * (n % 3) as f32, c * far).after(turn));
        kit.call(seen);
    }
    signals(kit, pair.0);
    kit.show();
}

/// A call by a signal, as the system's lists do it.
fn signals(kit: &mut Kit, address: u32) {
    let jump = kit.subroutine(|kit| {
        kit.list.address(op::CALL, address);
        kit.list.signal(0x12, 0);
    });
    kit.world(&Matrix::translation(0.0, 1.4, 0.0).after(Matrix::scale(0.8, 0.8, 0.8)));
    kit.list.signal(0x11, jump.0);
}
