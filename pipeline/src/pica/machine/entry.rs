//! Entrances for hosts with a pipeline of their own: a draw by registers, shaded vertices, triangles in window space.

use super::restore::{is_configuration, is_plain};
use crate::fault::Fault;
use crate::memory::Memory;
use crate::pica::Pica;
use crate::pica::command::list_builder::pack_f24x4;
use crate::pica::draw::DrawContext;
use crate::pica::draw::submission::Submission;
use crate::pica::machine::Host;
use crate::pica::machine::budget::{Budget, RunError};
use crate::pica::raster::Triangle;
use crate::pica::regs::Registers;
use crate::pica::shader::unit::Vec4;
use crate::pica::stage::primitive::{
    PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives, StreamVertex,
};
use crate::pica::stage::{ShadedVertices, Stages};
use crate::pica::vertex::{COLOUR, SEMANTICS, Vertex, condition_colour};
use std::ops::Range;

/// Triggers of draws by array and by index, and the port of immediate vertices.
const DRAW_ARRAYS: u16 = 0x22e;
const DRAW_ELEMENTS: u16 = 0x22f;
const FIXED_INDEX: u16 = 0x232;
const FIXED_DATA: u16 = 0x233;
/// `PRIMITIVE_CONFIG`, and its topology bits.
const PRIMITIVE_CONFIG: u16 = 0x25e;
const TOPOLOGY: u32 = 0x300;
/// Boolean uniforms of both units, in which a geometry program sets b15.
const BOOLS: [u16; 2] = [0x280, 0x2b0];
/// Largest coordinate of a triangle, in sixteenths of a pixel.
const LARGEST: i32 = 1 << 18;

/// Source of the vertices of a [`DrawCall`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Input<'a> {
    /// The arrays that the registers describe; 0x228 has the number of vertices, 0x22A the first.
    Arrays,
    /// The index list that the registers describe; 0x228 has the number of indices.
    Elements,
    /// Immediate vertices: their attributes one after another, of which a vertex has as many as 0x242 says. They are
    /// rounded to 24 bits.
    Immediate(&'a [Vec4]),
}

/// A draw by a host with a command processor of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawCall<'a> {
    /// Words of the registers from 0 on, as the guest wrote them. Registers beyond keep their words, as do those that
    /// start something or belong to a port: the interrupt block, draws, jumps, uploads. Every write to 0x25F, and one to
    /// 0x25E that changes the topology, drops an incomplete primitive: a host whose guest draws strips and fans in pieces
    /// passes these on with [`Pica::write_register`] when they happen.
    pub registers: &'a [u32],
    /// Ranges of registers that may differ from those of the draw before; `None`: any. Booleans of shader units (0x280,
    /// 0x2B0) in a range count as written even if they are equal, so that a b15 that a geometry program has set is cleared.
    pub changed: Option<&'a [Range<u16>]>,
    /// The vertices.
    pub input: Input<'a>,
}

impl Pica {
    /// Draws with the registers of a host that runs command lists itself. Programs, uniforms and tables are those of the
    /// machine, [written](Self::write_field) when the guest uploads them. The geometry stage runs if the registers say
    /// so. A recording has the draw, immediate vertices as writes, each of which is played with an account of its own.
    ///
    /// # Errors
    /// If the draw exceeds the limits of a run; [`RunError::Stopped`].
    pub fn draw_with(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        call: &DrawCall<'_>,
    ) -> Result<(), RunError> {
        let all = 0..Registers::COUNT as u16;
        for range in call.changed.unwrap_or(std::slice::from_ref(&all)) {
            let end = range.end.min(call.registers.len() as u16).min(Registers::COUNT as u16);
            for id in range.start..end {
                let word = call.registers[usize::from(id)];
                let is_told = call.changed.is_some() && BOOLS.contains(&id);
                if is_setting(id) && (is_told || self.state.registers.differs(id, word)) {
                    self.write_register(stages, memory, id, word, 15)?;
                }
            }
        }
        match call.input {
            Input::Arrays => self.start_draw(stages, memory, DRAW_ARRAYS),
            Input::Elements => self.start_draw(stages, memory, DRAW_ELEMENTS),
            Input::Immediate(attributes) => self.draw_immediate(stages, memory, attributes),
        }
    }

    fn start_draw(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        trigger: u16,
    ) -> Result<(), RunError> {
        let event = crate::pica::capture::Event::Register { id: trigger, value: 1, mask: 15 };
        self.recorded(memory, event, |pica, memory| {
            pica.run_draw(stages, memory, |pica, host| pica.draw(host, trigger == DRAW_ELEMENTS))
        })
    }

    fn draw_immediate(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        attributes: &[Vec4],
    ) -> Result<(), RunError> {
        self.open_account();
        self.write_in_run(stages, memory, FIXED_INDEX, 15)?;
        for word in attributes.iter().flat_map(|&attribute| pack_f24x4(attribute)) {
            self.write_in_run(stages, memory, FIXED_DATA, word)?;
        }
        // Selecting a target draws what is pending.
        self.write_in_run(stages, memory, FIXED_INDEX, 15)
    }

    /// Draws triangles whose vertices are shaded: [semantics](SEMANTICS) as the output map arranges them, three vertices
    /// each, in clip space. Assembly, clipping, culling, pixels and target are those of the registers; their topology is
    /// not used. Vertices of an incomplete triangle are dropped. A recording in progress is dropped, because none can
    /// represent them.
    ///
    /// # Errors
    /// If the draw exceeds the limits of a run; [`RunError::Stopped`].
    pub fn draw_vertices(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        vertices: &[Vertex],
    ) -> Result<(), RunError> {
        let registers = as_list(&self.state.registers);
        let (shaded, stream) = (rows(vertices), stream(vertices.len()));
        self.draw_foreign(stages, memory, &registers, |cx, submission| {
            submission.stream(cx, &shaded, &stream, &mut PendingVertices::default());
        })
    }

    /// Draws triangles that are set up, in the state of the registers: pixels alone. Triangles without an area, clockwise
    /// ones, and those outside of the bounds of [`Triangle::x`] are dropped. A recording in progress is dropped.
    ///
    /// # Errors
    /// If the draw exceeds the limits of a run; [`RunError::Stopped`].
    pub fn draw_triangles(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        triangles: &[Triangle],
    ) -> Result<(), RunError> {
        let registers = self.state.registers.clone();
        let drawn: Vec<Triangle> =
            triangles.iter().filter(|triangle| is_drawable(triangle)).cloned().collect();
        self.draw_foreign(stages, memory, &registers, |cx, submission| submission.triangles(cx, &drawn))
    }

    /// The triangles that [`draw_vertices`](Self::draw_vertices) would draw, in window space. Nothing changes.
    #[must_use]
    pub fn set_up(&self, stage: &mut dyn PrimitiveStage, vertices: &[Vertex]) -> Vec<Triangle> {
        let registers = as_list(&self.state.registers);
        let (shaded, stream) = (rows(vertices), stream(vertices.len()));
        let mut primitives = Primitives::default();
        let batch =
            PrimitiveBatch { registers: &registers, vertices: &shaded, stream: &stream, is_drawn: false };
        stage.primitives(&batch, &mut PendingVertices::default(), &mut primitives);
        primitives.triangles.iter().collect()
    }

    /// A draw from the middle of the pipeline.
    fn draw_foreign(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        registers: &Registers,
        draw: impl FnOnce(&mut DrawContext<'_>, &mut Submission),
    ) -> Result<(), RunError> {
        self.recorder = None;
        self.run_draw(stages, memory, |pica, host| {
            pica.tell(host.memory, |observer, view| observer.draw_started(view));
            pica.front_end_under(host, Some(registers), |_, cx| {
                cx.stats.draws += 1;
                let mut submission = Submission::new(Primitives::default(), cx);
                draw(cx, &mut submission);
                if submission.is_over() {
                    cx.faults.push_once(Fault::DrawBudget { vertices: cx.limits.vertices });
                }
                submission.finish(cx, true);
            });
        })
    }

    /// Runs a draw on the threads of the machine, within the limits of a run.
    fn run_draw(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        draw: impl FnOnce(&mut Self, &mut Host<'_>),
    ) -> Result<(), RunError> {
        self.open_account();
        let budget = Budget::new(&self.state.stats);
        self.queued(stages, memory, |pica, host| {
            pica.flush(host);
            draw(pica, host);
        });
        budget.check_work(&self.limits, &self.state.stats)?;
        self.check_account()?;
        self.check_stop(0)
    }
}

/// True for the registers that a draw depends on and that start nothing.
fn is_setting(id: u16) -> bool {
    match id {
        0x280..=0x2af => is_configuration(id - 0x280),
        0x2b0..=0x2df => is_configuration(id - 0x2b0),
        _ => is_plain(id),
    }
}

/// The registers with triangle lists as their topology.
fn as_list(registers: &Registers) -> Registers {
    let mut registers = registers.clone();
    registers.set_raw(PRIMITIVE_CONFIG, registers.raw(PRIMITIVE_CONFIG) & !TOPOLOGY);
    registers
}

/// Vertices as rows of components. Colours are conditioned, which changes nothing where they are already.
fn rows(vertices: &[Vertex]) -> ShadedVertices {
    let mut rows = ShadedVertices::new();
    rows.reset(vertices.len(), SEMANTICS);
    for semantic in 0..SEMANTICS {
        let is_colour = COLOUR.contains(&semantic);
        for (value, vertex) in rows.component_mut(semantic).iter_mut().zip(vertices) {
            *value = if is_colour { condition_colour(vertex[semantic]) } else { vertex[semantic] };
        }
    }
    rows
}

/// Whole triangles of so many vertices.
fn stream(vertices: usize) -> Vec<StreamVertex> {
    (0..(vertices - vertices % 3) as u32).map(StreamVertex::new).collect()
}

/// True for a triangle as an engine sets it up.
fn is_drawable(triangle: &Triangle) -> bool {
    let Triangle { x, y, .. } = triangle;
    let side = |n: usize| [i64::from(x[n]) - i64::from(x[0]), i64::from(y[n]) - i64::from(y[0])];
    let ([bx, by], [cx, cy]) = (side(1), side(2));
    let is_inside = x.iter().chain(y).all(|value| (-LARGEST..=LARGEST).contains(value));
    is_inside && bx * cy > by * cx
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::limits::Limits;
    use crate::pica::stage::NoEngines;
    use crate::pica::testing::{Bench, LIST};

    fn call<'a>(registers: &'a [u32], input: Input<'a>) -> DrawCall<'a> {
        DrawCall { registers, changed: None, input }
    }

    #[test]
    fn registers_are_taken_over_and_start_nothing() {
        let mut bench = Bench::new();
        let mut words = *bench.pica.registers().words();
        words.fill(0);
        (words[0x010], words[0x041], words[0x22e], words[0x23c], words[0x228]) = (0x1234_5678, 7, 1, 1, 3);
        assert_eq!(bench.pica.draw_with(&mut NoEngines, &bench.memory, &call(&words, Input::Arrays)), Ok(()));
        assert_eq!((bench.word(0x041), bench.word(0x010)), (7, 0));
        assert!(bench.pica.interrupts().is_empty());
        assert_eq!((bench.pica.stats().draws, bench.pica.stats().lists), (1, 0));
        // Outside of the ranges nothing is looked at.
        words[0x041] = 8;
        words[0x045] = 9;
        let changed = [0x044..0x046, 0x3ff..0xffff];
        let call = DrawCall { changed: Some(&changed), ..call(&words, Input::Elements) };
        assert_eq!(bench.pica.draw_with(&mut NoEngines, &bench.memory, &call), Ok(()));
        assert_eq!((bench.word(0x041), bench.word(0x045), bench.pica.stats().draws), (7, 9, 2));
    }

    /// Elements are those of the list of indices, which are all 0 here.
    #[test]
    fn arrays_and_elements() {
        for (input, shaded) in [(Input::Arrays, 3), (Input::Elements, 1)] {
            let mut bench = Bench::new();
            let mut words = *bench.pica.registers().words();
            (words[0x200], words[0x228]) = (LIST >> 3, 3);
            let call = call(&words, input);
            assert_eq!(bench.pica.draw_with(&mut NoEngines, &bench.memory, &call), Ok(()));
            let stats = bench.pica.stats();
            assert_eq!((stats.draws, stats.vertices, stats.shaded), (1, 3, shaded));
        }
    }

    #[test]
    fn immediate_vertices() {
        let mut bench = Bench::new();
        let attributes = [[1.0, 2.0, 3.0, 4.0]; 5];
        let call = call(&[], Input::Immediate(&attributes));
        assert_eq!(bench.pica.draw_with(&mut NoEngines, &bench.memory, &call), Ok(()));
        assert_eq!((bench.pica.stats().draws, bench.pica.stats().shaded), (1, 5));
        assert_eq!(bench.pica.attributes().latch()[0], attributes[0]);
    }

    /// All vertices of a draw together are one run: once each few hundred had an account of their own.
    #[test]
    fn immediate_vertices_have_one_account() {
        let ended = |vertices: usize| {
            let mut bench = Bench::new();
            bench.pica = bench.pica.with_limits(Limits::default().with_work(60_000_000));
            let attributes = vec![[1.0, 2.0, 3.0, 4.0]; vertices];
            let end = bench.pica.draw_with(
                &mut NoEngines,
                &bench.memory,
                &call(&[], Input::Immediate(&attributes)),
            );
            (end, bench.pica.work())
        };
        let (few, paid) = ended(1000);
        assert_eq!(few, Ok(()));
        assert_eq!(ended(100_000).0, Err(RunError::Budget { limit: 60_000_000 }));
        assert!(ended(2000).1 > paid + 1000);
    }

    #[test]
    fn triangles_of_hosts_are_checked() {
        let triangle =
            |x, y| Triangle { x, y, z: [0.0; 3], r: [1.0; 3], p: [[0.0; 24]; 3], flat_colour: None };
        assert!(is_drawable(&triangle([0, 16, 0], [0, 0, 16])));
        assert!(!is_drawable(&triangle([0, 0, 16], [0, 16, 0])), "clockwise");
        assert!(!is_drawable(&triangle([0, 16, 32], [0, 0, 0])), "without an area");
        assert!(!is_drawable(&triangle([i32::MIN, i32::MAX, 0], [0, 0, i32::MAX])), "outside");
    }

    /// Counter-clockwise triangles, wherever they are: y is upward.
    #[test]
    fn triangles_with_an_area() {
        let is_drawable = |corners: [[i32; 2]; 3]| {
            let [x, y] = [0, 1].map(|axis| corners.map(|corner| corner[axis]));
            let (z, r, p) = ([0.0; 3], [1.0; 3], [[0.0; SEMANTICS]; 3]);
            is_drawable(&Triangle { x, y, z, r, p, flat_colour: None })
        };
        // Twice the area is 15 * 23 - 2 * 6 = 333.
        let [a, b, c] = [[5, 7], [20, 9], [11, 30]];
        assert!(is_drawable([a, b, c]) && is_drawable([b, c, a]) && is_drawable([c, a, b]));
        assert!(!is_drawable([a, c, b]) && !is_drawable([a, a, b]) && !is_drawable([a, b, b]));
        let [a, b, c] = [[10, 5], [12, 9], [15, 15]];
        assert!(!is_drawable([a, b, c]) && !is_drawable([a, c, b]), "on the line y = 2 x - 15");
        assert!(is_drawable([[30, 30], [10, 30], [30, 10]]) && !is_drawable([[30, 30], [30, 10], [10, 30]]));
    }

    /// Of a bank of shader registers, booleans, integers, configuration, entry and masks are settings; the ports of
    /// uniforms, code and descriptors start something.
    #[test]
    fn settings_of_shader_units() {
        for base in [0x280, 0x2b0] {
            assert!(
                [0x00, 0x01, 0x04, 0x09, 0x0a, 0x0b, 0x0d].iter().all(|offset| is_setting(base + offset))
            );
            assert!(
                [0x0f, 0x10, 0x11, 0x18, 0x1b, 0x1c, 0x25, 0x26]
                    .iter()
                    .all(|offset| !is_setting(base + offset))
            );
        }
        assert!(is_setting(0x041) && !is_setting(0x22e) && !is_setting(0x010));
    }

    /// Whole triangles only.
    #[test]
    fn vertices_of_lists() {
        assert_eq!([0, 2, 3, 5, 7].map(|vertices| stream(vertices).len()), [0, 0, 3, 3, 6]);
    }
}
