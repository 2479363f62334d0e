//! What a host writes into the machine's state between two lists.

use super::words;
use crate::random::Random;
use picaflor_pipeline::pica::Field;
use picaflor_pipeline::pica::capture::{Capture, Event};

/// Fields that a host writes, and how many of their first words.
const FIELDS: [(Field, u32); 20] = [
    (Field::LightingTables, 24 * 256),
    (Field::FogTable, 128),
    (Field::NoiseTable, 128),
    (Field::ColourMap, 128),
    (Field::AlphaMap, 128),
    (Field::Colours, 256),
    (Field::ColourDifferences, 256),
    (Field::GasTable, 16),
    (Field::VertexCode, 512),
    (Field::VertexDescriptors, 128),
    (Field::VertexFloats, 384),
    (Field::VertexFloatForms, 96),
    (Field::VertexBools, 1),
    (Field::GeometryCode, 512),
    (Field::GeometryDescriptors, 128),
    (Field::GeometryFloats, 384),
    (Field::GeometryBools, 1),
    (Field::FixedAttributes, 64),
    (Field::LastAttributes, 64),
    (Field::GeometryUnit, 265),
];

/// Adds such writes to some cases.
pub(super) fn writes_state(random: &mut Random, capture: &mut Capture) {
    if !random.chance(25) {
        return;
    }
    let events = std::mem::take(&mut capture.events);
    for event in events {
        if matches!(event, Event::List { .. }) && random.chance(50) {
            capture.events.push(state(random));
        }
        capture.events.push(event);
    }
}

fn state(random: &mut Random) -> Event {
    if random.chance(50) {
        let unit = words::unit(random);
        let id = random.pick(unit);
        let words = [words::of_register(random, id)].into();
        return Event::Field { field: Field::Registers, first: id.into(), words };
    }
    let (field, length) = random.pick(&FIELDS);
    let first = random.below(length);
    let count = random.between(1, 8).min(length - first);
    let words = (0..count).map(|_| words::any(random)).collect();
    Event::Field { field, first, words }
}
