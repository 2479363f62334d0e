//! Machines that stop at random points and go on in others: another object, thread, engine and process. The bytes and the
//! state afterwards are those of a machine that never stopped.
//!
//! A point lies between two register writes of the PICA200 (in the middle of a frame, of an upload, of immediate vertices, of
//! the input of a geometry program) and between two commands of the GE.

use picaflor_conformance::random::Random;
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::capture::{Capture as GeCapture, Event as GeEvent};
use picaflor_pipeline::ge::{Ge, Snapshot};
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::command::{CommandList, ListReader};
use picaflor_pipeline::pica::float::Precision;
use std::path::PathBuf;
use std::process::Command;

/// Points for each machine, over all scenes.
const POINTS: usize = 1000;
/// Points of a machine where it goes on in another process.
const PROCESSES: usize = 4;
/// Names the file that a process goes on from.
const FILE: &str = "PICAFLOR_HANDOVER";

/// A scene: its name, the blocks of its memory, the state before it, its steps.
type Played<S> = (&'static str, Vec<(u32, u32)>, Snapshot, Vec<S>);

/// A machine that plays steps.
trait Console: Sized + Send {
    const NAME: &'static str;
    type Step: Sync;

    fn scenes() -> Vec<Played<Self::Step>>;
    fn new() -> Self;
    fn play(&mut self, engines: &mut Engines, memory: &BlockMemory, step: &Self::Step);
    fn save(&mut self, exported: bool) -> Vec<u32>;
    fn load(&mut self, exported: bool, words: Vec<u32>);
}

/// Both engines; which one plays changes at each point.
struct Engines {
    compiled: Engine,
    interpreter: Interpreter,
    interprets: bool,
}

impl Engines {
    fn new() -> Self {
        let compiled = Engine::builder().mode(EngineMode::Blocking).build().expect("an engine");
        Self { compiled, interpreter: Interpreter::new(), interprets: false }
    }
}

/// Writes by the CPU in place of command lists.
fn flat(capture: &Capture) -> Vec<Event> {
    let memory = BlockMemory::zeroed(&capture.regions);
    let mut steps = Vec::new();
    for event in &capture.events {
        match *event {
            Event::List { address, size_bytes } => {
                let mut list = ListReader::new(&memory, CommandList { address, size_bytes });
                while let Some(command) = list.next_command().expect("a list in memory") {
                    for k in 0..command.parameters {
                        let (id, mask) = (command.register(k) as u16, command.header.mask());
                        let value = list.parameter(&command, k).expect("in memory");
                        if (0x040..0x400).contains(&id) && !(0x238..=0x23d).contains(&id) && mask != 0 {
                            steps.push(Event::Register { id, value, mask });
                        }
                    }
                }
                continue;
            }
            Event::Memory { address, ref bytes } => write_bytes(&memory, address, bytes),
            _ => {}
        }
        steps.push(event.clone());
    }
    steps
}

impl Console for Pica {
    const NAME: &'static str = "pica";
    type Step = Event;

    fn scenes() -> Vec<Played<Event>> {
        let scenes = picaflor_scenes::pica::Scene::all().into_iter().map(|scene| {
            let capture = scene.capture(Precision::Console);
            let steps = flat(&capture);
            (scene.name, capture.regions, capture.initial, steps)
        });
        scenes.collect()
    }

    fn new() -> Self {
        Self::new(Precision::Console)
    }

    fn play(&mut self, engines: &mut Engines, memory: &BlockMemory, step: &Event) {
        let Engines { compiled, interpreter, interprets } = engines;
        let result = match *step {
            Event::Memory { address, ref bytes } => return write_bytes(memory, address, bytes),
            Event::VBlank { screen } => return self.vblank(screen),
            Event::Register { id, value, mask } => match interprets {
                true => self.write_register(interpreter, memory, id, value, mask),
                false => self.write_register(compiled, memory, id, value, mask),
            },
            Event::Mmio { address, value } => match interprets {
                true => self.write_mmio(interpreter, memory, address, value),
                false => self.write_mmio(compiled, memory, address, value),
            },
            Event::List { .. } | Event::Field { .. } | Event::Frame => return,
        };
        result.expect("within the limits");
    }

    fn save(&mut self, exported: bool) -> Vec<u32> {
        if exported { self.export() } else { Self::save(self).words().to_vec() }
    }

    fn load(&mut self, exported: bool, words: Vec<u32>) {
        if exported {
            self.import(&words).expect("a state");
        } else {
            Self::load(self, &Snapshot::from_words(words)).expect("a snapshot");
        }
    }
}

/// A step of the GE: an event, or the words of a list up to a stall.
enum GeStep {
    Whole(GeEvent),
    Words(Vec<u32>),
}

/// Words of lists as a host executes them; lists with control flow stay whole.
fn words(capture: &GeCapture) -> Vec<GeStep> {
    let memory = BlockMemory::zeroed(&capture.regions);
    let mut steps = Vec::new();
    for event in &capture.events {
        if let GeEvent::Memory { address, bytes } = event {
            write_bytes(&memory, *address, bytes);
        }
        let straight = match event {
            GeEvent::Run(list) if list.stack.is_empty() => straight(&memory, list.pc, list.stall),
            _ => None,
        };
        match straight {
            Some(words) => steps.extend(words.chunks(1).map(|words| GeStep::Words(words.to_vec()))),
            None => steps.push(GeStep::Whole(event.clone())),
        }
    }
    steps
}

/// The words of a list without jumps, calls, tests and signals, up to its end.
fn straight(memory: &BlockMemory, pc: u32, stall: u32) -> Option<Vec<u32>> {
    let mut words = Vec::new();
    for address in (pc..).step_by(4) {
        let word = picaflor_pipeline::memory::read_word(memory, address);
        match word >> 24 {
            0x0f | 0x0c => return Some(words),
            0x07..=0x0e => return None,
            _ if address == stall => return Some(words),
            _ => words.push(word),
        }
        memory.region(address, 4)?;
    }
    None
}

impl Console for Ge {
    const NAME: &'static str = "ge";
    type Step = GeStep;

    fn scenes() -> Vec<Played<GeStep>> {
        let scenes = picaflor_scenes::ge::Scene::all().into_iter().map(|scene| {
            let capture = scene.capture();
            let steps = words(&capture);
            (scene.name, capture.regions, capture.initial, steps)
        });
        scenes.collect()
    }

    fn new() -> Self {
        Self::new()
    }

    fn play(&mut self, engines: &mut Engines, memory: &BlockMemory, step: &GeStep) {
        let Engines { compiled, interpreter, interprets } = engines;
        let done = match step {
            GeStep::Words(words) if *interprets => self.execute(interpreter, memory, words),
            GeStep::Words(words) => self.execute(compiled, memory, words),
            GeStep::Whole(GeEvent::Run(list)) if *interprets => {
                self.run(interpreter, memory, &mut list.clone()).map(|_| ())
            }
            GeStep::Whole(GeEvent::Run(list)) => self.run(compiled, memory, &mut list.clone()).map(|_| ()),
            GeStep::Whole(GeEvent::Execute(words)) => self.execute(compiled, memory, words),
            GeStep::Whole(GeEvent::Memory { address, bytes }) => {
                write_bytes(memory, *address, bytes);
                Ok(())
            }
            GeStep::Whole(GeEvent::State(state)) => {
                Self::load(self, state).expect("a state");
                Ok(())
            }
            GeStep::Whole(GeEvent::Display(_)) => Ok(()),
        };
        done.expect("within the limits");
    }

    fn save(&mut self, exported: bool) -> Vec<u32> {
        if exported { self.export() } else { Self::save(self).words().to_vec() }
    }

    fn load(&mut self, exported: bool, words: Vec<u32>) {
        if exported {
            self.import(&words).expect("a state");
        } else {
            Self::load(self, &Snapshot::from_words(words)).expect("a snapshot");
        }
    }
}

/// Bytes of all blocks, and the state.
fn outcome<C: Console>(regions: &[(u32, u32)], memory: &BlockMemory, machine: &mut C) -> (Vec<u8>, Vec<u32>) {
    let bytes = regions.iter().flat_map(|&(at, length)| memory.region(at, length).expect("mapped").to_vec());
    (bytes.collect(), machine.save(false))
}

fn points_of<C: Console>() {
    let scenes = C::scenes();
    let mut engines = Engines::new();
    let (mut left, mut points) = (scenes.len(), 0);
    for (name, regions, initial, steps) in &scenes {
        let mut random = Random::of_item(16, left as u64);
        let whole = BlockMemory::zeroed(regions);
        let mut machine = C::new();
        machine.load(false, initial.words().to_vec());
        engines.interprets = false;
        steps.iter().for_each(|step| machine.play(&mut engines, &whole, step));
        let expected = outcome(regions, &whole, &mut machine);

        let wanted = (POINTS - points).div_ceil(left).min(steps.len());
        let mut places: Vec<usize> = (0..wanted).map(|_| random.below(steps.len() as u32) as usize).collect();
        places.sort_unstable();
        let memory = BlockMemory::zeroed(regions);
        let mut machine = C::new();
        machine.load(false, initial.words().to_vec());
        let mut at = 0;
        for place in places.into_iter().chain([steps.len()]) {
            let exported = random.chance(50);
            let words = machine.save(exported);
            engines.interprets = random.chance(25);
            let part = &steps[at..place];
            // Each part in a thread of its own, by a machine that knows the words alone.
            let (memory, engines) = (&memory, &mut engines);
            let goes_on = move || {
                let mut machine = C::new();
                machine.load(exported, words);
                part.iter().for_each(|step| machine.play(engines, memory, step));
                machine
            };
            machine = std::thread::scope(|scope| scope.spawn(goes_on).join().expect("the part is played"));
            at = place;
        }
        points += wanted;
        left -= 1;
        assert!(outcome(regions, &memory, &mut machine) == expected, "{} {name}", C::NAME);
    }
    println!("{}: {points} points in {} scenes", C::NAME, scenes.len());
    assert!(points >= POINTS);
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("handover-{}-{name}", std::process::id()))
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The second half of a scene in a process that has only a file: number of the scene, of the step, state, memory.
fn go_on<C: Console>(path: &str) {
    let bytes = std::fs::read(path).expect("the file of the parent");
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let [scene, at, length] = std::array::from_fn(|n| words[n] as usize);
    let (_, regions, _, steps) = C::scenes().swap_remove(scene);
    let memory = BlockMemory::zeroed(&regions);
    let mut contents = &bytes[4 * (3 + length)..];
    for &(address, size) in &regions {
        write_bytes(&memory, address, &contents[..size as usize]);
        contents = &contents[size as usize..];
    }
    let mut machine = C::new();
    machine.load(true, words[3..3 + length].to_vec());
    let mut engines = Engines::new();
    steps[at..].iter().for_each(|step| machine.play(&mut engines, &memory, step));
    let (bytes, state) = outcome(&regions, &memory, &mut machine);
    std::fs::write(path, [to_bytes(&state), bytes].concat()).expect("the result");
}

fn processes_of<C: Console>(test: &str) {
    if let Ok(path) = std::env::var(FILE) {
        return go_on::<C>(&path);
    }
    let scenes = C::scenes();
    let mut engines = Engines::new();
    let mut random = Random::new(61);
    for n in 0..PROCESSES {
        let scene = random.below(scenes.len() as u32) as usize;
        let (name, regions, initial, steps) = &scenes[scene];
        let at = random.below(steps.len() as u32) as usize;
        let memory = BlockMemory::zeroed(regions);
        let mut machine = C::new();
        machine.load(false, initial.words().to_vec());
        steps[..at].iter().for_each(|step| machine.play(&mut engines, &memory, step));
        let (bytes, state) = (outcome(regions, &memory, &mut machine).0, machine.save(true));
        let head = [scene as u32, at as u32, state.len() as u32];
        let path = file(&format!("{}-{n}", C::NAME));
        std::fs::write(&path, [to_bytes(&head), to_bytes(&state), bytes].concat()).expect("a file");
        let mut other = Command::new(std::env::current_exe().expect("this test"));
        other.args(["--exact", test]).env(FILE, &path);
        let output = other.output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        steps[at..].iter().for_each(|step| machine.play(&mut engines, &memory, step));
        let (bytes, state) = outcome(regions, &memory, &mut machine);
        let found = std::fs::read(&path).expect("the result");
        std::fs::remove_file(&path).expect("the file is here");
        assert!(found == [to_bytes(&state), bytes].concat(), "{name}, step {at}");
    }
}

#[test]
fn random_points_of_the_pica200() {
    points_of::<Pica>();
}

#[test]
fn random_points_of_the_ge() {
    points_of::<Ge>();
}

#[test]
fn another_process_of_the_pica200() {
    processes_of::<Pica>("handover::another_process_of_the_pica200");
}

#[test]
fn another_process_of_the_ge() {
    processes_of::<Ge>("handover::another_process_of_the_ge");
}
