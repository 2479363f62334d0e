//! Runs vectors of the GE: every case on every engine.

use super::build::{Built, LIST, build};
use super::{Case, File, Group, judge};
use crate::ge::engine::{self, Named};
use crate::replay::ReplayError;
use crate::vector::Origin;
use crate::vector::Verdict;
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::{Ge, Stop};
use std::fmt::Write;

/// The engine that drops draws that compiled code refuses.
const WITHOUT_FALLBACK: &str = "jit-no-fallback";
/// Times that a list may stop before it is complete.
const MOST_STOPS: usize = 8;

/// The result of one case on one engine.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Title of the group.
    pub title: String,
    /// The unit of the machine.
    pub unit: String,
    /// The origin of the case.
    pub origin: Origin,
    /// The reason for which its source is contradicted, if it is.
    pub expect_failure: Option<String>,
    /// Number and name of the case.
    pub case: String,
    /// Number of facts that it states.
    pub vectors: usize,
    /// The engine.
    pub engine: &'static str,
    /// True if the engine dropped a draw that compiled code refuses.
    pub is_partial: bool,
    /// Problems, one line each.
    pub problems: Vec<String>,
}

impl Outcome {
    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.is_partial {
            return Verdict::Incomparable;
        }
        Verdict::of(self.problems.is_empty(), self.expect_failure.is_some())
    }

    /// A report that explains the problems without the file at hand.
    #[must_use]
    pub fn report(&self) -> String {
        let Self { title, origin, case, engine, .. } = self;
        let mut text = format!("{:?}: {title} ({origin:?}), {case} on {engine}\n", self.verdict());
        for problem in &self.problems {
            let _ = writeln!(text, "    {problem}");
        }
        text
    }
}

/// An engine with its name.
pub type NamedStages = (&'static str, Named);

/// All engines.
///
/// # Errors
/// This host cannot run one of the engines.
pub fn engines() -> Result<Vec<NamedStages>, ReplayError> {
    engine::NAMES.into_iter().map(|name| Ok((name, engine::with_setup(name, Default::default())?))).collect()
}

/// Runs every case of a file.
///
/// # Errors
/// An invalid case, with its name.
pub fn run_file(file: &File, engines: &mut [NamedStages]) -> Result<Vec<Outcome>, String> {
    let mut outcomes = Vec::new();
    for group in &file.groups {
        if group.cases.is_empty() {
            return Err(format!("{}: a group without cases", group.title));
        }
        for (n, case) in group.cases.iter().enumerate() {
            let name = format!("case {} {}", n + 1, case.name);
            let case = case.on(&group.with).on(&file.with);
            if case.vectors() == 0 {
                return Err(format!("{}, {name}: needs an expectation", group.title));
            }
            for engine in &mut *engines {
                let ran = run_case(group, &name, &case, engine);
                outcomes.push(ran.map_err(|why| format!("{}, {name}: {why}", group.title))?);
            }
        }
    }
    Ok(outcomes)
}

fn run_case(group: &Group, name: &str, case: &Case, engine: &mut NamedStages) -> Result<Outcome, String> {
    let (engine_name, stages) = engine;
    let before = stages.work().interpreted_tiles;
    let problems = run(case, stages)?;
    Ok(Outcome {
        title: group.title.clone(),
        unit: group.unit.clone(),
        origin: group.origin,
        expect_failure: group.expect_failure.clone(),
        case: name.into(),
        vectors: case.vectors(),
        engine: engine_name,
        is_partial: *engine_name == WITHOUT_FALLBACK && stages.work().interpreted_tiles > before,
        problems,
    })
}

/// A fresh machine from the case's memory to its judgement. Faults and lists that do not stop as they should are
/// problems.
fn run(case: &Case, stages: &mut dyn Stages) -> Result<Vec<String>, String> {
    let built = build(case)?;
    let mut ge = Ge::new();
    ge.set_address_maps(built.maps);
    let mut problems = Vec::new();
    let stops = play(case, stages, &built, &mut ge, &mut problems)?;
    let expected = case.stops.clone().unwrap_or_else(|| vec!["finished 0".into()]);
    if stops != expected || stops.len() < case.at_stops.len() {
        problems.push(format!("stops: expected {expected:?}, got {stops:?}"));
    }
    problems.extend(ge.faults().as_slice().iter().map(|fault| format!("fault: {fault}")));
    problems.extend(judge::judge(case, &built, &ge)?);
    Ok(problems)
}

/// Runs the list until it is complete; returns its stops.
fn play(
    case: &Case,
    stages: &mut dyn Stages,
    built: &Built,
    ge: &mut Ge,
    problems: &mut Vec<String>,
) -> Result<Vec<String>, String> {
    let mut list = DisplayList::new(LIST, 0);
    let mut stops = Vec::new();
    while stops.len() < MOST_STOPS {
        let stop = ge.run(stages, &built.memory, &mut list);
        if let Some(expected) = case.at_stops.get(stops.len()) {
            problems.extend(judge::registers(expected, ge)?);
        }
        stops.push(stop.map_or_else(|why| why.to_string(), in_words));
        if !matches!(stop, Ok(Stop::Signal { .. } | Stop::Paused { .. })) {
            break;
        }
    }
    Ok(stops)
}

fn in_words(stop: Stop) -> String {
    match stop {
        Stop::Stalled => "stalled".into(),
        Stop::Signal { behaviour, token } => format!("signal {behaviour:x} {token:x}"),
        Stop::Paused { token } => format!("paused {token:x}"),
        Stop::Finished { token } => format!("finished {token:x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(more: &str) -> String {
        format!("[[group]]\ntitle = \"t\"\nunit = \"u\"\norigin = \"derived\"\nevidence = \"e\"\n{more}")
    }

    fn run(text: &str) -> Result<Vec<Verdict>, String> {
        let interpreter = engine::with_setup("interp", Default::default()).unwrap();
        let outcomes = run_file(&File::parse(text).unwrap(), &mut [("interp", interpreter)])?;
        Ok(outcomes.iter().map(Outcome::verdict).collect())
    }

    /// One point at (1, 2) in a given colour.
    fn point(expected: &str) -> String {
        let draw = "state = { VTYPE = 0x80011c }, list = \"PRIM=1\"";
        let vertex = "vertices = \"hex 11 22 33 44 s16 1 2 0\"";
        group(&format!("cases = [{{ {draw}, {vertex}, {expected} }}]"))
    }

    #[test]
    fn a_wrong_value_differs() {
        for right in [
            "after = { 04001004 = \"00332211\" }",
            "after = { 04001004 = \"2211\", 04001005 = \"22\", 04001006 = \"?033\" }",
            "registers = { VTYPE = \"1280011c\" }",
            "at_stops = [{ VTYPE = \"1280011c\" }]",
            "bytes = [{ at = 0x04001003, data = \"00 11 22\" }]",
            "picture = { at = [0, 2], rows = [\".x\"], palette = { \".\" = \"00000000\", x = \"00332211\" } }",
            "lit = [{ at = [0, 0], size = [4, 4], count = 1 }]",
        ] {
            assert_eq!(run(&point(right)), Ok(vec![Verdict::Same]), "{right}");
        }
        for wrong in [
            "after = { 04001004 = \"00332212\" }",
            "registers = { VTYPE = \"1280011d\" }",
            "bytes = [{ at = 0x04001004, data = \"11 22 34\" }]",
            "picture = { at = [0, 2], rows = [\"x\"], palette = { x = \"00332211\" } }",
            "lit = [{ at = [0, 0], size = [4, 4], count = 2 }]",
            "after = { 04001004 = \"00332211\" }, stops = [\"finished 1\"]",
            "at_stops = [{ VTYPE = \"1280011d\" }]",
            "at_stops = [{ VTYPE = \"1280011c\" }, { VTYPE = \"1280011c\" }]",
        ] {
            assert_eq!(run(&point(wrong)), Ok(vec![Verdict::Differs]), "{wrong}");
        }
        let unexpected =
            point("after = { 04001004 = \"00332211\" }").replace("cases", "expect_failure = \"r\"\ncases");
        assert_eq!(run(&unexpected), Ok(vec![Verdict::SameUnexpectedly]));
    }

    #[test]
    fn what_says_nothing_sensible_is_refused() {
        for (text, part) in [
            (group("cases = []"), "without cases"),
            (point("name = \"n\""), "needs an expectation"),
            (point("after = { x = \"00\" }"), "no address"),
            (point("after = { 04000000 = \"000\" }"), "digits"),
            (point("after = { 04000000 = \"0x\" }"), "no value"),
            (point("translation = 1, registers = { NOP = \"00\" }"), "translation"),
            (point("registers = { FROB = \"0\" }"), "no command"),
        ] {
            let why = run(&text).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
        assert!(File::parse(&group("case = []")).is_err());
    }
}
