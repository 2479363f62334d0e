//! Values as vector files write them.

use picaflor_pipeline::pica::float::{self, Precision};
use picaflor_pipeline::pica::shader::unit::Vec4;
use serde::Deserialize;
use std::fmt;

/// A number of a vector file.
///
/// | written | means |
/// |---|---|
/// | `1.5`, `"1.5"`, `"1e20"` | the value as a guest's binary32 word, narrowed where the profile narrows |
/// | `"inf"`, `"-inf"`, `"nan"`, `"-0"` | as operand the canonical NaN; as expectation any NaN |
/// | `"n"`, `"s"`, `"-n"`, `"-s"` | smallest normal, largest subnormal of 24 bits |
/// | `"f24:3f0001"` | a raw 24-bit pattern |
/// | `"0x3f800000"` | a binary32 pattern |
/// | `"infinite"`, `"_"` | expectations only: an infinity of either sign; anything |
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "Written")]
pub enum Value {
    /// Narrowed by the profile.
    Number(f32),
    /// These bits in both profiles.
    Bits(u32),
    /// A NaN.
    Nan,
    /// Either infinity.
    Infinite,
    /// Any value; not compared.
    Any,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Integer(i64),
    Float(f64),
    Text(String),
}

impl TryFrom<Written> for Value {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::Integer(n) => Ok(Self::Number(n as f32)),
            Written::Float(x) => Ok(Self::Number(x as f32)),
            Written::Text(text) => Self::parse(&text),
        }
    }
}

impl Value {
    /// The value that a text stands for.
    ///
    /// # Errors
    /// A line that names the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is no value of a vector file");
        let hexadecimal = |digits: &str| u32::from_str_radix(digits, 16).map_err(|_| bad());
        if let Some(digits) = text.strip_prefix("0x") {
            return hexadecimal(digits).map(Self::Bits);
        }
        if let Some(digits) = text.strip_prefix("f24:") {
            return hexadecimal(digits).map(|raw| Self::Bits(float::f24(raw).to_bits()));
        }
        Ok(match text {
            "_" => Self::Any,
            "infinite" => Self::Infinite,
            "nan" => Self::Nan,
            "inf" => Self::Bits(0x7f80_0000),
            "-inf" => Self::Bits(0xff80_0000),
            "-0" => Self::Bits(0x8000_0000),
            "n" => Self::Bits(float::SMALLEST_NORMAL),
            "-n" => Self::Bits(float::SMALLEST_NORMAL | 0x8000_0000),
            "s" => Self::Bits(0x207f_ff00),
            "-s" => Self::Bits(0xa07f_ff00),
            number => Self::Number(number.parse().map_err(|_| bad())?),
        })
    }

    /// The register value of an operand.
    #[must_use]
    pub fn operand(self, precision: Precision) -> f32 {
        match self {
            Self::Number(value) => precision.load_f32(value),
            Self::Bits(bits) => f32::from_bits(bits),
            Self::Nan => f32::from_bits(float::CANONICAL_NAN),
            Self::Infinite => f32::INFINITY,
            Self::Any => 0.0,
        }
    }

    /// True if an engine's result is this value: the same bits, except for values that stand for several.
    #[must_use]
    pub fn matches(self, actual: f32, precision: Precision) -> bool {
        match self {
            Self::Any => true,
            Self::Nan => actual.is_nan(),
            Self::Infinite => actual.is_infinite(),
            Self::Number(_) | Self::Bits(_) => self.operand(precision).to_bits() == actual.to_bits(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Bits(bits) => write!(f, "{} ({bits:08x})", f32::from_bits(*bits)),
            Self::Nan => f.write_str("NaN"),
            Self::Infinite => f.write_str("an infinity"),
            Self::Any => f.write_str("anything"),
        }
    }
}

/// A register of a vector file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Register {
    /// The same in x, y, z and w.
    Scalar(Value),
    /// x first.
    List(Vec<Value>),
}

impl Register {
    /// The four values; components that a list leaves out are `missing`.
    #[must_use]
    pub fn components(&self, missing: Value) -> [Value; 4] {
        match self {
            Self::Scalar(value) => [*value; 4],
            Self::List(values) => std::array::from_fn(|i| values.get(i).copied().unwrap_or(missing)),
        }
    }

    /// The register contents; components left out are zero.
    #[must_use]
    pub fn operand(&self, precision: Precision) -> Vec4 {
        self.components(Value::Bits(0)).map(|value| value.operand(precision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let bits = |text| Value::parse(text).unwrap().operand(Precision::Console).to_bits();
        assert_eq!(bits("s"), float::f24(0x00_ffff).to_bits());
        assert_eq!(bits("f24:ff0000"), bits("-inf"));
        assert_eq!(bits("0.1"), float::f24(0x3b_9999).to_bits());
        assert_eq!(Value::parse("0.1").unwrap().operand(Precision::Binary32).to_bits(), 0.1_f32.to_bits());
        assert!(Value::parse("eleven").is_err() && Value::parse("0xg").is_err());
    }

    #[test]
    fn zero_has_a_sign() {
        let zero = Value::parse("0").unwrap();
        assert!(zero.matches(0.0, Precision::Console) && !zero.matches(-0.0, Precision::Console));
        assert!(Value::Nan.matches(f32::NAN, Precision::Console));
    }
}
