//! The proof against the oracle: of what it excludes, the oracle draws nothing.

use super::*;
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::stage::primitive::{Kind, PendingVertices, PrimitiveBatch, PrimitiveStage as _};
use picaflor_pipeline::ge::stage::{Remembered, TransformStage as _};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::NoMemory;

/// Random numbers, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        picaflor_pipeline::random::word(&mut self.0) % end
    }

    /// From -1 to 1.
    fn unit(&mut self) -> f32 {
        self.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
}

/// The bits of a 24-bit float.
fn short(value: f32) -> f32 {
    f32::from_bits(value.to_bits() & !0xff)
}

/// A picture of 480 by 272, with a viewport in the middle, or a random one.
fn registers(random: &mut Random, element: u32) -> Registers {
    let mut registers = Registers::default();
    let mut set = |command: u8, argument: u32| registers.write(u32::from(command) << 24 | argument);
    let is_usual = !random.one_in(4);
    let mut number = |usual: f32| if is_usual { usual } else { usual * random.unit() * 2.0 };
    let floats = [
        (op::XSCALE, number(240.0)),
        (op::YSCALE, number(-136.0)),
        (op::ZSCALE, number(32767.5)),
        (op::XPOS, number(2048.0)),
        (op::YPOS, number(2048.0)),
        (op::ZPOS, number(32767.5)),
    ];
    floats.iter().for_each(|&(command, value)| set(command, value.to_bits() >> 8));
    set(op::OFFSETX, (2048 - 240) << 4);
    set(op::OFFSETY, (2048 - 136) << 4);
    set(op::SCISSOR2, 479 | 271 << 10);
    set(op::REGION2, 479 | 271 << 10);
    set(op::CPE, random.below(2));
    set(op::VTYPE, element << 7);
    registers
}

/// A rotation about y with a scale, and a translation.
fn turned(random: &mut Random, reach: f32) -> [f32; 12] {
    let (sin, cos) = (random.unit() * 3.2).sin_cos();
    let [x, y, z] = [(); 3].map(|()| random.unit() * reach);
    let scale = if random.one_in(3) { random.unit() * 3.0 } else { 1.0 };
    [cos * scale, 0.0, -sin * scale, 0.0, scale, 0.0, sin * scale, 0.0, cos * scale, x, y, z].map(short)
}

/// A perspective with random planes, an orthographic one, or anything.
fn projection(random: &mut Random) -> [f32; 16] {
    let mut m = [0.0; 16];
    let (near, far) = (0.1 + random.unit().abs(), 10.0 + 100.0 * random.unit().abs());
    match random.below(4) {
        0 => (m[0], m[5], m[10], m[14], m[15]) = (0.1, 0.15, -2.0 / far, -1.0, 1.0),
        1 => m = [(); 16].map(|()| random.unit() * 2.0),
        _ => {
            (m[0], m[5], m[11]) = (1.2, 2.1, -1.0);
            (m[10], m[14]) = ((far + near) / (near - far), 2.0 * far * near / (near - far));
        }
    }
    m.map(short)
}

fn matrices(random: &mut Random) -> Matrices {
    let reach = [0.3, 3.0, 100.0][random.below(3) as usize];
    Matrices {
        world: turned(random, reach),
        view: turned(random, reach),
        projection: projection(random),
        ..Matrices::default()
    }
}

/// Records of `count` positions around a point.
fn positions(random: &mut Random, element: u32, count: usize) -> Vec<u8> {
    let (reach, size) = (10.0 * random.unit().abs().powi(3), 3.0 * random.unit().abs().powi(3));
    let middle = [(); 3].map(|()| random.unit() * reach);
    let mut bytes = Vec::new();
    for _ in 0..count {
        for middle in middle {
            let at = middle + size * random.unit();
            match element {
                1 => bytes.push((at * 4.0) as i8 as u8),
                2 => bytes.extend(((at * 1000.0) as i16).to_le_bytes()),
                _ => bytes.extend(at.to_le_bytes()),
            }
        }
    }
    bytes
}

/// True if the oracle makes a primitive that touches the drawing area.
fn is_drawn(batch: &VertexBatch<'_>, kind: Kind) -> bool {
    let mut oracle = Interpreter::new();
    let (mut vertices, mut primitives) = (Vec::new(), Vec::new());
    oracle.transform(batch, &mut vertices);
    let mut pending = PendingVertices::default();
    pending.begin(Some(kind));
    let stream: Vec<u32> = (0..vertices.len() as u32).collect();
    let registers = batch.registers;
    oracle.primitives(
        &PrimitiveBatch { registers, vertices: &vertices, stream: &stream },
        &mut pending,
        &mut primitives,
    );
    let area = registers.drawing_area();
    primitives.iter().any(|primitive| primitive.bounds().intersect(area).pixels() > 0)
}

#[test]
fn nothing_of_what_is_unseen_is_drawn() {
    let kinds = [Kind::Points, Kind::Lines, Kind::TriangleStrip, Kind::TriangleFan, Kind::Rectangles];
    let mut random = Random(0x51f1_5eed_0bad_cafe);
    let (mut unseen, mut missed, mut drawn) = (0, 0, 0);
    for _ in 0..60_000 {
        let element = 1 + random.below(3);
        let registers = registers(&mut random, element);
        let matrices = matrices(&mut random);
        let bytes = positions(&mut random, element, 6);
        let batch = VertexBatch {
            registers: &registers,
            matrices: &matrices,
            remembered: Remembered::default(),
            records: GuestSlice::from_slice(&bytes),
            stride: registers.vertex_type().stride(),
            indices: &[0, 1, 2, 3, 4, 5],
            memory: &NoMemory,
        };
        let kind = kinds[random.below(5) as usize];
        let is_drawn = is_drawn(&batch, kind);
        let is_unseen = Visibility::default().is_unseen(&batch, kind.shape());
        assert!(!(is_drawn && is_unseen), "{kind:?} {registers:?} {matrices:?} {bytes:?}");
        unseen += u32::from(is_unseen);
        drawn += u32::from(is_drawn);
        missed += u32::from(!is_drawn && !is_unseen);
    }
    // The test would prove nothing without both outcomes, and the proof would be of no use if it missed most.
    assert!(unseen > 10_000 && drawn > 5_000, "{unseen} unseen, {drawn} drawn, {missed} missed");
    assert!(missed < unseen, "{unseen} unseen, {missed} missed");
}

/// A triangle of bytes, one unit of 1/128 wide, under the identity: its corners in columns of a picture.
fn is_unseen_at(x: i8, command: Option<(u8, u32)>) -> bool {
    let mut registers = registers(&mut Random(3), 1);
    for (command, value) in
        [(op::XSCALE, 240.0_f32), (op::YSCALE, -136.0), (op::XPOS, 2048.0), (op::YPOS, 2048.0)]
    {
        registers.write(u32::from(command) << 24 | value.to_bits() >> 8);
    }
    if let Some((command, argument)) = command {
        registers.write(u32::from(command) << 24 | argument);
    }
    let axes = std::array::from_fn(|n| if [0, 4, 8].contains(&n) { 1.0 } else { 0.0 });
    let matrices = Matrices {
        world: axes.map(|element: f32| element * 2.0),
        view: axes,
        projection: std::array::from_fn(|n| if n % 5 == 0 { 1.0 } else { 0.0 }),
        ..Matrices::default()
    };
    let bytes = [x, 0, 0, x, 1, 0, x, 0, 1].map(|at: i8| at as u8);
    let stride = registers.vertex_type().stride();
    Visibility::default().is_unseen(
        &VertexBatch {
            registers: &registers,
            matrices: &matrices,
            remembered: Remembered::default(),
            records: GuestSlice::from_slice(&bytes),
            stride,
            indices: &[0, 1, 2],
            memory: &NoMemory,
        },
        Shape::Triangle,
    )
}

#[test]
fn beside_the_picture() {
    // 1 is at 64 / 128 * 2: the right edge; a unit is 3.75 pixels wide.
    assert!(!is_unseen_at(0, None) && !is_unseen_at(64, None) && !is_unseen_at(-64, None));
    assert!(is_unseen_at(66, None) && is_unseen_at(-66, None));
    // The picture ends in column 240.
    assert!(is_unseen_at(20, Some((op::SCISSOR2, 240 | 271 << 10))));
}

#[test]
fn formats_that_it_does_not_know() {
    for vertex_type in [1 << 7 | 1 << 23, 1 << 7 | 1 << 9, 1 << 7 | 1 << 18, 0] {
        assert!(!is_unseen_at(100, Some((op::VTYPE, vertex_type))), "{vertex_type:x}");
    }
}

/// A position that is not finite, in any place, leaves nothing to prove.
#[test]
fn boxes_of_floats() {
    let all = [[1.0, -2.0, 3.0], [-4.0, 5.0, 0.5], [0.0, -0.0, 8.0_f32]];
    let found = |all: [[f32; 3]; 3]| box_of_floats(&[0, 1, 2], |index| all[index as usize].map(f32::to_bits));
    let expected = Box3 { least: [-4.0, -2.0, 0.5], most: [1.0, 5.0, 8.0] };
    assert_eq!(found(all), Some(expected));
    for value in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for place in 0..9 {
            let mut all = all;
            all[place / 3][place % 3] = value;
            assert_eq!(found(all), None, "{value} at {place}");
        }
    }
}
