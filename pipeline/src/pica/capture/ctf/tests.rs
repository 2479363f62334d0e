use super::*;
use crate::capture::Problem;
use crate::pica::capture::Event;

/// A trace with something in every table, narrow and wide writes, and a list.
fn sample() -> CiTrace {
    let words = |seed: u32, count: u32| (0..count).map(|i| seed.wrapping_mul(i + 1) & 0xff_ffff).collect();
    let list: Arc<[u8]> = Arc::from([0x5a; 32]);
    let write = |address, width_bytes, value| Element::Write { address, width_bytes, value };
    CiTrace {
        tables: Tables {
            gpu_registers: words(1, 0x1000),
            lcd_registers: words(2, 0x400),
            pica_registers: words(3, 0x300),
            default_attributes: words(5, 64),
            vs_program: words(7, 1024),
            vs_descriptors: words(9, 1024),
            vs_floats: words(11, 384),
            ..Tables::default()
        },
        elements: vec![
            write(0x1040_0018, 4, 0xffff_ffff),
            Element::Load { address: 0x2000_0100, bytes: Arc::clone(&list) },
            Element::Load { address: 0x1f00_0000, bytes: list },
            write(0x1040_18e0, 4, 32),
            write(0x1040_18e8, 4, 0x2000_0100 >> 3),
            write(0x1040_18f0, 4, 1),
            Element::Frame,
        ],
    }
}

const CLASSIC: Layout = Layout { first_generation: false, late_writes: false };
const LAYOUTS: [Layout; 4] = [
    CLASSIC,
    Layout { first_generation: true, late_writes: false },
    Layout { first_generation: false, late_writes: true },
    Layout { first_generation: true, late_writes: true },
];

fn word(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| file[at + i]))
}

fn set_word(file: &mut [u8], at: usize, value: u32) {
    file[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn problem(file: &[u8]) -> (u64, Problem) {
    let error = parse(file).expect_err("damaged");
    (error.offset, error.problem)
}

#[test]
fn every_layout_there_and_back() {
    for layout in LAYOUTS {
        let mut expected = sample();
        if layout.first_generation {
            expected.tables.default_attributes.clear();
        }
        let file = sample().to_bytes(layout);
        assert_eq!(parse(&file), Ok(expected), "{layout:?}");
        assert_eq!(word(&file, 8), if layout.first_generation { 92 } else { 100 });
    }
}

/// Offsets from the table of the header, not through the writer's constants.
#[test]
fn the_header_is_as_documented() {
    let file = sample().to_bytes(CLASSIC);
    assert_eq!((&file[..4], word(&file, 4), word(&file, 8)), (&b"CiTr"[..], 1, 100));
    let pairs: Vec<_> = (0x0c..0x5c).step_by(8).map(|at| (word(&file, at), word(&file, at + 4))).collect();
    assert_eq!(pairs[0], (100, 0x1000));
    assert_eq!(pairs[1], (100 + 0x4000, 0x400));
    assert_eq!(pairs[2..4], [(100 + 0x5000, 0x300), (100 + 0x5c00, 64)]);
    assert_eq!(pairs[7].1 + pairs[8].1 + pairs[9].1, 0);
    let (stream, count) = (word(&file, 0x5c) as usize, word(&file, 0x60) as usize);
    assert_eq!((stream + 20 * count, count), (file.len(), 7));
    assert_eq!(word(&file, stream), 0xe3);
    assert_eq!((word(&file, stream + 4), word(&file, stream + 8)), (0x1040_0018, 0xd3));
    assert_eq!(word(&file, stream + 24), word(&file, stream + 44), "equal contents are stored once");
    assert_eq!(
        (word(&file, stream + 20), word(&file, stream + 28), word(&file, stream + 32)),
        (0xe2, 32, 0x2000_0100)
    );
}

#[test]
fn shared_contents_are_read_once() {
    let trace = parse(&sample().to_bytes(CLASSIC)).expect("sound");
    let (Element::Load { bytes: a, .. }, Element::Load { bytes: b, .. }) =
        (&trace.elements[1], &trace.elements[2])
    else {
        panic!("{:?}", trace.elements)
    };
    assert!(Arc::ptr_eq(a, b));
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn a_file_cut_anywhere_is_an_error() {
    let mut trace = sample();
    trace.tables.gpu_registers.truncate(3);
    trace.tables.lcd_registers.clear();
    trace.tables.vs_program.truncate(5);
    trace.tables.vs_descriptors.truncate(1);
    for layout in LAYOUTS {
        let file = trace.to_bytes(layout);
        for length in 0..file.len() {
            assert!(parse(&file[..length]).is_err(), "{length} of {}", file.len());
        }
    }
}

#[test]
fn the_checklist_of_a_loader() {
    let sound = sample().to_bytes(CLASSIC);
    let with = |at: usize, value: u32| {
        let mut file = sound.clone();
        set_word(&mut file, at, value);
        problem(&file)
    };
    let bytes = sound.len() as u32;
    let stream = word(&sound, 0x5c) as usize;
    assert_eq!(problem(b"CiTx"), (0, Problem::NotACapture));
    assert_eq!(with(4, 2), (4, Problem::Version(2)));
    assert_eq!(with(8, 96), (8, Problem::BadValue(96)));
    assert_eq!(with(0x10, u32::MAX), (0x0c, Problem::BadRange { start: 100, bytes: 0x3_ffff_fffc }));
    assert_eq!(with(0x0c, bytes), (0x0c, Problem::BadRange { start: bytes, bytes: 0x4000 }));
    assert_eq!(with(0x14, 96), (0x14, Problem::BadRange { start: 96, bytes: 0x1000 }), "inside the header");
    assert_eq!(with(0x14, 104), (0x0c, Problem::BadRange { start: 100, bytes: 0x4000 }), "overlap");
    assert_eq!(with(0x60, 8), (0x5c, Problem::BadRange { start: stream as u32, bytes: 160 }));
    assert_eq!(with(stream + 20, 0xe4), (stream as u64 + 20, Problem::UnknownEvent(0xe4)));
    assert_eq!(
        with(stream + 28, bytes).1,
        Problem::BadRange { start: word(&sound, stream + 24), bytes: bytes.into() }
    );
    assert_eq!(with(stream + 24, 0).1, Problem::BadRange { start: 0, bytes: 32 });
    let mut file = sound.clone();
    set_word(&mut file, 0x44, 7);
    assert!(parse(&file).is_ok(), "where an empty table lies does not matter");
}

#[test]
fn more_words_than_a_table_has_are_ignored() {
    let mut trace = sample();
    trace.tables.pica_registers = vec![5; 0x400];
    trace.tables.vs_program = vec![6; 5000];
    let back = parse(&trace.to_bytes(CLASSIC)).expect("sound");
    assert_eq!((back.tables.pica_registers.len(), back.tables.vs_program.len()), (0x300, 4096));
    assert_eq!(back.tables.vs_descriptors, trace.tables.vs_descriptors);
}

#[test]
fn overlapping_contents_have_a_limit() {
    let blob: Arc<[u8]> = vec![0; 1000].into();
    let load = |i: u32| Element::Load { address: i, bytes: Arc::clone(&blob) };
    let trace = CiTrace { elements: (0..100).map(load).collect(), ..CiTrace::default() };
    let mut file = trace.to_bytes(CLASSIC);
    assert!(parse_limited(&file, 1000).is_ok(), "one blob, shared");
    let stream = word(&file, 0x5c) as usize;
    for i in 0..100 {
        set_word(&mut file, stream + 20 * i + 8, 1000 - i as u32);
    }
    let error = parse_limited(&file, 2500).expect_err("the third is one too many");
    let problem = Problem::TooLarge { bytes: 2997, limit: 2500 };
    assert_eq!(error, problem.at(stream + 40));
    assert!(parse(&file).is_ok());
}

/// Each element names the rest of the file from another byte on: a quarter of the square of its size.
#[test]
fn contents_are_bounded_by_the_file() {
    let blob: Arc<[u8]> = vec![0; 100_000].into();
    let load = |i: u32| Element::Load { address: i, bytes: Arc::clone(&blob) };
    let trace = CiTrace { elements: (0..1000).map(load).collect(), ..CiTrace::default() };
    let mut file = trace.to_bytes(CLASSIC);
    let stream = word(&file, 0x5c) as usize;
    for i in 0..1000 {
        set_word(&mut file, stream + 20 * i + 8, 100_000 - i as u32);
    }
    let error = parse(&file).expect_err("a hundred megabytes").problem;
    assert!(
        matches!(error, Problem::TooLarge { bytes, limit } if bytes < 3 << 20 && limit < bytes),
        "{error}"
    );
}

/// Elements of twenty bytes that load the same megabyte.
#[test]
fn writes_are_bounded_by_the_file() {
    let load = Element::Load { address: 0x2000_0000, bytes: vec![0; 1 << 20].into() };
    let elements = std::iter::once(load).chain(vec![Element::Frame; 9999]).collect();
    let mut file = CiTrace { elements, ..CiTrace::default() }.to_bytes(CLASSIC);
    let stream = word(&file, 0x5c) as usize;
    let limit = (4 << 30) + 4096 * file.len() as u64;
    let most = (limit >> 20) as usize;
    let mut with = |loads: usize| {
        for n in 0..loads {
            file.copy_within(stream..stream + 20, stream + 20 * n);
        }
        parse(&file).map(|trace| trace.elements.len())
    };
    assert_eq!(with(most), Ok(10_000));
    let problem = Problem::WritesTooMuch { bytes: (most as u64 + 1) << 20, limit };
    assert_eq!(with(most + 1), Err(problem.at(stream + 20 * most)));
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn random_damage_never_panics() {
    let mut seed = 7_u64;
    let mut random = move || crate::random::word(&mut seed) as usize;
    let mut trace = sample();
    trace.tables.gpu_registers.truncate(40);
    trace.tables.vs_program.truncate(40);
    trace.tables.vs_descriptors.truncate(40);
    let sound = trace.to_bytes(CLASSIC);
    let stream = word(&sound, 0x5c) as usize;
    let mut read_well = 0;
    for i in 0..4000 {
        let mut file = sound.clone();
        let at = if i % 2 == 0 { random() % 100 } else { stream + random() % (file.len() - stream) };
        file[at] ^= 1 << (random() % 8);
        read_well += usize::from(parse(&file).is_ok_and(|trace| !events::events(&trace).is_empty()));
    }
    assert!((1000..3900).contains(&read_well), "{read_well} could be read");
}

fn translate(elements: Vec<Element>) -> Vec<Event> {
    events::events(&CiTrace { elements, ..sample() })
}

fn write(address: u32, width_bytes: u8, value: u64) -> Element {
    Element::Write { address, width_bytes, value }
}

fn mmio(address: u32, value: u32) -> Event {
    Event::Mmio { address, value }
}

fn register(id: u16, value: u32, mask: u8) -> Event {
    Event::Register { id, value, mask }
}

/// The elements up to the start of a list at 0x20000100, whose size register holds 0x60.
fn list(loads: &[(u32, usize)]) -> Vec<Element> {
    let load = |&(address, bytes): &(u32, usize)| Element::Load { address, bytes: vec![1; bytes].into() };
    let writes = [(0x1040_18e0, 0x60), (0x1040_18e8, 0x2000_0100 >> 3), (0x1040_18f0, 1)];
    loads.iter().map(load).chain(writes.map(|(address, value)| write(address, 4, value))).collect()
}

#[test]
fn a_list_has_the_size_of_its_latest_load() {
    let started = |loads| translate(list(loads)).split_off(loads.len());
    let expected = |size_bytes: u32| {
        let list = Event::List { address: 0x2000_0100, size_bytes };
        [register(0x238, size_bytes >> 3, 15), register(0x23a, 0x2000_0100 >> 3, 15), list]
    };
    assert_eq!(started(&[]), expected(0x60), "the size register counts bytes");
    assert_eq!(started(&[(0x2000_0100, 0x60)]), expected(0x60));
    assert_eq!(started(&[(0x2000_0100, 0x300), (0x2000_0200, 0x10)]), expected(0x300), "or bytes >> 3");
    assert_eq!(started(&[(0x2000_0100, 0x300), (0x2000_0100, 0x80)]), expected(0x80));
}

#[test]
fn a_list_starts_by_bit_0_and_keeps_its_registers() {
    let start = |value, width| write(0x1040_18f0, width, value);
    let mut elements = list(&[]);
    elements.extend([start(2, 4), start(0x100, 4), start(1, 1), write(0x1040_18f1, 1, 1)]);
    let lists = translate(elements).iter().filter(|event| matches!(event, Event::List { .. })).count();
    assert_eq!(lists, 2);
    let mut trace = CiTrace { elements: vec![start(1, 4)], ..sample() };
    trace.tables.gpu_registers[0x400 + 0x238] = 0x40;
    trace.tables.gpu_registers[0x400 + 0x23a] = 0x300_0000;
    let last = events::events(&trace).pop();
    assert_eq!(last, Some(Event::List { address: 0x1800_0000, size_bytes: 0x40 }), "from the initial state");
}

#[test]
fn narrow_and_wide_writes_become_words() {
    let initial = sample().tables.gpu_registers[6];
    assert_eq!(translate(vec![write(0x1040_0018, 1, 0xaa)]), [mmio(0x1040_0018, initial & !0xff | 0xaa)]);
    let twice = translate(vec![write(0x1040_001a, 2, 0x1234), write(0x1040_0018, 1, 0x56)]);
    assert_eq!(twice[1], mmio(0x1040_0018, 0x1234_0056 | initial & 0xff00));
    let straddling = translate(vec![write(0x1040_0013, 2, 0xbbaa)]);
    let [low, high] = [4, 5].map(|i| sample().tables.gpu_registers[i]);
    let expected = [low & 0xff_ffff | 0xaa00_0000, high & !0xff | 0xbb];
    assert_eq!(straddling, [mmio(0x1040_0010, expected[0]), mmio(0x1040_0014, expected[1])]);
    let wide = translate(vec![write(0x1020_2204, 8, 0x0123_4567_89ab_cdef)]);
    assert_eq!(wide, [mmio(0x1020_2204, 0x89ab_cdef), mmio(0x1020_2208, 0x0123_4567)]);
    assert_eq!(translate(vec![write(0x1040_1106, 2, 0xbeef)]), [register(0x41, 0xbeef_0000, 0b1100)]);
    let across = translate(vec![write(0x1040_1102, 8, u64::MAX)]);
    assert_eq!(across.len(), 3, "{across:?}");
    assert_eq!(across[2], register(0x42, 0xffff, 0b0011));
}

#[test]
fn a_narrow_write_does_not_start_what_an_earlier_one_started() {
    for control in [0x1040_001c, 0x1040_002c, 0x1040_0c18] {
        let twice = translate(vec![write(control, 4, 0x201), write(control + 1, 1, 3)]);
        assert_eq!(twice, [mmio(control, 0x201), mmio(control, 0x300)]);
    }
    let mut trace = CiTrace { elements: vec![write(0x1040_001d, 1, 2)], ..sample() };
    trace.tables.gpu_registers[7] = 0xffff_ffff;
    assert_eq!(events::events(&trace), [mmio(0x1040_001c, 0xffff_02fe)], "started before the recording");
}

#[test]
fn memory_is_mapped_where_something_is_loaded() {
    let console = [(0x1800_0000, 0x60_0000), (0x2000_0000, 0x800_0000)];
    assert_eq!(events::regions(&CiTrace::default()), console);
    assert_eq!(events::regions(&sample()), [console[0], (0x1f00_0000, 0x40_0000), console[1]]);
    let load = |address, bytes: usize| CiTrace {
        elements: vec![Element::Load { address, bytes: vec![0; bytes].into() }],
        ..CiTrace::default()
    };
    assert_eq!(events::regions(&load(0x2fff_ffff, 9)).len(), 3);
    assert_eq!(events::regions(&load(0x2800_0000, 0)), console);
    assert_eq!(events::regions(&load(0x1fef_fffe, 0x10_0000)).len(), 4);
}
