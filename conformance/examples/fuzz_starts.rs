//! Writes small valid inputs for the fuzz targets, a folder for each: `cargo run --example fuzz_starts -- DIR`.

use picaflor_conformance::pica::fragments::state::state;
use picaflor_conformance::pica::lists::generate as list;
use picaflor_conformance::pica::programs::generate;
use picaflor_conformance::random::Random;
use picaflor_conformance::target::{self, CacheFolder};
use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::ge::capture::{format as ge_format, ppdmp};
use picaflor_pipeline::pica::capture::ctf::{CiTrace, Element, Layout, Tables};
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::shader::asm::{self, SourceFile};
use picaflor_scenes::pica::kit::{FCRAM, VRAM};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

/// No start is longer.
const MOST: usize = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args_os().nth(1).ok_or("which folder?")?;
    let folder = Path::new(&folder);
    let captures: Vec<_> = (0..200).map(|number| small(list::case(3, number).capture)).collect();
    write(folder, "capture", captures.iter().map(Capture::to_bytes))?;
    write(folder, "citrace", captures.iter().map(|capture| citrace(capture).to_bytes(Layout::default())))?;
    write(folder, "mmio", captures.iter().map(by_address))?;
    let dumps: Vec<_> = ppdmp::VERSIONS.map(|version| target::sample_dump().file(version)).collect();
    write(folder, "ge_capture", ge_captures(&dumps)?)?;
    write(folder, "ppdmp", dumps.into_iter().flat_map(|dump| [changed(1, &dump), changed(2, &dump), dump]))?;
    let states = (0..40).map(|number| target::fragment_commands(&state(5, number).0.registers));
    write(folder, "command_list", states.enumerate().map(|(n, state)| [&[n as u8][..], &state].concat()))?;
    let programs = (0..16).map(|number| generate::cases(3, number).swap_remove(0));
    write(folder, "shader", programs.map(|case| target::shader_bytes(&case)))?;
    let keys = (0..40).map(|number| FragmentStateKey::of(&state(5, number).0.registers));
    write(folder, "key", keys.flatten().map(|key| key.to_string().into_bytes()))?;
    write(folder, "asm", [SOURCE.as_bytes().to_vec()])?;
    let container = asm::assemble(&[SourceFile::new("start", SOURCE)], asm::Options::default())?;
    write(folder, "shbin", [container.write()])?;
    let cache = CacheFolder::new(&folder.join("cache"))?;
    write(folder, "disk_cache", cache.contents().map(<[u8]>::to_vec))?;
    Ok(())
}

const SOURCE: &str = "\
.fvec m[4]\n.constf one(1.0, 0.0, 0.5, -1.0)\n.bool b\n.out p position\n.out c color\n.alias a v0\n.proc main\n\
\tdp4 p.x, m[0], a\n\tmov c, one.xxyy\n\tifu b\n\t\tmov p.yzw, one\n\t.end\n\tend\n.end\n";

fn write(folder: &Path, name: &str, starts: impl IntoIterator<Item = Vec<u8>>) -> std::io::Result<()> {
    let folder = folder.join(name);
    fs::create_dir_all(&folder)?;
    for (number, bytes) in starts.into_iter().filter(|bytes| bytes.len() <= MOST).take(16).enumerate() {
        fs::write(folder.join(format!("start-{number:02}")), bytes)?;
    }
    Ok(())
}

/// A dump after some mutations.
fn changed(seed: u64, dump: &[u8]) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..8).fold(dump.to_vec(), |dump, _| target::mutated_dump(&mut random, &dump).unwrap_or(dump))
}

/// The captures of dumps, and of scenes that are small.
fn ge_captures(dumps: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut captures: Vec<_> =
        picaflor_scenes::ge::Scene::all().iter().map(|scene| scene.capture()).collect();
    for dump in dumps {
        captures.push(ppdmp::translate(&ppdmp::read(dump)?, ppdmp::Lists::Long)?.0);
    }
    Ok(captures.iter().map(ge_format::write).collect())
}

/// The writes of a capture as a recording.
fn citrace(capture: &Capture) -> CiTrace {
    let element = |event: &Event| {
        Some(match *event {
            Event::Memory { address, ref bytes } => Element::Load { address, bytes: Arc::clone(bytes) },
            Event::Register { id, value, .. } => Element::Write {
                address: 0x1040_1000 + 4 * u32::from(id),
                width_bytes: 4,
                value: value.into(),
            },
            Event::Mmio { address, value } => Element::Write { address, width_bytes: 4, value: value.into() },
            Event::List { address, .. } => {
                Element::Write { address: 0x1040_18e8, width_bytes: 4, value: (address >> 3).into() }
            }
            Event::Frame => Element::Frame,
            Event::VBlank { .. } | Event::Field { .. } => return None,
        })
    };
    CiTrace { tables: Tables::default(), elements: capture.events.iter().filter_map(element).collect() }
}

/// With less memory, so that it is quick.
fn small(capture: Capture) -> Capture {
    Capture { regions: vec![(VRAM, 32 << 10), (FCRAM, 32 << 10)], ..capture }
}

/// Writes by address of a capture and its first list, as the input of the target that writes by address.
fn by_address(capture: &Capture) -> Vec<u8> {
    let list = capture.events.iter().find_map(|event| match *event {
        Event::List { address, size_bytes } => Some((address, size_bytes)),
        _ => None,
    });
    let memory = capture.events.iter().find_map(|event| match event {
        Event::Memory { address, bytes } if Some(*address) == list.map(|list| list.0) => Some(&bytes[..]),
        _ => None,
    });
    let memory = memory.unwrap_or_default();
    let event = |kind: u8, first: u32, second: u32| {
        [&[kind][..], &first.to_le_bytes(), &second.to_le_bytes()].concat()
    };
    let mut events = vec![event(220, 0, memory.len() as u32)];
    events.extend(capture.events.iter().filter_map(|one| match *one {
        Event::Mmio { address, value } => Some(event(0, address, value)),
        _ => None,
    }));
    [&[2, events.len() as u8][..], &events.concat(), memory].concat()
}
