//! Commands of the list processor, 00 to 16.

use super::{ADDRESS, Class, Command, Field, Kind, POSITION, field};
use crate::ge::regs::fields;

const PRIMITIVES: Kind = Kind::Choice(&[
    "points",
    "lines",
    "line strip",
    "triangles",
    "triangle strip",
    "triangle fan",
    "rectangles",
    "continued",
]);
/// Open ends of a spline: bit 0 the start, bit 1 the end.
const EDGES: Kind = Kind::Choice(&["closed", "open at the start", "open at the end", "open"]);

const PRIM: &[Field] =
    &[field("count", fields::PRIM_COUNT, Kind::Number), field("type", fields::PRIM_TYPE, PRIMITIVES)];
const BEZIER: &[Field] =
    &[field("u count", fields::PATCH_U, Kind::Number), field("v count", fields::PATCH_V, Kind::Number)];
const SPLINE: &[Field] = &[
    field("u count", fields::PATCH_U, Kind::Number),
    field("v count", fields::PATCH_V, Kind::Number),
    field("u edges", fields::SPLINE_U_EDGES, EDGES),
    field("v edges", fields::SPLINE_V_EDGES, EDGES),
];
const COUNT: &[Field] = &[field("count", fields::PRIM_COUNT, Kind::Number)];
const DATA: &[Field] = &[field("", fields::SHORT, Kind::Hex)];
const TOKEN: &[Field] = &[field("token", fields::SHORT, Kind::Hex)];
const SIGNAL: &[Field] = &[
    field("token", fields::SHORT, Kind::Hex),
    field("behaviour", fields::SIGNAL_BEHAVIOUR, Kind::Choice(&BEHAVIOURS)),
];
const BASE: &[Field] = &[field("address bits 24-27", fields::ADDRESS_HIGH, Kind::Hex)];

/// Names of behaviours; empty for unknown ones.
const BEHAVIOURS: [&str; 256] = {
    let mut names = ["unknown"; 256];
    names[0x01] = "suspend";
    names[0x02] = "continue";
    names[0x03] = "pause";
    names[0x08] = "sync";
    names[0x10] = "jump";
    names[0x11] = "call";
    names[0x12] = "return";
    names[0x13] = "relative jump";
    names[0x14] = "relative call";
    names[0x15] = "jump from the origin";
    names[0x16] = "call from the origin";
    let mut level = 0;
    while level < 8 {
        names[0x20 + level] = "relative texture pointer";
        names[0x28 + level] = "texture pointer from the origin";
        level += 1;
    }
    names[0x30] = "relative CLUT pointer";
    names[0x38] = "CLUT pointer from the origin";
    names[0xf0] = "break 1";
    names[0xff] = "break 2";
    names
};

pub(super) fn command(number: u8) -> Command {
    let new =
        |name: &'static str, meaning: &'static str, class, fields| Command::new(name, meaning, class, fields);
    match number {
        0x01 => new("VADDR", "vertex pointer", Class::Pointer, ADDRESS),
        0x02 => new("IADDR", "index pointer", Class::Pointer, ADDRESS),
        0x04 => new("PRIM", "draw", Class::Draw, PRIM),
        0x05 => new("BEZIER", "draw Bezier patches", Class::Draw, BEZIER),
        0x06 => new("SPLINE", "draw spline patches", Class::Draw, SPLINE),
        0x07 => new("BBOX", "test a bounding box", Class::Draw, COUNT),
        0x08 => new("JUMP", "jump", Class::Flow, ADDRESS),
        0x09 => new("BJUMP", "jump if the bounding box is outside", Class::Flow, ADDRESS),
        0x0a => new("CALL", "call", Class::Flow, ADDRESS),
        0x0b => new("RET", "return", Class::Flow, &[]),
        0x0c => new("END", "end", Class::Flow, DATA),
        0x0e => new("SIGNAL", "signal", Class::Flow, SIGNAL),
        0x0f => new("FINISH", "finish", Class::Flow, TOKEN),
        0x10 => new("BASE", "base of addresses", Class::Pointer, BASE),
        0x13 => new("OFFSET", "offset of addresses, in 256 bytes", Class::Pointer, ADDRESS),
        0x14 => new("ORIGIN", "offset of addresses: here", Class::Pointer, &[]),
        0x15 => new("REGION1", "region minimum", Class::State, POSITION),
        0x16 => new("REGION2", "region maximum", Class::State, POSITION),
        0x00 => new("NOP", "nothing", Class::Nothing, &[]),
        _ => Command::nothing(number),
    }
}
