//! The pixel pipeline and transfers, D2 to EE.

use super::textures::FORMATS;
use super::{COLOUR, Class, Command, Field, Kind, OFF_ON, POSITION, TESTS, field};
use crate::ge::regs::fields::{self, Bits};
use crate::ge::regs::pixel::{Blending, ClearMode, MaskedTest, StencilOps};

const PSM: &[Field] = &[field("", fields::PSM, FORMATS)];
const CLEAR: &[Field] = &[
    field("mode", Bits::named(ClearMode::FIELDS, "enable"), OFF_ON),
    field("colour", Bits::named(ClearMode::FIELDS, "colour"), OFF_ON),
    field("alpha", Bits::named(ClearMode::FIELDS, "alpha"), OFF_ON),
    field("depth", Bits::named(ClearMode::FIELDS, "depth"), OFF_ON),
];
const DEPTH: &[Field] = &[field("", fields::SHORT, Kind::Number)];
const COLOUR_TEST_MASK: &[Field] = &[field("", fields::ARGUMENT, Kind::Hex)];
const CTST: &[Field] = &[field("", fields::CTST, Kind::Choice(&["never", "always", "equal", "not equal"]))];
const TEST: &[Field] = &[
    field("", Bits::named(MaskedTest::FIELDS, "func"), TESTS),
    field("reference", Bits::named(MaskedTest::FIELDS, "reference"), Kind::Number),
    field("mask", Bits::named(MaskedTest::FIELDS, "mask"), Kind::Hex),
];
const STENCIL: Kind = Kind::Choice(&["keep", "zero", "replace", "invert", "increment", "decrement", "keep"]);
const SOP: &[Field] = &[
    field("fail", Bits::named(StencilOps::FIELDS, "fail"), STENCIL),
    field("depth fail", Bits::named(StencilOps::FIELDS, "depth_fail"), STENCIL),
    field("pass", Bits::named(StencilOps::FIELDS, "pass"), STENCIL),
];
const ZTST: &[Field] = &[field("", fields::ZTST, TESTS)];
const SOURCE: Kind = Kind::Choice(&[
    "destination colour",
    "inverse destination colour",
    "source alpha",
    "inverse source alpha",
    "destination alpha",
    "inverse destination alpha",
    "double source alpha",
    "inverse double source alpha",
    "double destination alpha",
    "inverse double destination alpha",
    "fixed",
]);
const DESTINATION: Kind = Kind::Choice(&[
    "source colour",
    "inverse source colour",
    "source alpha",
    "inverse source alpha",
    "destination alpha",
    "inverse destination alpha",
    "double source alpha",
    "inverse double source alpha",
    "double destination alpha",
    "inverse double destination alpha",
    "fixed",
]);
const ALPHA: &[Field] = &[
    field("source", Bits::named(Blending::FIELDS, "source"), SOURCE),
    field("destination", Bits::named(Blending::FIELDS, "destination"), DESTINATION),
    field(
        "equation",
        Bits::named(Blending::FIELDS, "equation"),
        Kind::Choice(&[
            "add",
            "subtract",
            "reverse subtract",
            "minimum",
            "maximum",
            "absolute difference",
            "copy",
        ]),
    ),
];
const DITHER: &[Field] = &[field("", fields::SHORT, Kind::Nibbles)];
const LOP: &[Field] = &[field(
    "",
    fields::LOP,
    Kind::Choice(&[
        "clear",
        "and",
        "and reverse",
        "copy",
        "and inverted",
        "nothing",
        "xor",
        "or",
        "nor",
        "equivalent",
        "inverted",
        "or reverse",
        "copy inverted",
        "or inverted",
        "nand",
        "set",
    ]),
)];
const PROTECTED: Kind = Kind::Choice(&["written", "protected"]);
const ZMSK: &[Field] = &[field("", fields::SWITCH, PROTECTED)];
const COLOUR_MASK: &[Field] = &[field("protected", fields::ARGUMENT, Kind::Hex)];
const ALPHA_MASK: &[Field] = &[field("protected", fields::BYTE, Kind::Hex)];
const TRXKICK: &[Field] = &[field("elements", fields::SWITCH, Kind::Choice(&["16 bits", "32 bits"]))];
const TRXSIZE: &[Field] =
    &[field("width", fields::PIXEL_X, Kind::PlusOne), field("height", fields::PIXEL_Y, Kind::PlusOne)];

pub(super) fn command(number: u8) -> Command {
    let state = |name: &'static str, meaning: &'static str, fields| Command::state(name, meaning, fields);
    match number {
        0xd2 => state("PSM", "frame buffer format", PSM),
        0xd3 => state("CLEAR", "clear mode", CLEAR),
        0xd4 => state("SCISSOR1", "scissor minimum", POSITION),
        0xd5 => state("SCISSOR2", "scissor maximum", POSITION),
        0xd6 => state("NEARZ", "least depth", DEPTH),
        0xd7 => state("FARZ", "greatest depth", DEPTH),
        0xd8 => state("CTST", "colour test", CTST),
        0xd9 => state("CREF", "colour reference", COLOUR),
        0xda => state("CMSK", "colour mask of the test", COLOUR_TEST_MASK),
        0xdb => state("ATST", "alpha test", TEST),
        0xdc => state("STST", "stencil test", TEST),
        0xdd => state("SOP", "stencil operations", SOP),
        0xde => state("ZTST", "depth test", ZTST),
        0xdf => state("ALPHA", "blending", ALPHA),
        0xe0 => state("SFIX", "fixed source factor", COLOUR),
        0xe1 => state("DFIX", "fixed destination factor", COLOUR),
        0xe2..=0xe5 => {
            let row = number - 0xe2;
            Command::state(format!("DTH{row}"), format!("dither row {row}"), DITHER)
        }
        _ => output(number),
    }
}

fn output(number: u8) -> Command {
    let state = |name: &'static str, meaning: &'static str, fields| Command::state(name, meaning, fields);
    match number {
        0xe6 => state("LOP", "logic operation", LOP),
        0xe7 => state("ZMSK", "depth write mask", ZMSK),
        0xe8 => state("PMSKC", "colour write mask", COLOUR_MASK),
        0xe9 => state("PMSKA", "alpha write mask", ALPHA_MASK),
        0xea => Command::new("TRXKICK", "transfer", Class::Action, TRXKICK),
        0xeb => state("TRXSPOS", "transfer source position", POSITION),
        0xec => state("TRXDPOS", "transfer destination position", POSITION),
        0xee => state("TRXSIZE", "transfer size", TRXSIZE),
        _ => Command::nothing(number),
    }
}
