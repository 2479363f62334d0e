//! What a case does: memory, lists, and the calls of system software.

use super::{LIMITS, Run, Way, has_done_enough};
use crate::ge::assembly::AssemblyCase;
use crate::host_memory::{Habits, HostMemory, InVain};
use crate::random::Random;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::limits::Limits;
use picaflor_pipeline::ge::lists::{ListId, Lists, Progress, Request};
use picaflor_pipeline::ge::observer::Observer;
use picaflor_pipeline::ge::raster::Primitive;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::stage::primitive::Kind;
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::ge::{Field, Ge, RunError, Session};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::texture::hash;
use std::sync::Arc;

/// Something that happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The CPU writes memory.
    Memory(u32, Arc<[u8]>),
    /// It looks at some bytes.
    Look(u32, u32),
    /// A list runs until it stops, without a queue.
    Run(DisplayList),
    /// A host executes words that are in no list.
    Execute(Arc<[u32]>),
    /// A host draws vertices of its own, those of an assembly case of this seed; whether it has them set up before.
    Vertices(u64, bool),
    /// A list is queued, before all others or behind them.
    Enqueue(Request, bool),
    /// Lists run as far as they go; whether handlers are called, which may take some turns.
    Go(bool),
    /// The stall address of the list of a number moves.
    Stall(u32, u32),
    /// The list of a number is taken away.
    Dequeue(u32),
    /// All lists are paused, or thrown away.
    Break(u32),
    /// They go on.
    Continue,
    /// Complete lists lose their numbers.
    Forget,
    /// The state is written to memory.
    Save(u32),
    /// It comes back.
    Restore(u32),
    /// Mirrors of VRAM are wired otherwise.
    Translate(u32),
    /// A host writes words of a field of the state, from the one of a number on.
    State(Field, u32, Arc<[u32]>),
    /// A host has other images in place of textures from here on.
    Images,
    /// A host has so many of the next steps done, in vain.
    InVain(u32, InVain),
}

/// A bit of addresses by which the CPU goes past its cache.
pub(super) const UNCACHED: u32 = 0x4000_0000;

/// What comes of a write.
const WRITTEN: &str = "Ok(())";

/// Calls of handlers that one step waits for.
const MOST_HANDLERS: usize = 8;

/// A case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Memory, initial state, and no events.
    pub machine: Capture,
    /// The version of the SDK that system software goes by.
    pub sdk: u32,
    /// What the machine may do.
    pub limits: Limits,
    /// The host has images in place of textures.
    pub replaces: bool,
    /// What happens.
    pub steps: Vec<Step>,
}

/// Looks at nothing.
struct Blind;

impl Observer for Blind {}

impl Program {
    /// That of a recording, without what a host did to the machine itself.
    #[must_use]
    pub fn of_capture(capture: &Capture) -> Self {
        let steps = capture.events.iter().filter_map(|event| match event {
            Event::Memory { address, bytes } => Some(Step::Memory(*address, Arc::clone(bytes))),
            Event::Run(list) => Some(Step::Run(list.clone())),
            Event::Execute(words) => Some(Step::Execute(Arc::clone(words))),
            Event::State(_) | Event::Display(_) => None,
        });
        let steps = steps.collect();
        let (regions, initial) = (capture.regions.clone(), capture.initial.clone());
        Self {
            machine: Capture { regions, initial, events: Vec::new() },
            sdk: 0,
            limits: LIMITS,
            replaces: false,
            steps,
        }
    }

    /// As a recording: lists that were queued run at once, and what else system software did is left out, as are a host's vertices.
    #[must_use]
    pub fn to_capture(&self) -> Capture {
        let events = self.steps.iter().filter_map(|step| match step {
            Step::Memory(address, bytes) => {
                Some(Event::Memory { address: *address, bytes: Arc::clone(bytes) })
            }
            Step::Run(list) => Some(Event::Run(list.clone())),
            Step::Execute(words) => Some(Event::Execute(Arc::clone(words))),
            Step::Enqueue(request, _) => Some(Event::Run(DisplayList::new(request.list, 0))),
            _ => None,
        });
        Capture { events: events.collect(), ..self.machine.clone() }
    }
}

/// A machine with system software.
pub(super) struct Machine {
    ge: Ge,
    lists: Lists,
    memory: Arc<HostMemory>,
}

impl Machine {
    pub(super) fn new(program: &Program, way: Way) -> Self {
        let mut ge = Ge::new().with_limits(program.limits);
        // Recordings that cannot be loaded begin with a machine after reset.
        let _ = ge.load(&program.machine.initial);
        ge.set_tiling(way.tiling());
        if way.one_by_one {
            ge.set_observer(Some(Box::new(Blind)));
        }
        let habits = Habits { announces: way.announced, replaces: program.replaces };
        let memory = Arc::new(HostMemory::zeroed(&program.machine.regions, habits));
        Self { ge, lists: Lists::new(program.sdk), memory }
    }

    /// Does a step; what came of it.
    fn step(&mut self, step: &Step, stages: &mut dyn Stages) -> String {
        let Self { ge, lists, memory } = self;
        let memory = &**memory;
        if let Some(done) = queue_step(lists, step) {
            return done;
        }
        match *step {
            Step::Memory(address, ref bytes) => {
                memory.write(address, bytes);
                WRITTEN.into()
            }
            Step::Look(address, length) => looked(memory, address, length),
            Step::Run(ref list) => {
                let mut list = list.clone();
                let stop = ge.run(stages, memory, &mut list);
                format!("{stop:?} {list:?}")
            }
            Step::Execute(ref words) => format!("{:?}", ge.execute(stages, memory, words)),
            Step::Vertices(seed, is_set_up) => {
                let (kind, vertices) = vertices(seed);
                if is_set_up {
                    let mut primitives = ge.set_up(stages, kind, &vertices);
                    disturb(seed, &mut primitives);
                    let drawn = ge.draw_primitives(stages, memory, &primitives);
                    format!("{drawn:?} {primitives:?}")
                } else {
                    format!("{:?}", ge.draw_vertices(stages, memory, kind, &vertices))
                }
            }
            Step::Go(with_handlers) => go(lists, with_handlers, &mut |lists| lists.run(ge, stages, memory)),
            Step::Save(address) => format!("{:?}", lists.save_context(ge, memory, address)),
            Step::Restore(address) => format!("{:?}", lists.restore_context(ge, memory, address)),
            Step::Translate(value) => format!("{:?}", Lists::set_translation(ge, value)),
            Step::State(field, first, ref words) => {
                format!("{:?}", ge.write_field(field, first as usize, words))
            }
            Step::Images => {
                memory.change_images();
                WRITTEN.into()
            }
            _ => unreachable!("a step of the queue"),
        }
    }

    /// Does steps, in a way, up to the last one or until enough is done; what came of each is added to `course`.
    ///
    /// # Errors
    /// If a session was stopped.
    pub(super) fn play(
        &mut self,
        mut steps: &[Step],
        stages: &mut dyn Stages,
        way: Way,
        course: &mut Vec<String>,
    ) -> Result<(), RunError> {
        while let Some((step, rest)) = steps.split_first() {
            let count = course.len();
            if let Step::InVain(count, end) = *step {
                if way.in_vain {
                    let steps = &rest[..rest.len().min(count as usize)];
                    self.in_vain((steps, end), stages, Way { in_vain: false, ..way });
                }
                course.push(String::new());
            } else if way.in_sessions {
                self.session(steps, stages, course)?;
            }
            if course.len() == count {
                course.push(self.step(step, stages));
            }
            steps = &steps[course.len() - count..];
            if has_done_enough(self.ge.stats()) {
                break;
            }
        }
        Ok(())
    }

    /// Does steps of which nothing is left afterwards.
    fn in_vain(&mut self, (steps, end): (&[Step], InVain), stages: &mut dyn Stages, way: Way) {
        let (state, queue) = (self.ge.save(), self.lists.save());
        let (memory, stopper) = (Arc::clone(&self.memory), self.ge.stopper());
        memory.in_vain(end, &stopper, || {
            // Of a session that is stopped nothing is left either.
            let _ = self.play(steps, stages, way, &mut Vec::new());
        });
        self.ge.load(&state).expect("its own state");
        self.lists.load(&queue).expect("its own state");
    }

    /// Does steps in one session, up to the first that none can have; what came of each is added to `course`.
    fn session(
        &mut self,
        steps: &[Step],
        stages: &mut dyn Stages,
        course: &mut Vec<String>,
    ) -> Result<(), RunError> {
        let Self { ge, lists, memory } = self;
        let memory = &**memory;
        ge.session(stages, memory, |session| {
            for step in steps {
                let Some(done) = joint_step(session, lists, memory, step) else { break };
                course.push(done);
                if has_done_enough(session.ge().stats()) {
                    break;
                }
            }
        })
    }

    pub(super) fn finish(self, course: Vec<String>) -> Run {
        let state =
            [self.ge.save(), self.lists.save()].iter().flat_map(|state| state.words().to_vec()).collect();
        let (faults, stats) = (self.ge.faults().clone(), *self.ge.stats());
        let blocks = self.memory.blocks().blocks().iter();
        let memory = blocks.map(|block| (block.base(), block.as_slice().snapshot())).collect();
        Run { memory, state, course, faults, stats, unannounced: self.memory.unannounced() }
    }
}

/// A step of the queue alone.
fn queue_step(lists: &mut Lists, step: &Step) -> Option<String> {
    Some(match *step {
        Step::Enqueue(ref request, true) => format!("{:?}", lists.enqueue_head(request)),
        Step::Enqueue(ref request, false) => format!("{:?}", lists.enqueue(request)),
        Step::Stall(number, address) => format!("{:?}", lists.update_stall(ListId::new(number), address)),
        Step::Dequeue(number) => format!("{:?}", lists.dequeue(ListId::new(number))),
        Step::Break(mode) => format!("{:?}", lists.break_lists(mode)),
        Step::Continue => format!("{:?}", lists.continue_lists()),
        Step::Forget => {
            lists.forget_completed();
            format!("{:?}", lists.draw_sync())
        }
        _ => return None,
    })
}

/// A step in a session; `None` for those that no session can have.
fn joint_step(
    session: &mut Session<'_>,
    lists: &mut Lists,
    memory: &HostMemory,
    step: &Step,
) -> Option<String> {
    if let Some(done) = queue_step(lists, step) {
        return Some(done);
    }
    Some(match *step {
        Step::Memory(address, ref bytes) => {
            let written = session.write(address, bytes);
            memory.wrote(address, bytes);
            format!("{written:?}")
        }
        Step::Look(address, length) => match session.before_read(address, length) {
            Ok(()) => looked(memory, address, length),
            Err(why) => format!("{why:?}"),
        },
        Step::Run(ref list) => {
            let mut list = list.clone();
            let stop = session.run(&mut list);
            format!("{stop:?} {list:?}")
        }
        Step::Execute(ref words) => format!("{:?}", session.execute(words)),
        Step::Vertices(seed, false) => {
            let (kind, vertices) = vertices(seed);
            format!("{:?}", session.draw_vertices(kind, &vertices))
        }
        Step::Go(with_handlers) => go(lists, with_handlers, &mut |lists| lists.run_in(session)),
        Step::State(field, first, ref words) => {
            format!("{:?}", session.write_field(field, first as usize, words))
        }
        Step::Images => {
            let finished = session.finish();
            memory.change_images();
            format!("{finished:?}")
        }
        _ => return None,
    })
}

/// What a CPU sees, by a cached or an uncached address.
fn looked(memory: &HostMemory, address: u32, length: u32) -> String {
    let bytes = memory.blocks().region(address & !UNCACHED, length);
    bytes.map_or_else(String::new, |bytes| format!("{:x}", hash(&bytes.to_vec())))
}

/// The vertices of a host, and what they are.
fn vertices(seed: u64) -> (Kind, Vec<Vertex>) {
    let kind = Kind::of((seed % 7) as u32).unwrap_or(Kind::Triangles);
    let mut vertices = AssemblyCase::of(seed, 0).vertices;
    let mut random = Random::of_item(!seed, 0);
    if random.chance(10) {
        let far = [-1, -70_000, 0x1_0000, 0x1_1170, i32::MIN, i32::MAX];
        for vertex in &mut vertices {
            if random.chance(30) {
                vertex.z = random.pick(&far);
            }
        }
    }
    (kind, vertices)
}

/// Numbers that no set-up makes, in the primitives of some hosts.
fn disturb(seed: u64, primitives: &mut [Primitive]) {
    let mut random = Random::of_item(!seed, 1);
    if random.chance(80) {
        return;
    }
    for corner in primitives.iter_mut().flat_map(|primitive| &mut primitive.corners) {
        let number = random.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1e300, 1e-310]);
        match random.below(12) {
            axis @ 0..3 => corner.texture[axis as usize] = number,
            3 => corner.w = number,
            4 => corner.z = random.pick(&[-1, 0, 0xffff, 0x1_0000, i32::MIN]),
            5 => corner.x = random.pick(&[i32::MIN, i32::MAX, 1 << 19, -(1 << 19)]),
            _ => {}
        }
    }
}

/// Has lists run, and handlers called.
fn go(
    lists: &mut Lists,
    with_handlers: bool,
    run: &mut dyn FnMut(&mut Lists) -> Result<Progress, RunError>,
) -> String {
    let mut course = format!("{:?}", run(lists));
    for _ in 0..MOST_HANDLERS {
        if !with_handlers {
            break;
        }
        let Some(interrupt) = lists.next_interrupt() else { break };
        lists.acknowledge(&interrupt);
        course += &format!(" {interrupt:?} {:?}", run(lists));
    }
    course
}
