//! Results of blit cases, and their comparison.

use crate::pica::seams::{Outcome, fnv};
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{BlockMemory, Memory};
use picaflor_pipeline::picture::Picture;
use std::sync::{Mutex, PoisonError};

/// Memory, faults and pictures.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moved {
    /// The result of each fill and transfer.
    pub faults: Vec<Result<(), Fault>>,
    /// The result of each scan-out.
    pub pictures: Vec<Option<Picture>>,
    /// Bytes that changed without an announcement, by address.
    pub silent: Vec<u32>,
    /// All memory, block by block.
    pub memory: Vec<(u32, Vec<u8>)>,
}

impl Moved {
    pub(super) fn fault(&mut self, result: Result<(), Fault>) {
        self.faults.push(result);
    }

    pub(super) fn finish(&mut self, memory: &BlockMemory) {
        self.memory = blocks(memory);
    }
}

fn blocks(memory: &BlockMemory) -> Vec<(u32, Vec<u8>)> {
    memory.blocks().iter().map(|block| (block.base(), block.as_slice().to_vec())).collect()
}

/// Memory with a record of what was announced as written.
pub(super) struct Recorded<'a> {
    memory: &'a BlockMemory,
    before: Vec<(u32, Vec<u8>)>,
    written: Mutex<Vec<(u32, u32)>>,
}

impl<'a> Recorded<'a> {
    pub(super) fn new(memory: &'a BlockMemory) -> Self {
        Self { memory, before: blocks(memory), written: Mutex::new(Vec::new()) }
    }

    /// Addresses of bytes that changed outside of the announced ranges.
    pub(super) fn silent(&self) -> Vec<u32> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let announced =
            |address: u32| written.iter().any(|&(start, length)| address.wrapping_sub(start) < length);
        let after = blocks(self.memory);
        let changed = self.before.iter().zip(&after).flat_map(|((base, before), (_, after))| {
            let bytes = (*base..).zip(before.iter().zip(after));
            bytes.filter(|(_, (before, after))| before != after).map(|(address, _)| address)
        });
        changed.filter(|&address| !announced(address)).collect()
    }
}

impl Memory for Recorded<'_> {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn written(&self, address: u32, length: u32) {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).push((address, length));
    }
}

impl Outcome for Moved {
    fn difference(&self, expected: &Self) -> Option<String> {
        if self.faults != expected.faults {
            return Some(format!("faults {:?}, not {:?}", self.faults, expected.faults));
        }
        if let Some(address) = self.silent.first().or(expected.silent.first()) {
            return Some(format!("{address:#010x} was written without an announcement"));
        }
        for ((base, actual), (_, expected)) in self.memory.iter().zip(&expected.memory) {
            let mut bytes = (*base..).zip(actual.iter().zip(expected));
            if let Some((address, (actual, expected))) = bytes.find(|(_, (a, b))| a != b) {
                return Some(format!("{address:#010x} is {actual:02x}, not {expected:02x}"));
            }
        }
        let pictures = self.pictures.iter().zip(&expected.pictures).enumerate();
        pictures.filter_map(|(n, (a, b))| Some(format!("picture {n}: {}", of_picture(a, b)?))).next()
    }

    fn is_empty(&self) -> bool {
        self.pictures.iter().all(Option::is_none) && self.faults.iter().all(Result::is_err)
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let count = |ok: bool| self.faults.iter().filter(|result| result.is_ok() == ok).count() as u64;
        let pictures = self.pictures.iter().flatten().count() as u64;
        vec![("fills and transfers", count(true)), ("with a fault", count(false)), ("pictures", pictures)]
    }

    fn digest(&self) -> u64 {
        let memory = self.memory.iter().flat_map(|(_, bytes)| bytes);
        let pictures = self.pictures.iter().flatten().flat_map(|picture| &picture.rgb);
        let faults = self.faults.iter().map(|result| u64::from(result.is_err()));
        fnv(memory.chain(pictures).map(|&byte| u64::from(byte)).chain(faults))
    }
}

fn of_picture(actual: &Option<Picture>, expected: &Option<Picture>) -> Option<String> {
    let (Some(actual), Some(expected)) = (actual, expected) else {
        let is = |picture: &Option<Picture>| if picture.is_some() { "shown" } else { "not shown" };
        return (actual.is_some() != expected.is_some())
            .then(|| format!("{}, instead of {}", is(actual), is(expected)));
    };
    let size = |picture: &Picture| (picture.width, picture.height);
    if size(actual) != size(expected) {
        return Some(format!("size {:?}, not {:?}", size(actual), size(expected)));
    }
    let at = actual.rgb.iter().zip(&expected.rgb).position(|(a, b)| a != b)? as u32;
    let (x, y) = (at / 3 % actual.width, at / 3 / actual.width);
    Some(format!("({x}, {y}) is {:?}, not {:?}", actual.pixel(x, y), expected.pixel(x, y)))
}
