//! The text of combiner keys: a stage that has one group for both parts shows it once, and stages end where the live
//! ones do.

use super::{Argument, CombinerKey, Group, Select, Source, Stage, arity};
use crate::key::text::{Reader, Text};
use picaflor_pipeline::pica::regs::combiner::{CombinerOp, STAGES};
use std::fmt::{Display, Formatter, Result};

/// Operations by name; a replacement has none, and both dot products have one.
const NAMES: [(&str, CombinerOp); 10] = [
    ("", CombinerOp::Replace),
    ("mul", CombinerOp::Modulate),
    ("add", CombinerOp::Add),
    ("adds", CombinerOp::AddSigned),
    ("mix", CombinerOp::Interpolate),
    ("sub", CombinerOp::Subtract),
    ("dot", CombinerOp::Dot3Rgb),
    ("mad", CombinerOp::MultiplyAdd),
    ("adm", CombinerOp::AddMultiply),
    ("0", CombinerOp::Unknown),
];

impl Display for CombinerKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { stages: _, result } = self;
        self.stages().iter().try_for_each(|stage| write!(f, "{stage}/"))?;
        result.fmt(f)
    }
}

impl Text for CombinerKey {
    fn read(text: &mut Reader<'_>) -> Option<Self> {
        let mut stages = [Stage::default(); STAGES];
        let mut result = Stage::read(text)?;
        for place in 0.. {
            if !text.takes("/") {
                break;
            }
            *stages.get_mut(place)? = result;
            result = Stage::read(text)?;
        }
        Some(Self { stages, result })
    }
}

impl Display for Stage {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self { rgb: Some(rgb), alpha: Some(alpha) } if rgb == alpha => rgb.fmt(f),
            Self { rgb: Some(rgb), alpha: Some(alpha) } => write!(f, "{rgb},{alpha}"),
            Self { rgb: Some(rgb), alpha: None } => write!(f, "{rgb},-"),
            Self { rgb: None, alpha: Some(alpha) } => write!(f, "-,{alpha}"),
            Self { rgb: None, alpha: None } => f.write_str("-"),
        }
    }
}

impl Text for Stage {
    fn read(text: &mut Reader<'_>) -> Option<Self> {
        let rgb = group(text)?;
        let alpha = if text.takes(",") { group(text)? } else { rgb };
        Some(Self { rgb, alpha })
    }
}

/// A group, or the sign that there is none.
fn group(text: &mut Reader<'_>) -> Option<Option<Group>> {
    if text.takes("-") { Some(None) } else { Group::read(text).map(Some) }
}

impl Display for Group {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { op, arguments: _, scale } = self;
        f.write_str(NAMES.iter().find(|(_, named)| named == op).map_or("dot", |(name, _)| name))?;
        self.used().iter().try_for_each(|argument| write!(f, ".{argument}"))?;
        if *scale > 0 { write!(f, "*{}", 1 << scale) } else { Ok(()) }
    }
}

impl Text for Group {
    fn read(text: &mut Reader<'_>) -> Option<Self> {
        let op = text.name(NAMES.into_iter())?;
        let mut arguments = [Argument::CONSTANT; 3];
        for place in arguments.iter_mut().take(arity(op)) {
            text.expect(".")?;
            *place = Argument::read(text)?;
        }
        let scale = text.name([("", 0), ("*2", 1), ("*4", 2)].into_iter())?;
        Some(Self { op, arguments, scale })
    }
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { source, select, invert } = self;
        write!(f, "{}{source}{select}", if *invert { "~" } else { "" })
    }
}

impl Text for Argument {
    fn read(text: &mut Reader<'_>) -> Option<Self> {
        let invert = text.takes("~");
        Some(Self { source: Source::read(text)?, select: Select::read(text)?, invert })
    }
}
