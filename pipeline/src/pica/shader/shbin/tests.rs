use super::*;
use crate::pica::float::Precision;
use crate::pica::shader::unit::Uniforms;

/// The worked dump of pica-shader.md 8.5 (the `simple_tri` sample), words and then symbols.
fn worked_dump() -> Vec<u8> {
    let words = [
        0x424c_5644,
        1,
        0x8c,
        0x504c_5644,
        0,
        0x28,
        8,
        0x48,
        7,
        0x80,
        0,
        0,
        0,
        0x4e00_0000,
        0x4e07_f001,
        0x0802_0802,
        0x0802_1803,
        0x0802_2804,
        0x0802_3805,
        0x4c20_1006,
        0x8800_0000,
    ];
    let descriptors = [0x36e, 0xaa1, 0x6_c368, 0x6_c364, 0x6_c362, 0x6_c361, 0x36f];
    let dvle = [
        0x454c_5644,
        0x1002,
        0,
        8,
        0x0003_0000,
        0,
        0x40,
        2,
        0x68,
        0,
        0x68,
        2,
        0x78,
        1,
        0x80,
        0x0b,
        0x005f_0002,
        0,
        0x3f_0000,
        0xbf_0000,
        0x3b_9999,
        0x005e_0002,
        0x3d_3333,
        0,
        0,
        0,
        0,
        0xf,
        0x0001_0002,
        0xf,
        0,
        0x0013_0010,
    ];
    let descriptors = descriptors.into_iter().flat_map(|word: u32| [word, 0]);
    let all = words.into_iter().chain(descriptors).chain(dvle);
    all.flat_map(u32::to_le_bytes).chain(*b"projection\0\0").collect()
}

#[test]
fn worked_dump_reads_and_writes() {
    let bytes = worked_dump();
    assert_eq!(bytes.len(), 280);
    let shbin = Shbin::read(&bytes).unwrap();
    assert_eq!(shbin.program.code.len(), 8);
    let dvle = &shbin.executables[0];
    assert_eq!((dvle.entry, dvle.end, dvle.output_mask), (0, 8, 3));
    assert_eq!(dvle.constants[1], Constant::Float(0x5e, [0x3d_3333, 0, 0, 0]));
    assert_eq!(dvle.outputs[1], Output { semantic: 2, register: 1, mask: 15, unknown: 0 });
    assert_eq!(dvle.name(dvle.uniforms[0].name), b"projection");
    assert_eq!(shbin.write(), bytes);
}

#[test]
fn set_up_of_the_worked_dump() {
    let shbin = Shbin::read(&worked_dump()).unwrap();
    let dvle = &shbin.executables[0];
    let map = dvle.output_map();
    assert_eq!((map.mask, map.total), (3, 2));
    assert_eq!(map.slots[..3], [0x0302_0100, 0x0b0a_0908, 0x1f1f_1f1f]);
    assert_eq!(dvle.entry_point(), 0x7fff_0000);
    let mut uniforms = Uniforms::default();
    dvle.apply_constants(&mut uniforms);
    assert_eq!(uniforms.float(95, Precision::Console)[..3], [0.0, 1.0, -1.0]);
    assert_eq!(shbin.program.program(dvle.stage.unit()).code()[..2], [0x4e00_0000, 0x4e07_f001]);
}

#[test]
fn shared_output_register_and_bools() {
    let output = |semantic, mask| Output { semantic, register: 4, mask, unknown: 0 };
    let dvle = Dvle {
        outputs: vec![output(3, 0b0011), output(4, 0b0100), output(9, 0b1000)],
        constants: vec![Constant::Bool(3, true), Constant::Int(2, [1, 2, 3, 4])],
        ..Dvle::default()
    };
    assert_eq!(dvle.output_words()[4], 0x1f10_0d0c);
    assert_eq!((dvle.output_map().mask, dvle.output_map().slots[0]), (16, 0x1f10_0d0c));
    let mut uniforms = Uniforms::default();
    dvle.apply_constants(&mut uniforms);
    assert_eq!((uniforms.bools(), uniforms.int(2)), (8, [1, 2, 3, 4]));
}

/// Every field that can be wrong, with the message.
#[test]
fn malformed_containers() {
    let cases: [(usize, u32, &str); 9] = [
        (0x00, 0, r#"offset 0x0 (DVLB): expected "DVLB", found "\x00\x00\x00\x00""#),
        (0x04, 0x4000_0000, "offset 0x4 (DVLB): 1073741824 executables do not fit a file of 280 bytes"),
        (0x08, 0x200, "offset 0x200 (DVLE 0): 4 bytes wanted here, but the file ends at 0x118"),
        (
            0x18,
            0xffff_ffff,
            "offset 0x14 (DVLP): a table of 4294967295 entries of 4 bytes at +0x28 reaches past the end of the \
             file at 0x118",
        ),
        (0x90, 0x0002_1002, "offset 0x92 (DVLE 0): 2 is neither vertex (0) nor geometry (1)"),
        (0xcc, 3, "offset 0xcc (DVLE 0): constant of kind 3; 0 to 2 are known"),
        (0xcc, 0x0060_0002, "offset 0xce (DVLE 0): constant for register 96 of 96"),
        (0xf4, 0x0010_0000, "offset 0xf6 (DVLE 0): output register 16 of 16"),
        (0x104, 12, "offset 0x104 (DVLE 0): name at 0xc of a symbol table of 11 bytes"),
    ];
    for (at, word, expected) in cases {
        let mut bytes = worked_dump();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        assert_eq!(Shbin::read(&bytes).unwrap_err().to_string(), expected);
    }
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = worked_dump();
    // The last byte is padding behind the symbols.
    for length in 0..bytes.len() - 1 {
        assert!(Shbin::read(&bytes[..length]).is_err(), "{length}");
    }
}

/// A thousand executables that all name the same tables.
#[test]
fn overlapping_executables() {
    let bytes = worked_dump();
    let count = 1000_u32;
    let moved = 4 * (count - 1);
    let mut file = [&bytes[..4], &count.to_le_bytes()].concat();
    (0..count).for_each(|_| file.extend((0x8c + moved).to_le_bytes()));
    file.extend(&bytes[12..]);
    let error = Shbin::read(&file).unwrap_err();
    assert_eq!(error.problem, "the tables of the file overlap too much");
}

/// Four thousand uniforms and labels that share one long name: printed, once a gigabyte.
#[test]
fn overlapping_names() {
    let uniform = Uniform { name: 0, first: 0x10, last: 0x10 };
    let label = Label { id: 0, flags: 0, position: 0, size: 0, name: 5 };
    let container = |uniforms: usize, labels: usize| {
        let symbols = vec![b'a'; 32 << 10];
        let (uniforms, labels) = (vec![uniform; uniforms], vec![label; labels]);
        Shbin { executables: vec![Dvle { uniforms, labels, symbols, ..Dvle::default() }], ..Shbin::default() }
    };
    let problem = |shbin: Shbin| Shbin::read(&shbin.write()).map_err(|error| error.problem);
    assert!(problem(container(2, 0)).is_ok());
    for shbin in [container(4096, 0), container(0, 4096)] {
        assert_eq!(problem(shbin), Err("the names of the file overlap too much".into()));
    }
}
