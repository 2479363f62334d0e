//! Properties that hold for any byte string. The fuzz targets call them, and they run as tests too.

mod ge;
pub mod mutate;
mod pica;

pub use ge::{ge_capture, mutated_dump, mutated_ge_capture, ppdmp, sample_dump};
pub use pica::{
    CacheError, CacheFolder, assembler, capture, citrace, command_list, container, decoder, disk_cache,
    fragment_commands, key, mmio, mutated_commands, shader, shader_bytes,
};

use picaflor_pipeline::pica::capture::format;

/// The file with correct magic words, sizes and checksums, so that a fuzzer reaches the code behind those checks.
fn mended(bytes: &[u8]) -> Vec<u8> {
    const START: usize = 12;
    const HEADER: usize = 16;
    let mut file = [format::MAGIC.as_slice(), &format::VERSION.to_le_bytes()].concat();
    let mut rest = bytes.get(START..).unwrap_or_default();
    while rest.len() >= HEADER {
        let (header, behind) = rest.split_at(HEADER);
        let size = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i])) as usize;
        let (payload, behind) = behind.split_at(size(4).min(behind.len()));
        let start = file.len();
        file.extend_from_slice(&header[..4]);
        file.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        // Contents that are not smaller than their payload are not compressed.
        file.extend_from_slice(&size(8).max(payload.len()).to_le_bytes()[..4]);
        let mut check = crc32fast::Hasher::new();
        check.update(&file[start..]);
        check.update(payload);
        file.extend_from_slice(&check.finalize().to_le_bytes());
        file.extend_from_slice(payload);
        rest = behind;
    }
    file
}

#[cfg(test)]
mod strings {
    use crate::random::Random;

    /// Strings of every length up to 400, some of them words of the language.
    pub(super) fn strings(random: &mut Random) -> impl Iterator<Item = Vec<u8>> + '_ {
        const PIECES: &[&str] = &[
            ".proc main",
            "mov r0, c0",
            "\n",
            ".fvec a[4]",
            "for i0",
            ".end",
            "{",
            "DVLB",
            ".out o position",
        ];
        (0..400).map(|length| {
            let mut bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
            if random.chance(50) {
                bytes = (0..length / 8).flat_map(|_| random.pick(PIECES).bytes().chain([b' '])).collect();
            }
            bytes
        })
    }
}
