//! The PICA200.

use super::answers::{Answers, Effect, missing_tests};
use super::fields::{Document, Id, Span, document, merged};
use super::readers::Sources;
use super::table::Coverage;
use super::witness::{Case, Change, Place, Witnesses};
use super::{golden, is_search, markdown, read, vectors, witness};
use picaflor_conformance::pica::engine::NamedEngine;
use picaflor_conformance::pica::fragments::case::FragmentCase;
use picaflor_conformance::pica::fragments::{self, state};
use picaflor_conformance::pica::lists;
use picaflor_conformance::pica::lists::generate::{ListKind, of_kind};
use picaflor_conformance::random::Random;
use picaflor_pipeline::memory::{BlockMemory, FlatMemory};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::{Class, Description, Registers, describe};
use picaflor_pipeline::pica::stage::NoEngines;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

const FOLDER: &str = "tests/data/coverage";
const SEED: u64 = 20_261_122;
/// Pixels in bounding boxes of a fragment case.
const MOST_PIXELS: u64 = 300;
/// Memory for edited lists: address and bytes.
const COPIES: (u32, u32) = (0x2600_0000, 1 << 20);
/// First register that command lists write; the CPU has those below.
const FIRST: Id = 0x040;

fn documents() -> Document {
    document(&read(&format!("{FOLDER}/pica-documents.txt")))
}

fn all_ids() -> impl Iterator<Item = Id> {
    0..Registers::COUNT as Id
}

/// Fields of the documents and of the machine's views.
fn fields(documents: &Document, id: Id) -> Vec<Span> {
    let machine = describe(id).fields.iter().map(|field| Span { low: field.low, high: field.high - 1 });
    merged(documents.get(&id).map_or(&[][..], |(_, spans)| spans), &machine.collect::<Vec<_>>())
}

/// Names of the views for a field of either.
fn name(id: Id, span: Span) -> String {
    let views = describe(id).fields.iter().filter(|field| {
        let bits = Span { low: field.low, high: field.high - 1 };
        bits.mask() & span.mask() != 0
    });
    views.map(|field| field.name.replace('_', " ")).collect::<Vec<_>>().join(", ")
}

fn hash(memory: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    memory.hash(&mut hasher);
    hasher.finish()
}

/// A fragment case: registers are changed directly.
struct Fragments {
    case: FragmentCase,
    memory: FlatMemory,
}

impl Fragments {
    fn new(number: u64) -> Self {
        let (state, mut random) = state::state(SEED, number);
        let case = FragmentCase::within(&mut random, state, MOST_PIXELS);
        Self { case, memory: FlatMemory::new(state::BASE, vec![0; state::SIZE as usize]) }
    }
}

impl Case for Fragments {
    fn reaches(&self, change: Change) -> bool {
        matches!(change, Change::Flip(id, _) if (FIRST..0x200).contains(&id))
            && !self.case.triangles.is_empty()
    }

    fn draw(&mut self, change: Option<Change>) -> u64 {
        let mut case = self.case.clone();
        if let Some(Change::Flip(id, span)) = change {
            let word = case.registers.raw(id) ^ span.mask();
            case.registers.set_raw(id, word);
        }
        hash(&fragments::reference(&case, &mut self.memory).memory)
    }
}

/// A case of command lists: their words are changed.
struct Lists {
    capture: Capture,
    written: BTreeSet<Id>,
    engine: NamedEngine,
}

impl Lists {
    fn new(number: u64) -> Self {
        let capture = of_kind(&mut Random::of_item(SEED, number), ListKind::Structured).capture;
        let engine = NamedEngine::by_name("interp").expect("its name").expect("it runs everywhere");
        let mut case = Self { capture, written: BTreeSet::new(), engine };
        let mut written = BTreeSet::new();
        case.edited(&mut |id, _| {
            written.insert(id);
            true
        });
        case.written = written;
        case
    }

    /// The capture with its lists edited, in memory of their own, so that a texture or vertex in the memory of a list
    /// does not change with it. `edit` changes a parameter; false makes its command write nothing.
    fn edited(&self, edit: &mut dyn FnMut(Id, &mut u32) -> bool) -> Capture {
        let mut capture = self.capture.clone();
        capture.regions.push(COPIES);
        let lists: BTreeMap<u32, u32> = self.capture.events.iter().filter_map(list_of).collect();
        let (mut next, mut copies, mut events) = (COPIES.0, BTreeMap::new(), Vec::new());
        for event in &self.capture.events {
            events.push(event.clone());
            match *event {
                Event::Memory { address, ref bytes } if lists.contains_key(&address) => {
                    let words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
                    let mut words: Vec<u32> = words.collect();
                    let end = words.len().min(lists[&address] as usize / 4);
                    edit_commands(&mut words[..end], edit);
                    let bytes: Arc<[u8]> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    copies.insert(address, next);
                    let length = bytes.len() as u32;
                    events.push(Event::Memory { address: next, bytes });
                    next += length.next_multiple_of(16);
                }
                Event::List { address, size_bytes } => {
                    let address = copies.get(&address).copied().unwrap_or(address);
                    events.pop();
                    events.push(Event::List { address, size_bytes });
                }
                _ => {}
            }
        }
        capture.events = events;
        capture
    }
}

const fn list_of(event: &Event) -> Option<(u32, u32)> {
    match *event {
        Event::List { address, size_bytes } => Some((address, size_bytes)),
        _ => None,
    }
}

fn edit_commands(words: &mut [u32], edit: &mut dyn FnMut(Id, &mut u32) -> bool) {
    let mut at = 0;
    while at + 1 < words.len() {
        let header = words[at + 1];
        let (first, extra) = ((header & 0x3ff) as Id, (header >> 20 & 0xff) as usize);
        let step = (header >> 31) as Id;
        let mut keeps = true;
        for n in 0..=extra {
            let place = if n == 0 { at } else { at + 1 + n };
            let Some(word) = words.get_mut(place) else { return };
            keeps &= edit(first + step * n as Id, word);
        }
        if !keeps {
            words[at + 1] &= !0x000f_0000;
        }
        at += 2 + extra.next_multiple_of(2);
    }
}

impl Case for Lists {
    fn reaches(&self, change: Change) -> bool {
        self.written.contains(&change.id())
    }

    fn draw(&mut self, change: Option<Change>) -> u64 {
        let edited = self.edited(&mut |id, word| match change {
            Some(Change::Flip(changed, span)) if id == changed => {
                *word ^= span.mask();
                true
            }
            Some(Change::Drop(changed)) => id != changed,
            _ => true,
        });
        let mut memory = lists::run(&edited, &mut self.engine, 1).memory;
        // The words of the lists themselves are no result.
        memory.retain(|(base, _)| *base != COPIES.0);
        hash(&memory)
    }
}

/// A case of either campaign.
enum Either {
    Fragments(Box<Fragments>),
    Lists(Box<Lists>),
}

fn case(place: &Place) -> Either {
    match place.kind.as_str() {
        "fragment" => Either::Fragments(Box::new(Fragments::new(place.number))),
        "list" => Either::Lists(Box::new(Lists::new(place.number))),
        kind => panic!("campaign `{kind}`"),
    }
}

impl Case for Either {
    fn reaches(&self, change: Change) -> bool {
        match self {
            Self::Fragments(case) => case.reaches(change),
            Self::Lists(case) => case.reaches(change),
        }
    }

    fn draw(&mut self, change: Option<Change>) -> u64 {
        match self {
            Self::Fragments(case) => case.draw(change),
            Self::Lists(case) => case.draw(change),
        }
    }
}

/// Every field of registers that are known to act, and the ports and triggers themselves.
fn wanted(documents: &Document) -> BTreeSet<Change> {
    let changes = |id| {
        let Description { class, fields: views, .. } = describe(id);
        let acts = matches!(class, Class::Trigger | Class::Index | Class::Data);
        let is_seen = class == Class::Undocumented && id < 0x200 && !views.is_empty();
        let is_searched = acts || is_seen || class == Class::Configuration;
        let flips = fields(documents, id).into_iter().filter(move |_| is_searched);
        let flips = flips.map(move |span| Change::Flip(id, span));
        flips.chain(acts.then_some(Change::Drop(id)))
    };
    all_ids().filter(|&id| id >= FIRST).flat_map(changes).collect()
}

/// Holds the witnesses, and finds others for those that do not hold.
fn updated(documents: &Document, old: &Witnesses) -> Witnesses {
    let wanted = wanted(documents);
    let mut witnesses: Witnesses =
        old.iter().filter(|(change, _)| wanted.contains(change)).map(|(c, p)| (*c, p.clone())).collect();
    for change in witness::broken(&witnesses, &case) {
        witnesses.remove(&change);
    }
    for (kind, cases, tries) in [("fragment", 1_000, 40), ("list", 100, 8)] {
        let is_left = |change: &Change| !witnesses.contains_key(change);
        let left = wanted.iter().copied().filter(is_left).collect();
        let places = (0..cases).map(|number| Place { kind: kind.to_owned(), number });
        witnesses.extend(witness::search(&left, places, &case, tries));
    }
    witnesses
}

fn witnesses() -> Witnesses {
    witness::parse(&read(&format!("{FOLDER}/pica-witnesses.txt")))
}

fn answers() -> Answers {
    Answers::parse(&read(&format!("{FOLDER}/pica-answers.txt")))
}

/// Reading of a register after its field was written as ones, and as zeros.
fn read_back(id: Id, span: Option<Span>) -> [u32; 2] {
    let mask = span.map_or(u32::MAX, Span::mask);
    let memory = BlockMemory::zeroed(&[]);
    [u32::MAX, !mask].map(|value| {
        let mut pica = Pica::new(Precision::Console);
        // Registers that act need engines and memory; these faults do not matter here.
        let _ = pica.write_register(&mut NoEngines, &memory, id, value, 15);
        pica.read_register(id) & mask
    })
}

/// What is wrong with an answer.
fn refuted(id: Id, span: Option<Span>, effect: Effect) -> Option<String> {
    let read = read_back(id, span);
    let (mask, implemented) = (span.map_or(u32::MAX, Span::mask), describe(id).implemented);
    match effect {
        Effect::Stored if read == [mask & implemented, 0] && mask & implemented != 0 => None,
        Effect::Stored => Some(format!("reads back {read:08x?}")),
        Effect::NotStored if read[0] == read[1] => None,
        Effect::NotStored => Some(format!("is stored: reads back {read:08x?}")),
        Effect::Computes | Effect::Ignored => None,
    }
}

/// The files of vectors that write each register.
fn vectors() -> BTreeMap<Id, BTreeSet<String>> {
    let names: BTreeMap<String, Id> = all_ids().map(|id| (describe(id).name.into_owned(), id)).collect();
    let id_of = |key: &str| {
        let number = key.strip_prefix("0x").and_then(|digits| Id::from_str_radix(digits, 16).ok());
        number.or_else(|| names.get(key).copied())
    };
    vectors::written("vectors/machine", &|key, value| match (key, value) {
        ("write", toml::Value::Table(writes)) => {
            let ids = writes.iter().filter_map(|(name, words)| {
                let count = words.as_array().map_or(1, Vec::len) as Id;
                id_of(name).map(|first| first..first + count)
            });
            ids.flatten().collect()
        }
        _ => Vec::new(),
    })
}

const BLOCKS: [(&str, Id, Id); 9] = [
    ("Miscellaneous", 0x000, 0x03f),
    ("Rasterizer", 0x040, 0x07f),
    ("Texture units", 0x080, 0x0bf),
    ("Combiners, fog", 0x0c0, 0x0ff),
    ("Frame buffer", 0x100, 0x13f),
    ("Lighting", 0x140, 0x1ff),
    ("Geometry pipeline", 0x200, 0x27f),
    ("Shader units", 0x280, 0x2df),
    ("Other banks and mirrors", 0x2e0, 0x3ff),
];

const HEAD: &str = "# Coverage: PICA200\n
Every register 0x000-0x3FF and every field of it that the documents of the start (3dbrew's register list, gbatek's frame
buffer and geometry registers) or this project's views have. The page is generated and checked by
`conformance/tests/coverage`; `PICAFLOR_UPDATE=1` writes it anew.

* **computes**: a result depends on the field. *Shown by* has a campaign of `picaflor fuzz` with a case whose memory is
  another one when the field is inverted (or, for ports and triggers, when the writes are left out), or the tests that show
  the effect, or the room of the code that reads the field's view.
* **stored and read back**, **not stored**: the test writes the field and reads it.
* **ignored**: stored or not, no result depends on it.
* **vectors**: files of `conformance/vectors/machine` that write the register.\n";

/// Names that types without a register have, too.
const COMMON: [&str; 4] = ["a", "u", "v", "scale"];

/// Names of fields that only one view has. Code that reads another one is no evidence of a field.
fn distinct_names() -> BTreeSet<&'static str> {
    let mut views = BTreeMap::<_, BTreeSet<_>>::new();
    for fields in all_ids().map(|id| describe(id).fields) {
        let view: Vec<_> = fields.iter().map(|field| (field.name, field.low, field.high)).collect();
        for field in fields {
            views.entry(field.name).or_default().insert(view.clone());
        }
    }
    let is_distinct = |(name, views): (&'static str, BTreeSet<_>)| {
        (views.len() == 1 && !COMMON.contains(&name)).then_some(name)
    };
    views.into_iter().filter_map(is_distinct).collect()
}

/// The table; and the fields without a sound answer.
fn table() -> (String, Vec<String>) {
    let (documents, vectors, distinct) = (documents(), vectors(), distinct_names());
    let sources = Sources::of("pica", &["pica/regs", "pica/shader/asm", "pica/shader/shbin", "pica/command"]);
    let coverage = Coverage {
        witnesses: witnesses(),
        answers: answers(),
        fields: &|id| fields(&documents, id),
        name: &name,
        reader: &|id, span| {
            let views =
                describe(id).fields.iter().filter(|field| distinct.contains(field.name)).filter(|field| {
                    span.is_some_and(|span| {
                        Span { low: field.low, high: field.high - 1 }.mask() & span.mask() != 0
                    })
                });
            let mut rooms = views.filter_map(|field| sources.room_of(&format!(".{}()", field.name)));
            rooms.next().map(str::to_owned)
        },
        refuted: &refuted,
    };
    let mut wrong = coverage.answers_of_nothing();
    let mut entry = |id: Id| {
        let files = vectors.get(&id).map(|files| files.iter().cloned().collect()).unwrap_or_default();
        let cells = coverage.cells(id, &mut wrong);
        markdown::Entry {
            number: format!("{id:03X}"),
            name: describe(id).name.into_owned(),
            cells,
            vectors: files,
        }
    };
    let block = |(title, first, last)| {
        let entries: Vec<_> = (first..=last).map(&mut entry).collect();
        markdown::Block { title, entries: markdown::joined(entries, &is_unnamed) }
    };
    let blocks: Vec<_> = BLOCKS.into_iter().map(block).collect();
    (markdown::page(HEAD, "register", &blocks), wrong)
}

fn is_unnamed(entry: &markdown::Entry) -> bool {
    entry.name == entry.number || entry.name.len() == 4 && Id::from_str_radix(&entry.name, 16).is_ok()
}

#[test]
fn documents_and_machine_have_the_same_registers() {
    for (id, (name, _)) in documents() {
        let unnamed = format!("{id:04X}");
        let ours = describe(id).name;
        // gbatek alone has registers 0x2E0-0x33F, as two more shader units.
        let agrees = ours == name || name.is_empty() && (ours == unnamed || ours.starts_with("VSH"));
        assert!(agrees, "{id:#05x}: {ours}, the documents have {name}");
    }
}

#[test]
fn every_field_of_the_pica200_is_covered() {
    if is_search() {
        let found = updated(&documents(), &witnesses());
        golden(&format!("{FOLDER}/pica-witnesses.txt"), &witness::write(&found));
    } else {
        let broken = witness::broken(&witnesses(), &case);
        assert!(broken.is_empty(), "PICAFLOR_UPDATE=search looks for others: {broken:x?}");
    }
    // The table needs the witnesses, so both are one test.
    let (page, wrong) = table();
    assert!(wrong.is_empty(), "{} fields:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(missing_tests(&answers()), Vec::<String>::new());
    golden("../pipeline/docs/hardware/coverage-pica.md", &page);
}
