//! Runs vector files: every case on every engine, in every profile of its group.

use super::listing::Listing;
use super::value::{Register, Value};
use super::{File, Format, Group, Inputs, Origin, Packed, flow, geometry, op, vertex};
use crate::pica::engine::{NamedEngine, Service};
use crate::pica::notation::register_number;
pub use crate::vector::Verdict;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::float::{self, Precision};
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::{Uniforms, Vec4};
use picaflor_pipeline::pica::stage::{DEFAULT_INSTRUCTION_BUDGET, ShadedVertices, ShaderStage, VertexBatch};
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, VertexInputs};
use std::fmt::Write;

/// Vertices of a batch: a group of four and a part of one.
const VERTICES: u32 = 5;

/// The result of one case on one engine in one profile.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Title of the group.
    pub title: String,
    /// The origin of the case.
    pub origin: Origin,
    /// The reason for which its source is contradicted, if it is.
    pub expect_failure: Option<String>,
    /// Number of the vector in its group.
    pub vector: usize,
    /// The case and the way it was run.
    pub case: String,
    /// The engine.
    pub engine: &'static str,
    /// The profile; none for number formats, which do not depend on it.
    pub precision: Option<Precision>,
    /// True if the vector expects faults, which compiled code leaves to the interpreter.
    pub faults: bool,
    /// The producer of the result.
    pub service: Service,
    /// Problems, one line each.
    pub problems: Vec<String>,
}

impl Outcome {
    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match (self.service.counts(), self.problems.is_empty(), self.expect_failure.is_some()) {
            (false, false, false) if self.service.has_result() => Verdict::Differs,
            (false, ..) => Verdict::Incomparable,
            (true, is_same, expects_failure) => Verdict::of(is_same, expects_failure),
        }
    }

    /// A report that explains the problems without the file at hand.
    #[must_use]
    pub fn report(&self) -> String {
        let mut text = format!(
            "{:?}: {} ({:?}) on {} {:?}, {}\n{}\n",
            self.verdict(),
            self.title,
            self.origin,
            self.engine,
            self.precision,
            self.service.reason(),
            self.case
        );
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
        let cases = prepare(group).map_err(|why| format!("{}: {why}", group.title))?;
        if cases.is_empty() {
            return Err(format!("{}: a group without cases", group.title));
        }
        for (vector, case) in &cases {
            run_case(group, *vector, case, engines, &mut outcomes);
        }
    }
    Ok(outcomes)
}

/// A unit of work: run and judge.
pub(super) enum Case {
    /// A vertex batch.
    Vertex(Box<VertexRun>),
    /// Runs of a geometry program.
    Geometry(Box<geometry::Sequence>),
    /// A conversion, already judged.
    Conversion(String, Vec<String>),
}

impl Case {
    fn expects_faults(&self) -> bool {
        match self {
            Self::Vertex(run) => run.faults,
            Self::Geometry(sequence) => sequence.runs.iter().any(|run| !run.faults.is_empty()),
            Self::Conversion(..) => false,
        }
    }
}

/// Everything to run for a group, each with the number of its vector.
fn prepare(group: &Group) -> Result<Vec<(usize, Case)>, String> {
    let mut cases = Vec::new();
    for &profile in &group.profiles {
        let precision = Precision::from(profile);
        let mut vector = 0;
        let mut add = |made: Result<Vec<Case>, String>, name: &str| {
            let made = made.map_err(|why| format!("{name}: {why}"))?;
            vector += 1;
            cases.extend(made.into_iter().map(|case| (vector, case)));
            Ok::<_, String>(())
        };
        for op in &group.ops {
            add(op::cases(op, precision), &op.op)?;
        }
        for flow in &group.flow {
            add(flow::cases(flow, precision), &flow.name)?;
        }
        for program in &group.program {
            // The batch of all cases belongs to the last of them, so that vectors are counted once.
            let mut batch = vertex::together(program, precision)?;
            for (n, case) in program.cases.iter().enumerate() {
                let made = vertex::case(program, case, precision);
                let last = if n + 1 == program.cases.len() { batch.take() } else { None };
                add(made.map(|case| [case].into_iter().chain(last).collect()), &program.name)?;
            }
        }
        for program in &group.geometry {
            add(geometry::case(program, precision).map(|case| vec![case]), &program.name)?;
        }
    }
    let formats = group.formats.iter().map(format).chain(group.packed.iter().map(packed));
    for (vector, case) in formats.enumerate() {
        cases.push((vector, case?));
    }
    Ok(cases)
}

fn run_case(
    group: &Group,
    vector: usize,
    case: &Case,
    engines: &mut [NamedEngine],
    outcomes: &mut Vec<Outcome>,
) {
    let mut record = |name: &str, engine, precision, service, problems| {
        outcomes.push(Outcome {
            title: group.title.clone(),
            origin: group.origin,
            expect_failure: group.expect_failure.clone(),
            vector,
            case: name.to_string(),
            engine,
            precision,
            faults: case.expects_faults(),
            service,
            problems,
        });
    };
    if let Case::Conversion(name, problems) = case {
        return record(name, "formats", None, Service::Reference, problems.clone());
    }
    for engine in engines {
        let (name, precision, problems) = match case {
            Case::Vertex(run) => (&run.name, run.precision, run.judge(engine)),
            Case::Geometry(runs) => (&runs.name, runs.precision, runs.judge(engine)),
            Case::Conversion(..) => continue,
        };
        record(name, engine.name(), Some(precision), engine.service(), problems);
    }
}

/// Check of a vertex result; returns the problems, one line each.
pub(super) type Judge = Box<dyn Fn(&dyn Fn(usize) -> f32, &FaultList) -> Vec<String>>;

/// A vertex batch and its judge.
pub(super) struct VertexRun {
    /// The case, for reports.
    pub(super) name: String,
    /// Rounding of arithmetic.
    pub(super) precision: Precision,
    /// Code.
    pub(super) program: Program,
    /// Uniforms.
    pub(super) uniforms: Uniforms,
    /// Attributes.
    pub(super) inputs: VertexInputs,
    /// Guest memory with the arrays.
    pub(super) memory: FlatMemory,
    /// The form of the output.
    pub(super) output: OutputForm,
    /// Instruction budget.
    pub(super) budget: u32,
    /// True if faults are expected.
    pub(super) faults: bool,
    /// Vertices in the batch.
    pub(super) vertices: u32,
    /// Each checks the components of one vertex, and the faults; in turn if there are more vertices.
    pub(super) judges: Vec<Judge>,
}

impl VertexRun {
    /// A run of a listing with zeros as input and all registers as output.
    pub(super) fn new(name: String, precision: Precision, listing: &Listing, judge: Judge) -> Self {
        Self {
            name,
            precision,
            program: Program::from_words(UnitKind::Vertex, &listing.code, &listing.descriptors),
            uniforms: Uniforms::default(),
            inputs: fixed(&[[0.0; 4]]),
            memory: FlatMemory::default(),
            output: OutputForm::Records { mask: 0xffff, slots: 16 },
            budget: DEFAULT_INSTRUCTION_BUDGET,
            faults: false,
            vertices: VERTICES,
            judges: vec![judge],
        }
    }

    fn judge(&self, engine: &mut NamedEngine) -> Vec<String> {
        let indices: Vec<u32> = (0..self.vertices).collect();
        let batch = VertexBatch {
            memory: &self.memory,
            indices: &indices,
            inputs: &self.inputs,
            program: &self.program,
            entry: 0,
            uniforms: &self.uniforms,
            output: &self.output,
            precision: self.precision,
            instruction_budget: self.budget,
        };
        let (mut out, mut faults) = (ShadedVertices::new(), FaultList::new());
        engine.shade(&batch, &mut out, &mut faults);
        if !engine.service().has_result() {
            return Vec::new();
        }
        let expected = (indices.len(), self.output.components());
        if (out.len(), out.components()) != expected {
            return vec![format!("{} × {} results", out.len(), out.components())];
        }
        for at in 0..indices.len() {
            let judge = &self.judges[at % self.judges.len()];
            let mut problems = judge(&|k| out.component(k)[at], &faults);
            if !problems.is_empty() {
                problems.insert(0, format!("vertex {at}:"));
                return problems;
            }
        }
        Vec::new()
    }
}

/// Fixed attributes in v0 and on.
pub(super) fn fixed(values: &[Vec4]) -> VertexInputs {
    VertexInputs {
        attributes: values.iter().map(|value| AttributeSource::Fixed(*value)).collect(),
        permutation: 0xfedc_ba98_7654_3210,
    }
}

/// Adds the named inputs.
pub(super) fn load(uniforms: &mut Uniforms, inputs: &Inputs, precision: Precision) -> Result<(), String> {
    for (name, value) in &inputs.float {
        uniforms.set_float(register_number(name, 'c', Uniforms::FLOATS)?, value.operand(precision));
    }
    for (name, &[x, y, z]) in &inputs.int {
        uniforms.set_int(register_number(name, 'i', Uniforms::INTS)? as u8, [x, y, z, 0]);
    }
    let bools = inputs.bool.iter().try_fold(uniforms.bools(), |bools, name| {
        Ok::<_, String>(bools | 1 << register_number(name, 'b', 16)?)
    })?;
    uniforms.set_bools(bools);
    Ok(())
}

/// A component that differs from its expectation, in a line.
pub(super) fn compare(
    place: &str,
    expected: Value,
    actual: f32,
    precision: Precision,
    problems: &mut Vec<String>,
) {
    if !expected.matches(actual, precision) {
        problems.push(format!("{place}: expected {expected}, got {actual} ({:08x})", actual.to_bits()));
    }
}

/// As [`compare`], for the components that `expected` names.
pub(super) fn compare_register(
    place: &str,
    expected: &Register,
    actual: Vec4,
    precision: Precision,
    problems: &mut Vec<String>,
) {
    for (i, value) in expected.components(Value::Any).into_iter().enumerate() {
        let place = format!("{place}.{}", ["x", "y", "z", "w"][i]);
        compare(&place, value, actual[i], precision, problems);
    }
}

/// Faults that are not as expected, in a line.
pub(super) fn compare_faults(expected: &[String], faults: &FaultList, problems: &mut Vec<String>) {
    let actual: Vec<String> = faults.as_slice().iter().map(ToString::to_string).collect();
    if expected != actual || faults.dropped() != 0 {
        problems.push(format!("faults: expected {expected:?}, got {actual:?} and {} more", faults.dropped()));
    }
}

fn hexadecimal(digits: &str) -> Result<u32, String> {
    u32::from_str_radix(digits, 16).map_err(|_| format!("`{digits}` is no hexadecimal number"))
}

fn format(case: &Format) -> Result<Case, String> {
    let raw = hexadecimal(&case.raw)?;
    let actual = match case.format.as_str() {
        "f24" => float::f24(raw),
        "f20" => float::f20(raw),
        "f16" => float::f16(raw),
        "f31" => float::f31(raw),
        "truncate" => float::truncate(f32::from_bits(raw)),
        other => return Err(format!("`{other}` is no format")),
    };
    let name = format!("{} {}", case.format, case.raw);
    let mut problems = Vec::new();
    compare(&name, case.value, actual, Precision::Binary32, &mut problems);
    Ok(Case::Conversion(name, problems))
}

fn packed(case: &Packed) -> Result<Case, String> {
    let [w0, w1, w2] = &case.words;
    let words = [hexadecimal(w0)?, hexadecimal(w1)?, hexadecimal(w2)?];
    let name = format!("packed {words:08x?}");
    let mut problems = Vec::new();
    let actual = float::unpack_f24x4(words).map(float::f24);
    for (expected, actual) in case.value.into_iter().zip(actual) {
        compare(&name, expected, actual, Precision::Console, &mut problems);
    }
    Ok(Case::Conversion(name, problems))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(text: &str) -> Vec<Verdict> {
        let file = File::parse(text).unwrap();
        let mut engines = vec![NamedEngine::by_name("interp").unwrap().unwrap()];
        run_file(&file, &mut engines).unwrap().iter().map(Outcome::verdict).collect()
    }

    fn group(more: &str) -> String {
        format!("[[group]]\ntitle = \"t\"\norigin = \"derived\"\nevidence = \"e\"\n{more}")
    }

    #[test]
    fn a_wrong_expectation_differs() {
        let op = |dst| group(&format!("ops = [{{ op = \"add\", a = 1, b = 2, dst = {dst} }}]"));
        assert!(verdicts(&op("3")).iter().all(|verdict| *verdict == Verdict::Same));
        assert!(verdicts(&op("[3, 3, 3, 4]")).iter().all(|verdict| *verdict == Verdict::Differs));
        assert!(verdicts(&op("\"-3\"")).iter().all(|verdict| *verdict == Verdict::Differs));
    }

    #[test]
    fn an_expected_failure_must_fail() {
        let reason = "expect_failure = \"r\"\nformats = [{ format = \"f24\", raw = \"3f0000\", value = ";
        assert_eq!(verdicts(&group(&format!("{reason}1 }}]"))), [Verdict::SameUnexpectedly]);
        assert_eq!(verdicts(&group(&format!("{reason}2 }}]"))), [Verdict::DiffersAsExpected]);
    }

    #[test]
    fn a_wrong_trail_a_wrong_emission_and_missing_faults_differ() {
        let flow = |trail| {
            group(&format!("flow = [{{ name = \"f\", code = \"0 nop\\n1 n\\n2 end\", trail = [{trail}] }}]"))
        };
        assert!(verdicts(&flow("1")).iter().all(|verdict| *verdict == Verdict::Same));
        assert!(verdicts(&flow("2")).iter().all(|verdict| *verdict == Verdict::Differs));
        let emit = |id| {
            let runs = format!("runs = [{{ emitted = [{{ id = {id} }}] }}]");
            group(&format!("geometry = [{{ name = \"g\", code = \"setemit 1\\nemit\\nend\", {runs} }}]"))
        };
        assert!(verdicts(&emit(1)).iter().all(|verdict| *verdict == Verdict::Same));
        assert!(verdicts(&emit(2)).iter().all(|verdict| *verdict == Verdict::Differs));
        let faults =
            group("program = [{ name = \"p\", code = \"break\\nend\", cases = [{ out = { o0 = 0 } }] }]");
        assert!(verdicts(&faults).iter().all(|verdict| *verdict == Verdict::Differs));
    }

    #[test]
    fn files_that_say_nothing_sensible() {
        let mut engines = vec![NamedEngine::by_name("interp").unwrap().unwrap()];
        for (text, part) in [
            (group(""), "without cases"),
            (group("ops = [{ op = \"add\", a = 1, b = 2 }]"), "needs an expectation"),
            (group("ops = [{ op = \"frob\", a = 1, dst = 2 }]"), "unknown mnemonic"),
            (group("flow = [{ name = \"f\", code = \"end\", trail = [32] }]"), "below 32"),
        ] {
            let why = run_file(&File::parse(&text).unwrap(), &mut engines).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
        assert!(File::parse(&group("opps = []")).unwrap_err().contains("opps"));
        assert!(File::parse(&group("ops = [{ op = \"mov\", a = \"x\", dst = 1 }]")).is_err());
    }
}
