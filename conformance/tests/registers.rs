//! The table of registers and the typed views against the manual's list of ids (`data/registers.txt`).

use picaflor_pipeline::pica::regs::{Class, Description, Registers, describe};
use std::collections::BTreeMap;

const MANUAL: &str = include_str!("data/registers.txt");

/// What the manual says about one register.
#[derive(Debug)]
struct Line {
    name: String,
    classes: &'static [Class],
    implemented: Option<u32>,
    reset: u32,
    /// Low and high bit, both inside; whether a view must show the field.
    fields: Vec<(u32, u32, bool)>,
}

fn hex(text: &str) -> u32 {
    u32::from_str_radix(text, 16).unwrap_or_else(|why| panic!("`{text}`: {why}"))
}

fn ids(text: &str) -> Vec<u16> {
    let range = |part: &str| {
        let (span, step) = part.split_once('/').unwrap_or((part, "1"));
        let (first, last) = span.split_once('-').unwrap_or((span, span));
        (hex(first) as u16..=hex(last) as u16).step_by(hex(step) as usize)
    };
    text.split(',').flat_map(range).collect()
}

fn name(template: &str, id: u16, index: usize) -> String {
    if template == "*" {
        return format!("{id:04X}");
    }
    (0..3).fold(template.replace("{}", &index.to_string()), |name, plus| {
        name.replace(&format!("{{+{plus}}}"), &(index + plus).to_string())
    })
}

fn classes(letter: &str) -> &'static [Class] {
    match letter {
        "CT" => &[Class::Configuration, Class::Trigger],
        "C" => &[Class::Configuration],
        "T" => &[Class::Trigger],
        "I" => &[Class::Index],
        "F" => &[Class::Data],
        "S" => &[Class::Status],
        "U" => &[Class::Undocumented],
        "Z" => &[Class::Zero],
        "M" => &[Class::Mirror],
        _ => panic!("class `{letter}`"),
    }
}

fn field(text: &str) -> (u32, u32, bool) {
    let (bits, needed) = text.strip_prefix('?').map_or((text, true), |bits| (bits, false));
    let (low, high) = bits.split_once('-').unwrap_or((bits, bits));
    let bit = |text: &str| text.parse().unwrap_or_else(|why| panic!("bit `{text}`: {why}"));
    (bit(low), bit(high), needed)
}

fn manual() -> BTreeMap<u16, Line> {
    let mut lines = BTreeMap::new();
    for text in MANUAL.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let columns: Vec<&str> = text.split_whitespace().collect();
        let [which, template, letter, written, reset, fields @ ..] = &columns[..] else {
            panic!("too few columns: {text}")
        };
        for (index, id) in ids(which).into_iter().enumerate() {
            let line = Line {
                name: name(template, id, index),
                classes: classes(letter),
                implemented: (*written != "-").then(|| hex(written)),
                reset: if *reset == "-" { 0 } else { hex(reset) },
                fields: fields.iter().map(|text| field(text)).collect(),
            };
            assert!(lines.insert(id, line).is_none(), "{id:#05x} is listed twice");
        }
    }
    lines
}

impl Line {
    /// Bits that the manual knows.
    fn known(&self) -> u32 {
        union(self.fields.iter().map(|&(low, high, _)| mask(low, high)))
    }

    /// Bits that a view must show.
    fn needed(&self) -> u32 {
        union(self.fields.iter().filter(|field| field.2).map(|&(low, high, _)| mask(low, high)))
    }
}

fn union(bits: impl Iterator<Item = u32>) -> u32 {
    bits.fold(0, |all, bits| all | bits)
}

fn mask(low: u32, high: u32) -> u32 {
    (low..=high).fold(0, |mask, bit| mask | 1 << bit)
}

/// Collects what differs, so that one run shows all of it.
fn disagreements(check: impl Fn(u16, &Line, &Description) -> Option<String>) -> Vec<String> {
    let manual = manual();
    let differs = |(id, line): (&u16, &Line)| {
        let found = check(*id, line, &describe(*id))?;
        Some(format!("{id:#05x} {}: {found}", line.name))
    };
    manual.iter().filter_map(differs).collect()
}

fn assert_none(found: &[String]) {
    assert!(found.is_empty(), "{} registers:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_list_names_every_register_once() {
    let manual = manual();
    assert_eq!(manual.len(), Registers::COUNT);
    assert_eq!(manual.last_key_value().map(|(id, _)| *id), Some(0x3ff));
    let names: std::collections::BTreeSet<_> = manual.values().map(|line| &line.name).collect();
    assert_eq!(names.len(), manual.len(), "no two registers share a name");
}

#[test]
fn names() {
    assert_none(&disagreements(|_, line, got| {
        (got.name != line.name).then(|| format!("called {}", got.name))
    }));
}

#[test]
fn classes_agree() {
    assert_none(&disagreements(|_, line, got| {
        let agrees = line.classes.contains(&got.class);
        (!agrees).then(|| format!("{:?}, the manual says {:?}", got.class, line.classes))
    }));
}

#[test]
fn implemented_bits() {
    assert_none(&disagreements(|_, line, got| {
        let expected = line.implemented?;
        (got.implemented != expected)
            .then(|| format!("{:#010x}, the manual says {expected:#010x}", got.implemented))
    }));
}

#[test]
fn reset_values() {
    let registers = Registers::new();
    assert_none(&disagreements(|id, line, got| {
        (got.reset != line.reset || registers.raw(id) != line.reset)
            .then(|| format!("{:#010x}, the manual says {:#010x}", got.reset, line.reset))
    }));
}

/// No mask loses bits of a field that is stored, and no reset value.
#[test]
fn masks_keep_fields() {
    assert_none(&disagreements(|_, line, got| {
        let stored = if got.class == Class::Trigger { 0 } else { line.needed() };
        let lost = (stored | got.reset) & !got.implemented;
        (lost != 0).then(|| format!("bits {lost:#010x} cannot be written"))
    }));
}

/// Fields of the views fill every field of the manual, in one piece or several, reach into no other that is
/// needed, and lie inside the bits that the manual knows.
#[test]
fn fields() {
    assert_none(&disagreements(|_, line, got| {
        let shown: Vec<u32> = got.fields.iter().map(|field| mask(field.low, field.high - 1)).collect();
        let beyond = union(shown.iter().copied()) & !line.known();
        if beyond != 0 {
            return Some(format!("the views have bits {beyond:#010x} that the manual lacks"));
        }
        let is_missing = |&&(low, high, needed): &&(u32, u32, bool)| {
            let others = line.needed() & !mask(low, high);
            let filled = union(shown.iter().copied().filter(|field| field & others == 0));
            needed && mask(low, high) & !filled != 0
        };
        let (low, high, _) = line.fields.iter().find(is_missing)?;
        Some(format!("no field fills bits {low}-{high}"))
    }));
}

/// Fields overlap nowhere, have names of their own, and can show any word.
#[test]
fn fields_are_sound() {
    for id in 0..Registers::COUNT as u16 {
        let fields = describe(id).fields;
        let mut seen = 0;
        for (i, field) in fields.iter().enumerate() {
            assert!(field.low < field.high && field.high <= 32, "{id:#05x} {}", field.name);
            let bits = mask(field.low, field.high - 1);
            assert_eq!(seen & bits, 0, "{id:#05x} {} overlaps", field.name);
            seen |= bits;
            assert!(fields[..i].iter().all(|other| other.name != field.name), "{id:#05x} {}", field.name);
            for word in [0, u32::MAX, 0x5555_5555, 0xaaaa_aaaa] {
                assert!(!(field.show)(word).is_empty(), "{id:#05x} {}", field.name);
            }
        }
    }
}
