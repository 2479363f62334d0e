//! The laws of fragment keys on many random states, counted.
//!
//! A key is found again from its text and from the registers it is turned into; states with the same key and
//! the same data draw the same, by the judgement of the interpreter: the plainest state of the key, and a
//! neighbour that differs in bits which select code elsewhere.

use super::case::FragmentCase;
use super::{Cut, draw_into, law, report};
use crate::crew::share;
use crate::pica::fragments::state::{self, BASE, SIZE};
use crate::random::Random;
use picaflor_interp::Interpreter;
use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::regs::Registers;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Findings that are kept.
const KEPT: usize = 8;
/// Pixels in bounding boxes of a state's triangles.
const MOST_PIXELS: u64 = 300;

/// Which states are tried.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// Number of the first state.
    pub first: u64,
    /// Number of states.
    pub states: u64,
    /// Time limit for the start of further states.
    pub time: Option<Duration>,
    /// Threads. The counts do not depend on them.
    pub threads: usize,
}

/// A state that breaks a law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its number.
    pub number: u64,
    /// The law, and the way in which it failed.
    pub what: String,
}

/// Counts.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// States.
    pub states: u64,
    /// States with a key.
    pub known: u64,
    /// Hashes of the keys.
    pub keys: HashSet<u64>,
    /// Keys whose plainest state was drawn.
    pub plainest: u64,
    /// Neighbours that were drawn.
    pub neighbours: u64,
    /// Registers in which these differed from their states.
    pub differing_registers: u64,
    /// Of the plainest states and the neighbours, those whose drawing changed memory.
    pub changed: u64,
    /// States that broke a law.
    pub failures: u64,
    /// The first of them.
    pub findings: Vec<Finding>,
}

impl Summary {
    fn add(&mut self, other: Self) {
        self.states += other.states;
        self.known += other.known;
        self.keys.extend(other.keys);
        self.plainest += other.plainest;
        self.neighbours += other.neighbours;
        self.differing_registers += other.differing_registers;
        self.changed += other.changed;
        self.failures += other.failures;
        self.findings.extend(other.findings);
    }
}

/// Tries the states of a plan. `progress` is called with the number of states done since the last call.
#[must_use]
pub fn run(plan: &Plan, progress: &(dyn Fn(u64) + Sync)) -> Summary {
    let (next, start) = (AtomicU64::new(plan.first), Instant::now());
    let end = plan.first.saturating_add(plan.states);
    let work = || {
        let mut judge = Judge::new();
        let mut summary = Summary::default();
        while plan.time.is_none_or(|time| start.elapsed() < time) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= end {
                break;
            }
            one_state(plan.seed, number, &mut judge, &mut summary);
            progress(1);
        }
        summary
    };
    let results = share(plan.threads.max(1), work);
    let mut summary = Summary::default();
    for result in results {
        summary.add(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    }
    summary.findings.sort_by_key(|finding| finding.number);
    summary.findings.truncate(KEPT);
    summary
}

fn one_state(seed: u64, number: u64, judge: &mut Judge, summary: &mut Summary) {
    let (state, mut random) = state::state(seed, number);
    summary.states += 1;
    let Ok(key) = FragmentStateKey::of(&state.registers) else { return };
    summary.known += 1;
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    summary.keys.insert(hasher.finish());
    let mut case = FragmentCase::within(&mut random, state, MOST_PIXELS);
    let drawn = found_again(&key).and_then(|()| same_pictures(&mut case, key, &mut random, judge, summary));
    if let Err(what) = drawn {
        summary.failures += 1;
        if summary.findings.len() < KEPT {
            summary.findings.push(Finding { number, what });
        }
    }
}

/// Text and registers lead back to a key.
fn found_again(key: &FragmentStateKey) -> Result<(), String> {
    let text = key.to_string();
    if text.parse() != Ok(*key) {
        return Err(format!("the text of {text} is not read as this key"));
    }
    match FragmentStateKey::of(&key.to_registers()) {
        Ok(again) if again == *key => Ok(()),
        other => Err(format!("the registers of {text} have another key: {other:?}")),
    }
}

/// Draws on the interpreter, in the same memory each time.
struct Judge {
    memory: FlatMemory,
    /// Memory after drawing the case.
    expected: Vec<u8>,
}

impl Judge {
    fn new() -> Self {
        Self { memory: FlatMemory::new(BASE, vec![0; SIZE as usize]), expected: Vec::new() }
    }

    fn draw(&mut self, case: &FragmentCase) -> &[u8] {
        draw_into(case, &case.set_up(), &mut self.memory, &mut Interpreter::new(), Cut::Threads(1));
        self.memory.bytes_mut()
    }

    fn expect(&mut self, case: &FragmentCase) {
        self.draw(case);
        self.expected.clear();
        self.expected.extend_from_slice(self.memory.bytes_mut());
    }

    /// Draws the same triangles in another state and compares; returns true if memory changed.
    fn compare(
        &mut self,
        case: &mut FragmentCase,
        registers: Registers,
        luts: Option<Luts>,
    ) -> Result<bool, String> {
        let own = (std::mem::replace(&mut case.registers, registers), case.luts.clone());
        case.luts = luts.unwrap_or_else(|| case.luts.clone());
        self.draw(case);
        (case.registers, case.luts) = own;
        // Not the number of fragments: the plainest way to draw nothing skips them all.
        let drawn = self.memory.bytes_mut();
        if *drawn == self.expected[..] {
            Ok(self.expected != case.memory)
        } else {
            Err(report::first_difference(case, drawn, &self.expected))
        }
    }
}

/// The plainest state and a neighbour draw the same.
fn same_pictures(
    case: &mut FragmentCase,
    key: FragmentStateKey,
    random: &mut Random,
    judge: &mut Judge,
    summary: &mut Summary,
) -> Result<(), String> {
    let neighbour = law::neighbour(case, key, random);
    let words = case.registers.words().iter().zip(neighbour.words());
    let differing = words.filter(|(a, b)| a != b).count() as u64;
    let plainest = law::plainest(case);
    if case.triangles.is_empty() || plainest.is_none() && differing == 0 {
        return Ok(());
    }
    judge.expect(case);
    if let Some((registers, luts)) = plainest {
        if FragmentStateKey::of(&registers) != Ok(key) {
            return Err(format!("the plainest state of {key}, with its data, has another key"));
        }
        let changed = judge.compare(case, registers, Some(luts));
        summary.changed += u64::from(changed.map_err(|what| different("the plainest state", key, &what))?);
        summary.plainest += 1;
    }
    if differing > 0 {
        let changed = judge.compare(case, neighbour, None);
        summary.changed += u64::from(changed.map_err(|what| different("a neighbour", key, &what))?);
        summary.neighbours += 1;
        summary.differing_registers += differing;
    }
    Ok(())
}

fn different(name: &str, key: FragmentStateKey, what: &str) -> String {
    format!("{name} of {key} draws something else: {what}")
}
