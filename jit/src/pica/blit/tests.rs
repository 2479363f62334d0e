//! The vectors of pica-geometry.md section 12, measured on a console, and what they leave open.

use super::fill::bytes;
use super::{fill as fill_memory, transfer};
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{BlockMemory, Memory, read_bytes, read_word, write_bytes};
use picaflor_pipeline::pica::stage::blit::Fill;
use picaflor_pipeline::pica::texel::TransferFormat;
use picaflor_pipeline::pica::transfer::{FillWidth, TransferFlags, TransferRegisters, address};
use std::sync::Mutex;

fn fill(memory: &dyn Memory, start: u32, end: u32, value: u32, width: FillWidth) -> Result<(), Fault> {
    fill_memory(memory, &Fill { start, end, value, width })
}

const INPUT_AT: u32 = 0x1800_0000;
const OUTPUT_AT: u32 = 0x1810_0000;

fn vram() -> BlockMemory {
    BlockMemory::zeroed(&[(0x1800_0000, 0x60_0000)])
}

const fn pair(low: u32, high: u32) -> u32 {
    low | high << 16
}

/// A display transfer from `INPUT_AT` to `OUTPUT_AT`.
fn display(flags: u32, input: (u32, u32), output: (u32, u32)) -> TransferRegisters {
    TransferRegisters {
        input: INPUT_AT >> 3,
        output: OUTPUT_AT >> 3,
        output_size: pair(output.0, output.1),
        input_size: pair(input.0, input.1),
        flags,
        ..TransferRegisters::default()
    }
}

fn formats(input: TransferFormat, output: TransferFormat) -> u32 {
    TransferFlags(0).with_input_format(input).with_output_format(output).0
}

/// Transfers 128x128 pixels whose first words are `words`; `from` and `to` are bytes of a word.
fn words(flags: u32, input: &[(u32, u32)], at: &[u32], from: u32, to: usize) -> Vec<u32> {
    let memory = vram();
    for &(index, word) in input {
        write_bytes(&memory, INPUT_AT + index * from, &word.to_le_bytes()[..from as usize]);
    }
    assert_eq!(transfer(&memory, &display(flags, (128, 128), (128, 128))), Ok(()));
    let read = |&index: &u32| {
        let bytes: [u8; 4] = read_bytes(&memory, OUTPUT_AT + index * to as u32);
        bytes[..to].iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
    };
    at.iter().map(read).collect()
}

/// The first word that comes of each first word.
fn first<const N: usize>(input: TransferFormat, output: TransferFormat, values: [u32; N]) -> [u32; N] {
    let (from, to) = (input.colour().bytes(), output.colour().bytes() as usize);
    values.map(|value| words(formats(input, output), &[(0, value)], &[0], from, to)[0])
}

#[test]
fn conversions() {
    use TransferFormat as F;
    let out = first(F::Rgba8, F::Rgb8, [0xff00_0000, 0x00ff_0000, 0xff00, 0xff]);
    assert_eq!(out, [0xff_0000, 0x00_ff00, 0x00_00ff, 0]);
    assert_eq!(first(F::Rgba8, F::Rgb565, [0xff00_0000, 0xff_0000, 0xff00]), [0xf800, 0x07e0, 0x001f]);
    let out = first(F::Rgba8, F::Rgb5a1, [0xff00_0000, 0xff_0000, 0xff00, 0x64, 0x7f, 0x80, 0xfe, 0xff]);
    assert_eq!(out, [0xf800, 0x07c0, 0x003e, 0, 0, 1, 1, 1]);
    assert_eq!(first(F::Rgba8, F::Rgba4, [0xff, 0x64, 0x7f, 0x80, 0xfe]), [0xf, 6, 7, 8, 0xf]);
    assert_eq!(first(F::Rgb5a1, F::Rgb565, [0xf800, 0x07c0, 0x003e, 1]), [0xf800, 0x07e0, 0x001f, 0]);
    assert_eq!(first(F::Rgb5a1, F::Rgba4, [0xf800, 0x07c0, 0x003e, 1]), [0xf000, 0x0f00, 0x00f0, 0xf]);
    let out = first(F::Rgba4, F::Rgb5a1, [0xf000, 0x0f00, 0x00f0, 0xf, 8, 7]);
    assert_eq!(out, [0xf800, 0x07c0, 0x003e, 1, 1, 0]);
}

/// These pairs hang the console; a missing alpha counts as 1 in the tests that tried.
#[test]
fn conversions_that_hang_are_done() {
    use TransferFormat as F;
    assert_eq!(first(F::Rgb8, F::Rgb5a1, [0xff_0000]), [0xf801]);
    assert_eq!(first(F::Rgb8, F::Rgba4, [0x00_ff00]), [0x0f0f]);
    assert_eq!(first(F::Rgb565, F::Rgba8, [0x001f]), [0x0000_ffff]);
}

#[test]
fn half_width() {
    let half = |input: &[(u32, u32)], at: &[u32]| words(1 << 24, input, at, 4, 4);
    assert_eq!(half(&[(0, 0xffff_0000)], &[0]), [0x7f7f_0000]);
    assert_eq!(half(&[(0, 0xffff_0000), (1, 0xff00_0000)], &[0]), [0xff7f_0000]);
    let three = [(0, 0xffff_0000), (1, 0x00ff_0000), (2, 0xff00_0000)];
    assert_eq!(half(&three, &[0, 64]), [0x7fff_0000, 0x7f00_0000]);
}

#[test]
fn quarter() {
    let out = words(2 << 24, &[(0, 0xffff_0000), (1, 0xff00_00ff)], &[0, 1], 4, 4);
    assert_eq!(out, [0x7f3f_003f, 0]);
    // Two of four, and the pixel below the first pair of blocks: row 4 of the output.
    let out = words(2 << 24, &[(0, 0xff), (3, 0xff), (128 * 8, 0xff)], &[0, 4 * 64], 4, 4);
    assert_eq!(out, [0x7f, 0x3f]);
}

#[test]
fn tiling() {
    let marked = [(1, 0x1111_1111), (2, 0x2222_2222), (13, 0x3333_3333)];
    let values = marked.map(|(_, word)| word);
    let linear = [1, 128, 2 * 128 + 3];
    assert_eq!(words(0, &marked, &linear, 4, 4), values, "untiled");
    assert_eq!(words(1 << 16, &marked, &linear, 4, 4), values, "blocks of 32");
    for flags in [1 << 5, 1 << 5 | 1 << 1, 1 << 5 | 1 << 16] {
        assert_eq!(words(flags, &marked, &[1, 2, 13], 4, 4), values, "kept tiled, {flags:#x}");
    }
    let marked = std::array::from_fn::<_, 3, _>(|i| (linear[i], values[i]));
    assert_eq!(words(1 << 1, &marked, &[1, 2, 13], 4, 4), values, "tiled");
    assert_eq!(words(1 << 1 | 1 << 16, &marked, &[1, 2, 13], 4, 4), values, "tiled in blocks of 32");
}

/// Every byte moves, and moves back.
#[test]
fn untiling_undoes_tiling() {
    for block32 in [0, 1 << 16] {
        let memory = vram();
        let bytes: Vec<u8> =
            (0..128 * 64 * 4_u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        write_bytes(&memory, INPUT_AT, &bytes);
        let there = display(block32 | 1 << 1, (128, 64), (128, 64));
        let back =
            TransferRegisters { input: there.output, output: 0x1820_0000 >> 3, flags: block32, ..there };
        assert_eq!((transfer(&memory, &there), transfer(&memory, &back)), (Ok(()), Ok(())));
        let slice = |at| memory.region(at, bytes.len() as u32).map(GuestSlice::to_vec);
        assert!(slice(0x1820_0000).as_ref() == Some(&bytes) && slice(OUTPUT_AT) != Some(bytes));
    }
}

#[test]
fn pitch_is_that_of_the_output_unless_cropped() {
    let memory = vram();
    write_bytes(&memory, INPUT_AT + (240 * 400 - 1) * 4, &0x00ff_0000_u32.to_le_bytes());
    assert_eq!(transfer(&memory, &display(1 << 12, (512, 400), (240, 400))), Ok(()));
    assert_eq!(read_bytes(&memory, OUTPUT_AT + (240 * 400 - 1) * 3), [0, 0xff, 0]);
    // With the crop flag row 8 of the input begins 8 * 512 pixels in.
    write_bytes(&memory, INPUT_AT + 8 * 512 * 4, &0xff00_0000_u32.to_le_bytes());
    assert_eq!(transfer(&memory, &display(1 << 12 | 4, (512, 400), (240, 400))), Ok(()));
    assert_eq!(read_bytes(&memory, OUTPUT_AT + 8 * 240 * 3), [0, 0, 0xff]);
    assert_eq!(read_bytes(&memory, OUTPUT_AT + (240 * 400 - 1) * 3), [0, 0, 0]);
}

#[test]
fn flip() {
    let memory = vram();
    write_bytes(&memory, INPUT_AT, &7_u32.to_le_bytes());
    assert_eq!(transfer(&memory, &display(1, (16, 24), (16, 24))), Ok(()));
    assert_eq!((read_word(&memory, OUTPUT_AT), read_word(&memory, OUTPUT_AT + 23 * 16 * 4)), (0, 7));
}

#[test]
fn flip_and_crop_skew() {
    let memory = vram();
    write_bytes(&memory, INPUT_AT, &7_u32.to_le_bytes());
    assert_eq!(transfer(&memory, &display(5, (32, 24), (16, 24))), Ok(()));
    assert_eq!(
        read_word(&memory, OUTPUT_AT + 23 * 32 * 4),
        7,
        "the first row is where the input's pitch says"
    );
    let written = (OUTPUT_AT..OUTPUT_AT + 0x1000).filter(|&a| memory.byte(a) != 0).count();
    assert_eq!(written, 1);
}

#[test]
fn what_has_no_effect() {
    let memory = vram();
    write_bytes(&memory, INPUT_AT, &[255; 0x1000]);
    for size in [(0, 64), (64, 0), (7, 64), (64, 7)] {
        assert_eq!(transfer(&memory, &display(0, (64, 64), size)), Ok(()));
    }
    let invalid = display(3 << 24, (64, 64), (64, 64));
    assert_eq!(transfer(&memory, &invalid), Err(Fault::BadTransfer { flags: 3 << 24 }));
    let unmapped = TransferRegisters { input: 0x185f_fff0 >> 3, ..display(0, (64, 64), (64, 64)) };
    let fault = Fault::Unmapped { id: 0x8c00, address: 0x1860_0000 };
    assert_eq!(transfer(&memory, &unmapped), Err(fault));
    let unmapped = TransferRegisters { output: 0, ..display(0, (64, 64), (64, 64)) };
    assert_eq!(transfer(&memory, &unmapped), Err(Fault::Unmapped { id: 0x8c04, address: 0 }));
    assert!((OUTPUT_AT..OUTPUT_AT + 0x4000).all(|a| memory.byte(a) == 0));
}

/// A texture copy of `size` bytes, shapes as (width, gap) in units of 16 bytes.
fn copy(size: u32, input: (u32, u32), output: (u32, u32)) -> TransferRegisters {
    TransferRegisters {
        copy_size: size,
        copy_input: pair(input.0, input.1),
        copy_output: pair(output.0, output.1),
        ..display(1 << 3, (0, 0), (0, 0))
    }
}

/// Number of the unit of 16 bytes that arrived in each unit of the output, counted from 1; 0 for none.
fn copied(registers: &TransferRegisters, units: u32) -> Vec<u8> {
    let memory = vram();
    for unit in 0..32 {
        write_bytes(&memory, INPUT_AT + unit * 16, &[unit as u8 + 1; 16]);
    }
    assert_eq!(transfer(&memory, registers), Ok(()));
    let unit = |unit| {
        let bytes: [u8; 16] = read_bytes(&memory, OUTPUT_AT + unit * 16);
        assert!(bytes.iter().all(|&byte| byte == bytes[0]));
        bytes[0]
    };
    (0..units).map(unit).collect()
}

#[test]
fn contiguous_copies() {
    assert_eq!(copied(&copy(48, (0, 0), (0, 0)), 4), [1, 2, 3, 0]);
    assert_eq!(copied(&copy(47, (5, 0), (0, 0)), 4), [1, 2, 0, 0], "rounded down");
    let flags = 1 << 3 | 1 << 1 | 0x3310 | 2 << 24;
    let other = TransferRegisters { flags, ..copy(48, (0, 0), (0, 0)) };
    assert_eq!(copied(&other, 4), [1, 2, 3, 0], "flags and formats do not matter");
}

#[test]
fn copies_with_gaps() {
    assert_eq!(copied(&copy(64, (2, 1), (0, 0)), 5), [1, 2, 4, 5, 0]);
    assert_eq!(copied(&copy(64, (0, 0), (1, 2)), 11), [1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0]);
    assert_eq!(copied(&copy(96, (2, 1), (3, 1)), 8), [1, 2, 4, 0, 5, 7, 8, 0]);
}

#[test]
fn copies_that_freeze() {
    let memory = vram();
    write_bytes(&memory, INPUT_AT, &[1; 64]);
    for bad in [
        copy(0, (0, 0), (0, 0)),
        copy(15, (1, 1), (1, 1)),
        copy(64, (0, 1), (0, 0)),
        copy(64, (0, 0), (0, 1)),
    ] {
        assert_eq!(transfer(&memory, &bad), Err(Fault::BadTransfer { flags: 8 }));
    }
    assert_eq!(read_word(&memory, OUTPUT_AT), 0);
}

/// Units are copied one after the other, so a copy that begins one unit further repeats it.
#[test]
fn overlapping_copies_run_forward() {
    let memory = vram();
    write_bytes(&memory, INPUT_AT, &std::array::from_fn::<u8, 16, _>(|i| i as u8));
    let overlapping = TransferRegisters { output: (INPUT_AT + 16) >> 3, ..copy(64, (0, 0), (0, 0)) };
    assert_eq!(transfer(&memory, &overlapping), Ok(()));
    assert!((0..80).all(|i| memory.byte(INPUT_AT + i) == i as u8 & 15));
}

#[test]
fn copies_end_where_memory_does() {
    let memory = vram();
    write_bytes(&memory, 0x185f_ffe0, &[9; 32]);
    let source_ends = TransferRegisters { input: 0x185f_ffe0 >> 3, ..copy(u32::MAX, (0, 0), (0, 0)) };
    let fault = Fault::Unmapped { id: 0x8c00, address: 0x1860_0000 };
    assert_eq!(transfer(&memory, &source_ends), Err(fault));
    assert_eq!((memory.byte(OUTPUT_AT + 31), memory.byte(OUTPUT_AT + 32)), (9, 0));
    let output_ends = TransferRegisters { output: 0x185f_fff0 >> 3, ..copy(u32::MAX, (1, 1), (0, 0)) };
    let fault = Fault::Unmapped { id: 0x8c04, address: 0x1860_0000 };
    assert_eq!(transfer(&memory, &output_ends), Err(fault));
}

fn filled(value: u32, width: FillWidth, start: u32, end: u32) -> Vec<u8> {
    let memory = vram();
    assert_eq!(fill(&memory, INPUT_AT + start, INPUT_AT + end, value, width), Ok(()));
    (0..64).map(|at| memory.byte(INPUT_AT + at)).collect()
}

#[test]
fn fills() {
    let repeated = |unit: &[u8]| unit.iter().copied().cycle().take(48).chain([0; 16]).collect::<Vec<_>>();
    assert_eq!(filled(0x00ff_ff00, FillWidth::Bits24, 0, 48), repeated(&[0, 255, 255]));
    assert_eq!(filled(0x0000_ffff, FillWidth::Bits32, 0, 48), repeated(&[255, 255, 0, 0]));
    assert_eq!(filled(0x11de_adbf, FillWidth::Bits24, 0, 48), repeated(&[0xbf, 0xad, 0xde]));
    assert_eq!(filled(0xdead_bf12, FillWidth::Bits16, 0, 48), repeated(&[0x12, 0xbf]));
}

#[test]
fn fills_end_exactly() {
    let bytes = filled(0x33_2211, FillWidth::Bits24, 16, 32);
    assert_eq!(
        bytes[15..33],
        [
            0, 0x11, 0x22, 0x33, 0x11, 0x22, 0x33, 0x11, 0x22, 0x33, 0x11, 0x22, 0x33, 0x11, 0x22, 0x33,
            0x11, 0
        ]
    );
    for (start, end) in [(16, 16), (32, 16)] {
        assert_eq!(filled(u32::MAX, FillWidth::Bits32, start, end), [0; 64]);
    }
}

#[test]
fn fill_widths_by_code() {
    use picaflor_pipeline::bits::Field;
    let widths = [0, 1, 2, 3].map(|code| bytes(FillWidth::from_bits(code)));
    assert_eq!(widths, [2, 3, 4, 3]);
}

/// A fill goes on where the host's memory is not contiguous, in step, and ends where nothing is mapped.
#[test]
fn fills_across_blocks_of_the_host() {
    let memory = BlockMemory::zeroed(&[(0x1000, 16), (0x1010, 16), (0x1030, 16)]);
    let fault = Fault::Unmapped { id: 0x8010, address: 0x1020 };
    assert_eq!(fill(&memory, 0x1000, 0xffff_fff0, 0x33_2211, FillWidth::Bits24), Err(fault));
    assert_eq!(read_bytes(&memory, 0x100f), [0x11, 0x22, 0x33, 0x11]);
    assert_eq!((memory.byte(0x101f), memory.byte(0x1030)), (0x22, 0));
    assert_eq!(fill(&memory, 0, 16, 1, FillWidth::Bits32), Ok(()), "a start of 0 skips the unit");
    let first = Fault::Unmapped { id: 0x8010, address: 0x10 };
    assert_eq!(fill(&memory, 0x10, 0x20, 1, FillWidth::Bits32), Err(first));
}

/// Memory that remembers what it is told.
struct Told(BlockMemory, Mutex<Vec<(u32, u32)>>);

impl Memory for Told {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.0.region(address, length)
    }

    fn written(&self, address: u32, length: u32) {
        self.1.lock().unwrap().push((address, length));
    }
}

#[test]
fn writes_are_told() {
    let told = |run: &dyn Fn(&Told)| {
        let memory = Told(vram(), Mutex::default());
        run(&memory);
        memory.1.into_inner().unwrap()
    };
    let done = |registers| move |memory: &Told| assert_eq!(transfer(memory, &registers), Ok(()));
    assert_eq!(told(&done(display(0, (16, 8), (16, 8)))), [(OUTPUT_AT, 512)]);
    assert_eq!(told(&done(display(0, (0, 0), (0, 0)))), []);
    assert_eq!(told(&done(copy(64, (0, 0), (2, 2)))), [(OUTPUT_AT, 96)]);
    let filling = |memory: &Told| {
        assert!(fill(memory, 0x185f_fff0, 0x1861_0000, 1, FillWidth::Bits16).is_err());
    };
    assert_eq!(told(&filling), [(0x185f_fff0, 16)]);
}

/// A gap behind the last line is not written, also where it passes the end of the address space.
#[test]
fn gaps_behind_the_last_line_are_not_told() {
    let memory = Told(BlockMemory::zeroed(&[(0xffff_f000, 0x1000)]), Mutex::default());
    let (input, output) = (0xffff_f000 >> 3, 0xffff_ffe0 >> 3);
    assert_eq!(transfer(&memory, &TransferRegisters { input, output, ..copy(32, (0, 0), (2, 4)) }), Ok(()));
    assert_eq!(memory.1.into_inner().unwrap(), [(0xffff_ffe0, 32)]);
}

#[test]
fn addresses_drop_bits_that_are_not_implemented() {
    assert_eq!(address(0x0300_0003), 0x1800_0010);
    assert_eq!(address(u32::MAX), 0xffff_fff0);
}

/// Whatever the registers say, the engine ends, and memory around what it may write stays.
#[test]
fn any_registers() {
    let memory = BlockMemory::zeroed(&[(0, 0x100), (0x1800_0000, 0x4000), (0xffff_ff00, 0x100)]);
    let mut state = 1_u64;
    let mut random = move || picaflor_pipeline::random::word(&mut state);
    let mut outcomes = [0; 2];
    for round in 0..20_000 {
        let small = round % 2 == 0;
        let limit = |word: u32| if small { word & 0x0038_0038 } else { word };
        let near = |word: u32| if small { 0x1800_0000 >> 3 | word & 0x7ff } else { word };
        let registers = TransferRegisters {
            input: near(random()),
            output: near(random()),
            output_size: limit(random()),
            input_size: limit(random()),
            flags: random() & if round % 4 < 2 { !8 } else { u32::MAX },
            copy_size: random(),
            copy_input: random(),
            copy_output: random(),
        };
        outcomes[usize::from(transfer(&memory, &registers).is_ok())] += 1;
        let [start, end] = [random(), random()].map(|word| address(near(word)));
        let _ = fill(&memory, start, end, random(), FillWidth::ALL[round % 3]);
    }
    assert!(outcomes.iter().all(|&count| count > 100), "{outcomes:?}");
}

/// Gaps between cropped rows need no memory; pixels do.
#[test]
fn gaps_between_rows_need_no_memory() {
    let row = |n: u32| INPUT_AT + n * 64 * 4;
    let blocks: Vec<_> = (0..8).map(|n| (row(n), 8 * 4)).chain([(OUTPUT_AT, 0x1000)]).collect();
    let tiles = display(1 << 1 | 1 << 2, (64, 8), (8, 8));
    assert_eq!(transfer(&BlockMemory::zeroed(&blocks), &tiles), Ok(()));
    let fault = Fault::Unmapped { id: 0x8c00, address: row(3) };
    let without: Vec<_> = blocks.iter().copied().filter(|&(at, _)| at != row(3)).collect();
    assert_eq!(transfer(&BlockMemory::zeroed(&without), &tiles), Err(fault));
}

/// An output inside its input: each pixel is written before the next is read.
#[test]
fn an_output_in_its_input() {
    let memory = vram();
    write_bytes(&memory, INPUT_AT, &[1, 1, 1, 1, 2, 2, 2, 2]);
    // Tiled pixel 1 is linear pixel 1; the output begins at pixel 4 of the input, and pixel 4 is read fifth.
    let inside = TransferRegisters { output: (INPUT_AT + 16) >> 3, ..display(0, (8, 8), (8, 8)) };
    assert_eq!(transfer(&memory, &inside), Ok(()));
    // Linear pixel 2 is tiled pixel 4, which is the first pixel of the output by then.
    assert_eq!(read_word(&memory, INPUT_AT + 16 + 8), 0x0101_0101);
}

/// Every pair of formats and every layout, in sizes that are whole blocks after the reduction and that are not: the
/// bytes and the notices are those of the interpreter.
#[test]
fn every_setting_as_the_interpreter() {
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::stage::blit::BlitStage;
    let random: Vec<u8> = (0..0x1_0000_u32).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 23) as u8).collect();
    let pairs = TransferFormat::ALL.iter().flat_map(|&a| TransferFormat::ALL.iter().map(move |&b| (a, b)));
    let layouts = [0, 1, 2, 3, 1 << 5, 1 << 5 | 1, 1 << 16, 1 << 16 | 2, 1 << 16 | 1 << 5, 4, 5, 6, 7];
    let sizes = [((72, 32), (72, 32)), ((48, 16), (32, 16)), ((64, 64), (64, 64)), ((40, 24), (40, 24))];
    for ((from, to), layout) in pairs.flat_map(|pair| layouts.map(|layout| (pair, layout))) {
        for (scale, (input, output)) in (0..3).flat_map(|scale| sizes.map(|size| (scale, size))) {
            let registers = display(formats(from, to) | layout | scale << 24, input, output);
            let [ours, theirs] = [0; 2].map(|_| {
                let memory = BlockMemory::zeroed(&[(INPUT_AT, 0x1_0000), (OUTPUT_AT, 0x1_0000)]);
                write_bytes(&memory, INPUT_AT, &random);
                Told(memory, Mutex::default())
            });
            assert_eq!(transfer(&ours, &registers), Ok(()));
            assert_eq!(Interpreter::new().transfer(&theirs, &registers), Ok(()));
            let output = |memory: &Told| memory.0.blocks()[1].as_slice().to_vec();
            assert!(output(&ours) == output(&theirs), "{from:?} to {to:?}, {layout:#x}, {scale}, {input:?}");
        }
    }
}

/// Every pixel of 16 bits, to every format, in both directions, and as a picture.
#[test]
fn every_pixel_of_16_bits_as_the_interpreter() {
    use super::scan_out;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::display::ScanOut;
    use picaflor_pipeline::pica::stage::blit::BlitStage;
    // An odd factor: all of them, in another order.
    let pixels: Vec<u8> = (0..=u16::MAX).flat_map(|n| n.wrapping_mul(0x9e37).to_le_bytes()).collect();
    let made = || {
        let memory = BlockMemory::zeroed(&[(INPUT_AT, 0x2_0000), (OUTPUT_AT, 0x4_0000)]);
        write_bytes(&memory, INPUT_AT, &pixels);
        memory
    };
    for from in [TransferFormat::Rgb565, TransferFormat::Rgb5a1, TransferFormat::Rgba4] {
        for (to, tile) in TransferFormat::ALL.iter().flat_map(|&to| [(to, 0), (to, 2)]) {
            let registers = display(formats(from, to) | tile, (256, 256), (256, 256));
            let [ours, theirs] = [made(), made()];
            assert_eq!(transfer(&ours, &registers), Ok(()));
            assert_eq!(Interpreter::new().transfer(&theirs, &registers), Ok(()));
            let output = |memory: &BlockMemory| memory.blocks()[1].as_slice().to_vec();
            assert!(output(&ours) == output(&theirs), "{from:?} to {to:?}, {tile}");
        }
        let source = ScanOut {
            address: INPUT_AT,
            format: from,
            stride_bytes: 512,
            width: 256,
            height: 256,
            solid: None,
            gamma: None,
        };
        assert!(scan_out(&made(), &source) == Interpreter::new().scan_out(&made(), &source), "{from:?}");
    }
}

/// Lines that end in the middle of those of the other side, and where memory of the host does: bytes, notices and faults
/// are those of the interpreter.
#[test]
fn copies_as_the_interpreter() {
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::stage::blit::BlitStage;
    let bytes: Vec<u8> = (0..0x2000_u32).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 23) as u8).collect();
    let made = || {
        let parts = [
            (INPUT_AT, 0x1000),
            (INPUT_AT + 0x1000, 0x1000),
            (OUTPUT_AT, 0x800),
            (OUTPUT_AT + 0x800, 0x1000),
        ];
        let memory = BlockMemory::zeroed(&parts);
        write_bytes(&memory, INPUT_AT, &bytes);
        Told(memory, Mutex::default())
    };
    let mut state = 3;
    let mut random = |most: u32| picaflor_pipeline::random::word(&mut state) % most;
    let mut outcomes = [0; 2];
    for _ in 0..500 {
        let mut shape = || (random(20), random(6));
        let (input, output) = (shape(), shape());
        let registers = copy(16 * random(0x180), input, output);
        // Also a copy onto itself.
        let to = if random(8) == 0 { INPUT_AT + 16 * random(8) } else { OUTPUT_AT };
        let registers = TransferRegisters { output: to >> 3, ..registers };
        let [ours, theirs] = [made(), made()];
        let done = transfer(&ours, &registers);
        assert_eq!(Interpreter::new().transfer(&theirs, &registers), done, "{registers:x?}");
        outcomes[usize::from(done.is_ok())] += 1;
        assert_eq!(*ours.1.lock().unwrap(), *theirs.1.lock().unwrap(), "{registers:x?}");
        let all = |memory: &Told| {
            memory.0.blocks().iter().flat_map(|block| block.as_slice().to_vec()).collect::<Vec<_>>()
        };
        assert!(all(&ours) == all(&theirs), "{registers:x?}");
    }
    assert!(outcomes.iter().all(|&count| count > 50), "{outcomes:?}");
}

/// Offsets beyond the address space: the byte that is named is the first one before they wrap.
#[test]
fn first_unmapped_byte_of_huge_sizes() {
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::stage::blit::BlitStage;
    let memory = BlockMemory::zeroed(&[(0x1800_0130, 0x4060)]);
    for (flags, size, width) in
        [(0x0101_0204, 0xfff8_0040, 0xfff8), (0x0101_0004, 0xfff8_0020, 0xfff8), (4, 0xfff8_0040, 0xfff8)]
    {
        let registers = TransferRegisters {
            input: 0x0300_02c0,
            output: 0,
            output_size: size,
            input_size: width,
            flags,
            ..TransferRegisters::default()
        };
        let expected = Interpreter::new().transfer(&memory, &registers);
        assert!(expected.is_err());
        assert_eq!(transfer(&memory, &registers), expected, "{flags:#x}");
    }
}

/// A run that ends leaves the rest of a fill and of a copy undone.
#[test]
fn runs_that_end() {
    use crate::pauses::PAUSE;
    use crate::pauses::tests::Ending;
    use picaflor_pipeline::memory::FlatMemory;
    use picaflor_pipeline::pica::stage::blit::Fill;
    use picaflor_pipeline::pica::transfer::{FillWidth, TransferRegisters};
    const START: u32 = 0x1800_0000;
    const SIZE: u32 = 4 << 20;
    let written =
        |memory: &Ending<FlatMemory>| memory.0.as_slice().to_vec().iter().filter(|&&byte| byte == 5).count();
    let memory = Ending::after(2, FlatMemory::new(START, vec![0; SIZE as usize]));
    let fill = Fill { start: START, end: START + SIZE, value: 0x0505_0505, width: FillWidth::Bits32 };
    assert_eq!(super::fill(&memory, &fill), Ok(()));
    assert_eq!(written(&memory), 2 * PAUSE);
    // The first half, with fives, to the second one.
    let half = SIZE as usize / 2;
    let memory = Ending::after(2, FlatMemory::new(START, [vec![5; half], vec![0; half]].concat()));
    let registers = TransferRegisters {
        copy_input: 16 << 16 | 256,
        copy_output: 16 << 16 | 256,
        copy_size: SIZE / 2 - (SIZE >> 6),
        input: START >> 3,
        output: (START + SIZE / 2) >> 3,
        flags: 1 << 3,
        ..TransferRegisters::default()
    };
    assert_eq!(super::transfer(&memory, &registers), Ok(()));
    let copied = written(&memory) - half;
    assert!((2 * PAUSE..4 * PAUSE).contains(&copied), "{copied}");
}
