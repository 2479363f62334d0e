//! Runs machine vectors: every case on every engine, in every profile of its group.

use super::build::{self, Built, LIST};
use super::{Case, File, Fill, Group, Transfer, judge};
use crate::pica::engine::NamedEngine;
use crate::pica::vector::Origin;
use crate::pica::vector::run::Verdict;
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::{Finished, Pica};
use std::fmt::Write;

/// The result of one case on one engine in one profile.
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
    /// The profile.
    pub precision: Precision,
    /// Problems, one line each.
    pub problems: Vec<String>,
}

impl Outcome {
    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.problems.is_empty(), self.expect_failure.is_some())
    }

    /// A report that explains the problems without the file at hand.
    #[must_use]
    pub fn report(&self) -> String {
        let Self { title, origin, case, engine, precision, .. } = self;
        let mut text =
            format!("{:?}: {title} ({origin:?}), {case} on {engine} {precision:?}\n", self.verdict());
        for problem in &self.problems {
            let _ = writeln!(text, "    {problem}");
        }
        text
    }
}

/// Runs every case of a file.
///
/// # Errors
/// An invalid case, with its name.
pub fn run_file(file: &File, engines: &mut [NamedEngine]) -> Result<Vec<Outcome>, String> {
    let mut outcomes = Vec::new();
    for group in &file.groups {
        if group.cases.is_empty() && group.covered_by.is_empty() {
            return Err(format!("{}: a group without cases", group.title));
        }
        for (n, case) in group.cases.iter().enumerate() {
            let name = format!("case {} {}", n + 1, case.name);
            let case = case.on(&group.with).on(&file.with);
            if !judge::expects(&case) {
                return Err(format!("{}, {name}: needs an expectation", group.title));
            }
            let ran = run_case(group, &name, &case, engines, &mut outcomes);
            ran.map_err(|why| format!("{}, {name}: {why}", group.title))?;
        }
    }
    Ok(outcomes)
}

fn run_case(
    group: &Group,
    name: &str,
    case: &Case,
    engines: &mut [NamedEngine],
    outcomes: &mut Vec<Outcome>,
) -> Result<(), String> {
    for engine in engines {
        for precision in group.profiles.iter().map(|profile| Precision::from(*profile)) {
            outcomes.push(Outcome {
                title: group.title.clone(),
                unit: group.unit.clone(),
                origin: group.origin,
                expect_failure: group.expect_failure.clone(),
                case: name.to_string(),
                vectors: case.vectors(),
                engine: engine.name(),
                precision,
                problems: run(case, engine, precision)?,
            });
        }
    }
    Ok(())
}

/// A fresh machine from the case's memory to its judgement. Faults and lists that do not end as they should
/// are problems.
fn run(case: &Case, engine: &mut NamedEngine, precision: Precision) -> Result<Vec<String>, String> {
    let built = build::build(case)?;
    let mut pica = Pica::new(precision);
    let mut problems = Vec::new();
    if let Some(size_bytes) = built.list {
        match pica.run(engine, &built.memory, CommandList { address: LIST, size_bytes }) {
            Ok(Finished::Interrupt) => {}
            other => problems.push(format!("the list ended with {other:?}")),
        }
        if !engine.service().has_result() {
            problems.push(format!("no vertices: {}", engine.service().reason()));
        }
    }
    for (address, value) in case.fill.map(fill).into_iter().chain(case.transfer.map(transfer)).flatten() {
        let ran = pica.write_mmio(engine, &built.memory, address, value);
        problems.extend(ran.err().map(|why| why.to_string()));
    }
    completed(case, &built, &mut pica, &mut problems);
    problems.extend(judge::judge(case, &built)?);
    Ok(problems)
}

/// Control words after the engines ran, and faults.
fn completed(case: &Case, built: &Built, pica: &mut Pica, problems: &mut Vec<String>) {
    if case.fill.is_some() && pica.read_mmio(0x1040_001c) & 3 != 2 {
        problems.push("the fill does not report that it is finished".into());
    }
    if case.transfer.is_some() && pica.read_mmio(0x1040_0c18) & 0x101 != 0x100 {
        problems.push("the transfer does not report that it is finished".into());
    }
    if built.list.is_some() {
        problems.extend(pica.faults().as_slice().iter().map(|fault| format!("fault: {fault}")));
    }
}

fn fill(fill: Fill) -> Vec<(u32, u32)> {
    let words = [fill.start >> 3, fill.end >> 3, fill.value, fill.width << 8 | 1];
    (0x1040_0010..).step_by(4).zip(words).collect()
}

fn transfer(transfer: Transfer) -> Vec<(u32, u32)> {
    let size = |[width, height]: [u32; 2]| height << 16 | width;
    let [bytes, input, output] = transfer.copy;
    vec![
        (0x1040_0c00, transfer.from >> 3),
        (0x1040_0c04, transfer.to >> 3),
        (0x1040_0c08, size(transfer.output)),
        (0x1040_0c0c, size(transfer.input)),
        (0x1040_0c10, transfer.flags),
        (0x1040_0c20, bytes),
        (0x1040_0c24, input),
        (0x1040_0c28, output),
        (0x1040_0c18, 1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(more: &str) -> Vec<Verdict> {
        let mut engines = vec![NamedEngine::by_name("interp").unwrap().unwrap()];
        let outcomes = run_file(&File::parse(&group(more)).unwrap(), &mut engines).unwrap();
        outcomes.iter().map(Outcome::verdict).collect()
    }

    fn group(more: &str) -> String {
        format!("[[group]]\ntitle = \"t\"\nunit = \"u\"\norigin = \"derived\"\nevidence = \"e\"\n{more}")
    }

    fn pixel(expected: &str) -> String {
        format!("cases = [{{ pixels = [{{ colour = \"c8 64 32 80\", {expected} }}] }}]")
    }

    #[test]
    fn a_wrong_pixel_differs() {
        assert_eq!(verdicts(&pixel("rgba = [200, 100, 50, 128]")), [Verdict::Same; 2]);
        for wrong in ["rgba = [200, 100, 50, 129]", "raw = \"80 32 64 c9\"", "depth_after = 1"] {
            assert_eq!(verdicts(&pixel(wrong)), [Verdict::Differs; 2], "{wrong}");
        }
        assert_eq!(
            verdicts(&format!("expect_failure = \"r\"\n{}", pixel("alpha = 128"))),
            [Verdict::SameUnexpectedly; 2]
        );
    }

    #[test]
    fn a_wrong_byte_differs() {
        let fill = |byte| {
            let fill = "fill = { start = 0x18200000, end = 0x18200010, value = 0xabcd, width = 0 }";
            let bytes = format!("bytes = [{{ at = 0x18200000, data = \"cd {byte}\", times = 8 }}]");
            format!("cases = [{{ {fill}, {bytes} }}]")
        };
        assert_eq!(verdicts(&fill("ab")), [Verdict::Same; 2]);
        assert_eq!(verdicts(&fill("ac")), [Verdict::Differs; 2]);
    }

    #[test]
    fn what_says_nothing_sensible_is_refused() {
        let mut engines = vec![NamedEngine::by_name("interp").unwrap().unwrap()];
        for (text, part) in [
            (group(""), "without cases"),
            (group("cases = [{ pixels = [{ colour = \"00 00 00 00\" }] }]"), "needs an expectation"),
            (group(&pixel("at = [8, 0], alpha = 0")), "no pixel"),
            (group("with = { write = { FROB = 0 } }\ncases = [{ pixels = [{ alpha = 0 }] }]"), "no register"),
        ] {
            let why = run_file(&File::parse(&text).unwrap(), &mut engines).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
        assert!(File::parse(&group("case = []")).is_err());
    }
}
