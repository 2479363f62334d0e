//! The JSON that `shader run` reads. Every error carries line and column.

use super::Registers;
use crate::pica::notation::register_number;
use picaflor_pipeline::pica::float::{self, Precision};
use picaflor_pipeline::pica::shader::unit::Uniforms;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// The whole document.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Input {
    /// One for each vertex or geometry run.
    pub(super) inputs: Vec<Vertex>,
    float: BTreeMap<Name<'c', 96>, [Component; 4]>,
    bool: BTreeMap<Name<'b', 16>, bool>,
    int: BTreeMap<Name<'i', 4>, [u8; 4]>,
}

/// The `v` registers of a vertex.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Vertex(BTreeMap<Name<'v', 16>, [Component; 4]>);

impl Input {
    /// Reads a document.
    pub(super) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Writes the uniforms that the document names.
    pub(super) fn apply(&self, uniforms: &mut Uniforms, precision: Precision) {
        for (name, value) in &self.float {
            uniforms.set_float(name.0, value.map(|component| component.value(precision)));
        }
        for (name, value) in &self.int {
            uniforms.set_int(name.0 as u8, *value);
        }
        for (name, value) in &self.bool {
            let bit = 1 << name.0;
            uniforms.set_bools(uniforms.bools() & !bit | if *value { bit } else { 0 });
        }
    }
}

impl Vertex {
    /// The registers; those not named are zero.
    pub(super) fn registers(&self, precision: Precision) -> Registers {
        let mut registers = [[0.0; 4]; 16];
        self.load(&mut registers, precision);
        registers
    }

    /// Writes the registers that are named.
    pub(super) fn load(&self, registers: &mut Registers, precision: Precision) {
        for (name, value) in &self.0 {
            registers[name.0] = value.map(|component| component.value(precision));
        }
    }
}

/// A register's number, below `COUNT`, written as letter and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name<const LETTER: char, const COUNT: usize>(usize);

impl<'de, const LETTER: char, const COUNT: usize> Deserialize<'de> for Name<LETTER, COUNT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        register_number(&text, LETTER, COUNT).map(Self).map_err(de::Error::custom)
    }
}

/// A component as written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Component {
    /// Rounded to binary32, then narrowed where the precision narrows.
    Number(f64),
    /// These bits, narrowed only where 24 bits cannot hold them.
    Bits(u32),
}

impl Component {
    fn value(self, precision: Precision) -> f32 {
        match self {
            Self::Number(value) => precision.load_f32(value as f32),
            Self::Bits(bits) => {
                let value = f32::from_bits(bits);
                if float::to_f24(value).is_some() { value } else { precision.load_f32(value) }
            }
        }
    }
}

impl<'de> Deserialize<'de> for Component {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ComponentVisitor)
    }
}

struct ComponentVisitor;

impl Visitor<'_> for ComponentVisitor {
    type Value = Component;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a string such as \"0x3f800000\", or \"nan\", \"inf\", \"-inf\"")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Component, E> {
        Ok(Component::Number(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Component, E> {
        Ok(Component::Number(value as f64))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Component, E> {
        Ok(Component::Number(value as f64))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Component, E> {
        let pattern = |digits: &str| {
            let plain = (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
            if plain { u32::from_str_radix(digits, 16).ok() } else { None }
        };
        let bits = match text {
            "nan" => Some(float::CANONICAL_NAN),
            "inf" => Some(0x7f80_0000),
            "-inf" => Some(0xff80_0000),
            _ => text.strip_prefix("0x").and_then(pattern),
        };
        bits.map(Component::Bits).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components() {
        let text = r#"{"inputs":[{"v1":[0.1,"0x80000000",-3,"nan"]}]}"#;
        let input = Input::parse(text).unwrap();
        let bits = |precision| input.inputs[0].registers(precision)[1].map(f32::to_bits);
        assert_eq!(bits(Precision::Binary32), [0x3dcc_cccd, 0x8000_0000, 0xc040_0000, 0x7fc0_0000]);
        assert_eq!(bits(Precision::Console), [0x3dcc_cc80, 0x8000_0000, 0xc040_0000, 0x7fc0_0000]);
    }

    #[test]
    fn errors_have_a_position() {
        for (text, part) in [
            ("{\"inputs\":[{\"v16\":[0,0,0,0]}]}", "v16"),
            ("{\"inputs\":[{\"v1\":[0,0,0]}]}", "length 3"),
            ("{\"inputs\":[{\"v1\":[0,0,0,\"0xg\"]}]}", "0xg"),
            ("{\"floats\":{}}", "floats"),
            ("{\"int\":{\"i0\":[256,0,0,0]}}", "256"),
            ("{", "EOF"),
        ] {
            let why = Input::parse(text).unwrap_err().to_string();
            assert!(why.contains(part) && why.contains("line 1 column"), "{why}");
        }
    }
}
