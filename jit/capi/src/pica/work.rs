//! Fills, transfers and pictures, each as one call instead of a sequence of register writes.

use crate::handle::Handle;
use crate::memory::HostMemory;
use crate::pica::gpu::{Gpu, GpuHandle};
use crate::picture::{self, BufferConfig};
use crate::raw::{In, Out, Room, c_struct};
use crate::status::{Failure, Status, guard};
use picaflor_jit::Engine;
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::display::Screen;
use picaflor_pipeline::picture::{Picture, PictureError};
use std::convert::Infallible;

/// First register of fill unit 0; unit 1 is 16 bytes further.
const FILL: u32 = 0x1040_0010;
/// First register of the transfer engine.
const TRANSFER: u32 = 0x1040_0c00;

c_struct! {
    growing
    /// `picaflor_transfer`.
    Transfer {
        /// Physical address of the input.
        input: u32,
        /// Physical address of the output.
        output: u32,
        /// 0x10400C08.
        output_size: u32,
        /// 0x10400C0C.
        input_size: u32,
        /// 0x10400C10.
        flags: u32,
        /// 0x10400C20.
        copy_size: u32,
        /// 0x10400C24.
        copy_input: u32,
        /// 0x10400C28.
        copy_output: u32,
    }
}

fn write_all(gpu: &mut Gpu, words: &[(u32, u32)]) -> Result<(), Failure> {
    gpu.work(|pica, engine, memory| {
        words.iter().try_for_each(|&(address, value)| pica.write_mmio(engine, memory, address, value))
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_fill(
    gpu: Handle<GpuHandle>,
    unit: u32,
    start: u32,
    end: u32,
    value: u32,
    bytes: u32,
) -> Status {
    guard(|| {
        if unit > 1 || !(2..=4).contains(&bytes) || !(start | end).is_multiple_of(16) {
            return Err(Failure::argument(format!(
                "fill by unit {unit}, {bytes} bytes at a time, from {start:#x} to {end:#x}"
            )));
        }
        let at = FILL + 16 * unit;
        let control = (bytes - 2) << 8 | 1;
        let words = [(at, start >> 3), (at + 4, end >> 3), (at + 8, value), (at + 12, control)];
        gpu.get("gpu")?.0.with(|gpu| write_all(gpu, &words))
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_transfer(gpu: Handle<GpuHandle>, transfer: In<Transfer>) -> Status {
    guard(|| {
        let transfer = transfer.read("picaflor_transfer")?;
        if !(transfer.input | transfer.output).is_multiple_of(16) {
            return Err(Failure::argument("addresses of transfers are multiples of 16"));
        }
        let words = [
            (TRANSFER, transfer.input >> 3),
            (TRANSFER + 4, transfer.output >> 3),
            (TRANSFER + 8, transfer.output_size),
            (TRANSFER + 12, transfer.input_size),
            (TRANSFER + 16, transfer.flags),
            (TRANSFER + 0x20, transfer.copy_size),
            (TRANSFER + 0x24, transfer.copy_input),
            (TRANSFER + 0x28, transfer.copy_output),
            (TRANSFER + 0x18, 1),
        ];
        gpu.get("gpu")?.0.with(|gpu| write_all(gpu, &words))
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_frame_end(gpu: Handle<GpuHandle>) -> Status {
    guard(|| {
        gpu.get("gpu")?.0.with(|gpu| {
            gpu.machine.frame_end(&gpu.memory);
            Ok(())
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_vblank(gpu: Handle<GpuHandle>, which: u32) -> Status {
    guard(|| {
        let which = screen(which)?;
        gpu.get("gpu")?.0.with(|gpu| {
            gpu.machine.vblank(which);
            Ok(())
        })
    })
}

/// A screen by its number in the header.
pub(crate) fn screen(code: u32) -> Result<Screen, Failure> {
    match code {
        0 => Ok(Screen::Top),
        1 => Ok(Screen::TopRight),
        2 => Ok(Screen::Bottom),
        _ => Err(Failure::argument(format!("screen {code}"))),
    }
}

fn picture_of(gpu: &mut Gpu, screen: Screen) -> Result<Picture, Failure> {
    let read = |pica: &mut Pica, engine: &mut Engine, memory: &HostMemory| {
        Ok::<_, Infallible>(pica.picture(engine, memory, screen))
    };
    Ok(gpu.work(read)?.unwrap_or(Picture { width: 0, height: 0, rgb: Vec::new() }))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_picture(
    gpu: Handle<GpuHandle>,
    which: u32,
    rgb: Room<u8>,
    capacity: usize,
    width: Out<u32>,
    height: Out<u32>,
) -> Status {
    guard(|| {
        let which = screen(which)?;
        rgb.check(capacity, "rgb")?;
        let picture = gpu.get("gpu")?.0.with(|gpu| picture_of(gpu, which))?;
        width.put(picture.width, "width")?;
        height.put(picture.height, "height")?;
        if capacity != 0 && picture.rgb.len() > capacity {
            return Err(Failure::size(format!("the picture has {} bytes", picture.rgb.len())));
        }
        rgb.put(capacity, &picture.rgb, "rgb")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_picture_into(
    gpu: Handle<GpuHandle>,
    which: u32,
    buffer: In<BufferConfig>,
    width: Out<u32>,
    height: Out<u32>,
) -> Status {
    guard(|| {
        let which = screen(which)?;
        let result = gpu.get("gpu")?.0.with(|gpu| {
            picture::fill(&buffer, |buffer| {
                gpu.work(|pica, engine, memory| {
                    Ok::<_, Infallible>(pica.picture_into(engine, memory, which, buffer))
                })
            })
        })?;
        let [columns, rows] = match result {
            Ok(size) => size,
            Err(PictureError::NoRoom { width, height }) => [width, height],
            Err(_) => [0, 0],
        };
        width.put(columns, "width")?;
        height.put(rows, "height")?;
        match result {
            Err(why @ PictureError::NoRoom { .. }) => Err(picture::no_room(why)),
            _ => Ok(()),
        }
    })
}
