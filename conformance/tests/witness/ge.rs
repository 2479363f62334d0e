//! The GE against exact arithmetic: assembly over several commands, rejection and near clipping, viewport, culling,
//! coverage, scissor, depth, colours. psp-ge.md 5, 7, 8.

use super::exact::{Clip, Seen, Triangle, Window, range};
use super::{Dice, Tally, compiled, survey};
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::ge::{Ge, Stop};
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};

const VRAM: u32 = 0x0400_0000;
const LIST: u32 = 0x0880_0000;
const VERTICES: u32 = 0x0881_0000;
/// Width and height of the drawing area.
const SIDE: i64 = 32;
/// Positions are whole multiples of this part of 1: eight bits, exact in every format.
const UNIT: f32 = 32.0;

#[derive(Debug)]
struct Case {
    vertices: Vec<Vertex>,
    /// 3 list, 4 strip, 5 fan.
    kind: u32,
    /// Vertices of the first command; the rest follows in a second one that continues.
    split: usize,
    clips: bool,
    /// `None`, or which direction is culled: 0 clockwise, 1 counter-clockwise.
    culled: Option<u32>,
    /// Half the width and height, then the place of the centre, all in pixels.
    viewport: [i64; 4],
    scissor: [[i64; 2]; 2],
}

#[derive(Debug, Clone, Copy)]
struct Vertex {
    /// x, y, z before projection: w becomes z, and z becomes z - 1.
    position: [i64; 3],
    colour: [u8; 3],
}

impl Vertex {
    /// After projection.
    const fn clip(&self) -> Clip {
        let [x, y, z] = self.position;
        [x, y, z - UNIT as i64, z]
    }
}

impl Case {
    fn random(dice: &mut Dice) -> Self {
        let count = 3 + dice.below(6) as usize;
        let is_wild = dice.below(2) == 0;
        let vertex = |dice: &mut Dice| {
            // The near plane is at a half; the other half of the draws reaches before it and behind the eye.
            let z = if is_wild { dice.around(96) } else { 20 + dice.below(100) };
            Vertex {
                position: [dice.around(100), dice.around(100), z],
                colour: [(); 3].map(|()| dice.below(256) as u8),
            }
        };
        let vertices = (0..count).map(|_| vertex(dice)).collect();
        let corner = |dice: &mut Dice| [dice.below(SIDE as u64), dice.below(SIDE as u64)];
        let scissor = match dice.below(3) {
            0 => [corner(dice), corner(dice)],
            _ => [[0, 0], [SIDE - 1, SIDE - 1]],
        };
        Self {
            vertices,
            kind: 3 + dice.below(3) as u32,
            split: dice.below(count as u64 + 1) as usize,
            clips: dice.below(3) != 0,
            culled: [None, Some(0), Some(1)][dice.below(3) as usize],
            viewport: [
                8 + dice.below(24),
                8 + dice.below(24),
                dice.below(SIDE as u64),
                dice.below(SIDE as u64),
            ],
            scissor,
        }
    }

    /// The triangles in order, by the numbers of their vertices, as their winding counts (7.1).
    fn triangles(&self) -> Vec<[usize; 3]> {
        let count = self.vertices.len();
        match self.kind {
            3 => (0..count / 3).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect(),
            4 => (0..count - 2)
                .map(|n| if n % 2 == 0 { [n, n + 1, n + 2] } else { [n + 1, n, n + 2] })
                .collect(),
            _ => (1..count - 1).map(|n| [0, n, n + 1]).collect(),
        }
    }

    /// y of clip space goes down on the screen, as the viewport's scale is above 0.
    fn window(&self) -> Window {
        let [w, h, x, y] = self.viewport;
        Window { x: [h, -2 * x * h], y: [w, -2 * y * w], w: 2 * w * h }
    }

    /// What becomes of a triangle before it is rasterized (5.3, 5.5).
    fn fate(&self, corners: &[Clip; 3]) -> Fate {
        let unit = 32768.0;
        let quotient = |c: &Clip| c[2] as f64 / c[3] as f64;
        let all = |of: &dyn Fn(&Clip) -> bool| corners.iter().all(of);
        let any = |of: &dyn Fn(&Clip) -> bool| corners.iter().any(of);
        if all(&|c| c[3] < 0) {
            return Fate::Dropped;
        }
        // w = 0 is a matter of infinities, for vectors.
        if any(&|c| c[3] == 0) {
            return Fate::Unknown;
        }
        // z < -w before the near plane; z > w beyond the far one, which z = w - 1 never is for w above 0.
        let near = |c: &Clip| if c[3] > 0 { quotient(c) <= -(1.0 + 1.0 / unit) } else { c[2] < -c[3] };
        if !self.clips {
            return match any(&|c| near(c) || c[3] < 0) {
                true => Fate::Dropped,
                false => Fate::Whole,
            };
        }
        match () {
            () if all(&|c| c[3] > 0 && near(c)) => Fate::Dropped,
            () if any(&|c| c[2] + c[3] < 0) => Fate::Clipped,
            () => Fate::Whole,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Dropped,
    Whole,
    Clipped,
    Unknown,
}

/// A float without its lowest byte.
fn float(command: u32, value: f32) -> u32 {
    command << 24 | value.to_bits() >> 8
}

fn list(case: &Case) -> Vec<u8> {
    let arg = |command: u32, argument: u32| command << 24 | argument;
    let place = |[x, y]: [i64; 2]| (y << 10 | x) as u32;
    let [w, h, x, y] = case.viewport.map(|pixels| pixels as f32);
    let mut words = Vec::new();
    // All enables off, but for those of the case.
    words.extend((0x17..=0x28).map(|command| arg(command, 0)));
    words.extend([arg(0x1c, u32::from(case.clips)), arg(0x1d, u32::from(case.culled.is_some()))]);
    words.extend([arg(0x23, 1), arg(0xde, 1), arg(0xe7, 0), arg(0x9b, case.culled.unwrap_or(0))]);
    // World and view: identity; projection: x, y, z - w of the input, z.
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let projection = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, -1.0, 0.0];
    for (start, data, matrix) in
        [(0x3a, 0x3b, &identity[..]), (0x3c, 0x3d, &identity), (0x3e, 0x3f, &projection)]
    {
        words.push(arg(start, 0));
        words.extend(matrix.iter().map(|&value| float(data, value)));
    }
    // The centre of the screen is 2048, and OFFSET moves it to that of the case.
    words.extend([float(0x42, w), float(0x43, h), float(0x44, 30000.0)]);
    words.extend([float(0x45, 2048.0), float(0x46, 2048.0), float(0x47, 32768.0)]);
    words.extend([(0x4c, x), (0x4d, y)].map(|(command, at)| arg(command, ((2048.0 - at) * 16.0) as u32)));
    words.extend([arg(0x50, 1), arg(0x15, 0), arg(0x16, place([SIDE - 1, SIDE - 1]))]);
    words.extend([arg(0xd4, place(case.scissor[0])), arg(0xd5, place(case.scissor[1]))]);
    words.extend([arg(0xd6, 0), arg(0xd7, 0xffff), arg(0xd3, 0), arg(0xd2, 3)]);
    words.extend([arg(0xe8, 0), arg(0xe9, 0)]);
    // Colour at 0, depth at 0x8000, 64 pixels from row to row.
    words.extend([arg(0x9c, 0), arg(0x9d, 64), arg(0x9e, 0x8000), arg(0x9f, 64)]);
    // Colours of 8888 and positions of floats.
    words.extend([
        arg(0x12, 7 << 2 | 3 << 7),
        arg(0x10, 0x08_0000),
        arg(0x13, 0),
        arg(0x01, VERTICES & 0xff_ffff),
    ]);
    let (first, rest) = (case.split as u32, (case.vertices.len() - case.split) as u32);
    words.push(arg(0x04, case.kind << 16 | first.max(1)));
    words.push(arg(0x04, 7 << 16 | if first == 0 { rest - 1 } else { rest }));
    words.extend([arg(0x0f, 0), arg(0x0c, 0)]);
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Draws a case on cleared buffers, with VRAM as it is without mirrors; gives colours and depths.
fn draw(case: &Case, stages: &mut dyn Stages) -> [Vec<u32>; 2] {
    let memory = BlockMemory::zeroed(&[(VRAM, 2 << 20), (LIST, 0x2_0000)]);
    let bytes = list(case);
    write_bytes(&memory, LIST, &bytes);
    let records = case.vertices.iter().flat_map(|vertex| {
        let [r, g, b] = vertex.colour;
        let position = vertex.position.map(|c| (c as f32 / UNIT).to_le_bytes());
        [&[r, g, b, 255][..], position.as_flattened()].concat()
    });
    write_bytes(&memory, VERTICES, &records.collect::<Vec<u8>>());
    let mut ge = Ge::new();
    ge.set_address_maps(AddressMaps::Flat);
    let stop = ge.run(stages, &memory, &mut DisplayList::new(LIST, 0));
    assert_eq!(stop, Ok(Stop::Finished { token: 0 }));
    assert_eq!(ge.faults().as_slice(), []);
    let word = |offset: u32, bytes: u32| {
        (0..bytes).rev().fold(0, |word, n| word << 8 | u32::from(memory.byte(VRAM + offset + n)))
    };
    let pixels = || (0..SIDE as u32).flat_map(|y| (0..SIDE as u32).map(move |x| y * 64 + x));
    [pixels().map(|n| word(4 * n, 4)).collect(), pixels().map(|n| word(0x8000 + 2 * n, 2)).collect()]
}

fn check(case: &Case, name: &str, [colours, depths]: &[Vec<u32>; 2], tally: &mut Tally) {
    let window = case.window();
    let mut triangles = Vec::new();
    for numbers in case.triangles() {
        let corners = numbers.map(|n| case.vertices[n].clip());
        let fate = case.fate(&corners);
        let near = if fate == Fate::Clipped { vec![[0, 0, 1, 1]] } else { Vec::new() };
        let triangle = Triangle::new(corners, near);
        // y goes down, so a determinant above 0 is clockwise.
        let is_clockwise = triangle.determinant() > 0;
        let is_culled = case.culled.is_some_and(|culled| is_clockwise == (culled == 0));
        if fate != Fate::Dropped && !is_culled {
            triangles.push((numbers, triangle, fate));
        }
    }
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let n = (y * SIDE + x) as usize;
        let (colour, depth) = (colours[n], depths[n]);
        let mut top = Some(None);
        let [low, high] = case.scissor;
        if low[0] <= x && x <= high[0] && low[1] <= y && y <= high[1] {
            for entry in &triangles {
                match (entry.2, entry.1.seen(&window, x, y)) {
                    (Fate::Unknown, _) | (_, Seen::Unknown) => top = None,
                    (_, Seen::Yes(_)) => top = Some(Some(entry)),
                    (_, Seen::No) => {}
                }
            }
        }
        let at = format!("{name} at {x}, {y}: {colour:08x} {depth:04x} in {case:?}");
        match top {
            None => tally.unknown += 1,
            Some(None) => {
                assert_eq!((colour, depth), (0, 0), "nothing is here; {at}");
                tally.bare += 1;
            }
            Some(Some((numbers, triangle, fate))) => {
                assert_eq!(colour >> 24, 0, "no stencil is written; {at}");
                let corners = numbers.map(|n| case.vertices[n]);
                if *fate == Fate::Whole {
                    colours_are_linear(&corners, triangle, &window, (x, y), colour, &at);
                }
                let [least, most] = range(triangle, &window, (x, y), |weights| {
                    let sum = |k: usize| {
                        weights
                            .iter()
                            .zip(&corners)
                            .map(|(weight, v)| weight * v.clip()[k] as f64)
                            .sum::<f64>()
                    };
                    sum(2) / sum(3) * 30000.0 + 32768.0
                })
                .expect("covered");
                let depth = f64::from(depth);
                assert!(depth >= least - 8.0 && depth <= most + 8.0, "depth: {least} to {most}; {at}");
                tally.covered += 1;
            }
        }
    }
}

/// Colours are linear on the screen: the weights of clip space times w.
fn colours_are_linear(
    corners: &[Vertex; 3],
    triangle: &Triangle,
    window: &Window,
    at: (i64, i64),
    colour: u32,
    text: &str,
) {
    for (channel, shift) in [0, 8, 16].into_iter().enumerate() {
        let [least, most] = range(triangle, window, at, |weights| {
            let flat = [0, 1, 2].map(|i| weights[i] * corners[i].clip()[3] as f64);
            let sum: f64 = flat.iter().sum();
            (0..3).map(|i| flat[i] / sum * f64::from(corners[i].colour[channel])).sum()
        })
        .expect("covered");
        let stored = f64::from(colour >> shift & 255);
        assert!(
            stored >= least - 2.0 && stored <= most + 2.0,
            "channel {channel}: {least} to {most}; {text}"
        );
    }
}

fn compare(name: &str, stages: &mut dyn Stages) {
    let tally = survey(21, name, |dice, tally| {
        let case = Case::random(dice);
        let picture = draw(&case, stages);
        check(&case, name, &picture, tally);
    });
    assert!(tally.covered > 30_000 && tally.bare > 100_000 && tally.unknown < 80_000, "{tally:?}");
}

#[test]
fn the_oracle_of_the_ge_draws_what_is_seen() {
    compare("interpreter", &mut Interpreter::new());
}

#[test]
fn compiled_code_of_the_ge_draws_what_is_seen() {
    compare("compiled code", &mut compiled());
}
