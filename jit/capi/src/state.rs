//! The state of a machine, field by field and as a whole; and what is known of changes of its memory.

use crate::buffer::Buffer;
use crate::handle::Handle;
use crate::machine::{Machine, MachineHandle, with};
use crate::raw::{Array, Out, Room};
use crate::record::Range;
use crate::status::{Failure, Status, guard};
use picaflor_pipeline::fields::StateError;

/// Status of a refusal: of the words, or of the numbers of the caller.
pub(crate) fn refused(why: StateError) -> Failure {
    let status = match why {
        StateError::UnknownField { .. } => Status::Argument,
        StateError::OutOfRange { .. } => Status::Size,
        _ => Status::Format,
    };
    Failure::new(status, why.to_string())
}

pub(crate) fn size<M: Machine>(handle: &Handle<MachineHandle<M>>, field: u32, words: &Out<usize>) -> Status {
    guard(|| {
        words.put(0, "words")?;
        let count = with(handle, |hosted| hosted.machine.field_words(field).map_err(refused))?;
        words.put(count, "words")
    })
}

pub(crate) fn read<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    field: u32,
    first: usize,
    words: &mut [u32],
) -> Result<(), Failure> {
    with(handle, |hosted| hosted.machine.read_field(field, first, words).map_err(refused))
}

pub(crate) fn write<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    field: u32,
    first: usize,
    words: &[u32],
) -> Result<(), Failure> {
    with(handle, |hosted| hosted.machine.write_field(field, first, words).map_err(refused))
}

pub(crate) fn export<M: Machine>(handle: &Handle<MachineHandle<M>>, state: &Out<*mut Buffer>) -> Status {
    guard(|| state.give("state", || with(handle, |hosted| Buffer::of_words(&[&hosted.machine.export()]))))
}

pub(crate) fn import<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    bytes: &Array<u8>,
    length: usize,
) -> Status {
    guard(|| {
        let (words, rest) = bytes.slice(length, "bytes")?.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(refused(StateError::CutOff));
        }
        let words: Vec<_> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        with(handle, |hosted| {
            hosted.machine.import(&words).map_err(|why| Failure::new(Status::Format, why.to_string()))
        })
    })
}

pub(crate) fn invalidate<M: Machine>(handle: &Handle<MachineHandle<M>>, address: u32, length: u32) -> Status {
    guard(|| changed(handle, address, length))
}

/// Notes a change of memory.
pub(crate) fn changed<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    address: u32,
    length: u32,
) -> Result<(), Failure> {
    handle.get(M::NAME)?.1.versions.invalidate(address, length);
    Ok(())
}

pub(crate) fn take_written<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    ranges: &Room<Range>,
    capacity: usize,
    count: &Out<usize>,
) -> Status {
    guard(|| {
        ranges.check(capacity, "ranges")?;
        count.put(0, "count")?;
        match handle.get(M::NAME)?.1.take(capacity) {
            Ok(taken) => {
                let taken: Vec<Range> =
                    taken.into_iter().map(|(address, length)| Range { address, length }).collect();
                ranges.put(capacity, &taken, "ranges")?;
                count.put(taken.len(), "count")
            }
            Err(needed) => {
                count.put(needed, "count")?;
                Err(Failure::size(format!("room for {capacity} ranges of {needed}")))
            }
        }
    })
}
