//! Decompression of the blocks of a dump, with bounded memory: Snappy and Zstandard, from external crates.

use super::ZSTANDARD_SINCE;
use std::io::Read;

/// Upper bound of the compression ratio of Snappy: a copy of 64 bytes takes two or three bytes.
const SNAPPY_RATIO: usize = 32;
/// Maximum window of the Zstandard decoder in bytes: so much it unpacks before it gives the first byte.
const WINDOW: u64 = 1 << 27;
/// The window that every decoder should accept (RFC 8878, 3.1.1.1.2): encoders that do not know the size of what they pack
/// choose one by their level.
const COMMON_WINDOW: u64 = 1 << 23;

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
    let window = (size as u64).next_power_of_two().clamp(COMMON_WINDOW, WINDOW);
    let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(block, window).ok()?;
    let mut limited = decoder.take(size as u64 + 1);
    let mut contents = Vec::new();
    limited.read_to_end(&mut contents).ok()?;
    let decoder = limited.into_inner().into_frame_decoder();
    let checksum = decoder.get_checksum_from_data();
    (checksum.is_none() || checksum == decoder.get_calculated_checksum()).then_some(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of one raw block whose window has `1 << log` bytes.
    fn frame(log: u8, contents: &[u8]) -> Vec<u8> {
        let block = (contents.len() as u32) << 3 | 1;
        let head = [0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3];
        [&head, &block.to_le_bytes()[..3], contents].concat()
    }

    #[test]
    fn windows_are_no_larger_than_needed() {
        let unpacked = |log| zstandard(&frame(log, &[7; 100]), 100);
        assert_eq!((unpacked(10), unpacked(23)), (Some(vec![7; 100]), Some(vec![7; 100])));
        assert_eq!((unpacked(24), unpacked(27)), (None, None));
        assert_eq!(zstandard(&frame(24, &[7; 100]), (8 << 20) + 1).map(|contents| contents.len()), Some(100));
    }
}
