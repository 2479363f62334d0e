//! Answers written by hand: fields that no random case shows.

use super::fields::{Id, Span, ids};
use std::collections::BTreeMap;

/// What a field does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// A result depends on it. A random case shows it, or the named test.
    Computes,
    /// Stored and read back; nothing else reads it.
    Stored,
    /// Writes are not kept: reads as zero, or as what the machine has there.
    NotStored,
    /// Stored, and read as something else or not at all; no result depends on it.
    Ignored,
}

impl Effect {
    fn parse(text: &str) -> Self {
        match text {
            "computes" => Self::Computes,
            "stored" => Self::Stored,
            "not-stored" => Self::NotStored,
            "ignored" => Self::Ignored,
            _ => panic!("effect `{text}`"),
        }
    }

    /// Text of the table.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Computes => "computes",
            Self::Stored => "stored and read back",
            Self::NotStored => "not stored",
            Self::Ignored => "ignored",
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) effect: Effect,
    /// Tests, as `path/from/the/root.rs::name`.
    pub(super) tests: Vec<String>,
    /// Name of the field or reason.
    pub(super) text: String,
    /// True if the line names the field.
    pub(super) is_explicit: bool,
}

/// Answers by register; `None`: the register itself, or all of its fields without another answer.
#[derive(Debug, Default)]
pub(super) struct Answers(BTreeMap<(Id, Option<Span>), Answer>);

impl Answers {
    /// Reads lines of `ids | fields or * | effect | tests or - | text`.
    pub(super) fn parse(text: &str) -> Self {
        let mut answers = Self::default();
        for line in super::lines(text) {
            let columns: Vec<&str> = line.split('|').map(str::trim).collect();
            let [which, spans, effect, tests, text] = columns[..] else { panic!("five columns: {line}") };
            let split = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let answer = Answer {
                effect: Effect::parse(effect),
                tests: if tests == "-" { Vec::new() } else { split(tests) },
                text: text.to_owned(),
                is_explicit: spans != "*",
            };
            let spans: Vec<_> = if spans == "*" {
                vec![None]
            } else {
                spans.split_whitespace().map(|span| Some(Span::parse(span))).collect()
            };
            for id in ids(which) {
                for &span in &spans {
                    let old = answers.0.insert((id, span), answer.clone());
                    assert!(old.is_none(), "{id:#05x} is answered twice: {line}");
                }
            }
        }
        answers
    }

    /// The answer of a field, or of a register without fields.
    pub(super) fn of(&self, id: Id, span: Option<Span>) -> Option<&Answer> {
        self.0.get(&(id, span)).or_else(|| self.0.get(&(id, None)))
    }

    /// All, with their places.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Id, Option<Span>, &Answer)> {
        self.0.iter().map(|(&(id, span), answer)| (id, span, answer))
    }
}

/// Tests that the answers name and the sources do not have.
pub(super) fn missing_tests(answers: &Answers) -> Vec<String> {
    let mut named: Vec<&String> = answers.iter().flat_map(|(_, _, answer)| &answer.tests).collect();
    named.sort_unstable();
    named.dedup();
    let is_missing = |test: &&&String| {
        let (file, name) = test.split_once("::").unwrap_or((test, ""));
        let source = std::fs::read_to_string(super::path("..").join(file)).unwrap_or_default();
        let declared = source.find(&format!("fn {name}("));
        !declared.is_some_and(|at| source[..at].trim_end().ends_with("#[test]"))
    };
    named.iter().filter(is_missing).map(|test| (**test).clone()).collect()
}
