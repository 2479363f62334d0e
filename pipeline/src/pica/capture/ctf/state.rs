//! The initial state of a CiTrace recording.

use super::{CiTrace, Tables, events};
use crate::pica::capture::{Capture, Origin};
use crate::pica::float::Precision;
use crate::pica::machine::restore::{ShaderMemory, Unit, pack_raw};
use crate::pica::{Pica, Snapshot};

impl CiTrace {
    /// The recording as a capture of a machine in the [`Console`](Precision::Console) profile.
    #[must_use]
    pub fn to_capture(&self) -> Capture {
        Capture {
            origin: Origin::CiTrace,
            precision: Precision::Console,
            regions: events::regions(self),
            initial: initial(self),
            events: events::events(self),
        }
    }
}

fn initial(trace: &CiTrace) -> Snapshot {
    let tables = &trace.tables;
    let mut pica = Pica::new(Precision::Console);
    // Registers first: they say whether the units share what is uploaded.
    pica.set_registers(&tables.pica_registers);
    shader(&mut pica, Unit::Vertex, [&tables.vs_program, &tables.vs_descriptors, &tables.vs_floats]);
    shader(&mut pica, Unit::Geometry, [&tables.gs_program, &tables.gs_descriptors, &tables.gs_floats]);
    fixed_attributes(&mut pica, tables);
    for (address, word) in events::initial_words(trace).filter(|&(address, _)| is_kept(address)) {
        pica.set_external(address, word);
    }
    pica.save()
}

fn shader(pica: &mut Pica, unit: Unit, [code, descriptors, floats]: [&[u32]; 3]) {
    let floats: Vec<u32> = floats.as_chunks().0.iter().flat_map(|&vector| pack_raw(vector)).collect();
    pica.set_shader_memory(unit, ShaderMemory::Code, code);
    pica.set_shader_memory(unit, ShaderMemory::Descriptors, descriptors);
    pica.set_shader_memory(unit, ShaderMemory::Floats, &floats);
}

fn fixed_attributes(pica: &mut Pica, tables: &Tables) {
    let vectors = tables.default_attributes.as_chunks::<4>().0;
    for (n, vector) in (0..16).zip(vectors) {
        pica.set_fixed_attribute(n, vector.map(|raw| raw & 0xff_ffff));
    }
}

/// The recorder's table is plain storage: its words are meaningless at addresses where the console has mirrors, no
/// register or the port of a table.
const fn is_kept(address: u32) -> bool {
    !matches!(address, 0x1040_0100..=0x1040_03ff | 0x1040_0600..=0x1040_0bff | 0x1040_0d00..=0x1040_0fff)
        && !matches!(address, 0x1040_0484 | 0x1040_0584)
}
