//! Combiner keys from text.

use super::super::text::Reader;
use super::{Argument, CombinerKey, Group, Select, Source, Stage, arity};
use picaflor_pipeline::bits::Field;
use picaflor_pipeline::pica::regs::combiner::{CombinerOp, STAGES};
use std::str::FromStr;

impl FromStr for CombinerKey {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        parse(text).ok_or(())
    }
}

fn parse(text: &str) -> Option<CombinerKey> {
    let mut stages = [Stage::default(); STAGES];
    let (before, result) = text.rsplit_once('/').unwrap_or(("", text));
    let before = before.split('/').filter(|_| !before.is_empty());
    for (n, text) in before.enumerate() {
        *stages.get_mut(n)? = stage(text)?;
    }
    Some(CombinerKey { stages, result: stage(result)? })
}

fn stage(text: &str) -> Option<Stage> {
    let mut text = Reader::new(text);
    let rgb = group(&mut text)?;
    let alpha = if text.takes(",") { group(&mut text)? } else { rgb };
    text.end()?;
    Some(Stage { rgb, alpha })
}

/// A group, or the sign that there is none.
fn group(text: &mut Reader<'_>) -> Option<Option<Group>> {
    if text.takes("-") {
        return Some(None);
    }
    // By code, so that a longer name comes before its start.
    let names = [
        ("mul", 1),
        ("adds", 3),
        ("add", 2),
        ("mix", 4),
        ("sub", 5),
        ("dot", 6),
        ("mad", 8),
        ("adm", 9),
        ("0", 10),
    ];
    let op = names.into_iter().find(|(name, _)| text.takes(name)).map_or(0, |(_, code)| code);
    let op = CombinerOp::from_bits(op);
    let mut arguments = [Argument::CONSTANT; 3];
    for place in arguments.iter_mut().take(arity(op)) {
        text.expect(".")?;
        *place = argument(text)?;
    }
    let scale = if text.takes("*2") {
        1
    } else if text.takes("*4") {
        2
    } else {
        0
    };
    Some(Some(Group { op, arguments, scale }))
}

fn argument(text: &mut Reader<'_>) -> Option<Argument> {
    let invert = text.takes("~");
    let source = match text.one_of("vltsk")? {
        0 => Source::Vertex,
        1 => Source::Lighting(text.digit(2)?),
        2 => Source::Texture(text.digit(4)?),
        3 => Source::Stage(text.digit(STAGES as u8)?),
        _ => Source::Constant,
    };
    let selects = [Select::Red, Select::Green, Select::Blue, Select::Alpha];
    let select = text.one_of("rgba").map_or(Select::Own, |n| selects[n]);
    Some(Argument { source, select, invert })
}
