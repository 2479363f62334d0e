use super::*;
use crate::capture::Rate;
use crate::capture::format::write::write_chunk;
use crate::capture::format::{BLOB, END, EVTS, STAT, checksum};
use std::sync::Arc;

fn sample() -> Capture {
    let page: Arc<[u8]> = (0..4096).map(|i| (i / 64) as u8).collect();
    Capture {
        origin: Origin::CiTrace,
        precision: Precision::Binary32,
        regions: vec![(0x1800_0000, 6 << 20), (0xffff_f000, 0x1000)],
        initial: Snapshot::from_words(vec![1, 0x8000_0000, u32::MAX]),
        events: vec![
            Event::Memory { address: 0x1800_1000, bytes: Arc::clone(&page) },
            Event::Register { id: 0x3ff, value: 7, mask: 15 },
            Event::Memory { address: 0x1800_2000, bytes: Arc::from([9, 8, 7]) },
            Event::Mmio { address: 0x1040_0018, value: u32::MAX },
            Event::Memory { address: 0x1800_5000, bytes: page },
            Event::Memory { address: 0, bytes: Arc::from([]) },
            Event::List { address: 0x2000_0000, size_bytes: 16 },
            Event::Frame,
            Event::VBlank { screen: Screen::Bottom },
            Event::VBlank { screen: Screen::Top },
            Event::Field { field: Field::VertexCode, first: 7, words: [1, 2, 3].into() },
        ],
    }
}

fn problem(bytes: &[u8]) -> Problem {
    read(bytes).expect_err("damaged").problem
}

#[test]
fn there_and_back() {
    let capture = sample();
    let file = write(&capture);
    assert_eq!(read(&file), Ok(capture.clone()));
    assert_eq!(Capture::read(&file), Ok(capture));
    assert!(file.len() < 1000, "one page of runs, stored once: {} bytes", file.len());
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn many_events_take_several_chunks() {
    let mut capture = sample();
    let writes = (0..200_000).map(|i: u32| Event::Mmio { address: i, value: i.wrapping_mul(0x9e37_79b9) });
    capture.events.extend(writes);
    let file = write(&capture);
    assert!(file.windows(4).filter(|kind| *kind == EVTS).count() > 1);
    assert_eq!(read(&file), Ok(capture));
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn a_file_cut_anywhere_is_an_error() {
    let file = write(&sample());
    for length in 0..file.len() {
        let error = read(&file[..length]).expect_err("cut off");
        assert!(error.offset <= length as u64, "{length}: {error}");
    }
    let longer = [&file[..], &[0]].concat();
    assert_eq!(
        read(&longer),
        Err(CaptureError { offset: file.len() as u64, problem: Problem::TrailingBytes })
    );
}

#[test]
fn every_flipped_bit_is_noticed() {
    let mut file = write(&sample());
    for bit in 0..file.len() * 8 {
        file[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&file).is_err(), "bit {bit}");
        file[bit / 8] ^= 1 << (bit % 8);
    }
}

/// A file of these chunks, all with right checksums.
fn file_of(chunks: &[([u8; 4], &[u8])]) -> Vec<u8> {
    let mut file = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
    chunks.iter().for_each(|(kind, contents)| write_chunk(&mut file, *kind, contents));
    file
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn chunks_with_right_checksums_and_wrong_contents() {
    let head = words(&[0, 0, 0]);
    let end = words(&[1, 0]);
    let events =
        |contents: &[u8]| problem(&file_of(&[(HEAD, &head), (STAT, &[]), (EVTS, contents), (END, &end)]));
    assert_eq!(events(&[9]), Problem::UnknownEvent(9));
    assert_eq!(events(&[MMIO, 1, 2, 3]), Problem::Truncated);
    assert_eq!(events(&[&[MEMORY][..], &words(&[0, 3])].concat()), Problem::NoSuchBlob(3));
    assert_eq!(events(&[&[REGISTER][..], &words(&[0x1_0000, 0, 0])].concat()), Problem::BadValue(0x1_0000));
    assert_eq!(events(&[&[REGISTER][..], &words(&[0, 0, 16])].concat()), Problem::BadValue(16));
    assert_eq!(events(&[FRAME, FRAME]), Problem::Truncated);
    let start =
        |head: &[u32]| problem(&file_of(&[(HEAD, &words(head)), (STAT, &[]), (END, &words(&[0, 0]))]));
    assert_eq!(start(&[2, 0, 0]), Problem::BadValue(2));
    assert_eq!(start(&[0, 7, 0]), Problem::BadValue(7));
    assert_eq!(start(&[0, 0, u32::MAX]), Problem::BadRegions);
    assert_eq!(start(&[0, 0, 2, 0, 0x1001, 0x1000, 1]), Problem::BadRegions);
    assert_eq!(start(&[0, 0, 1, u32::MAX, 2]), Problem::BadRegions);
    assert_eq!(start(&[0, 0, 1, 0, u32::MAX]), Problem::BadRegions);
    assert_eq!(start(&[0, 0, 0, 5]), Problem::TrailingBytes);
    assert_eq!(problem(&file_of(&[(HEAD, &head), (STAT, &[1, 2, 3])])), Problem::BadState);
    assert_eq!(problem(&file_of(&[(STAT, &head)])), Problem::UnexpectedChunk(STAT));
    assert_eq!(problem(&file_of(&[(HEAD, &head), (STAT, &[]), (HEAD, &[])])), Problem::UnexpectedChunk(HEAD));
}

/// A chunk that declares `unpacked` bytes, with a right checksum.
fn declaring(payload: &[u8], unpacked: u32) -> Vec<u8> {
    let mut file = file_of(&[]);
    let header = [&HEAD[..], &words(&[payload.len() as u32, unpacked])].concat();
    file.extend(&header);
    file.extend(checksum(&header, payload).to_le_bytes());
    file.extend(payload);
    file
}

#[test]
fn absurd_sizes_are_refused_before_they_are_allocated() {
    assert_eq!(problem(&declaring(&[1, 2, 3], 0xf_ffff)), Problem::Compression);
    let file = declaring(&[1, 2, 3], u32::MAX);
    let limit = Rate::CAPTURE.of(file.len() as u64).limit();
    assert!(limit < 2 << 20);
    assert_eq!(problem(&file), Problem::TooLarge { bytes: u32::MAX.into(), limit });
    let mut file = file_of(&[]);
    file.extend([&HEAD[..], &words(&[u32::MAX, 4, 0])].concat());
    assert_eq!(problem(&file), Problem::Truncated);
    let file = write(&sample());
    let error = read_limited(&file, 4096).expect_err("more than a page");
    assert!(matches!(error.problem, Problem::TooLarge { limit: 4096, .. }), "{error}");
    assert!(read_limited(&file, 10_000).is_ok());
}

#[test]
fn events_count_against_the_limit() {
    let frames = vec![FRAME; 100_000];
    let head = words(&[0, 0, 0]);
    let file = file_of(&[(HEAD, &head), (STAT, &[]), (EVTS, &frames), (END, &words(&[100_000, 0]))]);
    assert!(
        file.len() < 1000 && matches!(problem(&file), Problem::TooLarge { .. }),
        "six megabytes of events"
    );
    // What is written may be read.
    let capture = Capture { events: vec![Event::Frame; 100_000], ..sample() };
    let file = write(&capture);
    assert!(file.len() > 100_000 && read(&file) == Ok(capture));
    assert!(matches!(read_limited(&file, 1 << 20).map_err(|e| e.problem), Err(Problem::TooLarge { .. })));
}

/// Events that share a blob: once they wrote the square of the size of the file, a terabyte for 64 KB.
#[test]
fn writes_are_bounded_by_the_file() {
    let file = |count: u32| {
        let event = [&[MEMORY][..], &words(&[0x1800_0000, 0])].concat();
        let events: Vec<u8> = (0..count).flat_map(|_| event.clone()).collect();
        let zeros = vec![0; 4 << 20];
        let head = words(&[0, 0, 0]);
        let end = words(&[count, 0]);
        file_of(&[(HEAD, &head), (STAT, &[]), (BLOB, &zeros), (EVTS, &events), (END, &end)])
    };
    assert!(read(&file(1024)).is_ok());
    let large = file(2048);
    let limit = (4 << 30) + 4096 * large.len() as u64;
    assert_eq!(problem(&large), Problem::WritesTooMuch { bytes: (limit >> 22 << 22) + (4 << 20), limit });
    let text = Problem::WritesTooMuch { bytes: 5, limit: 4 }.to_string();
    assert_eq!(text, "its events write 5 bytes or more; 4 are allowed");
}

/// Damage with checksums put right again, so that it reaches what lies behind them.
#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn random_contents_never_panic() {
    let mut seed = 1_u64;
    let mut random = move || crate::random::word(&mut seed) as usize;
    let kinds = [HEAD, STAT, BLOB, EVTS, END];
    let mut read_well = 0;
    for _ in 0..20_000 {
        let contents: Vec<u8> = (0..random() % 40).map(|_| (random() % 6) as u8).collect();
        let regions = words(&[random() as u32 % 3, random() as u32 % 3, random() as u32 % 2, 4, 8]);
        let kind = kinds[random() % 5];
        let count = words(&[random() as u32 % 3, 0]);
        let chunks = [(HEAD, &regions[..]), (STAT, &[0; 8]), (BLOB, &[1]), (kind, &contents), (END, &count)];
        read_well += usize::from(read(&file_of(&chunks)).is_ok());
        let unpacked = random() as u32 % 100;
        assert!(read(&declaring(&contents, unpacked)).is_err());
    }
    assert!(read_well > 100, "{read_well} were captures");
}

#[test]
fn versions_and_magic() {
    assert_eq!(problem(b""), Problem::NotACapture);
    assert_eq!(problem(b"PicaCap\r\x01\0\0\0"), Problem::NotACapture);
    let error = read(b"PicaCap\n\x02\0\0\0").expect_err("from the future");
    assert_eq!((error.offset, error.problem), (8, Problem::Version(2)));
    assert_eq!(error.to_string(), "at byte 8 of the capture: version 2 is not known");
}

#[test]
fn captures_of_another_machine_are_refused() {
    let head = words(&[1, 0]);
    let file = file_of(&[(*b"GEHD", &head), (STAT, &[]), (END, &words(&[0, 0]))]);
    assert_eq!(problem(&file), Problem::UnexpectedChunk(*b"GEHD"));
}
