//! Buffers, textures, fog, 9C to D1.

use super::{ADDRESS, COLOUR, Class, Command, FLOAT, Field, Kind, OFF_ON, field};
use crate::ge::regs::fields::{self, Bits};
use crate::ge::regs::texture::{
    ClutMode, TextureBias, TextureFilter, TextureFunction, TextureMode, TextureWrap,
};

const STRIDE: &[Field] = &[field("", fields::STRIDE, Kind::Number)];
const WIDTH: &[Field] = &[
    field("width", fields::STRIDE, Kind::Number),
    field("address bits 24-27", fields::ADDRESS_HIGH, Kind::Hex),
];
const HIGH: &[Field] = &[field("address bits 24-27", fields::ADDRESS_HIGH, Kind::Hex)];
const TRANSFER: &[Field] = &[
    field("stride", fields::STRIDE, Kind::Number),
    field("address bits 24-31", fields::TRANSFER_ADDRESS_HIGH, Kind::Hex),
];
const TSIZE: &[Field] =
    &[field("width", fields::TSIZE_WIDTH, Kind::Power), field("height", fields::TSIZE_HEIGHT, Kind::Power)];
const TMAP: &[Field] = &[
    field("mode", fields::TMAP_MODE, Kind::Choice(&["coordinates", "matrix", "environment", "coordinates"])),
    field(
        "source",
        fields::TMAP_SOURCE,
        Kind::Choice(&["position", "coordinates", "normalised normal", "normal"]),
    ),
];
const TSHADE: &[Field] =
    &[field("s light", fields::TSHADE_S, Kind::Number), field("t light", fields::TSHADE_T, Kind::Number)];
const TMODE: &[Field] = &[
    field("swizzled", Bits::named(TextureMode::FIELDS, "swizzled"), OFF_ON),
    field("CLUT of each level", Bits::named(TextureMode::FIELDS, "separate_cluts"), OFF_ON),
    field("highest level", Bits::named(TextureMode::FIELDS, "max_level"), Kind::Number),
];
const TPSM: &[Field] = &[field(
    "",
    fields::TPSM,
    Kind::Choice(&[
        "5650", "5551", "4444", "8888", "CLUT4", "CLUT8", "CLUT16", "CLUT32", "DXT1", "DXT3", "DXT5",
        "invalid",
    ]),
)];
const CLOAD: &[Field] = &[field("blocks of 32 bytes", fields::CLOAD_BLOCKS, Kind::Number)];
const CMODE: &[Field] = &[
    field("format", Bits::named(ClutMode::FIELDS, "format"), FORMATS),
    field("shift", Bits::named(ClutMode::FIELDS, "shift"), Kind::Number),
    field("mask", Bits::named(ClutMode::FIELDS, "mask"), Kind::Hex),
    field("start / 16", Bits::named(ClutMode::FIELDS, "start"), Kind::Number),
];
const TFLT: &[Field] = &[
    field(
        "smaller",
        fields::TFLT_SMALLER,
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
    field("larger", Bits::named(TextureFilter::FIELDS, "mag_linear"), Kind::Choice(&["nearest", "linear"])),
];
const WRAPS: Kind = Kind::Choice(&["repeat", "clamp"]);
const TWRAP: &[Field] = &[
    field("s", Bits::named(TextureWrap::FIELDS, "clamp_s"), WRAPS),
    field("t", Bits::named(TextureWrap::FIELDS, "clamp_t"), WRAPS),
];
const TBIAS: &[Field] = &[
    field(
        "mode",
        Bits::named(TextureBias::FIELDS, "mode"),
        Kind::Choice(&["automatic", "constant", "slope", "constant"]),
    ),
    field("bias", Bits::named(TextureBias::FIELDS, "raw_bias"), Kind::SignedFixed),
];
const TFUNC: &[Field] = &[
    field(
        "function",
        Bits::named(TextureFunction::FIELDS, "func"),
        Kind::Choice(&["modulate", "decal", "blend", "replace", "add"]),
    ),
    field("texture alpha", Bits::named(TextureFunction::FIELDS, "uses_alpha"), OFF_ON),
    field("doubled", Bits::named(TextureFunction::FIELDS, "doubles"), OFF_ON),
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
