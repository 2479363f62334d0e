//! The PICA200 against exact arithmetic: assembly, clipping by all planes, viewport, culling, coverage, scissor, row
//! order, depth and perspective colours. pica-geometry.md 4 to 6.

use super::exact::{Clip, Seen, Triangle, Window, range};
use super::{Dice, Tally, compiled, survey};
use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::stage::Stages;
use picaflor_pipeline::pica::{Finished, Pica};

const COLOUR: u32 = 0x1800_0000;
const DEPTH: u32 = 0x1801_0000;
const LIST: u32 = 0x2000_0000;
const VERTICES: u32 = 0x2001_0000;
/// Width and height of the target.
const SIDE: i64 = 32;
/// Positions are whole multiples of this part of 1.
const UNIT: f32 = 64.0;

/// A draw, and what it is drawn with.
#[derive(Debug)]
struct Case {
    vertices: Vec<Vertex>,
    /// 0 list, 1 strip, 2 fan.
    topology: u32,
    /// 0 keep all, 1 front culled, 2 back culled.
    cull: u32,
    /// Half the width and height, then the offset.
    viewport: [i64; 4],
    user_plane: Option<[i64; 4]>,
    scissor: Scissor,
    is_mirrored: bool,
}

#[derive(Debug, Clone, Copy)]
struct Vertex {
    position: Clip,
    /// 0 to 255 for 0 to 1.
    colour: [u8; 3],
}

#[derive(Debug, Clone, Copy)]
struct Scissor {
    mode: u32,
    low: [i64; 2],
    high: [i64; 2],
}

impl Scissor {
    fn keeps(&self, x: i64, y: i64) -> bool {
        let inside = self.low[0] <= x && x <= self.high[0] && self.low[1] <= y && y <= self.high[1];
        match self.mode {
            1 => !inside,
            3 => inside,
            _ => true,
        }
    }
}

impl Case {
    fn random(dice: &mut Dice) -> Self {
        let count = 3 + dice.below(6);
        // Half of the draws reach behind the eye and beyond all planes.
        let is_wild = dice.below(2) == 0;
        let vertex = |dice: &mut Dice| {
            let reach = if is_wild { 160 } else { 100 };
            let w = if is_wild { dice.around(128) + 48 } else { 48 + dice.below(64) };
            let z = if is_wild { dice.around(64) - 32 } else { -dice.below(48) };
            let position = [dice.around(reach), dice.around(reach), z, w];
            Vertex { position, colour: [(); 3].map(|()| dice.below(256) as u8) }
        };
        let vertices = (0..count).map(|_| vertex(dice)).collect();
        let viewport = match dice.below(2) {
            0 => [SIDE / 2, SIDE / 2, 0, 0],
            _ => [4 + dice.below(24), 4 + dice.below(24), dice.around(16), dice.around(16)],
        };
        let user_plane = (dice.below(3) == 0).then(|| [(); 4].map(|()| dice.around(8)));
        let corner = |dice: &mut Dice| [dice.below(SIDE as u64), dice.below(SIDE as u64)];
        let scissor =
            Scissor { mode: [0, 0, 1, 2, 3][dice.below(5) as usize], low: corner(dice), high: corner(dice) };
        Self {
            vertices,
            topology: dice.below(3) as u32,
            cull: dice.below(3) as u32,
            viewport,
            user_plane,
            scissor,
            is_mirrored: dice.below(2) == 0,
        }
    }

    /// The triangles in order, by the numbers of their vertices (4.2).
    fn triangles(&self) -> Vec<[usize; 3]> {
        let count = self.vertices.len();
        match self.topology {
            0 => (0..count / 3).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect(),
            1 => (0..count - 2)
                .map(|n| if n % 2 == 0 { [n, n + 1, n + 2] } else { [n + 1, n, n + 2] })
                .collect(),
            _ => (1..count - 1).map(|n| [0, n, n + 1]).collect(),
        }
    }

    fn planes(&self) -> Vec<[i64; 4]> {
        let mut planes =
            vec![[-1, 0, 0, 1], [1, 0, 0, 1], [0, -1, 0, 1], [0, 1, 0, 1], [0, 0, -1, 0], [0, 0, 1, 1]];
        planes.extend(self.user_plane);
        planes
    }

    fn window(&self) -> Window {
        let [w, h, x, y] = self.viewport;
        Window { x: [h, -2 * (x + w) * h], y: [w, -2 * (y + h) * w], w: 2 * w * h }
    }
}

/// 24 bits: sign, 7 of exponent, 16 of mantissa; exact for what is used here.
fn f24(value: f32) -> u32 {
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 255) as i32 - 127 + 63;
    if value == 0.0 { 0 } else { bits >> 31 << 23 | (exponent as u32) << 16 | bits >> 7 & 0xffff }
}

/// 31 bits: sign, 7 of exponent, 23 of mantissa, in bits 1 to 31.
fn f31(value: f32) -> u32 {
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 255) as i32 - 127 + 63;
    (bits >> 31 << 30 | (exponent as u32) << 23 | bits & 0x7f_ffff) << 1
}

/// The command list of a case: pairs of a word and a header with the full mask.
fn list(case: &Case) -> Vec<u8> {
    let [w, h, x, y] = case.viewport;
    let [w, h] = [w, h].map(|half| half as f32);
    let plane = case.user_plane.unwrap_or_default().map(|c| f24(c as f32));
    let corner = |[x, y]: [i64; 2]| (y << 16 | x) as u32;
    let Scissor { mode, low, high } = case.scissor;
    let dim = SIDE as u32 | (SIDE as u32 - 1) << 12 | u32::from(case.is_mirrored) << 24;
    let mut writes = vec![
        // Rasterizer.
        (0x040, case.cull),
        (0x041, f24(w)),
        (0x042, f31(1.0 / w)),
        (0x043, f24(h)),
        (0x044, f31(1.0 / h)),
        (0x047, u32::from(case.user_plane.is_some())),
        (0x048, plane[0]),
        (0x049, plane[1]),
        (0x04a, plane[2]),
        (0x04b, plane[3]),
        (0x04d, f24(-1.0)),
        (0x04e, 0),
        (0x04f, 2),
        (0x050, 0x0302_0100),
        (0x051, 0x0b0a_0908),
        (0x062, 0),
        (0x064, 1),
        (0x065, mode),
        (0x066, corner(low)),
        (0x067, corner(high)),
        (0x068, (x as u32 & 0x3ff) | (y as u32 & 0x3ff) << 16),
        (0x06d, 1),
        (0x06e, dim),
        (0x06f, 0x0000_0003),
        // No texture; the first combiner stage gives the vertex colour, the others pass it on.
        (0x080, 0x1000),
        (0x08f, 0),
        (0x0e0, 0),
        // Logic operation "copy", no tests, everything is written.
        (0x100, 0x00e4_0000),
        (0x102, 3),
        (0x104, 0),
        (0x105, 0),
        (0x107, 0x1f11),
        (0x112, 15),
        (0x113, 15),
        (0x114, 3),
        (0x115, 3),
        (0x116, 3),
        (0x117, 2),
        (0x11b, 0),
        (0x11c, DEPTH >> 3),
        (0x11d, COLOUR >> 3),
        (0x11e, dim),
        // One array of two attributes of four floats.
        (0x200, VERTICES >> 3),
        (0x201, 0xff),
        (0x202, 1 << 28),
        (0x203, 0),
        (0x204, 0x10),
        (0x205, 2 << 28 | 32 << 16),
        (0x229, 0),
        (0x242, 1),
        (0x244, 0),
        (0x245, 0),
        (0x24a, 1),
        (0x251, 1),
        (0x252, 0),
        (0x25e, case.topology << 8 | 1),
        (0x25f, 1),
        // The program: mov o0, v0; mov o1, v1; end.
        (0x2b0, 0x7fff_0000),
        (0x2b9, 0xa000_0001),
        (0x2ba, 0x7fff_0000),
        (0x2bb, 0x7654_3210),
        (0x2bc, 0xfedc_ba98),
        (0x2bd, 3),
        (0x2cb, 0),
        (0x2cc, 0x4c00_0000),
        (0x2cc, 0x4c20_1000),
        (0x2cc, 0x8800_0000),
        (0x2bf, 1),
        (0x2d5, 0),
        (0x2d6, 0x0006_c36f),
        (0x228, case.vertices.len() as u32),
        (0x22a, 0),
    ];
    for (stage, source) in [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8].into_iter().zip([0, 15, 15, 15, 15, 15])
    {
        let all = source | source << 16;
        writes.extend([(stage, all), (stage + 1, 0), (stage + 2, 0), (stage + 3, 0), (stage + 4, 0)]);
    }
    writes.extend([(0x22e, 1), (0x111, 1), (0x010, 0x1234_5678)]);
    let mut words: Vec<u32> = writes.into_iter().flat_map(|(id, word)| [word, 0xf_0000 | id]).collect();
    if !words.len().is_multiple_of(4) {
        words.extend([0x1234_5678, 0xf_0010]);
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Draws a case on cleared buffers; gives colour words and depth words in memory order.
fn draw(case: &Case, stages: &mut dyn Stages) -> [Vec<u32>; 2] {
    let memory = BlockMemory::zeroed(&[(COLOUR, 0x2_0000), (LIST, 0x2_0000)]);
    let bytes = list(case);
    write_bytes(&memory, LIST, &bytes);
    let floats = case.vertices.iter().flat_map(|vertex| {
        let position = vertex.position.map(|c| c as f32 / UNIT);
        let [r, g, b] = vertex.colour.map(|c| f32::from(c) / 255.0);
        [position, [r, g, b, 1.0]].concat()
    });
    write_bytes(&memory, VERTICES, &floats.flat_map(f32::to_le_bytes).collect::<Vec<u8>>());
    let mut pica = Pica::new(Precision::Console);
    let command = CommandList { address: LIST, size_bytes: bytes.len() as u32 };
    assert_eq!(pica.run(stages, &memory, command), Ok(Finished::Interrupt));
    assert_eq!(pica.faults().as_slice(), []);
    [COLOUR, DEPTH].map(|at| {
        let bytes = memory.region(at, (SIDE * SIDE * 4) as u32).expect("mapped").to_vec();
        bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    })
}

/// Place of a pixel in memory (6.6, 6.8).
fn place(case: &Case, x: i64, y: i64) -> usize {
    let row = if case.is_mirrored { SIDE - 1 - y } else { y };
    let bit = |value: i64, n: i64, to: i64| (value >> n & 1) << to;
    let inside = (0..3).map(|n| bit(x, n, 2 * n) | bit(row, n, 2 * n + 1)).sum::<i64>();
    ((row / 8 * (SIDE / 8) + x / 8) * 64 + inside) as usize
}

/// Compares a picture with what must be seen.
fn check(case: &Case, name: &str, [colours, depths]: &[Vec<u32>; 2], tally: &mut Tally) {
    let window = case.window();
    let kept = |triangle: &Triangle| match case.cull {
        1 => triangle.determinant() < 0,
        2 => triangle.determinant() > 0,
        _ => true,
    };
    let triangles: Vec<([usize; 3], Triangle)> = case
        .triangles()
        .into_iter()
        .map(|numbers| (numbers, Triangle::new(numbers.map(|n| case.vertices[n].position), case.planes())))
        .filter(|(_, triangle)| kept(triangle))
        .collect();
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let (colour, depth) = (colours[place(case, x, y)], depths[place(case, x, y)] & 0xff_ffff);
        let mut top = Some(None);
        if case.scissor.keeps(x, y) {
            for entry in &triangles {
                match entry.1.seen(&window, x, y) {
                    Seen::No => {}
                    Seen::Yes(_) => top = Some(Some(entry)),
                    Seen::Unknown => top = None,
                }
            }
        }
        let at = format!("{name} at {x}, {y}: {colour:08x} {depth:06x} in {case:?}");
        match top {
            None => tally.unknown += 1,
            Some(None) => {
                assert_eq!((colour, depth), (0, 0), "nothing is here; {at}");
                tally.bare += 1;
            }
            Some(Some((numbers, triangle))) => {
                let corners = numbers.map(|n| case.vertices[n]);
                assert_ne!(colour, 0, "a triangle is here; {at}");
                let sum = |weights: [f64; 3], of: &dyn Fn(&Vertex) -> f64| {
                    weights.iter().zip(&corners).map(|(weight, corner)| weight * of(corner)).sum::<f64>()
                };
                let within = |value: f64, least: f64, most: f64, tolerance: f64| {
                    value >= least - tolerance && value <= most + tolerance
                };
                for (channel, shift) in [24, 16, 8].into_iter().enumerate() {
                    let [least, most] = range(triangle, &window, (x, y), |weights| {
                        sum(weights, &|vertex| f64::from(vertex.colour[channel]))
                    })
                    .expect("covered");
                    let stored = f64::from(colour >> shift & 255);
                    assert!(within(stored, least, most, 1.0), "channel {channel}: {least} to {most}; {at}");
                }
                let [least, most] = range(triangle, &window, (x, y), |weights| {
                    let quotient = |k: usize| sum(weights, &|vertex| vertex.position[k] as f64);
                    -quotient(2) / quotient(3) * f64::from(0xff_ffff)
                })
                .expect("covered");
                assert!(within(f64::from(depth), least, most, 64.0), "depth: {least} to {most}; {at}");
                tally.covered += 1;
            }
        }
    }
}

fn compare(name: &str, stages: &mut dyn Stages) {
    let tally = survey(20, name, |dice, tally| {
        let case = Case::random(dice);
        let picture = draw(&case, stages);
        check(&case, name, &picture, tally);
    });
    assert!(tally.covered > 20_000 && tally.bare > 100_000 && tally.unknown < 60_000, "{tally:?}");
}

#[test]
fn the_oracle_of_the_pica_draws_what_is_seen() {
    compare("interpreter", &mut Interpreter::new());
}

#[test]
fn compiled_code_of_the_pica_draws_what_is_seen() {
    compare("compiled code", &mut compiled());
}
