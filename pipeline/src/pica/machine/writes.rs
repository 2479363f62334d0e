//! Writes to the registers, from lists and from the CPU.
//!
//! Source: pica-geometry.md 1.4-1.8, 2.9, 3.9.

use crate::fault::Fault;
use crate::memory::{Memory, Stoppable};
use crate::pica::Pica;
use crate::pica::capture::Event;
use crate::pica::external::interrupts::{self, Interrupt};
use crate::pica::machine::Host;
use crate::pica::machine::budget::RunError;
use crate::pica::machine::processor::Flow;
use crate::pica::ports::handler::{HANDLERS, Handler};
use crate::pica::ports::lut::LutPort;
use crate::pica::ports::{Upload, banks_are_shared};
use crate::pica::queue::InPlace;
use crate::pica::stage::Stages;

/// The register whose storage other registers mirror.
pub(crate) const RESTART_PRIMITIVE: u16 = 0x25f;

impl Pica {
    /// Writes register `id`, as the CPU, that is 0x10401000 + 4 `id`. `mask` enables bytes, bit 0 the lowest. A jump
    /// register runs the list of its channel.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), if the write starts a list or a draw.
    pub fn write_register(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        id: u16,
        value: u32,
        mask: u8,
    ) -> Result<(), RunError> {
        self.write_by(stages, memory, (id, value, mask), Self::write_from_cpu)
    }

    /// The same as one of several writes, which have one account and one limit of time. The first of them
    /// [opens](Self::open_account) it.
    pub(crate) fn write_in_run(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        id: u16,
        value: u32,
    ) -> Result<(), RunError> {
        self.write_by(stages, memory, (id, value, 15), Self::write_in_account)
    }

    fn write_by(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        (id, value, mask): (u16, u32, u8),
        write: fn(&mut Self, &mut Host<'_>, u16, u32, u8) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        self.recorded(memory, Event::Register { id, value, mask: mask & 15 }, |pica, memory| {
            let stopper = pica.stopper.clone();
            let stoppable = Stoppable::new(memory, &stopper);
            let memory = stoppable.of_run(pica.is_watched());
            let queue = &mut InPlace::new(memory, &stopper);
            write(pica, &mut Host { stages, memory, queue }, id, value, mask)
        })
    }

    pub(crate) fn write_from_cpu(
        &mut self,
        host: &mut Host<'_>,
        id: u16,
        value: u32,
        mask: u8,
    ) -> Result<(), RunError> {
        if id < 0x040 {
            if interrupts::write_from_cpu(&mut self.state.registers, id, value, mask) {
                self.raise(Interrupt::P3d, Some(&|_| 0));
            }
            return Ok(());
        }
        self.open_account();
        self.write_in_account(host, id, value, mask)
    }

    fn write_in_account(
        &mut self,
        host: &mut Host<'_>,
        id: u16,
        value: u32,
        mask: u8,
    ) -> Result<(), RunError> {
        match self.write_from_list(host, u32::from(id), value, mask) {
            Flow::Jump(channel) => self.run_list(host, self.channel(channel)).map(|_| ()),
            Flow::Next | Flow::Stop => self.check_account().and_then(|()| self.check_stop(0)),
        }
    }

    /// A write by a command. Mask 0 has no effect; partial masks apply to stored registers only: ports take the whole
    /// word, and triggers fire (assumed).
    pub(crate) fn write_from_list(&mut self, host: &mut Host<'_>, id: u32, value: u32, mask: u8) -> Flow {
        let flow = self.write_unobserved(host, id, value, mask);
        self.tell(host.memory, |observer, view| observer.register_written(view, id, value, mask));
        flow
    }

    fn write_unobserved(&mut self, host: &mut Host<'_>, id: u32, value: u32, mask: u8) -> Flow {
        if mask & 15 == 0 {
            return Flow::Next;
        }
        let Some(&handler) = HANDLERS.get(id as usize) else {
            self.faults.push_once(Fault::NoSuchRegister { id: id.min(0xffff) as u16 });
            return Flow::Next;
        };
        let id = id as u16;
        match handler {
            Handler::CpuOnly | Handler::ReadOnly => Flow::Next,
            Handler::Request => self.request(id, value, mask),
            Handler::Jump(channel) => Flow::Jump(channel),
            Handler::FixedData => {
                self.fixed_word(host, value);
                Flow::Next
            }
            _ => {
                // Immediate vertices are drawn with the registers that they were sent under.
                self.flush(host);
                self.write_after_flush(host, handler, id, value, mask);
                Flow::Next
            }
        }
    }

    fn request(&mut self, id: u16, value: u32, mask: u8) -> Flow {
        if !interrupts::request(&mut self.state.registers, id & 15, value, mask) {
            return Flow::Next;
        }
        self.raise(Interrupt::P3d, None);
        if self.state.registers.autostop().stop_on_match() { Flow::Stop } else { Flow::Next }
    }

    fn write_after_flush(&mut self, host: &mut Host<'_>, handler: Handler, id: u16, value: u32, mask: u8) {
        match handler {
            Handler::LutData => self.write_lut(id, value),
            Handler::Mirror => {
                self.state.registers.write(RESTART_PRIMITIVE, value, mask);
            }
            Handler::GeometryBank => self.write_geometry_bank(id, value, mask),
            Handler::VertexBank => self.write_vertex_bank(id, value, mask),
            Handler::DrawArrays => self.draw(host, false),
            Handler::DrawElements => self.draw(host, true),
            Handler::FixedIndex => self.select_fixed(host, value, mask),
            Handler::Primitive => self.write_primitive(value, mask),
            _ => {
                self.state.registers.write(id, value, mask);
                match handler {
                    Handler::Watched => self.watch(id, value),
                    Handler::Restart => self.restart_primitive(),
                    _ => {}
                }
            }
        }
    }

    fn write_lut(&mut self, id: u16, word: u32) {
        if let Some(port) = LutPort::of(id) {
            port.write(&mut self.state.registers, self.state.luts.change(), word);
        }
    }

    pub(crate) fn write_geometry_bank(&mut self, id: u16, value: u32, mask: u8) {
        let upload = self.state.geometry.write((id - 0x280) as u8, value, mask);
        if let Some(Upload::Register { .. }) = upload {
            self.state.registers.write(id, value, mask);
        }
    }

    /// Writes to the vertex bank also reach the geometry unit while it has no configuration of its own.
    pub(crate) fn write_vertex_bank(&mut self, id: u16, value: u32, mask: u8) {
        let Some(upload) = self.state.vertex.write((id - 0x2b0) as u8, value, mask) else { return };
        let registers = &mut self.state.registers;
        let mirrored = upload.is_mirrored() && banks_are_shared(registers.raw(0x244), registers.raw(0x229));
        if mirrored {
            self.state.geometry.apply(upload);
        }
        if let Upload::Register { .. } = upload {
            registers.write(id, value, mask);
            if mirrored {
                registers.write(id - 0x30, value, mask);
            }
        }
    }

    /// Records faults for addresses and sizes of lists that are no multiple of 16, and for values measured to hang a console (zitrus: a flush without a draw; gbatek: the others).
    fn watch(&mut self, id: u16, value: u32) {
        self.check_channel(id, value);
        let hangs = match id {
            0x111 => !self.drawn,
            0x11f => self.state.registers.raw(id) & 0x7fff_ffff == 0x7fff_ffff,
            0x243 => self.state.registers.raw(id) & 0x37 != 0x37,
            _ => false,
        };
        if hangs {
            self.faults.push_once(Fault::Hangs { id, value });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::command::CommandList;
    use crate::pica::ports::handler::is_mirror;
    use crate::pica::regs::{Class, describe};
    use crate::pica::testing::{Bench, LIST, header};

    const PERMUTED: [u32; 3] = [0x4080_00bf, 0x0000_3e00, 0x003f_0000];

    #[test]
    fn lists_cannot_write_the_request_block() {
        let mut bench = Bench::new();
        let before = bench.pica.registers().clone();
        let write = |id| [0x5555_5555, header(id, 15)];
        let list: Vec<u32> =
            (0x000..0x010).chain(0x020..0x040).chain([0x05a, 0x05c]).flat_map(write).collect();
        assert!(bench.run(&list).is_ok());
        assert_eq!(*bench.pica.registers(), before);
    }

    /// 0x25E: another topology in bits 8 and 9 drops the incomplete primitive, other bits do not.
    #[test]
    fn another_topology_drops_the_incomplete_primitive() {
        let cases = [
            (0x000, 0x000, false),
            (0x000, 0x1_000f, false),
            (0x100, 0x101, false),
            (0x30f, 0x1_0300, false),
            (0x000, 0x100, true),
            (0x100, 0x000, true),
            (0x300, 0x200, true),
            (0x10f, 0x20f, true),
        ];
        for (before, after, is_dropped) in cases {
            let mut bench = Bench::new();
            assert_eq!(bench.cpu(0x25e, before), Ok(()));
            bench.pica.state.front_end.pending_mut().filled = 2;
            assert_eq!(bench.cpu(0x25e, after), Ok(()));
            let filled = bench.pica.state.front_end.pending_mut().filled;
            assert_eq!(
                (bench.word(0x25e), filled),
                (after, if is_dropped { 0 } else { 2 }),
                "{before:x} {after:x}"
            );
        }
    }

    /// 0x25F drops it, whatever is written.
    #[test]
    fn a_restart_drops_the_incomplete_primitive() {
        let mut bench = Bench::new();
        for word in [0, 1] {
            bench.pica.state.front_end.pending_mut().filled = 2;
            assert_eq!(bench.cpu(RESTART_PRIMITIVE, word), Ok(()));
            assert_eq!(
                (bench.pica.state.front_end.pending_mut().filled, bench.word(RESTART_PRIMITIVE)),
                (0, word)
            );
        }
    }

    /// A mask without bytes writes nothing and starts nothing.
    #[test]
    fn writes_without_bytes() {
        let mut bench = Bench::new();
        let nothing = |id| [1, header(id, 0)];
        let list =
            [[3, header(0x228, 15)], nothing(0x22e), nothing(0x23c), nothing(0x25e), [1, header(0x041, 15)]];
        assert!(bench.run(list.as_flattened()).is_ok());
        let stats = bench.pica.stats();
        assert_eq!((stats.draws, stats.lists, bench.word(0x041)), (0, 1, 1));
    }

    /// The registers that only the CPU writes end before 0x040.
    #[test]
    fn the_first_register_of_draws() {
        let mut bench = Bench::new();
        assert_eq!((bench.cpu(0x040, 2), bench.word(0x040)), (Ok(()), 2));
    }

    #[test]
    fn registers_that_do_not_exist() {
        let mut bench = Bench::new();
        let list = [
            [1, header(0x2ff, 15)],
            [1, header(0x400, 15)],
            [2, header(0xffff, 15) | 1 << 20 | 1 << 31],
            [3, 0],
        ];
        assert!(bench.run(list.as_flattened()).is_ok());
        let faults = [0x400, 0xffff].map(|id| Fault::NoSuchRegister { id });
        assert_eq!(bench.pica.faults().as_slice(), faults);
        assert_eq!(bench.word(0x2ff), 1);
    }

    #[test]
    fn consecutive_writes_stop_at_the_last_register() {
        let mut bench = Bench::new();
        let list = [1, header(0x3fe, 15) | 3 << 20 | 1 << 31, 2, 3, 4, 0, 0, 0];
        assert!(bench.run(&list).is_ok());
        assert_eq!(bench.word(RESTART_PRIMITIVE), 2, "both are mirrors");
        assert_eq!(bench.pica.faults().as_slice()[0], Fault::NoSuchRegister { id: 0x400 });
    }

    #[test]
    fn mirrors_share_one_word() {
        let mut bench = Bench::new();
        assert!(bench.cpu(0x25f, 0x1111_1111).is_ok());
        assert!(bench.run(&[0x2222_2222, header(0x248, 0b0011), 0, 0]).is_ok());
        assert_eq!([0x25f, 0x248, 0x3ff, 0x0fe].map(|id| bench.pica.read_register(id)), [0x1111_2222; 4]);
        assert_eq!(bench.word(0x248), 0);
        for id in 0..0x400 {
            assert_eq!(is_mirror(id), describe(id).class == Class::Mirror, "{id:#05x}");
        }
    }

    #[test]
    fn tables_are_filled_through_their_ports() {
        let mut bench = Bench::new();
        let list = [
            [0x03ff, header(0x1c5, 15)],
            [7, header(0x1c8, 15) | 1 << 20 | 1 << 31],
            [8, 0],
            [0x7f, header(0x0e6, 15)],
            [9, header(0x0ef, 1)],
            [0x0402, header(0x0af, 15)],
            [0xff00_ff00, header(0x0b0, 15)],
            [3, header(0x123, 15)],
            [6, header(0x124, 15)],
        ];
        assert!(bench.run(list.as_flattened()).is_ok());
        let luts = bench.pica.luts();
        assert_eq!((luts.lighting[3][255], luts.lighting[3][0], luts.fog[127]), (7, 8, 9));
        assert_eq!((luts.colours[2], luts.gas[3]), (0xff00_ff00, 6));
        assert_eq!((bench.word(0x1c5), bench.word(0x0e6)), (0x0301, 0));
        assert_eq!(bench.pica.read_register(0x1cf), 0);
        assert_eq!(bench.word(0x1c5), 0x0302, "reading advances");
    }

    #[test]
    fn shared_banks() {
        let mut bench = Bench::new();
        let upload = |bench: &mut Bench, n: u32| {
            let words = [[n, header(0x2c0, 15)], [PERMUTED[0], header(0x2c1, 15)]];
            assert!(bench.run(words.as_flattened()).is_ok());
            assert!(bench.run(&[PERMUTED[1], header(0x2c1, 15) | 1 << 20, PERMUTED[2], 0]).is_ok());
            assert!(bench.run(&[n, header(0x2bd, 15), n, header(0x2ba, 15)]).is_ok());
        };
        let value = |bench: &Bench, n| bench.pica.geometry_bank().uniforms().float(n, bench.pica.precision());
        upload(&mut bench, 5);
        assert_eq!(value(&bench, 5), [1.0, 0.5, -1.0, 3.0]);
        assert_eq!([0x2bd, 0x28d, 0x2ba, 0x28a].map(|id| bench.pica.read_register(id)), [5, 5, 5, 0]);
        assert_eq!((bench.word(0x2bd), bench.word(0x28d)), (5, 5));
        for (id, value) in [(0x244, 1), (0x244, 0), (0x229, 2)] {
            assert!(bench.cpu(id, value).is_ok());
            if bench.word(0x244) == 1 || bench.word(0x229) == 2 {
                upload(&mut bench, 6);
            }
        }
        assert_eq!((value(&bench, 6), bench.pica.read_register(0x28d)), ([0.0; 4], 5));
        assert_eq!(bench.pica.vertex_bank().output_mask(), 6);
    }

    #[test]
    fn the_cpu_starts_lists() {
        let mut bench = Bench::new();
        bench.put(LIST, &[4, header(0x041, 15), 0x1234_5678, header(0x010, 15)]);
        for (id, value) in [(0x239, 2), (0x23b, LIST >> 3), (0x23d, 0)] {
            assert!(bench.cpu(id, value).is_ok());
        }
        assert!(bench.pica.interrupts().contains(Interrupt::P3d) && bench.word(0x041) == 4);
        assert!(bench.cpu(0x000, 0).is_ok());
        assert_eq!(bench.word(0x010), 0);
        assert_eq!(bench.cpu(0x23c, 1), Ok(()), "an empty list at address 0");
        assert!(bench.cpu(0x238, 2).is_ok());
        assert_eq!(bench.cpu(0x23c, 1), Err(RunError::Unmapped { address: 0 }));
    }

    #[test]
    fn values_that_hang_the_console() {
        let mut bench = Bench::new();
        let list = [[0x36, header(0x243, 15)], [u32::MAX, header(0x11f, 15)], [1, header(0x111, 15)], [0; 2]];
        assert!(bench.run(list.as_flattened()).is_ok());
        let hangs = |id, value| Fault::Hangs { id, value };
        let expected = [hangs(0x243, 0x36), hangs(0x11f, u32::MAX), hangs(0x111, 1)];
        assert_eq!(bench.pica.take_faults().as_slice(), expected);
        let list = [[0x37, header(0x243, 15)], [0x0001_0140, header(0x11f, 15)]];
        assert!(bench.run(list.as_flattened()).is_ok());
        assert!(bench.pica.faults().as_slice().is_empty());
    }

    #[test]
    fn a_flush_after_a_draw_is_fine() {
        let mut bench = Bench::new();
        let list = [[3, header(0x228, 15)], [1, header(0x22e, 15)], [1, header(0x111, 15)], [0; 2]];
        assert!(bench.run(list.as_flattened()).is_ok());
        assert_eq!(bench.pica.stats().draws, 1);
        let is_hang = |fault: &Fault| matches!(fault, Fault::Hangs { .. });
        assert!(!bench.pica.faults().as_slice().iter().any(is_hang));
        assert!(bench.run_at(CommandList { address: LIST + 16, size_bytes: 16 }).is_ok());
        assert!(bench.pica.faults().as_slice().iter().any(is_hang), "drawn by the list before");
    }
}
