//! Commands with an effect beyond their register, except those of control flow.
//!
//! Source: psp-ge.md 3.

use super::processor::Host;
use crate::ge::Ge;
use crate::ge::block_transfer::BlockTransfer;
use crate::ge::clut::CLUT_BYTES;
use crate::ge::draw::{DrawContext, FrontEnd};
use crate::ge::extents;
use crate::ge::matrix_ports::MatrixPort;
use crate::ge::prices;
use crate::ge::queue::meet;
use crate::ge::regs::op;
use crate::ge::vram::{self, VRAM, VRAM_BYTES};

/// Bytes of a block of `CLOAD`.
const CLUT_BLOCK: u32 = 32;

impl Ge {
    /// Performs the effect of a word beyond its register, which holds the word already.
    pub(crate) fn act(&mut self, host: &mut Host<'_>, word: u32) {
        let argument = word & 0xff_ffff;
        match word.to_le_bytes()[3] {
            op::VADDR => self.state.vertex_pointer = self.relative(argument),
            op::IADDR => self.state.index_pointer = self.relative(argument),
            op::OFFSET => self.state.offset = argument << 8 & 0x0fff_ffff,
            op::PRIM => self.draw(host, |front_end, cx| front_end.prim(cx, word)),
            op::BEZIER => self.draw(host, |front_end, cx| front_end.bezier(cx, word)),
            op::SPLINE => self.draw(host, |front_end, cx| front_end.spline(cx, word)),
            op::VAP => self.draw(host, |front_end, cx| front_end.immediate(cx, word)),
            // In a list its result counts, and the processor keeps that.
            op::BBOX => _ = self.bounding_box(host),
            op::CLOAD => self.load_clut(host, argument),
            op::TRXKICK => self.transfer(host),
            command @ op::BOFS..=op::TMATRIX => self.matrix_element(host, command, argument),
            _ => {}
        }
    }

    /// [`matrix_word`](Self::matrix_word), behind the draws whose vertices depend on the element.
    fn matrix_element(&mut self, host: &mut Host<'_>, command: u8, argument: u32) {
        if !self.joined.is_idle() && self.state.matrices.changes(command, argument) {
            self.front_end(host, FrontEnd::transform_gathered);
            self.joined.end_state();
        }
        self.matrix_word(command, argument);
    }

    pub(crate) fn matrix_word(&mut self, command: u8, argument: u32) {
        for port in MatrixPort::ALL {
            if command == port.data_command() {
                self.state.matrices.push(port, argument);
            } else if command == port.number_command() {
                self.state.matrices.set_counter(port, argument);
            }
        }
    }

    /// Runs an action of the front end, and calls the observer if the action drew.
    pub(crate) fn draw(
        &mut self,
        host: &mut Host<'_>,
        action: impl FnOnce(&mut FrontEnd, &mut DrawContext<'_>),
    ) {
        let draws = self.state.stats.draws;
        self.tell(host.memory, |observer, view| observer.draw_started(view));
        self.front_end(host, action);
        if self.state.stats.draws != draws && self.observer.is_some() {
            self.settle(host);
            host.queue.finish();
            self.state.stats.covered += host.queue.take_pixels();
            self.tell(host.memory, |observer, view| observer.draw_done(view));
        }
    }

    /// `BBOX`: true if the box is outside.
    pub(crate) fn bounding_box(&mut self, host: &mut Host<'_>) -> bool {
        let word = self.state.registers.word(op::BBOX);
        self.front_end(host, |front_end, cx| front_end.bbox(cx, word))
    }

    /// Submits the draws that wait for others in the same state. Everything that they depend on is unchanged.
    pub(crate) fn settle(&mut self, host: &mut Host<'_>) {
        if !self.joined.is_empty() {
            self.front_end(host, FrontEnd::settle);
        }
    }

    pub(crate) fn front_end<R>(
        &mut self,
        host: &mut Host<'_>,
        action: impl FnOnce(&mut FrontEnd, &mut DrawContext<'_>) -> R,
    ) -> R {
        let state = &mut self.state;
        let mut context = DrawContext {
            registers: &state.registers,
            matrices: state.matrices.matrices(),
            clut: &state.clut,
            remembered: &mut state.remembered,
            vertex_pointer: &mut state.vertex_pointer,
            index_pointer: &mut state.index_pointer,
            stages: &mut *host.stages,
            memory: host.memory,
            maps: state.maps,
            queue: &mut *host.queue,
            limits: &self.limits,
            account: &mut self.account,
            joined: &mut self.joined,
            texels: &mut self.texels,
            stopper: &self.stopper,
            faults: &mut self.faults,
            stats: &mut state.stats,
        };
        action(&mut state.front_end, &mut context)
    }

    /// Loads blocks from memory into the start of the table; the rest of the table is unchanged (9.4).
    fn load_clut(&mut self, host: &mut Host<'_>, argument: u32) {
        let registers = &self.state.registers;
        let length = ((argument & 0x3f) * CLUT_BLOCK).min(CLUT_BYTES as u32);
        let address = (registers.arg(op::CBP) & 0xff_fff0) | (registers.arg(op::CBPH) & 0x0f_0000) << 8;
        let is_mapped = vram::region(host.memory, self.state.maps, address, length).is_some();
        if !self.account.pay(prices::clut(length, is_mapped)) {
            return;
        }
        let extent = extents::extent(self.state.maps, address, length);
        if meet(extent, (VRAM, VRAM_BYTES)) {
            self.settle(host);
        }
        host.queue.before_read(extent);
        let mut table = [0; CLUT_BYTES];
        let bytes = &mut table[..length as usize];
        vram::read(host.memory, self.state.maps, address, bytes);
        if self.state.clut.bytes()[..bytes.len()] != *bytes {
            self.settle(host);
            self.state.clut = self.loaded_cluts.load(&self.state.clut, address, bytes);
        }
    }

    /// A transfer with unmapped memory hangs the console; here it is skipped.
    fn transfer(&mut self, host: &mut Host<'_>) {
        self.settle(host);
        let transfer = BlockTransfer::new(&self.state.registers);
        if !self.account.pay(prices::transfer(&transfer).saturating_add(self.texels.write_price())) {
            return;
        }
        let maps = self.state.maps;
        let [source, destination] = [extents::source_extent, extents::destination_extent]
            .map(|of| extents::parts(of(&transfer, maps)));
        source.into_iter().for_each(|part| host.queue.before_read(part));
        destination.into_iter().for_each(|part| host.queue.before_write(part));
        let moved = host.stages.block_transfer(host.memory, &self.state.registers, maps);
        if let Err(fault) = moved {
            return self.faults.push_once(fault);
        }
        for (address, length) in destination.into_iter().filter(|&(_, length)| length > 0) {
            host.memory.written(address, length);
            host.stages.changed(address, length);
            self.texels.written((address, length));
        }
        self.state.stats.transfers += 1;
        self.state.stats.transferred += transfer.bytes();
        self.tell(host.memory, |observer, view| observer.transfer_done(view));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::RunError;
    use crate::ge::display_list::DisplayList;
    use crate::ge::limits::Limits;
    use crate::ge::list_builder::ListBuilder;
    use crate::ge::stage::NoEngines;
    use crate::guest_slice::GuestSlice;
    use crate::memory::{FlatMemory, Memory, write_bytes};
    use std::sync::Mutex;

    const LIST: u32 = 0x0880_0000;

    /// Memory that notes what it is told.
    struct Told(FlatMemory, Mutex<Vec<(u32, u32)>>);

    impl Memory for Told {
        fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
            self.0.region(address, length)
        }

        fn written(&self, address: u32, length: u32) {
            self.1.lock().expect("one thread").push((address, length));
        }
    }

    /// The bytes behind the last address are those from 0 on.
    #[test]
    fn transfers_past_the_last_address_write_two_ranges() {
        let memory = Told(FlatMemory::new(LIST, vec![0; 64]), Mutex::default());
        let mut list = ListBuilder::new();
        list.wide_pointer(op::TRXDBP, op::TRXDBW, 0x0fff_fff0, 8).write(op::TRXSIZE, 7).write(op::TRXKICK, 1);
        list.write(op::TRXDBP, 0xff_ffe0).write(op::TRXKICK, 1);
        write_bytes(&memory, LIST, &list.finish(0));
        let mut ge = Ge::new();
        ge.run(&mut NoEngines, &memory, &mut DisplayList::new(LIST, 0)).expect("the list ends");
        assert_eq!(ge.stats().transfers, 2);
        assert_eq!(
            memory.1.into_inner().expect("one thread"),
            [(0x0fff_fff0, 16), (0, 16), (0x0fff_ffe0, 32)]
        );
    }

    /// The end of a run whose transfers may move so many bytes, and the transfers that it did, of three with 16 bytes each.
    fn transferred(limit: u64) -> (Result<(), RunError>, usize) {
        let memory = Told(FlatMemory::new(LIST, vec![0; 4096]), Mutex::default());
        let mut list = ListBuilder::new();
        list.wide_pointer(op::TRXSBP, op::TRXSBW, LIST + 1024, 8).write(op::TRXSIZE, 7);
        list.wide_pointer(op::TRXDBP, op::TRXDBW, LIST + 2048, 8);
        (0..3).for_each(|_| _ = list.write(op::TRXKICK, 0));
        write_bytes(&memory, LIST, &list.finish(0));
        let mut ge = Ge::new().with_limits(Limits::DEFAULT.with_run_bytes(limit));
        // The limit is that of each run: the second one is like the first.
        let [first, second] =
            [0, 1].map(|_| ge.run(&mut NoEngines, &memory, &mut DisplayList::new(LIST, 0)).map(|_| ()));
        assert_eq!(first, second);
        (first, memory.1.into_inner().expect("one thread").len() / 2)
    }

    /// A transfer that goes beyond the limit is done, and is the last one.
    #[test]
    fn bytes_of_transfers_reach_their_limit() {
        let beyond = |bytes| Err(RunError::Work { vertices: 0, pixels: 0, bytes });
        assert_eq!(transferred(48), (Ok(()), 3));
        assert_eq!(transferred(47), (beyond(48), 3));
        assert_eq!(transferred(32), (beyond(48), 3));
        assert_eq!(transferred(31), (beyond(32), 2));
        assert_eq!(transferred(0), (beyond(16), 1));
    }
}
