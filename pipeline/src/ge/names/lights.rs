//! Material and lights, 53 to 9B.

use super::{BYTE, COLOUR, Command, FLOAT, Field, Kind, OFF_ON, field};
use crate::ge::regs::fields;

const CMAT: &[Field] = &[
    field("ambient", fields::CMAT_AMBIENT, OFF_ON),
    field("diffuse", fields::CMAT_DIFFUSE, OFF_ON),
    field("specular", fields::CMAT_SPECULAR, OFF_ON),
];
const LMODE: &[Field] =
    &[field("", fields::SWITCH, Kind::Choice(&["single colour", "separate specular colour"]))];
const LT: &[Field] = &[
    field(
        "components",
        fields::LT_COMPONENTS,
        Kind::Choice(&[
            "ambient and diffuse",
            "ambient, diffuse and specular",
            "ambient and powered diffuse",
            "ambient and diffuse",
        ]),
    ),
    field("type", fields::LT_TYPE, Kind::Choice(&["directional", "point", "spot"])),
];
const FFACE: &[Field] = &[field("culls", fields::SWITCH, Kind::Choice(&["clockwise", "counter-clockwise"]))];

/// Groups of three words for each light: first command, names, meanings, fields.
type Group = (u8, [(&'static str, &'static str); 3], &'static [Field]);
const GROUPS: [Group; 4] = [
    (0x63, [("LXP", "position x"), ("LYP", "position y"), ("LZP", "position z")], FLOAT),
    (0x6f, [("LXD", "direction x"), ("LYD", "direction y"), ("LZD", "direction z")], FLOAT),
    (
        0x7b,
        [("LCA", "constant attenuation"), ("LLA", "linear attenuation"), ("LQA", "quadratic attenuation")],
        FLOAT,
    ),
    (0x8f, [("ALC", "ambient colour"), ("DLC", "diffuse colour"), ("SLC", "specular colour")], COLOUR),
];

pub(super) fn command(number: u8) -> Command {
    let state = |name: &'static str, meaning: &'static str, fields| Command::state(name, meaning, fields);
    match number {
        0x53 => state("CMAT", "material colours from the vertex", CMAT),
        0x54 => state("EMC", "emissive colour", COLOUR),
        0x55 => state("AMC", "ambient material", COLOUR),
        0x56 => state("DMC", "diffuse material", COLOUR),
        0x57 => state("SMC", "specular material", COLOUR),
        0x58 => state("AMA", "material alpha", BYTE),
        0x5b => state("SPOW", "specular power", FLOAT),
        0x5c => state("ALC", "global ambient", COLOUR),
        0x5d => state("ALA", "global ambient alpha", BYTE),
        0x5e => state("LMODE", "specular colour", LMODE),
        0x5f..=0x62 => single(number - 0x5f, "LT", "type", LT),
        0x87..=0x8a => single(number - 0x87, "LSE", "spot exponent", FLOAT),
        0x8b..=0x8e => single(number - 0x8b, "LSC", "spot cutoff", FLOAT),
        0x9b => state("FFACE", "facing", FFACE),
        _ => triple(number),
    }
}

fn single(light: u8, name: &str, meaning: &str, fields: &'static [Field]) -> Command {
    Command::state(format!("{name}{light}"), format!("light {light}, {meaning}"), fields)
}

fn triple(number: u8) -> Command {
    let group = GROUPS.iter().find(|(first, ..)| (*first..first + 12).contains(&number));
    let Some((first, names, fields)) = group else {
        return Command::nothing(number);
    };
    let (light, (name, meaning)) = ((number - first) / 3, names[usize::from((number - first) % 3)]);
    single(light, name, meaning, fields)
}
