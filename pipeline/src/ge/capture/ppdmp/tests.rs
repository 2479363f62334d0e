use super::write::{Writer, pack};
use super::*;
use crate::capture::Problem;
use crate::ge::capture::Event;

/// One record of each kind.
fn sample() -> Writer {
    let mut writer = Writer::default();
    writer
        .words(0, &[7; CONTEXT_WORDS])
        .words(1, &[0x1700_0001, 0x0403_0003])
        .record(2, &[1, 2, 3])
        .record(3, &[4, 5])
        .record(4, &[6; 64])
        .record(5, &[8; 9])
        .words(6, &[0x0400_0000, 0xffff_ff12, 0x100])
        .words(7, &[0x0410_0000])
        .record(8, &[9; 5])
        .words(10, &[0x0415_0000, 3])
        .words(11, &[0x800])
        .record(0x17, &[1; 4])
        .words(0x18, &[0x0408_8000, 512, 2, 0, 0xaabb_ccdd])
        .words(9, &[0x0400_0000, 512, 0x5503]);
    writer
}

fn problem(bytes: &[u8]) -> Problem {
    read(bytes).expect_err("damaged").problem
}

#[test]
fn every_kind_in_every_version() {
    for version in VERSIONS {
        let dump = read(&sample().file(version)).unwrap();
        assert_eq!((dump.version, dump.frames(), dump.records.len()), (version, 1, 14));
        assert_eq!(dump.game, if version >= 4 { "TEST01234" } else { "" });
        let [Record::Init(context), Record::Registers(words), Record::Vertices(vertices), ..] =
            dump.records[..]
        else {
            panic!("{:?}", dump.records)
        };
        assert!(dump.words(context).eq([7; CONTEXT_WORDS]));
        assert!(dump.words(words).eq([0x1700_0001, 0x0403_0003]));
        assert_eq!(dump.bytes(vertices), [1, 2, 3]);
        assert_eq!(dump.records[6], Record::Fill { address: 0x0400_0000, value: 0x12, size: 0x100 });
        assert_eq!(dump.records[9], Record::ClutAddress { address: 0x0415_0000, flags: VramFlags(3) });
        assert!(matches!(dump.records[11], Record::Texture { level: 7, .. }));
        let Record::FrameBuffer { level: 0, address: 0x0408_8000, stride: 512, flags, span } =
            dump.records[12]
        else {
            panic!("{:?}", dump.records[12])
        };
        assert_eq!(dump.bytes(span), [0xdd, 0xcc, 0xbb, 0xaa]);
        assert_eq!((dump.is_in_vram(flags), dump.is_in_vram(VramFlags(1))), (version == 6, true));
        let display = Display { address: 0x0400_0000, stride: 512, format: 3 };
        assert_eq!(dump.records[13], Record::Display(display));
    }
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    for version in [3, 6] {
        let file = sample().file(version);
        for length in 0..file.len() {
            let error = read(&file[..length]).expect_err("cut off");
            assert!(error.offset <= length as u64, "{length}: {error}");
        }
    }
}

#[test]
fn records_that_cannot_be() {
    let one =
        |kind, size, offset| problem(&Writer::default().data(&[0; 8]).entry(kind, size, offset).file(6));
    assert_eq!(one(1, 9, 0), Problem::BadRange { start: 0, bytes: 9 });
    assert_eq!(one(8, 2, u32::MAX), Problem::BadRange { start: u32::MAX, bytes: 2 });
    assert_eq!(one(0, 8, 0), Problem::Truncated);
    assert_eq!(one(9, 8, 0), Problem::Truncated);
    assert_eq!(one(0x1f, 8, 0), Problem::Truncated);
    assert_eq!(one(12, 0, 0), Problem::UnknownEvent(12));
    assert_eq!(one(0x20, 0, 0), Problem::UnknownEvent(0x20));
}

#[test]
fn sizes_are_checked_before_they_are_allocated() {
    for version in [2, 6] {
        let mut file = sample().file(version);
        let sizes = if version >= 4 { 24 } else { 12 };
        file[sizes + 4..sizes + 8].copy_from_slice(&0x0100_0000_u32.to_le_bytes());
        assert_eq!(problem(&file), Problem::Compression);
        file[sizes + 4..sizes + 8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(matches!(problem(&file), Problem::TooLarge { .. }));
        file[sizes..sizes + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(matches!(problem(&file), Problem::TooLarge { .. }));
    }
    let file = sample().file(6);
    assert!(read_limited(&file, 100).is_err() && read_limited(&file, 10_000).is_ok());
}

/// Zeros pack to next to nothing, and to a kilobyte for each 32 megabytes that a dump may have.
#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn data_are_bounded_by_the_file() {
    let file = |megabytes: usize| Writer::default().data(&vec![0; megabytes << 20]).file(6);
    assert!(file(16).len() < 10_000 && read(&file(16)).is_ok());
    let problem = problem(&file(48));
    assert!(
        matches!(problem, Problem::TooLarge { bytes, limit } if bytes >= 48 << 20 && limit < 48 << 20),
        "{problem}"
    );
}

#[test]
fn contents_of_another_size_are_refused() {
    for version in VERSIONS {
        for (given, declared) in [(100, 99), (100, 101), (0, 1)] {
            assert_eq!(unpack::unpack(version, &pack(version, &vec![5; given]), declared), None);
        }
        assert_eq!(unpack::unpack(version, &pack(version, &[5; 100]), 100), Some(vec![5; 100]));
    }
}

#[test]
fn versions_and_magic() {
    assert_eq!(problem(b""), Problem::NotACapture);
    assert_eq!(problem(b"PPSSPPGF\x06\0\0\0"), Problem::NotACapture);
    for version in [0, 1, 7, u32::MAX] {
        assert_eq!(problem(&sample().file(version)), Problem::Version(version));
    }
}

/// Damaged files are refused or read, and what is read can be looked at.
#[test]
fn damage_never_panics() {
    let mut seed = 1_u64;
    let mut random = move || crate::random::word(&mut seed) as usize;
    let files: Vec<_> = VERSIONS.map(|version| sample().file(version)).collect();
    let mut read_well = 0;
    for round in 0..6000 {
        let mut file = files[round % files.len()].clone();
        for _ in 0..1 + random() % 3 {
            let at = random() % file.len();
            file[at] = random() as u8;
        }
        if let Ok(dump) = read_limited(&file, 1 << 24) {
            read_well += 1;
            let spans = dump.records.iter().filter_map(|record| match record {
                Record::Registers(span) | Record::Texture { span, .. } => Some(*span),
                _ => None,
            });
            assert!(spans.into_iter().all(|span| dump.bytes(span).len() == span.size as usize));
        }
    }
    assert!(read_well > 100, "{read_well} were dumps");
}

/// The words of each list that a translation runs.
fn lists_of(events: &[Event]) -> Vec<Vec<u32>> {
    let mut list = None;
    let mut lists = Vec::new();
    for event in events {
        match event {
            Event::Memory { address, bytes } if *address == place::RAM => list = Some(bytes),
            Event::Run(run) => {
                let bytes = list.take().expect("a list comes before it runs");
                assert_eq!((run.pc, run.stall), (place::RAM, place::RAM + bytes.len() as u32));
                lists.push(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect());
            }
            _ => {}
        }
    }
    lists
}

#[test]
fn records_become_lists() {
    let mut writer = Writer::default();
    writer
        .words(1, &[0xa000_1234, 0xa80f_0200, 0xb0ab_cdef, 0xb108_0000, 0x1700_0001])
        .record(0x10, &[1; 32])
        .record(4, &[2; 64])
        .words(1, &[0xc400_0002, 0xc400_0003])
        .record(2, &[3; 20])
        .words(1, &[0x0404_0003, 0x0100_0000, 0x0800_0000])
        .words(9, &[0x0400_0000, 512, 3]);
    let dump = read(&writer.file(6)).unwrap();
    let (capture, marks) = translate(&dump, Lists::Long).unwrap();
    let data = place::RAM + place::LIST_BYTES;
    let [texture, clut, vertices] = [data, data + 32, data + 32 + 2016];
    let expected = [
        0xa000_0000,
        0xa800_0200,
        0xb0ab_cdef,
        0xb108_0000,
        0x1700_0001,
        0xa000_0000 | texture & 0xff_ffff,
        0xa808_0200,
        0xb000_0000 | clut & 0xff_ffff,
        0xb108_0000,
        0xc400_0002,
        0xb0ab_cdef,
        0xb108_0000,
        0xc400_0003,
        0x1008_0000,
        0x0100_0000 | vertices & 0xff_ffff,
        0x0404_0003,
    ];
    assert_eq!(lists_of(&capture.events), [expected]);
    assert_eq!((marks.len(), marks[6], capture.frames()), (7, capture.events.len(), 1));
    let (each, _) = translate(&dump, Lists::OfRecords).unwrap();
    assert_eq!(lists_of(&each.events).concat(), expected);
    assert_eq!(lists_of(&each.events).len(), 5);
    let clut_bytes = each.events.iter().find_map(|event| match event {
        Event::Memory { address, bytes } if *address == clut => Some(bytes),
        _ => None,
    });
    assert!(clut_bytes.is_some_and(|bytes| bytes[..64] == [2; 64] && bytes[64..] == [0; 1952]));
}

/// Memory that VRAM holds better is not written, everything else that the CPU wrote is.
#[test]
fn memory_of_vram() {
    let writes = |version, kind: u8, words: &[u32]| {
        let mut writer = Writer::default();
        writer.words(7, &[0x4410_0010]).words(kind, words);
        let (capture, _) = translate(&read(&writer.file(version)).unwrap(), Lists::Long).unwrap();
        let writes = capture.events.iter().filter_map(|event| match event {
            Event::Memory { address, bytes } if *address < place::RAM => Some((*address, bytes.len())),
            _ => None,
        });
        writes.collect::<Vec<_>>()
    };
    assert_eq!(writes(6, 8, &[1, 2]), [(0x0410_0010, 8)]);
    assert_eq!(writes(6, 6, &[0x0460_0000, 1, 1 << 31]), [(0x0400_0000, 2 << 20)]);
    assert_eq!(writes(6, 6, &[0x041f_fff0, 1, 64]), [(0x041f_fff0, 16)]);
    assert_eq!(writes(6, 6, &[0x0800_0000, 1, 64]), []);
    for (version, flags, is_written) in [(6, 0, true), (6, 1, false), (6, 2, false), (5, 2, true)] {
        let written = writes(version, 0x18, &[0x0408_8000, 512, flags, 0, 7]);
        assert_eq!(!written.is_empty(), is_written, "version {version}, flags {flags}");
    }
}

/// Writes of memory outside of lists, in order.
fn writes_of(events: &[Event]) -> Vec<(u32, &[u8])> {
    let writes = events.iter().filter_map(|event| match event {
        Event::Memory { address, bytes } if *address != place::RAM => Some((*address, &bytes[..])),
        _ => None,
    });
    writes.collect()
}

/// 12.2, type 4: a palette is written to its address in VRAM too, unless VRAM has it already.
#[test]
fn palettes_are_in_vram_too() {
    for (version, flags, is_written) in
        [(6, 0, true), (6, 1, false), (6, 2, false), (6, 4, true), (5, 2, true)]
    {
        let mut writer = Writer::default();
        writer.words(10, &[0x0415_0000, flags]).record(4, &[7; 32]).words(1, &[0xc400_0001]);
        let (capture, _) = translate(&read(&writer.file(version)).unwrap(), Lists::Long).unwrap();
        let writes = writes_of(&capture.events);
        let in_vram = writes.iter().any(|&write| write == (0x0415_0000, &[7; 32][..]));
        assert_eq!(in_vram, is_written, "version {version}, flags {flags}");
        // CLOAD reads the record, followed by zeros, or VRAM.
        let list = lists_of(&capture.events).concat();
        let source = list.iter().find(|word| *word >> 24 == 0xb0).expect("CBP") & 0xff_ffff;
        assert_eq!(source == 0x15_0000, !is_written, "version {version}, flags {flags}: {source:#x}");
    }
}

/// 12.2, type 0x10: a record of a texture that is shorter than the image goes on in the data buffer, and only so far
/// as that goes.
#[test]
fn short_textures_go_on() {
    // TBW0 16, TSIZE0 16 x 4; sizes of one row, from 9.2: a row is a multiple of 16 bytes, of DXT1 four blocks of 8.
    let plain: [(u32, u32, u32); 4] = [(3, 0, 256), (1, 0, 128), (5, 0, 64), (4, 0, 56)];
    // Swizzled: blocks of 16 bytes by 8 rows. DXT3 and DXT1: one row of four blocks.
    let blocks = [(3, 1, 512), (9, 0, 64), (8, 0, 32)];
    for (format, swizzled, bytes) in plain.into_iter().chain(blocks) {
        let state = [0xc300_0000 | format, 0xc200_0000 | swizzled, 0xa800_0010, 0xb800_0204];
        for (recorded, behind) in [(16, 1024), (16, 24), (600, 0)] {
            let content: Vec<u8> = (0..recorded + behind).map(|byte| byte as u8).collect();
            let mut writer = Writer::default();
            writer.words(1, &state).record(0x10, &content[..recorded]).data(&content[recorded..]);
            let (capture, _) = translate(&read(&writer.file(6)).unwrap(), Lists::Long).unwrap();
            let expected = (bytes as usize).max(recorded).min(recorded + behind);
            let writes = writes_of(&capture.events);
            assert_eq!(writes, [(place::RAM + place::LIST_BYTES, &content[..expected])], "format {format}");
        }
    }
}

/// The trace of a test program that clears 512 KiB before each of 3000 draws, 1.5 GiB in all: records share their bytes.
#[test]
fn long_traces_share_their_contents() {
    let mut writer = Writer::default();
    writer.data(&[0x55; 512 << 10]);
    let head = 512 << 10;
    writer.data(&0x0400_0000_u32.to_le_bytes());
    for _ in 0..1500 {
        writer.entry(7, 4, head).entry(8, 512 << 10, 0);
    }
    for _ in 0..1500 {
        writer.words(6, &[0x0400_0000, 0x11, 512 << 10]);
    }
    let (capture, marks) = translate(&read(&writer.file(6)).unwrap(), Lists::Long).unwrap();
    assert_eq!((marks.len(), capture.events.len()), (4500, 3000));
    let bytes = |event: &Event| match event {
        Event::Memory { bytes, .. } => bytes.clone(),
        other => panic!("{other:?}"),
    };
    for half in capture.events.chunks(1500) {
        assert!(half.iter().all(|event| std::sync::Arc::ptr_eq(&bytes(event), &bytes(&half[0]))));
    }
    assert_eq!(bytes(&capture.events[0])[..], [0x55; 512 << 10]);
    assert_eq!(bytes(&capture.events[1500])[..], [0x11; 512 << 10]);
}

/// What a file makes us do is bounded by its size: 64 MiB and 16 bytes for each unpacked byte.
#[test]
fn work_is_bounded_by_the_size_of_the_file() {
    const MIB: u32 = 1 << 20;
    let refused = |writer: &Writer| match translate(&read(&writer.file(6)).unwrap(), Lists::Long) {
        Err(error) => matches!(error.problem, Problem::TooLarge { limit, .. } if limit < 100 << 20),
        Ok(_) => false,
    };
    let mut overlapping = Writer::default();
    overlapping.data(&[1; MIB as usize]);
    let mut lists = overlapping.clone();
    for n in 0..100 {
        overlapping.entry(2, MIB - n, n);
        // VADDR, which is dropped.
        lists.entry(1, MIB, 0);
    }
    assert!(refused(&overlapping) && refused(&lists));
    let mut fills = Writer::default();
    for n in 0..40 {
        fills.words(6, &[0x0400_0000, 1, (2 << 20) - n]);
    }
    assert!(refused(&fills));
    let mut few = Writer::default();
    few.data(&[1; MIB as usize]);
    for n in 0..50 {
        few.entry(2, MIB - n, n);
    }
    assert!(!refused(&few));
}

/// A few hundred bytes of file with gigabytes of list words, dropped or not, once kept readers busy for minutes.
#[test]
fn words_are_bounded_by_the_file() {
    for byte in [0x10, 0x21] {
        let mut writer = Writer::default();
        writer.data(&vec![byte; 1 << 20]);
        (0..1000).for_each(|_| _ = writer.entry(1, 1 << 20, 0));
        let file = writer.file(6);
        assert!(file.len() < 4096, "{}", file.len());
        let dump = read(&file).expect("readable");
        for lists in [Lists::Long, Lists::OfRecords] {
            let error = translate(&dump, lists).expect_err("too many words");
            let Problem::TooLarge { bytes, limit } = error.problem else { panic!("{error}") };
            assert!(bytes <= limit + 4 && limit == 4 * (1 << 20) + 64 * file.len() as u64, "{error}");
        }
    }
}

/// Fills that share their twelve bytes, and the two megabytes of zeros that they become: each is a write when it is played.
#[test]
fn writes_are_bounded_by_the_file() {
    let fills = |count: usize| {
        let mut writer = Writer::default();
        writer.data(&[0x0400_0000_u32, 0, 2 << 20].map(u32::to_le_bytes).concat());
        (0..count).for_each(|_| _ = writer.entry(6, 12, 0));
        let file = writer.file(6);
        (translate(&read(&file).expect("readable"), Lists::Long), file.len() as u64)
    };
    assert!(fills(2000).0.is_ok());
    let (refused, length) = fills(4000);
    let limit = (4 << 30) + 4096 * length;
    let problem = refused.expect_err("eight gigabytes").problem;
    assert_eq!(problem, Problem::WritesTooMuch { bytes: (limit >> 21 << 21) + (2 << 20), limit });
}
