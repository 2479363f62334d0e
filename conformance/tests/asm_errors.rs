//! A gallery of error messages: each source with exactly what is printed.

use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};

struct Case {
    title: &'static str,
    source: &'static str,
    /// The printed lines.
    expected: &'static [&'static str],
}

const GALLERY: &[Case] = &[
    Case {
        title: "a register that does not exist",
        source: ".proc main\n\tmov r0, q1\n.end\n",
        expected: &[
            "a.v.pica:2:10: error: `q1` is neither a register nor declared",
            "\tmov r0, q1",
            "\t        ^^",
        ],
    },
    Case {
        title: "a register number out of range",
        source: ".proc main\n\tmov r16, v0\n.end\n",
        expected: &[
            "a.v.pica:2:6: error: there is no register `r16` here: r0 to r15",
            "\tmov r16, v0",
            "\t    ^^^",
        ],
    },
    Case {
        title: "the sixteenth input cannot be named",
        source: ".proc main\n\tmov r0, v15\n.end\n",
        expected: &[
            "a.v.pica:2:10: error: there is no register `v15` here: v0 to v14",
            "\tmov r0, v15",
            "\t        ^^^",
        ],
    },
    Case {
        title: "o7 in a geometry file",
        source: ".gsh point c0\n.proc main\n\tmov o7, v0\n.end\n",
        expected: &[
            "a.v.pica:3:6: error: there is no register `o7` here: o0 to o6",
            "\tmov o7, v0",
            "\t    ^^",
        ],
    },
    Case {
        title: "an unknown instruction",
        source: ".proc main\n\tmovv r0, v0\n.end\n",
        expected: &["a.v.pica:2:2: error: unknown instruction `movv`", "\tmovv r0, v0", "\t^^^^"],
    },
    Case {
        title: "too few operands",
        source: ".proc main\n\tadd r0, r1\n.end\n",
        expected: &["a.v.pica:2:2: error: `add` is written add dst, src1, src2", "\tadd r0, r1", "\t^^^"],
    },
    Case {
        title: "an empty operand",
        source: ".proc main\n\tadd r0,, r1\n.end\n",
        expected: &["a.v.pica:2:9: error: an operand is missing", "\tadd r0,, r1", "\t       ^"],
    },
    Case {
        title: "a missing comma",
        source: ".proc main\n\tmov r0 v0\n.end\n",
        expected: &["a.v.pica:2:2: error: `mov` is written mov dst, src", "\tmov r0 v0", "\t^^^"],
    },
    Case {
        title: "operands of an instruction without any",
        source: ".proc main\n\tend r0\n.end\n",
        expected: &["a.v.pica:2:6: error: `end` takes no operands", "\tend r0", "\t    ^^"],
    },
    Case {
        title: "a constant in the narrow source",
        source: ".proc main\n\tadd r0, r1, c2\n.end\n",
        expected: &[
            "a.v.pica:2:14: error: `add` can read a `c` register as first source only",
            "\tadd r0, r1, c2",
            "\t            ^^",
        ],
    },
    Case {
        title: "two constants",
        source: ".proc main\n\tmad r0, r1, c2, c3\n.end\n",
        expected: &[
            "a.v.pica:2:18: error: only one source can be a `c` register",
            "\tmad r0, r1, c2, c3",
            "\t                ^^",
        ],
    },
    Case {
        title: "two inputs",
        source: ".proc main\n\tadd r0, v0, v1\n.end\n",
        expected: &[
            "a.v.pica:2:14: error: an instruction cannot read two different `v` registers",
            "\tadd r0, v0, v1",
            "\t            ^^",
        ],
    },
    Case {
        title: "an index on a narrow source",
        source: ".alias a r3\n.proc main\n\tadd r0, r1, a[aL]\n.end\n",
        expected: &[
            "a.v.pica:3:14: error: an index register cannot stand here",
            "\tadd r0, r1, a[aL]",
            "\t            ^^^^^",
        ],
    },
    Case {
        title: "an index on a temporary",
        source: ".proc main\n\tmov r0, r1[a0.x]\n.end\n",
        expected: &[
            "a.v.pica:2:10: error: an index register needs a `c` register or an alias",
            "\tmov r0, r1[a0.x]",
            "\t        ^^^^^^^^",
        ],
    },
    Case {
        title: "an unknown index register",
        source: ".proc main\n\tmov r0, c1[aX+2]\n.end\n",
        expected: &[
            "a.v.pica:2:13: error: `aX` is not an index register: a0.x, a0.y, aL",
            "\tmov r0, c1[aX+2]",
            "\t           ^^",
        ],
    },
    Case {
        title: "a negative offset",
        source: ".proc main\n\tmov r0, c1[-2]\n.end\n",
        expected: &[
            "a.v.pica:2:13: error: an offset cannot be negative",
            "\tmov r0, c1[-2]",
            "\t           ^^",
        ],
    },
    Case {
        title: "an offset out of the file",
        source: ".proc main\n\tmov r0, c90[6]\n.end\n",
        expected: &[
            "a.v.pica:2:10: error: offset 6 leaves the registers of `c90`",
            "\tmov r0, c90[6]",
            "\t        ^^^",
        ],
    },
    Case {
        title: "an unclosed bracket",
        source: ".proc main\n\tmov r0, c90[6\n.end\n",
        expected: &["a.v.pica:2:14: error: `[` without `]`", "\tmov r0, c90[6", "\t            ^"],
    },
    Case {
        title: "a component that does not exist",
        source: ".proc main\n\tmov r0, r1.xyq2\n.end\n",
        expected: &[
            "a.v.pica:2:13: error: `xyq2` is not a swizzle of xyzw, rgba or stpq",
            "\tmov r0, r1.xyq2",
            "\t           ^^^^",
        ],
    },
    Case {
        title: "a swizzle without components",
        source: ".proc main\n\tmov r0, r1.\n.end\n",
        expected: &[
            "a.v.pica:2:10: error: components are missing after `.`",
            "\tmov r0, r1.",
            "\t        ^^^",
        ],
    },
    Case {
        title: "a swizzle of five components",
        source: ".proc main\n\tmov r0, r1.xyzwx\n.end\n",
        expected: &[
            "a.v.pica:2:13: error: a swizzle has one to four components",
            "\tmov r0, r1.xyzwx",
            "\t           ^^^^^",
        ],
    },
    Case {
        title: "an input as destination",
        source: ".proc main\n\tmov v0, r1\n.end\n",
        expected: &["a.v.pica:2:6: error: `v0` cannot be written", "\tmov v0, r1", "\t    ^^"],
    },
    Case {
        title: "a constant as destination",
        source: ".proc main\n\tmov c0, r1\n.end\n",
        expected: &["a.v.pica:2:6: error: `c0` cannot be written", "\tmov c0, r1", "\t    ^^"],
    },
    Case {
        title: "a negated destination",
        source: ".proc main\n\tmov -r0, r1\n.end\n",
        expected: &["a.v.pica:2:6: error: a destination cannot be negated", "\tmov -r0, r1", "\t    ^^^"],
    },
    Case {
        title: "an indexed destination",
        source: ".alias a r3\n.proc main\n\tmov a[aL], r1\n.end\n",
        expected: &["a.v.pica:3:6: error: a destination cannot be indexed", "\tmov a[aL], r1", "\t    ^^^^^"],
    },
    Case {
        title: "an output as source",
        source: ".proc main\n\tmov r0, o1\n.end\n",
        expected: &[
            "a.v.pica:2:10: error: `o1` is an output and cannot be read",
            "\tmov r0, o1",
            "\t        ^^",
        ],
    },
    Case {
        title: "a boolean as source",
        source: ".proc main\n\tmov r0, b1\n.end\n",
        expected: &["a.v.pica:2:10: error: `b1` is not a vector", "\tmov r0, b1", "\t        ^^"],
    },
    Case {
        title: "an unknown comparison",
        source: ".proc main\n\tcmp r0, lt, xx, r1\n.end\n",
        expected: &[
            "a.v.pica:2:14: error: `xx` is not a comparison: eq ne lt le gt ge",
            "\tcmp r0, lt, xx, r1",
            "\t            ^^",
        ],
    },
    Case {
        title: "an unknown flag",
        source: ".proc main\n\tifc cmp.z\n\tnop\n\t.end\n.end\n",
        expected: &[
            "a.v.pica:2:6: error: `cmp.z` is not a condition: cmp.x or cmp.y",
            "\tifc cmp.z",
            "\t    ^^^^^",
        ],
    },
    Case {
        title: "one flag twice",
        source: ".proc main\n\tjmpc cmp.x && !cmp.x, l\nl:\tend\n.end\n",
        expected: &[
            "a.v.pica:2:7: error: a condition names each flag once",
            "\tjmpc cmp.x && !cmp.x, l",
            "\t     ^^^^^^^^^^^^^^^",
        ],
    },
    Case {
        title: "a wrong address register",
        source: ".proc main\n\tmova a0.z, r1\n.end\n",
        expected: &[
            "a.v.pica:2:7: error: `a0.z` is not an address register: a0.x, a0.y, a0.xy",
            "\tmova a0.z, r1",
            "\t     ^^^^",
        ],
    },
    Case {
        title: "a vertex id out of range",
        source: ".proc main\n\tsetemit 3\n.end\n",
        expected: &["a.v.pica:2:10: error: a vertex id is between 0 and 2", "\tsetemit 3", "\t        ^"],
    },
    Case {
        title: "an unknown emit flag",
        source: ".proc main\n\tsetemit 1, prim foo\n.end\n",
        expected: &[
            "a.v.pica:2:18: error: `foo` is not a flag: prim, inv",
            "\tsetemit 1, prim foo",
            "\t                ^^^",
        ],
    },
    Case {
        title: "an integer uniform for a boolean",
        source: ".proc main\n\tifu i0\n\tnop\n\t.end\n.end\n",
        expected: &["a.v.pica:2:6: error: `i0` is not a boolean uniform", "\tifu i0", "\t    ^^"],
    },
    Case {
        title: "an undefined label",
        source: ".proc main\n\tjmpu b0, nowhere\n.end\n",
        expected: &[
            "a.v.pica:2:11: error: there is no label `nowhere` in this file",
            "\tjmpu b0, nowhere",
            "\t         ^^^^^^^",
        ],
    },
    Case {
        title: "an undefined procedure",
        source: ".proc main\n\tcall nowhere\n.end\n",
        expected: &[
            "a.v.pica:2:7: error: there is no procedure `nowhere`",
            "\tcall nowhere",
            "\t     ^^^^^^^",
        ],
    },
    Case {
        title: "a label defined twice",
        source: ".proc main\nl:\tnop\nl:\tend\n.end\n",
        expected: &["a.v.pica:3:1: error: label `l` is already defined in this file", "l:\tend", "^"],
    },
    Case {
        title: "a procedure defined twice",
        source: ".proc main\n\tend\n.end\n.proc main\n\tend\n.end\n",
        expected: &["a.v.pica:4:7: error: procedure `main` is already defined", ".proc main", "      ^^^^"],
    },
    Case {
        title: "a missing entry procedure",
        source: ".entry start\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:1:8: error: there is no entry procedure `start`",
            ".entry start",
            "       ^^^^^",
        ],
    },
    Case {
        title: "no main",
        source: ".proc shade\n\tend\n.end\n",
        expected: &["a.v.pica:3:1: error: there is no entry procedure `main`", ".end", "^"],
    },
    Case {
        title: "no end",
        source: ".proc main\n\tifu b0\n\tend\n",
        expected: &[
            "a.v.pica:1:7: error: this block has no `.end`",
            ".proc main",
            "      ^^^^",
            "a.v.pica:2:2: error: this block has no `.end`",
            "\tifu b0",
            "\t^^^",
        ],
    },
    Case {
        title: "end without a block",
        source: ".end\n",
        expected: &["a.v.pica:1:1: error: `.end` without an open block", ".end", "^^^^"],
    },
    Case {
        title: "else without if",
        source: ".proc main\n\t.else\n.end\n",
        expected: &["a.v.pica:2:2: error: `.else` outside an if block", "\t.else", "\t^^^^^"],
    },
    Case {
        title: "a second else",
        source: ".proc main\n\tifu b0\n\tnop\n\t.else\n\tnop\n\t.else\n\t.end\n.end\n",
        expected: &["a.v.pica:6:2: error: a second `.else`", "\t.else", "\t^^^^^"],
    },
    Case {
        title: "an instruction outside a procedure",
        source: "\tnop\n\tnop\n",
        expected: &["a.v.pica:1:2: error: an instruction outside a procedure", "\tnop", "\t^^^"],
    },
    Case {
        title: "an unknown directive",
        source: ".foo\n.proc main\n\tend\n.end\n",
        expected: &["a.v.pica:1:1: error: unknown directive `.foo`", ".foo", "^^^^"],
    },
    Case {
        title: "a name that is not one",
        source: ".alias 1a r0\n.proc main\n\tend\n.end\n",
        expected: &["a.v.pica:1:8: error: `1a` is not a name", ".alias 1a r0", "       ^^"],
    },
    Case {
        title: "a name declared twice",
        source: ".fvec a\n.constf a(1, 2, 3, 4)\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:2:9: error: `a` is already declared in this file",
            ".constf a(1, 2, 3, 4)",
            "        ^",
        ],
    },
    Case {
        title: "a register as a name",
        source: ".fvec c1\n.proc main\n\tend\n.end\n",
        expected: &["a.v.pica:1:7: error: `c1` is a register", ".fvec c1", "      ^^"],
    },
    Case {
        title: "no room for uniforms",
        source: ".fvec a[90]\n.fvec b[7]\n.proc main\n\tend\n.end\n",
        expected: &["a.v.pica:2:7: error: no room for `b`: 7 wanted at register 90", ".fvec b[7]", "      ^"],
    },
    Case {
        title: "no room for constants",
        source: ".fvec a[96]\n.constf b(1, 2, 3, 4)\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:2:9: error: no register is free for a constant: 1 wanted",
            ".constf b(1, 2, 3, 4)",
            "        ^",
        ],
    },
    Case {
        title: "three values of four",
        source: ".constf a(1, 2, 3)\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:1:11: error: four values are wanted, 3 given",
            ".constf a(1, 2, 3)",
            "          ^^^^^^^",
        ],
    },
    Case {
        title: "an array that is too small",
        source: ".constfa a[1]\n.constfa (1, 2, 3, 4)\n.constfa (5, 6, 7, 8)\n.end\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:3:10: error: more elements than `a` has",
            ".constfa (5, 6, 7, 8)",
            "         ^^^^^^^^^^^^",
        ],
    },
    Case {
        title: "an empty array",
        source: ".constfa a[]\n.end\n.proc main\n\tend\n.end\n",
        expected: &["a.v.pica:2:1: error: the array `a` is empty", ".end", "^^^^"],
    },
    Case {
        title: "a boolean that is not one",
        source: ".setb b0 maybe\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:1:10: error: a boolean is one of true, on, 1, false, off, 0",
            ".setb b0 maybe",
            "         ^^^^^",
        ],
    },
    Case {
        title: "a constant for the wrong kind of register",
        source: ".setf i0(1, 2, 3, 4)\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:1:7: error: `i0` is not a register that this directive sets",
            ".setf i0(1, 2, 3, 4)",
            "      ^^",
        ],
    },
    Case {
        title: "an unknown property",
        source: ".out a colour\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:1:8: error: `colour` is not a property: position, normalquat, color, texcoord0, texcoord0w, texcoord1, texcoord2, view, dummy",
            ".out a colour",
            "       ^^^^^^",
        ],
    },
    Case {
        title: "a component with two meanings",
        source: ".out a position\n.out b color o0.x\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:2:6: error: a component of o0 already has a meaning",
            ".out b color o0.x",
            "     ^^^^^^^^^^^^",
        ],
    },
    Case {
        title: "a high output that is not a dummy",
        source: ".out - color o8\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:1:6: error: o7 to o15 can only be dummy outputs",
            ".out - color o8",
            "     ^^^^^^^^^^",
        ],
    },
    Case {
        title: "an input twice",
        source: ".in a v3\n.in b v3\n.proc main\n\tend\n.end\n",
        expected: &["a.v.pica:2:5: error: v3 already has a name", ".in b v3", "    ^^^^"],
    },
    Case {
        title: ".gsh too late",
        source: ".fvec a\n.gsh point c0\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:2:1: error: `.gsh` must stand once, before constants, uniforms and outputs",
            ".gsh point c0",
            "^^^^",
        ],
    },
    Case {
        title: ".gsh without a mode that exists",
        source: ".gsh sometimes c0\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:1:6: error: `.gsh` is followed by `point cF`, `variable cF n` or `fixed cF cS n`",
            ".gsh sometimes c0",
            "     ^^^^^^^^^",
        ],
    },
    Case {
        title: "a vertex array above the uniforms",
        source: ".gsh fixed c4 c8 3\n.proc main\n\tend\n.end\n",
        expected: &[
            "a.v.pica:1:15: error: the vertex array must start below the uniforms",
            ".gsh fixed c4 c8 3",
            "              ^^",
        ],
    },
    Case {
        title: "nothing to do",
        source: "; only a comment\n",
        expected: &["a.v.pica:1:1: error: no file asks for an executable"],
    },
    Case {
        title: "a descriptor that disagrees with the operands",
        source: ".opdesc 0 0x36f\n.proc main\n\tmov r0.x, v0 @0\n.end\n",
        expected: &[
            "a.v.pica:3:16: error: descriptor 0 (0000036f) does not say what the operands say",
            "\tmov r0.x, v0 @0",
            "\t              ^",
        ],
    },
    Case {
        title: "a descriptor for an instruction without one",
        source: ".proc main\n\tend @0\n.end\n",
        expected: &["a.v.pica:2:7: error: `end` has no operand descriptor", "\tend @0", "\t     ^"],
    },
    Case {
        title: "several errors at once",
        source: ".proc main\n\tmov r0, q1\n\tmov r99, r0\n\tfoo\n.end\n",
        expected: &[
            "a.v.pica:2:10: error: `q1` is neither a register nor declared",
            "\tmov r0, q1",
            "\t        ^^",
            "a.v.pica:3:6: error: there is no register `r99` here: r0 to r15",
            "\tmov r99, r0",
            "\t    ^^^",
            "a.v.pica:4:2: error: unknown instruction `foo`",
            "\tfoo",
            "\t^^^",
        ],
    },
];

#[test]
fn gallery() {
    for Case { title, source, expected } in GALLERY {
        let errors = assemble(&[SourceFile::new("a.v.pica", *source)], Options::default()).unwrap_err();
        assert_eq!(errors.to_string().lines().collect::<Vec<_>>(), *expected, "{title}");
    }
}

#[test]
fn errors_name_the_file_they_are_in() {
    let good = SourceFile::new("good.v.pica", ".proc main\n\tcall shared\n\tend\n.end\n");
    let bad = SourceFile::new("bad.v.pica", ".nodvle\n.proc shared\n\tmov r0\n.end\n");
    let errors = assemble(&[good, bad], Options::default()).unwrap_err();
    assert_eq!(errors.to_string(), "bad.v.pica:3:2: error: `mov` is written mov dst, src\n\tmov r0\n\t^^^");
}

#[test]
fn gives_up_after_twenty_errors() {
    let text = format!(".proc main\n{}.end\n", "\tfoo\n".repeat(50));
    let errors = assemble(&[SourceFile::new("a.v.pica", text)], Options::default()).unwrap_err();
    assert_eq!(errors.0.len(), 20);
}
