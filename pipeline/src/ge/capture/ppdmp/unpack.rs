//! Decompression of the blocks of a dump, with bounded memory: Snappy and Zstandard, from external crates.

use super::ZSTANDARD_SINCE;
use std::io::Read;

/// Upper bound of the compression ratio of Snappy: a copy of 64 bytes takes two or three bytes.
const SNAPPY_RATIO: usize = 32;
/// Maximum window of the Zstandard decoder in bytes.
const WINDOW: u64 = 1 << 27;

/// The unpacked block; `None` unless it has this size.
pub(super) fn unpack(version: u32, block: &[u8], size: usize) -> Option<Vec<u8>> {
    let contents = if version >= ZSTANDARD_SINCE { zstandard(block, size) } else { snappy(block, size) };
    contents.filter(|contents| contents.len() == size)
}

fn snappy(block: &[u8], size: usize) -> Option<Vec<u8>> {
    // The size is checked before that much is allocated.
    let is_sound = snap::raw::decompress_len(block).ok()? == size;
    let is_possible = size <= block.len().saturating_mul(SNAPPY_RATIO);
    if is_sound && is_possible { snap::raw::Decoder::new().decompress_vec(block).ok() } else { None }
}

fn zstandard(block: &[u8], size: usize) -> Option<Vec<u8>> {
    let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(block, WINDOW).ok()?;
    let mut limited = decoder.take(size as u64 + 1);
    let mut contents = Vec::new();
    limited.read_to_end(&mut contents).ok()?;
    let decoder = limited.into_inner().into_frame_decoder();
    let checksum = decoder.get_checksum_from_data();
    (checksum.is_none() || checksum == decoder.get_calculated_checksum()).then_some(contents)
}
