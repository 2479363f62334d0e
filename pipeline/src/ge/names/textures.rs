//! Buffers, textures, fog, 9C to D1.

use super::{ADDRESS, COLOUR, Class, Command, FLOAT, Field, Kind, OFF_ON, field};

const STRIDE: &[Field] = &[field("", 0, 11, Kind::Number)];
const WIDTH: &[Field] = &[field("width", 0, 11, Kind::Number), field("address bits 24-27", 16, 4, Kind::Hex)];
const HIGH: &[Field] = &[field("address bits 24-27", 16, 4, Kind::Hex)];
const TRANSFER: &[Field] =
    &[field("stride", 0, 11, Kind::Number), field("address bits 24-31", 16, 8, Kind::Hex)];
const TSIZE: &[Field] = &[field("width", 0, 4, Kind::Power), field("height", 8, 4, Kind::Power)];
const TMAP: &[Field] = &[
    field("mode", 0, 2, Kind::Choice(&["coordinates", "matrix", "environment", "coordinates"])),
    field("source", 8, 2, Kind::Choice(&["position", "coordinates", "normalised normal", "normal"])),
];
const TSHADE: &[Field] = &[field("s light", 0, 2, Kind::Number), field("t light", 8, 2, Kind::Number)];
const TMODE: &[Field] = &[
    field("swizzled", 0, 1, OFF_ON),
    field("CLUT of each level", 8, 1, OFF_ON),
    field("highest level", 16, 3, Kind::Number),
];
const TPSM: &[Field] = &[field(
    "",
    0,
    4,
    Kind::Choice(&[
        "5650", "5551", "4444", "8888", "CLUT4", "CLUT8", "CLUT16", "CLUT32", "DXT1", "DXT3", "DXT5",
        "invalid",
    ]),
)];
const CLOAD: &[Field] = &[field("blocks of 32 bytes", 0, 6, Kind::Number)];
const CMODE: &[Field] = &[
    field("format", 0, 2, FORMATS),
    field("shift", 2, 5, Kind::Number),
    field("mask", 8, 8, Kind::Hex),
    field("start / 16", 16, 5, Kind::Number),
];
const TFLT: &[Field] = &[
    field(
        "smaller",
        0,
        3,
        Kind::Choice(&[
            "nearest",
            "linear",
            "nearest",
            "linear",
            "nearest, nearest level",
            "linear, nearest level",
            "nearest, between levels",
            "linear, between levels",
        ]),
    ),
    field("larger", 8, 1, Kind::Choice(&["nearest", "linear"])),
];
const WRAPS: Kind = Kind::Choice(&["repeat", "clamp"]);
const TWRAP: &[Field] = &[field("s", 0, 1, WRAPS), field("t", 8, 1, WRAPS)];
const TBIAS: &[Field] = &[
    field("mode", 0, 2, Kind::Choice(&["automatic", "constant", "slope", "constant"])),
    field("bias", 16, 8, Kind::SignedFixed),
];
const TFUNC: &[Field] = &[
    field("function", 0, 3, Kind::Choice(&["modulate", "decal", "blend", "replace", "add"])),
    field("texture alpha", 8, 1, OFF_ON),
    field("doubled", 16, 1, OFF_ON),
];
pub(super) const FORMATS: Kind = Kind::Choice(&["5650", "5551", "4444", "8888"]);

pub(super) fn command(number: u8) -> Command {
    let pointer = |name: &'static str, meaning: &'static str, fields| {
        Command::new(name, meaning, Class::Pointer, fields)
    };
    match number {
        0x9c => pointer("FBP", "frame buffer pointer", ADDRESS),
        0x9d => pointer("FBW", "frame buffer stride", STRIDE),
        0x9e => pointer("ZBP", "depth buffer pointer", ADDRESS),
        0x9f => pointer("ZBW", "depth buffer stride", STRIDE),
        0xa0..=0xa7 => level(number - 0xa0, "TBP", "pointer of texture level", Class::Pointer, ADDRESS),
        0xa8..=0xaf => level(number - 0xa8, "TBW", "width of texture level", Class::Pointer, WIDTH),
        0xb0 => pointer("CBP", "CLUT pointer", ADDRESS),
        0xb1 => pointer("CBPH", "CLUT pointer, upper bits", HIGH),
        0xb2 => pointer("TRXSBP", "transfer source", ADDRESS),
        0xb3 => pointer("TRXSBW", "transfer source width", TRANSFER),
        0xb4 => pointer("TRXDBP", "transfer destination", ADDRESS),
        0xb5 => pointer("TRXDBW", "transfer destination width", TRANSFER),
        0xb8..=0xbf => level(number - 0xb8, "TSIZE", "size of texture level", Class::State, TSIZE),
        _ => setup(number),
    }
}

fn level(n: u8, name: &str, meaning: &str, class: Class, fields: &'static [Field]) -> Command {
    Command::new(format!("{name}{n}"), format!("{meaning} {n}"), class, fields)
}

fn setup(number: u8) -> Command {
    let state = |name: &'static str, meaning: &'static str, fields| Command::state(name, meaning, fields);
    match number {
        0xc0 => state("TMAP", "texture mapping", TMAP),
        0xc1 => state("TSHADE", "lights of environment maps", TSHADE),
        0xc2 => state("TMODE", "texture mode", TMODE),
        0xc3 => state("TPSM", "texture format", TPSM),
        0xc4 => Command::new("CLOAD", "load the CLUT", Class::Action, CLOAD),
        0xc5 => state("CMODE", "CLUT mode", CMODE),
        0xc6 => state("TFLT", "texture filter", TFLT),
        0xc7 => state("TWRAP", "texture wrap", TWRAP),
        0xc8 => state("TBIAS", "level of detail", TBIAS),
        0xc9 => state("TFUNC", "texture function", TFUNC),
        0xca => state("TEC", "texture environment colour", COLOUR),
        0xcb => Command::new("TFLUSH", "flush the texture cache", Class::Action, &[]),
        0xcc => Command::new("TSYNC", "wait for the transfer", Class::Action, &[]),
        0xcd => state("FFAR", "fog end", FLOAT),
        0xce => state("FDIST", "fog slope", FLOAT),
        0xcf => state("FCOL", "fog colour", COLOUR),
        0xd0 => state("TSLOPE", "level slope", FLOAT),
        _ => Command::nothing(number),
    }
}
