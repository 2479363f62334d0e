//! Display transfer: conversion of images between tiled and linear layout and between formats, with reduction and
//! flipping.
//!
//! Source: pica-geometry.md 7.3.

use super::runs::first_unmapped;
use super::strips;
use super::{INPUT, OUTPUT};
use crate::pica::span::Span;
use crate::pica::texel::colour::PixelCode as _;
use crate::pica::tiling::block_index;
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::texel::ColourFormat;
use picaflor_pipeline::pica::tiling::{block_extent, block_side};
use picaflor_pipeline::pica::transfer::{TransferFlags, TransferRegisters, TransferScale, address};

/// Address computation of the pixels of one side.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    base: u32,
    pub(super) format: ColourFormat,
    /// Pixels from row to row.
    pub(super) pitch: u32,
    /// Size in pixels.
    pub(super) size: [u32; 2],
    pub(super) tiled: bool,
    pub(super) block32: bool,
}

impl Layout {
    /// Offset of a pixel in bytes from the base.
    #[inline]
    pub(super) const fn offset(&self, x: u32, row: u32) -> u32 {
        let index = if self.tiled {
            block_index(x, row, self.pitch, self.block32)
        } else {
            row.wrapping_mul(self.pitch).wrapping_add(x)
        };
        index.wrapping_mul(self.format.bytes())
    }

    /// The offset before it wraps around the address space.
    fn far_offset(&self, x: u32, row: u32) -> u64 {
        let side = self.band();
        let inside = if self.tiled { block_index(x % side, row % side, 0, self.block32) } else { x };
        let column = if self.tiled { x / side * side * side } else { 0 };
        let pixels = u64::from(row / side * side) * u64::from(self.pitch) + u64::from(column + inside);
        pixels * u64::from(self.format.bytes())
    }

    /// Size in bytes from the base to the end of the last pixel.
    fn extent(&self) -> u64 {
        let [width, rows] = self.size;
        let pixels = if self.tiled {
            block_extent(width, rows, self.pitch, self.block32)
        } else {
            u64::from(rows - 1) * u64::from(self.pitch) + u64::from(width)
        };
        pixels * u64::from(self.format.bytes())
    }

    /// Reads the first pixels of a row, as many as `line` holds.
    fn read_row(&self, span: Span<'_>, row: u32, line: &mut [[u8; 4]]) {
        let bytes = self.format.bytes();
        for (x, colour) in (0..).zip(line) {
            *colour = self.format.decode(span.read_pixel(self.offset(x, row), bytes));
        }
    }

    /// Writes a row.
    fn write_row(&self, span: Span<'_>, row: u32, colours: impl Iterator<Item = [u8; 4]>) {
        let bytes = self.format.bytes();
        for (x, colour) in (0..).zip(colours) {
            span.write_pixel(self.offset(x, row), self.format.encode(colour), bytes);
        }
    }

    /// The memory of this side; error if a byte of a pixel is unmapped. Bytes between rows need not be mapped.
    fn span<'a>(&self, memory: &'a dyn Memory, id: u16) -> Result<Span<'a>, Fault> {
        let whole = first_unmapped(memory, self.base, self.extent());
        match whole.and_then(|_| self.first_unmapped(memory)) {
            Some(address) => Err(Fault::Unmapped { id, address }),
            None => Ok(Span::new(memory, self.base, self.extent() as u32)),
        }
    }

    /// The unmapped byte of a pixel with the smallest offset; of sizes beyond the address space, before it wraps.
    fn first_unmapped(&self, memory: &dyn Memory) -> Option<u32> {
        let bands = (0..self.size[1]).step_by(self.band() as usize).take_while(|_| !memory.is_stopping());
        bands.filter_map(|row| self.first_unmapped_of(memory, row)).min().map(|offset| self.at(offset))
    }

    /// Address of an offset.
    const fn at(&self, offset: u64) -> u32 {
        self.base.wrapping_add(offset as u32)
    }

    /// Rows that lie together in memory.
    const fn band(&self) -> u32 {
        if self.tiled { block_side(self.block32) } else { 1 }
    }

    /// Its offset in the rows that begin at `row` and lie together: whole blocks are contiguous, and the pixels of
    /// others are looked up one by one.
    fn first_unmapped_of(&self, memory: &dyn Memory, row: u32) -> Option<u64> {
        let (side, [width, rows]) = (self.band(), self.size);
        let whole = if row + side <= rows { width / side * side } else { 0 };
        let start = self.far_offset(0, row);
        let bytes = u64::from(whole) * u64::from(side) * u64::from(self.format.bytes());
        let found = first_unmapped(memory, self.at(start), bytes);
        found.map(|address| start + u64::from(address.wrapping_sub(self.at(start)))).or_else(|| {
            let rows = (row..rows.min(row + side)).take_while(|_| !memory.is_stopping());
            let offsets = rows.flat_map(|row| (whole..width).map(move |x| self.far_offset(x, row)));
            let bytes = offsets.flat_map(|offset| offset..offset + u64::from(self.format.bytes()));
            bytes.filter(|&offset| memory.region(self.at(offset), 1).is_none()).min()
        })
    }

    /// True if a byte between the first and the last pixel of both sides is the same.
    fn overlaps(&self, other: &Self) -> bool {
        let reaches = |a: &Self, b: &Self| u64::from(b.base.wrapping_sub(a.base)) < a.extent();
        reaches(self, other) || reaches(other, self)
    }
}

/// Sizes are multiples of 8: the low three bits are not implemented (gbatek).
const fn size(register: u32) -> [u32; 2] {
    [register & 0xfff8, register >> 16 & 0xfff8]
}

/// A display transfer.
pub(super) struct Job {
    pub(super) input: Layout,
    pub(super) output: Layout,
    /// Shift of x and y for the reduction.
    pub(super) shift: [u32; 2],
    pub(super) flip: bool,
}

impl Job {
    fn new(registers: &TransferRegisters) -> Self {
        let flags = TransferFlags(registers.flags);
        let [input_width, _] = size(registers.input_size);
        let full = size(registers.output_size);
        let shift = match flags.scale() {
            TransferScale::Half => [1, 0],
            TransferScale::Quarter => [1, 1],
            TransferScale::None | TransferScale::Invalid => [0, 0],
        };
        let reduced = [full[0] >> shift[0], full[1] >> shift[1]];
        // Both tiling flags together do what `keep_tiling` does (measured for equal sizes and formats).
        let input = Layout {
            base: address(registers.input),
            format: flags.input_format().colour(),
            pitch: if flags.crop() { input_width } else { full[0] },
            size: full,
            tiled: !flags.tile() || flags.keep_tiling(),
            block32: flags.block32(),
        };
        let format = flags.output_format().colour();
        let output = Layout {
            base: address(registers.output).wrapping_add(skew(flags, input_width, full, format)),
            format,
            pitch: reduced[0],
            size: reduced,
            tiled: flags.tile() || flags.keep_tiling(),
            block32: flags.block32(),
        };
        Self { input, output, shift, flip: flags.flip() }
    }

    /// Both sides have to be apart; see [`run_in_order`](Self::run_in_order).
    fn run(&self, input: Span<'_>, output: Span<'_>, is_stopping: &dyn Fn() -> bool) {
        let is_near = self.input.extent().max(self.output.extent()) <= u64::from(u32::MAX);
        if let (Some(from), Some(to)) = (input.whole(), output.whole())
            && is_near
            && strips::run(self, from, to, is_stopping)
        {
            return;
        }
        self.run_row_by_row(input, output, is_stopping);
    }

    /// Row by row: what is not contiguous in the host's memory, and partial blocks.
    fn run_row_by_row(&self, input: Span<'_>, output: Span<'_>, is_stopping: &dyn Fn() -> bool) {
        let [width, rows] = self.output.size;
        // One or two rows of the input, at most 256 KiB each.
        let mut lines = [vec![[0; 4]; self.input.size[0] as usize], Vec::new()];
        if self.shift[1] > 0 {
            lines[1] = lines[0].clone();
        }
        for y in (0..rows).take_while(|_| !is_stopping()) {
            for (line, below) in lines.iter_mut().zip(0..) {
                self.input.read_row(input, (y << self.shift[1]) + below, line);
            }
            let row = if self.flip { rows - 1 - y } else { y };
            // Most transfers reduce nothing; a decision for each pixel would cost as much as the pixel.
            match self.shift {
                [0, _] => self.output.write_row(output, row, lines[0].iter().copied()),
                _ => self.output.write_row(output, row, (0..width as usize).map(|x| self.reduce(&lines, x))),
            }
        }
    }

    /// Pixel by pixel, for an output that is part of the input: each one is written before the next is read (assumed).
    fn run_in_order(&self, input: Span<'_>, output: Span<'_>, is_stopping: &dyn Fn() -> bool) {
        let [width, rows] = self.output.size;
        let [sx, sy] = self.shift;
        let mut lines = [vec![[0; 4]; 1 << sx], vec![[0; 4]; if sy > 0 { 1 << sx } else { 0 }]];
        let (from, to) = (self.input.format.bytes(), self.output.format.bytes());
        let rows_left = (0..rows).take_while(|_| !is_stopping());
        for (y, x) in rows_left.flat_map(|y| (0..width).map(move |x| (y, x))) {
            for (line, below) in lines.iter_mut().zip(0..) {
                for (colour, right) in line.iter_mut().zip(0..) {
                    let at = self.input.offset((x << sx) + right, (y << sy) + below);
                    *colour = self.input.format.decode(input.read_pixel(at, from));
                }
            }
            let row = if self.flip { rows - 1 - y } else { y };
            let pixel = self.output.format.encode(self.reduce(&lines, 0));
            output.write_pixel(self.output.offset(x, row), pixel, to);
        }
    }

    /// The mean of the reduced pixels, each channel truncated (measured on a console).
    #[inline]
    fn reduce(&self, [line, below]: &[Vec<[u8; 4]>; 2], x: usize) -> [u8; 4] {
        let left = x << self.shift[0];
        match self.shift {
            [0, _] => line[left],
            [_, 0] => mean([line[left], line[left + 1]]),
            _ => mean([line[left], line[left + 1], below[left], below[left + 1]]),
        }
    }
}

#[inline]
fn mean<const N: usize>(pixels: [[u8; 4]; N]) -> [u8; 4] {
    std::array::from_fn(|c| (pixels.iter().map(|pixel| usize::from(pixel[c])).sum::<usize>() / N) as u8)
}

/// Displacement of a flipped and cropped output: the position of its first row is computed with the row distance of
/// the input (derived from comparisons with a console).
fn skew(flags: TransferFlags, input_width: u32, [width, height]: [u32; 2], format: ColourFormat) -> u32 {
    if !flags.flip() || !flags.crop() || input_width <= width || height == 0 {
        return 0;
    }
    (input_width - width).wrapping_mul(height - 1).wrapping_mul(format.bytes())
}

/// No effect for a size of 0, which titles use. Format pairs that hang the console are converted as well.
pub(super) fn display_transfer(memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
    if TransferFlags(registers.flags).scale() == TransferScale::Invalid {
        return Err(Fault::BadTransfer { flags: registers.flags });
    }
    let job = Job::new(registers);
    if job.output.size.contains(&0) {
        return Ok(());
    }
    let input = job.input.span(memory, INPUT)?;
    let output = job.output.span(memory, OUTPUT)?;
    let is_stopping = || memory.is_stopping();
    let shares = |from: GuestSlice<'_>| output.whole().is_some_and(|to| from.shares_bytes(to));
    if job.input.overlaps(&job.output) || input.whole().is_some_and(shares) {
        job.run_in_order(input, output, &is_stopping);
    } else {
        job.run(input, output, &is_stopping);
    }
    memory.written(job.output.base, job.output.extent() as u32);
    Ok(())
}
