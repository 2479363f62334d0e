//! [Lock step](crate::lockstep) of the GE. Compared surfaces: all of VRAM and the whole state of the machine after
//! every list, and optionally after every draw; at the end all memory.

pub(super) mod point;
mod watch;

pub use point::Role;
pub use watch::Known;
pub(super) use watch::watched;

use super::Ge;
use crate::lockstep::{self, GivenUp, GivenUpList};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::vram::AddressMaps;

/// A capture on two engines.
pub type Comparison = lockstep::Comparison<Ge>;

/// The state of a machine that draws.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Its registers, which say where the target is.
    pub registers: Registers,
    /// Wiring of the mirrors of VRAM.
    pub maps: AddressMaps,
    /// The keys of the draws since the point before; empty unless requested.
    pub keys: String,
}

/// Notes: lists that were given up, and faults of the guest.
#[must_use]
pub fn notes(given_up: &GivenUpList, faults: &FaultList) -> Vec<String> {
    let given_up = given_up.lines(|GivenUp { event, why }| format!("event {event}: given up: {why}"));
    given_up.chain(faults.as_slice().iter().map(|fault| format!("fault: {fault}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::Defect;
    use crate::ge::engine::Named;
    use crate::lockstep::{Findings, Moment, Options, Origin, Place, Point};
    use crate::setup::Setup;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::fault::Fault;
    use picaflor_pipeline::ge::capture::Capture;
    use picaflor_pipeline::ge::capture::ppdmp::write::Writer;
    use picaflor_pipeline::ge::capture::ppdmp::{self, Lists};
    use picaflor_pipeline::ge::display::FrameBuffer;
    use picaflor_pipeline::ge::raster::Primitive;
    use picaflor_pipeline::ge::regs::Registers;
    use picaflor_pipeline::ge::stage::blit::BlitStage;
    use picaflor_pipeline::ge::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
    use picaflor_pipeline::ge::stage::surface::{Surface, SurfaceBatch};
    use picaflor_pipeline::ge::stage::{
        PixelStage, PixelState, Remembered, TileRoutine, TransformStage, VertexBatch,
    };
    use picaflor_pipeline::ge::stats::Stats;
    use picaflor_pipeline::ge::vertex::Vertex;
    use picaflor_pipeline::ge::vram::AddressMaps;
    use picaflor_pipeline::memory::Memory;
    use picaflor_pipeline::picture::Picture;
    use std::sync::Arc;

    /// The interpreter, but for the lowest bit of blue.
    struct Blue(Interpreter);

    impl TransformStage for Blue {
        fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
            self.0.transform(batch, out);
            out.iter_mut().for_each(|vertex| vertex.colour ^= 1 << 16);
        }

        fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
            self.0.remembered(batch)
        }

        fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
            self.0.is_outside(batch)
        }

        fn immediate(&mut self, registers: &Registers) -> Vertex {
            self.0.immediate(registers)
        }

        fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
            self.0.surface(batch)
        }
    }

    impl PrimitiveStage for Blue {
        fn primitives(
            &mut self,
            batch: &PrimitiveBatch<'_>,
            pending: &mut PendingVertices,
            out: &mut Vec<Primitive>,
        ) {
            self.0.primitives(batch, pending, out);
        }
    }

    impl BlitStage for Blue {
        fn block_transfer(
            &mut self,
            memory: &dyn Memory,
            registers: &Registers,
            maps: AddressMaps,
        ) -> Result<(), Fault> {
            self.0.block_transfer(memory, registers, maps)
        }

        fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
            self.0.scan_out(memory, maps, frame)
        }
    }

    impl PixelStage for Blue {
        fn pixel_routine(
            &mut self,
            state: &PixelState<'_>,
            primitives: &[Primitive],
        ) -> Arc<dyn TileRoutine> {
            self.0.pixel_routine(state, primitives)
        }
    }

    fn interpreter() -> Named {
        Named::other("interp", Interpreter::new())
    }

    fn blue() -> Named {
        Named::other("blue", Blue(Interpreter::new()))
    }

    fn compared(mut candidate: Named, options: Options<'_>) -> Comparison {
        let capture = capture();
        let engines = [&mut interpreter(), &mut candidate];
        lockstep::compare_two::<Ge>([&capture; 2], engines, options, &|| ()).expect("a sound capture")
    }

    /// One point, and a frame.
    fn capture() -> Capture {
        let mut writer = Writer::default();
        writer
            .words(1, &[0x9d00_0200, 0xd200_0003, 0xd300_0301, 0x16ff_ffff, 0xd504_3ddf, 0x1280_011c])
            .record(2, &[1, 2, 3, 4, 7, 0, 5, 0, 0, 0, 0, 0])
            .words(1, &[0x0400_0001])
            .words(9, &[0x0400_0000, 512, 3]);
        let dump = ppdmp::read(&writer.file(6)).unwrap();
        ppdmp::translate(&dump, Lists::OfRecords).unwrap().0
    }

    #[test]
    fn one_bit_is_found() {
        let same = compared(interpreter(), Options::default());
        assert!(same.is_same() && same.findings.lists == 3 && same.candidate.stats.draws == 1, "{same:?}");
        let found = compared(blue(), Options::default()).findings;
        let [difference] = &found.differences[..] else { panic!("{found:?}") };
        let carried = compared(blue(), Options { carry: true, ..Options::default() }).findings;
        let [_, end] = &carried.differences[..] else { panic!("{carried:?}") };
        assert_eq!((end.place.moment, end.bytes), (Moment::End, 1));
        assert_eq!((difference.surface.as_str(), difference.bytes, difference.place.frame), ("VRAM", 1, 0));
        let what = &difference.what;
        assert!(
            what.starts_with("pixel (7, 5): rgba 1 2 2 ") && what.contains("instead of rgba 1 2 3 "),
            "{what}"
        );
    }

    /// Three points, of which the defect moves the last one by 8 pixels, and a transfer of 16 x 8 pixels that copies
    /// them.
    fn copied() -> Capture {
        let point = |x: u8| [1, 2, 3, 4, x, 0, 5, 0, 0, 0, 0, 0];
        let mut writer = Writer::default();
        writer
            .words(1, &[0x9d00_0200, 0xd200_0003, 0xd300_0301, 0x16ff_ffff, 0xd504_3ddf, 0x1280_011c])
            .record(2, &[point(7), point(9), point(11)].concat())
            .words(1, &[0x0400_0003])
            .words(1, &[0xb200_0000, 0xb304_0200, 0xb400_0000, 0xb504_0200])
            .words(1, &[0xee00_1c0f, 0xeb00_0000, 0xec00_0040, 0xea00_0001])
            .words(9, &[0x0400_0000, 512, 3]);
        ppdmp::translate(&ppdmp::read(&writer.file(6)).unwrap(), Lists::OfRecords).unwrap().0
    }

    /// After a difference the candidate continues with the reference's memory; or the transfer carries it on.
    #[test]
    fn later_work_is_judged_alone() {
        let found = |carry| {
            let setup = Setup { defect: Some(Defect::Vertices), ..Setup::default() };
            let options = Options { setup, threads: 1, steps: true, carry, ..Options::default() };
            lockstep::compare::<Ge>(&copied(), ["interp", "jit"], options, &|| ()).unwrap().findings
        };
        let alone = found(false);
        let [difference] = &alone.differences[..] else { panic!("{:?}", alone.differences) };
        assert_eq!(
            (difference.place.moment, difference.bytes, difference.origin),
            (Moment::Draw, 8, Origin::New)
        );
        assert_eq!((alone.more, alone.carried), (0, 0));

        let carried = found(true);
        let [first, others @ ..] = &carried.differences[..] else { panic!("no difference") };
        assert_eq!((first.place, first.bytes, first.origin), (difference.place, 8, Origin::New));
        assert!(others.iter().all(|other| other.origin == Origin::Carried), "{others:?}");
        // Once more at the end of the list that has the draw, and then from the transfer on.
        assert_eq!((others[0].place.moment, others[0].bytes), (Moment::List, 8));
        assert_eq!(carried.carried, others.len() as u64 + carried.more);
        let is_transfer = |place: Place| place.moment == Moment::Transfer;
        let transfer = carried.steps.iter().find(|step| is_transfer(step.place)).unwrap();
        assert_eq!(transfer.differences, [("VRAM (carried)".to_owned(), 16)]);
    }

    /// Draw by draw, the difference is where it was made, with its state; and a thread more changes nothing.
    #[test]
    fn draws_are_steps() {
        for threads in [1, 3] {
            let options = Options { threads, steps: true, ..Options::default() };
            let comparison = compared(blue(), options);
            let found = comparison.findings;
            let place = found.differences[0].place;
            assert_eq!((place.moment, place.draw), (Moment::Draw, 0), "{:?}", found.differences);
            let wrong: Vec<_> = found.steps.iter().filter(|step| !step.is_same()).collect();
            assert_eq!((wrong[0].place, wrong[0].vertices, wrong[0].fragments), (place, 1, 1));
            let state = found.state.as_ref().expect("the state");
            assert_eq!(wrong[0].key, state.keys);
            assert!(state.keys.contains("ge-vertex/"), "{}", state.keys);
            assert!(
                found.is_same() == found.differences.is_empty() && comparison.candidate.picture.is_some()
            );
        }
    }

    #[test]
    fn machines_that_part_are_noticed() {
        let point = |event| Point {
            place: Place { frame: 0, event, draw: 0, moment: Moment::List },
            state: State {
                registers: Registers::default(),
                maps: AddressMaps::default(),
                keys: String::new(),
            },
            stats: Stats::default(),
            surfaces: Vec::new(),
        };
        for expected in [Some(point(1)), None] {
            let mut findings = Findings::<Ge>::default();
            findings.compare(Some(&point(0)), &point(0));
            assert!(findings.is_same() && findings.points == 1);
            findings.compare(expected.as_ref(), &point(2));
            assert!(findings.parted && !findings.is_same());
            assert!(findings.differences[0].what.starts_with("the machines part: frame 0, event 2 instead"));
        }
    }
}
