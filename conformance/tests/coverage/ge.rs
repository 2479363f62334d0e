//! The GE.

use super::answers::{Answers, Effect, missing_tests};
use super::fields::{Document, Id, Span, document, merged};
use super::ge_cases::case;
use super::readers::Sources;
use super::table::Coverage;
use super::witness::{Change, Place, Witnesses};
use super::{golden, is_search, markdown, read, vectors, witness};
use picaflor_conformance::ge::campaign::CASES_PER_MODE;
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::names::{self, Class};
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use std::collections::{BTreeMap, BTreeSet};

const FOLDER: &str = "tests/data/coverage";

fn documents() -> Document {
    document(&read(&format!("{FOLDER}/ge-documents.txt")))
}

fn all_ids() -> impl Iterator<Item = Id> {
    0..=Id::from(u8::MAX)
}

fn command(id: Id) -> names::Command {
    names::command(id.to_le_bytes()[0])
}

fn views(id: Id) -> Vec<(Span, &'static str)> {
    let view = |field: &names::Field| {
        let span = Span { low: field.bits.from, high: field.bits.from + field.bits.count - 1 };
        (span, field.name)
    };
    command(id).fields.iter().map(view).collect()
}

/// Fields of the document and of the machine's views.
fn fields(documents: &Document, id: Id) -> Vec<Span> {
    let machine: Vec<Span> = views(id).into_iter().map(|(span, _)| span).collect();
    merged(documents.get(&id).map_or(&[][..], |(_, spans)| spans), &machine)
}

/// Names of the views for a field of either.
fn name(id: Id, span: Span) -> String {
    let named =
        views(id).into_iter().filter(|(view, name)| view.mask() & span.mask() != 0 && !name.is_empty());
    named.map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}

fn wanted(documents: &Document) -> BTreeSet<Change> {
    let changes = |id| {
        let flips = fields(documents, id).into_iter().map(move |span| Change::Flip(id, span));
        flips.chain([Change::Drop(id)])
    };
    all_ids().flat_map(changes).collect()
}

fn updated(documents: &Document, old: &Witnesses) -> Witnesses {
    let wanted = wanted(documents);
    let mut witnesses: Witnesses =
        old.iter().filter(|(change, _)| wanted.contains(change)).map(|(c, p)| (*c, p.clone())).collect();
    for change in witness::broken(&witnesses, &case) {
        witnesses.remove(&change);
    }
    // Random cases that follow each other share a mode, which decides what fields are read: one case of each.
    let step = CASES_PER_MODE;
    let searches = [("ge-vertex", 300, step, 40), ("scene", 25, 1, 1), ("ge-pixel", 300, step, 100)];
    for (kind, cases, step, tries) in searches {
        let is_left = |change: &Change| !witnesses.contains_key(change);
        let left = wanted.iter().copied().filter(is_left).collect();
        let places = (0..cases).map(|number| Place { kind: kind.to_owned(), number: number * step });
        witnesses.extend(witness::search(&left, places, &case, tries));
        golden(&format!("{FOLDER}/ge-witnesses.txt"), &witness::write(&witnesses));
    }
    witnesses
}

fn witnesses() -> Witnesses {
    witness::parse(&read(&format!("{FOLDER}/ge-witnesses.txt")))
}

fn answers() -> Answers {
    Answers::parse(&read(&format!("{FOLDER}/ge-answers.txt")))
}

/// The word of a command after it was executed with ones, and with zeros, in a field.
fn read_back(id: Id, span: Option<Span>) -> [u32; 2] {
    const LIST: u32 = 0x0880_0000;
    let mask = span.map_or(0xff_ffff, Span::mask);
    [0xff_ffff, 0xff_ffff & !mask].map(|argument| {
        let memory = BlockMemory::zeroed(&[(LIST, 0x100)]);
        let words = [u32::from(id) << 24 | argument, u32::from(op::FINISH) << 24, u32::from(op::END) << 24];
        write_bytes(&memory, LIST, &words.map(u32::to_le_bytes).concat());
        let mut ge = Ge::new();
        let _ = ge.run(&mut Interpreter::new(), &memory, &mut DisplayList::new(LIST, 0));
        ge.read_command(id.to_le_bytes()[0]) & mask
    })
}

/// What is wrong with an answer.
fn refuted(id: Id, span: Option<Span>, effect: Effect) -> Option<String> {
    let read = read_back(id, span);
    let stored = read[0] != read[1];
    match effect {
        Effect::Stored if !stored => Some(format!("reads back {read:06x?}")),
        Effect::NotStored if stored => Some(format!("is stored: reads back {read:06x?}")),
        _ => None,
    }
}

/// The files of vectors that write each command.
fn vector_files() -> BTreeMap<Id, BTreeSet<String>> {
    let numbers: BTreeMap<String, Id> = all_ids().map(|id| (command(id).name.into_owned(), id)).collect();
    let word = |text: &str| {
        let name = text.split('=').next().unwrap_or(text);
        let raw = || (text.len() == 8).then(|| Id::from_str_radix(&text[..2], 16).ok()).flatten();
        numbers.get(name).copied().or_else(raw)
    };
    vectors::written("vectors/ge", &|key, value| match (key, value) {
        ("state", toml::Value::Table(state)) => state.keys().filter_map(|name| word(name)).collect(),
        ("list", toml::Value::String(list)) => list.split_whitespace().filter_map(word).collect(),
        _ => Vec::new(),
    })
}

const BLOCKS: [(&str, Id, Id); 7] = [
    ("Control and pointers", 0x00, 0x16),
    ("Enables", 0x17, 0x28),
    ("Matrices, morphing, patches, viewport", 0x29, 0x52),
    ("Material and lights", 0x53, 0x9a),
    ("Buffers and textures", 0x9b, 0xd1),
    ("Pixels", 0xd2, 0xe9),
    ("Transfers, immediate vertices", 0xea, 0xff),
];

const HEAD: &str = "# Coverage: GE\n
Every command and every field of it that the document of the start (the list of commands of \"yet another
PlayStationPortable Documentation\") or this project's views have. The page is generated and checked by
`conformance/tests/coverage`; `PICAFLOR_UPDATE=1` writes it anew.

* **computes**: a result depends on the field. *Shown by* has a campaign of `picaflor fuzz` with a case whose memory is
  another one when the field is inverted in all words of the command (without fields: when these words are left out), or
  the tests that show the effect, or the room of the code that reads the command's word.
* **stored and read back**: the test executes the command and reads its word.
* **ignored**: no result depends on it; the register file keeps every word.
* **vectors**: files of `conformance/vectors/ge` that have the command.\n";

/// Commands with a constant; those of a series have the constant of its first one.
fn constants() -> BTreeMap<Id, String> {
    let source = read("../pipeline/src/ge/regs/op.rs");
    let constant = |line: &str| {
        let (name, number) = line.strip_prefix("pub const ")?.split_once(": u8 = 0x")?;
        Some((Id::from_str_radix(number.trim_end_matches(';'), 16).ok()?, name.to_owned()))
    };
    source.lines().filter_map(constant).collect()
}

/// The table; and the fields without a sound answer.
fn table() -> (String, Vec<String>) {
    let (documents, files) = (documents(), vector_files());
    let sources =
        Sources::of("ge", &["ge/names", "ge/regs/op", "ge/regs/same", "ge/list_builder", "ge/capture"]);
    let constants = constants();
    let coverage = Coverage {
        witnesses: witnesses(),
        answers: answers(),
        fields: &|id| fields(&documents, id),
        name: &name,
        reader: &|id, _| {
            let name = constants.range(..=id).next_back().map(|(_, name)| format!("op::{name}"))?;
            sources.room_of(&name).map(str::to_owned)
        },
        refuted: &refuted,
    };
    let mut wrong = coverage.answers_of_nothing();
    let mut entry = |id: Id| {
        let command = command(id);
        let vectors = files.get(&id).map(|files| files.iter().cloned().collect()).unwrap_or_default();
        let is_nothing = command.class == Class::Nothing;
        let name = if is_nothing { String::new() } else { format!("{}, {}", command.name, command.meaning) };
        markdown::Entry { number: format!("{id:02X}"), name, cells: coverage.cells(id, &mut wrong), vectors }
    };
    let block = |(title, first, last)| {
        let entries: Vec<_> = (first..=last).map(&mut entry).collect();
        markdown::Block { title, entries: markdown::joined(entries, &|entry| entry.name.is_empty()) }
    };
    let blocks: Vec<_> = BLOCKS.into_iter().map(block).collect();
    (markdown::page(HEAD, "command", &blocks), wrong)
}

#[test]
fn document_and_machine_have_the_same_commands() {
    for (id, (name, _)) in documents() {
        let ours = command(id).name;
        assert!(name.is_empty() || ours == name, "{id:#04x}: {ours}, the document has {name}");
    }
    assert_eq!(documents().len(), 256);
}

#[test]
fn every_field_of_the_ge_is_covered() {
    if is_search() {
        let found = updated(&documents(), &witnesses());
        golden(&format!("{FOLDER}/ge-witnesses.txt"), &witness::write(&found));
    } else {
        let broken = witness::broken(&witnesses(), &case);
        assert!(broken.is_empty(), "PICAFLOR_UPDATE=search looks for others: {broken:x?}");
    }
    let (page, wrong) = table();
    assert!(wrong.is_empty(), "{} fields:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(missing_tests(&answers()), Vec::<String>::new());
    golden("../pipeline/docs/hardware/coverage-ge.md", &page);
}
