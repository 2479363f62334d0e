//! Reads of the system software: registers, matrices, the colour table, and the picture on the screen.

use super::GeHandle;
use crate::handle::Handle;
use crate::machine::{Hosted, with};
use crate::picture::{self, BufferConfig};
use crate::raw::{In, Out, Room};
use crate::status::{Failure, Status, guard};
use picaflor_pipeline::ge::capture::Display;
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use std::convert::Infallible;

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_read_command(ge: Handle<GeHandle>, command: u32, word: Out<u32>) -> Status {
    guard(|| {
        word.put(0, "word")?;
        let Ok(command) = u8::try_from(command) else {
            return Err(Failure::argument(format!("command {command:#x}")));
        };
        word.put(with(&ge, |hosted| Ok(hosted.machine.ge.read_command(command)))?, "word")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_read_matrix(
    ge: Handle<GeHandle>,
    number: u32,
    elements: Room<u32>,
    capacity: usize,
) -> Status {
    guard(|| {
        with(&ge, |hosted| {
            let matrix = hosted.machine.ge.read_matrix(number);
            let matrix = matrix.ok_or_else(|| Failure::argument(format!("matrix {number}")))?;
            put_all(&elements, capacity, matrix, "elements")
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_read_clut(ge: Handle<GeHandle>, bytes: Room<u8>, capacity: usize) -> Status {
    guard(|| with(&ge, |hosted| put_all(&bytes, capacity, hosted.machine.ge.clut().bytes(), "bytes")))
}

/// Copies values, if there is room for all of them.
fn put_all<T: crate::raw::Plain>(
    room: &Room<T>,
    capacity: usize,
    values: &[T],
    what: &str,
) -> Result<(), Failure> {
    room.check(values.len(), what)?;
    if capacity < values.len() {
        return Err(Failure::size(format!("{what}: there are {}", values.len())));
    }
    room.put(capacity, values, what)
}

/// Checks the description of a frame buffer.
fn display(address: u32, stride: u32, format: u32) -> Result<Display, Failure> {
    match u8::try_from(format) {
        Ok(format @ 0..4) => Ok(Display { address, stride, format }),
        _ => Err(Failure::argument(format!("pixel format {format}"))),
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_picture(
    ge: Handle<GeHandle>,
    address: u32,
    stride: u32,
    format: u32,
    rgb: Room<u8>,
    capacity: usize,
) -> Status {
    guard(|| {
        display(address, stride, format)?;
        let buffer = FrameBuffer { address, stride, format: PixelFormat::of(format) };
        with(&ge, |hosted| {
            let picture = hosted.work(|machine, engine, memory| {
                Ok::<_, Infallible>(buffer.picture(engine, memory, machine.ge.address_maps()))
            })?;
            put_all(&rgb, capacity, &picture.rgb, "rgb")
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_picture_into(
    ge: Handle<GeHandle>,
    address: u32,
    stride: u32,
    format: u32,
    buffer: In<BufferConfig>,
) -> Status {
    guard(|| {
        display(address, stride, format)?;
        let frame = FrameBuffer { address, stride, format: PixelFormat::of(format) };
        with(&ge, |hosted| {
            let result = picture::fill(&buffer, |buffer| {
                hosted.work(|machine, engine, memory| {
                    Ok::<_, Infallible>(frame.picture_into(engine, memory, machine.ge.address_maps(), buffer))
                })
            })?;
            result.map_err(picture::no_room)
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_frame_end(ge: Handle<GeHandle>, address: u32, stride: u32, format: u32) -> Status {
    guard(|| {
        let display = display(address, stride, format)?;
        with(&ge, |Hosted { machine, memory, .. }| {
            machine.ge.frame_end(memory, display);
            Ok(())
        })
    })
}
