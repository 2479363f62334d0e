//! Random sequences of draws whose targets, textures, vertices and indices lie in the same memory: threads
//! change nothing.

use crate::support::Random;
use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::{Bank, ListBuilder};
use picaflor_pipeline::pica::float::{Precision, encode_f24};
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::stats::Stats;
use picaflor_pipeline::tile::Tiling;

/// Everything but the list: targets, textures, vertices and indices.
const SHARED: u32 = 0x1800_0000;
const SHARED_BYTES: u32 = 0x1_8000;
const LIST: u32 = 0x2000_0000;
const LIST_BYTES: u32 = 0x1_0000;

/// A vertex is bytes: x, y, and a colour, of which red and green are texture coordinates too.
const PROGRAM: &str = "\
.constf scale(0.0125, 0.0125, 0.0, 0.0)
.constf rest(-1.4, -1.4, -0.5, 1.0)
.constf unit(0.00392, 0.00392, 0.00392, 0.00392)
.out outpos position
.out outclr color
.out outtc0 texcoord0
.in inpos v0
.in inclr v1
.entry main
.proc main
	mul r0, scale, inpos
	add outpos, rest, r0
	mul r0, unit, inclr
	mov outclr, r0
	mov outtc0, r0
	end
.end
";

/// An address in shared memory.
fn address(random: &mut Random) -> u32 {
    SHARED + 0x1000 * random.below(SHARED_BYTES / 0x1000)
}

/// A list that begins with everything that a draw needs.
fn set_up() -> ListBuilder {
    let shbin = assemble(&[SourceFile::new("bytes", PROGRAM)], Options::default()).expect("it assembles");
    let mut list = ListBuilder::new();
    list.program(Bank::Vertex, &shbin.program).executable(Bank::Vertex, &shbin.executables[0], 2);
    list.output_map(&shbin.executables[0]);
    let [x, y] = [64.0, 32.0].map(encode_f24);
    list.burst(0x041, &[x, 0, y, 0]).write(0x068, 0).burst(0x04d, &[encode_f24(-1.0), 0]);
    list.write(0x06d, 1).write(0x102, 3);
    // Vertex colour plus texture.
    let stages = [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8].into_iter().enumerate();
    for (n, stage) in stages {
        let add = [0x0030_0030, 0, 0x0002_0002];
        list.burst(stage, if n == 0 { &add } else { &[0x0fff_0fff, 0, 0] }).burst(stage + 3, &[0, 0]);
    }
    // Six bytes each: two of attribute 0, four of attribute 1.
    list.burst(0x200, &[0, 0xd5, 0x1000_0000, 0, 0x10, 0x2006_0000]);
    target(&mut list, SHARED);
    list
}

/// 128x64 pixels, depth 32 KiB after colour.
fn target(list: &mut ListBuilder, colour: u32) {
    list.burst(0x11c, &[(colour + 0x8000) >> 3, colour >> 3, 1 << 24 | 63 << 12 | 128]);
}

/// Changes what matters for overlapping.
fn change(list: &mut ListBuilder, random: &mut Random) {
    if random.one_in(10) {
        target(list, address(random));
    }
    if random.one_in(6) {
        list.write(0x116, random.below(4)).write(0x117, random.below(5) << 16);
    }
    if random.one_in(4) {
        list.burst(0x112, &[15 * random.below(2), 15]);
        list.burst(0x114, &[3 * random.below(2), 3 * random.below(2)]);
        list.write(0x107, random.below(2) | random.below(8) << 4 | 0x1f00);
    }
    if random.one_in(4) {
        let address = if random.one_in(3) { address(random) } else { SHARED + SHARED_BYTES - 0x1000 };
        list.burst(0x082, &[0x0010_0010, 0x2200, 0]).write(0x085, address >> 3).write(0x08e, 0);
        list.write(0x080, random.below(2));
    }
    if random.one_in(3) {
        list.write(0x101, [0x0101_0000, 0x0602_0000, 0x7676_0000][random.below(3) as usize]);
        list.write(0x100, 0x00e4_0100).write(0x065, [0, 1, 3][random.below(3) as usize]);
        list.burst(0x066, &[random.below(64) | random.below(32) << 16, 100 | 50 << 16]);
    }
    if random.one_in(3) {
        let address = if random.one_in(4) { address(random) } else { SHARED + SHARED_BYTES - 0x2000 };
        list.write(0x200, address >> 3);
    }
}

fn draw(list: &mut ListBuilder, random: &mut Random) {
    let count = 3 * [1, 4, 30][random.below(3) as usize];
    if random.one_in(3) {
        list.draw_elements(random.below(3), 0x800 + 2 * random.below(64), count);
    } else {
        list.draw_arrays(random.below(3), random.below(64), count);
    }
}

fn sequence(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut list = set_up();
    for _ in 0..40 {
        change(&mut list, &mut random);
        draw(&mut list, &mut random);
    }
    list.finish()
}

/// Shared memory at the beginning: noise, but small indices where they are read.
fn noise(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    (0..SHARED_BYTES)
        .map(|i| if i % 0x1000 >= 0x800 && i % 2 == 1 { 0 } else { random.word() as u8 })
        .collect()
}

/// Memory, snapshot and counters after a list.
fn outcome(seed: u64, tiling: Tiling) -> (Vec<u8>, Vec<u32>, Stats) {
    let memory = BlockMemory::zeroed(&[(SHARED, SHARED_BYTES), (LIST, LIST_BYTES)]);
    let list = sequence(seed);
    write_bytes(&memory, SHARED, &noise(seed));
    write_bytes(&memory, LIST, &list);
    let mut pica = Pica::new(Precision::Console);
    pica.set_tiling(tiling);
    let list = CommandList { address: LIST, size_bytes: list.len() as u32 };
    pica.run(&mut Interpreter::new(), &memory, list).expect("it ends");
    let bytes = memory.region(SHARED, SHARED_BYTES).expect("mapped").to_vec();
    (bytes, pica.save().words().to_vec(), *pica.stats())
}

#[test]
fn threads_change_nothing() {
    let sequences = std::env::var("PICAFLOR_LISTS").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    let mut fragments = 0;
    for seed in 0..sequences {
        let one = outcome(seed, Tiling::new(1));
        assert_eq!(one.2.draws, 40);
        fragments += one.2.fragments;
        for (threads, tile, least_work) in
            [(2, [64; 2], 0), (5, [128, 16], 0), (3, [8; 2], 1000), (2, [512, 32], 2000)]
        {
            let tiling = Tiling { threads, tile, least_work };
            let many = outcome(seed, tiling);
            assert_eq!(many.2, one.2, "counters of {seed} with {tiling:?}");
            let byte = one.0.iter().zip(&many.0).position(|(a, b)| a != b);
            assert_eq!(byte, None, "memory of {seed} with {tiling:?}");
            assert!(many.1 == one.1, "state of {seed} with {tiling:?}");
        }
    }
    assert!(fragments > 10_000 * sequences, "{fragments} fragments");
}
