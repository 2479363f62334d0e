use super::*;

fn one(text: &str) -> Result<Shbin, AsmErrors> {
    assemble(&[SourceFile::new("a.pica", text)], Options::default())
}

fn code(text: &str) -> Vec<u32> {
    one(&format!(".proc main\n{text}\n.end\n")).unwrap_or_else(|errors| panic!("{errors}")).program.code
}

/// The worked encodings of pica-shader.md 2.6, in its order, with the descriptors they end up sharing.
#[test]
fn worked_encodings() {
    let shbin = one(".proc main
        mov r0, v0
        mov r1.x, v0.y
        add r2.xy, c3[a0.x].yz, -r1
        dp3 r3, c4, r2
        dph r3.w, r2, c7[aL+2]
        mad r4, r0, c1, r2
        mad r5.x, r0.y, r1.z, c2.w
        cmp r0.xy, lt, ge, r1.yx
        mova a0.xy, r1
        rcp r6, r5.w
        breakc !cmp.x || cmp.y
        setemit 2, prim inv
        nop
        end
        .end")
    .unwrap();
    let expected = [
        0x4e00_0000,
        0x4e20_0001,
        0x024a_3882,
        0x0662_4900,
        0x627c_9483,
        0xf420_8640,
        0xd521_1441,
        0xbaa1_0884,
        0x4801_1004,
        0x3ac1_5005,
        0x8d00_0000,
        0xaec0_0000,
        0x8400_0000,
        0x8800_0000,
    ];
    assert_eq!(shbin.program.code, expected);
    let descriptors: Vec<_> = shbin.program.descriptors.iter().map(|pair| pair[0]).collect();
    assert_eq!(descriptors, [0x0d86_c36f, 0x6020_0aa8, 0x6_ed4c, 0x6_c361, 0x10_02ac, 0x1fef]);
}

#[test]
fn blocks_and_their_padding() {
    // A NOP in an if without words, one where two blocks end together, one behind a jump.
    let words = code("ifc cmp.x && !cmp.y\nfor i1\n.end\n.else\njmpu !b3, out\n.end\nout: end");
    assert_eq!(
        words,
        [
            0xa240_0000 | 4 << 10 | 2,
            0xa440_0000 | 2 << 10,
            0x8400_0000,
            0x8400_0000,
            0xb4c0_0001 | 6 << 10,
            0x8400_0000,
            0x8800_0000
        ]
    );
}

#[test]
fn no_nop_warns_instead() {
    let file = SourceFile::new("a.pica", ".proc main\nifu b0\n.end\nend\n.end");
    let (shbin, warnings) = assemble_with_warnings(&[file], Options { no_nop: true }).unwrap();
    assert_eq!(shbin.program.code, [0x9c00_0400, 0x8800_0000]);
    assert_eq!(
        warnings[0].to_string(),
        "a.pica:3:1: warning: a NOP belongs before the end of this block\n.end\n^^^^"
    );
}

#[test]
fn geometry_comes_from_gsh() {
    let stage = |text| one(text).unwrap().executables[0].stage;
    use crate::pica::shader::shbin::Stage;
    assert_eq!(stage(".proc main\nend\n.end"), Stage::Vertex);
    assert_eq!(stage(".gsh\n.proc main\nend\n.end"), Stage::Geometry);
    assert_eq!(stage(".proc main\nsetemit 0\nend\n.end"), Stage::Geometry);
    let shbin = one(".gsh fixed c20 c4 4\n.fvec a\n.out - dummy\n.proc main\nend\n.end").unwrap();
    let dvle = &shbin.executables[0];
    assert_eq!((dvle.stage, dvle.merge, dvle.uniforms[0].first), (Stage::Geometry, true, 0x10 + 20));
    assert_eq!(
        dvle.geometry,
        GeometryMode { mode: 2, fixed_start: 4, variable_vertices: 0, fixed_vertices: 4 }
    );
}

#[test]
fn aliases_compose() {
    let words = code(".alias a -r1.wzyx\n.alias b -a.xy\nmov r0, b");
    assert_eq!(words, [0x4e01_1000]);
    let shbin = one(".alias a -r1.wzyx\n.alias b -a.xy\n.proc main\nmov r0, -b.y\n.end").unwrap();
    // b = r1.wzzz; -b.y = -r1.z in every lane.
    assert_eq!(shbin.program.descriptors, [[0xf | 1 << 4 | 0xaa << 5, 0]]);
}

#[test]
fn descriptors_below_32_for_mad() {
    // 40 descriptors by distinct swizzles of dp4, then a mad that needs one of its own.
    let letters = ["x", "y", "z", "w"];
    let mut text = String::new();
    for n in 0..40 {
        let selector: String = [n / 16, n / 4 % 4, n % 4].map(|i| letters[i % 4]).concat();
        text += &format!("dp4 r0, c0.{selector}x, r1\n");
    }
    let words = code(&format!("{text}mad r1, -r2, -r3, -r4\n"));
    assert_eq!(words[40] & 31, 0, "the lowest id goes to the mad");
    assert_eq!(words[0] & 127, 40, "and its user follows");
    assert_eq!(words[1] & 127, 1);
}

#[test]
fn positions_of_a_preprocessor() {
    let errors = one("# 7 \"b.pica\"\n\tfoo r0\n").unwrap_err();
    assert!(
        errors.0[0].to_string().starts_with("b.pica:7:2: error: unknown instruction `foo`\n\tfoo r0\n\t^^^")
    );
}

#[test]
fn extensions() {
    let shbin = one(
        ".nodvle\n.opdesc 1 0x36f 5\n.raw\nmov r0, v15 @1\nifc cmp.x, l, 3\nl: sgei r0, r1, r2 @1\n.word 0x40000000\n.file b\n.entry 1 4\n",
    );
    let errors = shbin.unwrap_err();
    assert!(
        errors.to_string().contains("descriptor 1 (0000036f) does not say what the operands say"),
        "{errors}"
    );
    let shbin = one(".nodvle\n.opdesc 1 0x36f 5\n.raw\nmov r0, v15 @1\nifc cmp.x, l, 3\nl: call 7, 2\n.word 0x40000000\n.file b\n.entry 1 4\n").unwrap();
    assert_eq!(shbin.program.code, [0x4e00_f001, 0xa380_0803, 0x9000_1c02, 0x4000_0000]);
    assert_eq!(shbin.program.descriptors, [[0, 0], [0x36f, 5]]);
    assert_eq!((shbin.executables[0].entry, shbin.executables[0].end), (1, 4));
}
