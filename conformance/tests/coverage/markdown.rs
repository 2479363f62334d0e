//! The tables as Markdown.

use super::fields::Span;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A field of a register: bits (none for the register itself), name, effect, evidence, reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) span: Option<Span>,
    pub(super) name: String,
    pub(super) effect: &'static str,
    /// Campaigns or tests that show the effect.
    pub(super) shown_by: String,
    pub(super) reason: String,
}

/// A register or command.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Number, as text.
    pub(super) number: String,
    pub(super) name: String,
    pub(super) cells: Vec<Cell>,
    /// Files of vectors that write it.
    pub(super) vectors: Vec<String>,
}

/// A block of the table.
pub(super) struct Block {
    pub(super) title: &'static str,
    pub(super) entries: Vec<Entry>,
}

/// The blocks, one table each. Fields of a register with the same effect share a row.
pub(super) fn page(head: &str, first_column: &str, blocks: &[Block]) -> String {
    let mut text = format!("{head}\n## Counts\n\n{}", counts(blocks));
    for block in blocks {
        let _ = write!(
            text,
            "\n## {}\n\n| {first_column} | name | fields | here | shown by | vectors |\n|---|---|---|---|---|---|\n",
            block.title
        );
        for entry in &block.entries {
            rows(entry, &mut text);
        }
    }
    text
}

fn counts(blocks: &[Block]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for cell in blocks.iter().flat_map(|block| &block.entries).flat_map(|entry| &entry.cells) {
        *counts.entry(cell.effect).or_default() += 1;
    }
    let rows: String = counts.iter().map(|(effect, count)| format!("| {effect} | {count} |\n")).collect();
    format!("| fields, or registers without fields | number |\n|---|---:|\n{rows}")
}

fn rows(entry: &Entry, text: &mut String) {
    let mut groups: Vec<(&Cell, Vec<String>)> = Vec::new();
    for cell in &entry.cells {
        let field = match (cell.span, cell.name.as_str()) {
            (None, name) => name.to_owned(),
            (Some(span), "") => span.to_string(),
            (Some(span), name) => format!("{span} {name}"),
        };
        let same = |group: &&mut (&Cell, Vec<String>)| {
            (group.0.effect, &group.0.shown_by, &group.0.reason)
                == (cell.effect, &cell.shown_by, &cell.reason)
        };
        match groups.iter_mut().find(same) {
            Some((_, fields)) => fields.push(field),
            None => groups.push((cell, vec![field])),
        }
    }
    for (n, (cell, fields)) in groups.iter().enumerate() {
        let (number, name) = if n == 0 { (entry.number.as_str(), entry.name.as_str()) } else { ("", "") };
        let vectors = if n == 0 { entry.vectors.join(", ") } else { String::new() };
        let here = match cell.reason.as_str() {
            "" => cell.effect.to_owned(),
            reason => format!("{}: {reason}", cell.effect),
        };
        let cells = [number, name, &fields.join("; "), &here, &cell.shown_by, &vectors];
        let line: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {} |", line.join(" | "));
    }
}

/// Entries without a name that follow each other and have the same row, as one.
pub(super) fn joined(entries: Vec<Entry>, is_unnamed: &dyn Fn(&Entry) -> bool) -> Vec<Entry> {
    let mut joined: Vec<(Entry, String)> = Vec::new();
    for entry in entries {
        let last = joined.last_mut().filter(|(first, _)| {
            is_unnamed(first)
                && is_unnamed(&entry)
                && (&first.cells, &first.vectors) == (&entry.cells, &entry.vectors)
        });
        match last {
            Some((_, last)) => last.clone_from(&entry.number),
            None => joined.push((entry.clone(), entry.number)),
        }
    }
    let finish = |(mut entry, last): (Entry, String)| {
        if is_unnamed(&entry) {
            entry.name.clear();
        }
        if last != entry.number {
            entry.number = format!("{}-{last}", entry.number);
        }
        entry
    };
    joined.into_iter().map(finish).collect()
}
