//! Texture copy: bytes in lines with gaps.
//!
//! Source: pica-geometry.md 7.4; sizes and gaps measured on a console.

use super::runs::Runs;
use super::{INPUT, OUTPUT};
use crate::pauses::{PAUSE, Pauses};
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::transfer::{TransferRegisters, address};

/// Unit of widths, gaps and sizes in bytes.
const UNIT: u32 = 16;

/// One side of the copy.
struct Side<'a> {
    runs: Runs<'a>,
    line: u32,
    gap: u32,
    /// Bytes left in the current line.
    left: u32,
    /// End address of the last line so far.
    end: u32,
}

impl<'a> Side<'a> {
    /// `None` if the line has no bytes, which freezes the console.
    fn new(memory: &'a dyn Memory, start: u32, shape: u32, total: u32) -> Option<Self> {
        let (width, gap) = (shape & 0xffff, shape >> 16);
        let line = if gap == 0 { total } else { width * UNIT };
        (line > 0).then(|| Self {
            runs: Runs::new(memory, start),
            line,
            gap: gap * UNIT,
            left: line,
            end: start,
        })
    }

    /// Advances over `count` bytes of the current line, and over the gap at its end; returns the bytes of both.
    const fn advance(&mut self, count: u32) -> usize {
        self.runs.skip(count);
        self.end = self.runs.address();
        self.left -= count;
        if self.left > 0 {
            return count as usize;
        }
        self.left = self.line;
        self.runs.skip(self.gap);
        count as usize + self.gap as usize
    }
}

/// Copies up to the end, or to the first unmapped byte.
pub(super) fn texture_copy(memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
    let bad = Fault::BadTransfer { flags: registers.flags };
    let total = registers.copy_size & !(UNIT - 1);
    if total == 0 {
        return Err(bad);
    }
    let start = address(registers.output);
    let mut input = Side::new(memory, address(registers.input), registers.copy_input, total).ok_or(bad)?;
    let mut output = Side::new(memory, start, registers.copy_output, total).ok_or(bad)?;
    let mut left = total;
    let mut result = Ok(());
    let mut pauses = Pauses::new(memory);
    while left > 0 && result.is_ok() {
        match copy_pieces(&mut input, &mut output, left, &mut pauses) {
            Ok((count, is_stopping)) => {
                left -= count;
                if is_stopping {
                    break;
                }
            }
            Err(fault) => result = Err(fault),
        }
    }
    notify(memory, start, output.end, left < total);
    result
}

/// Copies the lines, and parts of lines, of the longest part that is contiguous on both sides, in ascending order.
/// Returns its size in bytes, and true if the run is to end.
fn copy_pieces(
    input: &mut Side<'_>,
    output: &mut Side<'_>,
    left: u32,
    pauses: &mut Pauses<'_>,
) -> Result<(u32, bool), Fault> {
    let unmapped = |id, runs: &Runs<'_>| Fault::Unmapped { id, address: runs.address() };
    let want = left.min(PAUSE as u32);
    let from = input.runs.available(want).ok_or_else(|| unmapped(INPUT, &input.runs))?;
    let to = output.runs.available(want).ok_or_else(|| unmapped(OUTPUT, &output.runs))?;
    let (mut read, mut written, mut done) = (0, 0, 0);
    while done < want && read < from.len() && written < to.len() {
        let mapped = (from.len() - read).min(to.len() - written).min((want - done) as usize);
        let count = input.left.min(output.left).min(mapped as u32);
        let bytes = count as usize;
        to.slice(written, bytes).copy_forward(from.slice(read, bytes));
        read += input.advance(count);
        written += output.advance(count);
        done += count;
        if pauses.stops_after(bytes) {
            return Ok((done, true));
        }
    }
    Ok((done, false))
}

/// Notifies the memory of writes to the bytes from `start` to `end`, which may lie beyond the end of the address
/// space.
fn notify(memory: &dyn Memory, start: u32, end: u32, any: bool) {
    if !any {
        return;
    }
    if end > start {
        return memory.written(start, end - start);
    }
    memory.written(start, start.wrapping_neg());
    if end > 0 {
        memory.written(0, end);
    }
}
