//! Vectors against arrays, on numbers of any kind; what pixels ought to be is tested against the interpreter, in
//! `ge::pixel::texture`.

use super::vectors::{Vectors, arrays::Arrays};
use super::*;
use crate::emit::ge::span::{CornerNumbers, DEPTH_BITS, DoubleSteps, EdgeNumbers, LEVELS, StepNumbers};
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM_BYTES};
use std::cmp::Ordering;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        picaflor_pipeline::random::word(&mut self.0) % bound
    }

    fn flips(&mut self) -> bool {
        self.below(2) == 1
    }

    /// A number between -1 and 1, of few bits or of many.
    fn real(&mut self) -> f64 {
        let fine = [1 << 4, 1 << 28][self.below(2) as usize];
        f64::from(self.below(2 * fine)) / f64::from(fine) - 1.0
    }

    fn steps(&mut self, most: f64) -> StepNumbers {
        let texel = (1_i64 << 52) as f64;
        StepNumbers::new([most, 2.0, 2.0].map(|most| (self.real() * most * texel) as i64))
    }

    fn doubles(&mut self, first: f64, step: f64) -> DoubleSteps {
        let fine = |number: f64| (number * f64::from(1 << 20)).round() / f64::from(1 << 20);
        DoubleSteps::new([first, self.real() * step, self.real() * step, 0.0].map(fine))
    }

    fn primitive(&mut self, rectangles: bool) -> PrimitiveNumbers {
        let mut to = PrimitiveNumbers::default();
        let texels = f64::from(1 << PLACE_BITS);
        to.plain = [self.steps(600.0), self.steps(600.0)];
        match self.below(4) {
            0 => to.goes_in_steps = 1,
            1 => {
                to.goes_by_texels = 1;
                // The first one of four, and the others without weight.
                let whole = |number: i64| number >> 52 << 52;
                let [u, v] = to.plain.map(|steps| whole(steps.first) + (1 << 51) + 5);
                to.plain = [[u, 1 << 52, 0], [v, 0, whole(to.plain[1].down)]].map(StepNumbers::new);
            }
            2 => to.goes_divided = u64::from(!rectangles),
            _ => {}
        }
        let (s, t) = (300.0 * texels * self.real(), 300.0 * texels * self.real());
        to.divided = [self.doubles(s, 4.0 * texels), self.doubles(t, 4.0 * texels), self.doubles(40.0, 0.3)];
        to.w = self.doubles(40.0, 0.3);
        (to.w_error, to.least_q) = ([1e-9; 2], [0.1; 2]);
        to.divides = self.below(2).into();
        (to.area, to.area_reciprocal) = ([400.0; 2], [1.0 / 400.0; 2]);
        let whole = |random: &mut Self| (random.real() * 40.0).round();
        to.edges = [(); 3].map(|()| EdgeNumbers {
            first: whole(self),
            right: whole(self),
            down: whole(self),
            unused: 0.0,
        });
        let corner = |random: &mut Self| CornerNumbers {
            s: 4.0 * random.real(),
            t: 4.0 * random.real(),
            q: 1.5 + random.real(),
            w: 40.0 + random.real(),
        };
        to.corners = [corner(self), corner(self), corner(self)];
        to.along = [[self.real() * 800.0; 2], [self.real(); 2]];
        to.along_q = [[800.0; 2], [self.real(); 2]];
        to.swapped = [if self.flips() { u64::MAX } else { 0 }; 2];
        to.distance = f64::from(self.below(64));
        to.deep = StepNumbers::new(
            [20_000, 200, 200]
                .map(|most| (self.real() * f64::from(most)) as i64 + i64::from(most))
                .map(|z| z << 46),
        );
        to
    }

    fn level(&mut self, texels: &[u32], log2: [u32; 2]) -> LevelConstants {
        let sides = log2.map(|log2| 1_i32 << self.below(log2 + 1));
        let halved = [0, 1].map(|axis| log2[axis] - sides[axis].ilog2());
        LevelConstants {
            scale: sides.map(|side| [f64::from(side) * 256.0; 2]),
            last: sides.map(|side| [side - 1; 4]),
            farthest: sides.map(|side| [(side - 1) << PLACE_BITS; 4]),
            width: [sides[0] + 1; 4],
            texels: texels.as_ptr() as u64,
            halved,
        }
    }

    fn filter(&mut self) -> Filter {
        let mode = [LodMode::Auto, LodMode::Constant, LodMode::Slope][self.below(3) as usize];
        let levels = [None, Some(false), Some(true)][self.below(3) as usize];
        match self.below(4) {
            0 => Filter::Nearest,
            1 => Filter::Linear,
            _ => Filter::Levels(Levels { mode, linear: [self.flips(), self.flips()], levels }),
        }
    }

    fn runs(&mut self, primitives: usize, rows: usize) -> Vec<Run> {
        let run = |random: &mut Self| Run {
            covered: [[-1; 4]; 3],
            column: 4 * random.below(8),
            row: random.below(60),
            groups: 1 + random.below(7),
            primitive: random.below(primitives as u32) * size_of::<PrimitiveNumbers>() as u32,
            numbers: random.below(rows.max(1) as u32) * size_of::<RowNumbers>() as u32,
            ..Run::default()
        };
        (0..30).map(|_| run(self)).collect()
    }
}

/// Texels of a level of 128 by 128, with a row and a column more.
fn texels(random: &mut Random) -> Vec<u32> {
    (0..129 * 129).map(|_| random.below(u32::MAX)).collect()
}

fn constants(random: &mut Random, texels: &[u32]) -> PixelConstants {
    let log2 = [random.below(8), random.below(8)];
    let mut constants =
        PixelConstants { bias: random.below(65).cast_signed() - 32, ..PixelConstants::default() };
    constants.levels = [(); LEVELS].map(|()| random.level(texels, log2));
    constants.last_level = 16 * random.below(LEVELS as u32).cast_signed();
    constants.slope = random.real();
    constants.lod_scale = [random.real().abs(), random.real().abs()];
    constants
}

/// [`sample`] with one kind of vectors.
type Sample<'a> = Box<dyn Fn(&Sampling, &PixelConstants, Sampled<'_>, &mut [GroupTexels]) + 'a>;

fn with<'a>(vectors: impl Vectors + 'a) -> Sample<'a> {
    Box::new(move |sampling, constants, sampled, to| {
        // SAFETY: texels of these tests are those of the largest level, and VRAM is whole where depth is tested.
        unsafe { groups::sample(vectors, sampling, constants, sampled, to) };
    })
}

/// The kinds of vectors that the processor has, by their names.
fn kinds() -> Vec<(&'static str, Sample<'static>)> {
    #[cfg(target_arch = "x86_64")]
    return [
        ("256 bits", Avx2::detected().map(with)),
        ("256 bits, 16 registers", Avx2::detected().map(|vectors| with(vectors.with_16_registers()))),
        ("128 bits", Sse41::detected().map(with)),
    ]
    .into_iter()
    .filter_map(|(name, kind)| {
        if kind.is_none() {
            println!("skipped: the processor has no vectors of {name}");
        }
        Some((name, kind?))
    })
    .collect();
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    return vec![("128 bits", with(Neon))];
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
    Vec::new()
}

#[test]
fn vectors_are_as_arrays() {
    let (kinds, plain) = (kinds(), with(Arrays));
    let mut random = Random(7);
    let texels = texels(&mut random);
    for case in 0..3000 {
        let constants = constants(&mut random, &texels);
        let rectangles = random.below(3) == 0;
        let sampling = Sampling {
            rectangles,
            clamp: [random.flips(), random.flips()],
            filter: random.filter(),
            depth: None,
        };
        let mut primitives: Vec<_> = (0..6).map(|_| random.primitive(rectangles)).collect();
        let is_whole = random.flips();
        if rectangles && !is_whole {
            for primitive in &mut primitives {
                primitive.goes_in_steps |= std::mem::take(&mut primitive.goes_by_texels);
            }
        }
        let row = |random: &mut Random| {
            let v = random.steps(600.0).first;
            RowNumbers {
                across: [4.0 * random.real(), 4.0 * random.real(), 4.0 * random.real()],
                v: if is_whole { (v >> 52 << 52) + (1 << 51) + 5 } else { v },
            }
        };
        let rows: Vec<_> = (0..if rectangles { 9 } else { 0 }).map(|_| row(&mut random)).collect();
        let runs = random.runs(primitives.len(), rows.len());
        let sampled = Sampled { runs: &runs, primitives: &primitives, rows: &rows, vram: std::ptr::null() };
        let mut of_arrays = [GroupTexels::default(); MOST_GROUPS];
        plain(&sampling, &constants, sampled, &mut of_arrays);
        assert!(of_arrays.iter().any(|group| *group != GroupTexels::default()));
        for (name, sample) in &kinds {
            let mut of_vectors = [GroupTexels::default(); MOST_GROUPS];
            sample(&sampling, &constants, sampled, &mut of_vectors);
            let differs = of_vectors.iter().zip(&of_arrays).position(|(vectors, arrays)| vectors != arrays);
            assert_eq!(differs, None, "case {case}, {name}: {sampling:?}");
        }
    }
}

/// Groups are left out only if none of their pixels passes.
#[test]
fn hidden_groups_have_no_pixel_that_passes() {
    for (name, sample) in kinds().into_iter().chain([("arrays", with(Arrays))]) {
        println!("{name}");
        hidden_groups(&sample);
    }
}

fn hidden_groups(sample: &Sample<'_>) {
    let mut random = Random(8);
    let texels = texels(&mut random);
    let constants = constants(&mut random, &texels);
    let vram: Vec<u16> = (0..VRAM_BYTES / 2).map(|_| (20_000 + random.below(40_000)) as u16).collect();
    let (mut hidden, mut shown) = (0, 0);
    for _ in 0..3000 {
        let maps = [AddressMaps::Flat, AddressMaps::Off, AddressMaps::Shift(random.below(4) as u8)]
            [random.below(3) as usize];
        let passes = [Ordering::Less, Ordering::Equal, Ordering::Greater][random.below(3) as usize];
        let test = DepthTest { passes, or_equal: passes == Ordering::Equal || random.flips(), maps };
        let levels = Levels { mode: LodMode::Constant, linear: [true; 2], levels: None };
        let sampling = Sampling {
            rectangles: false,
            clamp: [false; 2],
            filter: Filter::Levels(levels),
            depth: Some(test),
        };
        let primitives = [random.primitive(false)];
        let mut runs = random.runs(1, 0);
        for run in &mut runs {
            run.depth_at = random.below(VRAM_BYTES / 8) * 8;
            run.covered = [[-1, -1, 0, 0], [-1; 4], [0, -1, -1, -1]];
        }
        // Nothing is a colour of this.
        let none = GroupTexels([9999; 16]);
        let mut found = [none; MOST_GROUPS];
        let vram_at = vram.as_ptr().cast();
        let sampled = Sampled { runs: &runs, primitives: &primitives, rows: &[], vram: vram_at };
        sample(&sampling, &constants, sampled, &mut found);
        let mut found = found.iter();
        for run in &runs {
            for n in 0..run.groups {
                let covered = run.covered[if n == 0 { 2 } else { usize::from(n + 1 < run.groups) }];
                let passes = |lane: u32| {
                    let column = run.column + 4 * n + lane;
                    let deep = &primitives[0].deep;
                    let depth =
                        (deep.first + deep.down * i64::from(run.row) + deep.lanes[1] * i64::from(column))
                            >> 46;
                    let at = maps.depth(run.depth_at.wrapping_add(2 * column) & (VRAM_BYTES - 1));
                    let order = depth.cmp(&i64::from(vram[at as usize / 2]));
                    covered[lane as usize] != 0
                        && (order == test.passes || test.or_equal && order == Ordering::Equal)
                };
                let any = (0..4).any(passes);
                assert_eq!(*found.next().expect("a group") != none, any, "{test:?}");
                *if any { &mut shown } else { &mut hidden } += 1;
            }
        }
    }
    assert!(hidden > 10_000 && shown > 10_000, "{hidden} hidden, {shown} shown");
}

/// The host's memory has no alignment.
#[test]
fn arrays_read_depths_at_odd_addresses() {
    let test = DepthTest { passes: Ordering::Greater, or_equal: true, maps: AddressMaps::Flat };
    let mut bytes = [0_u8; 10];
    for start in [1, 2] {
        bytes[start..][..8].copy_from_slice(&[9, 0, 0, 1, 9, 0, 0, 2]);
        let stored = std::hint::black_box(bytes[start..].as_ptr().cast());
        let passes = |depth: i64, covered: [i32; 4]| {
            let depth = depth << (32 + DEPTH_BITS);
            // SAFETY: eight bytes are there.
            unsafe { Arrays.any_passes(&test, [depth; 4], stored, &covered) }
        };
        assert!(passes(9, [0, 0, -1, 0]) && !passes(8, [-1, 0, -1, 0]) && !passes(0x1ff, [0, 0, 0, -1]));
        assert!(passes(0x200, [0, 0, 0, -1]));
    }
}
