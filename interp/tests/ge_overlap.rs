//! Random sequences of draws and transfers whose targets, textures, vertices, indices and colour tables lie in the
//! same memory: threads change nothing. `PICAFLOR_LISTS` says how many.

use crate::support::Random;
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::list_builder::ListBuilder;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::ge::{Ge, Stop};
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::tile::Tiling;

const RAM: u32 = 0x0880_0000;
const RAM_BYTES: u32 = 0x1_0000;
const LIST: u32 = 0x0890_0000;
/// What of VRAM is used.
const SHARED_BYTES: u32 = 0x3_0000;
/// Where in it nobody draws but by accident.
const APART: u32 = 0x2_c000;
/// Texture coordinates and positions of 16 bits, colours of 8888, through mode: 16 bytes.
const VERTEX_TYPE: u32 = 1 << 23 | 2 << 7 | 7 << 2 | 2;

/// An address in shared memory, through any mirror.
fn address(random: &mut Random) -> u32 {
    let mirror = random.of([0, 0, 0, 0x40_0000, 0x20_0000, 0x60_0000]);
    VRAM + mirror + 0x1000 * random.below(SHARED_BYTES / 0x1000)
}

fn set_up(random: &mut Random) -> ListBuilder {
    let mut list = ListBuilder::new();
    list.write(op::FBW, 128).write(op::ZBW, 128).write(op::ZBP, 0x8000).write(op::PSM, 3);
    list.write(op::REGION2, 0xf_ffff).write(op::SCISSOR2, 63 << 10 | 127).write(op::FARZ, 0xffff);
    list.write(op::TSIZE0, 0x0404).write(op::CMODE, 0xff03).write(op::SHADE, 1).write(op::VTYPE, VERTEX_TYPE);
    list.wide_pointer(op::TBP0, op::TBW0, RAM, 16).vertices(RAM);
    list.write(op::DTH0, random.word()).write(op::ALPHA, 0x32).write(op::TFUNC, 0x100);
    list
}

/// Changes what matters for overlapping.
fn change(list: &mut ListBuilder, random: &mut Random) {
    if random.one_in(8) {
        list.write(op::FBP, 0x1000 * random.below(0x20)).write(op::FBW, random.of([128, 128, 64, 256]));
    }
    if random.one_in(8) {
        list.write(op::ZBP, 0x1000 * random.below(0x20)).write(op::ZBW, random.of([128, 128, 64]));
    }
    if random.one_in(8) {
        list.write(op::PSM, random.below(4)).write(op::SCISSOR1, random.of([0, 0, 9 << 10 | 5]));
        list.write(op::SCISSOR2, random.of([63 << 10 | 127, 63 << 10 | 63, 40 << 10 | 199]));
    }
    if random.one_in(3) {
        list.write(op::ZTE, random.below(2)).write(op::ZTST, random.below(8)).write(op::ABE, random.below(2));
        list.write(op::CLEAR, random.of([0, 0, 0, 0x101, 0x701])).write(op::STE, random.below(2));
        list.write(op::SOP, random.word()).write(op::STST, 0xff_0001).write(op::DTE, random.below(2));
    }
    if random.one_in(3) {
        let address = if random.one_in(2) { address(random) } else { RAM + 0x1000 * random.below(8) };
        list.wide_pointer(op::TBP0, op::TBW0, address, 16).write(op::TPSM, random.below(11));
        list.write(op::TME, random.below(2))
            .write(op::TMODE, random.below(2))
            .write(op::TFLT, random.of([0, 0x101]));
    }
    if random.one_in(3) {
        let near = random.of([RAM, RAM, VRAM + APART]);
        list.vertices(if random.one_in(5) { address(random) } else { near });
    }
    if random.one_in(8) {
        list.wide_pointer(op::CBP, op::CBPH, address(random), 0).write(op::CLOAD, random.below(33));
    }
}

fn transfer(list: &mut ListBuilder, random: &mut Random) {
    let [from, to] =
        [(); 2].map(|()| if random.one_in(3) { RAM + 0x1000 * random.below(8) } else { address(random) });
    list.wide_pointer(op::TRXSBP, op::TRXSBW, from, 64).wide_pointer(op::TRXDBP, op::TRXDBW, to, 64);
    list.write(op::TRXSIZE, random.below(16) << 10 | random.below(64)).write(op::TRXKICK, random.below(2));
}

fn draw(list: &mut ListBuilder, random: &mut Random) {
    let count = random.of([2, 6, 24]);
    if random.one_in(4) {
        list.write(op::VTYPE, VERTEX_TYPE | 1 << 11);
        list.indices(if random.one_in(4) { address(random) } else { RAM + 0x9000 });
    } else {
        list.write(op::VTYPE, VERTEX_TYPE);
    }
    list.prim(random.below(7), count);
}

fn sequence(random: &mut Random) -> Vec<u8> {
    let mut list = set_up(random);
    for _ in 0..80 {
        change(&mut list, random);
        if random.one_in(15) {
            transfer(&mut list, random);
        }
        draw(&mut list, random);
    }
    list.finish(0)
}

/// Vertices on the screen, of textures of sixteen texels.
fn vertices(random: &mut Random) -> Vec<u8> {
    let one = |random: &mut Random| {
        let [colour, z] = [random.word(), random.word()];
        let at = |value: u32| value as u16;
        let texture = [at(random.below(20)), at(random.below(20))];
        let place = [at(random.below(140)), at(random.below(70)), z as u16, 0];
        let halves = [texture[0], texture[1], colour as u16, (colour >> 16) as u16];
        halves.into_iter().chain(place).flat_map(u16::to_le_bytes).collect::<Vec<_>>()
    };
    (0..512).flat_map(|_| one(random)).collect()
}

/// Memory, snapshot and counters after a list.
fn outcome(seed: u64, tiling: Tiling) -> (Vec<u8>, Vec<u8>, Vec<u32>, Stats) {
    let mut random = Random(seed);
    let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (RAM, RAM_BYTES), (LIST, RAM_BYTES)]);
    let noise: Vec<u8> = (0..SHARED_BYTES).map(|_| random.word() as u8).collect();
    write_bytes(&memory, VRAM, &noise);
    write_bytes(&memory, RAM, &noise[..RAM_BYTES as usize]);
    let vertices = vertices(&mut random);
    write_bytes(&memory, VRAM + APART, &vertices);
    write_bytes(&memory, RAM, &vertices);
    write_bytes(&memory, LIST, &sequence(&mut random));
    let mut ge = Ge::new();
    ge.set_address_maps(random.of([AddressMaps::Flat, AddressMaps::default(), AddressMaps::Off]));
    ge.set_tiling(tiling);
    let ended = ge.run(&mut Interpreter::new(), &memory, &mut DisplayList::new(LIST, 0));
    assert_eq!(ended, Ok(Stop::Finished { token: 0 }));
    let bytes = |at, length| memory.region(at, length).expect("mapped").to_vec();
    (bytes(VRAM, VRAM_BYTES), bytes(RAM, RAM_BYTES), ge.save().words().to_vec(), *ge.stats())
}

#[test]
fn threads_change_nothing() {
    let sequences = std::env::var("PICAFLOR_LISTS").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    let mut covered = 0;
    for seed in 0..sequences {
        let one = outcome(seed, Tiling::new(1));
        assert!(one.3.draws > 60, "{:?}", one.3);
        covered += one.3.covered;
        for (threads, tile, least_work) in
            [(2, [64; 2], 0), (5, [128, 16], 0), (3, [8; 2], 1000), (2, [512, 32], 2000)]
        {
            let tiling = Tiling { threads, tile, least_work };
            let many = outcome(seed, tiling);
            assert_eq!(many.3, one.3, "counters of {seed} with {tiling:?}");
            let differs = |a: &[u8], b: &[u8]| a.iter().zip(b).position(|(a, b)| a != b);
            assert_eq!(differs(&one.0, &many.0), None, "VRAM of {seed} with {tiling:?}");
            assert_eq!(differs(&one.1, &many.1), None, "RAM of {seed} with {tiling:?}");
            assert!(many.2 == one.2, "state of {seed} with {tiling:?}");
        }
    }
    assert!(covered > 20_000 * sequences, "{covered} pixels");
}
