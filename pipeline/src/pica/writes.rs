//! Writes to the registers, from lists and from the CPU.
//!
//! Source: pica-geometry.md 1.4-1.8, 2.9, 3.9.

use super::Pica;
use super::handler::{HANDLERS, Handler};
use super::interrupts::{self, Interrupt};
use super::lut_ports::LutPort;
use super::machine::Host;
use super::ports::{Upload, banks_are_shared};
use super::processor::{Flow, RunError};
use crate::fault::Fault;
use crate::memory::Memory;
use crate::stage::Stages;

/// The register whose storage others mirror.
pub(super) const RESTART_PRIMITIVE: u16 = 0x25f;

impl Pica {
    /// A write by the CPU to register `id`, that is to 0x10401000 + 4 `id`. `mask` enables bytes, bit 0 the
    /// lowest. A jump register runs the list of its channel.
    ///
    /// # Errors
    /// As for [`run`](Self::run), if the write starts a list.
    pub fn write_register(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        id: u16,
        value: u32,
        mask: u8,
    ) -> Result<(), RunError> {
        self.write_from_cpu(&mut Host { stages, memory }, id, value, mask)
    }

    pub(super) fn write_from_cpu(
        &mut self,
        host: &mut Host<'_>,
        id: u16,
        value: u32,
        mask: u8,
    ) -> Result<(), RunError> {
        if id < 0x040 {
            if interrupts::write_from_cpu(&mut self.state.registers, id, value, mask) {
                self.state.interrupts.raise(Interrupt::P3d);
            }
            return Ok(());
        }
        match self.write_from_list(host, u32::from(id), value, mask) {
            Flow::Jump(channel) => self.run_list(host, self.channel(channel)).map(|_| ()),
            Flow::Next | Flow::Stop => Ok(()),
        }
    }

    /// A write by a command. With mask 0 nothing happens; other masks are for stored registers only, ports
    /// take the whole word and triggers fire (assumed).
    pub(super) fn write_from_list(&mut self, host: &mut Host<'_>, id: u32, value: u32, mask: u8) -> Flow {
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
        self.state.interrupts.raise(Interrupt::P3d);
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
            port.write(&mut self.state.registers, &mut self.state.luts, word);
        }
    }

    fn write_geometry_bank(&mut self, id: u16, value: u32, mask: u8) {
        let upload = self.state.geometry.write((id - 0x280) as u8, value, mask);
        if let Some(Upload::Register { .. }) = upload {
            self.state.registers.write(id, value, mask);
        }
    }

    /// The geometry unit takes part in what is uploaded while it has no configuration of its own.
    fn write_vertex_bank(&mut self, id: u16, value: u32, mask: u8) {
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

    /// Values measured to hang a console (zitrus: a flush without a draw; gbatek: the others).
    fn watch(&mut self, id: u16, value: u32) {
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
