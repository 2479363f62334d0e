//! Vertex formats, matrices, patches, viewport (12, 29 to 52), and immediate vertices (F0 to F9).

use super::{BYTE, COLOUR, Class, Command, FLOAT, Field, Kind, SWITCH, field};
use crate::ge::regs::fields;

const FORMATS: Kind = Kind::Choice(&["none", "bytes", "shorts", "floats"]);
const VTYPE: &[Field] = &[
    field("texture", fields::VTYPE_TEXTURE, FORMATS),
    field(
        "colour",
        fields::VTYPE_COLOUR,
        Kind::Choice(&["none", "none", "none", "none", "5650", "5551", "4444", "8888"]),
    ),
    field("normal", fields::VTYPE_NORMAL, FORMATS),
    field("position", fields::VTYPE_POSITION, FORMATS),
    field("weight", fields::VTYPE_WEIGHT, FORMATS),
    field("index", fields::VTYPE_INDEX, Kind::Choice(&["none", "bytes", "shorts", "words"])),
    field("weights", fields::VTYPE_WEIGHTS, Kind::PlusOne),
    field("morphs", fields::VTYPE_MORPHS, Kind::PlusOne),
    field("mode", fields::VTYPE_THROUGH, Kind::Choice(&["normal", "through"])),
];
const BONE_NUMBER: &[Field] = &[field("element", fields::BONE_ELEMENT, Kind::Number)];
const MATRIX_NUMBER: &[Field] = &[field("element", fields::MATRIX_ELEMENT, Kind::Number)];
const PSUB: &[Field] = &[field("u", fields::PSUB_U, Kind::Number), field("v", fields::PSUB_V, Kind::Number)];
const PPRIM: &[Field] = &[field("", fields::PPRIM, Kind::Choice(&["triangles", "lines", "points"]))];
const PFACE: &[Field] = &[field("normals", fields::SWITCH, Kind::Choice(&["as they are", "reversed"]))];
const FIXED: &[Field] = &[field("", fields::SHORT, Kind::Fixed)];
const SHADE: &[Field] = &[field("", fields::SWITCH, Kind::Choice(&["flat", "Gouraud"]))];
const DEPTH: &[Field] = &[field("", fields::SHORT, Kind::Number)];
const VAP: &[Field] = &[
    field("alpha", fields::VAP_ALPHA, Kind::Number),
    field("type", fields::VAP_TYPE, Kind::Number),
    field("flags", fields::VAP_FLAGS, Kind::Hex),
];

const MATRICES: [(&str, &str); 5] = [
    ("BOFS BONE", "bone matrices"),
    ("WMS WORLD", "world matrix"),
    ("VMS VIEW", "view matrix"),
    ("PMS PROJ", "projection matrix"),
    ("TMS TMATRIX", "texture matrix"),
];
const VIEWPORT: [(&str, &str); 10] = [
    ("XSCALE", "viewport scale x"),
    ("YSCALE", "viewport scale y"),
    ("ZSCALE", "viewport scale z"),
    ("XPOS", "viewport centre x"),
    ("YPOS", "viewport centre y"),
    ("ZPOS", "viewport centre z"),
    ("USCALE", "texture scale u"),
    ("VSCALE", "texture scale v"),
    ("UOFFSET", "texture offset u"),
    ("VOFFSET", "texture offset v"),
];

/// Description of the command that sets the counter of a matrix, or of the one that writes its elements.
fn matrix(number: u8) -> Command {
    let first = if number < 0x3a { 0x2a } else { 0x3a - 2 };
    let (n, is_data) = ((number - first) / 2, (number - first) % 2 == 1);
    let (names, of) = MATRICES[usize::from(n)];
    let (counter, data) = names.split_once(' ').unwrap_or((names, names));
    if is_data {
        return Command::new(data, format!("{of}, element"), Class::Matrix, FLOAT);
    }
    let fields = if n == 0 { BONE_NUMBER } else { MATRIX_NUMBER };
    Command::new(counter, format!("{of}, counter"), Class::Matrix, fields)
}

pub(super) fn command(number: u8) -> Command {
    let state = |name: &'static str, meaning: &'static str, fields| Command::state(name, meaning, fields);
    match number {
        0x12 => state("VTYPE", "vertex type", VTYPE),
        0x2a | 0x2b | 0x3a..=0x41 => matrix(number),
        0x2c..=0x33 => {
            let n = number - 0x2c;
            Command::state(format!("MW{n}"), format!("morph weight {n}"), FLOAT)
        }
        0x36 => state("PSUB", "patch divisions", PSUB),
        0x37 => state("PPRIM", "patch primitives", PPRIM),
        0x38 => state("PFACE", "patch facing", PFACE),
        0x42..=0x4b => {
            let (name, meaning) = VIEWPORT[usize::from(number - 0x42)];
            state(name, meaning, FLOAT)
        }
        0x4c => state("OFFSETX", "drawing offset x", FIXED),
        0x4d => state("OFFSETY", "drawing offset y", FIXED),
        0x50 => state("SHADE", "shading", SHADE),
        0x51 => state("RNORM", "normal reversal", SWITCH),
        _ => Command::nothing(number),
    }
}

pub(super) fn immediate(number: u8) -> Command {
    let state = |name: &'static str, meaning: &'static str, fields| Command::state(name, meaning, fields);
    match number {
        0xf0 => state("VSCX", "immediate x", FIXED),
        0xf1 => state("VSCY", "immediate y", FIXED),
        0xf2 => state("VSCZ", "immediate z", DEPTH),
        0xf3 => state("VTCS", "immediate s", FLOAT),
        0xf4 => state("VTCT", "immediate t", FLOAT),
        0xf5 => state("VTCQ", "immediate q", FLOAT),
        0xf6 => state("VCV", "immediate colour", COLOUR),
        0xf7 => Command::new("VAP", "emit an immediate vertex", Class::Draw, VAP),
        0xf8 => state("VFC", "immediate fog", BYTE),
        _ => state("VSCV", "immediate secondary colour", COLOUR),
    }
}
