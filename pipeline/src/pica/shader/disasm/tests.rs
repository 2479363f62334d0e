use super::*;

#[test]
fn lines() {
    let line = |word, descriptor| super::line(Instruction(word), OperandDescriptor(descriptor));
    assert_eq!(line(0x024a_3882, 0x0006_ed4c), "add r2.xy, c3[a0.x].yz, -r1");
    assert_eq!(line(0xf420_8640, 0x0d86_c36f), "mad r4, r0, c1, r2");
    assert_eq!(line(0xbaa1_0884, 0x0010_02ac), "cmp r0.xy, lt, ge, r1.yx");
    assert_eq!(line(0xa240_3001, 0), "ifc cmp.x && !cmp.y, 0x00c, 1");
    assert_eq!(line(0xaec0_0000, 0), "setemit 2, prim inv");
    assert_eq!(line(0xbfe1_0884, 0x0010_02ac), ".word 0xbfe10884 ; cmp");
    assert_eq!(line(0x4000_0000, 0), ".word 0x40000000 ; undefined");
}

fn assembled(text: &str) -> Shbin {
    let file = SourceFile::new("test", text);
    assemble(&[file], Options::default()).unwrap_or_else(|errors| panic!("{errors}"))
}

const PLAIN: &str = "\
.in pos v0
.fvec _gap0[4]
.fvec mat[2]
.bool lit
.out - position o0
.out - texcoord0 o1.xy
.setf c95(0.0, 1.0, -inf, 0.1)
.setb b3 true
.entry main

.proc proc_000
	dp4 o0.x, mat[0], pos
	dp4 o0.y, mat[aL+1], -r1
.end

.proc main
	ifu lit
		call proc_000
		nop
	.else
		for i2
			add r0, c95, pos
			breakc !cmp.x
			nop
		.end
		jmpu !b2, l_00b
		nop
	.end
l_00b:
	end
.end
";

/// The plain form of a program in the plain form is itself.
#[test]
fn plain_form() {
    let text = disassemble(&assembled(PLAIN));
    assert_eq!(text, PLAIN);
}

#[test]
fn pinned_form() {
    let mut shbin = assembled(".proc main\nifc cmp.x\nmov r0.xy, v0.yx\nmad r1, r2, r3, c4\n.end\nend\n.end");
    shbin.program.descriptors[1][0] |= 0x8000_0000;
    shbin.program.code.push(0x4000_0000);
    let expected = "\
.entry main
.opdesc 0 0x0000080c
.opdesc 1 0x8d86c36f

.raw

.proc main
	ifc cmp.x
		mov r0.xy, v0.yx @0
		madi r1, r2, r3, c4 @1
	.end
	end
.end

.proc rest_004
	.word 0x40000000 ; undefined
.end
";
    let text = disassemble(&shbin);
    assert_eq!(text, expected);
}

#[test]
fn flat_form() {
    // The call reaches into the middle of the program that the entry covers.
    let text = disassemble_words(&[0x9000_0402, 0x4c00_0000, 0x8800_0000, 0x27_u32 << 26 | 9 << 10], &[0xf]);
    let expected = "\
.entry 0x0 0x4
.opdesc 0 0x0000000f

.raw
	call l_001, 2
l_001:
	mov o0, v0.x @0
	end
	ifu b0, 0x009, 0
";
    assert_eq!(text, expected);
}

#[test]
fn no_program_at_all() {
    let text = disassemble(&Shbin::default());
    assert!(assembled(&text).program.code.is_empty());
    assert_eq!(assembled(&disassemble_words(&[], &[])).program, Dvlp::default());
}
